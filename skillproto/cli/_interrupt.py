"""Let Ctrl-C end a stream of items instead of the program, so that the report is still closed."""

from collections.abc import Iterator
from types import FrameType
from typing import Self, TypeVar

T = TypeVar("T")


class Interruptible:
    """Passes items on until the person asks to stop.

    Args:
        guards_writes: break into the making of an item, never into the writing of one, which
            a program would find cut short. A second signal during a write ends all.

    >>> with Interruptible() as stop:
    ...     list(stop.items(iter([1, 2])))
    [1, 2]
    """

    def __init__(self, *, guards_writes: bool = True) -> None:
        self._guards_writes = guards_writes
        self.stopped = False
        self._breakable = False
        self._installed = False

    def __enter__(self) -> Self:
        if self._guards_writes:
            self._install()
        return self

    def _install(self) -> None:
        import signal
        import threading

        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._on_signal)
            self._installed = True

    def __exit__(self, *exc: object) -> None:
        if self._installed:
            import signal

            signal.signal(signal.SIGINT, signal.default_int_handler)

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
