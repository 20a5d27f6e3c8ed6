"""Bytes to values: JSON, YAML and JSON Lines, with positions and limits.

Pure: opens no files and runs nothing that a text says. Reading never raises: what is wrong
with a text is a finding of the group `document/`.
"""

from collections.abc import Iterator
from io import BytesIO
from typing import BinaryIO

from skillproto.documents.ambiguity import ambiguity, explain_scalars
from skillproto.documents.decoding import UnreadableError, decode
from skillproto.documents.document import Document, locate
from skillproto.documents.json_lines import read_lines
from skillproto.documents.json_text import read_json
from skillproto.documents.kinds import Kind, kind_of, sniff
from skillproto.documents.limits import Limits

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
        yield from read_lines(BytesIO(data), source=source, limits=limits)
        return
    try:
        text = decode(data, limits)
    except UnreadableError as error:
        violations = error.faults.violations(error.lines)
        yield Document(None, source, 0, violations, readable=False, kind=kind, lines=error.lines)
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

    >>> [doc.value for doc in read_file(BytesIO(b'{"a": 1}\n{"a": 2}\n'))]
    [{'a': 1}, {'a': 2}]
    """
    kind = kind or kind_of(source)
    if kind == "jsonl":
        yield from read_lines(file, source=source, limits=limits)
        return
    data = file.read(limits.max_bytes + 1)
    if kind is None and sniff(data) == "jsonl":
        yield from read_lines(_Again(data, file), source=source, limits=limits)
        return
    yield from read(data, source=source, kind=kind, limits=limits)


class _Again(BytesIO):
    """What was read of a file, and then the rest of it."""

    def __init__(self, data: bytes, file: BinaryIO) -> None:
        super().__init__(data)
        self._file = file

    def read1(self, size: int | None = -1, /) -> bytes:
        return super().read1(size) or self._file.read(size if size is not None else -1)
