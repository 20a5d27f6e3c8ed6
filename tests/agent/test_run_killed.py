"""An agent whose process is killed in the middle of a tool call: the skill runs once, and the model hears of it."""

import json
import multiprocessing
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillproto import SkillClient
from skillproto.provider import RunningProvider, running_provider
from tests.support.agent_children import RUN_ID, agent, run_until_killed


@pytest.fixture
def provider() -> Iterator[RunningProvider]:
    with running_provider() as running:
        yield running


def killed(provider: RunningProvider, journal: Path, state: Path, point: str) -> None:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.support.agent_children"])
    args = (provider.descriptor, str(journal), str(state), point)
    child = context.Process(target=run_until_killed, args=args, daemon=True)
    child.start()
    child.join(60)
    assert child.exitcode == -signal.SIGKILL
    child.close()


@pytest.mark.parametrize(
    ("point", "is_journal_resumed", "has_run", "told"),
    [
        ("before the note", False, "no", "did not run"),
        ("after the id is noted", False, "yes", "after the skill was started"),
        ("before the send", True, "yes", '"words":1'),
        ("after the end is noted", False, "yes", '"words":1'),
    ],
)
def test_a_run_is_taken_up_after_its_process_was_killed(
    provider: RunningProvider, tmp_path: Path, point: str, is_journal_resumed: bool, has_run: str, told: str
) -> None:
    journal, state = tmp_path / "calls.db", tmp_path / "run.json"
    killed(provider, journal, state, point)
    heard: list[Any] = []

    def model(messages: list[Any], tools: list[Any]) -> Any:
        heard.extend(messages)
        return {"content": [{"type": "text", "text": "Understood."}]}

    with SkillClient(caller_id="tests", journal=journal) as client:
        if is_journal_resumed:
            assert [outcome.error for outcome in client.resume_journal()] == [None]
        result = agent(client, provider.descriptor, str(state), model).resume(run_id=RUN_ID)
    assert (result.state, result.output) == ("completed", "Understood.")
    answer = heard[-1]["content"][0]
    assert (answer["tool_use_id"], told in answer["content"]) == ("c1", True), answer
    assert len(provider.state.executions) == (0 if has_run == "no" else 1)
    assert json.loads(state.read_text())["state"] == "completed"
