"""What the tests of this room share: reading one text, and naming what was found."""

from skillproto.documents import Document, Kind, Limits, read
from skillproto.violations import Violation


def only(data: bytes | str, kind: Kind | None = None, **limits: int) -> Document:
    """Read a text with exactly one document."""
    raw = data.encode() if isinstance(data, str) else data
    (document,) = read(raw, kind=kind, limits=Limits(**limits))
    return document


def finding(data: bytes | str, kind: Kind | None = None, **limits: int) -> Violation:
    """Read a text with exactly one document and one finding."""
    (violation,) = only(data, kind, **limits).violations
    return violation


def rules(document: Document) -> list[str]:
    return [violation.rule.removeprefix("document/") for violation in document.violations]


def place(violation: Violation) -> tuple[int | None, int | None]:
    return violation.line, violation.column
