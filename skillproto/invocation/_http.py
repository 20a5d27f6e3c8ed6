"""Carry out one exchange: a request goes in, an event comes out.

Nothing is decided here but what an exception of the HTTP library means. Redirects are never
followed, bodies are read in pieces up to a limit and inflated within it.
"""

import asyncio
import socket
import ssl
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from contextvars import copy_context
from math import inf
from queue import Queue
from time import monotonic
from typing import Any

import anyio

from skillproto.invocation import _deadline
from skillproto.invocation._carriers import Carrier, Carriers
from skillproto.invocation._deadline import Exchange
from skillproto.invocation.cancel import CancelToken
from skillproto.invocation.wire import Lost, Replied, Request, Stopped

Unsent = Callable[[], object]


def _told_to_nobody() -> None:
    pass


class Exchanger:
    """Sends requests with a blocking client."""

    def __init__(self, carriers: Carriers, limit_bytes: int, clock: Callable[[], float] = monotonic) -> None:
        self._carriers = carriers
        self._limit_bytes = limit_bytes
        self._clock = clock

    def send(self, request: Request, limit_s: float, unsent: Unsent = _told_to_nobody) -> Replied | Lost:
        """Send a request and read its reply, within a time in seconds.

        `unsent` is called where this is interrupted before anything was written.
        """
        exchange = Exchange(limit_s, self._clock)
        try:
            return self.send_in(exchange, request)
        except BaseException:
            if self._carriers.are_held and not exchange.wrote:
                unsent()
            raise

    def send_in(self, exchange: Exchange, request: Request) -> Replied | Lost:
        """Send within an exchange that the caller made, and may pin or abort."""
        return self._twice(request, exchange)

    def _twice(self, request: Request, exchange: Exchange) -> Replied | Lost:
        with self._carriers.borrow(request.url) as carrier:
            event = self._once(carrier, request, exchange)
            if _is_stale(event, exchange):
                event = self._once(carrier, request, exchange)
            return event

    def send_until(self, request: Request, limit_s: float, token: CancelToken) -> Replied | Lost | Stopped:
        """Send as `send` does, but return at once when the token is cancelled.

        The request runs in a thread of its own, since neither a name look-up nor a connect
        can be interrupted; its socket is shut down, so that the thread ends soon.
        """
        if token.cancelled:
            return Stopped()
        exchange = Exchange(limit_s, self._clock)
        outcome: Queue[Replied | Lost | Stopped | Exception] = Queue()

        def run() -> None:
            try:
                outcome.put(self._twice(request, exchange))
            except Exception as error:  # carried over to the caller's thread
                outcome.put(error)

        with token.calling(lambda: outcome.put(Stopped())):
            threading.Thread(target=copy_context().run, args=(run,), name="skillproto-send", daemon=True).start()
            event = outcome.get()
        if isinstance(event, Stopped):
            exchange.abort()
            return Stopped(exchange.wrote or not self._carriers.are_held)
        if isinstance(event, Exception):
            raise event
        return event

    def _once(self, carrier: Carrier, request: Request, exchange: Exchange) -> Replied | Lost:
        token = _deadline.current.set(exchange)
        try:
            response = carrier.send(request, exchange.bound(None))
            body = Body(response, request.limit_bytes or self._limit_bytes)
            try:
                for chunk in response.stream:
                    if not body.takes(chunk, exchange):
                        break
            except Exception as error:
                if not _is_cut_short(error):
                    raise
                body.cut_short()
            finally:
                response.close()
            return body.event()
        except Exception as error:
            return _meaning(error, exchange)
        finally:
            _deadline.current.reset(token)


class AsyncExchanger:
    """Sends requests with an async client, on asyncio and trio."""

    def __init__(self, carriers: Carriers, limit_bytes: int, clock: Callable[[], float] = monotonic) -> None:
        self._carriers = carriers
        self._limit_bytes = limit_bytes
        self._clock = clock

    async def send(self, request: Request, limit_s: float, unsent: Unsent = _told_to_nobody) -> Replied | Lost:
        """Send a request and read its reply, within a time in seconds.

        `unsent` is called where this is cancelled before anything was written. The library runs
        in a task of its own that is never cancelled, since it loses connections when it is. A
        cancelled caller aborts the exchange instead.
        """
        exchange = Exchange(limit_s, self._clock)
        if not self._carriers.are_held:
            return await self._within(limit_s, request, exchange)
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            loop = None
        try:
            return await (self._on_asyncio(request, exchange, loop) if loop else self._on_any(request, exchange))
        except BaseException:
            if not exchange.wrote:
                unsent()
            raise

    async def _within(self, limit_s: float, request: Request, exchange: Exchange) -> Replied | Lost:
        """What is not held has no pool of ours to lose: it is cancelled as any other code."""
        is_real = self._clock is monotonic  # on a clock of its own, a test does not run out of real time
        with anyio.move_on_after(limit_s if is_real else inf):
            return await self._twice(request, exchange)
        return Lost("timeout", sent=True)

    async def _on_asyncio(
        self, request: Request, exchange: Exchange, loop: asyncio.AbstractEventLoop
    ) -> Replied | Lost:
        """A plain task costs a quarter of a task group, which shows in a call of half a millisecond."""
        task = loop.create_task(self._twice(request, exchange))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            exchange.abort()
            while not task.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.wait((task,))
            raise

    async def _on_any(self, request: Request, exchange: Exchange) -> Replied | Lost:
        outcome: list[Replied | Lost | Exception] = []
        ended = anyio.Event()

        async def run() -> None:
            with anyio.CancelScope(shield=True):
                try:
                    outcome.append(await self._twice(request, exchange))
                except Exception as error:  # carried over to the caller's task
                    outcome.append(error)
            ended.set()

        async with anyio.create_task_group() as group:
            group.start_soon(run)
            try:
                await ended.wait()
            except BaseException:
                exchange.abort()
                raise
        event = outcome[0]
        if isinstance(event, Exception):
            raise event
        return event

    async def _twice(self, request: Request, exchange: Exchange) -> Replied | Lost:
        with self._carriers.borrow(request.url) as carrier:
            event = await self._once(carrier, request, exchange)
            if _is_stale(event, exchange):
                event = await self._once(carrier, request, exchange)
            return event

    async def _once(self, carrier: Carrier, request: Request, exchange: Exchange) -> Replied | Lost:
        _deadline.current.set(exchange)
        try:
            response = await carrier.send(request, exchange.bound(None))
            body = Body(response, request.limit_bytes or self._limit_bytes)
            try:
                async for chunk in response.stream:
                    if body.is_over or body.takes(chunk, exchange):
                        continue
                    if not exchange.heard:
                        break
                    exchange.aborted = True  # the next read fails, which ends each layer of the library in order
            except Exception as error:
                if not body.is_over:
                    if not _is_cut_short(error):
                        raise
                    body.cut_short()
            finally:
                await response.aclose()
            return body.event()
        except Exception as error:
            return _meaning(error, exchange)


class Body:
    """Takes the pieces of a reply's body, inflates them and stops at the limit.

    Attributes:
        is_over: no more is wanted.
    """

    def __init__(self, response: Any, limit_bytes: int) -> None:
        self._response = response
        self._limit_bytes = limit_bytes
        self._parts: list[bytes] = []
        self._wire_bytes = 0
        self._size_bytes = 0
        self._reason: str | None = None
        self.is_over = False
        raw = response.headers.raw
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
        return Replied(self._response.status_code, self._headers, body, self._reason)


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


def _is_stale(event: Replied | Lost, exchange: Exchange) -> bool:
    """Say whether a kept connection turned out closed: nothing was heard, so it is sent once more."""
    if exchange.connected or exchange.heard or exchange.aborted or exchange.left_s <= 0 or not exchange.is_watched:
        return False
    return isinstance(event, Lost) and event.reason == "reset"


def _meaning(error: Exception, exchange: Exchange) -> Lost:
    """Say what an exception of the library means."""
    name = type(error).__name__
    sent = exchange.wrote or name in ("ReadTimeout", "ReadError", "RemoteProtocolError")
    if name.endswith("Timeout"):
        return Lost("timeout", sent)
    reason, again = _connect_reason(error)
    if reason is not None:
        return Lost(reason, False, again)
    match name:
        case "ReadError" | "WriteError" | "CloseError":
            return Lost("reset", sent)
        case "RemoteProtocolError":
            return Lost("protocol" if exchange.heard else "reset", sent)
        case "ConnectError" | "ProxyError":
            was_reset = any(isinstance(cause, ConnectionError) for cause in _causes(error))
            return Lost("reset" if was_reset else "unreachable", False)
        case "UnsupportedProtocol" | "InvalidURL" | "LocalProtocolError":
            return Lost("unsupported", False, again=False)
        case _:
            if not isinstance(error, OSError) and not _is_of_family(error):
                raise error
            return Lost("reset", sent)


def _is_of_family(error: Exception) -> bool:
    return any(cls.__name__ in ("HTTPError", "TransportError", "StreamError") for cls in type(error).__mro__)


def _is_cut_short(error: Exception) -> bool:
    """Say whether a body ended before it was whole, or is framed wrongly (seen while it is read)."""
    return type(error).__name__ == "RemoteProtocolError"


def _connect_reason(error: BaseException) -> tuple[str | None, bool]:
    """Look through the causes for the one that tells why no connection came about."""
    for cause in _causes(error):
        match cause:
            case socket.gaierror():
                return "dns", cause.errno == socket.EAI_AGAIN
            case ssl.SSLEOFError() | ssl.SSLZeroReturnError():
                return "reset", True
            case ssl.SSLError():
                return "tls", False
            case ConnectionRefusedError():
                return "refused", True
            case UnicodeError():
                return "dns", False
    return None, True


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Give an exception, what it came from, and so on; of a group the first."""
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.exceptions[0] if isinstance(seen, BaseExceptionGroup) else seen.__cause__ or seen.__context__
