"""Make one deadline hold over every network operation of a request.

An HTTP library's timeouts bound a single read, so a peer that drips bytes can stretch a
call without end, in the headers as well as in the body. Here each operation of the
network backend gets only the time that its exchange has left. And a cancelled exchange
fails inside the stream, as an ordinary network error would, so that the library's own
clean-up runs and no connection of the pool is lost.

`_backends` puts this into the library; here is what it asks.
"""

import socket
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from time import monotonic
from typing import Any

_SHORTEST_S = 0.001


class Exchange:
    """The time and the fate of one request and its reply.

    Attributes:
        deadline: on the clock, in seconds.
        connected: a new connection was opened for it, so it did not ride on a kept one.
        wrote: something of the request may have been written, be it by an earlier try on a kept connection.
        heard: something of the reply was read.
        aborted: its caller has gone; every further operation fails.
        pins: the addresses and ports that a new connection goes to, tried in turn, whatever the
            URL's name leads to by now; empty where the name is looked up by the library.
        certificate: what the other side showed on a new pinned connection, as `ssl` gives it.
        verify_code: OpenSSL's number for why a certificate was refused; None where none was.
    """

    __slots__ = (
        "_clock", "_scope", "_stream", "_wake", "aborted", "certificate", "connected", "deadline", "heard", "pins",
        "verify_code", "wrote",
    )  # fmt: skip

    def __init__(
        self, limit_s: float, clock: Callable[[], float] = monotonic, pins: tuple[tuple[str, int], ...] = ()
    ) -> None:
        self._clock = clock
        self.pins = pins
        self.certificate: dict[str, Any] | None = None
        self.verify_code: int | None = None
        self.deadline = clock() + limit_s
        self.connected = False
        self.wrote = False
        self.heard = False
        self.aborted = False
        self._scope: Any = None
        self._stream: Any = None
        self._wake: Callable[[], object] | None = None

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
        if self._wake is not None:
            self._wake()
        if self._scope is not None:
            self._scope.cancel()
        if self._stream is not None:
            with suppress(OSError):
                self._stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)

    def waking(self, wake: Callable[[], object]) -> None:
        """Have a function called when the exchange is aborted, which ends what has no stream yet in a thread."""
        self._wake = wake
        if self.aborted:
            wake()

    async def connecting(self, operation: Any, failure: type[Exception]) -> Any:
        """Await what has no socket to shut down yet; raise `failure` when the exchange is aborted."""
        if self.aborted:
            operation.close()
            raise failure("the caller has gone")
        from anyio import CancelScope

        with CancelScope() as self._scope:
            return await operation
        raise failure("the caller has gone")


current: ContextVar[Exchange | None] = ContextVar("skillproto_exchange", default=None)
