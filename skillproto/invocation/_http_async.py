"""Carry out one exchange in a task of asyncio or trio: a request goes in, an event comes out.

Nothing is decided here; see `_http`. Loaded for async clients alone.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from math import inf
from time import monotonic
from typing import Any

import anyio

from skillproto.invocation import _deadline
from skillproto.invocation._bodies import Body
from skillproto.invocation._carriers import Carrier, Carriers
from skillproto.invocation._deadline import Exchange
from skillproto.invocation._http import Unsent, told_to_nobody
from skillproto.invocation._meanings import is_cut_short, is_stale, meaning
from skillproto.invocation.wire import Lost, Replied, Request


class AsyncExchanger:
    """Sends requests with an async client, on asyncio and trio."""

    def __init__(self, carriers: Carriers, limit_bytes: int, clock: Callable[[], float] = monotonic) -> None:
        self._carriers = carriers
        self._limit_bytes = limit_bytes
        self._clock = clock

    def send(
        self, request: Request, limit_s: float, unsent: Unsent = told_to_nobody
    ) -> Coroutine[Any, Any, Replied | Lost]:
        """Send a request and read its reply, within a time in seconds.

        `unsent` is called where this is cancelled before anything was written. The library runs
        in a task of its own that is never cancelled, since it loses connections when it is. A
        cancelled caller aborts the exchange instead.
        """
        exchange = Exchange(limit_s, self._clock)
        if not self._carriers.are_held:
            return self._within(limit_s, request, exchange)
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return self._on_any(request, exchange, unsent)
        return self._on_asyncio(request, exchange, unsent, loop)

    async def _within(self, limit_s: float, request: Request, exchange: Exchange) -> Replied | Lost:
        """What is not held has no pool of ours to lose: it is cancelled as any other code."""
        is_real = self._clock is monotonic  # on a clock of its own, a test does not run out of real time
        with anyio.move_on_after(limit_s if is_real else inf):
            return await self._twice(request, exchange)
        return Lost("timeout", sent=True)

    async def _on_asyncio(
        self, request: Request, exchange: Exchange, unsent: Unsent, loop: asyncio.AbstractEventLoop
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
            if not exchange.wrote:
                unsent()
            raise

    async def _on_any(self, request: Request, exchange: Exchange, unsent: Unsent) -> Replied | Lost:
        outcome: list[Replied | Lost | Exception] = []
        ended = anyio.Event()

        async def run() -> None:
            with anyio.CancelScope(shield=True):
                try:
                    outcome.append(await self._twice(request, exchange))
                except Exception as error:  # carried over to the caller's task
                    outcome.append(error)
            ended.set()

        try:
            async with anyio.create_task_group() as group:
                group.start_soon(run)
                try:
                    await ended.wait()
                except BaseException:
                    exchange.abort()
                    raise
        except BaseException:
            if not exchange.wrote:
                unsent()
            raise
        event = outcome[0]
        if isinstance(event, Exception):
            raise event
        return event

    async def _twice(self, request: Request, exchange: Exchange) -> Replied | Lost:
        with self._carriers.borrow(request.url) as carrier:
            event = await self._once(carrier, request, exchange)
            if is_stale(event, exchange):
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
                    if not is_cut_short(error):
                        raise
                    body.cut_short()
            finally:
                await response.stream.aclose()
            return body.event()
        except Exception as error:
            return meaning(error, exchange)
