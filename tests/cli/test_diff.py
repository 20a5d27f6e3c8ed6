"""`skillproto diff`: what it reads, what it prints, and how it ends."""

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from skillproto.cli import _revisions
from tests.cli.support import good, run, write

GIT = ["git", "-c", "user.email=a@example.com", "-c", "user.name=A", "-c", "commit.gpgsign=false"]


def git(*args: str) -> None:
    subprocess.run([*GIT, *args], check=True, capture_output=True, timeout=30)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a descriptor at its top and one in a folder, both changed since they were committed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    write(tmp_path / "skill.json", good())
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "skill.yaml").write_text(json.dumps(good()), encoding="utf-8")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "One")
    git("tag", "v1")
    write(tmp_path / "skill.json", broken())
    return tmp_path


def broken() -> dict[str, Any]:
    return good() | {"version": "1.5.0", "inputs": good()["inputs"][:2]}


def test_a_break_is_told_with_its_version_and_the_line_that_lets_it_through(repository: Path) -> None:
    ran = run("diff", "HEAD:skill.json", "skill.json")
    assert ran.code == 1
    assert ran.out.startswith("com.example.translate-v1: version 1.4.2 -> 1.5.0 but needs 2.0.0 (major changes)\n")
    assert "/inputs/2 (in the old one): The input 'format' is gone" in ran.out
    assert '  at the top: "x-skillproto-ignore": ["diff/input-removed"]\n' in ran.out
    assert ran.err == "skillproto: version 1.4.2 -> 1.5.0 but needs 2.0.0 (major changes)\n"


def test_the_printed_line_pasted_lets_it_through(repository: Path) -> None:
    write(repository / "skill.json", {"x-skillproto-ignore": ["diff/input-removed"], **broken()})
    ran = run("diff", "HEAD:skill.json", "skill.json")
    assert (ran.code, "Let through on purpose" in ran.out) == (0, True)
    assert run("diff", "HEAD:skill.json", "skill.json", "--no-suppressions").code == 1
    assert run("diff", "skill.json", "skill.json").out.count("config/stale-suppression") == 1
    assert run("diff", "skill.json", "skill.json", "--fail-on", "cosmetic").code == 1


@pytest.mark.parametrize(
    ("fail_on", "text_code", "break_code"),
    [("never", 0, 0), ("breaking", 0, 1), ("compatible", 0, 1), ("cosmetic", 1, 1), ("bump", 0, 1)],
)
def test_the_threshold_decides_the_exit_code(tmp_path: Path, fail_on: str, text_code: int, break_code: int) -> None:
    old = write(tmp_path / "old.json", good())
    text = write(tmp_path / "text.json", good() | {"description": "Other.", "version": "1.4.3"})
    gone = write(tmp_path / "gone.json", broken())
    assert run("diff", old, text, "--fail-on", fail_on).code == text_code
    assert run("diff", old, gone, "--fail-on", fail_on).code == break_code


def test_a_break_in_a_new_major_version_has_the_bump_that_it_needs(tmp_path: Path) -> None:
    old, new = write(tmp_path / "a.json", good()), write(tmp_path / "b.json", broken() | {"version": "2.0.0"})
    assert run("diff", old, new, "--fail-on", "bump").code == 0
    assert run("diff", old, new).code == 1


def test_the_undecided_is_let_pass_where_that_is_asked_for(tmp_path: Path) -> None:
    def of(schema: Any) -> dict[str, Any]:
        return good() | {"output": {"type": "string", "schema": schema}}

    old, new = (
        write(tmp_path / "a.json", of({"pattern": "^(?=.*a)b*"})),
        write(tmp_path / "b.json", of({"pattern": "^(?=.*a)b+"})),
    )
    ran = run("diff", old, new)
    assert (ran.code, "--allow-undecided" in ran.out) == (1, True)
    assert run("diff", old, new, "--allow-undecided").code == 0


def test_a_path_in_git_counts_from_the_top_or_from_here(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository / "in")
    assert run("diff", "v1:./skill.yaml", "skill.yaml").code == 0
    assert run("diff", "v1:in/skill.yaml", "v1:skill.json").code == 0
    ran = run("diff", "v1:skill.yaml", "skill.yaml")
    assert (ran.code, "REVISION:./FILE" in ran.err) == (3, True)


def test_what_is_staged_can_be_compared(repository: Path) -> None:
    git("add", "skill.json")
    assert run("diff", ":skill.json", "skill.json").code == 0
    assert run("diff", "HEAD:skill.json", ":skill.json").code == 1


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("HEAD:nope.json", "not-found"),
        ("NOPE:skill.json", "no-revision"),
        ("HEAD:in", "no-file"),
        ("--output=x:skill.json", "no-revision"),
        ("-p:skill.json", "no-revision"),
    ],
)
def test_what_git_does_not_have_is_no_pass(repository: Path, name: str, reason: str) -> None:
    ran = run("diff", "--output-format", "json", "--", name, "skill.json")
    assert (ran.code, ran.json()["error"]["details"]["reason"]) == (3, reason)
    assert not (repository / "x").exists()


def test_no_repository_and_no_git_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "skill.json", good())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert "There is no git repository here" in run("diff", "HEAD:skill.json", path).err
    monkeypatch.setenv("PATH", str(tmp_path))
    ran = run("diff", "HEAD:skill.json", path)
    assert (ran.code, "git program" in ran.err) == (3, True)


def test_a_program_that_poses_as_git_cannot_hang_or_flood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "git"
    fake.write_text("#!/bin/sh\nexec yes\n", encoding="utf-8")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert run("diff", "HEAD:a.json", "-", stdin=json.dumps(good())).code == 3
    fake.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    monkeypatch.setattr(_revisions, "TIMEOUT_S", 0.2)
    ran = run("diff", "HEAD:a.json", "-", stdin=json.dumps(good()))
    assert (ran.code, "git was stopped" in ran.err) == (3, True)


def test_a_file_whose_name_has_a_colon_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "HEAD:a.json", good())
    assert run("diff", "HEAD:a.json", "HEAD:a.json").code == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "not-read"),
        (b'{"id": 1,}', "not-read"),
        (b"\xff\xfe", "not-read"),
        (b'{"id": 1}', "VALIDATION_ERROR"),
        (b"[]", "VALIDATION_ERROR"),
        (b"---\na: 1\n---\na: 2\n", "not-one"),
    ],
    ids=["empty", "syntax", "encoding", "incomplete", "list", "two"],
)
@pytest.mark.parametrize("output_format", ["text", "json", "github", "sarif", "junit"])
def test_what_cannot_be_compared_is_never_a_pass(tmp_path: Path, text: bytes, reason: str, output_format: str) -> None:
    path = write(tmp_path / "good.json", good())
    (tmp_path / "bad.yaml" if b"---" in text else tmp_path / "bad.json").write_bytes(text)
    bad = next(tmp_path.glob("bad.*"))
    for pair in ((bad, path), (path, bad), (bad, bad)):
        ran = run("diff", *pair, "--output-format", output_format)
        assert ran.code == 3
        assert "nothing was compared" in ran.err
        if output_format in ("json", "sarif"):
            assert ran.json()
        if output_format == "json" and reason != "VALIDATION_ERROR":
            assert ran.json()["error"]["details"]["reason"] == reason


def test_a_comparison_that_crashes_is_no_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from skillproto.cli import diff as command

    def crash(*args: Any, **options: Any) -> None:
        raise KeyError("a fault of ours")

    monkeypatch.setattr(command, "diff", crash)
    path = write(tmp_path / "a.json", good())
    ran = run("diff", path, path, "--output-format", "json")
    assert (ran.code, ran.json()["error"]["details"]["reason"]) == (3, "crashed")


def test_one_standard_input_is_enough_for_one(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", good())
    assert run("diff", "-", path, stdin=json.dumps(good())).code == 0
    assert run("diff", "-", "-", stdin=json.dumps(good())).code == 2


def test_each_format_names_the_rule_and_the_place(tmp_path: Path) -> None:
    old, new = write(tmp_path / "a.json", good()), write(tmp_path / "b.json", broken())
    report = run("diff", old, new, "--output-format", "json").json()
    assert [(each["rule"], each["needs"]) for each in report["changes"]] == [("diff/input-removed", "major")]
    assert report["suppressions"] == [{"at": "", "member": '"x-skillproto-ignore": ["diff/input-removed"]'}]
    assert (report["least_version"], report["bump_made"], report["fails"]) == ("2.0.0", "minor", True)
    github = run("diff", old, new, "--output-format", "github").out
    assert "::error file=" in github and ",line=" in github and "title=diff/input-removed" in github  # noqa: PT018
    results = run("diff", old, new, "--output-format", "sarif").json()["runs"][0]["results"]
    assert [(each["ruleId"], each["level"]) for each in results] == [("diff/input-removed", "error")]
    assert 'failures="1"' in run("diff", old, new, "--output-format", "junit").out
    assert 'failures="0"' in run("diff", old, new, "--output-format", "junit", "--fail-on", "never").out


def test_the_json_report_is_what_its_schema_says(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    validator = Draft202012Validator(json.loads((root / "schemas" / "comparison" / "1.json").read_text("utf-8")))
    old, bad = write(tmp_path / "a.json", good()), write(tmp_path / "bad.json", {})
    stale = broken() | {"x-skillproto-ignore": ["diff/input-removed", "diff/access-narrowed"], "x-own": 1}
    for document in (good(), broken(), stale, good() | {"version": "1.0.0"}):
        new = write(tmp_path / "b.json", document)
        validator.validate(run("diff", old, new, "--output-format", "json").json())
    for pair in ((old, bad), (old, tmp_path / "nope.json")):
        validator.validate(run("diff", *pair, "--output-format", "json").json())
    assert not validator.is_valid({})


def test_words_of_a_descriptor_are_escaped(tmp_path: Path) -> None:
    trick = "\x1b[31m\u202e"
    old = write(tmp_path / "a.json", good() | {"x-" + trick: 1})
    new = write(tmp_path / "b.json", good() | {"x-" + trick: 2})
    ran = run("diff", old, new)
    assert trick not in ran.out
    assert "own-member-changed" in ran.out


class _Published(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        is_there = self.path == "/skill.json"
        body = json.dumps(good()).encode() if is_there else b"no"
        self.send_response(200 if is_there else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def published() -> Iterator[str]:
    """An address at which a descriptor is published, on this computer."""
    with HTTPServer(("127.0.0.1", 0), _Published) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_an_address_is_fetched_where_it_may_be(published: str, tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", broken())
    allowed = ("--allow-private", "127.0.0.0/8")
    assert run("diff", f"{published}/skill.json", path, *allowed).code == 1
    missing = run("diff", f"{published}/nope.json", path, *allowed, "--output-format", "json")
    assert (missing.code, missing.json()["error"]["details"]["reason"]) == (4, "http-status")
    refused = run("diff", f"{published}/skill.json", path)
    assert (refused.code, "nothing was compared" in refused.err) == (4, True)
    assert run("diff", f"{published}/skill.json", path, "--allow-private", "x").code == 2
