"""The network backends of the HTTP library, held to the deadline of the running exchange.

Names are looked up here, since a look-up of the library's own would outlast the deadline. A host
with several addresses is tried at each of them within the one time.
"""

import socket
import sys
from collections.abc import Iterable
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

from skillproto.invocation import _deadline, _names
from skillproto.invocation._names import Places
from skillproto.invocation._streams import Stream, bound, opened, shut


def known_places(host: str, port: int) -> Places:
    """Give where to connect to without a look-up: where the exchange is pinned to, or the address in the URL."""
    exchange = _deadline.current.get()
    if exchange is not None and exchange.pins:
        return exchange.pins
    return ((host, port),) if exchange is None or _names.is_address(host) else ()


class Backend:
    """The backend of blocking connections."""

    is_held = True

    def __init__(self, inner: Any, family: ModuleType) -> None:
        self._inner = inner
        self._family = family
        home = sys.modules.get(f"{family.__name__}._backends.sync")
        self._stream = getattr(home, "SyncStream", None) if type(inner).__name__ == "SyncBackend" else None

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> Stream:
        opened()
        places = known_places(host, port) or self._looked_up(host, port, timeout)
        for i, place in enumerate(places):
            limit_s = bound(timeout)
            share_s = limit_s if limit_s is None else limit_s / (len(places) - i)
            try:
                return Stream(self._connect(place, share_s, local_address, socket_options), self._family)
            except (self._family.ConnectError, self._family.ConnectTimeout):
                if i == len(places) - 1:
                    raise
        raise self._family.ConnectError("the host has no address")

    def _connect(self, place: tuple[str, int], limit_s: float | None, local: str | None, options: Any) -> Any:
        """Connect by a socket that ends when the exchange is aborted, where the library lets us give it one."""
        exchange = _deadline.current.get()
        if exchange is None or self._stream is None or local is not None:
            return self._inner.connect_tcp(*place, limit_s, local, options)
        wire = socket.socket(socket.AF_INET6 if ":" in place[0] else socket.AF_INET)
        try:
            exchange.waking(partial(shut, wire))
            wire.settimeout(limit_s)
            wire.connect(place)
            for option in (*(options or ()), (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)):
                wire.setsockopt(*option)
        except OSError as error:
            wire.close()
            kind = self._family.ConnectTimeout if isinstance(error, TimeoutError) else self._family.ConnectError
            raise kind(str(error)) from error
        return self._stream(wire)

    def _looked_up(self, host: str, port: int, timeout: float | None) -> Places:
        exchange = _deadline.current.get()
        assert exchange is not None  # noqa: S101 - without one, the name is left to the library
        try:
            return _names.look_up(host, port, exchange.bound(timeout), exchange.waking)
        except TimeoutError as error:
            raise self._family.ConnectTimeout(str(error)) from error
        except OSError as error:
            raise self._family.ConnectError(str(error)) from error

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> Stream:
        opened()
        return Stream(self._inner.connect_unix_socket(path, bound(timeout), socket_options), self._family)

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


def hold(transport: Any) -> bool:
    """Make a transport of the httpx family keep the deadline of the running exchange.

    The family offers no argument for a network backend, so the pool's own is wrapped. A
    transport without one (a mock, a user's own) is left as it is, and False is returned.
    """
    pool = getattr(transport, "_pool", None)
    inner = getattr(pool, "_network_backend", None)
    if pool is None or inner is None:
        return False
    if not getattr(inner, "is_held", False):
        family = import_module(type(pool).__module__.partition(".")[0])
        pool._network_backend = _kind_for(pool)(inner, family)
    return True


def _kind_for(pool: Any) -> Any:
    if not hasattr(pool, "handle_async_request"):
        return Backend
    return import_module("skillproto.invocation._async_backends").AsyncBackend
