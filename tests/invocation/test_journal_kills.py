"""Processes killed at every point of a call: nothing accepted is lost, and nothing is started twice.

`pytest tests/invocation/test_journal_kills.py --kills 50` kills fifty at each point, and fifty at random.
"""

import json
import multiprocessing
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from skillproto import SkillClient
from skillproto.invocation.journal import Journal
from skillproto.provider import RunningProvider, running_provider
from tests.cli.support import run_script
from tests.support.journal_children import POINTS, call_once

DURATION_MS = 40
LEAST_AT_RANDOM = 20
AT_ONCE = 8
LONGEST_CALL_S = 0.25


class Counting(NamedTuple):
    """A provider that counts how often its skill ran for each text."""

    provider: RunningProvider
    runs: Counter[str]


@pytest.fixture(scope="module")
def counting() -> Iterator[Counting]:
    runs: Counter[str] = Counter()

    def skill(inputs: dict[str, Any]) -> Any:
        runs[inputs["text"]] += 1
        return inputs["text"].upper()

    with running_provider() as other:
        descriptor = other.descriptor | {"output": {"type": "string"}}
    with running_provider(descriptor=descriptor, skill=skill, duration_ms=DURATION_MS) as provider:
        yield Counting(provider, runs)


@pytest.fixture(scope="module")
def kills(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--kills"))


@pytest.fixture(scope="module")
def context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.support.agent_children"])  # one server for all tests that kill
    return context


def begin(
    context: ForkServerContext, counting: Counting, path: Path, key: str, point: str, *, is_async: bool
) -> ForkServerProcess:
    args = (counting.provider.descriptor, str(path), key, f"text of {key}", point, is_async)
    child = context.Process(target=call_once, args=args, daemon=True)
    child.start()
    return child


def end(child: ForkServerProcess) -> int | None:
    child.join(20)
    code = child.exitcode
    assert code in (-signal.SIGKILL, 0)
    child.close()
    return code


def resume(path: Path) -> list[str]:
    with SkillClient(caller_id="tests", journal=path) as client:
        outcomes = list(client.resume_journal())
    assert [outcome.error for outcome in outcomes if outcome.error] == []
    return [str(outcome.result.output) for outcome in outcomes if outcome.result]


def starts_of(counting: Counting, key: str) -> set[str]:
    """The bodies that were sent under a key; a second sending must be the same to the letter."""
    return {each.body.decode() for each in counting.provider.starts if each.headers["idempotency-key"] == key}


@pytest.mark.parametrize("point", POINTS)
def test_a_process_that_is_killed_loses_no_call_and_starts_none_twice(
    point: str, kills: int, counting: Counting, context: ForkServerContext, tmp_path: Path
) -> None:
    path = tmp_path / "calls.db"
    keys = [f"{point.replace(' ', '-')}-{n}" for n in range(kills)]
    for first in range(0, kills, AT_ONCE):
        some = keys[first : first + AT_ONCE]
        children = [begin(context, counting, path, key, point, is_async=n % 2 == 1) for n, key in enumerate(some)]
        assert [end(child) for child in children] == [-signal.SIGKILL] * len(some)

    ran_before = {key: counting.runs[f"text of {key}"] for key in keys}
    expected_before = 0 if point in POINTS[:2] else 1
    assert set(ran_before.values()) == {expected_before}
    was_noted, was_ended = point != POINTS[0], point == POINTS[-1]
    resumed = resume(path)
    assert sorted(resumed) == sorted(f"TEXT OF {key.upper()}" for key in keys if was_noted and not was_ended)

    for key in keys:
        assert counting.runs[f"text of {key}"] == int(was_noted)
        assert len(starts_of(counting, key)) == int(was_noted)
    with Journal(path) as journal:
        assert list(journal.open_calls()) == []
        ended = [journal.find(key) for key in keys]
    assert [entry is not None for entry in ended] == [was_noted] * len(keys)
    assert [entry.outcome.output for entry in ended if entry] == [  # type: ignore[union-attr]
        f"TEXT OF {key.upper()}" for key in keys if was_noted
    ]


def test_processes_killed_at_any_moment_lose_no_call_and_start_none_twice(
    kills: int, counting: Counting, context: ForkServerContext, tmp_path: Path
) -> None:
    path, random = tmp_path / "calls.db", Random(4)
    keys = [f"random-{n}" for n in range(max(kills, LEAST_AT_RANDOM))]
    for n, key in enumerate(keys):
        child = begin(context, counting, path, key, "", is_async=n % 2 == 1)
        _await_call(Path(f"{path}.{key}"), child)
        time.sleep(random.uniform(0, LONGEST_CALL_S))
        if child.exitcode is None and child.pid is not None:
            os.kill(child.pid, signal.SIGKILL)
        end(child)
    with Journal(path) as journal:
        noted = {key for key in keys if journal.find(key) is not None}
        was_open = {entry.key for entry in journal.open_calls()}

    both = resume_twice_at_once(path)
    assert Counter(both) == Counter(f"TEXT OF {key.upper()}" for key in was_open)
    assert {key: counting.runs[f"text of {key}"] for key in keys} == {key: int(key in noted) for key in keys}
    assert all(len(starts_of(counting, key)) == int(key in noted) for key in keys)


def _await_call(told: Path, child: ForkServerProcess) -> None:
    """Wait until the child is about to call, so that the moments that follow are spread over the call."""
    deadline = time.monotonic() + 10
    while not told.exists() and child.exitcode is None and time.monotonic() < deadline:
        time.sleep(0.001)


def resume_twice_at_once(path: Path) -> list[str]:
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(resume, [path, path])
    return first + second


def test_the_command_resumes_what_a_killed_process_left(
    counting: Counting, context: ForkServerContext, tmp_path: Path
) -> None:
    path = tmp_path / "calls.db"
    for n, point in enumerate(("before the send", "after the id is noted")):
        end(begin(context, counting, path, f"command-{n}", point, is_async=False))
    listed = run_script("resume", "--journal", path, "--list", "--output-format", "json")
    assert [call["state"] for call in json.loads(listed.stdout)["calls"]] == ["sent", "accepted"]
    ran = run_script("resume", "--journal", path, "--output-format", "jsonl")
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    assert ran.returncode == 0, ran.stderr
    assert sorted(line["output"] for line in lines) == ["TEXT OF COMMAND-0", "TEXT OF COMMAND-1"]
    assert [counting.runs[f"text of command-{n}"] for n in range(2)] == [1, 1]
