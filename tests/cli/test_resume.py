"""`skillproto resume` and `skillproto invoke --journal`."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillproto import SkillClient
from skillproto.invocation.journal import Journal
from skillproto.provider import RunningProvider, running_provider
from tests.cli.support import run, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "calls.db"


@pytest.fixture
def provider() -> Iterator[RunningProvider]:
    with running_provider(["ok", "failed"]) as running:
        yield running


def start(provider: RunningProvider, path: Path, *keys: str) -> None:
    with SkillClient(caller_id="tests", journal=path) as client:
        for key in keys:
            client.start(provider.descriptor, {"text": "hola"}, idempotency_key=key)


def test_a_call_of_invoke_is_noted_and_its_key_gives_the_same_output(provider: RunningProvider, path: Path) -> None:
    skill = write(path.with_name("skill.json"), provider.descriptor)
    args = ("invoke", skill, "-i", "text=hola", "--idempotency-key", "k", "--journal", path)
    first, again = run(*args), run(*args)
    assert (first.code, again.code, again.out) == (0, 0, first.out)
    assert len(provider.starts) == 1


def test_results_are_printed_like_those_of_invoke(provider: RunningProvider, path: Path) -> None:
    start(provider, path, "k1", "k2")
    ran = run("resume", env={"SKILLPROTO_JOURNAL": str(path)})
    assert ran.code == 1
    documents = [json.loads(text) for text in ran.out.replace("}\n{", "}\0{").split("\0")]
    assert sorted(document.get("words", 0) for document in documents) == [0, 1]
    assert [document["error"]["code"] for document in documents if "error" in document] == ["EXECUTION_FAILED"]
    assert "k1: completed" in ran.err
    assert "k2: failed: EXECUTION_FAILED" in ran.err
    again = run("resume", "--journal", path)
    assert (again.code, again.out, again.err) == (0, "", "skillproto: nothing is open\n")


@pytest.mark.parametrize("output_format", ["json", "jsonl"])
def test_the_report_is_json_in_every_case(provider: RunningProvider, path: Path, output_format: str) -> None:
    start(provider, path, "k1", "k2")
    ran = run("resume", "--journal", path, "--output-format", output_format)
    calls = ran.json()["calls"] if output_format == "json" else [json.loads(line) for line in ran.out.splitlines()]
    assert {call["idempotency_key"]: call["state"] for call in calls} == {"k1": "completed", "k2": "failed"}
    assert all(call["execution_id"] and call["skill_id"] == provider.descriptor["id"] for call in calls)
    again = run("resume", "--journal", path, "--output-format", output_format)
    assert (again.code, again.out.strip()) == (0, "" if output_format == "jsonl" else '{\n  "calls": []\n}')


def test_what_is_open_is_listed_and_nothing_is_sent(provider: RunningProvider, path: Path) -> None:
    start(provider, path, "k1")
    asked = len(provider.requests)
    told = run("resume", "--journal", path, "--list")
    assert (told.code, told.err) == (0, "skillproto: 1 open\n")
    assert told.out.startswith("k1  org.example.text-statistics  accepted exec-")
    (call,) = run("resume", "--journal", path, "--list", "--output-format", "json").json()["calls"]
    assert (call["state"], call["may_have_run"], call["is_busy"]) == ("accepted", True, False)
    assert len(provider.requests) == asked


def test_a_call_is_struck_out(provider: RunningProvider, path: Path) -> None:
    start(provider, path, "k1")
    assert run("resume", "--journal", path, "--forget", "k1").code == 0
    again = run("resume", "--journal", path, "--forget", "k1", "--output-format", "json")
    assert (again.code, again.json()) == (1, {"forgotten": {"k1": 0}})
    with Journal(path) as journal:
        assert list(journal.open_calls()) == []


def test_a_provider_that_is_gone_is_four_and_the_call_stays_open(path: Path) -> None:
    with running_provider() as gone:
        start(gone, path, "k1")
    ran = run("resume", "--journal", path, "--output-format", "jsonl")
    assert (ran.code, json.loads(ran.out)["state"]) == (4, "open")


def test_no_journal_named_is_wrong_usage(path: Path) -> None:
    ran = run("resume", env={"SKILLPROTO_JOURNAL": None})
    assert (ran.code, "--journal PATH" in ran.err) == (2, True)


@pytest.mark.parametrize("content", [None, "not a journal\n" * 100], ids=["missing", "foreign"])
def test_a_journal_that_cannot_be_read_is_three_and_one_document(path: Path, content: str | None) -> None:
    if content is not None:
        path.write_text(content)
    ran = run("resume", "--journal", path, "--output-format", "json")
    assert (ran.code, ran.json()["error"]["details"]["reason"]) == (3, "failed")
    assert str(path) in ran.err
    assert path.exists() is (content is not None)


@pytest.mark.parametrize("options", [(), ("--list",)], ids=["resume", "list"])
def test_a_call_that_was_damaged_is_no_fault_of_ours(
    provider: RunningProvider, path: Path, options: tuple[str]
) -> None:
    start(provider, path, "k1")
    connection = sqlite3.connect(path)
    connection.executescript("UPDATE calls SET state = 'weird'")
    connection.close()
    ran = run("resume", "--journal", path, *options)
    assert (ran.code, ran.out) == (3, "")
    assert "a call in it is damaged" in ran.err


def test_a_call_whose_descriptor_is_lost_is_told_and_the_others_go_on(provider: RunningProvider, path: Path) -> None:
    start(provider, path, "k1", "k2")
    connection = sqlite3.connect(path)
    connection.executescript("UPDATE calls SET descriptor = 'lost' WHERE key = 'k1'")
    connection.close()
    ran = run("resume", "--journal", path, "--output-format", "json")
    calls = {call["idempotency_key"]: call for call in ran.json()["calls"]}
    assert (ran.code, calls["k1"]["state"], calls["k2"]["state"]) == (3, "open", "failed")
    assert calls["k1"]["error"]["details"] == {"reason": "journal"}
    assert "k1: open: UNKNOWN: The journal has lost the descriptor" in ran.err
    alone = run("resume", "--journal", path)
    assert (alone.code, "nothing is open" in alone.err) == (3, False)
    assert run("resume", "--journal", path, "--forget", "k1").code == 0
    assert run("resume", "--journal", path).err == "skillproto: nothing is open\n"
