"""The tables of source 004, with one behaviour in place of its eight: what is raised, emitted and saved.

Each row stands for a way in which a run can go wrong, or seem to. What must come of it is written out
by hand, and is the same with threads, on asyncio and on trio.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from anthropic import APIStatusError, InternalServerError
from openai import RateLimitError

from skillproto import (
    Cancelled,
    ExecutionFailed,
    ExecutionTimeout,
    SkillError,
    SkillNotFound,
    UnknownFailure,
    UsageError,
    ValidationFailed,
)
from skillproto.agent.states import MemoryState
from skillproto.testing import FakeTime, hang, output, reply
from tests.support.agents import Driver, by_path, echo, require_no_open_call, skill, tool_use, wants

ECHO = tool_use("c1", "echo", text="hi")
FIND = tool_use("c2", "find", text="hi")
NO: Any = httpx.Response(500, request=httpx.Request("POST", "https://model.example"), headers={"request-id": "r9"})
BROKEN = InternalServerError("overloaded", response=NO, body=None)
BAD: Any = httpx.Response(400, request=NO.request)
REFUSED = APIStatusError("bad request", response=BAD, body={"error": {"message": "bad request"}})
TOO_MANY: Any = httpx.Response(429, request=NO.request)
LIMITED = RateLimitError("slow down", response=TOO_MANY, body=None)
STEP = ["step.started", "model.requested"]
FAILED = ["step.failed", "run.failed"]


@dataclass
class Row:
    """One cause, and what must come of it."""

    replies: list[Any]
    raises: type[BaseException]
    message: str
    events: list[str]
    steps: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    state: str = "failed"
    details: dict[str, Any] = field(default_factory=dict)


TABLE: dict[str, Row] = {
    # "Qué eventos se emiten cuando algo falla"
    "a tool fails": Row(
        [wants(FIND)],
        SkillError,
        "PERMISSION_DENIED",
        ["run.started", *STEP, "tool.started", "tool.failed", *FAILED],
        steps={"find": reply(403)},
        details={"code": "PERMISSION_DENIED", "http_status": 403},
    ),
    "a tool fails behind one that goes well": Row(
        [wants(ECHO, FIND)],
        SkillError,
        "PERMISSION_DENIED",
        ["run.started", *STEP, "tool.started", "tool.completed", "tool.started", "tool.failed", *FAILED],
        steps={"find": reply(403)},
        options={"concurrency": 1},
    ),
    "the model keeps calling tools": Row(
        [wants(tool_use("c1", "echo", text="1")), wants(tool_use("c2", "echo", text="2"))],
        UnknownFailure,
        r"Max steps exceeded \(2\)",
        ["run.started", *([*STEP, "tool.started", "tool.completed", "step.completed"] * 2), "run.failed"],
        options={"max_steps": 2},
        details={"code": "UNKNOWN", "details": {"reason": "max_steps", "max_steps": 2}},
    ),
    "the model fails in a way that may pass, too often": Row(
        [BROKEN, BROKEN, BROKEN, BROKEN, BROKEN],
        InternalServerError,
        "overloaded",
        ["run.started", "step.started", *(["model.requested"] * 4), *FAILED],
        details={"type": "InternalServerError", "http_status": 500, "request_id": "r9"},
    ),
    "the model refuses": Row(
        [REFUSED],
        APIStatusError,
        "bad request",
        ["run.started", *STEP, *FAILED],
    ),
    "the model callable has a bug": Row(
        [ZeroDivisionError("a bug")], ZeroDivisionError, "a bug", ["run.started", *STEP, *FAILED]
    ),
    # "Encuentra la causa de un error"
    "the model calls a tool that the agent does not have": Row(
        [wants(tool_use("c1", "fnid", text="hi"))],
        SkillNotFound,
        "Unknown tool 'com_example_fnid'; did you mean 'com_example_find'",
        ["run.started", *STEP, "tool.failed", *FAILED],
        details={"code": "SKILL_NOT_FOUND"},
    ),
    "a tool's input is invalid": Row(
        [wants(tool_use("c1", "echo", text=7))],
        ValidationFailed,
        "The inputs do not fit",
        ["run.started", *STEP, "tool.failed", *FAILED],
    ),
    "a tool's output is invalid": Row(
        [wants(ECHO)],
        ValidationFailed,
        "output does not fit",
        ["run.started", *STEP, "tool.started", "tool.failed", *FAILED],
        steps={"echo": output(7)},
    ),
    "the final output is invalid": Row(
        [{"content": "seven"}],
        ValidationFailed,
        "Invalid agent output: The final text is not JSON",
        ["run.started", *STEP, *FAILED],
        options={"output_schema": {"type": "integer"}},
    ),
    "the final output does not fit its schema": Row(
        [{"content": '"seven"'}],
        ValidationFailed,
        "Invalid agent output: Wrong type",
        ["run.started", *STEP, *FAILED],
        options={"output_schema": {"type": "integer"}},
    ),
    "the model replies with rubbish": Row(
        [{"colour": "blue"}],
        ValidationFailed,
        "Invalid agent output: The reply has no content",
        ["run.started", *STEP, *FAILED],
    ),
    "the model replies with what is no JSON": Row(
        [object()], ValidationFailed, "replied with a Python object", ["run.started", *STEP, *FAILED]
    ),
    "the model gives two calls one id": Row(
        [wants(ECHO, ECHO)],
        ValidationFailed,
        "Invalid agent output: .* given twice: 'c1'",
        ["run.started", *STEP, *FAILED],
    ),
    "a tool runs past its time": Row(
        [wants(FIND)],
        ExecutionTimeout,
        "No result within the 60 ms",
        ["run.started", *STEP, "tool.started", "tool.failed", *FAILED],
        steps={"find": hang()},
        options={"descriptors": [skill("echo"), skill("find", endpoint={"timeout_ms": 60})]},
    ),
    "an execution is cancelled at the provider": Row(
        [wants(FIND)],
        Cancelled,
        "CANCELLED",
        ["run.started", *STEP, "tool.started", "tool.failed", *FAILED],
        steps={"find": reply(200, {"status": "cancelled"})},
    ),
    "a rule of the business forbids it": Row(
        [wants(FIND)],
        ExecutionFailed,
        "EXECUTION_FAILED",
        ["run.started", *STEP, "tool.started", "tool.failed", *FAILED],
        steps={"find": reply(200, {"isError": True, "_meta": {"errorCategory": "business"}})},
    ),
    # "Gestiona la cancelación y los tiempos de espera"
    "a person interrupts while the model thinks": Row(
        [KeyboardInterrupt("enough")],
        KeyboardInterrupt,
        "enough",
        ["run.started", *STEP, "step.cancelled", "run.cancelled"],
        state="cancelled",
    ),
    "the process is told to end": Row(
        [wants(ECHO), SystemExit(3)],
        SystemExit,
        "3",
        [
            "run.started",
            *STEP,
            "tool.started",
            "tool.completed",
            "step.completed",
            *STEP,
            "step.cancelled",
            "run.cancelled",
        ],
        state="cancelled",
    ),
}


@pytest.mark.parametrize("cause", TABLE)
def test_each_failure_is_raised_told_and_saved_in_one_way(cause: str, driver: Driver) -> None:
    row = TABLE[cause]
    transport = by_path(**{"echo": echo, **row.steps})
    ran = driver.run(row.replies, transport, client={"timing": Waiting()}, **row.options)

    assert ran.result is None
    with pytest.raises(row.raises, match=row.message):
        raise ran.error or AssertionError("nothing was raised")
    assert ran.names == row.events
    assert len(ran.final) == 1
    assert ran.saved["state"] == row.state
    assert ran.saved["error"]
    assert row.details.items() <= ran.saved["error_details"].items()
    assert ran.error.run == ran.saved  # type: ignore[union-attr]
    require_no_open_call(ran.saved["messages"])


class Waiting(FakeTime):
    """Real time, but nothing waits between tries."""

    def __init__(self) -> None:
        super().__init__()
        import time

        self.clock = time.monotonic


HANDED_BACK = {
    "a tool fails": "PERMISSION_DENIED",
    "the model calls a tool that the agent does not have": "SKILL_NOT_FOUND",
    "a tool's input is invalid": "VALIDATION_ERROR",
    "a tool's output is invalid": "VALIDATION_ERROR",
    "a tool runs past its time": "EXECUTION_TIMEOUT",
    "an execution is cancelled at the provider": "CANCELLED",
    "a rule of the business forbids it": "EXECUTION_FAILED",
}


@pytest.mark.parametrize("cause", HANDED_BACK)
def test_with_return_to_model_the_run_goes_on_with_the_error_as_the_result(cause: str, driver: Driver) -> None:
    row = TABLE[cause]
    transport = by_path(**{"echo": echo, **row.steps})
    ran = driver.run(row.replies, transport, on_error="return-to-model", **row.options)
    assert (ran.given.state, ran.given.output) == ("completed", "done")
    assert ran.final == ["run.completed"]
    assert ran.names.count("tool.failed") == 1
    told = ran.asked[1][-1]["content"][0]
    assert told["is_error"] is True
    assert f'"code":"{HANDED_BACK[cause]}"' in told["content"]


def test_validation_is_handed_back_with_its_violations(driver: Driver) -> None:
    ran = driver.run([wants(tool_use("c1", "echo", text=7))], on_error="recover")
    assert ran.given.state == "completed"
    assert '"field":"/inputs/text"' in ran.asked[1][-1]["content"][0]["content"]


@pytest.mark.parametrize(
    ("failures", "tries"),
    [([LIMITED], 2), ([BROKEN, LIMITED], 3), ([SkillError("ENDPOINT_UNREACHABLE", "busy")], 2)],
    ids=["rate limited", "overloaded, then limited", "ours"],
)
def test_a_model_that_fails_in_passing_is_asked_again(failures: list[Any], tries: int, driver: Driver) -> None:
    time = FakeTime()
    ran = driver.run([*failures, {"content": "here"}], client={"timing": time})
    assert ran.given.output == "here"
    assert ran.names.count("model.requested") == tries
    assert [event.data["attempt"] for event in ran.events if event.name == "model.requested"] == list(
        range(1, tries + 1)
    )
    assert time.waits == [1.0, 2.0][: tries - 1]


def test_a_reply_that_is_invalid_is_not_asked_for_again(driver: Driver) -> None:
    ran = driver.run([{"colour": "blue"}, {"content": "fine"}])
    assert ran.failed.details["target"] == "agent_output"
    assert len(ran.asked) == 1


# What is no failure.


@pytest.mark.parametrize(
    ("replies", "options", "state", "reason", "final"),
    [
        ([{"content": "fine"}], {}, "completed", None, "run.completed"),
        (
            [wants(ECHO)],
            {"stop_when": lambda answers: answers[0].output == "hi" and "enough"},
            "stopped",
            "enough",
            "run.stopped",
        ),
        ([wants(ECHO)], {"stop_when": lambda answers: True}, "stopped", "True", "run.stopped"),
        (
            [wants(ECHO)],
            {"needs_approval": ["com.example.echo"]},
            "waiting_for_human",
            "approval",
            "run.waiting_for_human",
        ),
        ([{"content": "fine"}], {"review": lambda said: True}, "waiting_for_human", "review", "run.waiting_for_human"),
        ([{"content": "5"}], {"output_schema": {"type": "integer"}}, "completed", None, "run.completed"),
    ],
    ids=["completed", "stopped with a reason", "stopped", "approval", "review", "with a schema"],
)
def test_what_is_no_failure_gives_a_normal_result(
    replies: Any, options: Any, state: str, reason: str | None, final: str, driver: Driver
) -> None:
    ran = driver.run(replies, **options)
    assert (ran.given.state, ran.given.stop_reason) == (state, reason)
    assert (ran.names[-1], len(ran.final)) == (final, 1)
    assert ran.saved == ran.given.saved
    assert ran.saved["error"] is None


def test_a_failed_run_is_saved_before_the_last_event_and_the_error(driver: Driver) -> None:
    order: list[str] = []

    class Telling(MemoryState):
        def save(self, saved: Any, /) -> None:
            super().save(saved)
            order.append(f"saved {saved['state']}")

    ran = driver.run(
        [wants(FIND)],
        by_path(find=reply(403)),
        state=Telling(),
        on_event=lambda event: order.append(event.name) if "failed" in event.name else None,
    )
    assert isinstance(ran.error, SkillError)
    assert order == ["saved running", "tool.failed", "step.failed", "saved failed", "run.failed"]
    assert ran.saved["error_details"]["tool_calls"] == [
        {"id": "c2", "name": "com_example_find", "skill_id": "com.example.find", "code": "PERMISSION_DENIED"}
    ]


# "Una continuación...": each is a wrong use, told before anything is done.


def paused(driver: Driver, **options: Any) -> Any:
    calls = wants(ECHO, FIND, tool_use("c3", "buy", text="x"))
    skills = ["com.example.echo", "com.example.find"]
    return driver.run([calls], needs_approval=skills, **options)


WRONG: dict[str, tuple[Callable[[Any], Any], str]] = {
    "missing": (lambda run: run.resume(run_saved, {"c1": "approve"}), "Missing approval decision for tool call c2"),
    "all missing": (lambda run: run.resume(run_saved), "Missing approval decision for tool call c1, c2"),
    "unknown": (
        lambda run: run.resume(run_saved, {"c1": "approve", "c2": "approve", "c3": "approve"}),
        "No decision is waited for about tool call c3; pending: c1, c2",
    ),
    "given twice": (
        lambda run: run.resume(run_saved, [("c1", "approve"), ("c2", "approve"), ("c1", "reject")]),
        "More than one decision for tool call c1",
    ),
    "misspelt": (lambda run: run.resume(run_saved, {"c1": "aprove", "c2": "reject"}), "did you mean 'approve'"),
    "no decision": (lambda run: run.resume(run_saved, {"c1": True, "c2": "reject"}), 'must be "approve"'),
    "input in place of an output": (
        lambda run: run.resume(run_saved, human_input="it says hi"),
        "Missing approval decision for tool call c1, c2",
    ),
    "input beside the decisions": (
        lambda run: run.resume(run_saved, {"c1": "approve", "c2": "reject"}, human_input="go on"),
        "is not waiting for human input",
    ),
    "nothing to go on with": (lambda run: run.resume(), "A saved run, or a state accessor with a run_id, is required"),
    "not found": (lambda run: run.resume(run_id="r404"), "Run r404 was not found"),
    "no saved run": (lambda run: run.resume({"form": 7}), "not a saved run"),
}
run_saved: dict[str, Any] = {}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_continuation_is_refused_before_anything_is_done(kind: str, driver: Driver) -> None:
    use, message = WRONG[kind]
    run_saved.clear()
    run_saved.update(paused(driver).saved)
    transport = by_path(echo=echo)
    ran = driver.run([], transport, use=use)
    assert isinstance(ran.error, UsageError)
    assert message in str(ran.error)
    assert (ran.events, transport.requests, ran.state.runs) == ([], [], {})


def test_the_run_of_another_agent_is_refused(driver: Driver) -> None:
    saved = paused(driver, agent_id="buyer").saved
    ran = driver.run([], use=lambda run: run.resume(saved, {"c1": "approve", "c2": "approve"}), agent_id="seller")
    assert str(ran.error) == f"Run {saved['run_id']} belongs to agent buyer"
    assert ran.events == []


def test_a_review_without_input_is_refused(driver: Driver) -> None:
    saved = driver.run([{"content": "fine"}], review=lambda said: True).saved
    ran = driver.run([], use=lambda run: run.resume(saved))
    assert str(ran.error) == f"Run {saved['run_id']} is waiting for human input"


@pytest.mark.parametrize("state", ["completed", "stopped", "failed"])
def test_a_run_that_has_ended_is_not_taken_up(state: str, driver: Driver) -> None:
    saved = driver.run([{"content": "fine"}]).saved | {"state": state}
    ran = driver.run([], use=lambda run: run.resume(saved))
    assert f"has ended ({state})" in str(ran.error)
