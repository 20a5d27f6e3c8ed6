"""Read JSON Lines: each line a document of its own, however bad the other lines are.

Memory stays flat: no more than one block and one line are held at a time.
"""

from collections.abc import Callable, Iterator
from typing import Protocol

from skillproto.documents.decoding import BOM, UnreadableError, decode
from skillproto.documents.document import Document
from skillproto.documents.json_text import read_json
from skillproto.documents.limits import Limits
from skillproto.documents.lines import Lines

_BLOCK_BYTES = 256 * 1024
_BLANK = b" \t\r\n"
_WIDEST_LINE_END = 2


class Readable(Protocol):
    """An open binary file, as far as it is needed here; `read1` is preferred where it has one."""

    def read(self, size: int, /) -> bytes:
        """Give some bytes; none at the end."""


def read_lines(
    file: Readable,
    *,
    source: str = "<data>",
    limits: Limits = Limits(),  # noqa: B008 - a frozen value
) -> Iterator[Document]:
    r"""Read a stream of JSON values, one on each line; blank lines count as lines only.

    Args:
        file: an open binary file; it is read in blocks and not closed.
        source: name for reports.
        limits: bounds for each line.

    >>> from io import BytesIO
    >>> [(doc.value, doc.line, doc.readable) for doc in read_lines(BytesIO(b'1\n\n{\n[2]'))]
    [(1, 1, True), (None, 3, False), ([2], 4, True)]
    """
    index = 0
    for number, line in enumerate(_split(file, limits.max_bytes), 1):
        if number == 1 and line is not None:
            line = line.removeprefix(BOM)
            foreign = _in_another_encoding(line, source, limits)
            if foreign is not None:
                yield foreign
                return
        if line is not None and not line.strip(_BLANK):
            continue
        yield _document(line, source, limits, index, number)
        index += 1


def _in_another_encoding(line: bytes, source: str, limits: Limits) -> Document | None:
    """Stand for the whole of a stream whose lines would all be unreadable."""
    if b"\0" not in line and not line.startswith((b"\xff\xfe", b"\xfe\xff", b"\x1f\x8b")):
        return None
    from skillproto.documents.undecodable import other_encoding, unread, wrong_encoding

    name = other_encoding(line)
    return None if name is None else unread(wrong_encoding(name), source, limits)


def _document(line: bytes | None, source: str, limits: Limits, index: int, number: int) -> Document:
    if line is None:
        from skillproto.documents.undecodable import too_large, unread

        return unread(too_large(limits), source, limits, index=index, line=number)
    try:
        text = decode(line, limits)
    except UnreadableError as error:
        return error.document(source, limits, index=index, first_line=number)
    return read_json(text, source, limits, index=index, lines=Lines(text, number))


def _split(file: Readable, limit_bytes: int) -> Iterator[bytes | None]:
    """Give the lines of a file without their ends; None for one that is larger than the limit."""
    read: Callable[[int], bytes] = getattr(file, "read1", file.read)
    rest: list[bytes] = []
    size, after_cr = 0, False
    while block := read(_BLOCK_BYTES):
        if after_cr and block.startswith(b"\n"):
            block = block[1:]
        after_cr = block.endswith(b"\r")
        for line in block.splitlines(keepends=True):
            size += len(line)
            if size <= limit_bytes + _WIDEST_LINE_END:
                rest.append(line)
            if line.endswith((b"\n", b"\r")):
                yield _whole(rest, size, limit_bytes)
                rest, size = [], 0
    if size:
        yield _whole(rest, size, limit_bytes)


def _whole(parts: list[bytes], size: int, limit_bytes: int) -> bytes | None:
    line = b"".join(parts).rstrip(b"\r\n")
    return line if size <= limit_bytes + _WIDEST_LINE_END and len(line) <= limit_bytes else None
