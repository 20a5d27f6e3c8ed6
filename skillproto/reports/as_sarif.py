"""The SARIF report, for code scanning services and editors.

Source: OASIS SARIF 2.1.0.
"""

from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

from skillproto import __version__
from skillproto.reports.escaping import dump, plain
from skillproto.reports.findings import Checked, Item, Tally, Unreadable
from skillproto.reports.phrases import sentence
from skillproto.violations import JSONValue, Violation

SCHEMA_URL = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def render(items: Iterator[Item], tally: Tally) -> Iterator[str]:
    """Write one SARIF run; its results go out as documents are finished.

    >>> import json
    >>> json.loads("".join(render(iter([]), Tally())))["runs"][0]["results"]
    []
    """
    rules: dict[str, None] = {}
    failures: list[JSONValue] = []
    yield f'{{"$schema": "{SCHEMA_URL}",\n"version": "2.1.0",\n'
    yield '"runs": [{\n"columnKind": "unicodeCodePoints",\n"results": ['
    separator = "\n"
    for item in items:
        if isinstance(item, Unreadable):
            failures.append(_notification(item))
            continue
        for violation in item.violations:
            rules.setdefault(violation.rule)
            yield separator + dump(_result(item, violation), indent=None)
            separator = ",\n"
    tool = dump({"driver": _driver(rules, tally)}, indent=None)
    yield f'\n],\n"tool": {tool},\n"invocations": [{dump(_invocation(tally, failures), indent=None)}]\n}}]}}\n'


def _driver(rules: Iterable[str], tally: Tally) -> dict[str, JSONValue]:
    return {
        "name": "skillproto",
        "version": __version__,
        "properties": {"rulePackVersion": tally.rule_pack_version},
        "rules": [{"id": rule} for rule in rules],
    }


def _invocation(tally: Tally, failures: list[JSONValue]) -> dict[str, JSONValue]:
    return {
        "executionSuccessful": tally.checked > 0 and not (tally.unreadable or tally.interrupted),
        "toolExecutionNotifications": failures,
        "properties": {"summary": tally.to_dict()},
    }


def _result(item: Checked, violation: Violation) -> dict[str, JSONValue]:
    return {
        "ruleId": violation.rule,
        "level": _LEVELS[violation.severity],
        "message": {"text": plain(sentence(violation))},
        "locations": [
            {
                "physicalLocation": _place(item.source, violation),
                "logicalLocations": [{"fullyQualifiedName": violation.field}],
            }
        ],
        "partialFingerprints": {"pointer/v1": f"{violation.rule}:{item.nth}:{violation.field}"},
    }


def _place(source: str, violation: Violation) -> dict[str, JSONValue]:
    place: dict[str, JSONValue] = {"artifactLocation": {"uri": _uri(source)}}
    region: dict[str, Any] = {
        "startLine": violation.line,
        "startColumn": violation.column,
        "endLine": violation.end_line,
        "endColumn": violation.end_column,
    }
    region = {name: number for name, number in region.items() if number is not None}
    return place | ({"region": region} if violation.line is not None else {})


def _uri(source: str) -> str:
    return quote(source.replace("\\", "/"), safe="/:@!$&'()*+,;=~", errors="surrogatepass")


def _notification(item: Unreadable) -> JSONValue:
    return {
        "level": "error",
        "descriptor": {"id": item.reason},
        "message": {"text": plain(item.message)},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(item.source)}}}],
    }
