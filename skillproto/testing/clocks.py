"""Clocks and chance for tests: time that moves only when a client waits, and waits that are none."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

import anyio

from skillproto.invocation.cancel import CancelToken
from skillproto.invocation.timing import REAL, Timing


class FakeTime(Timing):
    """A clock that moves only when a client waits or a script says so; nothing really waits.

    Give it to a client as `timing=` and to a `ScriptedTransport` as `time=`, so that both see
    the same time. It is meant for one call at a time: each call moves the clock for all.

    Args:
        seed: of the jitter. None means no jitter, so that waits are the protocol's exact ones.
        start_s: what the clock shows at first, in seconds.
        on_wait: called with the seconds before each wait, for example to cancel the call.

    Attributes:
        waits: every wait that a client asked for, in seconds, in order.

    >>> time = FakeTime()
    >>> time.sleep(2.5)
    >>> time.waits, time.now
    ([2.5], 1002.5)
    """

    def __init__(
        self, *, seed: int | None = None, start_s: float = 1000.0, on_wait: Callable[[float], object] | None = None
    ) -> None:
        super().__init__(
            clock=lambda: self.now,
            random=random.Random(seed).random if seed is not None else lambda: 0.0,  # noqa: S311 - no secret
            sleep=self._sleep,
            sleep_async=self._sleep_async,
            wait=self._wait,
        )
        self.now = start_s
        self.waits: list[float] = []
        self._on_wait = on_wait
        self._lock = Lock()

    def advance(self, seconds: float) -> None:
        """Move the clock on, as if something took so long; it is no wait of the client.

        >>> time = FakeTime(start_s=0)
        >>> time.advance(0.2)
        >>> time.now, time.waits
        (0.2, [])
        """
        with self._lock:
            self.now += seconds

    def _begin(self, seconds: float) -> None:
        with self._lock:
            self.waits.append(seconds)
        if self._on_wait is not None:
            self._on_wait(seconds)

    def _sleep(self, seconds: float) -> None:
        self._begin(seconds)
        self.advance(seconds)

    async def _sleep_async(self, seconds: float) -> None:
        self._begin(seconds)
        await anyio.sleep(0)  # where a cancelled task ends, and others have their turn
        self.advance(seconds)

    def _wait(self, token: CancelToken, seconds: float) -> bool:
        self._begin(seconds)
        if token.cancelled:
            return True
        self.advance(seconds)
        return False


def seeded_jitter(seed: int) -> Timing:
    """Give real time with chance that comes out the same on every run.

    >>> seeded_jitter(7).random() == seeded_jitter(7).random()
    True
    """
    return Timing(random=random.Random(seed).random)  # noqa: S311 - no secret


@contextmanager
def no_waits() -> Iterator[list[float]]:
    """Make every client of this process wait for nothing while the block lasts, and give the waits.

    For code under test that makes its own client. What is decided stays the same: a wait that
    does not fit before the deadline still ends a call. The clock is the real one, so an open
    circuit stays open for its second. A client with a `timing` of its own is left alone.

    >>> from skillproto import SkillClient
    >>> from skillproto.testing import ScriptedTransport, output, reply, sample_descriptor
    >>> with no_waits() as waits:
    ...     client = SkillClient(caller_id="docs", transport=ScriptedTransport([reply(503), output("hola")]))
    ...     client.invoke(sample_descriptor(), {"text": "hello"}).output
    'hola'
    >>> 1.0 <= waits[0] <= 1.25
    True
    """
    waits: list[float] = []

    async def sleep_async(seconds: float) -> None:
        waits.append(seconds)
        await anyio.sleep(0)

    def wait(token: CancelToken, seconds: float) -> bool:
        waits.append(seconds)
        return token.cancelled

    before = REAL.sleep, REAL.sleep_async, REAL.wait
    REAL.sleep, REAL.sleep_async, REAL.wait = waits.append, sleep_async, wait
    try:
        yield waits
    finally:
        REAL.sleep, REAL.sleep_async, REAL.wait = before
