"""Full load for a while, with one request in five going wrong: nothing grows, and every call is accounted for.

Takes 20 s; `pytest tests/invocation/test_soak.py --soak-seconds 300` takes five minutes.
"""

import asyncio
import gc
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import anyio
import pytest
import trio.lowlevel

from skillproto import AsyncSkillClient, Descriptor, RetryPolicy, SkillClient
from skillproto.invocation.events import Event
from skillproto.invocation.many import Call, CallOutcome
from tests.support.drivers import DRIVERS, descriptor
from tests.support.lean_server import lean_server

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(sys.platform != "linux", reason="memory and sockets are counted under /proc"),
]

ROUNDS = 6
WARM_UP = 3
AT_A_TIME = 48
POLICY = RetryPolicy(initial_delay_ms=5, max_attempts=4, attempt_timeout_ms=250)
SHORT_MS = 15
MOST_BYTES = 4 << 20
MOST_OBJECTS = 1500
OBJECTS_OF_A_CONNECTION = 100
EXPECTED = {"ENDPOINT_UNREACHABLE", "EXECUTION_TIMEOUT", "UNKNOWN"}


class Sample(NamedTuple):
    """What the process holds while nothing is under way."""

    objects: int
    bytes: int
    descriptors: int
    threads: int
    tasks: int


class Load:
    """Gives calls until a round is over, and keeps account of them."""

    def __init__(self, skill: Descriptor) -> None:
        self._skill = skill
        self.given = 0
        self.short = 0
        self.attempts = 0
        self.ended: Counter[str] = Counter()
        self.final_events: Counter[str] = Counter()
        self._lock = threading.Lock()

    def hear(self, event: Event) -> None:
        if event.is_final:
            with self._lock:
                self.final_events[event.name] += 1

    def calls(self, seconds: float) -> Iterator[Call]:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.given += 1
            is_short = self.given % 20 == 0
            self.short += is_short
            yield Call(self._skill, {"text": f"t{self.given}"}, SHORT_MS if is_short else 20_000)

    def take(self, outcome: CallOutcome) -> None:
        if outcome.result is not None:
            assert outcome.call.inputs is not None
            assert outcome.result.output == outcome.call.inputs["text"], "a call got the answer of another"
            self.attempts += outcome.result.attempts
            self.ended["invocation.completed"] += 1
        else:
            assert outcome.error is not None
            assert outcome.error.code in EXPECTED, outcome.error
            self.attempts += outcome.error.attempts
            self.ended["invocation.failed"] += 1


def sample(tasks: int) -> Sample:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    return Sample(len(gc.get_objects()), pages * 4096, descriptors, threading.active_count(), tasks)


def in_threads(load: Load, seconds: float) -> list[Sample]:
    samples = []
    with SkillClient(caller_id="soak", policy=POLICY, on_event=load.hear, retry_budget=False) as client:
        for _ in range(ROUNDS):
            for outcome in client.invoke_many(load.calls(seconds / ROUNDS), concurrency=AT_A_TIME):
                load.take(outcome)
            samples.append(sample(0))
    return samples


def in_tasks(load: Load, seconds: float, backend: str) -> list[Sample]:
    async def main() -> list[Sample]:
        samples = []
        async with AsyncSkillClient(caller_id="soak", policy=POLICY, on_event=load.hear, retry_budget=False) as client:
            for _ in range(ROUNDS):
                async with client.invoke_many(load.calls(seconds / ROUNDS), concurrency=AT_A_TIME) as outcomes:
                    async for outcome in outcomes:
                        load.take(outcome)
                await anyio.sleep(0.05)
                samples.append(sample(_tasks(backend)))
        return samples

    return anyio.run(main, backend=backend)


def _tasks(backend: str) -> int:
    return len(asyncio.all_tasks()) if backend == "asyncio" else trio.lowlevel.current_statistics().tasks_living


@pytest.fixture
def seconds(request: pytest.FixtureRequest) -> float:
    return float(request.config.getoption("--soak-seconds")) / len(DRIVERS)


@pytest.mark.parametrize("driver", DRIVERS)
def test_nothing_grows_and_every_call_is_accounted_for(driver: str, seconds: float) -> None:
    before = sample(0)
    with lean_server() as server:
        load = Load(Descriptor.load(descriptor(server.url)))
        samples = in_threads(load, seconds) if driver == "sync" else in_tasks(load, seconds, driver)
    _require_no_growth(before, samples)
    _require_every_call(load, server.stats)


def _require_no_growth(before: Sample, samples: list[Sample]) -> None:
    warm, last = samples[WARM_UP - 1], samples[-1]
    told = "\n".join(str(each) for each in samples)
    further_connections = max(0, last.descriptors - warm.descriptors)
    assert last.objects - warm.objects < MOST_OBJECTS + OBJECTS_OF_A_CONNECTION * further_connections, told
    assert last.bytes - warm.bytes < MOST_BYTES, told
    assert all(each.descriptors - before.descriptors < 2 * AT_A_TIME for each in samples), told
    assert all(each.threads <= before.threads for each in samples), told  # fewer: an earlier test's has ended since
    assert len({each.tasks for each in samples}) == 1, told
    after = sample(0)
    assert after.descriptors <= before.descriptors
    assert after.threads <= before.threads


def _require_every_call(load: Load, stats: dict[str, int]) -> None:
    assert load.ended.total() == load.given
    assert load.final_events == load.ended
    assert load.ended["invocation.completed"] > 0.9 * (load.given - load.short)
    faults = sum(count for name, count in stats.items() if " " in name)
    assert 0.17 < faults / (stats["POST"] + stats["GET"]) < 0.23
    resent = stats["POST reset"] + stats["POST close"]  # on a kept connection: sent once more, and not counted
    assert stats["POST"] - resent <= load.attempts <= stats["POST"] + load.short
