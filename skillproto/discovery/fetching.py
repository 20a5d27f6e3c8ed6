"""Fetch addresses that strangers wrote, without being aimed at what stands behind a firewall.

Every hop is checked from the start: its spelling, then each address that its name leads to; the
connection goes to an address that was checked, whatever the name leads to a moment later. TLS keeps
the name. No proxies, cookies or password files of this machine take part. Size, time, inflation and
redirects are bounded, and a host is asked one thing at a time.
"""

import ssl
import threading
from collections.abc import Callable, Mapping
from time import monotonic
from types import TracebackType
from typing import Any, Literal, Self
from weakref import WeakValueDictionary

from skillproto import __version__
from skillproto.discovery import redirects
from skillproto.discovery.credentials import Headers, Veil, read_credentials
from skillproto.discovery.failures import FetchError
from skillproto.discovery.policy import FetchPolicy
from skillproto.discovery.replies import Fetched, Hop
from skillproto.discovery.resolving import Resolver, checked_addresses, system_resolver
from skillproto.discovery.targets import Target
from skillproto.errors import SkillprotoError, UsageError
from skillproto.invocation._carriers import Carriers
from skillproto.invocation._deadline import Exchange
from skillproto.invocation._http import Exchanger
from skillproto.invocation.origins import origin_of
from skillproto.invocation.wire import Lost, Replied, Request

USER_AGENT = f"skillproto/{__version__} (checks published skill descriptors)"

Method = Literal["GET", "POST", "HEAD", "OPTIONS"]
Route = Callable[[str, int], tuple[str, int]]

_MOST_TRIED = 4
_WORDS = {
    "timeout": "No whole answer came in time",
    "refused": "The host refuses connections",
    "reset": "The connection was lost before the answer was complete",
    "dns": "The host name cannot be resolved",
    "protocol": "The host does not answer in HTTP, or its headers are too large",
    "tls": "No trusted TLS connection can be made: the certificate or protocol is not accepted",
    "too_large": "The answer is larger than the limit",
    "cut_short": "The answer ends before it is complete",
    "bad_encoding": "The answer is not compressed as it says",
}
_NOT_TRUSTED = {
    9: "The certificate is not valid yet",
    10: "The certificate has expired",
    18: "The certificate is signed by itself alone",
    19: "The certificate is signed by an authority that is not trusted",
    20: "The certificate is signed by an authority that is not known, or the chain to it is not sent",
    21: "The certificate is signed by an authority that is not known, or the chain to it is not sent",
    23: "The certificate was revoked",
    62: "The certificate is for another name",
    64: "The certificate is for another address",
}
"""What OpenSSL's numbers mean, in our own words."""

_RULES = {"tls": "probe/tls-invalid", "too_large": "document/too-large", "unsupported": "schema/format"}


class _Lane:
    """The right to ask one host; it goes away when nobody holds or wants it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *exc: object) -> None:
        self._lock.release()


class Fetcher:
    """Fetches addresses that strangers wrote. Safe to use from many threads; close it at the end.

    Args:
        policy: what may be fetched, and how much; None means public https addresses only.
        resolver: gives the addresses of a host; None asks the operating system.
        user_agent: what the other side is told about who asks.
        verify: which certificates are trusted: True, the path of a file, or an `ssl.SSLContext`.
        route: for tests alone: where a connection to a checked address and port really goes.

    >>> with Fetcher() as fetcher:
    ...     fetcher.get("https://169.254.169.254/latest/meta-data")
    Traceback (most recent call last):
    skillproto.discovery.failures.FetchError: https://169.254.169.254/latest/meta-data: The address leads to a
    cloud's metadata service [descriptor/private-address]
    """

    def __init__(
        self,
        policy: FetchPolicy | None = None,
        *,
        resolver: Resolver | None = None,
        user_agent: str = USER_AGENT,
        verify: Any = True,
        route: Route | None = None,
    ) -> None:
        self.policy = policy or FetchPolicy()
        self._resolver = resolver or system_resolver
        self._user_agent = user_agent
        self._route = route
        self._carriers = Carriers(None, _trusted(verify), is_async=False, use_proxies=False)
        self._exchanger = Exchanger(self._carriers, self.policy.max_bytes)
        self._lanes: WeakValueDictionary[str, _Lane] = WeakValueDictionary()
        self._certificates: dict[str, dict[str, object]] = {}
        self._running: set[Exchange] = set()
        self._lock = threading.Lock()
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End what is running, and close every connection."""
        with self._lock:
            self._closed = True
            running = list(self._running)
        for exchange in running:
            exchange.abort()
        for carrier in self._carriers.to_close:
            carrier.close()

    def get(self, url: str, *, credentials: Mapping[str, str] | str | None = None, **options: Any) -> Fetched:
        """Fetch an address, following redirects.

        Args:
            url: an absolute https address.
            credentials: a bearer token, or headers by name. They go to the origin of `url` alone.
            options: as for `ask`.

        Returns:
            The reply, whatever its status.

        Raises:
            FetchError: nothing was fetched; its `rule` says what stands against it.
            UsageError: credentials that cannot be sent, or not to there.
        """
        return self.ask("GET", url, credentials=credentials, **options)

    def ask(
        self,
        method: Method,
        url: str,
        *,
        headers: Headers = (),
        body: bytes | None = None,
        credentials: Mapping[str, str] | str | None = None,
        follow: bool = True,
        timeout_ms: int | None = None,
    ) -> Fetched:
        """Send a request of any kind and read its reply.

        Args:
            method: of the request.
            url: an absolute https address.
            headers: to send besides those that go with every request; to the origin of `url` alone.
            body: to send with a POST.
            credentials: as for `get`.
            follow: whether redirects are followed; those of GET and HEAD only ever are.
            timeout_ms: overrides that of the policy.

        Raises:
            FetchError, UsageError: as for `get`.
        """
        way = redirects.Way(self.policy, url, follow=follow and method in ("GET", "HEAD"))
        secret = read_credentials(credentials, url)
        veil = Veil(secret)
        limit_s = (timeout_ms or self.policy.timeout_ms) / 1000
        try:
            return veil.reply(self._go(way, method, (*headers, *secret), body, limit_s))
        except FetchError as error:
            veil.failure(error)
            raise

    def _go(self, way: redirects.Way, method: Method, own: Headers, body: bytes | None, limit_s: float) -> Fetched:
        left_s = limit_s
        target: Target | None = way.first()
        while target is not None:
            to_home = own if way.is_at_home else ()
            request = Request("status", method, target.url, (*self._basics(), *to_home), body)
            with self._lane(target.host):
                before = monotonic()
                reply, addresses, certificate = self._exchange(target, request, left_s, way)
                left_s -= monotonic() - before
            target = way.next(Hop(target.url, reply.status, addresses), reply)
        elapsed_ms = round((limit_s - left_s) * 1000)
        return Fetched(way.chain[0].url, reply.status, reply.headers, reply.body, way.chain, elapsed_ms, certificate)

    def _basics(self) -> Headers:
        accept = "application/json, application/yaml;q=0.8, */*;q=0.1"
        return (("User-Agent", self._user_agent), ("Accept", accept), ("Accept-Encoding", "gzip"))

    def _lane(self, host: str) -> _Lane:
        with self._lock:
            return self._lanes.setdefault(host, _Lane())

    def _exchange(
        self, target: Target, request: Request, limit_s: float, way: redirects.Way
    ) -> tuple[Replied, tuple[str, ...], dict[str, object] | None]:
        started = monotonic()
        addresses: tuple[str, ...] = ()
        try:
            addresses = checked_addresses(target, self.policy, self._resolver, limit_s)
            exchange = Exchange(limit_s - (monotonic() - started), pins=self._pins(addresses, target.port))
            event = self._sent(exchange, request)
            if isinstance(event, Lost) or event.reason is not None:
                raise _failure(event, target, exchange.verify_code)
        except FetchError as error:
            error.chain = (*way.chain, Hop(target.url, None, addresses))
            raise
        return event, addresses, self._certificate(exchange, target)

    def _pins(self, addresses: tuple[str, ...], port: int) -> tuple[tuple[str, int], ...]:
        tried = addresses[:_MOST_TRIED]
        return tuple((address, port) if self._route is None else self._route(address, port) for address in tried)

    def _sent(self, exchange: Exchange, request: Request) -> Replied | Lost:
        with self._lock:
            if self._closed:
                raise UsageError("the fetcher is closed")
            self._running.add(exchange)
        try:
            self._require_pinnable(request.url)
            return self._exchanger.send_in(exchange, request)
        finally:
            with self._lock:
                self._running.discard(exchange)

    def _require_pinnable(self, url: str) -> None:
        """Refuse to go on with an HTTP library whose connections cannot be pinned."""
        with self._carriers.borrow(url) as carrier:
            if not carrier.is_held:
                raise SkillprotoError(
                    "connections of this version of the HTTP library cannot be pinned; nothing was sent"
                )

    def _certificate(self, exchange: Exchange, target: Target) -> dict[str, object] | None:
        """Give the certificate of this connection, which may be a kept one."""
        if not target.is_encrypted:
            return None
        origin = origin_of(target.url)
        if exchange.certificate is not None:
            self._certificates[origin] = exchange.certificate
        return self._certificates.get(origin)


def _trusted(verify: Any) -> Any:
    if verify is False:
        raise UsageError("certificates are always checked; give the authority to trust as verify")
    if not isinstance(verify, str):
        return verify
    try:
        return ssl.create_default_context(cafile=verify)
    except OSError:  # what is no certificate raises a subclass
        raise UsageError(f"no certificates can be read from {verify}") from None


def _failure(event: Replied | Lost, target: Target, verify_code: int | None) -> FetchError:
    reason = event.reason or "unreachable"
    rule = _RULES.get(reason, "probe/unreachable")
    words = _WORDS.get(reason, "The host cannot be reached")
    if reason == "tls" and verify_code is not None:
        words = _NOT_TRUSTED.get(verify_code, words)
    body = event.body if isinstance(event, Replied) else b""
    return FetchError(rule, reason, words, url=target.url, body=body)
