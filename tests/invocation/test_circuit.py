"""What the circuit costs the callers of one client: a moment's trouble, an outage, few calls, many at a time."""

import heapq
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from skillproto.errors import SkillError
from skillproto.invocation.core import Core
from skillproto.invocation.events import Emitter
from skillproto.invocation.prepared import Prepared, Shared
from skillproto.invocation.retry import Circuit, RetryBudget, RetryPolicy
from skillproto.invocation.wire import Action, Done, GiveUp, Incoming, Result, Send, Wait, Woke
from tests.support.simulation import accepted, finished, ready, reply, state

TAKES_S = 0.05
GOOD, BAD = finished(), reply(503)


class World:
    """Many calls of one client, on one clock, against a server that is up at some times.

    Attributes:
        sent: when each request was sent, and its step.
        ended: when each call ended, and how, in order.
    """

    def __init__(self, is_up: Callable[[float], bool], *, budget: bool = False, **circuit: Any) -> None:
        self.now = 0.0
        self.sent: list[tuple[float, str]] = []
        self.ended: list[tuple[float, Result | SkillError]] = []
        self.circuit = Circuit(clock=lambda: self.now, **circuit)
        self._is_up = is_up
        self._shared = Shared(RetryBudget(clock=lambda: self.now) if budget else None, self.circuit)
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = count()

    def call(self, at_s: float, *, timeout_ms: int = 30_000, is_long: bool = False, **policy: Any) -> None:
        """Plan a call; a long one is accepted first and takes 20 s."""
        prepared: Prepared = ready(timeout_ms=timeout_ms, shared=self._shared)
        core = Core(
            prepare=lambda resuming: prepared,
            invocation_id="k",
            skill_id="s",
            policy=RetryPolicy(jitter=0, **policy),
            emitter=Emitter(),
            clock=lambda: self.now,
            random=lambda: 0.0,
        )
        self._later(at_s, lambda: self._do(core, core.start(), is_long))

    def run(self) -> "World":
        while self._due:
            self.now, _, step = heapq.heappop(self._due)
            step()
        return self

    @property
    def succeeded(self) -> int:
        return sum(isinstance(outcome, Result) for _, outcome in self.ended)

    def _later(self, after_s: float, step: Callable[[], None]) -> None:
        heapq.heappush(self._due, (self.now + after_s, next(self._numbers), step))

    def _do(self, core: Core, action: Action, is_long: bool) -> None:
        match action:
            case Send(request):
                self.sent.append((self.now, request.step))
                answer = self._answer(request.step, is_long) if self._is_up(self.now) else BAD
                self._go_on(TAKES_S, core, answer, is_long)
            case Wait(seconds):
                self._go_on(seconds, core, Woke(), is_long)
            case Done(outcome):
                assert isinstance(outcome, Result)
                self.ended.append((self.now, outcome))
            case GiveUp(error):
                self.ended.append((self.now, error))
            case _:
                raise AssertionError(action)

    def _answer(self, step: str, is_long: bool) -> Incoming:
        if not is_long or step == "result":
            return GOOD
        return accepted() if step == "start" else state("running" if self.now < 20 else "completed")

    def _go_on(self, after_s: float, core: Core, event: Incoming, is_long: bool) -> None:
        self._later(after_s, lambda: self._do(core, core.receive(event), is_long))


def up_but(from_s: float, to_s: float) -> Callable[[float], bool]:
    return lambda now: not from_s <= now < to_s


def test_a_moment_of_trouble_fails_no_call_of_many() -> None:
    world = World(up_but(0, 0.3))
    for number in range(400):
        world.call(number * 0.01)  # four seconds of a busy client
    world.run()
    assert world.succeeded == 400
    assert max(ended - number * 0.01 for number, (ended, _) in enumerate(sorted(world.ended, key=lambda e: e[0]))) < 4


def test_an_outage_refuses_new_calls_at_once_when_a_probe_has_failed_too() -> None:
    world = World(lambda now: False)
    for number in range(300):
        world.call(number * 0.1)
    world.run()
    late = [outcome for ended, outcome in world.ended if isinstance(outcome, SkillError) and ended > 10]
    refused = [error for error in late if error.details.get("reason") == "circuit_open"]
    assert len(refused) > 0.9 * len(late)
    assert all("blocked_ms" in error.details for error in refused)
    assert world.succeeded == 0


def test_an_outage_costs_one_probe_each_few_seconds_and_its_end_is_soon_found() -> None:
    world = World(up_but(0, 60), budget=True)
    for number in range(900):
        world.call(number * 0.1)
    world.run()
    in_outage = [at for at, _ in world.sent if 10 <= at < 60]
    assert len(in_outage) <= 50 / 7 + 2
    first_good = min(ended for ended, outcome in world.ended if isinstance(outcome, Result))
    assert first_good < 60 + 7.5
    assert all(isinstance(outcome, Result) for ended, outcome in world.ended if ended > first_good + 1)


def test_one_failing_call_after_another_keeps_its_attempts_until_the_outage_is_certain() -> None:
    world = World(lambda now: False)
    for number in range(4):
        world.call(number * 20)
    world.run()
    errors = [outcome for _, outcome in world.ended if isinstance(outcome, SkillError)]
    assert [error.attempts for error in errors] == [4, 4, 1, 1]
    assert [error.http_status for error in errors] == [503] * 4
    assert [ended for ended, _ in world.ended] == pytest.approx([7.2, 27.2, 40.05, 60.05])


def test_a_client_with_few_calls_is_served_by_the_first_one_after_an_outage() -> None:
    world = World(up_but(0, 50))
    for number in range(6):
        world.call(number * 15)
    world.run()
    assert [isinstance(outcome, Result) for _, outcome in world.ended] == [False] * 4 + [True] * 2
    assert world.ended[4][0] == pytest.approx(60.05)


def test_executions_that_run_are_looked_after_through_an_outage_of_calls() -> None:
    world = World(up_but(2, 10))
    world.call(0, is_long=True, max_poll_faults=3)
    for number in range(80):
        world.call(2 + number * 0.1)
    world.run()
    (long,) = [outcome for _, outcome in world.ended if isinstance(outcome, Result) and outcome.execution_id]
    assert long.output == "ok"


def test_a_call_gives_up_with_its_real_error_where_others_probe_all_the_time() -> None:
    world = World(lambda now: False, failures=1)
    for _ in range(20):
        world.call(0)
    world.run()
    errors = [outcome for _, outcome in world.ended if isinstance(outcome, SkillError)]
    assert {error.http_status for error in errors} == {503}
    assert {error.details["gave_up"] for error in errors} <= {
        "the endpoint has failed too often lately",
        "no attempt is left",
    }
    assert max(ended for ended, _ in world.ended) < 9


def test_a_wait_for_the_circuit_ends_at_the_deadline() -> None:
    world = World(lambda now: False, failures=1)
    world.call(0, max_attempts=1)
    world.call(0.5, timeout_ms=300)
    world.run()
    ended, error = world.ended[1]
    assert isinstance(error, SkillError)
    assert (ended, error.details["reason"]) == (0.5, "circuit_open")


def test_failures_of_requests_sent_before_it_opened_do_not_keep_it_open_longer() -> None:
    world = World(lambda now: False)
    for _ in range(50):
        world.circuit.failed()
    assert world.circuit.left_s == 1
    assert not world.circuit.is_confirmed


def test_a_probe_that_never_tells_is_followed_by_another() -> None:
    world = World(lambda now: True, failures=1)
    world.circuit.failed()
    world.now = 1.0
    assert world.circuit.blocked_s() == 0
    world.now = 1.5
    assert world.circuit.left_s == 0.5
    world.now = 2.0
    assert world.circuit.blocked_s() == 0
