"""Time that moves only when told to, chance that repeats itself, and waits that are none."""

import threading
import time
from typing import Any

import anyio
import pytest

from skillproto import AsyncSkillClient, RetryPolicy, SkillClient, SkillError, UsageError
from skillproto.invocation.cancel import CancelToken
from skillproto.testing import (
    FakeTime,
    ScriptedTransport,
    Timing,
    no_waits,
    output,
    reply,
    sample_descriptor,
    seeded_jitter,
)
from tests.support.drivers import Invoke

SKILL = sample_descriptor()
FAILING = [reply(503)] * 3


def waits_with(invoke: Invoke, moment: FakeTime) -> list[float]:
    invoke(SKILL, None, 30_000, transport=ScriptedTransport([*FAILING, output("hi")], time=moment), timing=moment)
    return moment.waits


def test_without_a_seed_the_waits_are_the_exact_sequence(invoke: Invoke) -> None:
    assert waits_with(invoke, FakeTime()) == [1, 2, 4]


def test_a_seed_gives_the_same_jitter_again(invoke: Invoke) -> None:
    waits = waits_with(invoke, FakeTime(seed=7))
    assert waits == waits_with(invoke, FakeTime(seed=7))
    assert waits != waits_with(invoke, FakeTime(seed=8))
    assert all(floor < wait <= floor * 1.25 for floor, wait in zip([1, 2, 4], waits, strict=True))


def test_the_clock_moves_by_the_waits_and_by_what_is_told(invoke: Invoke) -> None:
    moment = FakeTime(start_s=50)
    waits_with(invoke, moment)
    moment.advance(3)
    assert moment.now == moment.clock() == 50 + 7 + 3


def test_a_wait_can_cancel_the_call() -> None:
    token = CancelToken()
    moment = FakeTime(on_wait=lambda seconds: token.cancel() if seconds == 2 else None)
    client = SkillClient(caller_id="tests", transport=ScriptedTransport(FAILING, time=moment), timing=moment)
    with pytest.raises(SkillError) as caught:
        client.invoke(SKILL, {"text": "x"}, cancel=token)
    assert (caught.value.code, caught.value.attempts, moment.waits) == ("CANCELLED", 2, [1, 2])
    assert moment.now == 1001


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_wait_can_cancel_the_task(backend: str) -> None:
    async def main() -> None:
        with anyio.CancelScope() as scope:
            moment = FakeTime(on_wait=lambda seconds: scope.cancel())
            events: list[Any] = []
            client = AsyncSkillClient(
                caller_id="tests",
                transport=ScriptedTransport(FAILING, time=moment),
                timing=moment,
                on_event=events.append,
            )
            await client.invoke(SKILL, {"text": "x"})
        assert scope.cancelled_caught
        assert [event.name for event in events][-2:] == ["retry.scheduled", "invocation.cancelled"]

    anyio.run(main, backend=backend)


def test_the_switch_removes_the_waits_of_every_client_and_keeps_the_decisions(invoke: Invoke) -> None:
    began = time.monotonic()
    with no_waits() as waits:
        result = invoke(SKILL, None, 30_000, transport=ScriptedTransport([*FAILING, output("hi")]))
    assert (result.attempts, len(waits)) == (4, 3)
    assert all(floor <= wait <= floor * 1.25 for floor, wait in zip([1, 2, 4], waits, strict=True))
    assert time.monotonic() - began < 1


def test_the_switch_works_on_a_client_that_is_there_already_and_ends_with_its_block() -> None:
    transport, policy = ScriptedTransport([reply(503), output("hi")] * 2), RetryPolicy(initial_delay_ms=100)
    with SkillClient(caller_id="tests", transport=transport, policy=policy) as client:
        with no_waits():
            client.invoke(SKILL, {"text": "x"})
        began = time.monotonic()
        client.invoke(SKILL, {"text": "x"})
        assert time.monotonic() - began >= 0.1


def test_the_switch_leaves_a_wait_that_does_not_fit_an_end_of_the_call(invoke: Invoke) -> None:
    with no_waits() as waits, pytest.raises(SkillError) as caught:
        invoke(SKILL, None, 900, transport=ScriptedTransport(FAILING))
    assert (caught.value.attempts, waits) == (1, [])
    assert caught.value.details["gave_up"] == "the next wait does not fit before the deadline"


def test_under_the_switch_a_cancelled_token_still_ends_a_wait() -> None:
    token = CancelToken()
    with no_waits(), SkillClient(caller_id="tests", transport=ScriptedTransport(FAILING)) as client:
        threading.Timer(0, token.cancel).run()
        with pytest.raises(SkillError) as caught:
            client.invoke(SKILL, {"text": "x"}, cancel=token)
    assert caught.value.code == "CANCELLED"


def test_real_time_can_have_a_seeded_jitter() -> None:
    assert isinstance(seeded_jitter(3), Timing)
    assert [seeded_jitter(3).random() for _ in range(2)] == [seeded_jitter(3).random()] * 2
    assert seeded_jitter(3).clock is time.monotonic


def test_a_timing_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="timing must be a Timing, not a float"):
        SkillClient(caller_id="tests", timing=1.5)  # type: ignore[arg-type]
