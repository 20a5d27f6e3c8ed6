"""What strangers' addresses try, and that none of it reaches the private side.

In the small internet of these tests a connection to any address that is not public ends in the
trap; after each test the trap must have seen none.
"""

import gzip
import socket
import time
from datetime import UTC, datetime
from typing import Any

import pytest

from skillproto.discovery import Fetcher, FetchError, FetchPolicy
from tests.discovery.world import AUTHORITY, Asked, Site, World, redirect, reply

PRIVATE = {
    "loopback": "127.0.0.1",
    "loopback, elsewhere in its network": "127.8.9.10",
    "loopback, IPv6": "[::1]",
    "unspecified": "0.0.0.0",
    "unspecified, IPv6": "[::]",
    "class A": "10.0.0.1",
    "class B": "172.16.0.1",
    "class C": "192.168.1.1",
    "carrier-grade": "100.64.0.1",
    "link-local": "169.254.1.1",
    "link-local, IPv6": "[fe80::1]",
    "site-local, IPv6": "[fec0::1]",
    "unique local, IPv6": "[fd00::1]",
    "metadata": "169.254.169.254",
    "metadata, IPv6": "[fd00:ec2::254]",
    "metadata, another cloud's": "100.100.100.200",
    "metadata, by name": "metadata.google.internal",
    "multicast": "224.0.0.1",
    "broadcast": "255.255.255.255",
    "documentation": "203.0.113.7",
    "reserved, IPv6": "[4000::1]",
    "mapped": "[::ffff:10.0.0.1]",
    "mapped, in hex": "[::ffff:7f00:1]",
    "compatible": "[::127.0.0.1]",
    "NAT64": "[64:ff9b::7f00:1]",
    "NAT64, local": "[64:ff9b:1::7f00:1]",
    "6to4": "[2002:7f00:1::]",
    "Teredo": "[2001:0:7f00:1::]",
    "translated": "[::ffff:0:7f00:1]",
    "decimal": "2130706433",
    "octal": "0177.0.0.1",
    "octal with more zeros": "00000177.0.0.01",
    "hex": "0x7f000001",
    "hex parts": "0x7f.0x0.0x0.0x1",
    "short": "127.1",
    "short, three parts": "127.0.1",
    "mixed": "0x7f.1",
    "trailing dot": "127.0.0.1.",
    "localhost": "localhost",
    "localhost, upper case": "LOCALHOST",
    "below localhost": "skills.localhost",
    "localhost, dot": "localhost.",
    "a name for loopback": "localtest.me",
    "wildcard DNS": "10.0.0.1.nip.io",
    "wildcard DNS, dashes": "a-127-0-0-1.sslip.io",
    "single word": "intranet",
    "internal name": "skills.internal",
    "mDNS": "printer.local",
}
"""Places that a spelling alone gives away."""

ODD = {
    "file": ("file:///etc/passwd", "schema/format"),
    "ftp": ("ftp://files.example/a", "schema/format"),
    "gopher": ("gopher://127.0.0.1:70/_x", "schema/format"),
    "data": ("data:application/json,{}", "schema/format"),
    "no scheme": ("//host.example/a", "schema/format"),
    "relative": ("/etc/passwd", "schema/format"),
    "empty": ("", "schema/format"),
    "no host": ("https:///a", "schema/format"),
    "user": ("https://ann@127.0.0.1/", "descriptor/url-credentials"),
    "a host as user": ("https://good.example@127.0.0.1/", "descriptor/url-credentials"),
    "a host as user and password": ("https://good.example:443@127.0.0.1/", "descriptor/url-credentials"),
    "backslash": ("https://good.example\\@127.0.0.1/", "schema/format"),
    "backslashes for slashes": ("https:\\\\127.0.0.1/", "schema/format"),
    "tab in the scheme": ("ht\ttps://127.0.0.1/", "schema/format"),
    "line end": ("https://good.example/\r\nHost: 127.0.0.1", "schema/format"),
    "line end in the host": ("https://good.example\r\n.127.0.0.1/", "schema/format"),
    "space": ("https://good.example /", "schema/format"),
    "null": ("https://good.example\x00.127.0.0.1/", "schema/format"),
    "full-width digits": ("https://\uff11\uff12\uff17.\uff10.\uff10.\uff11/", "schema/format"),
    "a circled letter": ("https://\u24dbocalhost/", "schema/format"),
    "an ideographic dot": ("https://127\u30020\u30020\u30021/", "schema/format"),
    "percent in the host": ("https://%31%32%37.0.0.1/", "schema/format"),
    "a scope": ("https://[fe80::1%25lo]/", "schema/format"),
    "brackets that do not match": ("https://[::1/", "schema/format"),
    "a port that is none": ("https://good.example:70000/", "schema/format"),
    "port zero": ("https://good.example:0/", "schema/format"),
    "very long": ("https://good.example/" + "a" * 9000, "schema/format"),
    "plain http": ("http://good.example/", "descriptor/insecure-url"),
}


def refused(fetcher: Fetcher, url: str, **options: Any) -> FetchError:
    with fetcher, pytest.raises(FetchError) as caught:
        fetcher.get(url, **options)
    return caught.value


@pytest.mark.parametrize("scheme", ["https", "http"])
@pytest.mark.parametrize("host", PRIVATE.values(), ids=PRIVATE.keys())
def test_a_private_place_is_refused_by_its_spelling_alone(host: str, scheme: str, world: World) -> None:
    error = refused(world.fetcher(FetchPolicy(allow_http=True)), f"{scheme}://{host}/")
    assert (error.rule, error.chain, world.looked_up) == ("descriptor/private-address", (), [])


@pytest.mark.parametrize(("url", "rule"), ODD.values(), ids=ODD.keys())
def test_an_odd_address_is_refused_with_its_rule(url: str, rule: str, world: World) -> None:
    world.site("good.example", {"/": reply(b"{}")})
    error = refused(world.fetcher(), url)
    assert (error.rule, world.looked_up) == (rule, [])


@pytest.mark.parametrize("host", PRIVATE.values(), ids=PRIVATE.keys())
def test_a_redirect_to_a_private_place_is_not_followed(host: str, world: World) -> None:
    world.site("good.example", {"/": redirect(f"https://{host}/x")})
    error = refused(world.fetcher(), "https://good.example/")
    assert (error.rule, [hop.status for hop in error.chain]) == ("probe/private-address", [302])


@pytest.mark.parametrize(
    "name",
    [
        "file",
        "ftp",
        "gopher",
        "data",
        "user",
        "a host as user",
        "backslash",
        "a scope",
        "backslashes for slashes",
        "percent in the host",
        "a port that is none",
        "port zero",
        "very long",
        "plain http",
    ],
)
def test_a_redirect_to_an_odd_address_is_not_followed(name: str, world: World) -> None:
    site = world.site("good.example", {"/": redirect(ODD[name][0])})
    error = refused(world.fetcher(), "https://good.example/")
    assert (error.rule, site.paths) == ("probe/redirect", ["/"])


ADDRESSES = [
    "127.0.0.1", "10.0.0.1", "192.168.0.1", "169.254.1.1", "169.254.169.254", "::1", "fe80::1", "fd00::1",
    "fec0::1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::a00:1", "2002:a00:1::", "0.0.0.0", "224.0.0.1",
    "fe80::1%lo",
]  # fmt: skip


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_name_that_leads_to_a_private_address_is_refused(address: str, world: World) -> None:
    world.name("inside.example", [address])
    error = refused(world.fetcher(), "https://inside.example/")
    assert error.rule == "probe/private-address"


@pytest.mark.parametrize("order", ["public first", "private first"])
@pytest.mark.parametrize("address", ADDRESSES)
def test_a_name_with_a_public_and_a_private_address_is_refused(address: str, order: str, world: World) -> None:
    site = world.site("both.example", {"/": reply(b"{}")})
    both = [*world.addresses("both.example"), address]
    world.name("both.example", both if order == "public first" else both[::-1])
    error = refused(world.fetcher(), "https://both.example/")
    assert (error.rule, site.connections) == ("probe/private-address", 0)


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_redirect_to_a_name_that_leads_inside_is_not_followed(address: str, world: World) -> None:
    world.site("good.example", {"/": redirect("https://inside.example/")})
    world.name("inside.example", [address])
    error = refused(world.fetcher(), "https://good.example/")
    assert (error.rule, len(error.chain)) == ("probe/private-address", 2)


def test_a_name_that_changes_after_the_check_changes_nothing(
    world: World, family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    site = world.site("rebind.example", {"/": reply(b"{}")})
    world.name("rebind.example", world.addresses("rebind.example"), ["127.0.0.1"])
    real = socket.getaddrinfo

    def spy(host: Any, *args: Any, **options: Any) -> Any:
        asked.append(str(host))
        return real(host, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", spy)
    with world.fetcher() as fetcher:
        assert fetcher.get("https://rebind.example/").status == 200
        with pytest.raises(FetchError, match="probe/private-address"):
            fetcher.get("https://rebind.example/")
    assert (world.looked_up, site.connections) == (["rebind.example"] * 2, 1)
    assert "rebind.example" not in asked


def test_a_real_socket_behind_localhost_sees_no_connection() -> None:
    with Site({"/": reply(b"{}")}) as inside, Fetcher(FetchPolicy(allow_http=True)) as fetcher:
        for host in ("127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "0", "127.1"):
            with pytest.raises(FetchError, match="descriptor/private-address"):
                fetcher.get(f"http://{host}:{inside.port}/")
        time.sleep(0.05)
        assert inside.connections == 0


def test_a_real_redirect_from_an_allowed_network_to_another_private_one_is_refused() -> None:
    with Site() as outside, Site() as inside, Fetcher(FetchPolicy(allow_private=("127.0.0.1/32",))) as fetcher:
        outside.answers["/"] = redirect(f"http://127.0.0.2:{inside.port}/")
        with pytest.raises(FetchError, match="probe/private-address"):
            fetcher.get(f"http://127.0.0.1:{outside.port}/")
        assert inside.connections == 0


def bomb(connection: socket.socket, asked: Asked) -> bytes:
    return reply(gzip.compress(bytes(20_000_000)), "Content-Encoding: gzip")


def endless(connection: socket.socket, asked: Asked) -> None:
    connection.sendall(b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        connection.sendall(b"10000\r\n" + bytes(0x10000) + b"\r\n")


def drip(connection: socket.socket, asked: Asked) -> None:
    connection.sendall(b"HTTP/1.1 200 X\r\n")
    while True:
        connection.sendall(b"X-A: 1\r\n")
        time.sleep(0.02)


def drip_body(connection: socket.socket, asked: Asked) -> None:
    connection.sendall(b"HTTP/1.1 200 X\r\nContent-Length: 100000\r\n\r\n")
    while True:
        connection.sendall(b" ")
        time.sleep(0.02)


def informational(connection: socket.socket, asked: Asked) -> None:
    while True:
        connection.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n")
        time.sleep(0.002)


SLOW_OR_LARGE = {
    "gzip bomb": (bomb, "document/too-large", "too_large"),
    "endless body": (endless, "document/too-large", "too_large"),
    "slow header": (drip, "probe/unreachable", "timeout"),
    "slow body": (drip_body, "probe/unreachable", "timeout"),
    "endless hints": (informational, "probe/unreachable", "timeout"),
    "silence": (lambda connection, asked: connection.recv(1) and None, "probe/unreachable", "timeout"),
    "huge header": (reply(b"{}", "X-A: " + "a" * 200_000), "probe/unreachable", "protocol"),
    "no HTTP": (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "probe/unreachable", "protocol"),
    "half a body": (lambda connection, asked: connection.sendall(b"HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\n{"),
                    "probe/unreachable", "cut_short"),
    "no gzip": (reply(b"plain", "Content-Encoding: gzip"), "probe/unreachable", "bad_encoding"),
    "unknown compression": (reply(b"plain", "Content-Encoding: br"), "probe/unreachable", "bad_encoding"),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "rule", "reason"), SLOW_OR_LARGE.values(), ids=SLOW_OR_LARGE.keys())
def test_an_answer_is_bounded_in_time_and_size(answer: Any, rule: str, reason: str, world: World, family: str) -> None:
    world.site("bad.example", {"/": answer})
    started = time.monotonic()
    error = refused(
        world.fetcher(FetchPolicy(timeout_ms=300 if reason == "timeout" else 9000, max_bytes=100_000)),
        "https://bad.example/",
    )
    assert (error.rule, error.reason) == (rule, reason)
    assert time.monotonic() - started < (3 if reason == "timeout" else 9)


def test_a_slow_look_up_ends_with_the_deadline(world: World) -> None:
    def slow(host: str, port: int) -> list[str]:
        time.sleep(0.6)
        return ["93.184.216.1"]

    with Fetcher(FetchPolicy(timeout_ms=100), resolver=slow) as fetcher, pytest.raises(FetchError) as caught:
        fetcher.get("https://slow.example/")
    assert (caught.value.rule, caught.value.reason) == ("probe/unreachable", "timeout")


def test_one_deadline_holds_for_all_redirects_together(world: World) -> None:
    def later(connection: socket.socket, asked: Asked) -> bytes:
        time.sleep(0.15)
        return redirect(asked.path + "x")

    world.site("bad.example", {"/" + "x" * n: later for n in range(9)})
    error = refused(world.fetcher(FetchPolicy(timeout_ms=350, max_redirects=9)), "https://bad.example/")
    assert error.reason == "timeout"
    assert len(error.chain) <= 3


def test_a_redirect_loop_is_seen(world: World) -> None:
    site = world.site("loop.example", {"/a": redirect("/b"), "/b": redirect("/a")})
    error = refused(world.fetcher(), "https://loop.example/a")
    assert (error.rule, error.reason, site.paths) == ("probe/redirect", "loop", ["/a", "/b"])


def test_redirects_are_bounded(world: World) -> None:
    site = world.site("far.example", {f"/{n}": redirect(f"/{n + 1}") for n in range(20)})
    error = refused(world.fetcher(FetchPolicy(max_redirects=3)), "https://far.example/0")
    assert (error.rule, error.reason, site.paths) == ("probe/redirect", "too_many", ["/0", "/1", "/2", "/3"])


@pytest.mark.parametrize("allow_http", [False, True])
def test_https_never_leads_to_http(allow_http: bool, world: World) -> None:
    world.site("good.example", {"/": redirect("http://plain.example/")})
    plain = world.plain_site("plain.example", {"/": reply(b"{}")})
    error = refused(world.fetcher(FetchPolicy(allow_http=allow_http)), "https://good.example/")
    assert (error.rule, plain.connections) == ("probe/redirect", 0)


def test_a_line_end_in_a_redirect_stays_what_it_is(world: World) -> None:
    site = world.site("good.example", {"/": redirect("/a%0d%0aX-Injected:%201")})
    with world.fetcher() as fetcher:
        assert fetcher.get("https://good.example/").status == 404
    assert site.paths[1] == "/a%0d%0aX-Injected:%201"
    assert "x-injected" not in site.asked[1].headers


@pytest.mark.parametrize(
    "raw",
    [b"/a\rX-Injected: 1", b"/a\n X-Injected: 1", b"/a X", b"/\xc3\xa9", b"", b"/a\x00b"],
    ids=["bare CR", "folded", "space", "not ASCII", "empty", "null"],
)
def test_a_malformed_redirect_is_refused(raw: bytes, world: World) -> None:
    head = b"HTTP/1.1 302 X\r\nContent-Length: 0\r\nLocation: " + raw + b"\r\n\r\n"
    site = world.site("good.example", {"/": head})
    error = refused(world.fetcher(), "https://good.example/")
    assert error.rule in ("probe/redirect", "probe/unreachable")
    assert site.paths == ["/"]


def test_two_places_in_one_redirect_are_refused(world: World) -> None:
    world.site("good.example", {"/": reply(b"", "Location: /a", "Location: https://127.0.0.1/", status=302)})
    assert refused(world.fetcher(), "https://good.example/").rule == "probe/redirect"


def test_credentials_stay_with_their_origin(world: World, family: str) -> None:
    good = world.site("good.example", {"/": redirect("/b"), "/b": redirect("https://other.example/")})
    other = world.site("other.example", {"/": redirect("https://good.example/c")})
    good.answers["/c"] = reply(b"{}")
    with world.fetcher() as fetcher:
        fetcher.get("https://good.example/", credentials={"X-API-Key": "s3cret-s3cret"})
    assert [asked.headers.get("x-api-key") for asked in good.asked] == ["s3cret-s3cret", "s3cret-s3cret", None]
    assert "x-api-key" not in other.asked[0].headers


def test_another_port_is_another_origin() -> None:
    with Site() as first, Site({"/": reply(b"{}")}) as second:
        first.answers["/"] = redirect(f"http://127.0.0.1:{second.port}/")
        with Fetcher(FetchPolicy(allow_private=("127.0.0.0/8",))) as fetcher:
            fetcher.get(f"http://127.0.0.1:{first.port}/", credentials="s3cret-s3cret")
        assert "authorization" in first.asked[0].headers
        assert "authorization" not in second.asked[0].headers


def test_nothing_of_the_surroundings_takes_part(
    world: World, family: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    with Site() as proxy:
        for name in ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        netrc = tmp_path / "netrc"
        netrc.write_text("machine good.example login ann password s3cret\n")
        netrc.chmod(0o600)
        monkeypatch.setenv("NETRC", str(netrc))
        site = world.site("good.example", {"/": reply(b"{}", "Set-Cookie: a=b; Secure")})
        with world.fetcher() as fetcher:
            fetcher.get("https://good.example/")
            fetcher.get("https://good.example/")
        assert proxy.connections == 0
        assert [set(asked.headers) & {"cookie", "authorization"} for asked in site.asked] == [set(), set()]


def test_tls_keeps_the_name_although_the_connection_is_pinned(world: World, family: str) -> None:
    world.site("other.example", {"/": reply(b"{}")})
    world.name("good.example", world.addresses("other.example"))
    error = refused(world.fetcher(), "https://good.example/")
    assert (error.rule, error.message) == ("probe/tls-invalid", "The certificate is for another name")


def test_the_server_is_told_the_name_in_the_handshake(world: World) -> None:
    told: list[str | None] = []
    site = world.site("good.example", {"/": reply(b"{}")})
    assert site.context is not None
    site.context.sni_callback = lambda connection, name, context: told.append(name)
    with world.fetcher() as fetcher:
        fetched = fetcher.get("https://good.example/")
    assert told == ["good.example"]
    assert site.asked[0].headers["host"] == "good.example"
    assert fetched.certificate is not None
    assert "notAfter" in fetched.certificate


def test_a_certificate_of_an_unknown_authority_is_refused(world: World) -> None:
    world.site("good.example", {"/": reply(b"{}")})
    with Fetcher(resolver=world.resolve, route=world.route) as fetcher, pytest.raises(FetchError) as caught:
        fetcher.get("https://good.example/")
    assert (caught.value.rule, caught.value.was_refused) == ("probe/tls-invalid", True)
    assert "authority" in caught.value.message


def test_an_expired_certificate_is_refused_as_such(world: World) -> None:
    site = world.site("good.example", {"/": reply(b"{}")})
    assert site.context is not None
    AUTHORITY.issue_cert("good.example", not_after=datetime(2001, 1, 1, tzinfo=UTC)).configure_cert(site.context)
    error = refused(world.fetcher(), "https://good.example/")
    assert (error.rule, error.message) == ("probe/tls-invalid", "The certificate has expired")
