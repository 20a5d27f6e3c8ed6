"""Who may publish under an id: its own domain says so, by its index or by a TXT record."""

import pickle
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from skillproto.discovery import Proof, TxtResolver, prove_namespace
from skillproto.discovery.namespaces import domains_of
from skillproto.errors import UsageError
from tests.discovery.names import NameServer
from tests.discovery.offers import SHOWN, WELL_KNOWN, descriptor, entry, gated, index, offering
from tests.discovery.world import World, redirect, reply

ID = "com.example.a"


def proof(world: World, skill_id: str = ID, **options: Any) -> Proof:
    with world.fetcher() as fetcher:
        return prove_namespace(skill_id, fetcher=fetcher, **options)


def listing(*ids: str) -> bytes:
    return reply(index([entry(descriptor() | {"id": each}, "https://api.example/0.json") for each in ids]))


def by_record(name: str, records: Sequence[str] | str, skill_id: str = ID) -> Proof:
    with NameServer({f"_skillproto.{name}": records}) as server:
        txt = TxtResolver(["127.0.0.1"], port=server.port, timeout_ms=500)
        return prove_namespace(skill_id, methods=("dns",), txt=txt)


@pytest.mark.parametrize(
    ("skill_id", "domains"),
    [
        ("com.example.translate", ["example.com"]),
        ("Com.Example.translate", ["example.com"]),
        ("com.example.team.translate", ["team.example.com", "example.com"]),
        ("com.example.a.b.c.d.e.f", ["c.b.a.example.com", "b.a.example.com", "a.example.com", "example.com"]),
        ("com.example.a_b.translate", ["example.com"]),
        ("com.example", []),
        ("com", []),
        ("translate-v1", []),
        ("1.0.0.127.x", []),
        ("localhost.a.x", ["a.localhost"]),
        ("xn--p1ai.example.x", ["example.xn--p1ai"]),
    ],
)
def test_the_domains_that_can_prove_an_id(skill_id: str, domains: list[str]) -> None:
    assert domains_of(skill_id) == domains


def test_the_index_of_the_domain_proves_what_it_names(world: World, family: str) -> None:
    offering(world, descriptor("a"))
    proven = proof(world)
    assert (proven.state, proven.how, proven.domain, proven.namespace) == (
        "proven",
        "index",
        "example.com",
        "com.example",
    )
    other = proof(world, "com.example.b")
    assert (other.state, other.how, other.domain) == ("unproven", None, None)
    assert pickle.loads(pickle.dumps(proven)) == proven


def test_the_longest_domain_is_asked_first_and_each_can_prove(world: World) -> None:
    site = world.site("team.example.com", {WELL_KNOWN: listing("com.example.team.x")})
    parent = world.site("example.com", {WELL_KNOWN: listing("com.example.team.y")})
    assert proof(world, "com.example.team.x").domain == "team.example.com"
    assert (len(site.asked), len(parent.asked)) == (1, 0)
    assert proof(world, "com.example.team.y").domain == "example.com"


def test_a_domain_that_does_not_exist_settles_nothing_for_its_parent(world: World) -> None:
    world.site("example.com", {WELL_KNOWN: listing("com.example.team.x")})
    proven = proof(world, "com.example.team.x")
    assert (proven.state, proven.domain) == ("proven", "example.com")
    assert [each.state for each in proven.asked] == ["unproven", "proven"]


def test_a_customer_of_a_shared_domain_proves_nothing_of_others(world: World) -> None:
    theirs = ["io.github.ann.x", "io.github.bob.x", "io.github.x", "uk.co.example.x"]
    world.site("ann.github.io", {WELL_KNOWN: listing(*theirs)})
    world.site("github.io", {WELL_KNOWN: redirect("https://ann.github.io" + WELL_KNOWN)})
    world.name("bob.github.io", [])
    assert [proof(world, each).state for each in theirs] == ["proven", "unproven", "unproven", "unproven"]


def test_an_index_that_another_host_answers_proves_nothing(world: World) -> None:
    world.site("example.com", {WELL_KNOWN: redirect("https://evil.example/index.json")})
    world.site("evil.example", {"/index.json": listing(ID)})
    refused = proof(world)
    assert (refused.state, "another host" in refused.why) == ("unproven", True)


def test_a_redirect_within_the_host_changes_nothing(world: World) -> None:
    world.site("example.com", {WELL_KNOWN: redirect("/index.json"), "/index.json": listing(ID)})
    assert proof(world).state == "proven"


def test_a_faulty_entry_beside_it_changes_nothing(world: World) -> None:
    broken = index([{"id": 5}, {"id": ID}])
    world.site("example.com", {WELL_KNOWN: reply(broken)})
    assert proof(world).state == "proven"


@pytest.mark.parametrize("near", ["com.example.A", "com.example.a ", "com.example.aa", "com.example"])
def test_an_id_must_be_named_to_the_letter(near: str, world: World) -> None:
    world.site("example.com", {WELL_KNOWN: reply(index([{"id": near}]))})
    assert proof(world).state == "unproven"


@pytest.mark.parametrize(
    "answer", [reply(b"{}", status=503), b"", reply(b"{}", status=429)], ids=["503", "closed", "429"]
)
def test_a_domain_that_cannot_be_asked_is_unknown(answer: bytes, world: World) -> None:
    world.site("example.com", {WELL_KNOWN: lambda connection, asked: answer or None})
    told = proof(world)
    assert (told.state, told.domain) == ("unknown", None)
    assert told.why.startswith("example.com: ")


@pytest.mark.parametrize(
    "answer", [reply(b"{}", status=404), reply(b"<html>"), reply(b"{"), reply(b"[]"), redirect("https://10.0.0.1/")]
)
def test_a_domain_without_a_usable_index_is_unproven(answer: bytes, world: World) -> None:
    world.site("example.com", {WELL_KNOWN: answer})
    assert proof(world).state == "unproven"


def test_a_domain_that_leads_inside_is_unproven_and_not_asked(world: World) -> None:
    world.name("example.com", ["10.0.0.1"])
    assert proof(world).state == "unproven"


def test_one_domain_that_cannot_be_asked_leaves_the_whole_unknown(world: World) -> None:
    world.site("team.example.com", {WELL_KNOWN: reply(b"{}", status=503)})
    world.site("example.com", {WELL_KNOWN: listing()})
    told = proof(world, "com.example.team.x")
    assert (told.state, [each.state for each in told.asked]) == ("unknown", ["unknown", "unproven"])


def test_dns_that_fails_for_now_is_unknown(world: World) -> None:
    def failing(host: str, port: int) -> list[str]:
        raise OSError("no server")

    from skillproto.discovery import Fetcher

    with Fetcher(resolver=failing) as fetcher:
        assert prove_namespace(ID, fetcher=fetcher).state == "unknown"


def test_a_private_skill_is_proven_with_credentials(world: World) -> None:
    world.site("example.com", {WELL_KNOWN: gated(listing(ID), listing())})
    assert proof(world).state == "unproven"
    assert proof(world, credentials=SHOWN).state == "proven"


@pytest.mark.parametrize(
    ("records", "state"),
    [
        (['"id=com.example.a"'], "proven"),
        (['"namespace=com.example"'], "proven"),
        (['"namespace=COM.Example"'], "proven"),
        (['"v=spf1 -all"', '"id=com.example.b id=com.example.a"'], "proven"),
        (['"id=com.exam" "ple.a"'], "proven"),
        (['"id=com.example.b"'], "unproven"),
        (['"id=com.example.aa"'], "unproven"),
        (['"namespace=com.example.a"'], "unproven"),
        (['"namespace=com.exam"'], "unproven"),
        (['"namespace=com"'], "unproven"),
        (['"namespace="'], "unproven"),
        (['"namespace"'], "unproven"),
        (['"com.example.a"'], "unproven"),
        ("none", "unproven"),
        ("servfail", "unknown"),
        ("silent", "unknown"),
    ],
    ids=repr,
)
def test_a_record_proves_what_it_names(records: Sequence[str] | str, state: str) -> None:
    told = by_record("example.com", records)
    assert told.state == state
    assert (told.how, told.domain) == (("dns", "example.com") if state == "proven" else (None, None))


def test_a_name_without_a_record_is_unproven() -> None:
    assert by_record("elsewhere.example", ['"id=com.example.a"']).state == "unproven"


def test_a_record_speaks_for_what_is_below_its_own_domain_alone() -> None:
    skill_id = "com.example.team.x"
    assert by_record("team.example.com", ['"namespace=com.example"'], skill_id).state == "unproven"
    assert by_record("team.example.com", ['"namespace=com.example.team"'], skill_id).state == "proven"
    assert by_record("example.com", ['"namespace=com.example.team"'], skill_id).state == "proven"
    assert by_record("example.com", ['"namespace=com.example.other"'], skill_id).state == "unproven"


def test_the_record_is_the_alternative_to_the_index(world: World) -> None:
    world.site("example.com", {WELL_KNOWN: reply(b"{}", status=503)})
    with NameServer({"_skillproto.example.com": ['"id=com.example.a"']}) as server:
        txt = TxtResolver(["127.0.0.1"], port=server.port)
        told = proof(world, methods=("index", "dns"), txt=txt)
    assert (told.state, told.how) == ("proven", "dns")
    assert [(each.method, each.state) for each in told.asked] == [("index", "unknown"), ("dns", "proven")]


@pytest.mark.parametrize("skill_id", ["", "a b", "com.example.", "a" * 300, "com.example.a\n"])
def test_what_is_no_id_is_refused(skill_id: str) -> None:
    with pytest.raises(UsageError, match="no skill id"):
        prove_namespace(skill_id)


@pytest.mark.parametrize("methods", [(), ("email",)])
def test_methods_that_do_not_exist_are_refused(methods: Any) -> None:
    with pytest.raises(UsageError, match="'index' and 'dns'"):
        prove_namespace(ID, methods=methods)


def test_nameservers_are_addresses() -> None:
    with pytest.raises(UsageError, match="IP addresses"):
        TxtResolver(["dns.example"])


def test_without_the_extra_the_error_names_it() -> None:
    program = (
        "import sys; sys.modules['dns'] = None\n"
        "from skillproto.discovery import prove_namespace\n"
        "try: prove_namespace('com.example.a', methods=('dns',))\n"
        "except ValueError as error: print(error)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert "skillproto[dns]" in ran.stdout
