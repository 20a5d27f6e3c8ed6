"""Bytes to text: UTF-8 only, with or without a byte order mark.

What cannot be read is explained in `undecodable`, which is only loaded then.
"""

from typing import TYPE_CHECKING

from skillproto.documents.limits import Limits

if TYPE_CHECKING:
    from skillproto.documents.document import Document

BOM = b"\xef\xbb\xbf"


class UnreadableError(ValueError):
    """The bytes are no text that is read.

    Attributes:
        data: the bytes without their byte order mark.
        start: index of the first byte that is not UTF-8; None where the size or the whole
            encoding is the reason.
    """

    def __init__(self, data: bytes, start: int | None = None) -> None:
        super().__init__("not a UTF-8 text of a size that is read")
        self.data = data
        self.start = start

    def document(self, source: str, limits: Limits, *, index: int = 0, first_line: int = 1) -> "Document":
        """Make the document that stands in the place of the one that cannot be read."""
        from skillproto.documents.undecodable import undecodable

        return undecodable(self.data, self.start, source, limits, index=index, first_line=first_line)


def decode(data: bytes, limits: Limits) -> str:
    r"""Give the text of some bytes, without its byte order mark.

    Raises:
        UnreadableError: they are too many, or not UTF-8.

    >>> decode(b"\xef\xbb\xbf{}", Limits())
    '{}'
    """
    if len(data) > limits.max_bytes:
        raise UnreadableError(data)
    data = data.removeprefix(BOM)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise UnreadableError(data, error.start) from None
    if "\0" in text[:2]:
        raise UnreadableError(data)
    return text
