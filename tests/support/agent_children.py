"""A process that runs an agent and is killed in the middle of a tool call."""

import json
from pathlib import Path
from typing import Any

from skillproto import Run, SkillClient, SkillSet
from tests.support.journal_children import prepare_to_die

CALL = {"type": "tool_use", "id": "c1", "name": "org_example_text-statistics", "input": {"text": "hola"}}
RUN_ID = "run-1"


class StateFile:
    """Keeps the last state of one run in a file."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    def save(self, saved: Any) -> None:
        self._path.write_text(json.dumps(saved), encoding="utf-8")

    def load(self, run_id: str) -> Any:
        if not self._path.exists():
            return None
        return json.loads(self._path.read_text(encoding="utf-8"))


def agent(client: SkillClient, descriptor: Any, state: str, model: Any) -> Run[SkillClient]:
    return Run(SkillSet([descriptor], client), model, style="anthropic", state=StateFile(state))


def run_until_killed(descriptor: Any, journal: str, state: str, point: str) -> None:
    """Begin a run, and be killed at a point of its one tool call."""
    prepare_to_die(point)
    with SkillClient(caller_id="tests", journal=journal) as client:
        agent(client, descriptor, state, lambda messages, tools: {"content": [CALL]}).start("Count.", run_id=RUN_ID)
