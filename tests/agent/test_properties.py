"""Whatever order things happen in: one final event, results in the order of the calls, no call without an answer.

First the two cores, driven by hand through any interleaving of successes, failures, timeouts and
cancellations; then the three drivers, which must agree.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, assert_never

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillproto import Descriptor, Result, RetryPolicy, SkillClient, SkillError, SkillSet
from skillproto.agent.dispatch_calls import ToolCall
from skillproto.agent.dispatch_core import DispatchCore, Launch, Order, Plan, Stop
from skillproto.agent.policies import OnError, fails_run
from skillproto.agent.run import Run
from skillproto.agent.run_core import Ask, Halted, Over, Pause, Perform, Raised, Replied, RunCore, Save, Went
from skillproto.agent.run_events import RunEvent
from skillproto.agent.states import Record
from skillproto.testing import FakeTime, SentRequest, Step, output, reply
from tests.support.agents import (
    SKILLS,
    Driver,
    Ran,
    by_path,
    require_no_open_call,
    results,
    tool_use,
    wants,
)

SKILL = Descriptor.load(SKILLS[0])
POLICIES = st.sampled_from(["fail-run", "return-to-model", "recover"])

OUTCOMES: dict[str, Callable[[], SkillError | Result]] = {
    "ok": lambda: Result("fine", None, 1, 5),
    "timeout": lambda: SkillError("EXECUTION_TIMEOUT", "late"),
    "unreachable": lambda: SkillError("ENDPOINT_UNREACHABLE", "gone"),
    "denied": lambda: SkillError("PERMISSION_DENIED", "no"),
    "not found": lambda: SkillError("EXECUTION_FAILED", "none", details={"error_type": "NOT_FOUND"}),
    "bad output": lambda: SkillError("VALIDATION_ERROR", "no", attempts=1),
    "cancelled there": lambda: SkillError("CANCELLED", "cancelled at the provider"),
}
REFUSALS: dict[str, Callable[[], SkillError]] = {
    "unknown": lambda: SkillError("SKILL_NOT_FOUND", "Unknown tool"),
    "bad input": lambda: SkillError("VALIDATION_ERROR", "no"),
}


class Case(NamedTuple):
    """A call: how it would end, under which policy, and whether that is known before it is made."""

    kind: str
    policy: OnError

    @property
    def is_refused(self) -> bool:
        return self.kind in REFUSALS

    def end(self) -> SkillError | Result:
        return (REFUSALS | OUTCOMES)[self.kind]()

    @property
    def fails(self) -> bool:
        end = self.end()
        if self.kind == "bad output" and isinstance(end, SkillError):
            end.details["target"] = "tool_output"
        return isinstance(end, SkillError) and fails_run(self.policy, end)


CASES = st.lists(st.builds(Case, st.sampled_from([*OUTCOMES, "ok", "ok", *REFUSALS]), POLICIES), max_size=7)


class Dispatched:
    """A core of calls, ended one by one in an order that is drawn."""

    def __init__(self, cases: list[Case], concurrency: int, draw: Callable[[Any], Any], left_ms: Any = None) -> None:
        self.events: list[tuple[str, str]] = []
        self.launched: list[int] = []
        self.most = 0
        self.stopping: set[int] = set()
        self._cases, self._draw = cases, draw
        plans = [
            Plan(ToolCall(f"c{n}", "t", {}), SKILL, case.policy, REFUSALS[case.kind]() if case.is_refused else None)
            for n, case in enumerate(cases)
        ]
        tell = lambda name, facts: self.events.append((name, facts["tool_call_id"]))  # noqa: E731
        self.core = DispatchCore(plans, concurrency=concurrency, left_ms=left_ms or (lambda: None), tell=tell)

    def run(self, stop_after: int | None, close_after: int | None = None) -> None:
        self._take(self.core.begin())
        ended = 0
        while not self.core.is_over:
            if ended == close_after:
                self.core.close()
                return
            if ended == stop_after:
                self._take(self.core.stop())
                stop_after = None
                continue
            place = self._draw(st.sampled_from(sorted(self.core.running)))
            outcome = self._cases[place].end()
            if place in self.stopping and self._draw(st.booleans()):
                outcome = SkillError("CANCELLED", "The caller cancelled the call", details={"reason": "caller"})
            self._take(self.core.ended(place, outcome))
            ended += 1

    def _take(self, orders: list[Order]) -> None:
        for order in orders:
            match order:
                case Launch(place):
                    self.launched.append(place)
                case Stop(place):
                    assert place not in self.stopping, "cancelled twice"
                    self.stopping.add(place)
                case _:
                    assert_never(order)
        self.most = max(self.most, len(self.core.running))

    def require_order(self) -> None:
        assert [answer.call.id for answer in self.core.answers] == [f"c{n}" for n in range(len(self._cases))]
        ends = [id_ for name, id_ in self.events if name in ("tool.completed", "tool.failed")]
        assert sorted(ends) == sorted(answer.call.id for answer in self.core.answers)
        assert self.launched == sorted(set(self.launched))
        starts = [id_ for name, id_ in self.events if name == "tool.started"]
        assert starts == [f"c{place}" for place in self.launched]


@settings(max_examples=400)
@given(CASES, st.integers(1, 4), st.data())
def test_calls_in_any_interleaving(cases: list[Case], concurrency: int, data: st.DataObject) -> None:
    ran = Dispatched(cases, concurrency, data.draw)
    ran.run(stop_after=None)
    ran.require_order()
    assert ran.most <= concurrency
    refused = [case for case in cases if case.is_refused and case.fails]
    failing = refused or [case for case in cases if case.fails]
    failure = ran.core.failure
    assert (failure is None) is (not failing)
    if refused:
        assert ran.launched == []
    if failure is not None:
        first = failing[0].end()
        assert isinstance(first, SkillError)
        assert failure.code is first.code
        assert ran.core.answers[cases.index(failing[0])].error is failure
        assert failure.answers == ran.core.answers
    else:
        for case, answer in zip(cases, ran.core.answers, strict=True):
            assert (answer.error is None) is (case.kind == "ok")


@settings(max_examples=200)
@given(CASES, st.integers(1, 4), st.integers(0, 6), st.booleans(), st.data())
def test_calls_that_are_stopped_at_any_moment(
    cases: list[Case], concurrency: int, after: int, is_closed: bool, data: st.DataObject
) -> None:
    ran = Dispatched(cases, concurrency, data.draw)
    ran.run(None if is_closed else after, after if is_closed else None)
    ran.require_order()
    assert ran.core.running == set()
    if ran.core.is_stopped:
        assert ran.core.failure is not None
        assert ran.core.failure.code == "CANCELLED"


@settings(max_examples=100)
@given(CASES, st.integers(1, 4), st.lists(st.integers(-5, 5), max_size=9), st.data())
def test_calls_whose_time_runs_out(cases: list[Case], concurrency: int, times: list[int], data: st.DataObject) -> None:
    left = iter(times)
    ran = Dispatched(cases, concurrency, data.draw, lambda: next(left, 0))
    ran.run(stop_after=None)
    ran.require_order()


# A whole run.

REPLY = st.one_of(
    st.just({"content": "fine"}),
    st.lists(st.sampled_from(["echo", "find", "buy", "nope"]), min_size=1, max_size=3).map(
        lambda names: wants(*[tool_use(f"c{n}", name, text="x") for n, name in enumerate(names)])
    ),
    st.just(wants(tool_use("c1", "echo", text=5))),
    st.sampled_from([None, 5, {}, {"content": [5]}, wants(tool_use("c", "echo"), tool_use("c", "echo"))]),
)
SPOIL = st.sampled_from(["", "", "", "", "", "raise", "retry", "halt", "late", "interrupt"])


class Spoiled(BaseException):
    """What comes from outside, at any moment."""


class Listener:
    """Keeps the events, and may raise at one of them."""

    def __init__(self, at: int | None, cause: type[BaseException]) -> None:
        self.events: list[RunEvent] = []
        self._at, self._cause = at, cause

    def __call__(self, event: RunEvent) -> None:
        self.events.append(event)
        if len(self.events) - 1 == self._at:
            raise self._cause


def drive(core: RunCore, draw: Callable[[Any], Any], saves: list[Any]) -> Any:
    """Do by hand what a driver does, with everything that can happen to one."""
    action = core.start()
    for _ in range(200):
        match action:
            case Ask():
                action = core.receive(_answer(draw))
            case Perform(calls):
                _end_calls(calls, draw)
                action = core.receive(Went())
            case Pause():
                action = core.receive(Halted() if draw(st.integers(0, 5)) == 0 else Went())
            case Save(saved):
                if draw(st.integers(0, 12)) == 0:
                    raise Spoiled
                saves.append(saved)
                action = core.receive(Raised(OSError("full")) if draw(st.integers(0, 12)) == 0 else Went())
            case Over(outcome):
                return outcome
            case _:
                assert_never(action)
    raise AssertionError("it does not end")


def _answer(draw: Callable[[Any], Any]) -> Any:
    match draw(SPOIL):
        case "raise":
            return Raised(ZeroDivisionError())
        case "retry":
            return Raised(SkillError("ENDPOINT_UNREACHABLE", "busy"))
        case "halt":
            return Halted()
        case "late":
            return Halted("deadline")
        case "interrupt":
            raise Spoiled
        case _:
            return Replied(draw(REPLY))


def _end_calls(calls: DispatchCore, draw: Callable[[Any], Any]) -> None:
    calls.begin()
    while not calls.is_over:
        match draw(st.sampled_from(["", "", "", "", "stop", "interrupt"])):
            case "stop":
                calls.stop()
            case "interrupt":
                raise Spoiled
        if calls.running:
            place = draw(st.sampled_from(sorted(calls.running)))
            calls.ended(place, OUTCOMES[draw(st.sampled_from([*OUTCOMES, "ok", "ok", "ok"]))]())


CLIENT = SkillClient(caller_id="tests", timing=FakeTime())


@settings(max_examples=400)
@given(
    POLICIES,
    st.sampled_from([(), ("com.example.find",)]),
    st.booleans(),
    st.none() | st.integers(0, 25),
    st.sampled_from([ZeroDivisionError, KeyboardInterrupt]),
    st.data(),
)
def test_a_run_in_any_interleaving_has_one_final_event_and_answers_every_call(
    policy: OnError, needs: Any, stops: bool, at: int | None, cause: type[BaseException], data: st.DataObject
) -> None:
    listener = Listener(at, cause)
    run = Run(
        SkillSet(SKILLS, CLIENT, on_error=policy),
        lambda messages, tools: None,
        style="anthropic",
        max_steps=3,
        needs_approval=needs,
        stop_when=(lambda answers: "enough") if stops else None,
        model_policy=RetryPolicy(max_attempts=2),
        on_event=listener,
    )
    record = Record("r1", "agent", "anthropic", [{"role": "user", "content": "Go"}])
    core = run._core(record, None)
    saves: list[Any] = []
    outcome: Any
    try:
        outcome = drive(core, data.draw, saves)
    except (Spoiled, KeyboardInterrupt) as interruption:
        outcome = interruption
        try:
            core.abandon(interruption)
        except KeyboardInterrupt:
            pass
        finally:
            try:
                core.close()
            except KeyboardInterrupt:
                outcome = None
    finals = [event.name for event in listener.events if event.is_final]
    assert finals == [f"run.{record.state}"]
    assert listener.events[-1].is_final
    _require_fitting_end(record, outcome)
    _require_whole_steps(listener.events)


def _require_fitting_end(record: Record, outcome: Any) -> None:
    if record.state == "waiting_for_human":
        assert outcome is None or set(record.pending) <= {call["id"] for call in record.calls}
        return
    require_no_open_call(record.messages)
    if record.state in ("failed", "cancelled"):
        assert outcome is None or isinstance(outcome, BaseException)
        assert record.error


def _require_whole_steps(events: list[RunEvent]) -> None:
    names = [event.name for event in events]
    ends = [name for name in names if name in ("step.completed", "step.failed", "step.cancelled")]
    assert names.count("step.started") - len(ends) in (0, 1 if "run.waiting_for_human" in names else 0)
    told = [event.data["tool_call_id"] for event in events if event.name in ("tool.completed", "tool.failed")]
    started = [event.data["tool_call_id"] for event in events if event.name == "tool.started"]
    assert all(told.count(id_) >= started.count(id_) for id_ in started)


def test_an_interruption_while_calls_are_told_of_keeps_none_from_being_told() -> None:
    plans = [Plan(ToolCall(f"c{n}", "echo", {"text": "x"}), SKILL, "fail-run") for n in range(3)]
    told: list[tuple[str, str]] = []

    def tell(name: str, facts: Any) -> None:
        told.append((name, facts["tool_call_id"]))
        if name == "tool.failed":
            raise KeyboardInterrupt

    calls = DispatchCore(plans, concurrency=2, left_ms=lambda: None, tell=tell)
    calls.begin()
    with pytest.raises(KeyboardInterrupt):
        calls.close()
    assert calls.is_over
    assert sorted(told) == [
        ("tool.failed", "c0"),
        ("tool.failed", "c1"),
        ("tool.failed", "c2"),
        ("tool.started", "c0"),
        ("tool.started", "c1"),
    ]


# The drivers agree.

ANSWERS: dict[str, Step | Callable[[SentRequest], Step]] = {
    "ok": output("fine"),
    "denied": reply(403),
    "failed": reply(503, {"error": {"code": "EXECUTION_FAILED", "message": "no"}}),
    "bad output": output(5),
    "cancelled": reply(200, {"status": "cancelled"}),
    "late": reply(504),
    "business": reply(200, {"isError": True, "_meta": {"errorCategory": "business"}}),
}
CALL = st.builds(
    lambda name, text: (name, text),
    st.sampled_from(["echo", "find", "buy", "nope"]),
    st.sampled_from(["x", "x", "x", "y", 5]),
)
TURNS = st.lists(st.lists(CALL, max_size=4), min_size=1, max_size=3)


def turn(number: int, calls: list[tuple[str, Any]]) -> dict[str, Any]:
    if not calls:
        return {"content": "fine"}
    return wants(*[tool_use(f"t{number}c{n}", name, text=text) for n, (name, text) in enumerate(calls)])


def seen(ran: Ran) -> Any:
    """What of a run must not depend on its driver."""
    error = (type(ran.error), str(ran.error)) if ran.error is not None else None
    steps = [name for name in ran.names if not name.startswith("tool.")]
    tools = sorted(
        (event.step, event.name, event.data["tool_call_id"]) for event in ran.events if "tool." in event.name
    )
    saved = {name: value for name, value in ran.saved.items() if name not in ("run_id", "elapsed_ms", "error_details")}
    return error, steps, tools, saved


@settings(max_examples=40)
@given(
    TURNS,
    st.fixed_dictionaries({name: st.sampled_from(list(ANSWERS)) for name in ("echo", "find", "buy")}),
    POLICIES,
    st.sampled_from([(), ("com.example.buy",)]),
    st.integers(1, 3),
)
def test_threads_asyncio_and_trio_agree(
    turns: list[Any], steps: dict[str, str], policy: OnError, needs: Any, concurrency: int
) -> None:
    def one(name: str) -> Ran:
        ran = Driver(name).run(
            [turn(number, calls) for number, calls in enumerate(turns)],
            by_path(**{skill: ANSWERS[step] for skill, step in steps.items()}),
            on_error=policy,
            needs_approval=needs,
            concurrency=concurrency,
            max_steps=3,
            timeout_ms=60_000,
            client={"policy": RetryPolicy(max_attempts=1), "circuit_breaker": False, "timing": FakeTime()},
        )
        assert len(ran.final) == 1
        if ran.saved["state"] != "waiting_for_human":
            require_no_open_call(ran.saved["messages"])
            ids = [f"t{number}c{n}" for number, calls in enumerate(turns) for n, _ in enumerate(calls)]
            found = [id_ for id_, _, _ in results(ran.saved["messages"])]
            assert found == ids[: len(found)]
        return ran

    ran = {name: one(name) for name in ("sync", "asyncio", "trio")}
    if concurrency == 1 or ran["sync"].error is None:
        assert seen(ran["sync"]) == seen(ran["asyncio"]) == seen(ran["trio"])
    else:  # how far the calls behind the failure got depends on who was faster; all else does not
        ends = {name: (type(one.error), str(one.error), one.final, one.saved["steps"]) for name, one in ran.items()}
        assert ends["sync"] == ends["asyncio"] == ends["trio"]


@pytest.mark.parametrize("kind", [*OUTCOMES, *REFUSALS])
def test_every_kind_of_end_is_one_that_policies_know(kind: str) -> None:
    case = Case(kind, "fail-run")
    assert case.fails is (kind != "ok")
