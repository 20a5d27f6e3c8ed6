from ipaddress import ip_address

import pytest

from skillproto.rules import address_kind, host_kind
from skillproto.rules.hosts import address_of, host_of

KINDS = {
    "loopback": """
        localhost LOCALHOST localhost. a.localhost localhost.localdomain ip6-localhost 127.0.0.1 127.1 127.255.255.254
        2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 0 0.0.0.0 ::1 [::1] :: 0:0:0:0:0:0:0:1 ::ffff:127.0.0.1
        ::ffff:7f00:1 ::127.0.0.1 64:ff9b::7f00:1 2002:7f00:1:: \uff11\uff12\uff17.\uff10.\uff10.\uff11
        127\u30020\u30020\u30021
        %31%32%37.0.0.1 127.0.0.1.nip.io app-127-0-0-1.sslip.io 7f000001.nip.io www.localtest.me lvh.me
    """,
    "link-local": "169.254.1.1 fec0::1 fe80::1 fe80::1%25eth0 ::ffff:169.254.9.9",
    "metadata": """
        169.254.169.254 2852039166 0xa9fea9fe metadata.google.internal METADATA instance-data ::ffff:169.254.169.254
        100.100.100.200 fd00:ec2::254 169.254.170.2
    """,
    "private": """
        10.0.0.1 10.1 012.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 fc00::1 fd12:3456::1 ::ffff:10.0.0.1
        [::ffff:10.0.0.1] intranet db.internal printer.local nas.lan x.svc router.home.arpa 10.0.0.1.xip.io
        10-0-0-1.sslip.io
    """,
    "reserved": """
        192.0.2.1 198.51.100.7 203.0.113.9 224.0.0.1 255.255.255.255 240.0.0.1 192.88.99.1 2001:db8::1 3fff::1 ff02::1
    """,
}
PUBLIC = """
    api.example.com 8.8.8.8 172.32.0.1 2606:4700::1111 localhost.example.com local.example internal.example.org
    127.0.0.1.example.com 1.2.3.4.5 a.b xn--bcher-kva.example ::ffff:8.8.8.8 0x7f.1.example.com 8.8.8.8.nip.io
"""


@pytest.mark.parametrize(("host", "kind"), [(host, kind) for kind, hosts in KINDS.items() for host in hosts.split()])
def test_a_host_that_is_not_public_is_known_in_every_spelling(host: str, kind: str) -> None:
    assert host_kind(host) == kind


@pytest.mark.parametrize("host", PUBLIC.split())
def test_a_public_host_has_no_kind(host: str) -> None:
    assert host_kind(host) is None


@pytest.mark.parametrize(
    "text", ["256.1.1.1", "1.2.3.4.5", "08.0.0.1", "1..2", "", "1.2.3.999", "99999999999999", "a:b"]
)
def test_what_no_resolver_takes_for_a_number_is_no_address(text: str) -> None:
    assert address_of(text) is None


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://a.example.com:8443/x", "a.example.com"),
        ("https://u:p@a.example.com/", "a.example.com"),
        ("https://[::1]:80/", "::1"),
        ("https://[::1", None),
        ("https://a.example.com/{execution_id}", "a.example.com"),
        ("no address", None),
    ],
)
def test_the_host_of_an_address_is_found(url: str, host: str | None) -> None:
    assert host_of(url) == host


def test_an_address_that_dns_gave_is_judged_alike() -> None:
    assert address_kind(ip_address("169.254.169.254")) == "metadata"
    assert address_kind(ip_address("1.1.1.1")) is None
