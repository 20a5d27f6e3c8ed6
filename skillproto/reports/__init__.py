"""Findings written down, for people and for programs: one module for each format, all from the same items.

A report is an iterator of text, so that a finding is out before the last file is read.
"""

from collections.abc import Callable, Iterator
from importlib import import_module

from skillproto.reports.findings import Checked, FailOn, Item, Tally, Unreadable

PEOPLE = ("text", "concise", "full")
PROGRAMS = ("json", "json-lines", "jsonl", "github", "gitlab", "sarif", "junit")
FORMATS = PEOPLE + PROGRAMS
_ALIASES = {"json-lines": "jsonl"}

__all__ = ["FORMATS", "Checked", "FailOn", "Item", "Tally", "Unreadable", "render"]


def render(items: Iterator[Item], tally: Tally, output_format: str = "text", *, color: bool = False) -> Iterator[str]:
    r"""Write a report.

    Args:
        items: what was checked; counted in `tally` as they pass.
        tally: the count of the run; its summary stands at the end of some formats.
        output_format: a name of `FORMATS`.
        color: whether to colour the formats for people.

    >>> "".join(render(iter([Unreadable("b.json", "not-found", "No such file")]), Tally(), "concise"))
    'b.json: unreadable: No such file\n'
    """
    items = tally.watch(items)
    if output_format in PEOPLE:
        return _for_people(items, output_format, color)
    write: Callable[[Iterator[Item], Tally], Iterator[str]]
    write = import_module(f"skillproto.reports.as_{_ALIASES.get(output_format, output_format)}").render
    return write(items, tally)


def _for_people(items: Iterator[Item], detail: str, color: bool) -> Iterator[str]:
    for item in items:
        if isinstance(item, Unreadable) or item.violations:
            from skillproto.reports import as_text

            yield from as_text.render(item, detail=detail, color=color)
