"""Bytes to text: UTF-8 only, with or without a byte order mark.

Anything else is one finding that says where the first wrong byte stands.
"""

import codecs

from skillproto.documents.findings import Fault, Faults
from skillproto.documents.limits import Limits
from skillproto.documents.lines import Lines

BOM = codecs.BOM_UTF8

_UTF_16_OR_32 = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_SAVE_AS = "Save the text as UTF-8"


class UnreadableError(ValueError):
    """The bytes are no text that is read; holds why, and the lines that the fault refers to."""

    def __init__(self, faults: Faults, lines: Lines) -> None:
        super().__init__(faults.kept[0].message)
        self.faults = faults
        self.lines = lines


def decode(data: bytes, limits: Limits, first_line: int = 1) -> str:
    r"""Give the text of some bytes, without its byte order mark.

    Raises:
        UnreadableError: they are too many, or not UTF-8.

    >>> decode(b"\xef\xbb\xbf{}", Limits())
    '{}'
    """
    if len(data) > limits.max_bytes:
        raise _unreadable(too_large(limits), "", first_line, limits)
    if data.startswith(BOM):
        data = data[len(BOM) :]
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        other = other_encoding(data)
        if other:
            raise _unreadable(wrong_encoding(other), "", first_line, limits) from None
        before = data[: error.start].decode()
        fault = _wrong_byte(data, error.start, len(before))
        raise _unreadable(fault, data.decode(errors="replace"), first_line, limits) from None
    other = other_encoding(data) if "\0" in text[:4] else None
    if other:
        raise _unreadable(wrong_encoding(other), "", first_line, limits)
    return text


def other_encoding(data: bytes) -> str | None:
    """Name the encoding whose mark or pattern of zero bytes a text begins with.

    >>> other_encoding('{"a": 1}'.encode("utf-16-le")), other_encoding(b"{}")
    ('UTF-16', None)
    """
    for mark, name in _UTF_16_OR_32:
        if data.startswith(mark):
            return name
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


def _wrong_byte(data: bytes, start: int, index: int) -> Fault:
    byte = data[start]
    latin = data[start : start + 1].decode("latin-1")
    hint = f"{_SAVE_AS}; in Latin-1 the byte stands for {latin}" if latin.isprintable() else _SAVE_AS
    message = f"The byte 0x{byte:02X} is not UTF-8"
    return Fault("encoding", index, index + 1, message, "UTF-8", f"0x{byte:02X}", hint=hint)


def _unreadable(fault: Fault, text: str, first_line: int, limits: Limits) -> UnreadableError:
    faults = Faults(limits)
    faults.add(fault)
    return UnreadableError(faults, Lines(text, first_line))
