"""A domain and all that it lists: descriptors checked, compared with their entries, and fetched politely."""

import json
import socket
import threading
from typing import Any

import pytest
import yaml

from skillproto.discovery import Discovery, Examined, FetchPolicy, Survey, discover
from skillproto.discovery.findings import COMPARED
from skillproto.errors import UsageError
from tests.discovery.offers import KEY, SHOWN, WELL_KNOWN, descriptor, entry, gated, index, offering
from tests.discovery.world import Answer, Asked, World, redirect, reply


def discovered(world: World, domain: str = "example.com", **options: Any) -> Discovery:
    policy = options.pop("policy", None)
    with world.fetcher(policy) as fetcher:
        return discover(domain, fetcher=fetcher, **options)


def rules_of(examined: Examined) -> list[str]:
    return [finding.rule for finding in examined.findings]


def test_everything_that_a_domain_lists_is_checked(world: World, family: str) -> None:
    broken = descriptor("b") | {"version": "2.0.0", "tags": "none"}
    site = offering(world, descriptor("a"), broken)
    found = discovered(world)
    assert [rules_of(each) for each in found.skills] == [[], ["schema/type"]]
    assert [each.entry.member("id") for each in found.skills] == ["com.example.a", "com.example.b"]
    assert (found.is_complete, found.is_valid) == (True, False)
    assert sorted(site.paths) == [WELL_KNOWN, "/0.json", "/1.json"]
    assert [each.agrees for each in found.skills] == [True, True]
    assert json.loads(json.dumps(found.to_dict()))["skills"][1]["findings"][0]["field"] == "/tags"


@pytest.mark.parametrize("name", COMPARED)
def test_a_member_that_differs_is_a_finding_at_its_place(name: str, world: World) -> None:
    others = {
        "id": "com.example.other", "name": "Another", "version": "9.0.0", "capability_type": "plugin",
        "description": "Something else.", "access": "restricted",
    }  # fmt: skip
    plain = descriptor(description="Counts the words of a text.")
    site = offering(world, plain)
    site.answers[WELL_KNOWN] = reply(index([entry(plain, "https://example.com/0.json", **{name: others[name]})]))
    (skill,) = discovered(world).skills
    (finding,) = skill.findings
    assert (finding.rule, finding.field) == ("publish/index-mismatch", f"/{name}")
    assert (finding.actual, finding.details["entry"]) == (plain[name], f"/skills/0/{name}")
    assert others[name] in finding.expected
    assert finding.line == 1
    assert not skill.agrees


OLD = descriptor() | {"protocol": {"version": "2.0.0"}}
LOST: dict[str, tuple[Answer, str]] = {
    "not found": (reply(b"{}", status=404), "probe/descriptor-missing"),
    "asks for credentials": (reply(b"{}", status=401), "probe/descriptor-missing"),
    "a page": (reply(b"<html>", kind="text/html"), "probe/descriptor-missing"),
    "no JSON": (reply(b"{"), "document/syntax"),
    "several documents": (reply(b"a: 1\n---\nb: 2\n", kind="application/yaml"), "document/syntax"),
    "another protocol": (reply(json.dumps(OLD).encode()), "protocol/incompatible"),
    "another type": (reply(json.dumps(descriptor()).encode(), kind="text/plain"), "probe/content-type"),
    "too large": (reply(b" " * 200_000), "document/too-large"),
    "a redirect inside": (redirect("https://127.0.0.1/a"), "probe/private-address"),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "rule"), LOST.values(), ids=LOST.keys())
def test_what_is_wrong_with_a_descriptor_is_told(answer: Answer, rule: str, world: World) -> None:
    offering(world, descriptor()).answers["/0.json"] = answer
    found = discovered(world, policy=FetchPolicy(max_bytes=100_000))
    assert rule in rules_of(found.skills[0])
    assert found.skills[0].failure is None


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("https://169.254.169.254/latest/meta-data", "descriptor/private-address"),
        ("https://inside.example/a", "probe/private-address"),
        ("http://example.com/0.json", "descriptor/insecure-url"),
        ("https://ann@example.com/0.json", "descriptor/url-credentials"),
        ("file:///etc/passwd", "schema/format"),
    ],
)
def test_an_address_that_must_not_be_fetched_is_not(url: str, rule: str, world: World) -> None:
    world.name("inside.example", ["10.0.0.1"])
    site = world.site("example.com", {WELL_KNOWN: reply(index([entry(descriptor(), url)]))})
    found = discovered(world)
    assert rules_of(found.skills[0]) == [rule]
    assert site.paths == [WELL_KNOWN]


def test_yaml_is_read_as_well(world: World) -> None:
    text = yaml.safe_dump(descriptor() | {"name": "Another"}).encode()
    offering(world, descriptor()).answers["/0.json"] = redirect("/skill.yaml")
    world.sites["example.com"].answers["/skill.yaml"] = reply(text, kind="application/yaml")
    (skill,) = discovered(world).skills
    assert [(finding.rule, finding.field) for finding in skill.findings] == [("publish/index-mismatch", "/name")]


@pytest.mark.parametrize("answer", [reply(b"{}", status=503), lambda connection, asked: None], ids=["503", "closed"])
def test_a_descriptor_that_cannot_be_had_is_no_finding(answer: Answer, world: World) -> None:
    offering(world, descriptor("a"), descriptor("b")).answers["/0.json"] = answer
    found = discovered(world)
    assert [each.failure is None for each in found.skills] == [False, True]
    assert found.skills[0].findings == ()
    assert (found.is_complete, found.is_valid) == (False, None)


def test_a_restricted_skill_that_wants_credentials_is_no_finding(world: World) -> None:
    site = offering(world, descriptor(access="restricted"))
    site.answers["/0.json"] = reply(b"{}", status=401)
    (skill,) = discovered(world).skills
    assert (skill.findings, skill.failure and skill.failure.reason) == ((), "credentials")


def test_with_credentials_private_skills_are_found_too(world: World, family: str) -> None:
    private, restricted = descriptor("p", access="private"), descriptor("r", access="restricted")
    site = offering(world, restricted)
    outside = site.answers[WELL_KNOWN]
    assert isinstance(outside, bytes)
    both = index([entry(restricted, "https://example.com/0.json"), entry(private, "https://example.com/p.json")])
    site.answers |= {
        WELL_KNOWN: gated(reply(both), outside),
        "/0.json": gated(reply(json.dumps(restricted).encode())),
        "/p.json": gated(reply(json.dumps(private).encode())),
    }
    found = discovered(world, credentials=SHOWN)
    assert [(each.entry.member("id"), each.entry.needs_credentials) for each in found.skills] == [
        ("com.example.r", False),
        ("com.example.p", True),
    ]
    assert (found.is_valid, found.is_complete) == (True, True)
    assert [listing.with_credentials for listing in found.listings] == [False, True]
    assert KEY not in repr(found)


def test_a_private_descriptor_that_everybody_can_read_is_a_finding(world: World) -> None:
    private = descriptor("p", access="private")
    site = offering(world, private)
    inside = site.answers[WELL_KNOWN]
    assert isinstance(inside, bytes)
    site.answers[WELL_KNOWN] = gated(inside, reply(index([])))
    (skill,) = discovered(world, credentials=SHOWN).skills
    assert rules_of(skill) == ["probe/private-listed"]


def test_credentials_go_to_the_origin_of_the_index_alone(world: World) -> None:
    private = descriptor("p", access="private")
    listed = index(
        [entry(private, "https://elsewhere.example/p.json"), entry(descriptor("a"), "https://example.com/a.json")]
    )
    site = world.site("example.com", {WELL_KNOWN: gated(reply(listed), reply(index([])))})
    site.answers["/a.json"] = reply(json.dumps(descriptor("a")).encode())
    elsewhere = world.site("elsewhere.example", {"/p.json": reply(b"{}", status=401)})
    found = discovered(world, credentials=SHOWN)
    assert [asked.headers.get("x-api-key") for asked in elsewhere.asked] == [None]
    assert [asked.headers.get("x-api-key") for asked in site.asked if asked.path == "/a.json"] == [None]
    assert found.skills[0].failure is not None


def test_a_host_is_asked_one_thing_at_a_time_and_hosts_side_by_side(world: World) -> None:
    together = threading.Barrier(4, timeout=10)

    def answer(connection: socket.socket, asked: Asked) -> bytes:
        together.wait()  # gets nowhere unless four hosts are asked at once
        return reply(json.dumps(descriptor()).encode())

    hosts = [f"h{n}.example" for n in range(4)]
    sites = [world.site(host, {f"/{n}.json": answer for n in range(3)}) for host in hosts]
    entries = [entry(descriptor(), f"https://{host}/{n}.json", version=f"1.{n}.0") for n in range(3) for host in hosts]
    world.site("example.com", {WELL_KNOWN: reply(index(entries))})
    found = discovered(world, concurrency=4)
    assert [site.most_at_once for site in sites] == [1] * 4
    assert [each.failure for each in found.skills] == [None] * 12


def test_a_host_that_fails_again_and_again_is_left_alone(world: World) -> None:
    site = offering(world, *(descriptor(f"s{n}") for n in range(8)))
    for n in range(8):
        site.answers[f"/{n}.json"] = reply(b"{}", status=503)
    found = discovered(world)
    reasons = [each.failure.reason for each in found.skills if each.failure is not None]
    assert reasons == ["status"] * 3 + ["given_up"] * 5
    assert len(site.asked) == 4


def test_no_more_is_fetched_than_was_asked_for(world: World) -> None:
    site = offering(world, *(descriptor(f"s{n}") for n in range(5)))
    found = discovered(world, max_skills=2)
    assert (len(found.skills), [left.field for left in found.not_examined]) == (
        2,
        ["/skills/2", "/skills/3", "/skills/4"],
    )
    assert len(site.asked) == 3
    assert found.is_valid is None


def test_what_was_found_before_an_interruption_is_kept(world: World) -> None:
    site = offering(world, *(descriptor(f"s{n}") for n in range(4)))
    with world.fetcher() as fetcher:
        survey = Survey("example.com", fetcher)
        assert survey.list() == 4
        walk = survey.examine()
        next(walk)
        walk.close()
        found = survey.so_far
    assert 1 <= len(found.skills) <= 3
    assert (len(found.skills) + len(found.not_examined), found.is_complete) == (4, False)
    assert len(site.asked) <= 5


def test_progress_is_told_as_it_is_made(world: World) -> None:
    offering(world, descriptor("a"), descriptor("b"))
    told: list[str | None] = []
    discovered(world, on_progress=lambda examined: told.append(examined.entry.member("id")))
    assert sorted(map(str, told)) == ["com.example.a", "com.example.b"]


@pytest.mark.parametrize("concurrency", [0, -1, 1000])
def test_a_concurrency_that_can_never_work_is_refused(concurrency: int, world: World) -> None:
    offering(world, descriptor())
    with pytest.raises(UsageError, match="concurrency"):
        discovered(world, concurrency=concurrency)


def test_a_fault_of_ours_is_raised_and_leaves_no_thread(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    offering(world, descriptor())
    monkeypatch.setattr("skillproto.rules.check_document", lambda document, *kind: 1 / 0 if not kind else [])
    with pytest.raises(ZeroDivisionError):
        discovered(world)
    for thread in threading.enumerate():
        if thread.name == "skillproto-discover":
            thread.join(2)
            assert not thread.is_alive()


def test_an_empty_index_is_fine(world: World) -> None:
    offering(world)
    found = discovered(world)
    assert (found.skills, found.is_valid, found.is_complete) == ([], True, True)
