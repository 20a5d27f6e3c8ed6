"""Read a provider's report of what is wrong with a request, in the forms in use.

Pure. Knows the protocol's own violations, problem details with `errors` or `invalid-params`
(RFC 9457), and lists of `{loc, msg, type}` as FastAPI writes them.
"""

from collections.abc import Iterator, Mapping
from itertools import islice

from skillproto.invocation.excerpts import excerpt, shown
from skillproto.violations import SEVERITIES, JSONValue, Violation, pointer

MOST_VIOLATIONS = 50
RULE = "provider/violation"
"""The rule of a violation whose report names none."""

_TEXT_CHARS = 200
_LISTS = ("violations", "errors", "invalid-params", "invalid_params", "detail")
_TRANSPORT = "body"  # where the request carried the value; a pointer starts inside it


def read_violations(value: JSONValue) -> list[Violation]:
    """Give the violations that a body reports; none where it is no such report.

    Where a list holds anything that is not in one of the forms, the whole list is no report.

    >>> [found] = read_violations({"detail": [{"loc": ["body", "inputs", "n"], "msg": "too big", "type": "lt"}]})
    >>> found.field, found.message
    ('/inputs/n', 'Too big')
    """
    if not isinstance(value, Mapping):
        return []
    for name in _LISTS:
        found = _read_list(value.get(name))
        if found:
            return found
    return []


def _read_list(value: JSONValue) -> list[Violation]:
    if isinstance(value, Mapping):
        return _read_map(value)
    if not isinstance(value, list):
        return []
    found = [_read_entry(entry) for entry in value[:MOST_VIOLATIONS]]
    return [violation for violation in found if violation is not None] if None not in found else []


def _read_map(value: Mapping[str, JSONValue]) -> list[Violation]:
    """Read `{"field": ["what is wrong", ...]}`."""
    if not all(isinstance(texts, list) and all(isinstance(text, str) for text in texts) for texts in value.values()):
        return []
    pairs: Iterator[tuple[str, str]] = ((name, text) for name, texts in value.items() for text in texts)
    return [_violation(_named(name), text) for name, text in islice(pairs, MOST_VIOLATIONS)]


def _read_entry(entry: JSONValue) -> Violation | None:
    match entry:
        case {"field": str(field), "message": str(message)}:
            return _violation(_named(field), message, entry)
        case {"loc": [*parts], "msg": str(message)}:
            return _violation(_located(parts), message, entry)
        case {"pointer": str(field), "detail": str(message)}:
            return _violation(_named(field), message, entry)
        case {"name": str(field), "reason": str(message)}:
            return _violation(_named(field), message, entry)
        case _:
            return None


def _violation(field: str, message: str, entry: Mapping[str, JSONValue] | None = None) -> Violation:
    entry = entry or {}
    expected, rule, severity = entry.get("expected"), entry.get("rule"), entry.get("severity")
    return Violation(
        excerpt(field, _TEXT_CHARS),
        excerpt(expected, _TEXT_CHARS) if isinstance(expected, str) else "a value that the provider accepts",
        shown(entry.get("actual"), _TEXT_CHARS),
        _sentence(excerpt(message, _TEXT_CHARS)),
        excerpt(rule, _TEXT_CHARS) if isinstance(rule, str) else RULE,
        severity if severity in SEVERITIES else "error",
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _located(parts: list[JSONValue]) -> str:
    if parts[:1] == [_TRANSPORT]:
        parts = parts[1:]
    return pointer(part if isinstance(part, int) else str(part) for part in parts)


def _named(name: str) -> str:
    """Make a pointer of a pointer, of a URI fragment, or of a dotted name."""
    name = name.removeprefix("#")
    if name == "" or name.startswith("/"):
        return name
    return _located([*name.removeprefix("$.").replace("[", ".").replace("]", "").split(".")])
