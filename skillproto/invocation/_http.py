"""Carry out one exchange in a thread: a request goes in, an event comes out. `_http_async` does it in a task.

Nothing is decided here. Redirects are never followed, bodies are read in pieces up to a limit.
"""

import threading
from collections.abc import Callable
from contextvars import copy_context
from queue import Queue
from time import monotonic

from skillproto.invocation import _deadline
from skillproto.invocation._bodies import Body
from skillproto.invocation._carriers import Carrier, Carriers
from skillproto.invocation._deadline import Exchange
from skillproto.invocation._meanings import is_cut_short, is_stale, meaning
from skillproto.invocation.cancel import CancelToken
from skillproto.invocation.wire import Lost, Replied, Request, Stopped

Unsent = Callable[[], object]


def told_to_nobody() -> None:
    """Do nothing: nobody asks whether an interrupted request was sent."""


class Exchanger:
    """Sends requests with a blocking client."""

    def __init__(self, carriers: Carriers, limit_bytes: int, clock: Callable[[], float] = monotonic) -> None:
        self._carriers = carriers
        self._limit_bytes = limit_bytes
        self._clock = clock

    def send(self, request: Request, limit_s: float, unsent: Unsent = told_to_nobody) -> Replied | Lost:
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
            if is_stale(event, exchange):
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
                if not is_cut_short(error):
                    raise
                body.cut_short()
            finally:
                response.stream.close()
            return body.event()
        except Exception as error:
            return meaning(error, exchange)
        finally:
            _deadline.current.reset(token)
