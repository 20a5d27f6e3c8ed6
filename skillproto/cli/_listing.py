"""What was discovered, as items of a report and as a table for people."""

from collections.abc import Iterator

from skillproto.discovery import Discovery, Examined, FetchError, Listing
from skillproto.discovery.discovering import facts
from skillproto.redaction import safe_url
from skillproto.reports import Checked, Item, Unreadable
from skillproto.reports.escaping import plain

_WIDEST = 60


def items_of(discovery: Discovery, *, interrupted: bool = False) -> Iterator[Item]:
    """Give the index and each skill as an item; what could not be had is one that could not be read."""
    for listing in discovery.listings:
        yield _index(listing)
    for examined in discovery.skills:
        yield _skill(examined)
    left = len(discovery.not_examined)
    if left and not interrupted:
        message = f"{left} more {'skill is' if left == 1 else 'skills are'} listed than were to be looked at"
        yield Unreadable(_place(discovery.listings[0].url), "too-many-skills", f"{message}; see --max-skills")


def _index(listing: Listing) -> Item:
    source = _place(listing.url) + (" (with credentials)" if listing.with_credentials else "")
    if listing.failure is not None:
        return _lost(source, listing.failure)
    made = Checked(source, 0, listing.findings, "index", listing.text_of)
    made.about = {"listed": len(listing.entries), "with_credentials": listing.with_credentials}
    return made


def _skill(examined: Examined) -> Item:
    source, about = _place(examined.entry.url), {"skill": facts(examined.entry)}
    if examined.failure is not None:
        lost = _lost(source, examined.failure)
        lost.about = about
        return lost
    made = Checked(source, 0, examined.findings, "descriptor", examined.text_of)
    made.about = about
    return made


def _lost(source: str, failure: FetchError) -> Unreadable:
    return Unreadable(source, failure.reason.replace("_", "-"), failure.message)


def _place(url: str) -> str:
    """Give an address as the name of a source; what follows its path may be a secret."""
    return safe_url(url) + ("?…" if "?" in url else "")


def table(discovery: Discovery) -> Iterator[str]:
    """List the skills, a line for each: id, version, access, verdict and where the descriptor is."""
    rows = [_row(examined) for examined in discovery.skills]
    widths = [max(len(row[i]) for row in rows) for i in range(4)] if rows else []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield "  ".join([*cells, row[-1]]) + "\n"
    if rows:
        yield "\n"


def _row(examined: Examined) -> tuple[str, ...]:
    entry = examined.entry
    named = [_short(entry.member(name) or "?") for name in ("id", "version", "access")]
    return (*named, _verdict(examined), plain(_place(entry.url)))


def _verdict(examined: Examined) -> str:
    if examined.failure is not None:
        return "needs credentials" if examined.failure.reason == "credentials" else "not reached"
    errors = sum(finding.severity == "error" for finding in examined.findings)
    others = len(examined.findings) - errors
    if errors:
        return f"{errors} error{'s' * (errors != 1)}"
    return f"fine, {others} warning{'s' * (others != 1)}" if others else "fine"


def _short(text: str) -> str:
    shown = plain(text)
    return shown if len(shown) <= _WIDEST else shown[: _WIDEST - 1] + "…"
