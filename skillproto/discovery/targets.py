"""Read an address that a stranger wrote, and refuse what it must not be. No name is looked up here.

What two readers could take for two different places is refused rather than guessed: user parts,
backslashes, white space, anything beyond ASCII.
"""

import re
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from skillproto.discovery.failures import FetchError
from skillproto.discovery.policy import Address, FetchPolicy
from skillproto.rules.hosts import HostKind, address_of, host_kind, literal_of

LONGEST_URL = 8_192

_DEFAULT_PORTS = {"http": 80, "https": 443}
_NOT_IN_URLS = re.compile(r"[^\x21-\x7e]|\\")
_NAME = re.compile(
    r"(?=.{1,253}\.?\Z)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.?"
)
_WORDS = {
    "loopback": "this computer itself",
    "link-local": "a link-local address",
    "metadata": "a cloud's metadata service",
    "private": "a private network",
    "reserved": "a reserved address",
}


class Target(NamedTuple):
    """An address that may be asked, as far as its spelling goes.

    Attributes:
        url: as it is sent, without fragment.
        host: the name or literal address, in lower case, without brackets.
        port: that is connected to.
        literal: the host as an address; None for a name, which must be looked up.
    """

    url: str
    host: str
    port: int
    literal: Address | None

    @property
    def is_encrypted(self) -> bool:
        """Whether it is asked over https."""
        return self.url.startswith("https:")

    @property
    def is_this_computer(self) -> bool:
        """Whether its spelling says that it is this computer."""
        return host_kind(self.host) == "loopback"


def read_target(url: str, policy: FetchPolicy) -> Target:
    """Read an address, and check what can be seen without asking anybody.

    Raises:
        FetchError: it is none that may be fetched; `rule` says why.

    >>> read_target("https://API.example.com/a?b#c", FetchPolicy()).url
    'https://api.example.com/a?b'
    >>> read_target("https://0x7f.1/", FetchPolicy())
    Traceback (most recent call last):
    skillproto.discovery.failures.FetchError: https://0x7f.1/: The address leads to this computer itself
    [descriptor/private-address]
    """
    target = _parsed(url)
    kind = _refused_kind(target, policy)
    if kind is not None:
        raise private("descriptor/private-address", kind, "The address", url)
    if not target.is_encrypted and not (policy.allow_http or target.is_this_computer):
        raise FetchError("descriptor/insecure-url", "http", "Plain http is not fetched; use https", url=url)
    return target


def private(rule: str, kind: HostKind, what: str, url: str) -> FetchError:
    """Make the error about a place that must not be reached."""
    return FetchError(rule, kind, f"{what} leads to {_WORDS[kind]}", url=url)


def _parsed(url: str) -> Target:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _malformed(url) from None
    if len(url) > LONGEST_URL or _NOT_IN_URLS.search(url):
        raise _malformed(url)
    if parts.scheme not in _DEFAULT_PORTS:
        raise FetchError("schema/format", "scheme", "Only http and https are fetched", url=url)
    if "@" in parts.netloc:
        raise FetchError("descriptor/url-credentials", "user", "The address carries a user part", url=url)
    host = parts.hostname or ""
    literal = literal_of(host) if ":" not in host or f"[{host}]" in parts.netloc.lower() else None
    is_future = "[" in parts.netloc and literal is None  # "[v1.x]", a form that nobody speaks
    if port == 0 or "%" in host or is_future or (literal is None and not _NAME.fullmatch(host)):
        raise _malformed(url)
    shown = f"[{host}]" if ":" in host else host
    number = _DEFAULT_PORTS[parts.scheme] if port is None else port
    netloc = shown if number == _DEFAULT_PORTS[parts.scheme] else f"{shown}:{number}"
    whole = urlunsplit((parts.scheme, netloc, parts.path or "/", parts.query, ""))
    return Target(whole, host, number, literal)


def _malformed(url: str) -> FetchError:
    return FetchError("schema/format", "malformed", "This is no absolute http or https address in ASCII", url=url)


def _refused_kind(target: Target, policy: FetchPolicy) -> HostKind | None:
    """Name the kind of place that a spelling leads to, unless it may be reached, or DNS has to tell."""
    address = target.literal or address_of(target.host.rstrip("."))  # some names name an address
    if address is not None:
        return policy.refusal_of(address)
    kind = host_kind(target.host)
    if kind == "loopback":
        return None if policy.reaches_this_computer else kind
    return None if kind in ("private", "link-local") and policy.allow_private else kind
