"""Let Ctrl-C end a stream of items instead of the program, so that the report is still closed."""

import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Self, TypeVar

T = TypeVar("T")


class Interruptible:
    """Passes items on until the person asks to stop.

    The signal breaks into the making of an item, never into the writing of one. A second one
    during a write ends the program.

    >>> with Interruptible() as stop:
    ...     list(stop.items(iter([1, 2])))
    [1, 2]
    """

    def __init__(self) -> None:
        self.stopped = False
        self._breakable = False
        self._main = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> Self:
        self._before = signal.getsignal(signal.SIGINT)
        if self._main and self._before is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(self, *exc: object) -> None:
        if self._main and self._before is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._before)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        again, self.stopped = self.stopped, True
        if self._breakable or again:
            self._breakable = False
            raise KeyboardInterrupt

    def items(self, source: Iterator[T]) -> Iterator[T]:
        """Pass items on; ends early, with `stopped` set, when interrupted."""
        while not self.stopped:
            try:
                try:
                    self._breakable = True
                    item = next(source)
                finally:
                    self._breakable = False
            except StopIteration:
                return
            except KeyboardInterrupt:
                self.stopped = True
                return
            yield item
