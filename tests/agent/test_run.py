"""Runs: interruptions at every point, limits, and use."""

import signal
import threading
import time
from functools import partial
from typing import Any

import anyio
import pytest

from skillproto import (
    AsyncSkillClient,
    Cancelled,
    ExecutionTimeout,
    PermissionDenied,
    Run,
    SkillClient,
    SkillSet,
    UsageError,
)
from skillproto.agent.run_events import EVENTS, RunEvent
from skillproto.agent.states import MemoryState
from skillproto.invocation.cancel import CancelToken
from skillproto.testing import FakeTime, ScriptedTransport, SentRequest, Step, hang, output, reply
from tests.support.agents import (
    SKILLS,
    Driver,
    by_path,
    cancelling_after,
    echo,
    require_no_open_call,
    results,
    scripted,
    tool_use,
    wants,
)

ECHO = tool_use("c1", "echo", text="hi")
FIND = tool_use("c2", "find", text="hi")
BUY = tool_use("c3", "buy", text="hi")
ALL = by_path(echo=echo, find=echo, buy=echo)


# Interruptions.


def test_a_token_cancels_a_run_while_its_calls_run() -> None:
    token = CancelToken()
    with cancelling_after(0.5, token.cancel):
        ran = Driver("sync").run(
            [wants(ECHO, FIND)],
            by_path(echo=echo, find=hang()),
            on_error="return-to-model",
            use=lambda run: run.start("Go", cancel=token),
        )
    assert isinstance(ran.error, Cancelled)
    assert ran.names[-3:] == ["tool.failed", "step.cancelled", "run.cancelled"]
    assert ran.saved["state"] == "cancelled"
    assert [(id_, error) for id_, _, error in results(ran.saved["messages"])] == [("c1", False), ("c2", True)]


@pytest.mark.parametrize("place", ["before", "while the model thinks", "the model raises", "while waiting"])
def test_a_token_cancels_a_run_at_other_moments_too(place: str) -> None:
    token = CancelToken()
    now = FakeTime(on_wait=lambda seconds: token.cancel())
    if place == "before":
        token.cancel()

    def model(messages: Any, tools: Any) -> Any:
        if place == "while waiting":
            raise ConnectionError("reset")
        token.cancel()
        if place == "the model raises":
            raise RuntimeError("closed")
        return wants(ECHO)

    ran = Driver("sync").run([], model=model, use=lambda run: run.start("Go", cancel=token), client={"timing": now})
    assert isinstance(ran.error, Cancelled), ran.error
    assert ran.names[-2:] == ["step.cancelled", "run.cancelled"]
    assert len(ran.final) == 1


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@pytest.mark.parametrize("where", ["model", "tool", "save"])
def test_a_cancelled_task_ends_its_run_in_order(backend: str, where: str) -> None:
    events: list[RunEvent] = []
    kept: list[Any] = []

    async def model(messages: Any, tools: Any) -> Any:
        await anyio.sleep(20 if where == "model" else 0)
        return wants(ECHO, FIND)

    class SlowState:
        async def save(self, saved: Any, /) -> None:
            await anyio.sleep(20 if where == "save" and saved["state"] == "running" else 0.01)
            kept.append(saved)

        async def load(self, run_id: str, /) -> Any:
            return None

    async def main() -> None:
        transport = by_path(echo=echo, find=hang())
        async with AsyncSkillClient(caller_id="tests", transport=transport) as client:
            run = Run(SkillSet(SKILLS, client), model, style="anthropic", state=SlowState(), on_event=events.append)
            with anyio.move_on_after(0.4) as scope:
                await run.start("Go")
            assert scope.cancelled_caught

    anyio.run(main, backend=backend)
    assert [event.name for event in events][-2:] == ["step.cancelled", "run.cancelled"]
    assert [event.name for event in events if event.is_final] == ["run.cancelled"]
    assert kept[-1]["state"] == "cancelled"
    require_no_open_call(kept[-1]["messages"])


@pytest.mark.parametrize("where", ["tool", "model", "listener", "state"])
def test_an_interruption_by_a_person_ends_a_run_in_order(where: str) -> None:
    def interrupt_soon() -> None:
        main = threading.main_thread().ident or 0
        threading.Timer(0.1, signal.pthread_kill, (main, signal.SIGINT)).start()

    def listener(event: RunEvent) -> None:
        if where == "listener" and event.name == "tool.completed":
            raise KeyboardInterrupt

    class State(MemoryState):
        def save(self, saved: Any, /) -> None:
            super().save(saved)
            if where == "state" and saved["state"] == "running":
                raise KeyboardInterrupt

    def model(messages: Any, tools: Any) -> Any:
        if where == "model":
            interrupt_soon()
            time.sleep(5)
        return wants(ECHO, FIND)

    def find(request: SentRequest) -> Step:
        if where == "tool":
            interrupt_soon()
        return hang() if where == "tool" else echo(request)

    transport = by_path(echo=echo, find=find)
    ran = Driver("sync").run([], transport, model=model, on_event=listener, state=State(), max_steps=1)
    assert isinstance(ran.error, KeyboardInterrupt)
    assert ran.names[-2:] == ["step.cancelled", "run.cancelled"]
    assert ran.final == ["run.cancelled"]
    assert ran.saved["state"] == "cancelled"
    require_no_open_call(ran.saved["messages"])


def test_a_listener_that_raises_changes_nothing(driver: Driver, caplog: pytest.LogCaptureFixture) -> None:
    heard: list[str] = []

    def listener(event: RunEvent) -> None:
        heard.append(event.name)
        raise ZeroDivisionError

    ran = driver.run([wants(ECHO), {"content": "fine"}], on_event=listener)
    assert ran.given.output == "fine"
    assert ran.final == ["run.completed"]
    (told,) = [one.message for one in caplog.records if "listener raised" in one.message]
    assert told.endswith("it is still told of every event, but this is logged only once")
    assert len(heard) == len(ran.events) > 5


CALLBACKS: dict[str, Any] = {
    "needs_approval": lambda call: 1 / 0,
    "stop_when": lambda answers: 1 / 0,
    "review": lambda said: 1 / 0,
}


@pytest.mark.parametrize("name", CALLBACKS)
def test_a_callback_that_raises_fails_the_run_and_leaves_no_call_open(name: str, driver: Driver) -> None:
    ran = driver.run([wants(ECHO), {"content": "fine"}], **{name: CALLBACKS[name]})
    assert isinstance(ran.error, ZeroDivisionError)
    assert ran.final == ["run.failed"]
    require_no_open_call(ran.saved["messages"])


class Broken(MemoryState):
    """Fails to save runs in some states."""

    def __init__(self, *states: str) -> None:
        super().__init__()
        self._states = states

    def save(self, saved: dict[str, Any], /) -> None:
        if saved["state"] in self._states:
            raise OSError("disk full")
        super().save(saved)


def test_a_failed_run_that_cannot_be_saved_still_raises_its_own_error(driver: Driver) -> None:
    ran = driver.run([wants(FIND)], by_path(find=reply(403)), state=Broken("failed"))
    assert isinstance(ran.error, PermissionDenied)
    assert ran.error.__notes__ == ["The run could not be saved: OSError"]
    assert ran.final == ["run.failed"]


@pytest.mark.parametrize("state", ["running", "completed"])
def test_a_run_that_cannot_be_saved_fails(state: str, driver: Driver) -> None:
    ran = driver.run([wants(ECHO), {"content": "fine"}], state=Broken(state))
    assert isinstance(ran.error, OSError)
    assert ran.final == ["run.failed"]
    assert ran.saved["state"] == "failed"
    require_no_open_call(ran.saved["messages"])


# Limits.


def test_one_deadline_stands_over_model_and_calls(driver: Driver) -> None:
    now = FakeTime()

    def model(messages: Any, tools: Any) -> Any:
        now.advance(2.0)
        return wants(tool_use(f"c{len(messages)}", "echo", text="x"))

    transport = ScriptedTransport([output("a", after_s=1.0), output("b", after_s=1.0), hang()], time=now)
    ran = driver.run([], transport, model=model, timeout_ms=7000, client={"timing": now})
    assert isinstance(ran.error, ExecutionTimeout)
    assert [request.json()["context"]["timeout_ms"] for request in transport.requests] == [5000, 2000]
    assert str(ran.error) == "EXECUTION_TIMEOUT: No result within the 7000 ms that the caller allows"
    assert ran.names[-2:] == ["step.failed", "run.failed"]
    assert (ran.saved["elapsed_ms"], ran.failed.retry) == (8000, None)


def test_with_return_to_model_the_run_still_ends_at_its_own_deadline(driver: Driver) -> None:
    now = FakeTime()
    transport = ScriptedTransport([hang()], time=now)
    ran = driver.run([wants(ECHO)], transport, on_error="return-to-model", timeout_ms=5000, client={"timing": now})
    assert isinstance(ran.error, ExecutionTimeout)
    assert len(ran.asked) == 1
    assert ran.final == ["run.failed"]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_model_that_thinks_too_long_is_cut_off(backend: str) -> None:
    async def model(messages: Any, tools: Any) -> Any:
        await anyio.sleep(20)

    ran = Driver(backend).run([], model=model, timeout_ms=100)
    assert isinstance(ran.error, ExecutionTimeout)
    assert ran.final == ["run.failed"]


def test_a_model_is_not_asked_again_where_the_wait_does_not_fit(driver: Driver) -> None:
    ran = driver.run([ConnectionError("reset"), {"content": "late"}], timeout_ms=900, client={"timing": FakeTime()})
    assert isinstance(ran.error, ConnectionError)
    assert len(ran.asked) == 1


def test_a_pause_does_not_use_up_the_time_or_the_steps(driver: Driver) -> None:
    now = FakeTime()
    client = {"timing": now}
    paused = driver.run(
        [wants(FIND)], ALL, needs_approval=["com.example.find"], timeout_ms=5000, max_steps=2, client=client
    )
    now.advance(3600)
    ran = driver.run(
        [{"content": "fine"}],
        ALL,
        timeout_ms=5000,
        max_steps=2,
        use=lambda run: run.resume(paused.saved, {"c2": "approve"}),
        client=client,
    )
    assert (ran.given.state, ran.given.steps) == ("completed", 2)


def test_elapsed_time_and_steps_stand_in_every_event(driver: Driver) -> None:
    ran = driver.run([wants(ECHO)])
    assert {event.name for event in ran.events} <= set(EVENTS)
    assert len({event.run_id for event in ran.events}) == 1
    assert [event.step for event in ran.events if event.name == "step.started"] == [1, 2]
    assert all(later.elapsed_ms >= event.elapsed_ms for event, later in zip(ran.events, ran.events[1:], strict=False))


# Use.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"style": "antropic"}, "did you mean 'anthropic'"),
        ({"max_steps": 0}, "max_steps must be"),
        ({"timeout_ms": 0}, "timeout_ms must be"),
        ({"model": "gpt"}, "model must be a function"),
        ({"agent_id": ""}, "agent_id must be"),
        ({"needs_approval": ["com.example.fnid"]}, "did you mean 'com.example.find'"),
        ({"output_schema": {"$ref": "https://example.com/x"}}, "output_schema cannot be used"),
        ({"locale": "fr"}, "locale must be one of en, es"),
    ],
)
def test_what_can_never_work_is_refused(options: dict[str, Any], message: str, driver: Driver) -> None:
    ran = driver.run([], **options)
    assert isinstance(ran.error, UsageError)
    assert message in str(ran.error)


@pytest.mark.parametrize("run_id", ["", "a" * 201, "two\nlines", 5], ids=["empty", "long", "two lines", "number"])
def test_a_run_id_is_a_short_printable_text(run_id: Any, driver: Driver) -> None:
    ran = driver.run([], use=lambda run: run.start("Go", run_id=run_id))
    assert isinstance(ran.error, UsageError)
    assert "run_id must" in str(ran.error)


def test_a_run_id_that_is_known_is_refused_before_anything_is_done(driver: Driver) -> None:
    first = driver.run([wants(ECHO)], use=lambda run: run.start("Go", run_id="order-17"))
    assert first.given.run_id == "order-17"
    again = driver.run([wants(ECHO)], state=first.state, use=lambda run: run.start("Go", run_id="order-17"))
    assert str(again.error) == "Run order-17 was started before: go on with it (resume), or give another run_id"
    assert (again.asked, again.events) == ([], [])


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_state_of_coroutines_is_asked_for_the_run_id_too(backend: str) -> None:
    class Slow(MemoryState):
        async def load(self, run_id: str, /) -> Any:  # type: ignore[override]
            return super().load(run_id)

    state = Slow()
    errors = [Driver(backend).run([], state=state, use=lambda run: run.start("Go", run_id="r")).error for _ in "12"]
    assert errors[0] is None
    assert "Run r was started before" in str(errors[1])


@pytest.mark.parametrize(
    "use",
    [
        lambda run: run.start("Go", cancel=5),
        lambda run: run.resume({}, cancel=5),
        lambda run: run.skills.dispatch([], cancel=5),
    ],
    ids=["start", "resume", "dispatch"],
)
def test_what_is_no_token_cannot_cancel(use: Any) -> None:
    ran = Driver("sync").run([], use=use)
    assert isinstance(ran.error, UsageError)
    assert str(ran.error) == "cancel must be a CancelToken, not a int"


def begin(messages: Any, run: Any) -> Any:
    return run.start(messages)


def test_messages_that_are_none_are_refused(driver: Driver) -> None:
    for wrong in (5, ["a"], [object()]):
        ran = driver.run([], use=partial(begin, wrong))
        assert isinstance(ran.error, UsageError)


def test_answers_speak_the_users_language(driver: Driver) -> None:
    ran = driver.run([wants(tool_use("c1", "echo", text=5))], on_error="return-to-model", locale="es")
    assert "Falta" in results(ran.asked[1])[0][1] or "dato" in results(ran.asked[1])[0][1]


def test_one_run_object_serves_many_threads() -> None:
    with SkillClient(caller_id="tests", transport=by_path(echo=echo)) as client:
        run = Run(SkillSet(SKILLS, client), lambda messages, tools: scripted_by(messages), style="anthropic")
        found: list[Any] = []
        threads = [threading.Thread(target=lambda n=n: found.append(run.start(f"t{n}").output)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(found) == [f"t{n}" for n in range(8)]


def scripted_by(messages: list[Any]) -> Any:
    text = messages[0]["content"]
    return wants(tool_use("c1", "echo", text=text)) if len(messages) == 1 else {"content": results(messages)[0][1]}


def test_a_scripted_model_says_that_it_is_done() -> None:
    assert scripted([])([], []) == {"content": "done"}
