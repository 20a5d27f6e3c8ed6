"""A run as a value that was stored: what is none is refused before anything is done."""

from typing import Any

import pytest

from skillproto import UsageError
from skillproto.agent.states import Record

CALL = {"id": "c1", "name": "echo", "inputs": {}}
BROKEN = {"field": "/inputs", "expected": "JSON object", "actual": "{", "message": "No JSON", "rule": "document/syntax"}


def saved(**members: Any) -> dict[str, Any]:
    return Record("r1", "agent", "anthropic", [{"role": "user", "content": "hi"}], calls=[CALL]).to_dict() | members


@pytest.mark.parametrize("call", [CALL, CALL | {"broken": BROKEN}], ids=["whole", "broken"])
def test_what_was_saved_is_read_back(call: dict[str, Any]) -> None:
    given = saved(calls=[call], pending=["c1"])
    assert Record.from_dict(given).to_dict() == given


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("messages", None),
        ("messages", ["hi"]),
        ("steps", "2"),
        ("steps", True),
        ("steps", -1),
        ("elapsed_ms", 1.5),
        ("calls", [{}]),
        ("calls", [CALL | {"id": 5}]),
        ("calls", [CALL | {"broken": "yes"}]),
        ("pending", "c1"),
        ("pending", [5]),
        ("run_id", None),
        ("run_id", ""),
        ("state", "lost"),
        ("form", 2),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_was_spoilt_is_refused_by_its_name(member: str, value: Any) -> None:
    with pytest.raises(UsageError, match="not a saved run"):
        Record.from_dict(saved(**{member: value}))
