"""The JSON report: one object, written piece by piece as documents are finished.

One document gives the object of that document, which is the error envelope when it fails.
Several give `{"format_version", "documents": [one such object each], "summary"}`.
"""

from collections.abc import Iterator

from skillproto.errors import ErrorCode, SkillError, ValidationFailed
from skillproto.reports.escaping import dump
from skillproto.reports.findings import Item, Tally, Unreadable
from skillproto.violations import JSONValue

FORMAT_VERSION = 1


def render(items: Iterator[Item], tally: Tally) -> Iterator[str]:
    """Write the report.

    The first document is held back until it is known whether a second one follows.

    >>> from skillproto.reports.findings import Checked
    >>> tally = Tally()
    >>> print("".join(render(tally.watch([Checked("a.json")]), tally)))
    {
      "source": "a.json",
      "index": 0,
      "valid": true,
      "violations": [],
      "format_version": 1,
      "summary": {
        "checked": 1,
        "valid": 1,
        "invalid": 0,
        "unreadable": 0,
        "errors": 0,
        "warnings": 0,
        "infos": 0,
        "interrupted": false,
        "rule_pack_version": ""
      }
    }
    <BLANKLINE>
    """
    items = iter(items)
    first, second = next(items, None), next(items, None)
    if first is not None and second is None and not tally.interrupted:
        yield dump(document(first, tally) | _footer(tally)) + "\n"
        return
    yield f'{{"format_version": {FORMAT_VERSION},\n"documents": ['
    separator = "\n"
    for item in _chain(first, second, items):
        yield separator + dump(document(item, tally))
        separator = ",\n"
    yield f'\n],\n"summary": {dump(tally.to_dict())}}}\n'


def _chain(first: Item | None, second: Item | None, rest: Iterator[Item]) -> Iterator[Item]:
    yield from (item for item in (first, second) if item is not None)
    yield from rest


def _footer(tally: Tally) -> dict[str, JSONValue]:
    return {"format_version": FORMAT_VERSION, "summary": tally.to_dict()}


def document(item: Item, tally: Tally) -> dict[str, JSONValue]:
    """Give the object of one document: the error envelope, when it fails, and where it comes from.

    >>> document(Unreadable("b.json", "not-found", "No such file"), Tally())["error"]["details"]
    {'reason': 'not-found'}
    """
    if isinstance(item, Unreadable):
        error = SkillError(ErrorCode.UNKNOWN, item.message, details={"reason": item.reason})
        return error.to_dict() | {"source": item.source, "valid": None, **item.about}
    head: dict[str, JSONValue] = {"source": item.source, "index": item.nth, "valid": item.valid, **item.about}
    if item.valid and not item.fails(tally.fail_on):
        return head | {"violations": [violation.to_dict() for violation in item.violations]}
    return ValidationFailed.of(list(item.violations), f"Skill {item.kind} validation failed").to_dict() | head
