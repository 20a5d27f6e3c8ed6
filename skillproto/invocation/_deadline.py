"""Make one deadline hold over every network operation of a request.

An HTTP library's timeouts bound a single read, so a peer that drips bytes can stretch a
call without end, in the headers as well as in the body. Here each operation of the
network backend gets only the time that its exchange has left. And a cancelled exchange
fails inside the stream, as an ordinary network error would, so that the library's own
clean-up runs and no connection of the pool is lost.

The library writes the head of a request and its body apart. They go out together here, which
spares a system call and a packet.
"""

import socket
from collections.abc import Callable, Iterable
from contextlib import suppress
from contextvars import ContextVar
from importlib import import_module
from time import monotonic
from types import ModuleType
from typing import Any

import anyio

_SHORTEST_S = 0.001


class Exchange:
    """The time and the fate of one request and its reply.

    Attributes:
        deadline: on the clock, in seconds.
        connected: a new connection was opened for it, so it did not ride on a kept one.
        wrote: something of the request was written.
        heard: something of the reply was read.
        aborted: its caller has gone; every further operation fails.
        pins: the addresses and ports that a new connection goes to, tried in turn, whatever the
            URL's name leads to by now; empty where the name is looked up by the library.
        certificate: what the other side showed on a new pinned connection, as `ssl` gives it.
    """

    __slots__ = (
        "_clock", "_scope", "_stream", "aborted", "certificate", "connected", "deadline", "heard", "pins", "wrote",
    )  # fmt: skip

    def __init__(
        self, limit_s: float, clock: Callable[[], float] = monotonic, pins: tuple[tuple[str, int], ...] = ()
    ) -> None:
        self._clock = clock
        self.pins = pins
        self.certificate: dict[str, Any] | None = None
        self.deadline = clock() + limit_s
        self.connected = False
        self.wrote = False
        self.heard = False
        self.aborted = False
        self._scope: anyio.CancelScope | None = None
        self._stream: Any = None

    @property
    def left_s(self) -> float:
        """Seconds until the deadline; negative behind it."""
        return self.deadline - self._clock()

    @property
    def is_watched(self) -> bool:
        """Whether its network operations are seen here, which those of a foreign transport are not."""
        return self._stream is not None

    def bound(self, timeout: float | None) -> float:
        """Give a timeout that ends no later than the exchange."""
        left = max(self.left_s, _SHORTEST_S)
        return left if timeout is None else min(timeout, left)

    def enter(self, stream: Any, failure: type[Exception]) -> None:
        """Note the stream that an operation is about to use, so that `abort` can end it.

        Raises:
            failure: the exchange was aborted already.
        """
        if self.aborted:
            raise failure("the caller has gone")
        self._stream = stream

    def abort(self) -> None:
        """Fail the running operation, and every further one; from any thread for a blocking one."""
        self.aborted = True
        if self._scope is not None:
            self._scope.cancel()
        if self._stream is not None:
            with suppress(OSError):
                self._stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)

    async def connecting(self, operation: Any, failure: type[Exception]) -> Any:
        """Await what has no socket to shut down yet; raise `failure` when the exchange is aborted."""
        if self.aborted:
            operation.close()
            raise failure("the caller has gone")
        with anyio.CancelScope() as self._scope:
            return await operation
        raise failure("the caller has gone")


current: ContextVar[Exchange | None] = ContextVar("skillproto_exchange", default=None)


def _bound(timeout: float | None) -> float | None:
    exchange = current.get()
    return timeout if exchange is None else exchange.bound(timeout)


def _opened() -> None:
    exchange = current.get()
    if exchange is not None:
        exchange.connected = True


def _places(host: str, port: int) -> tuple[tuple[str, int], ...]:
    """Give where to connect to: where the exchange is pinned to, else where the URL says."""
    exchange = current.get()
    return exchange.pins if exchange is not None and exchange.pins else ((host, port),)


def _share(timeout: float | None, places_left: int) -> float | None:
    """Give one of several places its part of the time, so that a silent one leaves some for the next."""
    bound = _bound(timeout)
    return bound if bound is None else bound / places_left


def _note_certificate(stream: Any) -> None:
    exchange = current.get()
    if exchange is not None and exchange.pins:
        exchange.certificate = stream.get_extra_info("ssl_object").getpeercert()


def _read_limit(stream: Any, timeout: float | None, family: ModuleType) -> float | None:
    exchange = current.get()
    if exchange is None:
        return timeout
    exchange.enter(stream, family.ReadError)
    if exchange.left_s <= 0:  # where data is always there, no read ever times out by itself
        raise family.ReadTimeout("the deadline has passed")
    return exchange.bound(timeout)


def _write_limit(stream: Any, timeout: float | None, family: ModuleType) -> float | None:
    exchange = current.get()
    if exchange is None:
        return timeout
    exchange.enter(stream, family.WriteError)
    exchange.wrote = True
    return exchange.bound(timeout)


def _heard(data: bytes) -> bytes:
    exchange = current.get()
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


class _Together:
    """Holds the head of a request back until its body comes, or until anything else is done."""

    _head = b""

    def _to_write(self, buffer: bytes) -> bytes:
        if not self._head and _has_body_to_come(buffer):
            self._head = buffer
            return b""
        whole = self._head + buffer
        self._head = b""
        return whole


class _Stream(_Together):
    def __init__(self, inner: Any, family: ModuleType) -> None:
        self._inner = inner
        self._family = family

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._head:
            self.write(b"", timeout)
        return _heard(self._inner.read(max_bytes, _read_limit(self._inner, timeout, self._family)))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        whole = self._to_write(buffer)
        if whole:
            self._inner.write(whole, _write_limit(self._inner, timeout, self._family))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> "_Stream":
        stream = self._inner.start_tls(ssl_context, server_hostname, _bound(timeout))
        _note_certificate(stream)
        return _Stream(stream, self._family)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Backend:
    def __init__(self, inner: Any, family: ModuleType) -> None:
        self._inner = inner
        self._family = family

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> _Stream:
        _opened()
        places = _places(host, port)
        for i, place in enumerate(places):
            try:
                share = _share(timeout, len(places) - i)
                return _Stream(self._inner.connect_tcp(*place, share, local_address, socket_options), self._family)
            except (self._family.ConnectError, self._family.ConnectTimeout):
                if i == len(places) - 1:
                    raise
        raise AssertionError("there is always a place")

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> _Stream:
        _opened()
        return _Stream(self._inner.connect_unix_socket(path, _bound(timeout), socket_options), self._family)

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


async def _connecting(operation: Any, failure: type[Exception]) -> Any:
    exchange = current.get()
    return await (operation if exchange is None else exchange.connecting(operation, failure))


class _AsyncStream(_Together):
    def __init__(self, inner: Any, family: ModuleType) -> None:
        self._inner = inner
        self._family = family

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._head:
            await self.write(b"", timeout)
        return _heard(await self._inner.read(max_bytes, _read_limit(self._inner, timeout, self._family)))

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        whole = self._to_write(buffer)
        if whole:
            await self._inner.write(whole, _write_limit(self._inner, timeout, self._family))

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> "_AsyncStream":
        operation = self._inner.start_tls(ssl_context, server_hostname, _bound(timeout))
        return _AsyncStream(await _connecting(operation, self._family.ConnectError), self._family)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _AsyncBackend:
    def __init__(self, inner: Any, family: ModuleType) -> None:
        self._inner = inner
        self._family = family

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> _AsyncStream:
        _opened()
        places = _places(host, port)
        for i, place in enumerate(places):
            share = _share(timeout, len(places) - i)
            operation = self._inner.connect_tcp(*place, share, local_address, socket_options)
            try:
                return _AsyncStream(await _connecting(operation, self._family.ConnectError), self._family)
            except (self._family.ConnectError, self._family.ConnectTimeout):
                if i == len(places) - 1:
                    raise
        raise AssertionError("there is always a place")

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> _AsyncStream:
        _opened()
        operation = self._inner.connect_unix_socket(path, _bound(timeout), socket_options)
        return _AsyncStream(await _connecting(operation, self._family.ConnectError), self._family)

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


def hold(transport: Any) -> bool:
    """Make a transport of the httpx family keep the deadline of the running exchange.

    The family offers no argument for a network backend, so the pool's own is wrapped. A
    transport without one (a mock, a user's own) is left as it is, and False is returned.
    """
    pool = getattr(transport, "_pool", None)
    inner = getattr(pool, "_network_backend", None)
    if pool is None or inner is None:
        return False
    if isinstance(inner, _Backend | _AsyncBackend):
        return True
    family = import_module(type(pool).__module__.partition(".")[0])
    kind = _AsyncBackend if hasattr(pool, "handle_async_request") else _Backend
    pool._network_backend = kind(inner, family)
    return True
