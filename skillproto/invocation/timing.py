"""The clock, the waits and the chance of a client, in one place, so that a test can give its own.

What the clients do with them is decided elsewhere. `skillproto.testing` has ready-made ones.
"""

import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from skillproto.invocation.cancel import CancelToken


def _sleep_async(seconds: float) -> Awaitable[object]:
    """Wait by the library that runs, without the layers over it, which take memory in each call that waits."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        from anyio import sleep

        return sleep(seconds)
    return asyncio.sleep(seconds)


@dataclass(slots=True)
class Timing:
    """Where a client takes time and chance from.

    Args:
        clock: seconds that never run backwards.
        random: chance, from 0 up to but not including 1.
        sleep: waits so many seconds in a thread.
        sleep_async: waits so many seconds in a task; must let itself be cancelled.
        wait: waits so many seconds or until a token is cancelled, and says whether it was.

    >>> Timing(random=lambda: 0.5).random()
    0.5
    """

    clock: Callable[[], float] = time.monotonic
    random: Callable[[], float] = random.random
    sleep: Callable[[float], object] = time.sleep
    sleep_async: Callable[[float], Awaitable[object]] = _sleep_async
    wait: Callable[[CancelToken, float], bool] = CancelToken.wait


REAL = Timing()
"""What every client uses that was given no other."""
