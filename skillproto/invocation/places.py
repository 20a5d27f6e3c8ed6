"""So many requests to an origin at a time; the others wait in line, without a connection.

A place is handed on to the first in line at once, whether threads or tasks wait.
"""

import threading
from collections import deque
from collections.abc import Callable

from skillproto.invocation.cancel import CancelToken
from skillproto.invocation.wire import Lost, Stopped, Woke

_NONE_IN_TIME = Lost("timeout", sent=False)

Wake = Callable[[], None]


class Places:
    """The places for requests to one origin, and the line before them.

    Args:
        limit: how many there are.

    >>> places = Places(1)
    >>> places.take(), places.take(), places.give_back(), places.take()
    (True, False, None, True)
    """

    def __init__(self, limit: int) -> None:
        self._free = limit
        self._line: deque[Wake] = deque()
        self._lock = threading.RLock()  # a call that is dropped may give its place back in the middle of this

    def take(self) -> bool:
        """Take a place if one is free and nobody stands in line for it."""
        with self._lock:
            if not self._free or self._line:
                return False
            self._free -= 1
            return True

    def give_back(self) -> None:
        """Give a place back, which is the first one's in line."""
        with self._lock:
            if not self._line:
                self._free += 1
                return
            wake = self._line.popleft()
        wake()

    def wait(self, limit_s: float, cancel: CancelToken | None) -> Woke | Lost | Stopped:
        """Stand in line in a thread: `Woke` has a place, `Lost` got none in time."""
        woken = threading.Event()
        wake = woken.set
        if self._line_up(wake):
            return Woke()
        try:
            if cancel is None:
                woken.wait(limit_s)
            else:
                with cancel.calling(wake):
                    woken.wait(limit_s)
        except BaseException:
            self._leave(wake)
            raise
        if cancel is not None and cancel.cancelled:
            self._leave(wake)
            return Stopped()
        return Woke() if not self._is_out_of_line(wake) else _NONE_IN_TIME

    async def wait_async(self, limit_s: float) -> Woke | Lost:
        """Stand in line in a task."""
        import anyio

        woken = anyio.Event()
        wake = woken.set
        if self._line_up(wake):
            return Woke()
        try:
            with anyio.move_on_after(limit_s):
                await woken.wait()
        except BaseException:
            self._leave(wake)
            raise
        return Woke() if not self._is_out_of_line(wake) else _NONE_IN_TIME

    def _line_up(self, wake: Wake) -> bool:
        """Take a place after all, or stand in line."""
        with self._lock:
            if self.take():
                return True
            self._line.append(wake)
            return False

    def _is_out_of_line(self, wake: Wake) -> bool:
        """Step out of the line; False where the place was handed over before."""
        with self._lock:
            if wake not in self._line:
                return False
            self._line.remove(wake)
            return True

    def _leave(self, wake: Wake) -> None:
        if not self._is_out_of_line(wake):
            self.give_back()
