"""Say what kind of place a host name or address leads to, however it is spelled.

Pure: no name is looked up. A browser, a resolver and `inet_aton` read `127.1`, `0x7f.1`,
`2130706433` and `[::ffff:127.0.0.1]` as the same place, so all of them are read here too.
"""

import re
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

HostKind = Literal["loopback", "link-local", "metadata", "private", "reserved"]

_METADATA_NAMES = frozenset({"metadata", "metadata.google.internal", "instance-data", "metadata.azure.internal"})
_METADATA_ADDRESSES = frozenset(
    {"169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254"}
)
_LOOPBACK_NAMES = frozenset(
    {"localhost", "localhost.localdomain", "localhost6", "ip6-localhost", "ip6-loopback", "loopback"}
)
_LOOPBACK_SUFFIXES = (".localhost", ".localtest.me", ".lvh.me", ".vcap.me", ".localdomain")
_PRIVATE_SUFFIXES = (
    ".local", ".internal", ".intranet", ".lan", ".home", ".corp", ".private", ".svc", ".onion",
    ".home.arpa", ".in-addr.arpa", ".ip6.arpa",
)  # fmt: skip
_WILDCARD_DNS = re.compile(
    r"(?:^|[.-])((?:[0-9]{1,3}[.-]){3}[0-9]{1,3}|[0-9a-f]{8})\.(?:nip\.io|sslip\.io|xip\.io|traefik\.me)$"
)
_PART = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
_MOST_PARTS = 4


def host_of(url: str) -> str | None:
    """Give the host of an address, without brackets and port; None where there is none.

    >>> host_of("https://ann@[::1]:8443/a"), host_of("mailto:ann@host")
    ('::1', None)
    """
    try:
        return urlsplit(url.replace("{", "%7B").replace("}", "%7D")).hostname
    except ValueError:
        return None


def host_kind(host: str) -> HostKind | None:
    """Say what kind of place a host is; None for one that the whole network can reach.

    Source: RFC 6761 and 6762 for names, the IANA special-purpose registries for addresses.

    >>> [host_kind(h) for h in ("2130706433", "0x7f.1", "::ffff:10.0.0.1", "api.example.com")]
    ['loopback', 'loopback', 'private', None]
    """
    name = _plain(host)
    if name in _METADATA_NAMES:
        return "metadata"
    if name in _LOOPBACK_NAMES or name.endswith(_LOOPBACK_SUFFIXES) or f".{name}" in _LOOPBACK_SUFFIXES:
        return "loopback"
    address = address_of(name)
    if address is not None:
        return address_kind(address)
    if name.endswith(_PRIVATE_SUFFIXES) or (name and "." not in name):
        return "private"
    return None


def _plain(host: str) -> str:
    from unicodedata import normalize

    name = normalize("NFKC", unquote(host)).strip().strip("[]").rstrip(".").lower().replace("。", ".")
    return name.partition("%")[0]


def address_of(name: str) -> "IPv4Address | IPv6Address | None":
    """Read a host as an IP address, in every spelling that a resolver takes.

    >>> str(address_of("0177.0.0.1")), str(address_of("10.257")), address_of("a.example")
    ('127.0.0.1', '10.0.1.1', None)
    """
    wildcard = _WILDCARD_DNS.search(name)
    if wildcard:
        inside = wildcard[1]
        name = inside.replace("-", ".") if "-" in inside or "." in inside else f"0x{inside}"
    return literal_of(name)


def literal_of(name: str) -> "IPv4Address | IPv6Address | None":
    """Read a host that is an IP address itself; None for a name, also for one that names an address.

    >>> str(literal_of("2130706433")), literal_of("127.0.0.1.nip.io")
    ('127.0.0.1', None)
    """
    import ipaddress

    if ":" in name:
        try:
            return ipaddress.IPv6Address(name)
        except ValueError:
            return None
    number = _aton(name)
    return None if number is None else ipaddress.IPv4Address(number)


def _aton(name: str) -> int | None:
    """Read an IPv4 address as inet_aton does: up to four parts, the last fills what is left."""
    texts = name.split(".")
    if len(texts) > _MOST_PARTS or not all(_PART.fullmatch(text) for text in texts):
        return None
    if any(len(text) > len("037777777777") for text in texts):
        return None
    try:
        *heads, last = (_number(text) for text in texts)
    except ValueError:
        return None
    if any(head > 0xFF for head in heads) or last >= 256 ** (_MOST_PARTS - len(heads)):
        return None
    return int(last + sum(head << (24 - 8 * i) for i, head in enumerate(heads)))


def _number(text: str) -> int:
    if text[:2].lower() == "0x":
        return int(text[2:] or "0", 16)
    return int(text, 8 if len(text) > 1 and text.startswith("0") else 10)


def address_kind(address: "IPv4Address | IPv6Address") -> HostKind | None:
    """Say what kind of place an IP address is; None for a public one.

    >>> from ipaddress import ip_address
    >>> address_kind(ip_address("100.64.0.1")), address_kind(ip_address("2606:4700::1"))
    ('private', None)
    """
    address = _inner(address)
    if str(address) in _METADATA_ADDRESSES:
        return "metadata"
    if address.is_loopback or address.is_unspecified:
        return "loopback"
    if address.is_link_local or (address.version == 6 and address.is_site_local):
        return "link-local"
    if address.is_multicast or address.is_reserved or _is_documentation(str(address)):
        return "reserved"
    return None if address.is_global else "private"


def _inner(address: "IPv4Address | IPv6Address") -> "IPv4Address | IPv6Address":
    """Take the IPv4 address out of an IPv6 one that only carries it (mapped, compatible, NAT64, 6to4)."""
    from ipaddress import IPv4Address

    if isinstance(address, IPv4Address):
        return address
    number = int(address)
    is_mapped, is_nat64 = number >> 32 == 0xFFFF, number >> 32 == 0x64FF9B << 64
    is_compatible = number >> 32 == 0 and number >> 16 != 0
    if is_mapped or is_nat64 or is_compatible:
        return IPv4Address(number & 0xFFFFFFFF)
    return address.sixtofour or address


def _is_documentation(text: str) -> bool:
    return text.startswith(("192.0.2.", "198.51.100.", "203.0.113.", "192.88.99.", "2001:db8:", "3fff:"))
