"""The arithmetic of waiting, the budget and the circuit."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillproto.errors import UsageError
from skillproto.invocation.retry import Circuit, RetryBudget, RetryPolicy


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_delays_are_the_ones_that_the_protocol_gives_as_an_example() -> None:
    policy = RetryPolicy(initial_delay_ms=1000)
    assert [policy.delay_ms(n) for n in (1, 2, 3, 4)] == [1000, 2000, 4000, 8000]


def test_without_jitter_the_waits_are_the_delays() -> None:
    policy = RetryPolicy(jitter=0)
    assert [policy.wait_ms(n) for n in (1, 2, 3, 4)] == [1000, 2000, 4000, 8000]


def test_jitter_adds_up_to_its_share_and_never_takes_away() -> None:
    policy = RetryPolicy()
    assert policy.wait_ms(1, random=lambda: 0.0) == 1000
    assert policy.wait_ms(1, random=lambda: 1.0) == 1250


def test_the_cap_bounds_a_wait_with_its_jitter() -> None:
    policy = RetryPolicy(max_delay_ms=3000)
    assert policy.wait_ms(2, random=lambda: 1.0) == 2500
    assert policy.wait_ms(3, random=lambda: 1.0) == 3000
    assert policy.wait_ms(1000, random=lambda: 1.0) == 3000


def test_a_hint_is_a_floor_even_above_the_cap() -> None:
    policy = RetryPolicy(max_delay_ms=3000, jitter=0)
    assert policy.wait_ms(1, hint_ms=10_000) == 10_000
    assert policy.wait_ms(2, hint_ms=500) == 2000


@given(
    n=st.integers(1, 60),
    hint_ms=st.none() | st.integers(0, 10**7),
    chance=st.floats(0, 1),
    jitter=st.floats(0, 1),
    initial_ms=st.integers(0, 10_000),
)
def test_no_wait_is_shorter_than_its_floors_or_longer_than_they_allow(
    n: int, hint_ms: int | None, chance: float, jitter: float, initial_ms: int
) -> None:
    policy = RetryPolicy(initial_delay_ms=initial_ms, jitter=jitter)
    wait_ms = policy.wait_ms(n, hint_ms=hint_ms, random=lambda: chance)
    floor_ms = max(policy.delay_ms(n), hint_ms or 0)
    assert floor_ms <= wait_ms <= floor_ms * (1 + jitter) + 1


BAD_POLICIES: list[dict[str, Any]] = [
    {"max_attempts": 0},
    {"max_attempts": -1},
    {"max_attempts": 2.5},
    {"max_attempts": None},
    {"max_attempts": True},
    {"max_attempts": 10**9},
    {"initial_delay_ms": -1},
    {"initial_delay_ms": float("inf")},
    {"max_delay_ms": "60"},
    {"jitter": -0.1},
    {"jitter": 1.5},
    {"jitter": float("nan")},
    {"jitter": None},
    {"attempt_timeout_ms": 0},
    {"max_poll_faults": 0},
]


@pytest.mark.parametrize("arguments", BAD_POLICIES, ids=str)
def test_a_policy_that_can_never_work_is_refused_by_the_name_of_its_argument(arguments: dict[str, Any]) -> None:
    (name,) = arguments
    with pytest.raises(UsageError, match=name):
        RetryPolicy(**arguments)


def test_a_budget_grants_its_reserve_and_then_a_share_of_the_calls() -> None:
    budget = RetryBudget(ratio=0.1, reserve=10, refill_per_s=0, clock=Clock())
    granted = 0
    for _ in range(1000):
        budget.pay_in()
        granted += sum(budget.take() for _ in range(3))
    assert 100 <= granted <= 110


def test_a_budget_comes_back_with_time() -> None:
    clock = Clock()
    budget = RetryBudget(ratio=0, reserve=1, refill_per_s=0.1, clock=clock)
    assert [budget.take(), budget.take()] == [True, False]
    clock.now = 9.9
    assert not budget.take()
    clock.now = 10.1
    assert budget.take()


def test_a_circuit_opens_after_failures_in_a_row_only() -> None:
    circuit = Circuit(failures=3, clock=Clock())
    for _ in range(5):
        circuit.failed()
        circuit.failed()
        circuit.succeeded()
    assert circuit.blocked_s() == 0
    for _ in range(3):
        circuit.failed()
    assert circuit.blocked_s() == 1


def test_an_open_circuit_lets_one_probe_through_when_its_time_is_up() -> None:
    clock = Clock()
    circuit = Circuit(failures=1, open_s=5, clock=clock)
    circuit.failed()
    clock.now = 5.0
    assert circuit.blocked_s() == 0
    assert circuit.blocked_s() == 5, "a second caller is kept back while the probe is out"
    circuit.succeeded()
    assert circuit.blocked_s() == 0


def test_each_failed_probe_doubles_the_time_up_to_a_bound() -> None:
    clock = Clock()
    circuit = Circuit(failures=1, open_s=5, longest_open_s=12, clock=clock)
    circuit.failed()
    open_times = []
    for _ in range(3):
        clock.now += circuit.blocked_s()
        assert circuit.blocked_s() == 0
        circuit.failed()
        open_times.append(circuit.blocked_s())
    assert open_times == [10, 12, 12]
