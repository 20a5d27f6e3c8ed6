"""The one place that knows httpx, and its continuations with the same names.

A carrier sends a finished request and gives the response with its body unread. Ours are
bare transports, which spares the work that a client does for what is fixed here: no
cookies, no redirects, no headers but our own, no log line with the address.
"""

import os
import ssl
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import cache, lru_cache
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any, Protocol, Self
from urllib.request import getproxies, proxy_bypass

from skillproto.errors import UsageError
from skillproto.invocation import _backends
from skillproto.invocation._shards import Shards
from skillproto.invocation.wire import Request

FAMILIES = ("httpx", "httpx2")
FAMILY_VARIABLE = "SKILLPROTO_HTTP"

_KEEPALIVE_S = 30.0

Headers = tuple[tuple[str, str], ...]


class Carrier(Protocol):
    """Sends a request; `send` gives the response, or an awaitable of it.

    Attributes:
        is_held: its network operations keep the deadline, and end when their exchange is aborted.
    """

    is_held: bool

    def send(self, request: Request, timeout_s: float) -> Any:
        """Send, with a bound for each network operation."""

    def close(self) -> Any:
        """Close every connection; with an async family, an awaitable."""


class Carriers:
    """Gives each request a carrier, by the proxy that its address needs.

    Args:
        transport: the caller's own transport or whole client, or None to make transports.
        verify: as the family takes it: True, a path, an `ssl.SSLContext`, or False.
        is_async: which of the two kinds.
        use_proxies: whether the proxies of the environment are asked; else every connection is direct.

    Attributes:
        are_held: as `Carrier.is_held`, of all of them.
    """

    def __init__(self, transport: Any, verify: Any, *, is_async: bool, use_proxies: bool = True) -> None:
        self._use_proxies = use_proxies
        self._by_proxy: dict[str | None, Shards] = {}
        self._own: Shards | None = None
        self._is_async = is_async
        self.are_held = True
        if transport is not None:
            carrier = _taken(transport, is_async=is_async)
            self.are_held = carrier.is_held
            self._own = Shards(lambda: carrier, limit=None, owned=not isinstance(carrier, ClientCarrier))
        else:
            self._family = preferred_family()
            self._context = verify if isinstance(verify, ssl.SSLContext) else _context(self._family, verify)
            self._kind = self._family.AsyncHTTPTransport if is_async else self._family.HTTPTransport

    def borrow(self, url: str) -> AbstractContextManager[Carrier]:
        """Give a carrier for the length of a block."""
        return (self._own or self._shards(_proxy_for(url) if self._use_proxies else None)).borrow()

    @property
    def to_close(self) -> list[Carrier]:
        """Every carrier that is ours to close."""
        every = [self._own] if self._own is not None else list(self._by_proxy.values())
        return [carrier for shards in every for carrier in shards.to_close]

    def _shards(self, proxy: str | None) -> Shards:
        shards = self._by_proxy.get(proxy)
        if shards is None:
            shards = self._by_proxy.setdefault(proxy, Shards(self._maker(proxy)))
        return shards

    def _maker(self, proxy: str | None) -> Callable[[], Carrier]:
        def make() -> Carrier:
            limits = self._family.Limits(
                max_connections=None, max_keepalive_connections=None, keepalive_expiry=_KEEPALIVE_S
            )
            transport = self._kind(verify=self._context, limits=limits, proxy=proxy)
            return TransportCarrier(transport, self._family, is_async=self._is_async)

        return make


def _context(family: ModuleType, verify: Any) -> ssl.SSLContext:
    context: ssl.SSLContext = family.create_ssl_context(verify=verify)
    return context


class TransportCarrier:
    """Sends through a bare transport, of either kind.

    Where the transport is the library's own, its pool gets the request directly, which spares the
    making of a request and a response of the layer above. A test that has put something in the
    place of the transport's method is not passed by.
    """

    def __init__(self, transport: Any, family: ModuleType, *, is_async: bool) -> None:
        self.is_held = _backends.hold(transport)
        self._family = family
        self._stream = _body_class(family)
        self._name = "handle_async_request" if is_async else "handle_request"
        self._transport = transport
        self._kind = type(transport)
        self._plain = _plain_method(transport, family, self._name) if self.is_held else None
        self._pool = getattr(transport, "_pool", None)
        self.close = transport.aclose if is_async else transport.close

    def send(self, request: Request, timeout_s: float) -> Any:
        """Send a request that is complete but for its Host and Content-Length."""
        body = request.body or b""
        length: Headers = (("Content-Length", str(len(body))),) if request.method == "POST" else ()
        extensions = {"timeout": dict.fromkeys(("connect", "read", "write", "pool"), timeout_s)}
        if self._plain is None or getattr(self._kind, self._name) is not self._plain:
            return getattr(self._transport, self._name)(self._built(request, length, extensions))
        core = _core_of(self._pool)
        to, host = _core_url(core, self._family, request.url)
        headers = [(name.encode("ascii"), value.encode("ascii")) for name, value in (*request.headers, *length)]
        headers.insert(0, (b"Host", host))
        content = self._stream(body)
        direct = core.Request(request.method, to, headers=headers, content=content, extensions=extensions)
        return getattr(self._pool, self._name)(direct)

    def _built(self, request: Request, length: Headers, extensions: dict[str, Any]) -> Any:
        url = _url(self._family, request.url)
        headers = [("Host", url.netloc.decode("ascii")), *request.headers, *length]
        stream = self._stream(request.body or b"")
        return self._family.Request(request.method, url, headers=headers, stream=stream, extensions=extensions)


def _plain_method(transport: Any, family: ModuleType, name: str) -> Any:
    """Give the library's own method of a transport; None where something else stands in its place."""
    method = getattr(type(transport), name)
    is_own = isinstance(method, FunctionType) and method.__module__.startswith(f"{family.__name__}.")
    return method if is_own and name not in vars(transport) else None


def _core_of(pool: Any) -> ModuleType:
    return sys.modules[type(pool).__module__.partition(".")[0]]


class _Once:
    """One piece, asynchronously; unlike an async generator it leaves nothing to clean up when dropped."""

    def __init__(self, piece: bytes) -> None:
        self._piece: bytes | None = piece

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        piece, self._piece = self._piece, None
        if piece is None:
            raise StopAsyncIteration
        return piece


@cache
def _body_class(family: ModuleType) -> Any:
    """Make the class of request bodies that a family's transports take."""

    class Bytes(family.SyncByteStream, family.AsyncByteStream):  # type: ignore[misc,name-defined]
        def __init__(self, body: bytes) -> None:
            self._body = body

        def __iter__(self) -> Iterator[bytes]:
            return iter((self._body,))

        def __aiter__(self) -> _Once:
            return _Once(self._body)

    return Bytes


class ClientCarrier:
    """Sends through the caller's own client, which stays the caller's to close."""

    def __init__(self, client: Any) -> None:
        self._client = client
        mounts = getattr(client, "_mounts", {}).values()
        transports = [getattr(client, "_transport", None), *(each for each in mounts if each is not None)]
        held = [_backends.hold(each) for each in transports]
        self.is_held = all(held)

    def send(self, request: Request, timeout_s: float) -> Any:
        """Send a request on top of what the client adds by itself."""
        headers = list(request.headers)
        built = self._client.build_request(
            request.method, request.url, headers=headers, content=request.body, timeout=timeout_s
        )
        return self._client.send(built, stream=True, follow_redirects=False)

    def close(self) -> Any:
        """Do nothing: the client is not ours."""


def preferred_family() -> ModuleType:
    """Give the HTTP library: the one that SKILLPROTO_HTTP names, else httpx2 if installed, else httpx.

    Raises:
        UsageError: the variable names something else, or a library that is not installed.
    """
    wanted = os.environ.get(FAMILY_VARIABLE, "")
    if wanted and wanted not in FAMILIES:
        raise UsageError(f"{FAMILY_VARIABLE} must be one of {', '.join(FAMILIES)}, not {wanted!r}")
    for name in (wanted,) if wanted else ("httpx2", "httpx"):
        try:
            return import_module(name)
        except ModuleNotFoundError:
            continue
    raise UsageError(
        f"{wanted or 'httpx'} is not installed; install it, for example with pip install 'skillproto[{wanted}]'"
    )


def _taken(transport: Any, *, is_async: bool) -> Carrier:
    if hasattr(transport, "build_request"):
        return ClientCarrier(transport)
    if not hasattr(transport, "handle_async_request" if is_async else "handle_request"):
        kind = "an async transport or client" if is_async else "a transport or client"
        raise UsageError(f"transport must be {kind} of {' or '.join(FAMILIES)}, not a {type(transport).__name__}")
    return TransportCarrier(transport, family_of(transport), is_async=is_async)


def family_of(thing: Any) -> ModuleType:
    """Give the HTTP library that an object is of; for one that is of neither, the preferred library."""
    roots = [cls.__module__.partition(".")[0] for cls in type(thing).__mro__]
    name = next((root for root in roots if root in FAMILIES), None)
    return preferred_family() if name is None else sys.modules.get(name) or import_module(name)


_FEW = 128  # endpoints come again and again, the addresses of executions do not


@lru_cache(maxsize=_FEW)
def _url(family: ModuleType, url: str) -> Any:
    return family.URL(url)


@lru_cache(maxsize=_FEW)
def _core_url(core: ModuleType, family: ModuleType, url: str) -> tuple[Any, bytes]:
    """Give an address as the pool takes it, and its host for the header."""
    parsed = family.URL(url)
    to = core.URL(scheme=parsed.raw_scheme, host=parsed.raw_host, port=parsed.port, target=parsed.raw_path)
    return to, parsed.netloc


@lru_cache(maxsize=1024)
def _proxy_for(url: str) -> str | None:
    """Give the proxy that the environment names for an address; read once for each address."""
    proxies = getproxies()
    scheme, _, rest = url.partition("://")
    proxy = proxies.get(scheme.lower()) or proxies.get("all")
    host = rest.partition("/")[0].rpartition("@")[2]
    if proxy is None or proxy_bypass(host):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"
