"""What may be fetched, from where, and how much of it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

from skillproto.errors import UsageError
from skillproto.rules.hosts import HostKind, address_kind

Address = IPv4Address | IPv6Address

_GLOBAL_UNICAST = IPv6Network("2000::/3")
_LONGEST_MS = 3_600_000
_MOST_REDIRECTS = 20


@dataclass(frozen=True, slots=True)
class FetchPolicy:
    """What may be fetched, from where, and how much of it; the same for a whole run.

    Args:
        allow_private: networks in CIDR form, such as "10.0.0.0/8", that may be reached although they
            are not public, for those who test inside. Exactly these; a cloud's metadata service never.
        allow_http: whether plain http is let pass. To this computer it is, where `allow_private` names it.
        timeout_ms: for one address, from the look-up of its name to the last byte, redirects included.
        max_bytes: of a body, as sent and as inflated; more is an error.
        max_redirects: that are followed for one address.

    Raises:
        UsageError: a value that can never work.

    >>> FetchPolicy(allow_private=("127.0.0.0/8",)).timeout_ms
    10000
    >>> FetchPolicy(allow_private=("127.0.0.1/8",))
    Traceback (most recent call last):
    skillproto.errors.UsageError: '127.0.0.1/8' is no network in CIDR form, such as 10.0.0.0/8 or fd00::/8
    """

    allow_private: tuple[str, ...] = ()
    allow_http: bool = False
    timeout_ms: int = 10_000
    max_bytes: int = 4 * 1024 * 1024
    max_redirects: int = 5
    _networks: tuple[IPv4Network | IPv6Network, ...] = field(init=False, repr=False, compare=False, default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "allow_private", _several(self.allow_private))
        object.__setattr__(self, "_networks", tuple(_network(text) for text in self.allow_private))
        _require(self.timeout_ms, "timeout_ms", 1, _LONGEST_MS)
        _require(self.max_bytes, "max_bytes", 1, 1 << 40)
        _require(self.max_redirects, "max_redirects", 0, _MOST_REDIRECTS)

    @property
    def reaches_this_computer(self) -> bool:
        """Whether a network of this computer itself is allowed."""
        return any(network.network_address.is_loopback for network in self._networks)

    def refusal_of(self, address: Address) -> HostKind | None:
        """Say what kind of place an address is that may not be reached; None for one that may.

        >>> from ipaddress import ip_address
        >>> policy = FetchPolicy(allow_private=("10.1.0.0/16",))
        >>> [policy.refusal_of(ip_address(text)) for text in ("10.1.2.3", "::ffff:10.2.0.1", "1.1.1.1")]
        [None, 'private', None]
        """
        kind = _kind(address)
        if kind is None or kind == "metadata":
            return kind
        plain = address.ipv4_mapped if isinstance(address, IPv6Address) and address.ipv4_mapped else address
        return None if any(plain.version == each.version and plain in each for each in self._networks) else kind


def _kind(address: Address) -> HostKind | None:
    kind = address_kind(address)
    if kind is None and isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST:
        is_translated = address_kind(IPv4Address(int(address) & 0xFFFFFFFF)) is None and _carries_ipv4(address)
        return None if is_translated else "reserved"
    return kind


def _carries_ipv4(address: IPv6Address) -> bool:
    return address.ipv4_mapped is not None or int(address) >> 32 == 0x64FF9B << 64


def _several(given: Iterable[str]) -> tuple[str, ...]:
    if isinstance(given, str):
        raise UsageError("allow_private takes several networks; write ('10.0.0.0/8',)")
    return tuple(given)


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text)
    except ValueError:
        raise UsageError(f"{text!r} is no network in CIDR form, such as 10.0.0.0/8 or fd00::/8") from None


def _require(value: int, name: str, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UsageError(f"{name} must be a whole number from {least} to {most}, not {value!r}")
