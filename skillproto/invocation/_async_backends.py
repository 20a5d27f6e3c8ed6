"""Streams and the backend of async connections, held to the deadline of the running exchange; see `_backends`.

Loaded for async clients alone.
"""

from collections.abc import Iterable
from types import ModuleType
from typing import Any

import anyio

from skillproto.invocation import _deadline, _names
from skillproto.invocation._backends import known_places
from skillproto.invocation._names import Places
from skillproto.invocation._streams import Together, bound, heard, opened, read_limit, write_limit

_STAGGER_S = 0.25  # as RFC 8305 recommends


async def connecting(operation: Any, failure: type[Exception]) -> Any:
    """Await what has no stream yet; `failure` is raised when the running exchange is aborted."""
    exchange = _deadline.current.get()
    return await (operation if exchange is None else exchange.connecting(operation, failure))


class AsyncStream(Together):
    """A stream of an async connection."""

    __slots__ = ()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._head:
            await self.write(b"", timeout)
        return heard(await self._inner.read(max_bytes, read_limit(self._inner, timeout, self._family)))

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        whole = self.to_write(buffer)
        if whole:
            await self._inner.write(whole, write_limit(self._inner, timeout, self._family))

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> "AsyncStream":
        operation = self._inner.start_tls(ssl_context, server_hostname, bound(timeout))
        try:
            return AsyncStream(await connecting(operation, self._family.ConnectError), self._family)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._inner.aclose()  # which the library does not do for a handshake that was cancelled
            raise

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class AsyncBackend:
    """The backend of async connections."""

    is_held = True

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
    ) -> AsyncStream:
        opened()
        operation = self._connect(host, port, timeout, (local_address, socket_options))
        return AsyncStream(await connecting(operation, self._family.ConnectError), self._family)

    async def _connect(self, host: str, port: int, timeout: float | None, options: tuple[Any, Any]) -> Any:
        places = known_places(host, port) or await self._looked_up(host, port, timeout)
        if len(places) == 1:
            return await self._inner.connect_tcp(*places[0], bound(timeout), *options)
        return await self._first(places, timeout, options)

    async def _looked_up(self, host: str, port: int, timeout: float | None) -> Places:
        try:
            return await _names.look_up_async(host, port, bound(timeout) or 0)
        except TimeoutError as error:
            raise self._family.ConnectTimeout(str(error)) from error
        except OSError as error:
            raise self._family.ConnectError(str(error)) from error

    async def _first(self, places: Places, timeout: float | None, options: tuple[Any, Any]) -> Any:
        """Connect to one of several addresses: the next is tried too when one has failed, or is silent for a moment."""
        won: list[Any] = []
        failed: list[Exception] = []

        async def attempt(place: tuple[str, int], over: anyio.Event) -> None:
            try:
                stream = await self._inner.connect_tcp(*place, bound(timeout), *options)
            except (self._family.ConnectError, self._family.ConnectTimeout) as error:
                failed.append(error)
                over.set()
                return
            if won:
                with anyio.CancelScope(shield=True):
                    await stream.aclose()
            won.append(stream)
            group.cancel_scope.cancel()

        async with anyio.create_task_group() as group:
            for place in places:
                over = anyio.Event()
                group.start_soon(attempt, place, over)
                with anyio.move_on_after(_STAGGER_S):
                    await over.wait()
        if not won:
            raise failed[-1] if failed else self._family.ConnectError("the host has no address")
        return won[0]

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> AsyncStream:
        opened()
        operation = self._inner.connect_unix_socket(path, bound(timeout), socket_options)
        return AsyncStream(await connecting(operation, self._family.ConnectError), self._family)

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)
