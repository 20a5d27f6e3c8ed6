"""Tool calls of every shape, each answered exactly once: with threads, on asyncio and on trio."""

import pickle
import signal
import threading
import time
from typing import Any

import anyio
import pytest

from skillproto import (
    AsyncSkillClient,
    Cancelled,
    Event,
    PermissionDenied,
    Result,
    SkillClient,
    SkillError,
    SkillNotFound,
    UsageError,
)
from skillproto.agent.skill_set import SkillSet
from skillproto.invocation.cancel import CancelToken
from skillproto.testing import FakeTime, ScriptedTransport, SentRequest, Step, hang, output, reply
from tests.support.agents import Driver, by_path, cancelling_after, echo, skill, tool_use

SKILLS = [skill("echo"), skill("find"), skill("buy")]
NAME = "com_example_echo"


# Order, limit, policies.


def test_answers_stand_in_the_order_of_the_calls_whoever_was_faster(driver: Driver) -> None:
    def slow_first(request: SentRequest) -> Step:
        text = request.json()["inputs"]["text"]
        return output(text, after_s=0.15 if text == "0" else 0.0)

    calls = [tool_use(f"c{n}", "echo", text=str(n)) for n in range(4)]
    answers = driver.dispatch(SKILLS, calls, by_path(echo=slow_first))
    assert [(answer.call.id, answer.output) for answer in answers] == [(f"c{n}", str(n)) for n in range(4)]


@pytest.mark.parametrize("concurrency", [1, 2, 3])
def test_no_more_run_at_a_time_than_the_limit_allows(concurrency: int, driver: Driver) -> None:
    counter = Counting(concurrency)
    calls = [tool_use(f"c{n}", "echo", text=str(n)) for n in range(7)]
    driver.dispatch(SKILLS, calls, counter, concurrency=concurrency)
    assert counter.most == concurrency


class Counting(ScriptedTransport):
    """Counts how many requests are answered at the same time; the first wait until as many are there as wanted."""

    def __init__(self, wanted: int) -> None:
        super().__init__(lambda request: output("x"))
        self.now = self.most = 0
        self._wanted = wanted
        self._own = threading.Lock()

    def _enter(self, change: int) -> None:
        with self._own:
            self.now += change
            self.most = max(self.most, self.now)

    def handle_request(self, request: Any) -> Any:
        self._enter(1)
        for _ in range(1000):
            time.sleep(0.005)
            if self.most >= self._wanted:
                break
        try:
            return super().handle_request(request)
        finally:
            self._enter(-1)

    async def handle_async_request(self, request: Any) -> Any:
        self._enter(1)
        for _ in range(1000):
            await anyio.sleep(0.005)
            if self.most >= self._wanted:
                break
        try:
            return await super().handle_async_request(request)
        finally:
            self._enter(-1)


def told(answers: Any) -> list[str]:
    """Say in a word each how the calls ended."""
    return [answer.error.code.value if answer.error else answer.output for answer in answers]


def test_with_fail_run_the_error_carries_the_answers_of_all(driver: Driver) -> None:
    calls = [tool_use(f"c{n}", name, text=str(n)) for n, name in enumerate(["echo", "buy", "echo", "echo"])]
    with pytest.raises(PermissionDenied) as caught:
        driver.dispatch(SKILLS, calls, by_path(echo=echo, buy=reply(403)), concurrency=1)
    assert told(caught.value.answers) == ["0", "PERMISSION_DENIED", "CANCELLED", "CANCELLED"]
    last = caught.value.answers[-1].error
    assert last.message == "Not run: another call of the same step failed"
    assert last.details == {"reason": "earlier_failure"}
    again = pickle.loads(pickle.dumps(caught.value))
    assert told(again.answers) == told(caught.value.answers)


def test_what_is_raised_is_the_first_failure_in_the_order_of_the_calls(driver: Driver) -> None:
    transport = by_path(find=reply(403, after_s=0.2), buy=reply(401), echo=hang())
    calls = [tool_use("c0", "find", text="x"), tool_use("c1", "buy", text="x"), tool_use("c2", "echo", text="x")]
    began = time.monotonic()
    with pytest.raises(PermissionDenied) as caught:
        driver.dispatch(SKILLS, calls, transport)
    assert told(caught.value.answers) == ["PERMISSION_DENIED", "AUTH_REQUIRED", "CANCELLED"]
    assert caught.value.answers[2].error.details["reason"] == "earlier_failure"
    assert time.monotonic() - began < 10, "the call that hangs was not cancelled"


def test_nothing_is_sent_when_a_call_of_the_step_is_refused_here(driver: Driver) -> None:
    transport = by_path(echo=echo)
    calls = [tool_use("c0", "echo", text="x"), tool_use("c1", "nope"), tool_use("c2", "echo", text=5)]
    with pytest.raises(SkillNotFound) as caught:
        driver.dispatch(SKILLS, calls, transport)
    assert told(caught.value.answers) == ["CANCELLED", "SKILL_NOT_FOUND", "VALIDATION_ERROR"]
    assert transport.requests == []


KINDS: dict[str, tuple[Any, Any, str]] = {
    "timeout": (tool_use("c0", "find", text="x"), hang(), "EXECUTION_TIMEOUT"),
    "invalid input": (tool_use("c0", "find", text=5), echo, "VALIDATION_ERROR"),
    "invalid output": (tool_use("c0", "find", text="x"), output(5), "VALIDATION_ERROR"),
    "unknown tool": (tool_use("c0", "nope"), echo, "SKILL_NOT_FOUND"),
    "cancelled at the provider": (
        tool_use("c0", "find", text="x"),
        reply(200, {"status": "cancelled"}),
        "CANCELLED",
    ),
    "business": (
        tool_use("c0", "find", text="x"),
        reply(200, {"isError": True, "_meta": {"errorCategory": "business"}}),
        "EXECUTION_FAILED",
    ),
    "permission": (tool_use("c0", "find", text="x"), reply(403), "PERMISSION_DENIED"),
    "validation in the reply": (
        tool_use("c0", "find", text="x"),
        reply(200, {"isError": True, "_meta": {"errorCategory": "validation"}}),
        "EXECUTION_FAILED",
    ),
}
HANDED_BACK = {"invalid input", "unknown tool", "validation in the reply"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("policy", ["fail-run", "return-to-model", "recover"])
def test_a_policy_covers_every_kind_of_failure_alike(kind: str, policy: Any, driver: Driver) -> None:
    call, step, code = KINDS[kind]
    calls = [call, tool_use("c1", "echo", text="after")]
    skills = [skill("echo"), skill("find", endpoint={"timeout_ms": 60 if kind == "timeout" else 20_000}), skill("buy")]
    raises = policy == "fail-run" or (policy == "recover" and kind not in HANDED_BACK)
    transport = by_path(echo=echo, find=step)
    if not raises:
        answers = driver.dispatch(skills, calls, transport, on_error=policy, concurrency=1)
        assert told(answers) == [code, "after"]
        return
    with pytest.raises(SkillError) as caught:
        driver.dispatch(skills, calls, transport, on_error=policy, concurrency=1)
    assert (caught.value.code, told(caught.value.answers)) == (code, [code, "CANCELLED"])


def test_each_skill_may_have_a_policy_of_its_own(driver: Driver) -> None:
    policies: Any = {"com.example.find": "return-to-model"}
    transport = by_path(find=reply(403), buy=reply(403), echo=echo)
    calls = [tool_use("c0", "find", text="x"), tool_use("c1", "echo", text="x")]
    assert told(driver.dispatch(SKILLS, calls, transport, on_error=policies)) == ["PERMISSION_DENIED", "x"]
    with pytest.raises(PermissionDenied):
        driver.dispatch(SKILLS, [tool_use("c0", "buy", text="x")], transport, on_error=policies)


def test_what_passes_is_tried_again_here_before_any_policy_is_asked(driver: Driver) -> None:
    now = FakeTime()
    steps: list[Step] = [reply(503), output("hi")]
    transport = ScriptedTransport(steps, time=now)
    (answer,) = driver.dispatch([skill("echo")], [tool_use("c0", "echo", text="x")], transport, client={"timing": now})
    assert isinstance(answer.result, Result)
    assert (answer.result.attempts, now.waits) == (2, [1.0])


# Time and cancelling.


def test_each_call_gets_what_is_left_of_the_one_deadline(driver: Driver) -> None:
    now = FakeTime()
    steps: list[Step] = [output("a", after_s=3.0), output("b", after_s=1.5), hang()]
    calls = [tool_use(f"c{n}", "echo", text="x") for n in range(4)]
    transport = ScriptedTransport(steps, time=now)
    answers = driver.dispatch(
        [skill("echo")], calls, transport, 5000, client={"timing": now}, concurrency=1, on_error="return-to-model"
    )
    sent = [request.json()["context"]["timeout_ms"] for request in transport.requests]
    assert sent == [5000, 2000, 500]
    assert told(answers) == ["a", "b", "EXECUTION_TIMEOUT", "EXECUTION_TIMEOUT"]
    last = answers[-1].error
    assert last is not None
    assert last.message == "Not run: the time limit of the run was reached"


def test_a_skill_keeps_its_own_shorter_time() -> None:
    transport = by_path(find=echo)
    with SkillClient(caller_id="tests", transport=transport) as client:
        quick = SkillSet([skill("find", endpoint={"timeout_ms": 700})], client)
        quick.dispatch([tool_use("c0", "find", text="x")], 60_000)
    assert transport.requests[0].json()["context"]["timeout_ms"] == 700


@pytest.mark.parametrize("concurrency", [1, 2])
def test_a_token_cancels_every_call(concurrency: int) -> None:
    token = CancelToken()
    with SkillClient(caller_id="tests", transport=by_path(echo=hang())) as client, cancelling_after(0.3, token.cancel):
        skills = SkillSet(SKILLS, client, on_error="return-to-model", concurrency=concurrency)
        with pytest.raises(Cancelled) as caught:
            skills.dispatch([tool_use(f"c{n}", "echo", text="x") for n in range(4)], cancel=token)
    assert told(caught.value.answers) == ["CANCELLED"] * 4


def test_a_token_that_is_cancelled_already_sends_nothing() -> None:
    token, transport = CancelToken(), by_path(echo=echo)
    token.cancel()
    with SkillClient(caller_id="tests", transport=transport) as client, pytest.raises(Cancelled) as caught:
        SkillSet(SKILLS, client).dispatch([tool_use(f"c{n}", "echo", text="x") for n in range(3)], cancel=token)
    assert transport.requests == []
    assert len(caught.value.answers) == 3


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_cancelled_task_leaves_nothing_running(backend: str) -> None:
    async def main() -> list[str]:
        events: list[Event] = []
        transport = by_path(echo=hang())
        async with AsyncSkillClient(caller_id="tests", transport=transport, on_event=events.append) as client:
            with anyio.move_on_after(0.4) as scope:
                await SkillSet(SKILLS, client).dispatch([tool_use(f"c{n}", "echo", text="x") for n in range(3)])
            assert scope.cancelled_caught
        return [event.name for event in events if event.is_final]

    assert anyio.run(main, backend=backend) == ["invocation.cancelled"] * 3


def test_the_async_client_takes_no_token() -> None:
    async def main() -> None:
        async with AsyncSkillClient(caller_id="tests") as client:
            skills: Any = SkillSet(SKILLS, client)
            with pytest.raises(UsageError, match="cancel the task instead"):
                await skills.dispatch([], cancel=CancelToken())

    anyio.run(main)


class Interrupting(ScriptedTransport):
    """Raises where a request should be answered: what a bug does."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__([])
        self._cause = cause

    def handle_request(self, request: Any) -> Any:
        raise self._cause

    async def handle_async_request(self, request: Any) -> Any:
        raise self._cause


def interrupt() -> None:
    """Do what Ctrl-C does."""
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


@pytest.mark.parametrize("concurrency", [1, 3])
def test_an_interruption_answers_every_call_and_is_raised_as_it_is(concurrency: int) -> None:
    transport = ScriptedTransport([output("first"), *[hang() for _ in range(8)]])
    with SkillClient(caller_id="tests", transport=transport) as client, cancelling_after(0.6, interrupt):
        skills = SkillSet(SKILLS, client, concurrency=concurrency, on_error="return-to-model")
        with pytest.raises(KeyboardInterrupt) as caught:
            skills.dispatch([tool_use(f"c{n}", "echo", text="x") for n in range(5)], 20_000)
    answers: Any = caught.value.answers  # type: ignore[attr-defined]
    assert [answer.call.id for answer in answers] == [f"c{n}" for n in range(5)]
    assert sorted(told(answers)) == ["CANCELLED"] * 4 + ["first"]


@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_bug_below_is_raised_as_it_is(concurrency: int) -> None:
    with SkillClient(caller_id="tests", transport=Interrupting(ZeroDivisionError())) as client:
        skills = SkillSet(SKILLS, client, concurrency=concurrency, on_error="return-to-model")
        with pytest.raises(ZeroDivisionError) as caught:
            skills.dispatch([tool_use(f"c{n}", "echo", text="x") for n in range(4)])
    assert len(caught.value.answers) == 4  # type: ignore[attr-defined]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_bug_below_is_raised_as_it_is_in_tasks_too(backend: str) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        Driver(backend).dispatch(
            SKILLS, [tool_use(f"c{n}", "echo", text="x") for n in range(3)], Interrupting(ZeroDivisionError())
        )
    assert len(caught.value.answers) == 3  # type: ignore[attr-defined]


def test_no_call_is_no_answer(driver: Driver) -> None:
    assert driver.dispatch(SKILLS, [], by_path()) == ()


BACK, UP = "back", "up"
CODES: dict[str, tuple[str, str, str]] = {
    # what becomes of the run under fail-run, return-to-model and recover
    "VALIDATION_ERROR": (UP, BACK, BACK),
    "AUTH_REQUIRED": (UP, BACK, UP),
    "PERMISSION_DENIED": (UP, BACK, UP),
    "SKILL_NOT_FOUND": (UP, BACK, BACK),
    "EXECUTION_TIMEOUT": (UP, BACK, UP),
    "ENDPOINT_UNREACHABLE": (UP, BACK, UP),
    "VERSION_INCOMPATIBLE": (UP, BACK, UP),
    "EXECUTION_FAILED": (UP, BACK, UP),
    "CANCELLED": (UP, BACK, UP),
    "UNKNOWN": (UP, BACK, UP),
}


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(("place", "policy"), [(0, "fail-run"), (1, "return-to-model"), (2, "recover")])
def test_each_code_goes_up_or_back_as_the_policy_says(code: str, place: int, policy: Any) -> None:
    step = reply(200, {"error": {"code": code, "message": "No", "retry": {"max_attempts": 0}}})
    with SkillClient(caller_id="tests", transport=by_path(find=step)) as client:
        skills = SkillSet(SKILLS, client, on_error=policy)
        try:
            (answer,) = skills.dispatch([tool_use("c0", "find", text="x")])
            found = (BACK, answer.error)
        except SkillError as error:
            found = (UP, error)
    assert found[0] == CODES[code][place]
    assert found[1] is not None
    assert found[1].code == code
