"""`skillproto discover`: what it prints, how it ends, and what it does not do."""

import json
import os
import pty
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from skillproto.provider import running_provider
from skillproto.reports import FORMATS
from skillproto.validation.schemas import REPORT_SCHEMA_PATH
from tests.cli.support import run, script
from tests.discovery.offers import KEY, WELL_KNOWN, descriptor, entry, gated, index
from tests.discovery.world import Site, reply

REPORT = Draft202012Validator(json.loads(Path(REPORT_SCHEMA_PATH).read_text(encoding="utf-8")))
INSIDE = ("--allow-private", "127.0.0.0/8")


class Offer:
    """A site of this computer that lists skills: `a` is fine, `b` disagrees, `c` wants credentials."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.url = f"http://127.0.0.1:{site.port}"
        self.skills = {"a": descriptor("a"), "b": descriptor("b"), "c": descriptor("c", access="restricted")}
        for name, skill in self.skills.items():
            site.answers[f"/{name}.json"] = reply(json.dumps(skill).encode())
        site.answers["/b.json"] = reply(json.dumps(self.skills["b"] | {"version": "2.0.0"}).encode())
        site.answers["/c.json"] = gated(reply(json.dumps(self.skills["c"]).encode()))
        self.list("a", "b", "c")

    def list(self, *names: str) -> None:
        self.site.answers[WELL_KNOWN] = reply(self.index(*names))

    def index(self, *names: str) -> bytes:
        return index(entry(self.skills[name], f"{self.url}/{name}.json") for name in names)


@pytest.fixture
def offer() -> Iterator[Offer]:
    with Site() as site:
        yield Offer(site)


def test_a_domain_is_listed_with_a_verdict_for_each_skill(offer: Offer) -> None:
    ran = run("discover", offer.url, *INSIDE)
    rows = [line.split("  ") for line in ran.out.splitlines()[:3]]
    assert [[cell.strip() for cell in row if cell] for row in rows] == [
        ["com.example.a", "1.0.0", "public", "fine", f"{offer.url}/a.json"],
        ["com.example.b", "1.0.0", "public", "1 error", f"{offer.url}/b.json"],
        ["com.example.c", "1.0.0", "restricted", "needs credentials", f"{offer.url}/c.json"],
    ]
    assert f"{offer.url}/b.json:1:97: error: /version: The index lists the skill with another version" in ran.out
    assert "3 documents checked" in ran.err
    assert ran.code == 4


@pytest.mark.parametrize(
    ("names", "options", "code"),
    [
        ("a", (), 0),
        ("ab", (), 1),
        ("ab", ("--fail-on", "never"), 0),
        ("a", ("--fail-on", "warning"), 1),
        ("ac", (), 4),
        ("abc", ("--max-skills", "1"), 3),
        ("", (), 0),
    ],
)
def test_the_exit_code_says_how_it_went(offer: Offer, names: str, options: tuple[str, ...], code: int) -> None:
    offer.list(*names)
    assert run("discover", offer.url, *INSIDE, *options).code == code


def test_json_is_one_document_that_names_every_skill(offer: Offer) -> None:
    ran = run("discover", offer.url, *INSIDE, "--output-format", "json")
    report = ran.json()
    REPORT.validate(report)
    about = [(each["source"], each["valid"], each.get("skill", {}).get("id")) for each in report["documents"]]
    assert about == [
        (f"{offer.url}{WELL_KNOWN}", True, None),
        (f"{offer.url}/a.json", True, "com.example.a"),
        (f"{offer.url}/b.json", False, "com.example.b"),
        (f"{offer.url}/c.json", None, "com.example.c"),
    ]
    found = report["documents"][2]["error"]["details"]["violations"][0]
    assert (found["rule"], found["field"], found["details"]) == (
        "publish/index-mismatch",
        "/version",
        {"entry": "/skills/1/version"},
    )


@pytest.mark.parametrize("output_format", FORMATS)
def test_every_format_tells_where_entry_and_descriptor_disagree(offer: Offer, output_format: str) -> None:
    ran = run("discover", offer.url, *INSIDE, "--output-format", output_format)
    assert "index-mismatch" in ran.out
    assert "b.json" in ran.out


@pytest.mark.parametrize("output_format", ["json", "sarif", "gitlab"])
def test_a_domain_that_cannot_be_reached_still_gives_one_document(output_format: str) -> None:
    ran = run("discover", "http://127.0.0.1:1", *INSIDE, "--output-format", output_format)
    assert ran.code == 4
    ran.json()


def test_a_domain_without_an_index_has_a_finding(offer: Offer) -> None:
    del offer.site.answers[WELL_KNOWN]
    ran = run("discover", offer.url, *INSIDE, "--output-format", "json")
    assert ran.code == 1
    assert ran.json()["error"]["details"]["violations"][0]["rule"] == "publish/index-missing"


def test_nothing_inside_is_reached_unless_it_is_named(offer: Offer) -> None:
    for options in ((), ("--allow-http",), ("--allow-private", "10.0.0.0/8")):
        ran = run("discover", offer.url, *options)
        assert ran.code == 1
        assert "descriptor/private-address" in ran.out
    assert offer.site.connections == 0


def test_with_credentials_from_the_environment_both_views_are_told(offer: Offer) -> None:
    offer.skills["p"] = descriptor("p", access="private")
    offer.site.answers["/p.json"] = gated(reply(json.dumps(offer.skills["p"]).encode()))
    offer.site.answers[WELL_KNOWN] = gated(reply(offer.index("a", "c", "p")), reply(offer.index("a", "p")))
    options = ("--credentials-env", "SKILL_KEY", "--credentials-header", "X-API-Key", "--output-format", "json")
    ran = run("discover", offer.url, *INSIDE, *options, env={"SKILL_KEY": KEY})
    documents = ran.json()["documents"]
    assert [each["source"].rpartition("/")[2] for each in documents] == [
        "skill-sharing", "skill-sharing (with credentials)", "a.json", "p.json", "c.json",
    ]  # fmt: skip
    assert [each["valid"] for each in documents] == [False, True, True, True, True]
    found = [each for each in documents[0]["error"]["details"]["violations"] if each["severity"] == "error"]
    assert [(each["rule"], each["field"]) for each in found] == [("probe/private-listed", "/skills/1/access")]
    assert KEY not in ran.out + ran.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--credentials-env", "NOT_SET"), "the environment has no NOT_SET"),
        (("--credentials-header", "X-API-Key"), "needs --credentials-env"),
        (("--allow-private", "10.0.0.1/8"), "no network in CIDR form"),
        (("--concurrency", "0"), "concurrency"),
        (("--timeout-ms", "0"), "timeout-ms"),
    ],
)
def test_wrong_usage_is_said(options: tuple[str, ...], words: str) -> None:
    ran = run("discover", "example.com", *options)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


@pytest.mark.parametrize("domain", ["not a domain", "", "ann@example.com"])
def test_what_is_no_domain_is_wrong_usage(domain: str) -> None:
    assert run("discover", domain).code == 2


def test_credentials_do_not_travel_in_the_clear() -> None:
    ran = run("discover", "http://plain.example/", "--allow-http", "--credentials-env", "K", env={"K": KEY})
    assert ran.code in (2, 4)
    assert KEY not in ran.out + ran.err


def test_what_strangers_wrote_does_not_reach_the_terminal_as_it_is(offer: Offer) -> None:
    offer.skills["a"] |= {"id": "com.example.\x1b[31mred", "version": "1\u202e0"}
    offer.list("a")
    ran = run("discover", offer.url, *INSIDE, "--output-format", "full")
    assert "\x1b" not in ran.out + ran.err
    assert "\u202e" not in ran.out


def test_the_small_provider_can_be_discovered() -> None:
    with running_provider() as provider:
        ran = run("discover", provider.base_url, *INSIDE, "--output-format", "json")
    assert ran.code == 0
    assert ran.json()["documents"][1]["skill"]["id"] == "org.example.text-statistics"


def test_an_interrupted_run_tells_what_it_found(offer: Offer) -> None:
    reached, done = threading.Event(), threading.Event()

    def silent(connection: Any, asked: Any) -> bytes:
        reached.set()
        done.wait(20)
        return reply(b"{}")

    offer.site.answers["/b.json"] = silent
    offer.list("a", "b")
    command = [script(), "discover", offer.url, *INSIDE, "--output-format", "json", "--timeout-ms", "60000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert reached.wait(20)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=20)
    done.set()
    report = json.loads(out)
    assert process.returncode == 130
    assert [each["source"].rpartition("/")[2] for each in report["documents"]] == ["skill-sharing", "a.json"]
    assert report["summary"]["interrupted"] is True


def test_progress_is_shown_on_a_terminal_alone(offer: Offer) -> None:
    ours, theirs = pty.openpty()
    command = [script(), "discover", offer.url, *INSIDE, "--output-format", "json"]
    environment = os.environ | {"TERM": "xterm"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=environment) as process:
        os.close(theirs)
        out, _ = process.communicate(timeout=60)
        seen = b""
        with suppress(OSError):
            while piece := os.read(ours, 65536):
                seen += piece
        os.close(ours)
    assert b"skills  [" in seen
    assert json.loads(out)["summary"]["checked"] == 3
    assert b"skills  [" not in subprocess.run(command, capture_output=True, timeout=60, check=False).stderr
