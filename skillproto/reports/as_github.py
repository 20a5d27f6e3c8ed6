"""The report for GitHub Actions: workflow commands, which become annotations on the files.

Source: GitHub Docs, "Workflow commands for GitHub Actions".
"""

from collections.abc import Iterator, Mapping

from skillproto.reports.escaping import plain
from skillproto.reports.findings import Item, Tally, Unreadable
from skillproto.reports.phrases import sentence
from skillproto.violations import Violation

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def render(items: Iterator[Item], tally: Tally) -> Iterator[str]:
    """Write a workflow command for each finding.

    >>> print("".join(render(iter([Unreadable("b.json", "not-found", "No such file")]), Tally())), end="")
    ::error file=b.json,title=unreadable::No such file
    """
    for item in items:
        if isinstance(item, Unreadable):
            yield _command("error", {"file": item.source, "title": "unreadable"}, item.message)
            continue
        for violation in item.violations:
            yield _command(_COMMANDS[violation.severity], _properties(item.source, violation), sentence(violation))


def _properties(source: str, violation: Violation) -> dict[str, object]:
    place = {
        "file": source,
        "line": violation.line,
        "col": violation.column,
        "endLine": violation.end_line,
        "endColumn": violation.end_column if violation.end_line == violation.line else None,
        "title": violation.rule,
    }
    return {name: value for name, value in place.items() if value is not None}


def _command(name: str, properties: Mapping[str, object], message: str) -> str:
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{name} {listed}::{_data(plain(message))}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(plain(text)).replace(":", "%3A").replace(",", "%2C")
