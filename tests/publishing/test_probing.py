"""How a skill answers: judged from real replies, and asked politely."""

import datetime
import json
import socket
import ssl
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from skillproto import publish_check
from skillproto.discovery import FetchPolicy
from skillproto.discovery.fetching import USER_AGENT
from skillproto.discovery.txt import LookupFailed
from skillproto.provider import Fault, running_provider
from skillproto.publishing import RegistryState
from skillproto.publishing.probing import Exchange, Prober, judge
from skillproto.publishing.probing.judging import body_of
from skillproto.violations import Violation
from tests.discovery.world import AUTHORITY, Asked, Site, World, reply
from tests.publishing.support import TEXT, Always, skill
from tests.support import faults
from tests.support.faults import FaultServer, refusing_url
from tests.support.nginx import Nginx

HERE = FetchPolicy(allow_private=("127.0.0.0/8", "::1/128"))
REFUSED = json.dumps({"error": {"code": "AUTH_REQUIRED", "message": "Sign in"}}).encode()
UNKNOWN = json.dumps({"error": {"code": "SKILL_NOT_FOUND", "message": "No such execution"}}).encode()
GOOD = reply(REFUSED, "WWW-Authenticate: ApiKey", status=401)
ENDPOINT = {
    "url": "https://api.example.com/run",
    "status_url": "https://api.example.com/executions/{execution_id}",
    "result_url": "https://api.example.com/executions",
}


@pytest.fixture
def here() -> Iterator[Prober]:
    with Prober(HERE, slow_ms=5_000) as prober:
        yield prober


def rules_of(findings: list[Violation]) -> list[str]:
    return [f"{finding.rule} {finding.field}" for finding in findings]


def probed(prober: Prober, descriptor: dict[str, Any]) -> list[Violation]:
    findings, obstacles = prober(descriptor)
    assert obstacles == []
    return findings


def of(url: str, **members: Any) -> dict[str, Any]:
    """Give a descriptor that is called at an address, and followed nowhere."""
    return skill(endpoint={"url": url}, **members)


# Our own provider, which does what the protocol asks.


@pytest.mark.parametrize("api_key", [None, "k-123456"], ids=["public", "restricted"])
def test_a_good_provider_has_no_findings_and_does_no_work(api_key: str | None, here: Prober) -> None:
    worked: list[Any] = []
    with running_provider(api_key=api_key, skill=worked.append) as provider:
        assert probed(here, provider.descriptor) == []
        asked = [(each.method, each.path.split("/")[1]) for each in provider.requests]
        assert asked == [("POST", "skills"), ("GET", "executions"), ("GET", "executions")]
        assert {each.headers["user-agent"] for each in provider.requests} == {USER_AGENT}
        assert not [each for each in provider.requests if "x-api-key" in each.headers]
        assert (
            len(provider.state.executions.known_ids) == 0 if hasattr(provider.state.executions, "known_ids") else True
        )


@pytest.mark.parametrize(
    ("fault", "rules"),
    [
        (503, ["probe/unreachable /endpoint/url"]),
        (504, ["probe/unreachable /endpoint/url"]),
        ("reset", ["probe/unreachable /endpoint/url"]),
        ("close", ["probe/unreachable /endpoint/url"]),
        ("cut", ["probe/unreachable /endpoint/url"]),
        (Fault(401, body={"detail": "Not authenticated"}), ["probe/error-shape", "probe/no-challenge"]),
        (Fault(403, body={"title": "Forbidden"}), ["probe/error-shape"]),
        (Fault(404, body={"results": [], "total": 0}), ["probe/empty-as-error"]),
        (Fault(400, body={"isError": True, "content": []}), []),
        (401, ["probe/no-challenge"]),
    ],
    ids=["503", "504", "reset", "close", "cut", "other shape", "other shape 403", "empty", "mcp", "no challenge"],
)
def test_a_start_that_goes_wrong_is_told(fault: Any, rules: list[str], here: Prober) -> None:
    with running_provider(faults=[fault], api_key="k-123456") as provider:
        findings = probed(here, provider.descriptor)
    assert sorted(finding.rule for finding in findings) == sorted(rule.partition(" ")[0] for rule in rules)
    assert {finding.field for finding in findings} <= {"/endpoint/url"}


def test_a_restricted_skill_that_answers_without_credentials_is_an_open_door(here: Prober) -> None:
    with FaultServer([faults.reply(202, {"execution_id": "e-1", "status": "accepted"})]) as server:
        (finding,) = probed(here, of(server.url, access="restricted"))
        sent = json.loads(server.requests[0].body)
    assert (finding.rule, finding.severity) == ("probe/open-door", "error")
    assert finding.details["request"] == {"method": "POST", "url": server.url, "credentials": "none"}
    assert finding.details["reply"]["body"] == {"execution_id": "e-1", "status": "accepted"}
    assert sent["inputs"] == {"text": {"probe": True}}


def test_a_public_skill_may_answer_anybody(here: Prober) -> None:
    with FaultServer([faults.reply(200, {"output": 1})]) as server:
        assert probed(here, of(server.url, access="public", auth={"type": "none"})) == []


@pytest.mark.parametrize(
    ("body", "status", "rule"),
    [
        ({"status": "running"}, 200, "probe/not-found-shape"),
        ({"error": {"code": "UNKNOWN", "message": "m"}}, 404, "probe/not-found-shape"),
        ("<h1>Not found</h1>", 404, "probe/not-found-shape"),
        ({"error": {"code": "UNKNOWN", "message": "m"}}, 500, "probe/not-found-shape"),
        ([], 404, "probe/empty-as-error"),
        ({"error": {"code": "SKILL_NOT_FOUND", "message": "m"}}, 404, None),
        ({"error": {"code": "SKILL_NOT_FOUND", "message": "m"}}, 200, None),
        ({"error_type": "NOT_FOUND", "user_message": "m"}, 200, None),
    ],
)
def test_an_execution_that_does_not_exist_is_answered_as_that(
    body: Any, status: int, rule: str | None, here: Prober
) -> None:
    with FaultServer(lambda request: faults.reply(status if request.method == "GET" else 400, body)) as server:
        endpoint = {"url": server.url, "status_url": f"{server.origin}/s"}
        findings = probed(here, skill(endpoint=endpoint, access="public", auth={"type": "none"}))
    assert [each.rule for each in findings if each.field == "/endpoint/status_url"] == ([rule] if rule else [])


def test_a_reply_that_does_not_come_is_slow_and_the_origin_is_not_asked_again() -> None:
    with FaultServer(lambda request: faults.never_answer()) as server, Prober(HERE, slow_ms=300) as prober:
        endpoint = {"url": server.url, "status_url": f"{server.origin}/s", "result_url": f"{server.origin}/r"}
        began = time.monotonic()
        findings = probed(prober, skill(endpoint=endpoint))
        assert time.monotonic() - began < 3
        assert len(server.requests) == 1
    assert rules_of(findings) == ["probe/slow /endpoint/url"]


def test_a_reply_that_comes_late_is_slow_and_is_judged_all_the_same() -> None:
    exchange = Exchange("start", "/endpoint/url", "POST", "https://a.example/", status=401, elapsed_ms=31_000)
    assert [each.rule for each in judge(exchange)] == ["probe/slow", "probe/no-challenge", "probe/error-shape"]
    assert [each.rule for each in judge(exchange, slow_ms=40_000)] == ["probe/no-challenge", "probe/error-shape"]


def test_an_address_that_refuses_is_unreachable(here: Prober) -> None:
    with refusing_url() as url:
        (finding,) = probed(here, of(url))
    assert (finding.rule, finding.details["reply"]) == ("probe/unreachable", None)
    assert finding.details["failure"] == "refused"


@pytest.mark.parametrize("step", [faults.gzip_bomb(20 << 20), faults.endless()], ids=["bomb", "endless"])
def test_a_reply_without_end_is_bounded(step: Any, here: Prober) -> None:
    with (
        FaultServer([step]) as server,
        Prober(FetchPolicy(allow_private=("127.0.0.0/8",), max_bytes=100_000)) as prober,
    ):
        findings = probed(prober, of(server.url, access="public", auth={"type": "none"}))
    assert len(findings) <= 1
    for finding in findings:
        assert len(json.dumps(finding.to_dict())) < 4_000


def test_what_a_finding_carries_is_bounded_and_without_secrets(here: Prober) -> None:
    body = {"api_key": "sk_live_0123456789abcdefABCDEF", "text": "x" * 100_000, "password": "hunter2"}
    with FaultServer([faults.reply(403, body, {"Set-Cookie": "a=secret", "Server": "S" * 5_000})]) as server:
        (finding,) = probed(here, of(f"{server.url}?token=hunter2"))
    text = json.dumps(finding.to_dict())
    assert len(text) < 4_000
    for secret in ("sk_live", "hunter2", "a=secret"):
        assert secret not in text


# A real nginx before it.


def test_what_a_proxy_answers_is_told_apart_from_the_skill(here: Prober) -> None:
    with running_provider() as provider, refusing_url() as dead:
        locations = {
            "/dead": f"proxy_pass {dead};",
            "/moved": "return 308 https://elsewhere.example/;",
            "/closed": "return 403;",
            "/": f"proxy_pass {provider.base_url};",
        }
        with Nginx(locations) as proxy:
            rules = {path: rules_of(probed(here, of(proxy.url(path)))) for path in ("/dead", "/moved", "/closed")}
            home = {
                name: url.replace(provider.base_url, proxy.origin) if isinstance(url, str) else url
                for name, url in provider.descriptor["endpoint"].items()
            }
            assert probed(here, provider.descriptor | {"endpoint": home}) == []
    assert rules == {
        "/dead": ["probe/unreachable /endpoint/url"],
        "/moved": ["probe/redirect /endpoint/url"],
        "/closed": ["probe/error-shape /endpoint/url"],
    }


# TLS, on the small internet.


def _near_its_end(days: float) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    until = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=days)
    since = until - datetime.timedelta(days=30)
    AUTHORITY.issue_cert("api.example.com", not_before=since, not_after=until).configure_cert(context)
    return context


def _site(world: World, answer: Any = GOOD) -> Site:
    site = world.site("api.example.com")
    site.answers = Always(answer)
    return site


@pytest.mark.parametrize(
    ("days", "rule"),
    [(3, "probe/tls-expiring"), (-1, "probe/tls-invalid"), (20, None)],
    ids=["near its end", "past its end", "good"],
)
def test_a_certificate_is_looked_at(world: World, days: float, rule: str | None) -> None:
    _site(world).context = _near_its_end(days)
    with world.fetcher() as fetcher:
        findings = probed(Prober(fetcher=fetcher), skill(endpoint=ENDPOINT))
    expected = {"probe/tls-expiring": 3, "probe/tls-invalid": 1, None: 0}[rule]
    assert [finding.rule for finding in findings] == [rule] * expected


def test_a_certificate_for_another_name_is_invalid(world: World) -> None:
    world.site("api.example.com", names=("other.example.com",))
    with world.fetcher() as fetcher:
        findings = probed(Prober(fetcher=fetcher), skill(endpoint=ENDPOINT))
    assert rules_of(findings) == ["probe/tls-invalid /endpoint/url"]


def test_a_redirect_of_a_get_is_told_and_followed_to_nothing_private(world: World) -> None:
    def elsewhere(connection: socket.socket, asked: Asked) -> bytes:
        if asked.method == "POST" or asked.path == "/here":
            return GOOD if asked.method == "POST" else reply(UNKNOWN, status=404)
        return reply(b"", "Location: https://api.example.com/here", status=302)

    _site(world, elsewhere)
    with world.fetcher() as fetcher:
        findings = probed(Prober(fetcher=fetcher), skill(endpoint=ENDPOINT))
    assert rules_of(findings) == ["probe/redirect /endpoint/status_url", "probe/redirect /endpoint/result_url"]


def test_one_thing_at_a_time_is_asked_of_a_host(world: World) -> None:
    site = _site(world)
    with world.fetcher() as fetcher, ThreadPoolExecutor(8) as pool:
        prober = Prober(fetcher=fetcher)
        list(pool.map(prober, [skill(endpoint=ENDPOINT)] * 8))
    assert (site.most_at_once, len(site.asked)) == (1, 24)


# The proof of a namespace.

INDEX = json.dumps(
    {
        "protocol": {"version": "1.0.0"},
        "provider": {"name": "Example"},
        "skills": [
            {
                "id": "com.example.translate-v1",
                "name": "A",
                "capability_type": "api",
                "description": "D.",
                "descriptor_url": "https://example.com/a.json",
                "access": "restricted",
                "version": "1.4.2",
            }
        ],
    }
).encode()
OTHER_INDEX = INDEX.replace(b"translate-v1", b"other")
WELL_KNOWN = "/.well-known/skill-sharing"


def _no_records(name: str) -> list[str]:
    return []


def _no_answer(name: str) -> list[str]:
    raise LookupFailed("the servers do not answer")


@pytest.mark.parametrize(
    ("answers", "txt", "accepted", "rules"),
    [
        ({WELL_KNOWN: reply(INDEX)}, _no_records, True, []),
        (
            {WELL_KNOWN: reply(INDEX.replace(b"translate-v1", b"other"))},
            _no_records,
            False,
            ["publish/namespace-unproven"],
        ),
        ({}, lambda name: ["id=com.example.translate-v1"], True, []),
        ({}, _no_answer, None, []),
    ],
    ids=["by the index", "not named", "by a record", "not known"],
)
def test_a_probe_asks_for_the_proof_of_a_namespace(
    world: World, answers: Any, txt: Any, accepted: bool | None, rules: list[str]
) -> None:
    _site(world)
    home = world.site("example.com", answers)
    with world.fetcher() as fetcher:
        prober = Prober(fetcher=fetcher, txt=txt)
        report = publish_check(skill(endpoint=ENDPOINT, inputs=[TEXT]), probe=prober)
        assert (report.accepted, [finding.rule for finding in report.findings]) == (accepted, rules)
        assert [each.step for each in report.obstacles] == (["namespace-proof"] if accepted is None else [])
        asked = len(home.asked)
        known = RegistryState(namespaces=["com.example"])
        assert publish_check(skill(endpoint=ENDPOINT), known, probe=prober).accepted is True
        assert len(home.asked) == asked


# Judgements that no server is needed for.


def test_a_fault_of_ours_is_no_word_about_the_skill(monkeypatch: pytest.MonkeyPatch, here: Prober) -> None:
    def crash(*arguments: object, **options: object) -> None:
        raise RuntimeError("inside")

    monkeypatch.setattr("skillproto.publishing.probing.prober.judge", crash)
    with FaultServer([faults.reply(401)]) as server:
        findings, obstacles = here(of(server.url))
    assert findings == []
    assert [(each.step, each.is_remote) for each in obstacles] == [("probe", True)]


@pytest.mark.parametrize("value", [{}, {"endpoint": 5}, {"endpoint": {"url": 5}}, {"endpoint": {"url": "https://["}}])
def test_a_descriptor_of_any_shape_is_probed(value: Any, here: Prober) -> None:
    assert here(value) == ([], [])


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"[" * 100_000], ids=["empty", "cut", "bytes", "deep"])
def test_a_body_that_is_no_json_is_kept_as_text(data: bytes) -> None:
    assert body_of(data)[1] is False
