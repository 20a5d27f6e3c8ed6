"""Say why some bytes are not read as text: too many, UTF-16, or one byte that is not UTF-8."""

import codecs

from skillproto.documents.document import Document
from skillproto.documents.findings import Fault, Faults
from skillproto.documents.limits import Limits
from skillproto.documents.lines import Lines

_UTF_16_OR_32 = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_GZIP = b"\x1f\x8b"
_SAVE_AS = "Save the text as UTF-8"


def undecodable(
    data: bytes, start: int | None, source: str, limits: Limits, *, index: int = 0, first_line: int = 1
) -> Document:
    r"""Make the document that stands for bytes that are no text, with its one finding.

    Args:
        data: the bytes without a byte order mark of UTF-8.
        start: index of the first byte that is not UTF-8, if that is known to be the reason.
        source: name of the text.
        limits: bounds for the document.
        index: its number in the text.
        first_line: number of the line that the bytes are, or begin with.

    >>> undecodable(b"Caf\xe9", 3, "x.json", Limits()).violations[0].message
    'The byte 0xE9 is not UTF-8'
    """
    other = other_encoding(data)
    if len(data) > limits.max_bytes:
        return unread(too_large(limits), source, limits, index=index, line=first_line)
    if start is None or other:
        return unread(wrong_encoding(other or "binary"), source, limits, index=index, line=first_line)
    place = len(data[:start].decode())
    faults, lines = Faults(limits), Lines(data.decode(errors="replace"), first_line)
    faults.add(_wrong_byte(data, start, place))
    return Document(None, source, index, faults.violations(lines), readable=False, lines=lines)


def unread(fault: Fault, source: str, limits: Limits, *, index: int = 0, line: int = 1) -> Document:
    """Make the document that stands for a text of which nothing was read."""
    faults, lines = Faults(limits), Lines("", line)
    faults.add(fault)
    return Document(None, source, index, faults.violations(lines), readable=False, lines=lines)


def other_encoding(data: bytes) -> str | None:
    """Name the encoding whose mark or pattern of zero bytes a text begins with.

    >>> other_encoding('{"a": 1}'.encode("utf-16-le")), other_encoding(b"{}")
    ('UTF-16', None)
    """
    for mark, name in _UTF_16_OR_32:
        if data.startswith(mark):
            return name
    if data.startswith(_GZIP):
        return "compressed"
    zeros = [byte == 0 for byte in data[:4]]
    if zeros in ([True, True, True, False], [False, True, True, True]):
        return "UTF-32"
    return "UTF-16" if zeros[:2] in ([True, False], [False, True]) else None


def wrong_encoding(name: str) -> Fault:
    """Describe a text that is wholly in another encoding."""
    return Fault("encoding", 0, 0, f"The text is {name}, not UTF-8", "UTF-8", name, hint=_SAVE_AS)


def too_large(limits: Limits) -> Fault:
    """Describe a text of too many bytes."""
    size = f"{limits.max_bytes} bytes"
    return Fault("too-large", 0, 0, f"The text is larger than {size}", f"at most {size}")


def _wrong_byte(data: bytes, start: int, place: int) -> Fault:
    byte = data[start : start + 1]
    latin = byte.decode("latin-1")
    hint = f"{_SAVE_AS}; in Latin-1 the byte stands for {latin}" if latin.isprintable() else _SAVE_AS
    shown = f"0x{byte.hex().upper()}"
    return Fault("encoding", place, place + 1, f"The byte {shown} is not UTF-8", "UTF-8", shown, hint=hint)
