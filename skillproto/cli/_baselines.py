"""Write the findings of a run into a baseline, so that only new ones fail from then on."""

from collections.abc import Iterator
from pathlib import Path

import click

from skillproto.cli import _exits, _streams
from skillproto.reports import Item, Unreadable
from skillproto.reports.escaping import plain
from skillproto.rules import Baseline


def write(path: str, items: Iterator[Item]) -> int:
    """Write a baseline, and give the exit code."""
    found, unreadable, checked = [], 0, 0
    for item in items:
        if isinstance(item, Unreadable):
            unreadable += 1
            _streams.say(f"{item.source}: {item.message}")
            continue
        checked += 1
        found += [(item.source, violation) for violation in item.violations]
    if unreadable or not checked:
        raise click.ClickException("no baseline was written, since not everything could be read")
    try:
        Path(path).write_text(Baseline.of(found).dump(), encoding="utf-8")
    except OSError as error:
        raise click.ClickException(plain(f"{path} could not be written: {error.strerror}")) from None
    _streams.say(f"wrote {path} with {len(found)} findings of {checked} documents")
    return _exits.FINE
