"""Take the body of a reply in pieces, inflate it, and stop at the limit, which is looked at inside the inflater."""

import zlib
from collections.abc import Iterator
from typing import Any

from skillproto.invocation._deadline import Exchange
from skillproto.invocation.wire import Lost, Replied


class Body:
    """Takes the pieces of a reply's body, inflates them and stops at the limit.

    Attributes:
        is_over: no more is wanted.
    """

    def __init__(self, response: Any, limit_bytes: int) -> None:
        self._status = getattr(response, "status_code", None) or response.status
        self._limit_bytes = limit_bytes
        self._parts: list[bytes] = []
        self._wire_bytes = 0
        self._size_bytes = 0
        self._reason: str | None = None
        self.is_over = False
        raw = getattr(response.headers, "raw", response.headers)  # of httpx, or of the pool below it
        self._headers = tuple([(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in raw])
        encoding = _encoding(self._headers)
        self._inflater = _inflater(encoding)
        if self._inflater is None and encoding != "identity":
            self._reason = "bad_encoding"

    def takes(self, chunk: bytes, exchange: Exchange) -> bool:
        """Take one piece; False when no more is wanted."""
        self.is_over = not self._takes(chunk, exchange)
        return not self.is_over

    def _takes(self, chunk: bytes, exchange: Exchange) -> bool:
        if exchange.left_s <= 0:
            self._reason = "deadline"
            return False
        self._wire_bytes += len(chunk)
        try:
            for part in self._inflated(chunk):
                self._parts.append(part)
                self._size_bytes += len(part)
                if self._size_bytes > self._limit_bytes:
                    break
        except zlib.error:
            self._reason = "bad_encoding"
            return False
        if max(self._size_bytes, self._wire_bytes) > self._limit_bytes:
            self._reason = "too_large"
            return False
        return True

    def _inflated(self, chunk: bytes) -> Iterator[bytes]:
        if self._inflater is None:
            yield chunk
            return
        pending = chunk
        while pending:
            yield self._inflater.decompress(pending, self._limit_bytes - self._size_bytes + 1)
            pending = self._inflater.unconsumed_tail
            if self._size_bytes > self._limit_bytes:
                return

    def cut_short(self) -> None:
        """Note that the other side ended the body before it was whole."""
        self._reason = "cut_short"

    def event(self) -> Replied | Lost:
        """Give the reply, or tell that its time ran out."""
        if self._reason == "deadline":
            return Lost("timeout", sent=True)
        if self._reason is None and self._inflater is not None and self._wire_bytes and not self._inflater.eof:
            self._reason = "cut_short"
        body = b"".join(self._parts)[: self._limit_bytes]
        return Replied(self._status, self._headers, body, self._reason)


def _encoding(headers: tuple[tuple[str, str], ...]) -> str:
    for name, value in headers:
        if name == "content-encoding" and value.strip():
            return value.strip().lower()
    return "identity"


def _inflater(encoding: str) -> Any:
    if encoding in ("gzip", "x-gzip"):
        return zlib.decompressobj(wbits=31)
    if encoding == "deflate":
        return zlib.decompressobj(wbits=15)
    return None
