"""Every fault of the table, with every driver: the right end, in time, told once, and nothing left behind."""

import gc
import threading
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import anyio
import pytest

from skillproto import AsyncSkillClient, Result, RetryPolicy, SkillClient, SkillError
from skillproto.invocation.events import Event
from tests.support.drivers import DRIVERS, descriptor
from tests.support.fault_places import Place, running_proxy
from tests.support.fault_table import ATTEMPTS, FAULTS, Fault
from tests.support.nginx import Nginx

POLICY = RetryPolicy(initial_delay_ms=10, jitter=0, max_attempts=ATTEMPTS, max_poll_faults=3)
MARGIN_S = 0.4  # a loaded machine; what does not keep a deadline misses it by far more
OF_OTHERS = ("fault-server", "Trio thread", "skillproto-look-up")
"""The other side's, those that trio keeps for the next use, and the one look-up that nobody can interrupt."""
INPUTS = {"text": "hi"}


@pytest.fixture(scope="module")
def proxy() -> Iterator[Nginx]:
    with running_proxy() as nginx:
        yield nginx


@pytest.fixture(scope="module", autouse=True)
def _nothing_to_collect() -> Iterator[None]:
    """Have what was forgotten in a cycle complain here, where it makes a test fail."""
    yield
    gc.collect()


class Ran(NamedTuple):
    """How a call ended, and the tasks that it left."""

    outcome: Result | SkillError
    took_s: float
    tasks_left: int = 0


def call(skill: dict[str, Any], timeout_ms: int, options: dict[str, Any]) -> Ran:
    with SkillClient(**options) as client:
        began = time.monotonic()
        try:
            outcome: Result | SkillError = client.invoke(skill, INPUTS, timeout_ms)
        except SkillError as error:
            outcome = error
        return Ran(outcome, time.monotonic() - began)


async def call_async(skill: dict[str, Any], timeout_ms: int, options: dict[str, Any]) -> Ran:
    tasks = len(anyio.get_running_tasks())
    async with AsyncSkillClient(**options) as client:
        began = time.monotonic()
        try:
            outcome: Result | SkillError = await client.invoke(skill, INPUTS, timeout_ms)
        except SkillError as error:
            outcome = error
        return Ran(outcome, time.monotonic() - began, len(anyio.get_running_tasks()) - tasks)


def run(driver: str, place: Place, timeout_ms: int, events: list[Event]) -> Ran:
    options = {
        "caller_id": "tests",
        "policy": POLICY,
        "on_event": events.append,
        "verify": place.verify,
        "max_reply_bytes": 1 << 20,
    }
    if driver == "sync":
        return call(descriptor(place.url), timeout_ms, options)
    return anyio.run(call_async, descriptor(place.url), timeout_ms, options, backend=driver)


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("fault", [pytest.param(fault, id=f"{fault.group}: {fault.name}") for fault in FAULTS])
def test_every_fault_ends_as_the_table_says(fault: Fault, driver: str, request: pytest.FixtureRequest) -> None:
    events: list[Event] = []
    with fault.opening(lambda: request.getfixturevalue("proxy")) as place:
        threads = set(threading.enumerate())
        outcome, took_s, tasks_left = run(driver, place, fault.timeout_ms, events)
        assert _end(outcome) == (fault.code, fault.reason)
        assert outcome.attempts == fault.attempts
        assert fault.may_have_run in (None, _may_have_run(outcome))
        assert fault.least_s <= took_s < fault.timeout_ms / 1000 + MARGIN_S
        assert [event.is_final for event in events] == [False] * (len(events) - 1) + [True]
        if fault.requests is not None:
            assert place.requests(fault.requests) in (fault.requests, None)
        assert place.is_left(), "a connection was left open"
        new = [thread.name for thread in threading.enumerate() if thread not in threads]
        assert [name for name in new if not name.startswith(OF_OTHERS)] == []
        assert tasks_left == 0


def _end(outcome: Result | SkillError) -> tuple[Any, Any]:
    return (None, None) if isinstance(outcome, Result) else (outcome.code, outcome.details.get("reason"))


def _may_have_run(outcome: Result | SkillError) -> bool:
    return not isinstance(outcome, Result) and outcome.details.get("may_have_run", False)


def test_the_table_has_no_fault_twice_and_many_of_them() -> None:
    names = [(fault.group, fault.name) for fault in FAULTS]
    assert len(set(names)) == len(names) >= 40
