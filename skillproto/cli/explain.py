"""`skillproto explain`: tell what an error code or a rule means, and what to do."""

import textwrap

import click

from skillproto.cli import _exits, _streams
from skillproto.cli._command import Command
from skillproto.cli._nearest import did_you_mean
from skillproto.errors import CODE_OF_STATUS, ErrorCode
from skillproto.reports.advice import ADVICE, code_to_dict, retried
from skillproto.reports.escaping import dump
from skillproto.rules import CATALOGUE, Rule

_WIDTH = 88


@click.command(
    "explain",
    cls=Command,
    epilog=(
        "\b\n"
        "Examples:\n"
        "  skillproto explain EXECUTION_TIMEOUT\n"
        "  skillproto explain 503\n"
        "  skillproto explain schema/enum\n"
        "  skillproto explain --list"
    ),
)
@click.argument("name", required=False)
@click.option("--list", "list_names", is_flag=True, help="Print every code and rule with its line.")
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", show_default=True)
def command(name: str | None, list_names: bool, output_format: str) -> int:
    """Tell what an error code or a rule means, and what to do.

    NAME is a code such as AUTH_REQUIRED, an HTTP status, or a rule such as schema/enum.
    """
    if list_names:
        _streams.write("".join(_list_line(key, line) for key, line in _everything().items()))
        return _exits.FINE
    if name is None:
        raise click.UsageError("name a code or a rule, or ask for --list")
    known = _find(name)
    as_json = output_format == "json"
    if isinstance(known, ErrorCode):
        _streams.write(dump(code_to_dict(known)) + "\n" if as_json else _code_text(known))
    else:
        _streams.write(dump(_rule_dict(known)) + "\n" if as_json else _rule_text(known))
    return _exits.FINE


def _everything() -> dict[str, str]:
    codes = {code.value: ADVICE[code].when.partition(". ")[0].rstrip(".") + "." for code in ErrorCode}
    return codes | {rule.id: rule.summary for rule in CATALOGUE.values()}


def _list_line(key: str, line: str) -> str:
    return f"{key:33} {line}\n"


def _find(name: str) -> ErrorCode | Rule:
    code = ErrorCode.__members__.get(name.upper())
    if code is None and name.isascii() and name.isdigit():
        code = CODE_OF_STATUS.get(int(name))
    if code is not None:
        return code
    rule = CATALOGUE.get(name.lower())
    namesakes = [one for one in CATALOGUE.values() if one.id.partition("/")[2] == name.lower()]
    if rule is None and len(namesakes) == 1:
        rule = namesakes[0]
    if rule is None:
        hint = did_you_mean(name, [*ErrorCode.__members__, *CATALOGUE])
        raise click.UsageError(f"no code or rule {name!r}.{hint} See all: skillproto explain --list")
    return rule


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


def _rule_dict(rule: Rule) -> dict[str, str]:
    members = ("id", "severity", "summary", "why", "source", "bad", "good")
    return {name: getattr(rule, name) for name in members}


def _row(label: str, text: str) -> str:
    filled = textwrap.wrap(text, _WIDTH - 15, break_long_words=False, break_on_hyphens=False) or [""]
    return f"  {label + ':':13}" + ("\n" + " " * 15).join(filled) + "\n"


def _example(label: str, text: str) -> str:
    return f"\n  {label}:\n" + textwrap.indent(text.strip("\n"), "    ") + "\n"
