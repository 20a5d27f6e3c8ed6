"""The report for GitLab: a Code Quality file, which shows findings in a merge request.

Source: GitLab Docs, "Code Quality", the report format.
"""

import hashlib
from collections.abc import Iterator

from skillproto.reports.escaping import dump, plain
from skillproto.reports.findings import Item, Tally, Unreadable
from skillproto.reports.phrases import sentence
from skillproto.violations import JSONValue, Violation

_SEVERITIES = {"error": "major", "warning": "minor", "info": "info"}


def render(items: Iterator[Item], tally: Tally) -> Iterator[str]:
    r"""Write a JSON array with an entry for each finding.

    >>> "".join(render(iter([]), Tally()))
    '[\n]\n'
    """
    separator = "["
    for item in items:
        for entry in _entries(item):
            yield separator + "\n" + dump(entry, indent=None)
            separator = ","
    yield ("[" if separator == "[" else "") + "\n]\n"


def _entries(item: Item) -> Iterator[JSONValue]:
    if isinstance(item, Unreadable):
        yield _entry(item.source, item.message, item.reason, "blocker", "", 1)
        return
    for violation in item.violations:
        yield _entry(
            item.source,
            sentence(violation),
            violation.rule,
            _SEVERITIES[violation.severity],
            _identity(item.nth, violation),
            violation.line or 1,
        )


def _identity(nth: int, violation: Violation) -> str:
    """Tell one finding from another, though lines may move: no line in it."""
    return f"{nth} {violation.field} {violation.message}"


def _entry(source: str, text: str, rule: str, severity: str, identity: str, line: int) -> JSONValue:
    fingerprint = hashlib.sha256(f"{source}\0{rule}\0{identity}".encode("utf-8", "backslashreplace")).hexdigest()
    return {
        "description": plain(text),
        "check_name": rule,
        "fingerprint": fingerprint,
        "severity": severity,
        "location": {"path": source, "lines": {"begin": line}},
    }
