"""A script of replies and faults reaches the client as a network would bring them."""

import itertools
import json
import time
from importlib import import_module
from typing import Any, get_args

import anyio
import pytest

from skillproto import AsyncSkillClient, ErrorCode, RetryPolicy, SkillClient, SkillError, UsageError
from skillproto.invocation.many import Call
from skillproto.testing import (
    FAULTS,
    FakeTime,
    ScriptedTransport,
    SentRequest,
    Step,
    accepted,
    cut_short,
    drip,
    fault,
    hang,
    output,
    reply,
    sample_descriptor,
    state,
)
from skillproto.testing.steps import FaultKind
from tests.support.drivers import Invoke

SKILL = sample_descriptor()
ONCE = RetryPolicy(max_attempts=1)


def test_the_replies_come_in_the_order_of_the_script(invoke: Invoke, family: str) -> None:
    moment = FakeTime()
    transport = ScriptedTransport([reply(503), accepted("e1"), state("completed"), output("hi")], time=moment)
    result = invoke(SKILL, transport=transport, timing=moment)
    assert (result.output, result.attempts, result.polls, result.execution_id) == ("hi", 2, 1, "e1")
    assert [(request.method, request.url) for request in transport.requests] == [
        ("POST", "https://skill.example/run"),
        ("POST", "https://skill.example/run"),
        ("GET", "https://skill.example/executions/e1"),
        ("GET", "https://skill.example/executions/e1/result"),
    ]


def test_a_request_is_kept_whole(invoke: Invoke, family: str) -> None:
    transport = ScriptedTransport([output("hi")])
    invoke(SKILL, {"text": "hóla"}, transport=transport)
    (request,) = transport.requests
    assert request.json() == json.loads(request.body)
    assert request.headers["content-type"] == "application/json"
    assert request.headers["host"] == "skill.example"
    assert request.headers["content-length"] == str(len(request.body))


MEANINGS = {
    "refused": ("ENDPOINT_UNREACHABLE", "refused", False, 2),
    "unknown_host": ("ENDPOINT_UNREACHABLE", "dns", False, 1),
    "busy_resolver": ("ENDPOINT_UNREACHABLE", "dns", False, 2),
    "bad_certificate": ("ENDPOINT_UNREACHABLE", "tls", False, 1),
    "connect_timeout": ("EXECUTION_TIMEOUT", "timeout", False, 2),
    "reset": ("ENDPOINT_UNREACHABLE", "reset", True, 2),
    "closed": ("ENDPOINT_UNREACHABLE", "reset", True, 2),
    "read_timeout": ("EXECUTION_TIMEOUT", "timeout", True, 2),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_means_what_the_real_one_means(invoke: Invoke, family: str, kind: FaultKind) -> None:
    code, reason, may_have_run, attempts = MEANINGS[kind]
    moment = FakeTime()
    transport = ScriptedTransport([fault(kind), fault(kind)], time=moment)
    policy = RetryPolicy(max_attempts=2, attempt_timeout_ms=3000)
    with pytest.raises(SkillError) as caught:
        invoke(SKILL, None, 60_000, transport=transport, timing=moment, policy=policy)
    error = caught.value
    assert (error.code, error.details["reason"], error.details.get("may_have_run", False)) == (
        code,
        reason,
        may_have_run,
    )
    assert (error.attempts, len(transport.requests)) == (attempts, attempts)


def test_every_fault_has_its_meaning_written_down() -> None:
    assert tuple(FAULTS) == get_args(FaultKind) == tuple(MEANINGS)


def test_a_hang_takes_all_the_time_of_the_call_and_no_real_time(invoke: Invoke, family: str) -> None:
    moment = FakeTime()
    began = time.monotonic()
    with pytest.raises(SkillError) as caught:
        invoke(SKILL, None, 20_000, transport=ScriptedTransport([hang()], time=moment), timing=moment)
    assert time.monotonic() - began < 5
    assert (caught.value.code, caught.value.details["reason"]) == (ErrorCode.EXECUTION_TIMEOUT, "deadline")
    assert caught.value.details["elapsed_ms"] == 20_000
    assert moment.waits == []


def test_without_a_fake_clock_time_really_passes(invoke: Invoke, family: str) -> None:
    began = time.monotonic()
    with pytest.raises(SkillError) as caught:
        invoke(SKILL, None, 200, transport=ScriptedTransport([hang()]))
    assert time.monotonic() - began >= 0.19
    assert caught.value.details["reason"] == "deadline"


def test_an_answer_that_takes_longer_than_the_attempt_may_is_a_timeout(invoke: Invoke, family: str) -> None:
    moment = FakeTime()
    transport = ScriptedTransport([output("late", after_s=4), output("in time", after_s=2)], time=moment)
    policy = RetryPolicy(attempt_timeout_ms=3000)
    result = invoke(SKILL, None, 30_000, transport=transport, timing=moment, policy=policy)
    assert (result.output, result.attempts) == ("in time", 2)
    assert result.history[0].reason == "timeout"
    assert result.elapsed_ms == 3000 + 1000 + 2000


def test_a_body_that_is_cut_short_is_told_as_such(invoke: Invoke, family: str) -> None:
    with pytest.raises(SkillError) as caught:
        invoke(SKILL, transport=ScriptedTransport([cut_short()]), policy=ONCE)
    assert (caught.value.code, caught.value.details["reason"]) == (ErrorCode.UNKNOWN, "cut_short")


def test_a_body_that_drips_past_the_deadline_ends_there(invoke: Invoke, family: str) -> None:
    moment = FakeTime()
    transport = ScriptedTransport([drip({"output": "x" * 100}, interval_s=1)], time=moment)
    with pytest.raises(SkillError) as caught:
        invoke(SKILL, None, 5000, transport=transport, timing=moment)
    assert (caught.value.code, caught.value.details["elapsed_ms"]) == (ErrorCode.EXECUTION_TIMEOUT, 5000)


def test_a_body_that_drips_in_time_is_read_whole(invoke: Invoke, family: str) -> None:
    moment = FakeTime()
    transport = ScriptedTransport([drip({"output": "slow"}, interval_s=0.1, piece_bytes=5)], time=moment)
    result = invoke(SKILL, transport=transport, timing=moment)
    assert (result.output, result.elapsed_ms) == ("slow", 400)


def test_a_request_after_the_last_step_fails_the_test(invoke: Invoke, family: str) -> None:
    moment = FakeTime()
    transport = ScriptedTransport([reply(503)], time=moment)
    with pytest.raises(
        AssertionError, match=r"the script is over, and request 2 came: POST https://skill\.example/run"
    ):
        invoke(SKILL, transport=transport, timing=moment)


def test_an_endless_script_serves_every_request(invoke: Invoke, family: str) -> None:
    moment = FakeTime()
    transport = ScriptedTransport(itertools.cycle([reply(503)]), time=moment)
    with pytest.raises(SkillError) as caught:
        invoke(SKILL, transport=transport, timing=moment, policy=RetryPolicy(max_attempts=7), timeout_ms=600_000)
    assert (caught.value.attempts, moment.waits) == (7, [1, 2, 4, 8, 16, 32])


def test_a_function_chooses_by_the_request(invoke: Invoke, family: str) -> None:
    def choose(request: SentRequest) -> Step:
        return accepted("e1") if request.method == "POST" else output("polled")

    result = invoke(SKILL, transport=ScriptedTransport(choose))
    assert (result.output, result.polls) == ("polled", 1)


@pytest.mark.parametrize("name", ["httpx", "httpx2"])
def test_a_plain_client_of_either_library_takes_it(name: str) -> None:
    http = import_module(name)
    transport = ScriptedTransport([output("hi"), fault("reset"), cut_short()])
    with http.Client(transport=transport) as client:
        assert client.get("https://skill.example/").json() == {"output": "hi"}
        with pytest.raises(http.ReadError):
            client.get("https://skill.example/")
        with pytest.raises(http.RemoteProtocolError):
            client.get("https://skill.example/")


@pytest.mark.parametrize("name", ["httpx", "httpx2"])
def test_a_plain_async_client_of_either_library_takes_it(name: str) -> None:
    http = import_module(name)

    async def main() -> None:
        async with http.AsyncClient(transport=ScriptedTransport([output("hi")])) as own:
            assert (await own.get("https://skill.example/")).json() == {"output": "hi"}
        async with http.AsyncClient(transport=ScriptedTransport([output("hi")])) as own:
            client = AsyncSkillClient(caller_id="tests", transport=own)
            assert (await client.invoke(SKILL, {"text": "x"})).output == "hi"

    anyio.run(main)


def test_a_request_that_nothing_limits_does_not_hang_for_ever() -> None:
    http: Any = import_module("httpx")
    client = http.Client(transport=ScriptedTransport([hang()]), timeout=None)
    with client, pytest.raises(AssertionError, match="without a time limit"):
        client.get("https://skill.example/")


def test_a_step_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(UsageError, match="fault must be one of refused"):
        fault("flood")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="piece_bytes"):
        drip({}, piece_bytes=0)


def test_a_script_serves_many_threads_each_step_once() -> None:
    transport = ScriptedTransport([output(str(n)) for n in range(64)])
    with SkillClient(caller_id="tests", transport=transport) as client:
        calls = [Call(SKILL, {"text": "x"})] * 64
        outputs = {outcome.result.output for outcome in client.invoke_many(calls, concurrency=16) if outcome.result}
    assert outputs == {str(n) for n in range(64)}
