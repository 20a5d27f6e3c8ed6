"""The well-known index: had, missing, moved, broken; with and without credentials."""

from typing import Any

import pytest

from skillproto.discovery import FetchPolicy, fetch_index
from skillproto.discovery.index import index_url
from skillproto.errors import UsageError
from skillproto.provider import running_provider
from tests.discovery.offers import KEY, SHOWN, WELL_KNOWN, descriptor, entry, gated, index, offering
from tests.discovery.world import Answer, World, redirect, reply

PAGE = reply(b"<!doctype html><title>Not here</title>", kind="text/html; charset=utf-8")


def test_a_good_index_has_no_findings(world: World, family: str) -> None:
    site = offering(world, descriptor("a"), descriptor("b"))
    with world.fetcher() as fetcher:
        listing = fetch_index("example.com", fetcher=fetcher)
    assert (listing.findings, listing.failure) == ((), None)
    assert [each.member("id") for each in listing.entries] == ["com.example.a", "com.example.b"]
    assert site.paths == [WELL_KNOWN]


def test_the_index_of_the_small_provider_is_read() -> None:
    with running_provider() as provider:
        from skillproto.discovery import Fetcher

        with Fetcher(FetchPolicy(allow_private=("127.0.0.0/8",))) as fetcher:
            listing = fetch_index(provider.base_url, fetcher=fetcher)
    assert [each.url for each in listing.entries] == [provider.descriptor_url]
    assert {found.severity for found in listing.findings} <= {"warning"}


MISSING: dict[str, Answer] = {
    "not found": reply(b"{}", status=404),
    "gone": reply(b"", status=410),
    "a page that says not found": PAGE,
    "a page under another type": reply(b"\n <html>"),
    "asks for credentials": reply(b"{}", status=401),
    "forbidden": reply(b"{}", status=403),
    "no content": reply(b"", status=204),
}


@pytest.mark.parametrize("answer", MISSING.values(), ids=MISSING.keys())
def test_an_index_that_is_missing_is_a_finding(answer: Answer, world: World) -> None:
    world.site("example.com", {WELL_KNOWN: answer})
    with world.fetcher() as fetcher:
        listing = fetch_index("example.com", fetcher=fetcher)
    assert [(found.rule, found.field) for found in listing.findings] == [("publish/index-missing", "")]
    assert (listing.failure, listing.entries) == (None, [])


@pytest.mark.parametrize("status", [500, 502, 503, 429])
def test_a_host_that_is_out_of_order_says_nothing_about_its_index(status: int, world: World) -> None:
    world.site("example.com", {WELL_KNOWN: reply(b"{}", status=status)})
    with world.fetcher() as fetcher:
        listing = fetch_index("example.com", fetcher=fetcher)
    assert listing.findings == ()
    assert listing.failure is not None
    assert (listing.failure.rule, listing.failure.reason) == ("probe/unreachable", "status")


def test_a_domain_that_does_not_exist_is_a_failure(world: World) -> None:
    with world.fetcher() as fetcher:
        listing = fetch_index("nowhere.example", fetcher=fetcher)
    assert listing.failure is not None
    assert listing.failure.reason == "dns"


BROKEN: dict[str, tuple[Answer, str]] = {
    "no JSON": (reply(b"skills: []"), "document/syntax"),
    "cut": (reply(b'{"skills": ['), "document/syntax"),
    "empty": (reply(b""), "document/syntax"),
    "a list": (reply(b"[]"), "schema/type"),
    "no skills": (reply(b"{}"), "schema/required"),
    "too large": (reply(b" " * 200_000), "document/too-large"),
    "another type": (reply(index([]), kind="text/plain"), "probe/content-type"),
    "no type": (reply(index([]), kind=""), "probe/content-type"),
    "a redirect in a circle": (redirect(WELL_KNOWN), "probe/redirect"),
    "a redirect to http": (redirect("http://example.com/index.json"), "probe/redirect"),
    "a redirect inside": (redirect("https://10.0.0.1/index.json"), "probe/private-address"),
}


@pytest.mark.parametrize(("answer", "rule"), BROKEN.values(), ids=BROKEN.keys())
def test_what_is_wrong_with_an_index_is_told(answer: Answer, rule: str, world: World) -> None:
    world.site("example.com", {WELL_KNOWN: answer})
    with world.fetcher(FetchPolicy(max_bytes=100_000)) as fetcher:
        listing = fetch_index("example.com", fetcher=fetcher)
    assert rule in [found.rule for found in listing.findings]
    assert listing.failure is None


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8", "application/vnd.x+json"])
def test_json_may_be_called_by_any_of_its_names(kind: str, world: World) -> None:
    world.site("example.com", {WELL_KNOWN: reply(index([]), kind=kind)})
    with world.fetcher() as fetcher:
        assert fetch_index("example.com", fetcher=fetcher).findings == ()


def test_a_finding_stands_at_its_line(world: World) -> None:
    wrong = entry(descriptor(), "https://example.com/0.json", version="v1", access="secret")
    world.site("example.com", {WELL_KNOWN: reply(index([wrong]))})
    with world.fetcher() as fetcher:
        listing = fetch_index("example.com", fetcher=fetcher)
    assert [(found.field, found.rule) for found in listing.findings] == [
        ("/skills/0/version", "schema/pattern"),
        ("/skills/0/access", "schema/enum"),
    ]
    assert all(found.line is not None and listing.text_of(found.line) for found in listing.findings)


def test_an_index_answered_by_another_host_is_said(world: World) -> None:
    world.site("example.com", {WELL_KNOWN: redirect("https://www.example.com/index.json")})
    world.site("www.example.com", {"/index.json": reply(index([]))})
    with world.fetcher() as fetcher:
        listing = fetch_index("example.com", fetcher=fetcher)
    assert [(found.rule, found.severity) for found in listing.findings] == [("probe/redirect", "warning")]
    assert listing.final_url == "https://www.example.com/index.json"


def test_a_private_skill_listed_for_everybody_is_a_finding(world: World) -> None:
    private = entry(descriptor("b", access="private"), "https://example.com/b.json")
    open_one = entry(descriptor("a"), "https://example.com/a.json")
    world.site("example.com", {WELL_KNOWN: reply(index([open_one, private]))})
    with world.fetcher() as fetcher:
        listing = fetch_index("example.com", fetcher=fetcher)
        shown = fetch_index("example.com", fetcher=fetcher, credentials=SHOWN)
    assert [(found.rule, found.field) for found in listing.findings] == [("probe/private-listed", "/skills/1/access")]
    assert shown.findings == ()
    assert [each.needs_credentials for each in shown.entries] == [True, True]


def test_credentials_that_are_not_enough_are_a_failure(world: World) -> None:
    world.site("example.com", {WELL_KNOWN: gated(reply(index([])))})
    with world.fetcher() as fetcher:
        listing = fetch_index("example.com", fetcher=fetcher, credentials={"X-API-Key": "another-key-altogether"})
        assert fetch_index("example.com", fetcher=fetcher, credentials={"X-API-Key": KEY}).failure is None
    assert listing.findings == ()
    assert listing.failure is not None
    assert listing.failure.reason == "credentials"
    assert "another-key" not in repr(vars(listing.failure))


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("example.com", "https://example.com/.well-known/skill-sharing"),
        ("example.com:8443", "https://example.com:8443/.well-known/skill-sharing"),
        ("127.0.0.1:80", "https://127.0.0.1:80/.well-known/skill-sharing"),
        ("[::1]:80", "https://[::1]:80/.well-known/skill-sharing"),
        ("https://example.com", "https://example.com/.well-known/skill-sharing"),
        ("https://example.com/", "https://example.com/.well-known/skill-sharing"),
        ("https://example.com/skills.json", "https://example.com/skills.json"),
    ],
)
def test_a_domain_or_an_address_will_do(text: str, url: str) -> None:
    assert index_url(text) == url


@pytest.mark.parametrize(
    "text", ["", "a b", "exa mple.com", "ann@example.com", "example.com/a", "mu\u0308nchen.example", "-" * 300]
)
def test_what_is_neither_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="give a domain"):
        index_url(text)


@pytest.mark.parametrize("skills", [None, "x", [None, 5, {}, {"descriptor_url": 5}]], ids=repr)
def test_entries_that_make_no_sense_are_left_out(skills: Any, world: World) -> None:
    world.site(
        "example.com", {WELL_KNOWN: reply(index(skills or []) if isinstance(skills, list) else b'{"skills": 5}')}
    )
    with world.fetcher() as fetcher:
        listing = fetch_index("example.com", fetcher=fetcher)
    assert listing.entries == []
