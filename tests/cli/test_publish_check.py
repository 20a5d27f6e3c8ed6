"""`skillproto publish-check`."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from skillproto import rules
from skillproto.provider import running_provider
from tests.cli.support import EXAMPLES, run, script, write
from tests.publishing.support import ID, TEXT, TONE, skill
from tests.reports.test_published_schemas import report_schema
from tests.rules.support import index_of
from tests.support import faults
from tests.support.faults import FaultServer

LOOPBACK = ("--allow-private", "127.0.0.0/8")


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return write(tmp_path / "new.json", skill(version="1.5.0", inputs=[TEXT, TONE]))


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return write(tmp_path / "old" / "skill.json", skill())


def test_a_good_descriptor_is_fine_and_the_rule_pack_is_named(tmp_path: Path) -> None:
    ran = run("publish-check", write(tmp_path / "skill.json", skill()))
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == f"skillproto: 1 document checked: no findings (rule pack {rules.RULE_PACK_VERSION})\n"


def test_every_example_can_be_published_and_warnings_are_counted_where_asked() -> None:
    assert run("publish-check", EXAMPLES).code == 0
    assert run("publish-check", EXAMPLES, "--fail-on", "warning").code == 1


def test_a_descriptor_comes_from_the_standard_input() -> None:
    ran = run("publish-check", "-", "--stdin-filename", "skill.json", stdin=json.dumps(skill(version="latest")))
    assert ran.code == 1
    assert ran.out.startswith("skill.json:1:")
    assert "`latest` is reserved" in ran.out


@pytest.mark.parametrize("what", ["file", "folder", "index", "state", "lines"])
def test_what_is_published_comes_from_many_places(new: Path, old: Path, tmp_path: Path, what: str) -> None:
    whole = {"id": ID, "version": "1.4.2", "descriptor": skill()}
    options: dict[str, list[Any]] = {
        "file": ["--against", old],
        "folder": ["--against", old.parent],
        "index": ["--against", write(tmp_path / "index.json", index_of({"id": ID, "version": "1.4.2"}))],
        "state": ["--state", write(tmp_path / "state.json", {"published": [whole]})],
        "lines": ["--state", tmp_path / "state.jsonl"],
    }
    (tmp_path / "state.jsonl").write_text(json.dumps(whole) + "\n")
    ran = run("publish-check", new, *options[what])
    if what == "index":
        assert (ran.code, "its descriptor is not at hand" in ran.out) == (3, True)
    else:
        assert (ran.code, "breaking-without-major" in ran.out) == (1, True)


def test_a_folder_gives_the_descriptors_that_a_state_has_not(new: Path, old: Path, tmp_path: Path) -> None:
    state = write(tmp_path / "state.json", {"published": [{"id": ID, "version": "1.4.2"}]})
    assert run("publish-check", new, "--state", state).code == 3
    ran = run("publish-check", new, "--state", state, "--against", old.parent)
    assert (ran.code, "breaking-without-major" in ran.out) == (1, True)


def test_what_is_published_comes_from_an_address(new: Path) -> None:
    answers: dict[str, Any] = {}

    def step(request: faults.Request) -> faults.Step:
        return faults.reply(200 if request.path in answers else 404, answers.get(request.path))

    with FaultServer(step) as server:
        entry = {"id": ID, "version": "1.4.2", "descriptor_url": f"{server.origin}/skill.json"}
        answers |= {"/index": index_of(entry), "/skill.json": skill(), "/empty": index_of()}
        answers |= {"/skill.yaml": yaml.safe_dump(skill()).encode(), "/twice.json": b'{"id": "a", "id": "b"}'}
        for path in ("/index", "/skill.json", "/skill.yaml"):
            ran = run("publish-check", new, "--against", server.origin + path, *LOOPBACK)
            assert (ran.code, "breaking-without-major" in ran.out) == (1, True)
        assert "index-missing" in run("publish-check", new, "--against", f"{server.origin}/empty", *LOOPBACK).out
        twice = run("publish-check", new, "--against", f"{server.origin}/twice.json", *LOOPBACK)
        assert (twice.code, "can be compared with" in twice.out) == (4, True)
        gone = run("publish-check", new, "--against", f"{server.origin}/gone", *LOOPBACK, "--output-format", "json")
        assert (gone.code, gone.json()["summary"]["errors"]) == (4, 0)
        assert "answers 404" in gone.json()["error"]["message"]
        private = run("publish-check", new, "--against", f"{server.origin}/index")
        assert (private.code, "this computer itself" in private.out) == (4, True)


def test_a_skill_is_probed_where_that_is_asked_for(tmp_path: Path) -> None:
    with running_provider(faults=[401], api_key="k-123456") as provider:
        path = write(tmp_path / "skill.json", provider.descriptor | {"id": "translate"})
        assert "probe/" not in run("publish-check", path).out
        assert provider.requests == []
        ran = run("publish-check", path, "--probe", *LOOPBACK, "--output-format", "json")
        found = {each["rule"]: each for each in ran.json()["error"]["details"]["violations"]}
    assert ran.code == 1
    assert found["probe/no-challenge"]["details"]["reply"]["status"] == 401
    assert "publish/namespace-unproven" in found


@pytest.mark.parametrize(
    "output_format", ["text", "concise", "full", "json", "jsonl", "github", "gitlab", "sarif", "junit"]
)
def test_every_format_reports_findings_and_what_could_not_be_done(
    new: Path, tmp_path: Path, output_format: str
) -> None:
    state = {"published": [{"id": ID, "version": "1.4.2"}], "namespaces": []}
    ran = run("publish-check", new, "--state", write(tmp_path / "s.json", state), "--output-format", output_format)
    assert ran.code == 3
    assert "namespace-unproven" in ran.out
    assert "not at hand" in ran.out


def test_the_json_report_is_what_its_schema_says(new: Path, old: Path) -> None:
    import jsonschema

    ran = run("publish-check", new, "--against", old, "--output-format", "json")
    jsonschema.Draft202012Validator(report_schema()).validate(ran.json())
    (finding,) = ran.json()["error"]["details"]["violations"]
    assert finding["line"] > 1
    assert finding["details"]["allow"] == f"{ID}@1.5.0 diff/input-added-required /inputs/1"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "name a DESCRIPTOR"),
        (["nothing.json"], 3, "No such file"),
        (["new.json", "--against", "nothing.json"], 3, "No such file"),
        (["new.json", "--state", "nothing.json"], 3, "cannot be read"),
        (["new.json", "--allow", "all of it"], 2, "ID@VERSION RULE POINTER"),
        (["new.json", "--allow-file", "nothing"], 2, "could not be read"),
        (["new.json", "--probe", "--allow-private", "here"], 2, "CIDR"),
        (["new.json", "--output-file", "new.json"], 2, "to be checked"),
        (["new.json", "--exchange"], 2, "inside the request"),
    ],
)
def test_what_cannot_be_done_is_told(
    new: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, words: str
) -> None:
    monkeypatch.chdir(new.parent)
    ran = run("publish-check", *arguments)
    assert ran.code == code
    assert words in ran.out + ran.err


def test_a_report_goes_into_a_file(new: Path, old: Path, tmp_path: Path) -> None:
    ran = run("publish-check", new, "--against", old, "--output-file", tmp_path / "report.txt")
    assert (ran.code, ran.out) == (1, "")
    assert "breaking-without-major" in (tmp_path / "report.txt").read_text()


def test_an_exchange_compares_with_what_is_named_beside_it(new: Path, old: Path) -> None:
    request = json.dumps({"descriptor": json.loads(new.read_text())})
    assert run("publish-check", "--exchange", stdin=request).code == 0
    for against in (old, old.parent):
        ran = run("publish-check", "--exchange", "--against", against, stdin=request)
        assert (ran.code, ran.json()["accepted"]) == (1, False)
        assert "publish/breaking-without-major" in ran.out


@pytest.mark.parametrize(
    "option", [("--publisher", "Ann"), ("--proven", "com.example"), ("--allow", f"{ID}@1.5.0 publish/id-taken /id")]
)
def test_an_option_that_an_exchange_would_not_heed_is_refused(option: tuple[str, str]) -> None:
    ran = run("publish-check", "--exchange", *option, stdin=json.dumps({"descriptor": skill()}))
    assert (ran.code, ran.json()["error"]["details"]["reason"]) == (2, "usage")
    assert option[0] in ran.err


@pytest.mark.parametrize(
    "own",
    [
        {"state": {}},
        {"options": {"proofs": ["com.example"]}},
        {"options": {"allow": [f"{ID}@1.5.0 publish/id-taken /id"]}},
    ],
)
def test_a_request_does_not_overrule_the_state_beside_it(tmp_path: Path, own: dict[str, Any]) -> None:
    state = write(tmp_path / "s.json", {"published": [{"id": ID, "version": "1.4.2"}]})
    ran = run("publish-check", "--exchange", "--state", state, stdin=json.dumps({"descriptor": skill()} | own))
    assert (ran.code, ran.json()["error"]["details"]["reason"]) == (2, "usage")


def test_an_index_beside_a_state_is_not_passed_over(new: Path, tmp_path: Path) -> None:
    state, index = write(tmp_path / "s.json", {}), write(tmp_path / "i.json", {"skills": []})
    ran = run("publish-check", new, "--state", state, "--against", index)
    assert (ran.code, "one of the two" in ran.err) == (2, True)


def test_a_password_in_an_address_is_not_shown(new: Path) -> None:
    ran = run("publish-check", new, "--against", "https://ann:hunter22@example.invalid/?token=hunter22")
    assert ran.code == 4
    assert "hunter22" not in ran.out + ran.err


def test_an_exchange_whose_state_cannot_be_read_is_no_verdict(tmp_path: Path) -> None:
    request = json.dumps({"descriptor": skill()})
    ran = run("publish-check", "--exchange", "--state", tmp_path / "nothing.json", stdin=request)
    assert ran.code == 3
    assert ran.json()["error"]["details"]["reason"] == "could-not-be-carried-out"


def test_an_interrupt_ends_it_with_a_whole_report() -> None:
    command = [script(), "publish-check", "-", "--output-format", "json"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(skill()).encode() + b"\n" + json.dumps(skill()).encode() + b"\n")
        process.stdin.flush()
        process.stdout.read(1)
        process.send_signal(signal.SIGINT)
        report = json.loads(b"{" + process.stdout.read())
        assert process.wait(20) == 130
    assert report["summary"]["interrupted"] is True
