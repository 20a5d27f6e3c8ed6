"""What a fetcher gives, and how it behaves towards the hosts it asks."""

import pickle
import socket
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import anyio
import pytest

from skillproto.discovery import Fetcher, FetchError, FetchPolicy
from skillproto.errors import SkillprotoError, UsageError
from skillproto.invocation import _backends, _deadline
from tests.discovery.world import AUTHORITY, Asked, Site, World, redirect, reply

INSIDE = FetchPolicy(allow_private=("127.0.0.0/8", "::1/128"))


def test_a_reply_comes_with_the_way_to_it(world: World, family: str) -> None:
    site = world.site("good.example", {"/a": redirect("/b?c#d"), "/b?c": reply(b'{"a": 1}')})
    with world.fetcher() as fetcher:
        fetched = fetcher.get("HTTPS://Good.Example:443/a#x")
    assert (fetched.status, fetched.body, fetched.media_type) == (200, b'{"a": 1}', "application/json")
    assert fetched.final_url == "https://good.example/b?c"
    assert [(hop.status, hop.addresses) for hop in fetched.chain] == [
        (302, tuple(world.addresses("good.example"))),
        (200, tuple(world.addresses("good.example"))),
    ]
    assert site.asked[0].headers["user-agent"].startswith("skillproto/")
    assert site.connections == 1


@pytest.mark.parametrize("status", [204, 404, 500, 304])
def test_any_status_is_an_answer(status: int, world: World) -> None:
    world.site("good.example", {"/": reply(b"", status=status)})
    with world.fetcher() as fetcher:
        assert fetcher.get("https://good.example/").status == status


def test_redirects_can_be_left_alone(world: World) -> None:
    site = world.site("good.example", {"/": redirect("https://127.0.0.1/")})
    with world.fetcher() as fetcher:
        fetched = fetcher.ask("GET", "https://good.example/", follow=False)
        assert (fetched.status, fetched.header("Location")) == (302, "https://127.0.0.1/")
        assert fetcher.ask("POST", "https://good.example/", body=b"{}").status == 302
    assert (site.asked[1].method, site.asked[1].body) == ("POST", b"{}")


@pytest.mark.parametrize("library", ["asyncio", "trio"])
def test_a_pinned_exchange_is_pinned_in_tasks_too(library: str, family: str) -> None:
    http: Any = import_module(family)

    async def ask(port: int) -> int:
        async with http.AsyncHTTPTransport() as transport:
            assert _backends.hold(transport)
            _deadline.current.set(_deadline.Exchange(5, pins=(("127.0.0.1", port),)))
            response = await transport.handle_async_request(http.Request("GET", "http://nowhere.invalid/"))
            await response.aread()
            return int(response.status_code)

    with Site({"/": reply(b"{}")}) as site:
        assert anyio.run(ask, site.port, backend=library) == 200
        assert site.asked[0].headers["host"] == "nowhere.invalid"


def test_the_next_address_is_tried_where_one_is_silent(world: World) -> None:
    site = world.site("good.example", {"/": reply(b"{}")})
    with socket.create_server(("127.0.0.1", 0)) as closed:
        dead = closed.getsockname()[1]
    world.name("good.example", ["93.184.216.200", *world.addresses("good.example")])

    def route(address: str, port: int) -> tuple[str, int]:
        return ("127.0.0.1", dead) if address == "93.184.216.200" else world.route(address, port)

    with Fetcher(resolver=world.resolve, route=route, verify=world.trust()) as fetcher:
        assert fetcher.get("https://good.example/").status == 200
    assert site.connections == 1


def test_a_host_that_refuses_is_not_at_fault_for_good(world: World) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with Fetcher(INSIDE) as fetcher, pytest.raises(FetchError) as caught:
        fetcher.get(f"http://127.0.0.1:{port}/")
    assert (caught.value.rule, caught.value.reason, caught.value.was_refused) == ("probe/unreachable", "refused", False)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "127.1"])
def test_who_tests_inside_may_reach_what_is_named(host: str, family: str) -> None:
    with Site({"/": reply(b"{}")}) as site, Fetcher(INSIDE) as fetcher:
        assert fetcher.get(f"http://{host}:{site.port}/").status == 200


@pytest.mark.parametrize("network", ["10.0.0.0/8", "127.0.0.2/32", "::1/128", "fd00::/8", "128.0.0.0/1"])
def test_nothing_but_what_is_named_is_let_in(network: str) -> None:
    with Site({"/": reply(b"{}")}) as site:
        with Fetcher(FetchPolicy(allow_private=(network,), allow_http=True)) as fetcher:
            for host in ("127.0.0.1", "localhost", "127.1"):
                with pytest.raises(FetchError) as caught:
                    fetcher.get(f"http://{host}:{site.port}/")
                assert caught.value.rule in ("descriptor/private-address", "probe/private-address")
        assert site.connections == 0


def test_no_network_lets_a_metadata_service_in(world: World) -> None:
    with world.fetcher(FetchPolicy(allow_private=("0.0.0.0/0", "::/0"), allow_http=True)) as fetcher:
        for host in ("169.254.169.254", "[fd00:ec2::254]", "metadata.google.internal", "[::ffff:169.254.169.254]"):
            with pytest.raises(FetchError, match="metadata"):
                fetcher.get(f"http://{host}/")


@pytest.mark.parametrize(
    "options",
    [
        {"allow_private": "10.0.0.0/8"},
        {"allow_private": ("10.0.0.1/8",)},
        {"allow_private": ("inside",)},
        {"timeout_ms": 0},
        {"timeout_ms": True},
        {"max_bytes": -1},
        {"max_redirects": 1000},
    ],
    ids=repr,
)
def test_a_policy_that_can_never_work_is_refused(options: Any) -> None:
    with pytest.raises(UsageError):
        FetchPolicy(**options)


def test_a_policy_pickles() -> None:
    again = pickle.loads(pickle.dumps(INSIDE))
    assert again == INSIDE
    assert again.reaches_this_computer


def test_an_authority_of_ones_own_is_a_file(world: World, tmp_path: Path) -> None:
    world.site("good.example", {"/": reply(b"{}")})
    AUTHORITY.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    with Fetcher(resolver=world.resolve, route=world.route, verify=str(tmp_path / "ca.pem")) as fetcher:
        assert fetcher.get("https://good.example/").status == 200
    with pytest.raises(UsageError, match="no certificates can be read"):
        Fetcher(verify=str(tmp_path / "none.pem"))


def test_certificates_are_never_left_unchecked() -> None:
    with pytest.raises(UsageError, match="always checked"):
        Fetcher(verify=False)


@pytest.mark.parametrize("given", ["", "a\r\nb", {"Host": "a"}, {"X-A": "b\n"}, {"X A": "b"}, {"X-A": ""}], ids=repr)
def test_credentials_that_cannot_be_sent_are_refused(given: Any, world: World) -> None:
    site = world.site("good.example", {"/": reply(b"{}")})
    with world.fetcher() as fetcher, pytest.raises(UsageError):
        fetcher.get("https://good.example/", credentials=given)
    assert site.connections == 0


def test_credentials_do_not_go_over_plain_http(world: World) -> None:
    site = world.plain_site("good.example", {"/": reply(b"{}")})
    with world.fetcher(FetchPolicy(allow_http=True)) as fetcher, pytest.raises(UsageError, match="not encrypted"):
        fetcher.get("http://good.example/", credentials="s3cret-s3cret")
    assert site.connections == 0


def test_credentials_that_a_host_repeats_are_hidden(world: World) -> None:
    def repeat(connection: socket.socket, asked: Asked) -> bytes:
        told = asked.headers["authorization"]
        return reply(f"you sent {told}".encode(), f"X-Told: {told}")

    def lead(connection: socket.socket, asked: Asked) -> bytes:
        return redirect(f"http://example.com/{asked.headers['authorization'][7:]}")

    world.site("good.example", {"/": repeat, "/b": lead})
    with world.fetcher() as fetcher:
        assert "s3cret" not in repr(fetcher.get("https://good.example/", credentials="s3cret-s3cret"))
        with pytest.raises(FetchError) as caught:
            fetcher.get("https://good.example/b", credentials="s3cret-s3cret")
    assert "s3cret" not in repr((vars(caught.value), str(caught.value)))


def test_a_failure_pickles_and_holds_what_was_fetched(world: World) -> None:
    world.site("good.example", {"/a?key=1": redirect("/b"), "/b": reply(b"z" * 500_000)})
    with world.fetcher(FetchPolicy(max_bytes=100_000)) as fetcher, pytest.raises(FetchError) as caught:
        fetcher.get("https://good.example/a?key=1")
    error = pickle.loads(pickle.dumps(caught.value))
    assert vars(error) == vars(caught.value)
    assert [hop.status for hop in error.chain] == [302, None]
    assert set(error.body) == {ord("z")}
    assert str(error) == "https://good.example/b: The answer is larger than the limit [document/too-large]"
    found = error.violation("/skills/0/descriptor_url")
    assert (found.field, found.rule, found.severity) == ("/skills/0/descriptor_url", "document/too-large", "error")


def test_a_failure_shows_no_secret_and_no_control_character() -> None:
    with Fetcher() as fetcher, pytest.raises(FetchError) as caught:
        fetcher.get("https://ann:pass-word@host.example/\x1b[31m?token=s3cret-s3cret")
    assert "pass-word" not in str(caught.value)
    assert "s3cret" not in repr(vars(caught.value))
    assert "\x1b" not in str(caught.value)


def test_a_host_is_asked_one_thing_at_a_time(world: World) -> None:
    def slow(connection: socket.socket, asked: Asked) -> bytes:
        time.sleep(0.03)
        return reply(b"{}")

    site = world.site("good.example", {f"/{n}": slow for n in range(6)})
    other = world.site("other.example", {f"/{n}": slow for n in range(6)})
    with world.fetcher() as fetcher:
        urls = [f"https://{host}.example/{n}" for n in range(6) for host in ("good", "other")]
        threads = [threading.Thread(target=fetcher.get, args=(url,)) for url in urls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert (len(site.asked), site.most_at_once, other.most_at_once) == (6, 1, 1)


def test_waiting_for_ones_turn_does_not_count_as_slow(world: World) -> None:
    def slow(connection: socket.socket, asked: Asked) -> bytes:
        time.sleep(0.3)
        return reply(b"{}")

    world.site("good.example", {f"/{n}": slow for n in range(4)})
    statuses: list[int] = []
    with world.fetcher(FetchPolicy(timeout_ms=1000)) as fetcher:
        threads = [
            threading.Thread(target=lambda n=n: statuses.append(fetcher.get(f"https://good.example/{n}").status))
            for n in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert statuses == [200] * 4


def test_closing_ends_what_is_running(world: World) -> None:
    begun, ended = threading.Event(), threading.Event()

    def silent(connection: socket.socket, asked: Asked) -> bytes:
        begun.set()
        ended.wait(10)
        return reply(b"{}")

    world.site("good.example", {"/": silent})
    fetcher = world.fetcher(FetchPolicy(timeout_ms=20_000))
    failures: list[BaseException] = []

    def run() -> None:
        try:
            fetcher.get("https://good.example/")
        except FetchError as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert begun.wait(10)
    fetcher.close()
    thread.join(5)
    ended.set()
    assert not thread.is_alive()
    assert len(failures) == 1
    with pytest.raises(UsageError, match="closed"):
        fetcher.get("https://good.example/")


def test_a_library_that_cannot_be_pinned_is_not_used(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_backends, "hold", lambda transport: False)
    site = world.site("good.example", {"/": reply(b"{}")})
    with world.fetcher() as fetcher, pytest.raises(SkillprotoError, match="cannot be pinned"):
        fetcher.get("https://good.example/")
    assert site.connections == 0


def test_a_fault_in_the_resolver_is_no_finding(world: World) -> None:
    def broken(host: str, port: int) -> list[str]:
        raise RuntimeError("a fault of ours")

    with Fetcher(resolver=broken) as fetcher, pytest.raises(RuntimeError, match="a fault of ours"):
        fetcher.get("https://good.example/")


@pytest.mark.parametrize("answers", [[], ["no address"], ["1.1.1.1"] * 100], ids=["none", "not one", "too many"])
def test_an_answer_of_dns_that_makes_no_sense_is_refused(answers: list[str]) -> None:
    with Fetcher(resolver=lambda host, port: answers) as fetcher, pytest.raises(FetchError) as caught:
        fetcher.get("https://good.example/")
    assert (caught.value.rule, caught.value.reason) == ("probe/unreachable", "dns")


def test_the_certificate_of_a_kept_connection_is_known(world: World, family: str) -> None:
    site = world.site("good.example", {"/": reply(b"{}")})
    with world.fetcher() as fetcher:
        first, second = (fetcher.get("https://good.example/").certificate for _ in range(2))
    assert site.connections == 1
    assert first is not None
    assert first == second
