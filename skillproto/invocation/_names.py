"""Look up the addresses of a host within a time, from threads, asyncio and trio.

A look-up of the system cannot be interrupted. It runs in a thread of its own, which all who ask
for the same name meanwhile wait for; they leave it behind when their time is over.
"""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from ipaddress import ip_address
from typing import Any

_MOST_ADDRESSES = 8

Places = tuple[tuple[str, int], ...]
"""Addresses and ports, in the order in which they are to be tried."""


class _LookUp:
    """One look-up under way."""

    def __init__(self, host: str, port: int) -> None:
        self._asked = (host, port)
        self._lock = threading.Lock()
        self._waiting: list[Callable[[], object]] | None = []
        self._outcome: Places | Exception = ()

    def run(self) -> None:
        try:
            found = socket.getaddrinfo(*self._asked, type=socket.SOCK_STREAM)
            self._outcome = tuple(dict.fromkeys((str(to[0]), int(to[1])) for *_, to in found))[:_MOST_ADDRESSES]
        except Exception as error:  # handed to those who wait
            self._outcome = error
        with _lock:
            del _running[self._asked]
        with self._lock:
            waiting, self._waiting = self._waiting or [], None
        for wake in waiting:
            wake()

    def tell(self, wake: Callable[[], object]) -> None:
        """Have a function called once it is over, or now if it is."""
        with self._lock:
            if self._waiting is not None:
                self._waiting.append(wake)
                return
        wake()

    def places(self) -> Places:
        """Give what was found.

        Raises:
            TimeoutError: it is not over.
            OSError: the name is not known, or could not be looked up.
        """
        if self._waiting is not None:
            raise TimeoutError("the look-up of the host name takes too long")
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome


_running: dict[tuple[str, int], _LookUp] = {}
_lock = threading.Lock()


def _under_way(host: str, port: int) -> _LookUp:
    with _lock:
        look_up = _running.get((host, port))
        if look_up is None:
            look_up = _running[host, port] = _LookUp(host, port)
            threading.Thread(target=look_up.run, name="skillproto-look-up", daemon=True).start()
        return look_up


def is_address(host: str) -> bool:
    """Say whether a host is an address already.

    >>> is_address("127.0.0.1"), is_address("::1"), is_address("localhost")
    (True, True, False)
    """
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def look_up(host: str, port: int, limit_s: float, waking: Callable[[Callable[[], object]], object]) -> Places:
    """Wait in a thread for the addresses of a name.

    Args:
        host: the name.
        port: comes back with each address.
        limit_s: no longer than this.
        waking: is given a function that ends the waiting early.

    Raises:
        TimeoutError: the time is over, or the waiting was ended.
        OSError: the name is not known, or could not be looked up.

    >>> ("127.0.0.1", 80) in look_up("localhost", 80, 5, lambda wake: None)
    True
    """
    woken = threading.Event()
    running = _under_way(host, port)
    running.tell(woken.set)
    waking(woken.set)
    woken.wait(limit_s)
    return running.places()


async def look_up_async(host: str, port: int, limit_s: float) -> Places:
    """Wait in a task, as `look_up` does: a look-up of asyncio's own would keep its few threads and its end waiting."""
    import anyio

    over = anyio.Event()
    hand_over, gone = _way_into_the_loop()
    running = _under_way(host, port)

    def wake() -> None:
        with suppress(gone):
            hand_over(over.set)

    running.tell(wake)
    with anyio.move_on_after(limit_s):
        await over.wait()
    return running.places()


def _way_into_the_loop() -> tuple[Callable[[Callable[[], object]], object], type[Exception]]:
    """Give what calls a function in the running loop, from any thread, and what it raises once that has ended."""
    import asyncio

    try:
        return asyncio.get_running_loop().call_soon_threadsafe, RuntimeError
    except RuntimeError:
        trio: Any = import_module("trio")
        return trio.lowlevel.current_trio_token().run_sync_soon, trio.RunFinishedError
