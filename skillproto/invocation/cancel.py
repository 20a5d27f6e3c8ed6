"""Stop a call of the blocking client from another thread."""

import threading
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class CancelToken:
    """Given to calls, it ends them all at once when `cancel` is called, from any thread.

    A wait is interrupted, a running request is dropped, a call that begins later ends at
    once. Ended calls raise `Cancelled`.

    >>> token = CancelToken()
    >>> token.cancel()
    >>> token.cancelled
    True
    """

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._event.is_set()

    def cancel(self) -> None:
        """End every call that was given this token; a second time does nothing."""
        with self._lock:
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until cancelled; say whether it was.

        >>> CancelToken().wait(0)
        False
        """
        return self._event.wait(seconds)

    @contextmanager
    def calling(self, callback: Callable[[], None]) -> "Iterator[None]":
        """Have a function called once when cancelled within the block, or at once if it was already."""
        with self._lock:
            late = self._event.is_set()
            if not late:
                self._callbacks.append(callback)
        if late:
            callback()
        try:
            yield
        finally:
            with self._lock:
                if callback in self._callbacks:
                    self._callbacks.remove(callback)
