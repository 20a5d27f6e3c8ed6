"""The three drivers do what the core decides, and nothing else: random scripts, the same traces.

Each example runs four times on fake time: by hand through the core, and through the real clients
for threads, asyncio and trio, with a scripted transport. Requests, waits, events and outcome must
be the same to the microsecond.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import cycle, pairwise
from typing import Any, NamedTuple, assert_never

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillproto import AsyncSkillClient, RetryPolicy, SkillClient, SkillError
from skillproto.invocation.cancel import CancelToken
from skillproto.invocation.core import Core
from skillproto.invocation.events import Event
from skillproto.invocation.wire import Done, GiveUp, Goal, Incoming, Lost, Queue, Replied, Send, Stopped, Wait, Woke
from skillproto.testing import (
    FAULTS,
    Answer,
    FakeTime,
    Fault,
    ScriptedTransport,
    SentRequest,
    Step,
    accepted,
    cut_short,
    drip,
    fault,
    output,
    reply,
    sample_descriptor,
    state,
)
from tests.support.drivers import DRIVERS

SKILL = sample_descriptor()
KEY = "the-key"


# What happens.


class Moment(NamedTuple):
    """When the caller cancels: at the n-th request or the n-th wait, counted from 0."""

    kind: str
    number: int


class Plan(NamedTuple):
    script: list[Step]
    goal: Goal
    resumes: bool
    policy: RetryPolicy
    timeout_ms: int
    seed: int | None
    cancel: Moment | None


DELAYS = st.sampled_from([0.0, 0.0, 0.012, 0.4, 3.1, 45.0])
HINTS: st.SearchStrategy[dict[str, str]] = st.one_of(
    st.just({}),
    st.sampled_from(["0", "1", "2", "7", "90", "-1", "1.5", "soon", ""]).map(lambda text: {"Retry-After": text}),
)


def _error(status: int, code: str, delay_ms: Any, allowed: Any, headers: dict[str, str], after_s: float) -> Answer:
    retry = {"suggested_delay_ms": delay_ms, "max_attempts": allowed}
    return reply(status, {"error": {"code": code, "message": "No", "retry": retry}}, headers, after_s=after_s)


STEPS: st.SearchStrategy[Step] = st.one_of(
    st.builds(output, st.sampled_from(["fine", 5]), after_s=DELAYS),
    st.builds(accepted, st.sampled_from(["e1", "e/2", ""]), HINTS, after_s=DELAYS),
    st.builds(state, st.sampled_from(["running", "running", "completed", "failed", "cancelled", "odd"]), HINTS),
    st.builds(
        _error,
        st.sampled_from([200, 401, 404, 429, 500, 502, 503, 504]),
        st.sampled_from(["ENDPOINT_UNREACHABLE", "EXECUTION_TIMEOUT", "AUTH_REQUIRED", "VALIDATION_ERROR", "QUOTA"]),
        st.integers(-5, 9_000) | st.none(),
        st.integers(-1, 4) | st.none(),
        HINTS,
        DELAYS,
    ),
    st.builds(reply, st.sampled_from([200, 202, 204, 307, 400, 422, 502, 503]), st.just(b"<p>busy</p>"), HINTS),
    st.builds(fault, st.sampled_from(list(FAULTS)), after_s=DELAYS),
    st.builds(cut_short, after_s=DELAYS),
    st.builds(drip, st.just({"output": "slow"}), st.sampled_from([0.01, 0.3]), st.just(4)),
)
PLANS = st.builds(
    Plan,
    st.lists(STEPS, min_size=1, max_size=8),
    st.sampled_from(["result", "result", "result", "start", "status", "end"]),
    st.booleans(),
    st.builds(
        RetryPolicy,
        initial_delay_ms=st.sampled_from([0, 100, 1000]),
        max_attempts=st.integers(1, 5),
        jitter=st.sampled_from([0, 0.25, 1]),
        attempt_timeout_ms=st.sampled_from([None, 700, 5000]),
        max_poll_faults=st.integers(1, 4),
    ),
    st.integers(20, 60_000),
    st.none() | st.integers(0, 9),
    st.none() | st.builds(Moment, st.sampled_from(["request", "wait"]), st.integers(0, 4)),
)


# What is seen of it.


@dataclass
class Trace:
    sent: list[tuple[float, str, str, str]] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    outcome: Any = None

    def note(self, request: SentRequest) -> None:
        self.sent.append((request.at_s, request.method, request.url, request.headers.get("idempotency-key", "")))

    def end(self, outcome: Any) -> None:
        if isinstance(outcome, SkillError):
            notes = getattr(outcome, "__notes__", [])
            outcome = (outcome.code, outcome.message, outcome.details, outcome.history, notes)
        self.outcome = outcome


# The core, by hand.


_LOST = {
    "refused": Lost("refused", sent=False),
    "unknown_host": Lost("dns", sent=False, again=False),
    "busy_resolver": Lost("dns", sent=False),
    "bad_certificate": Lost("tls", sent=False, again=False),
    "connect_timeout": Lost("timeout", sent=False),
    "reset": Lost("reset", sent=True),
    "closed": Lost("reset", sent=True),
    "read_timeout": Lost("timeout", sent=True),
}


def by_hand(plan: Plan) -> Trace:
    trace, time = Trace(), FakeTime(seed=plan.seed)
    unused = ScriptedTransport([])
    listener = trace.events.append
    client = SkillClient(caller_id="tests", transport=unused, policy=plan.policy, timing=time, on_event=listener)
    core = _core(client, plan)
    script = cycle(plan.script)
    action = core.start()
    while True:
        match action:
            case Send(request, limit_s):
                headers = {name.lower(): value for name, value in request.headers}
                trace.note(SentRequest(request.method, request.url, headers, request.body or b"", time.now))
                if plan.cancel == Moment("request", len(trace.sent) - 1):
                    action = core.receive(Stopped(sent=True))
                else:
                    action = core.receive(_answer(next(script), time, limit_s))
            case Wait(seconds):
                trace.waits.append(seconds)
                if plan.cancel == Moment("wait", len(trace.waits) - 1):
                    action = core.receive(Stopped())
                else:
                    time.advance(seconds)
                    action = core.receive(Woke())
            case Queue():
                raise AssertionError("one call alone never stands in line")
            case Done(outcome):
                trace.end(outcome)
                return trace
            case GiveUp(error):
                trace.end(error)
                return trace
            case _:
                assert_never(action)


def _core(client: SkillClient, plan: Plan) -> Core:
    if plan.goal in ("status", "end") or (plan.goal == "result" and plan.resumes):
        core = client._core(SKILL, None, plan.timeout_ms, idempotency_key=KEY, resume="e9", goal=plan.goal)
    else:
        core = client._core(SKILL, {"text": "x"}, plan.timeout_ms, idempotency_key=KEY, goal=plan.goal)
    assert isinstance(core, Core)  # as without a journal
    return core


def _answer(step: Step, time: FakeTime, limit_s: float) -> Incoming:
    limit_s = max(time.now + limit_s - time.now, 0.001)  # as a client computes it, to the last bit
    if isinstance(step, Fault) and step.kind in ("connect_timeout", "read_timeout"):
        time.advance(limit_s)
        return _LOST[step.kind]
    if step.after_s >= limit_s:
        time.advance(limit_s)
        return Lost("timeout", sent=True)
    time.advance(step.after_s)
    return _LOST[step.kind] if isinstance(step, Fault) else _read(step, time, limit_s - step.after_s)


def _read(step: Answer, time: FakeTime, left_s: float) -> Incoming:
    for _ in _pieces(step):
        time.advance(min(step.interval_s, left_s))
        left_s -= step.interval_s
        if left_s <= 0:
            return Lost("timeout", sent=True)
    headers = tuple((name.lower(), value) for name, value in step.headers)
    return Replied(step.status, headers, step.body, "cut_short" if step.is_cut else None)


def _pieces(step: Answer) -> Iterator[int]:
    return iter(range(0, len(step.body), step.piece_bytes or len(step.body) or 1))


# The real clients.


def through(driver: str, plan: Plan) -> Trace:
    return _sync(plan) if driver == "sync" else _async(plan, driver)


class Scene:
    """What a client is given: a transport, a time and a listener that write the trace."""

    def __init__(self, plan: Plan, cancel: Callable[[], object]) -> None:
        self.trace = Trace()
        self.plan = plan
        self.cancel = cancel
        self.time = FakeTime(seed=plan.seed, on_wait=self._waiting)
        self._script = cycle(plan.script)
        self.transport = ScriptedTransport(self._choose, time=self.time)

    def _choose(self, request: SentRequest) -> Step:
        self.trace.note(request)
        if self.plan.cancel == Moment("request", len(self.trace.sent) - 1):
            self.cancel()
            return reply(503)
        return next(self._script)

    def _waiting(self, seconds: float) -> None:
        if self.plan.cancel == Moment("wait", len(self.time.waits) - 1):
            self.cancel()

    def options(self) -> dict[str, Any]:
        listener = self.trace.events.append
        return {"transport": self.transport, "timing": self.time, "policy": self.plan.policy, "on_event": listener}

    def end(self, outcome: Any) -> Trace:
        self.trace.waits = self.time.waits
        self.trace.end(outcome)
        return self.trace


def _sync(plan: Plan) -> Trace:
    token = CancelToken()
    scene = Scene(plan, token.cancel)
    with SkillClient(caller_id="tests", **scene.options()) as client:
        try:
            return scene.end(client._drive(_core(client, plan), token if plan.cancel is not None else None))
        except SkillError as error:
            return scene.end(error)


def _async(plan: Plan, backend: str) -> Trace:
    async def main() -> Trace:
        with anyio.CancelScope() as scope:
            scene = Scene(plan, scope.cancel)
            async with AsyncSkillClient(caller_id="tests", **scene.options()) as client:
                try:
                    return scene.end(await client._drive(_core(client, plan)))  # type: ignore[arg-type]
                except SkillError as error:
                    return scene.end(error)
        return scene.end("cancelled by its scope")

    return anyio.run(main, backend=backend)


# The proof.


@pytest.mark.parametrize("driver", DRIVERS)
@settings(max_examples=250)
@given(plan=PLANS)
def test_a_driver_does_what_the_core_decides(driver: str, plan: Plan) -> None:
    expected, seen = by_hand(plan), through(driver, plan)
    assert seen.sent == expected.sent
    assert seen.waits == expected.waits
    assert seen.events == expected.events
    if seen.outcome != "cancelled by its scope":  # an async caller gets the cancellation itself, not an error
        assert seen.outcome == expected.outcome
    else:
        assert expected.outcome[0] == "CANCELLED"


@pytest.mark.parametrize("driver", DRIVERS)
@settings(max_examples=250)
@given(plan=PLANS)
def test_whatever_happens_the_promises_hold(driver: str, plan: Plan) -> None:
    trace = through(driver, plan)
    starts = [at_s for at_s, method, *_ in trace.sent if method == "POST"]
    assert len(starts) <= plan.policy.max_attempts
    assert all(at_s < 1000 + plan.timeout_ms / 1000 for at_s, *_ in trace.sent)
    assert all(1000 + event.elapsed_ms / 1000 <= 1000.002 + plan.timeout_ms / 1000 for event in trace.events)
    assert [event.is_final for event in trace.events] == [False] * (len(trace.events) - 1) + [True]
    floors = [plan.policy.delay_ms(n) / 1000 for n in range(1, len(starts))]
    gaps = [after - before for before, after in pairwise(starts)]
    assert all(gap >= floor - 1e-9 for gap, floor in zip(gaps, floors, strict=True))
    assert len({key for _, method, _, key in trace.sent if method == "POST"}) <= 1
