"""The network streams of the HTTP library, each operation of them within the time of its exchange.

The library writes the head of a request and its body apart. They go out together here, which
spares a system call and a packet.
"""

import os
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import ModuleType
from typing import Any

from skillproto.invocation import _deadline

_AT_ONCE_BYTES = 64 * 1024


def bound(timeout: float | None) -> float | None:
    """Give a timeout that ends no later than the running exchange."""
    exchange = _deadline.current.get()
    return timeout if exchange is None else exchange.bound(timeout)


def opened() -> None:
    """Note that the running exchange opens a connection of its own."""
    exchange = _deadline.current.get()
    if exchange is not None:
        exchange.connected = True


@contextmanager
def _ending_with_the_exchange(wire: socket.socket) -> Iterator[None]:
    """End a handshake when the exchange is aborted, by a second name of the socket, since its own moves elsewhere."""
    exchange = _deadline.current.get()
    if exchange is None:
        yield
        return
    with socket.socket(wire.family, wire.type, wire.proto, fileno=os.dup(wire.fileno())) as second:
        exchange.waking(partial(shut, second))
        yield


def shut(wire: socket.socket) -> None:
    """Fail whatever is done on a socket, now and from now on."""
    with suppress(OSError):
        wire.shutdown(socket.SHUT_RDWR)


def _note_certificate(stream: Any) -> None:
    exchange = _deadline.current.get()
    if exchange is not None and exchange.pins:
        exchange.certificate = stream.get_extra_info("ssl_object").getpeercert()


def _note_refusal(cause: BaseException | None) -> None:
    exchange = _deadline.current.get()
    if exchange is not None and isinstance(cause, ssl.SSLCertVerificationError):
        exchange.verify_code = cause.verify_code


def read_limit(stream: Any, timeout: float | None, family: ModuleType) -> float | None:
    """Note that the running exchange reads, and give the time for it."""
    exchange = _deadline.current.get()
    if exchange is None:
        return timeout
    exchange.enter(stream, family.ReadError)
    if exchange.left_s <= 0:  # where data is always there, no read ever times out by itself
        raise family.ReadTimeout("the deadline has passed")
    return exchange.bound(timeout)


def write_limit(stream: Any, timeout: float | None, family: ModuleType) -> float | None:
    """Note that the running exchange writes, and give the time for it."""
    exchange = _deadline.current.get()
    if exchange is None:
        return timeout
    exchange.wrote = True  # before the look at `aborted`, so that who aborts and then finds it unset can rely on it
    exchange.enter(stream, family.WriteError)
    if exchange.left_s <= 0:
        raise family.WriteTimeout("the deadline has passed")
    return exchange.bound(timeout)


def heard(data: bytes) -> bytes:
    """Note what the running exchange has read, and hand it on."""
    exchange = _deadline.current.get()
    if exchange is not None and data:
        exchange.heard = True
    return data


def _has_body_to_come(buffer: bytes) -> bool:
    return (
        buffer.startswith(b"POST ")
        and buffer.endswith(b"\r\n\r\n")
        and b"\r\nContent-Length: " in buffer
        and b"\r\nContent-Length: 0\r\n" not in buffer
    )


class Together:
    """Holds the head of a request back until its body comes, or until anything else is done."""

    __slots__ = ("_family", "_head", "_inner")

    def __init__(self, inner: Any, family: ModuleType) -> None:
        self._inner = inner
        self._family = family
        self._head = b""

    def to_write(self, buffer: bytes) -> bytes:
        """Give what is to be written now."""
        if not self._head and _has_body_to_come(buffer):
            self._head = buffer
            return b""
        whole = self._head + buffer
        self._head = b""
        return whole


class Stream(Together):
    """A stream of a blocking connection."""

    __slots__ = ()

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._head:
            self.write(b"", timeout)
        return heard(self._inner.read(max_bytes, read_limit(self._inner, timeout, self._family)))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        whole = self.to_write(buffer)
        if len(whole) > _AT_ONCE_BYTES and type(self._inner).__name__ == "SyncStream":
            self._write_large(memoryview(whole), timeout)
        elif whole:
            self._inner.write(whole, write_limit(self._inner, timeout, self._family))

    def _write_large(self, rest: memoryview, timeout: float | None) -> None:
        """Look at the deadline before each part; the library would give each of them the whole time."""
        wire = self._inner.get_extra_info("socket")
        while rest:
            wire.settimeout(write_limit(self._inner, timeout, self._family))
            try:
                rest = rest[wire.send(rest[:_AT_ONCE_BYTES]) :]
            except TimeoutError as error:
                raise self._family.WriteTimeout(str(error)) from error
            except OSError as error:
                raise self._family.WriteError(str(error)) from error

    def close(self) -> None:
        self._inner.close()

    def start_tls(self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None) -> "Stream":
        try:
            with _ending_with_the_exchange(self._inner.get_extra_info("socket")):
                stream = self._inner.start_tls(ssl_context, server_hostname, bound(timeout))
        except self._family.ConnectError as error:
            _note_refusal(error.__cause__)
            raise
        _note_certificate(stream)
        return Stream(stream, self._family)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
