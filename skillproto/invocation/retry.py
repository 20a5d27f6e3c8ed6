"""When to try again, how long to wait, and when to stop asking.

`RetryPolicy` is arithmetic, `RetryBudget` and `Circuit` are the state that all calls to
one origin share. Nothing here sleeps or sends.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from math import ceil
from threading import Lock

from skillproto.errors import UsageError

_LONGEST_MS = 24 * 3600 * 1000
_MOST_ATTEMPTS = 1000
_MOST_DOUBLINGS = 60


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and after which waits a call is tried again.

    Only retryable codes are tried again at all. The defaults wait 1 to 1.25 s, 2 to 2.5 s and
    4 to 5 s before the second, third and fourth attempt.

    Args:
        initial_delay_ms: the wait before the first retry, in milliseconds.
        max_attempts: attempts in all; the first try counts, so 1 never retries.
        max_delay_ms: no own wait is longer; only a provider's hint can be.
        jitter: the share of a wait that chance may add; 0 gives the exact sequence.
        attempt_timeout_ms: the longest that one attempt may take; None lets it take
            all the time that the call has left.
        max_poll_faults: so many failed status requests in a row end a call.
        max_poll_delay_ms: no own wait between two looks at an execution is longer. They grow from
            0.2 s by a share of the time that has passed, so the default comes into play after
            twenty minutes.

    Raises:
        UsageError: a value that can never work, such as no attempts at all.

    Source: SSP 9.5.

    >>> RetryPolicy(max_attempts=0)
    Traceback (most recent call last):
    skillproto.errors.UsageError: max_attempts must be a whole number from 1 to 1000, not 0
    """

    initial_delay_ms: int = 1000
    max_attempts: int = 4
    max_delay_ms: int = 60_000
    jitter: float = 0.25
    attempt_timeout_ms: int | None = None
    max_poll_faults: int = 5
    max_poll_delay_ms: int = 300_000

    def __post_init__(self) -> None:
        check_whole("initial_delay_ms", self.initial_delay_ms, 0, _LONGEST_MS)
        check_whole("max_attempts", self.max_attempts, 1, _MOST_ATTEMPTS)
        check_whole("max_delay_ms", self.max_delay_ms, 0, _LONGEST_MS)
        check_whole("max_poll_faults", self.max_poll_faults, 1, _MOST_ATTEMPTS)
        check_whole("max_poll_delay_ms", self.max_poll_delay_ms, 1, _LONGEST_MS)
        if self.attempt_timeout_ms is not None:
            check_whole("attempt_timeout_ms", self.attempt_timeout_ms, 1, _LONGEST_MS)
        if isinstance(self.jitter, bool) or not isinstance(self.jitter, int | float) or not 0 <= self.jitter <= 1:
            raise UsageError(f"jitter must be a number from 0 to 1, not {self.jitter!r}")

    def delay_ms(self, n: int) -> int:
        """Give the protocol's delay before retry n, without chance: initial x 2^(n-1), capped.

        >>> [RetryPolicy().delay_ms(n) for n in (1, 2, 3, 4)]
        [1000, 2000, 4000, 8000]
        """
        check_whole("n", n, 1, _MOST_ATTEMPTS)
        import backoff  # late, for it imports asyncio

        waits = backoff.expo(base=2, factor=self.initial_delay_ms, max_value=self.max_delay_ms)
        next(waits)  # the generator is primed before it yields its first wait
        return int(next(islice(waits, n - 1, None)))

    def wait_ms(self, n: int, *, hint_ms: int | None = None, random: Callable[[], float] = random.random) -> int:
        """Give the time really waited before retry n.

        Args:
            n: 1 for the first retry.
            hint_ms: what the provider asks for at least; None when it says nothing.
            random: a source of chance between 0 and 1.

        Returns:
            Milliseconds, never less than `delay_ms(n)` or the hint.

        >>> RetryPolicy(jitter=0).wait_ms(1), RetryPolicy(jitter=0).wait_ms(1, hint_ms=5000)
        (1000, 5000)
        """
        own = self.delay_ms(n)
        floor = max(own, hint_ms or 0)
        wait = ceil(floor * (1 + self.jitter * random()))
        return wait if floor > own else min(wait, max(own, self.max_delay_ms))


def check_whole(name: str, value: object, least: int, most: int) -> int:
    """Give back a whole number within bounds.

    Raises:
        UsageError: the value is something else; the message names the argument.

    >>> check_whole("timeout_ms", 500, 1, 1000)
    500
    """
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UsageError(f"{name} must be a whole number from {least} to {most}, not {value!r}")
    return value


class RetryBudget:
    """Bounds the retries that all calls to one origin make together (a token bucket).

    Each call pays in a share of a retry, each retry takes a whole one. So a few failures
    are retried in full, while in an outage the load grows by no more than the share.

    Args:
        ratio: retries that a call pays for; 0.1 allows one retry in ten calls.
        reserve: retries that are there at the start and at most; also for low traffic.
        refill_per_s: what comes back by itself in each second, up to the reserve.
        clock: seconds that never run backwards.

    >>> budget = RetryBudget(ratio=0, reserve=1, refill_per_s=0, clock=lambda: 0.0)
    >>> budget.take(), budget.take()
    (True, False)
    """

    def __init__(
        self, *, ratio: float = 0.1, reserve: float = 10, refill_per_s: float = 0.1, clock: Callable[[], float]
    ) -> None:
        self._ratio = ratio
        self._reserve = reserve
        self._refill_per_s = refill_per_s
        self._clock = clock
        self._tokens = float(reserve)
        self._seen = clock()
        self._lock = Lock()

    def pay_in(self) -> None:
        """Count one call."""
        with self._lock:
            self._tokens = min(self._reserve, self._tokens + self._ratio)

    def take(self) -> bool:
        """Say whether a retry may be made, and count it."""
        with self._lock:
            now = self._clock()
            self._tokens = min(self._reserve, self._tokens + (now - self._seen) * self._refill_per_s)
            self._seen = now
            if self._tokens < 1:
                return False
            self._tokens -= 1
            return True


class Circuit:
    """Stops calls to an origin that keeps failing, and lets one probe through at a time.

    While it is open for the first time, calls wait for its time to be up, so that a moment's trouble
    costs time and not results. Once a probe has failed, new calls are refused at once, and retries
    made only where they would have waited as long anyway. Looks at executions always wait.

    Args:
        failures: so many failed attempts in a row open the circuit.
        open_s: how long it stays open at first, in seconds; doubled by each failed probe.
        longest_open_s: the bound of that doubling.
        clock: seconds that never run backwards.

    >>> circuit = Circuit(failures=1, open_s=5, clock=lambda: 0.0)
    >>> circuit.blocked_s(), circuit.failed(), circuit.blocked_s()
    (0.0, None, 5.0)
    """

    def __init__(
        self, *, failures: int = 5, open_s: float = 1, longest_open_s: float = 7, clock: Callable[[], float]
    ) -> None:
        self._threshold = failures
        self._first_open_s = open_s
        self._longest_open_s = longest_open_s
        self._clock = clock
        self._failures = 0
        self._failed_probes = 0
        self._until = 0.0
        self._is_probed = False
        self._lock = Lock()

    @property
    def is_open(self) -> bool:
        """Whether the circuit stops calls now, or would let one probe through."""
        return self._failures >= self._threshold

    @property
    def is_confirmed(self) -> bool:
        """Whether the circuit is open and a probe has failed too."""
        return self.is_open and self._failed_probes > 0

    @property
    def left_s(self) -> float:
        """For how many seconds nothing may be sent; to look at it is no permission to probe."""
        return max(0.0, self._until - self._clock()) if self.is_open else 0.0

    def blocked_s(self) -> float:
        """Say for how many seconds nothing may be sent; 0 lets the caller send.

        A 0 from an open circuit whose time is up is the permission for one probe: the
        circuit blocks the others for another period.
        """
        if self._failures < self._threshold:
            return 0.0
        with self._lock:
            left = self._until - self._clock()
            if left > 0:
                return left
            self._until = self._clock() + self._open_s()
            self._is_probed = True
            return 0.0

    def succeeded(self) -> None:
        """Count an attempt that reached the endpoint."""
        if self._failures:
            with self._lock:
                self._failures = self._failed_probes = 0
                self._is_probed = False

    def failed(self) -> None:
        """Count an attempt that did not; one that began before the circuit opened changes nothing more."""
        with self._lock:
            self._failures += 1
            if self._failures < self._threshold:
                return
            if self._is_probed:
                self._failed_probes += 1
            elif self._failures > self._threshold:
                return
            self._until = self._clock() + self._open_s()
            self._is_probed = False

    def _open_s(self) -> float:
        doublings = min(self._failed_probes, _MOST_DOUBLINGS)
        return float(min(self._first_open_s * 2**doublings, self._longest_open_s))
