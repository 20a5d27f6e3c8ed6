"""Compare the origins of addresses, and say which may be called.

Pure: no name is resolved. What is not plainly an http or https address is refused, since
two readers of an odd one could disagree about its host.
"""

import re
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from urllib.parse import SplitResult, urlsplit

from skillproto.errors import UsageError

_DEFAULT_PORTS = {"http": 80, "https": 443}
_NOT_IN_URLS = re.compile(r"[\x00-\x20\x7f\\]")


@lru_cache(maxsize=1024)
def require_safe_transport(url: str) -> None:
    """Refuse an address that others could listen to.

    Raises:
        UsageError: the address is neither https nor http to this machine.

    >>> require_safe_transport("http://127.0.0.1:8000/invoke")
    >>> require_safe_transport("http://api.example/")
    Traceback (most recent call last):
    skillproto.errors.UsageError: http://api.example is not encrypted; only https, or http to this machine, is called
    """
    parts = _split(url)
    if parts.scheme != "https" and not is_loopback(parts.hostname or ""):
        raise UsageError(f"{origin_of(url)} is not encrypted; only https, or http to this machine, is called")


@lru_cache(maxsize=1024)
def origin_of(url: str) -> str:
    """Give scheme, host and port of an address, the port only where it is not the scheme's own.

    Raises:
        UsageError: the text is no http or https address.

    Source: RFC 6454 section 4.

    >>> origin_of("HTTPS://Api.Example:443/a?b"), origin_of("http://[::1]:80/")
    ('https://api.example', 'http://[::1]')
    """
    parts = _split(url)
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    port = parts.port if parts.port is not None else _DEFAULT_PORTS[parts.scheme]
    return f"{parts.scheme}://{host}" + (f":{port}" if port != _DEFAULT_PORTS[parts.scheme] else "")


def same_origin(a: str, b: str) -> bool:
    """Say whether two addresses have the same scheme, host and port; False when one is no address.

    >>> same_origin("https://api.example/a", "https://API.example:443/b")
    True
    >>> same_origin("https://api.example/a", "https://api.example.evil.example/a")
    False
    """
    try:
        return origin_of(a) == origin_of(b)
    except UsageError:
        return False


def is_loopback(host: str) -> bool:
    """Say whether a host is this machine: localhost, 127.0.0.0/8 or ::1, written plainly.

    >>> is_loopback("127.9.9.9"), is_loopback("::1"), is_loopback("2130706433"), is_loopback("a.localhost")
    (True, True, False, False)
    """
    if host.lower() == "localhost":
        return True
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped.is_loopback
    return address.is_loopback


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        usable = not _NOT_IN_URLS.search(url) and parts.scheme in _DEFAULT_PORTS and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise UsageError("an endpoint must be an absolute http or https address, such as https://api.example/invoke")
    return parts
