"""What an error code or a rule means, written out for people."""

import textwrap

from skillproto.errors import CODE_OF_STATUS, ErrorCode, UsageError
from skillproto.reports.advice import ADVICE, retried
from skillproto.rules import CATALOGUE, Rule, find_rule
from skillproto.validation.names import nearest

_WIDTH = 88
_LONGEST_STATUS = 9
"""Digits of a number that are read: more than any status has, and few enough to read at once."""


def explain(name: str) -> str:
    """Tell what an error code or a rule means, and what to do.

    Args:
        name: a code such as AUTH_REQUIRED, an HTTP status, or a rule such as schema/enum; a rule may go
            without its group where no other ends so.

    Raises:
        UsageError: there is no such code or rule; the nearest is named.

    >>> explain("503").splitlines()[0], explain("insecure-url").splitlines()[0]
    ('ENDPOINT_UNREACHABLE', 'descriptor/insecure-url: An address uses https.')
    >>> explain("schema/enmu")
    Traceback (most recent call last):
        ...
    skillproto.errors.UsageError: no code or rule is called 'schema/enmu'; did you mean 'schema/enum'?
    """
    known = find(name)
    return _code_text(known) if isinstance(known, ErrorCode) else _rule_text(known)


def find(name: str) -> ErrorCode | Rule:
    """Give the code or the rule that a text names.

    Raises:
        UsageError: as for `explain`.

    >>> find("auth_required"), find("schema/enum").severity
    (<ErrorCode.AUTH_REQUIRED: 'AUTH_REQUIRED'>, 'error')
    """
    code = ErrorCode.__members__.get(name.upper())
    if code is None and name.isascii() and name.isdigit():
        code = CODE_OF_STATUS.get(int(name[:_LONGEST_STATUS]))
    known = code or find_rule(name)
    if known is None:
        near = nearest(name, [*ErrorCode.__members__, *CATALOGUE])
        hint = f"; did you mean {near!r}?" if near else ""
        raise UsageError(f"no code or rule is called {name[:80]!r}{hint}")
    return known


def _code_text(code: ErrorCode) -> str:
    statuses = ", ".join(str(status) for status in code.http_statuses) or "none"
    rows = {
        "When": ADVICE[code].when,
        "What to do": ADVICE[code].do,
        "HTTP status": statuses,
        "Retried": retried(code),
        "Category": code.category or "as the reply says",
        "Source": "skillproto's own" if code.is_extension else "SSP 9.2 and 9.5",
    }
    return f"{code.value}\n\n" + "".join(_row(label, text) for label, text in rows.items())


def _rule_text(rule: Rule) -> str:
    rows = {"Severity": rule.severity, "Source": rule.source}
    parts = [f"{rule.id}: {rule.summary}\n\n"]
    if rule.why:
        parts.append(textwrap.fill(rule.why, _WIDTH, break_long_words=False, break_on_hyphens=False) + "\n\n")
    parts += [_row(label, text) for label, text in rows.items()]
    parts += [_example("Refused", rule.bad), _example("Accepted", rule.good)]
    return "".join(parts)


def _row(label: str, text: str) -> str:
    filled = textwrap.wrap(text, _WIDTH - 15, break_long_words=False, break_on_hyphens=False) or [""]
    return f"  {label + ':':13}" + ("\n" + " " * 15).join(filled) + "\n"


def _example(label: str, text: str) -> str:
    return f"\n  {label}:\n" + textwrap.indent(text.strip("\n"), "    ") + "\n"
