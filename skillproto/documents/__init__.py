"""Bytes to values: JSON, YAML and JSON Lines, with positions and limits.

Pure: opens no files and runs nothing that a text says. Reading never raises: what is wrong
with a text is a finding of the group `document/`.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, BinaryIO

from skillproto._lazy import lazy
from skillproto.documents.decoding import UnreadableError, decode
from skillproto.documents.document import Document, locate
from skillproto.documents.json_text import read_json
from skillproto.documents.kinds import Kind, is_enough, kind_of, sniff
from skillproto.documents.limits import Limits

if TYPE_CHECKING:
    from skillproto.documents.json_lines import read_lines
    from skillproto.documents.quoting import ambiguity, explain_scalars

_HOME = {"ambiguity": "quoting", "explain_scalars": "quoting", "read_lines": "json_lines"}
_BLOCK_BYTES = 64 * 1024

__all__ = [
    "Document",
    "Kind",
    "Limits",
    "ambiguity",
    "explain_scalars",
    "kind_of",
    "locate",
    "read",
    "read_file",
    "read_lines",
]


__getattr__ = lazy(__name__, _HOME)


def read(
    data: bytes,
    *,
    source: str = "<data>",
    kind: Kind | None = None,
    limits: Limits = Limits(),  # noqa: B008 - a frozen value
) -> Iterator[Document]:
    """Read every document of a text.

    Args:
        data: the text as it lies on disk, in UTF-8.
        source: its name; without `kind` the extension decides (.json, .jsonl, .ndjson, .yaml,
            .yml), and for any other name the content does.
        kind: how to read it, whatever it is called.
        limits: bounds for each document.

    Returns:
        One document for JSON, one for each document of YAML, one for each line that is not
        blank in JSON Lines. Never raises for anything in the data.

    >>> [doc.value for doc in read(b'{"a": 1}')], [doc.value for doc in read(b"a: no", source="x.yaml")]
    ([{'a': 1}], [{'a': 'no'}])
    >>> next(read(b"[1,]")).violations[0].message
    'There is a comma before the closing bracket'
    """
    kind = kind or kind_of(source) or sniff(data)
    if kind == "jsonl":
        from io import BytesIO

        from skillproto.documents.json_lines import read_lines

        yield from read_lines(BytesIO(data), source=source, limits=limits)
        return
    try:
        text = decode(data, limits)
    except UnreadableError as error:
        yield error.document(source, limits)
        return
    if kind == "json":
        yield read_json(text, source, limits)
        return
    from skillproto.documents.yaml_text import read_yaml

    yield from read_yaml(text, source, limits)


def read_file(
    file: BinaryIO,
    *,
    source: str = "<stdin>",
    kind: Kind | None = None,
    limits: Limits = Limits(),  # noqa: B008 - a frozen value
) -> Iterator[Document]:
    r"""Read every document of an open binary file, such as standard input.

    No more is held than the limits allow: JSON Lines come one by one, as they arrive; of
    anything else no more than `max_bytes` and one are read.

    >>> from io import BytesIO
    >>> [doc.value for doc in read_file(BytesIO(b'{"a": 1}\n{"a": 2}\n'))]
    [{'a': 1}, {'a': 2}]
    """
    kind = kind or kind_of(source)
    head = b"" if kind else _head(file)
    kind = kind or sniff(head)
    if kind == "jsonl":
        from skillproto.documents.json_lines import read_lines

        yield from read_lines(_Again(head, file) if head else file, source=source, limits=limits)
        return
    yield from read(_whole(file, head, limits.max_bytes + 1), source=source, kind=kind, limits=limits)


def _whole(file: BinaryIO, head: bytes, most: int) -> bytes:
    """Read on to the end or the limit; a small file does without a buffer of the limit's size."""
    data = head + file.read(max(0, min(_BLOCK_BYTES, most) - len(head)))
    return data if len(data) < min(_BLOCK_BYTES, most) else data + file.read(max(0, most - len(data)))


def _head(file: BinaryIO) -> bytes:
    read_some: Callable[[int], bytes] = getattr(file, "read1", file.read)
    head = b""
    while not is_enough(head) and (block := read_some(_BLOCK_BYTES)):
        head += block
    return head


class _Again:
    """What was read of a file already, and then the rest of it."""

    def __init__(self, head: bytes, file: BinaryIO) -> None:
        self._head = head
        self._read: Callable[[int], bytes] = getattr(file, "read1", file.read)

    def read(self, size: int) -> bytes:
        head, self._head = self._head, b""
        return head or self._read(size)
