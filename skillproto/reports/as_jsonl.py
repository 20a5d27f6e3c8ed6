"""The JSON Lines report: one object for each document as it is finished, and the summary last."""

from collections.abc import Iterator

from skillproto.reports.as_json import FORMAT_VERSION, document
from skillproto.reports.escaping import dump
from skillproto.reports.findings import Item, Tally


def render(items: Iterator[Item], tally: Tally) -> Iterator[str]:
    """Write a line for each document, then `{"format_version", "summary"}`.

    >>> from skillproto.reports.findings import Checked
    >>> print("".join(render(iter([Checked("a.json")]), Tally())).splitlines()[0])
    {"source": "a.json", "index": 0, "valid": true, "violations": []}
    """
    for item in items:
        yield dump(document(item, tally), indent=None) + "\n"
    yield dump({"format_version": FORMAT_VERSION, "summary": tally.to_dict()}, indent=None) + "\n"
