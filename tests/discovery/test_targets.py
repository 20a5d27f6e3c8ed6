"""Whatever is written, it is read as one place, or refused."""

from ipaddress import IPv4Address

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillproto.discovery import FetchError, FetchPolicy, failures, fetching
from skillproto.discovery.targets import read_target
from skillproto.rules import CATALOGUE


def _spellings(address: IPv4Address) -> list[str]:
    number = int(address)
    parts = [number >> shift & 255 for shift in (24, 16, 8, 0)]
    return [
        str(address),
        str(number),
        hex(number),
        f"0{number:o}",
        ".".join(map(hex, parts)),
        ".".join(f"0{part:o}" for part in parts),
        f"{parts[0]}.{number & 0xFFFFFF}",
        f"{parts[0]}.{parts[1]}.{number & 0xFFFF}",
        f"[::ffff:{address}]",
        f"[::ffff:{number >> 16:x}:{number & 0xFFFF:x}]",
        f"[::{address}]" if number >> 16 else "[::1]",
        f"[64:ff9b::{address}]",
        f"[2002:{number >> 16:x}:{number & 0xFFFF:x}::1]",
        f"{address}.nip.io",
        f"x-{str(address).replace('.', '-')}.sslip.io",
    ]


@given(data=st.data())
def test_no_spelling_of_a_private_address_gets_through(data: st.DataObject) -> None:
    network = data.draw(
        st.sampled_from(["10.0.0.0/8", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"])
    )
    address = data.draw(st.ip_addresses(v=4, network=network))
    assert isinstance(address, IPv4Address)
    spelling = data.draw(st.sampled_from(_spellings(address)))
    case = data.draw(st.sampled_from([str.lower, str.upper]))
    with pytest.raises(FetchError) as caught:
        read_target(f"https://{case(spelling)}/", FetchPolicy(allow_private=("100.64.0.0/10",)))
    assert caught.value.rule == "descriptor/private-address"


def test_an_address_of_a_future_version_is_no_host_name() -> None:
    with pytest.raises(FetchError) as caught:
        read_target("https://[v1.example.com]/", FetchPolicy())
    assert caught.value.rule == "schema/format"


@given(
    url=st.one_of(
        st.text(max_size=60), st.text("htps:/@[]%.0123456789abcdefx#?\\ \t\n-", max_size=60).map("http".__add__)
    )
)
def test_whatever_is_written_is_read_as_one_place_or_refused(url: str) -> None:
    try:
        target = read_target(url, FetchPolicy(allow_http=True))
    except FetchError:
        return
    again = httpx.URL(target.url)
    assert (again.host, again.port or {"http": 80, "https": 443}[again.scheme]) == (target.host, target.port)
    assert again.userinfo == b""


def test_every_rule_that_a_failure_names_is_in_the_catalogue() -> None:
    named = {*fetching._RULES.values(), *failures._EXPECTED, "probe/unreachable"}
    assert named <= set(CATALOGUE)
