"""Look up names in bounded time, and check every address that comes back.

A look-up cannot be interrupted, so it runs in a thread of its own that is left behind when its
time is over; there are never more than a few of them.
"""

import socket
import threading
from collections.abc import Callable, Iterable
from ipaddress import ip_address
from queue import Empty, Queue

from skillproto.discovery.failures import FetchError
from skillproto.discovery.policy import Address, FetchPolicy
from skillproto.discovery.targets import Target, private

Resolver = Callable[[str, int], Iterable[str]]
"""Gives the addresses of a host, as texts; raises an OSError where there are none."""

_MOST_ADDRESSES = 64
_NO_SUCH_HOST = frozenset({socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)})
_AT_ONCE = threading.BoundedSemaphore(64)


def system_resolver(host: str, port: int) -> list[str]:
    """Ask the operating system.

    >>> system_resolver("127.0.0.1", 80)
    ['127.0.0.1']
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


def checked_addresses(target: Target, policy: FetchPolicy, resolver: Resolver, limit_s: float) -> tuple[str, ...]:
    """Give the addresses that a connection may go to; each of them was checked.

    Raises:
        FetchError: the name is not known or its look-up takes too long ("probe/unreachable"), or one
            of its addresses may not be reached ("probe/private-address").
    """
    if target.literal is not None:
        return (str(target.literal),)
    addresses = [_read(text, target) for text in _looked_up(target, resolver, limit_s)]
    for address in addresses:
        kind = policy.refusal_of(address)
        if kind is not None:
            raise private("probe/private-address", kind, f"The name resolves to {address}, which", target.url)
    return tuple(str(address) for address in addresses)


def _read(text: str, target: Target) -> Address:
    try:
        return ip_address(text.partition("%")[0])
    except ValueError:
        raise _unknown(target) from None


def _unknown(target: Target) -> FetchError:
    return FetchError("probe/unreachable", "dns", "The host name cannot be resolved", url=target.url)


def _looked_up(target: Target, resolver: Resolver, limit_s: float) -> list[str]:
    outcome: Queue[list[str] | Exception] = Queue()

    def run() -> None:
        try:
            found = list(resolver(target.host, target.port))[: _MOST_ADDRESSES + 1]
            outcome.put(found)
        except Exception as error:  # told by the caller's thread
            outcome.put(error)
        finally:
            _AT_ONCE.release()

    if not _AT_ONCE.acquire(timeout=max(limit_s, 0)):
        raise _too_slow(target)
    threading.Thread(target=run, name="skillproto-look-up", daemon=True).start()
    try:
        found = outcome.get(timeout=max(limit_s, 0))
    except Empty:
        raise _too_slow(target) from None
    if isinstance(found, OSError) and not (isinstance(found, socket.gaierror) and found.errno in _NO_SUCH_HOST):
        raise FetchError("probe/unreachable", "dns_failed", "DNS does not answer", url=target.url)
    if isinstance(found, OSError | UnicodeError) or not found:
        raise _unknown(target)
    if isinstance(found, Exception):
        raise found
    if len(found) > _MOST_ADDRESSES:
        raise FetchError("probe/unreachable", "dns", "The host name has too many addresses", url=target.url)
    return found


def _too_slow(target: Target) -> FetchError:
    return FetchError("probe/unreachable", "timeout", "The look-up of the host name takes too long", url=target.url)
