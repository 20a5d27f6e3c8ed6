"""Read JSON Lines: each line a document of its own, however bad the other lines are.

Memory stays flat: no more than one block and one line are held at a time.
"""

from collections.abc import Callable, Iterator
from typing import BinaryIO

from skillproto.documents.decoding import BOM, UnreadableError, decode, other_encoding, too_large, wrong_encoding
from skillproto.documents.document import Document
from skillproto.documents.findings import Fault, Faults
from skillproto.documents.json_text import read_json
from skillproto.documents.limits import Limits
from skillproto.documents.lines import Lines

_BLOCK_BYTES = 256 * 1024
_BLANK = b" \t\r\n"


def read_lines(file: BinaryIO, *, source: str = "<data>", limits: Limits = Limits()) -> Iterator[Document]:  # noqa: B008 - a frozen value
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
            other = other_encoding(line)
            if other:
                yield unreadable(wrong_encoding(other), source, limits)
                return
            line = line.removeprefix(BOM)
        if line is not None and not line.strip(_BLANK):
            continue
        yield _document(line, source, limits, index, number)
        index += 1


def _document(line: bytes | None, source: str, limits: Limits, index: int, number: int) -> Document:
    if line is None:
        return unreadable(too_large(limits), source, limits, index, number)
    try:
        text = decode(line, limits, number)
    except UnreadableError as error:
        violations = error.faults.violations(error.lines)
        return Document(None, source, index, violations, readable=False, lines=error.lines)
    return read_json(text, source, limits, index=index, lines=Lines(text, number))


def unreadable(fault: Fault, source: str, limits: Limits, index: int = 0, line: int = 1) -> Document:
    """Make the document that stands for a text of which nothing is known."""
    faults, lines = Faults(limits), Lines("", line)
    faults.add(fault)
    return Document(None, source, index, faults.violations(lines), readable=False, lines=lines)


def _split(file: BinaryIO, limit_bytes: int) -> Iterator[bytes | None]:
    """Give the lines of a file without their ends; None for one that is larger than the limit."""
    read: Callable[[int], bytes] = getattr(file, "read1", file.read)
    rest: list[bytes] = []
    size, after_cr = 0, False
    while block := read(_BLOCK_BYTES):
        if after_cr and block.startswith(b"\n"):
            block = block[1:]
        after_cr = block.endswith(b"\r") if block else False
        for line in block.splitlines(keepends=True):
            size += len(line)
            if size <= limit_bytes + 2:
                rest.append(line)
            if not line.endswith((b"\n", b"\r")):
                continue
            whole = b"".join(rest).rstrip(b"\r\n")
            yield whole if size <= limit_bytes + 2 and len(whole) <= limit_bytes else None
            rest, size = [], 0
    if size:
        yield b"".join(rest) if size <= limit_bytes else None
