"""Executions as objects, calls in numbers, and cancelling from another thread."""

import json
import threading
import time
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from skillproto import AsyncSkillClient, ErrorCode, RetryPolicy, SkillClient, SkillError, UsageError
from skillproto.invocation.cancel import CancelToken
from skillproto.invocation.events import Event
from skillproto.invocation.many import Call
from tests.support import faults
from tests.support.drivers import descriptor
from tests.support.faults import FaultServer, Step, by_path, reply
from tests.support.simulation import accepted, run, state
from tests.support.simulation import reply as replied

ACCEPTED = reply(202, {"execution_id": "e1", "status": "accepted"})
RUNNING = reply(200, {"status": "running"})
COMPLETED = reply(200, {"status": "completed"})
FAILED = reply(200, {"status": "failed", "error": {"code": "EXECUTION_FAILED", "message": "No"}})
RESULT = reply(200, {"output": "done"})
TEXT = {"text": "x"}
SOON_S = 0.15


def steps(*status: Step) -> Callable[[faults.Request], Step]:
    return by_path({"/invoke": ACCEPTED, "/status/e1": list(status), "/result/e1": RESULT})


def test_a_started_execution_is_asked_and_waited_for() -> None:
    with FaultServer(steps(RUNNING, RUNNING, COMPLETED)) as server, SkillClient(caller_id="tests") as client:
        execution = client.start(descriptor(server.url), TEXT)
        assert execution.execution_id == "e1"
        assert execution.status() == "running"
        assert execution.result().output == "done"
        assert execution.status() == "completed"


def test_a_failed_execution_has_a_last_state_and_no_result() -> None:
    with FaultServer(steps(RUNNING, FAILED)) as server, SkillClient(caller_id="tests") as client:
        execution = client.start(descriptor(server.url), TEXT)
        assert execution.wait() == "failed"
        assert execution.status() == "failed"
        with pytest.raises(SkillError) as caught:
            execution.result()
    assert caught.value.details["execution_id"] == "e1"


def test_a_skill_that_answers_at_once_gives_a_finished_execution() -> None:
    with FaultServer([RESULT]) as server, SkillClient(caller_id="tests") as client:
        execution = client.start(descriptor(server.url), TEXT)
        assert (execution.execution_id, execution.status(), execution.wait()) == (None, "completed", "completed")
        assert execution.result().output == "done"
        with pytest.raises(UsageError, match="result"):
            execution.to_dict()
        assert len(server.requests) == 1


def test_an_execution_is_stored_as_json_and_picked_up_by_another_client() -> None:
    keyed = {"auth": {"type": "api_key"}, "access": "restricted"}
    with FaultServer(steps(COMPLETED)) as server:
        with SkillClient(caller_id="tests", credentials="k-0123456789") as client:
            text = json.dumps(client.start(descriptor(server.url, **keyed), TEXT).to_dict())
        assert "k-0123456789" not in text
        with SkillClient(caller_id="tests", credentials="k-0123456789") as other:
            result = other.restore(json.loads(text)).result()
        assert [request.method for request in server.requests] == ["POST", "GET", "GET"]
    assert (result.output, result.execution_id) == ("done", "e1")


@pytest.mark.parametrize("saved", [{}, {"form": 1}, {"form": 9, "execution_id": "e"}, {"form": 1, "execution_id": ""}])
def test_what_is_no_saved_execution_is_refused(saved: Any) -> None:
    with SkillClient(caller_id="tests") as client, pytest.raises(UsageError, match="to_dict"):
        client.restore(saved)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_executions_work_the_same_on_asyncio_and_trio(backend: str) -> None:
    async def main(server: FaultServer) -> None:
        async with AsyncSkillClient(caller_id="tests") as client:
            execution = await client.start(descriptor(server.url), TEXT)
            assert await execution.status() == "running"
            assert await execution.wait() == "completed"
            picked_up = client.restore(execution.to_dict())
            assert (await picked_up.result()).output == "done"

    with FaultServer(steps(RUNNING, RUNNING, COMPLETED)) as server:
        anyio.run(main, server, backend=backend)


@pytest.mark.parametrize("id_", [".", "..", "", 7, None])
def test_an_id_that_cannot_stand_in_an_address_is_refused(id_: Any) -> None:
    trace = run([accepted(id_), state("completed")])
    assert (trace.failed.details["reason"], len(trace.sent)) == ("no_execution_id", 1)


def test_the_goal_of_a_look_is_one_request() -> None:
    trace = run([state("running")], resume="e1", goal="status")
    assert (trace.outcome, len(trace.sent), trace.waits) == ("running", 1, [])


def test_the_end_of_an_execution_is_a_word_even_when_it_failed() -> None:
    failed = replied(200, {"status": "failed", "error": {"code": "EXECUTION_FAILED", "message": "No"}})
    assert run([state("running"), failed], resume="e1", goal="end").outcome == "failed"


# Cancelling from another thread.


@pytest.mark.parametrize(
    "step",
    [faults.never_answer(), faults.drip(), reply(503), ACCEPTED],
    ids=["read", "body", "wait before a retry", "wait before a poll"],
)
def test_a_token_ends_a_call_at_once(step: Step) -> None:
    events: list[Event] = []
    token = CancelToken()
    with FaultServer(by_path({"/invoke": step, "/status/e1": RUNNING})) as server:
        with SkillClient(caller_id="tests", on_event=events.append) as client:
            threading.Timer(0.2, token.cancel).start()
            began = time.monotonic()
            with pytest.raises(SkillError) as caught:
                client.invoke(descriptor(server.url), TEXT, 10_000, cancel=token)
            took_s = time.monotonic() - began
        assert server.wait_until_closed(2), "a connection was left open"
    assert caught.value.code is ErrorCode.CANCELLED
    assert took_s < 0.2 + SOON_S
    assert [event.name for event in events if event.is_final] == ["invocation.cancelled"]


def test_a_token_ends_a_call_that_is_still_connecting() -> None:
    token = CancelToken()
    with faults.silent_url() as url, SkillClient(caller_id="tests") as client:
        threading.Timer(0.2, token.cancel).start()
        began = time.monotonic()
        with pytest.raises(SkillError) as caught:
            client.invoke(descriptor(url), TEXT, 1000, cancel=token)
        assert time.monotonic() - began < 0.2 + SOON_S
    assert caught.value.code is ErrorCode.CANCELLED


def test_a_cancelled_token_lets_nothing_be_sent() -> None:
    token = CancelToken()
    token.cancel()
    with FaultServer([RESULT]) as server, SkillClient(caller_id="tests") as client:
        with pytest.raises(SkillError, match="cancelled"):
            client.invoke(descriptor(server.url), TEXT, cancel=token)
        assert server.requests == []


# Many calls.


def echo(request: faults.Request) -> Step:
    text = request.json()["inputs"]["text"]
    return reply(403) if text == "3" else reply(200, {"output": text}, delay_s=0.01)


def test_many_calls_give_each_outcome_once_as_it_comes() -> None:
    with FaultServer(echo) as server, SkillClient(caller_id="tests") as client:
        calls = (Call(descriptor(server.url), {"text": str(number)}) for number in range(20))
        outcomes = list(client.invoke_many(calls, concurrency=4))
        assert server.most_open <= 4
    assert sorted(outcome.position for outcome in outcomes) == list(range(20))
    failed = [outcome for outcome in outcomes if outcome.error is not None]
    assert [(outcome.position, outcome.error and outcome.error.code) for outcome in failed] == [
        (3, ErrorCode.PERMISSION_DENIED)
    ]
    assert all(outcome.result.output == str(outcome.position) for outcome in outcomes if outcome.result)


def test_calls_are_taken_only_as_others_end_and_leaving_cancels_the_rest() -> None:
    taken = 0

    def endless(url: str) -> Any:
        nonlocal taken
        while True:
            taken += 1
            yield Call(descriptor(url), {"text": "x"})

    with FaultServer(echo) as server, SkillClient(caller_id="tests") as client:
        outcomes = client.invoke_many(endless(server.url), concurrency=3)
        for _ in range(10):
            next(outcomes)
        outcomes.close()  # type: ignore[attr-defined]
    assert taken <= 10 + 3 + 3


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_many_async_calls_give_each_outcome_once(backend: str) -> None:
    async def main(server: FaultServer) -> list[int]:
        async with AsyncSkillClient(caller_id="tests") as client:
            calls = (Call(descriptor(server.url), {"text": str(number)}) for number in range(20))
            async with client.invoke_many(calls, concurrency=5) as outcomes:
                return sorted([outcome.position async for outcome in outcomes])

    with FaultServer(echo) as server:
        assert anyio.run(main, server, backend=backend) == list(range(20))
        assert server.most_open <= 5


@pytest.mark.parametrize("concurrency", [0, -1, 1.5, None])
def test_a_concurrency_that_makes_no_sense_is_refused(concurrency: Any) -> None:
    with SkillClient(caller_id="tests") as client, pytest.raises(UsageError, match="concurrency"):
        client.invoke_many([], concurrency=concurrency)


# Many cancellations do not wear a client out.


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_three_thousand_cancelled_calls_leave_the_client_fit(backend: str) -> None:
    async def main(server: FaultServer) -> list[Any]:
        policy = RetryPolicy(max_attempts=1)
        async with AsyncSkillClient(caller_id="tests", policy=policy, circuit_breaker=False) as client:
            skill = descriptor(server.url)

            async def one(number: int) -> None:
                with anyio.move_on_after(0.0005 + (number % 60) * 0.0005):
                    await client.invoke(skill, TEXT, 5000)

            for start in range(0, 3000, 100):
                async with anyio.create_task_group() as group:
                    for number in range(start, start + 100):
                        group.start_soon(one, number)
            return [(await client.invoke(skill, TEXT, 5000)).output for _ in range(3)]

    with FaultServer([reply(200, {"output": "fit"}, delay_s=0.005)]) as server:
        assert anyio.run(main, server, backend=backend) == ["fit"] * 3
        assert server.wait_until_closed(5)
