"""Runs that wait for people, and runs whose process was killed: stored, and taken up elsewhere."""

import json
import subprocess
import sys
from typing import Any

import pytest

from skillproto import (
    PermissionDenied,
)
from skillproto.agent.states import MemoryState
from skillproto.testing import SentRequest, Step, reply
from tests.support.agents import (
    SKILLS,
    Driver,
    Ran,
    by_path,
    echo,
    results,
    tool_use,
    wants,
)

ECHO = tool_use("c1", "echo", text="hi")
FIND = tool_use("c2", "find", text="hi")
BUY = tool_use("c3", "buy", text="hi")
ALL = by_path(echo=echo, find=echo, buy=echo)


# People.


def pause(driver: Driver, *, needs: Any = ("com.example.find", "com.example.buy"), **options: Any) -> Ran:
    ran = driver.run([wants(ECHO, FIND, BUY)], ALL, needs_approval=needs, **options)
    assert ran.given.state == "waiting_for_human"
    return ran


def test_a_pause_names_exactly_the_calls_that_need_a_person_and_makes_none(driver: Driver) -> None:
    transport = by_path(echo=echo)
    ran = driver.run([wants(ECHO, FIND, BUY)], transport, needs_approval=["com.example.find", "com_example_buy"])
    assert [(call.id, call.name, call.inputs) for call in ran.given.pending] == [
        ("c2", "com_example_find", {"text": "hi"}),
        ("c3", "com_example_buy", {"text": "hi"}),
    ]
    assert ran.events[-1].data == {"reason": "approval", "pending": ["c2", "c3"]}
    assert transport.requests == []
    assert ran.names == ["run.started", "step.started", "model.requested", "run.waiting_for_human"]


def test_a_function_may_decide_which_calls_need_a_person(driver: Driver) -> None:
    ran = pause(driver, needs=lambda call: call.inputs == {"text": "hi"} and call.id == "c3")
    assert [call.id for call in ran.given.pending] == ["c3"]


def test_a_run_goes_on_with_decisions_and_answers_in_the_order_of_the_calls(driver: Driver) -> None:
    stored = json.loads(json.dumps(pause(driver).saved))
    decisions = {"c3": {"output": "done by hand"}, "c2": {"reject": "Too expensive."}}
    ran = driver.run([{"content": "ok"}], ALL, use=lambda run: run.resume(stored, decisions))
    assert ran.given.state == "completed"
    (first, second, third) = results(ran.asked[0])
    assert (first, third) == (("c1", "hi", False), ("c3", "done by hand", False))
    assert second[0::2] == ("c2", True)
    assert "A person did not allow this call: Too expensive." in second[1]
    assert ran.names[0] == "run.started"
    assert ran.events[0].data == {"resumed": True}
    assert ran.names[-1] == "run.completed"


def test_what_a_person_refused_fails_no_run(driver: Driver) -> None:
    stored = pause(driver).saved
    transport = by_path(echo=echo)
    ran = driver.run([], transport, use=lambda run: run.resume(stored, {"c2": "reject", "c3": "reject"}))
    assert ran.given.state == "completed"
    assert len(transport.requests) == 1


def test_the_output_that_somebody_gives_is_checked_like_the_skills_own(driver: Driver) -> None:
    stored = pause(driver).saved
    ran = driver.run([], ALL, use=lambda run: run.resume(stored, {"c2": {"output": 7}, "c3": "approve"}))
    assert ran.failed.details["target"] == "tool_output"
    assert ran.saved["state"] == "failed"


def test_nobody_is_asked_about_a_step_that_fails_anyway(driver: Driver) -> None:
    ran = driver.run([wants(FIND, tool_use("c9", "nope"))], ALL, needs_approval=["com.example.find"])
    assert ran.failed.code == "SKILL_NOT_FOUND"
    assert ran.final == ["run.failed"]


def test_a_review_goes_on_with_what_the_person_says(driver: Driver) -> None:
    first = driver.run([{"content": "5 euros"}], review=lambda said: True)
    assert (first.given.output, first.given.pending) == ("5 euros", ())
    stored = json.loads(json.dumps(first.saved))
    ran = driver.run(
        [{"content": "4 euros"}],
        review=lambda said: said == "5 euros",
        use=lambda run: run.resume(stored, human_input="Less"),
    )
    assert (ran.given.state, ran.given.output) == ("completed", "4 euros")
    assert [message["content"] for message in ran.asked[0]] == ["Go", "5 euros", "Less"]


def test_a_run_is_loaded_by_its_id(driver: Driver) -> None:
    state = pause(driver).state
    (run_id,) = state.runs
    ran = driver.run(
        [], ALL, state=state, use=lambda run: run.resume(None, {"c2": "approve", "c3": "approve"}, run_id=run_id)
    )
    assert (ran.given.run_id, ran.given.state) == (run_id, "completed")
    assert state.runs[run_id]["state"] == "completed"


PROCESS = """
import json, sys
from skillproto import Run, SkillClient, SkillSet
from skillproto.testing import ScriptedTransport, output
from tests.support.agents import SKILLS
transport = ScriptedTransport([output(x) for x in "abc"])
with SkillClient(caller_id="other", transport=transport) as client:
    run = Run(SkillSet(SKILLS, client, concurrency=1), lambda messages, tools: {"content": "fine"}, style="anthropic")
    result = run.resume(json.load(sys.stdin), {"c2": "approve", "c3": "approve"})
keys = [request.headers["idempotency-key"] for request in transport.requests]
print(json.dumps([result.state, result.steps, keys]))
"""


def test_another_process_goes_on_under_the_same_keys() -> None:
    stored = json.dumps(pause(Driver("sync")).saved)
    runs = [
        subprocess.run(
            [sys.executable, "-c", PROCESS], input=stored, capture_output=True, text=True, timeout=60, check=True
        )
        for _ in range(2)
    ]
    (state, steps, keys), again = (json.loads(run.stdout) for run in runs)
    assert (state, steps, len(set(keys))) == ("completed", 2, 3)
    assert again == [state, steps, keys]


def test_calls_of_one_id_in_two_steps_have_keys_of_their_own(driver: Driver) -> None:
    transport = by_path(echo=echo)
    driver.run([wants(ECHO), wants(ECHO)], transport)
    assert len({request.headers["idempotency-key"] for request in transport.requests}) == 2


def test_nothing_that_is_stored_holds_a_credential(driver: Driver) -> None:
    secret = "sk-live-0123456789abcdef"

    def leak(request: SentRequest) -> Step:
        return reply(
            403, {"error": {"code": "PERMISSION_DENIED", "message": f"bad key {request.headers['x-api-key']}"}}
        )

    keyed = [one | {"auth": {"type": "api_key"}, "access": "restricted"} for one in SKILLS]
    ran = driver.run([wants(FIND)], by_path(find=leak), descriptors=keyed, client={"credentials": secret})
    assert isinstance(ran.error, PermissionDenied)
    assert secret not in json.dumps(ran.saved) + "".join(map(str, ran.events))


@pytest.mark.parametrize(
    "credentials",
    ["CREDSECRET", {"headers": {"X-Key": "Token CREDSECRET"}}, {"https://skill.example": {"token": "CREDSECRET"}}],
    ids=["text", "headers", "origins"],
)
def test_a_model_that_repeats_a_credential_brings_it_into_nothing_that_is_stored(
    credentials: Any, driver: Driver
) -> None:
    class Refused(Exception):
        status_code = 400
        body: Any = {"error": {"message": "not for CREDSECRET", "code": "CREDSECRET"}}  # noqa: RUF012

    ran = driver.run([Refused("x" * 495 + " CREDSECRET")], client={"credentials": credentials})
    assert isinstance(ran.error, Refused)
    assert ran.saved["error"].endswith("x [re…")
    assert "CREDSEC" not in json.dumps(ran.saved) + "".join(map(str, ran.events))


# A run whose process was killed.

OPEN = [{"role": "user", "content": "Go"}, {"role": "assistant", "content": [ECHO, FIND]}]


def test_calls_that_were_left_open_are_answered_before_the_model_is_asked(driver: Driver) -> None:
    ran = driver.run([], use=lambda run: run.start(OPEN))
    assert ran.names[:3] == ["run.started", "history.repaired", "step.started"]
    assert [call["tool_call_id"] for call in ran.events[1].data["calls"]] == ["c1", "c2"]
    assert [(id_, error) for id_, _, error in results(ran.asked[0])] == [("c1", True), ("c2", True)]
    assert len(OPEN) == 2


def test_a_run_that_was_killed_is_taken_up_from_what_was_saved_before_its_calls(driver: Driver) -> None:
    kept: list[Any] = []

    class Keeping(MemoryState):
        def save(self, saved: Any, /) -> None:
            kept.append(saved)

    driver.run([wants(ECHO)], state=Keeping())
    (killed,) = [saved for saved in kept if saved["state"] == "running"]
    assert len(killed["messages"]) == 2
    ran = driver.run([{"content": "fine"}], use=lambda run: run.resume(killed))
    assert "history.repaired" in ran.names
    assert (ran.given.state, ran.given.steps) == ("completed", 2)


def test_a_journal_gives_what_the_call_had_come_to(tmp_path: Any) -> None:
    kept: list[Any] = []

    class Keeping(MemoryState):
        def save(self, saved: Any, /) -> None:
            kept.append(saved)

    client = {"journal": tmp_path / "calls"}
    Driver("sync").run([wants(ECHO, FIND)], ALL, state=Keeping(), client=client)
    killed = next(saved for saved in kept if saved["state"] == "running")
    ran = Driver("sync").run([], ALL, use=lambda run: run.resume(killed), client=client)
    assert results(ran.asked[0])[0][1] == "hi"


def test_a_cancelled_run_is_taken_up(driver: Driver) -> None:
    cancelled = driver.run([wants(ECHO), KeyboardInterrupt()]).saved
    ran = driver.run([{"content": "fine"}], use=lambda run: run.resume(cancelled))
    assert (ran.given.state, ran.given.steps, ran.given.saved["error"]) == ("completed", 3, None)
