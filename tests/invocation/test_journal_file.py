"""Whom a call in a journal belongs to, and the file: private, known to be ours, and bounded."""

import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from skillproto import Result, SkillClient, SkillError, UsageError
from skillproto.invocation.journal import Beginning, Journal
from skillproto.invocation.journal_owner import Owner
from skillproto.provider import RunningProvider, running_provider
from tests.support.journals import entry, resume

SECRET = "a-key-that-nobody-may-read"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "calls.db"


@pytest.fixture(scope="module")
def provider() -> Iterator[RunningProvider]:
    with running_provider() as running:
        yield running


# Whose it is.


def test_a_living_process_is_left_alone_and_a_killed_one_is_missed_at_once(
    provider: RunningProvider, path: Path
) -> None:
    with subprocess.Popen(["sleep", "60"]) as other, Journal(path) as journal:
        call = Beginning(
            provider.descriptor["id"], "k", "d", provider.descriptor, b'{"inputs":{}}', 60_000, is_claimed=False
        )
        owner = Owner.myself()._replace(pid=other.pid, born=_born(other.pid))
        _begin_as(journal, owner, call)
        assert entry(path).is_busy
        assert resume(path) == []
        other.kill()
        while entry(path).is_busy:  # not yet waited for: such a process has ended all the same
            time.sleep(0.005)
        assert journal.look(call.skill_id, "k", None, 1000) is not None


def _begin_as(journal: Journal, owner: Owner, call: Beginning) -> None:
    journal.begin(call)
    with journal._writing() as connection:
        connection.execute("UPDATE calls SET owner = ?, host = ?, pid = ?, born = ? WHERE key = ?", (*owner, call.key))


def _born(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[19]


def test_a_number_that_was_given_to_another_process_is_no_claim() -> None:
    assert Owner.myself()._replace(born="1").is_gone()
    assert not Owner.myself()._replace(host="elsewhere", born="1").is_gone()


def test_a_claim_from_elsewhere_ends_with_its_lease(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Journal(path) as journal:
        owner = Owner.myself()._replace(token="t", host="elsewhere")
        _begin_as(journal, owner, Beginning("s", "k", "d", {}, b"{}", 1000, is_claimed=False))
        assert entry(path).is_busy
        monkeypatch.setattr("skillproto.invocation.journal._now_ms", lambda: round(time.time() * 1000) + 31_100)
        assert not entry(path).is_busy


def test_a_fork_opens_the_file_anew(path: Path) -> None:
    program = (
        "import os, sys\nfrom skillproto.invocation.journal import Beginning, Journal\n"
        "journal = Journal(sys.argv[1])\n"
        "journal.begin(Beginning('s', 'parent', 'd', {}, b'{}', 1000, False))\n"
        "if (child := os.fork()) == 0:\n"
        "    journal.begin(Beginning('s', 'child', 'd', {}, b'{}', 1000, False))\n"
        "    os._exit(0 if journal.find('parent').is_busy else 1)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "print([(each.key, each.is_busy) for each in journal.open_calls()])\n"
    )
    ran = subprocess.run([sys.executable, "-c", program, path], capture_output=True, timeout=60, check=False)
    assert ran.stdout.decode() == "[('parent', True), ('child', False)]\n", ran.stderr


# The file.


def test_only_the_owner_may_read_the_file_and_what_stands_beside_it(provider: RunningProvider, path: Path) -> None:
    with Journal(path):
        path.chmod(0o644)
    with SkillClient(caller_id="tests", journal=path) as client:
        client.start(provider.descriptor, {"text": "hola"})
        modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()}
    assert modes == {"calls.db": 0o600, "calls.db-wal": 0o600, "calls.db-shm": 0o600}


def test_credentials_never_stand_in_it_and_inputs_only_until_they_are_not_needed(path: Path) -> None:
    with (
        running_provider(api_key=SECRET, duration_ms=50) as locked,
        SkillClient(caller_id="tests", journal=path, credentials=SECRET) as client,
    ):
        client.invoke(locked.descriptor, {"text": "words-of-the-caller", "top": 0})
    everything = b"".join(each.read_bytes() for each in path.parent.iterdir())
    assert SECRET.encode() not in everything
    assert b"words-of-the-caller" not in everything


def test_inputs_of_ended_calls_stand_in_the_log_alone_until_it_is_emptied(
    provider: RunningProvider, path: Path
) -> None:
    def holding() -> list[str]:
        return [each.name for each in path.parent.iterdir() if b"words-of-the-caller" in each.read_bytes()]

    with Journal(path) as journal:
        with SkillClient(caller_id="tests", journal=journal) as client:
            client.invoke(provider.descriptor, {"text": "words-of-the-caller", "top": 0})
        assert holding() == ["calls.db-wal"]
        other = sqlite3.connect(path)
        other.execute("PRAGMA wal_checkpoint")
        assert holding() == ["calls.db-wal"]
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        other.close()
        assert holding() == []


@pytest.mark.parametrize(
    "written",
    [lambda url: url.replace("//", "//ann:pass-word@"), lambda url: f"{url}?a=1&api_key=pass-word#x"],
    ids=["user part", "query"],
)
def test_an_address_that_holds_a_password_is_not_written_down(
    provider: RunningProvider, path: Path, written: Callable[[str], str]
) -> None:
    endpoint = provider.descriptor["endpoint"]
    skill = provider.descriptor | {"endpoint": endpoint | {"url": written(endpoint["url"])}}
    with SkillClient(caller_id="tests", journal=path) as client, pytest.raises(UsageError, match="keeps none"):
        client.invoke(skill, {"text": "hola"})
    assert b"pass-word" not in b"".join(each.read_bytes() for each in path.parent.iterdir())


def _of_something_else(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()


def _of_the_future(path: Path) -> None:
    Journal(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()


def _damaged(path: Path) -> None:
    Journal(path).close()
    content = path.read_bytes()
    path.write_bytes(content[:2000] + b"\xff" * 2096 + content[4096:])


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda path: path.write_text("a diary, not a journal\n" * 50), "is no journal, or is damaged: move it away"),
        (_of_something_else, "a database of something else: give the journal a path of its own"),
        (_of_the_future, "has form 99, and this version reads 1: update skillproto"),
        (_damaged, "move it away|damaged"),
        (lambda path: path.mkdir(), "cannot be opened: Is a directory"),
    ],
    ids=["text", "foreign", "newer", "damaged", "directory"],
)
def test_a_file_that_is_no_journal_is_refused_and_left_as_it_is(
    path: Path, spoil: Callable[[Path], None], words: str
) -> None:
    spoil(path)
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(UsageError, match=words):
        SkillClient(caller_id="tests", journal=path)
    assert (path.read_bytes() if path.is_file() else b"") == before


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (5, "needs the path of a file, not 5"),
        ("", "needs the path of a file, not ''"),
        ("/no/such/directory/calls.db", "cannot be opened: No such file or directory"),
    ],
)
def test_what_is_no_path_is_refused(given: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        SkillClient(caller_id="tests", journal=given)


@pytest.mark.parametrize(
    "damage",
    [
        "state = 'weird'",
        "outcome = '{'",
        """outcome = '{"result": {}}'""",
        """outcome = '{"error": 1}'""",
        "owner = 'o', lease_ms = 'soon'",
        "descriptor = 'x'; UPDATE skills SET digest = 'x', descriptor = '{'",
    ],
)
def test_a_row_that_was_damaged_is_told_as_that(path: Path, damage: str) -> None:
    with Journal(path) as journal:
        journal.begin(Beginning("s", "k", "d", {}, b"{}", 1000, is_claimed=False))
    connection = sqlite3.connect(path)
    connection.executescript(f"UPDATE calls SET {damage}")
    connection.close()
    with Journal(path) as journal, pytest.raises(SkillError, match="a call in it is damaged"):
        list(journal.open_calls())


def test_many_may_make_the_file_at_once(path: Path) -> None:
    faults: list[BaseException] = []

    def work(n: int) -> None:
        try:
            with Journal(path) as journal:
                journal.begin(Beginning("s", f"k{n}", "d", {}, b"{}", 1000, is_claimed=False))
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    with Journal(path) as journal:
        assert len(list(journal.open_calls())) == 12


@pytest.mark.parametrize(
    ("bounds", "kept"),
    [({"keep_ended": 3}, 3), ({"keep_bytes": 500}, 3), ({"keep_days": 0}, 0), ({}, 20)],
    ids=["count", "bytes", "days", "none"],
)
def test_ended_calls_are_struck_out_and_open_ones_never(path: Path, bounds: dict[str, int], kept: int) -> None:
    with Journal(path, **bounds) as journal:  # type: ignore[arg-type]
        for n in range(20):
            journal.begin(Beginning("s", f"open{n}", "d", {}, b"{}", 1000, is_claimed=False))
            journal.begin(Beginning("s", f"ended{n}", "d", {"n": n}, b"{}", 1000, is_claimed=False))
            journal.ended("s", f"ended{n}", Result("x" * 20, None, 1, 1), may_have_run=True)
        time.sleep(0.002)
        journal.prune()
        found = [n for n in range(20) if journal.find(f"ended{n}")]
        assert found == list(range(20 - kept, 20))
        assert len(list(journal.open_calls())) == 20
        assert journal._connection is not None
        assert journal._connection.execute("SELECT count(*) FROM skills").fetchone() == (1,)


def test_the_file_stops_growing(path: Path) -> None:
    sizes = []
    with Journal(path, keep_ended=50) as journal:
        for n in range(1500):
            journal.begin(Beginning("s", f"k{n}", "d", {"n": n}, b"x" * 500, 1000, is_claimed=False))
            journal.ended("s", f"k{n}", Result("x" * 500, None, 1, 1), may_have_run=True)
            sizes.append(path.stat().st_size)
    assert sizes[-1] <= max(sizes[:750])
