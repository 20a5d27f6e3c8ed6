"""Decisions of people: one for each pending call, in a form that can be carried out."""

from typing import Any

import pytest

from skillproto import UsageError
from skillproto.agent.approvals import read_decisions


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("approve", "by tool call id"),
        (5, "by tool call id"),
        ([("c1",)], "by tool call id"),
        ({}, "Missing approval decision for tool call c1"),
        ([("c1", "approve"), ("c1", "reject")], "More than one decision for tool call c1"),
        ({"c1": "approve", "c2": "approve"}, "No decision is waited for about tool call c2; pending: c1"),
        ({"c1": "aprove"}, "did you mean 'approve'"),
        ({"c1": {"output": object()}}, "tool call c1 is no JSON"),
        ({"c1": {"output": float("nan")}}, "tool call c1 is no JSON"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_cannot_be_carried_out_is_refused(given: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read_decisions(given, ["c1"])
