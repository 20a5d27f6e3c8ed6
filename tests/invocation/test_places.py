"""A limit of the requests to an origin that are under way: who waits, for how long, and what that costs."""

import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import pytest

from skillproto import AsyncSkillClient, ErrorCode, RetryPolicy, SkillClient, SkillError, UsageError
from skillproto.invocation.cancel import CancelToken
from skillproto.invocation.events import Event
from skillproto.invocation.places import Places
from skillproto.invocation.prepared import Shared
from skillproto.invocation.retry import Circuit
from skillproto.invocation.wire import Lost, Stopped, Woke
from tests.support import faults
from tests.support.drivers import DRIVERS, descriptor
from tests.support.faults import FaultServer, reply
from tests.support.simulation import finished, run

MARGIN_S = 0.5  # a loaded machine wakes a thread this late; what would be wrong takes seconds
HOLDING, WAITING = {"text": "holding"}, {"text": "waiting"}


def many_sync(options: dict[str, Any], calls: list[Callable[[Any], Any]]) -> list[Any]:
    """Run calls in threads on one client, the first of them first; give what each gave or raised."""
    outcomes: list[Any] = [None] * len(calls)

    def one(number: int, client: SkillClient) -> None:
        try:
            outcomes[number] = calls[number](client)
        except SkillError as error:
            outcomes[number] = error

    with SkillClient(caller_id="tests", **options) as client:
        threads = [threading.Thread(target=one, args=(number, client)) for number in range(len(calls))]
        for thread in threads:
            thread.start()
            time.sleep(0.02)
        for thread in threads:
            thread.join(20)
    return outcomes


def many_async(backend: str, options: dict[str, Any], calls: list[Callable[[Any], Awaitable[Any]]]) -> list[Any]:
    """The same in tasks."""
    outcomes: list[Any] = [None] * len(calls)

    async def one(number: int, client: AsyncSkillClient) -> None:
        try:
            outcomes[number] = await calls[number](client)
        except SkillError as error:
            outcomes[number] = error

    async def main() -> None:
        async with AsyncSkillClient(caller_id="tests", **options) as client, anyio.create_task_group() as group:
            for number in range(len(calls)):
                group.start_soon(one, number, client)
                await anyio.sleep(0.02)

    anyio.run(main, backend=backend)
    return outcomes


def many(driver: str, options: dict[str, Any], calls: list[Any]) -> list[Any]:
    return many_sync(options, calls) if driver == "sync" else many_async(driver, options, calls)


def calling(url: str, inputs: Any = WAITING, timeout_ms: int = 10_000) -> Callable[[Any], Any]:
    skill = descriptor(url)
    return lambda client: client.invoke(skill, inputs, timeout_ms)


@contextmanager
def held_server() -> Iterator[tuple[FaultServer, threading.Event]]:
    """A server that answers the call with the inputs HOLDING only once it is told to."""
    release = threading.Event()
    good = reply(200, {"output": "hi"})
    holding = faults.hold(release, good)
    with FaultServer(lambda request: holding if b"holding" in request.body else good) as server:
        yield server, release


@pytest.mark.parametrize("driver", DRIVERS)
def test_no_more_requests_are_under_way_than_allowed_and_all_come_through(driver: str) -> None:
    with FaultServer([reply(200, {"output": "hi"}, delay_s=0.05)]) as server:
        outcomes = many(driver, {"max_concurrency": 3}, [calling(server.url)] * 12)
        assert server.most_open == 3
    assert [outcome.output for outcome in outcomes] == ["hi"] * 12


@pytest.mark.parametrize("driver", DRIVERS)
def test_waiting_in_line_counts_against_the_deadline_and_opens_no_connection(driver: str) -> None:
    events: list[Event] = []
    with held_server() as (server, release):
        began = time.monotonic()
        threading.Timer(0.6, release.set).start()
        calls = [calling(server.url, HOLDING), calling(server.url, timeout_ms=250), calling(server.url)]
        outcomes = many(driver, {"max_concurrency": 1, "on_event": events.append}, calls)
        assert (server.most_open, len(server.requests)) == (1, 2)
    late = outcomes[1]
    assert (late.code, late.attempts) == (ErrorCode.EXECUTION_TIMEOUT, 0)
    assert late.details["reason"] == "deadline"
    assert late.details["queued"] is True
    assert "may_have_run" not in late.details
    assert 250 <= late.details["elapsed_ms"] < 250 + MARGIN_S * 1000
    assert [outcomes[0].output, outcomes[2].output] == ["hi", "hi"], "the place was not handed on"
    assert time.monotonic() - began < 0.6 + MARGIN_S
    finals = [event.name for event in events if event.is_final]
    assert sorted(finals) == ["invocation.completed", "invocation.completed", "invocation.failed"]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_task_that_is_cancelled_in_line_ends_at_once_and_the_line_goes_on(backend: str) -> None:
    events: list[Event] = []

    async def main(server: FaultServer, release: threading.Event) -> None:
        options: dict[str, Any] = {"max_concurrency": 1, "on_event": events.append}
        async with AsyncSkillClient(caller_id="tests", **options) as client, anyio.create_task_group() as group:
            group.start_soon(calling(server.url, HOLDING), client)
            await anyio.sleep(0.1)
            began = time.monotonic()
            with anyio.move_on_after(0.1):
                await calling(server.url)(client)
            assert time.monotonic() - began < 0.1 + MARGIN_S
            release.set()
            assert (await calling(server.url)(client)).output == "hi"

    with held_server() as (server, release):
        anyio.run(main, server, release, backend=backend)
        assert len(server.requests) == 2
    finals = [(event.name, event.data.get("may_have_run")) for event in events if event.is_final]
    assert finals.count(("invocation.cancelled", None)) == 1
    assert len(finals) == 3


def test_a_thread_that_is_cancelled_in_line_ends_at_once_and_the_line_goes_on() -> None:
    token = CancelToken()
    with held_server() as (server, release):
        skill = descriptor(server.url)
        threading.Timer(0.2, token.cancel).start()
        threading.Timer(0.8, release.set).start()
        ended: list[float] = []

        def cancelled(client: SkillClient) -> None:
            try:
                client.invoke(skill, WAITING, cancel=token)
            finally:
                ended.append(time.monotonic())

        began = time.monotonic()
        outcomes = many_sync({"max_concurrency": 1}, [calling(server.url, HOLDING), cancelled, calling(server.url)])
    assert outcomes[1].code is ErrorCode.CANCELLED
    assert ended[0] - began < 0.2 + MARGIN_S
    assert [outcomes[0].output, outcomes[2].output] == ["hi", "hi"]


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_call_that_waits_for_its_next_attempt_leaves_its_place_to_others(driver: str) -> None:
    answers = {b"busy": reply(503, None, {"Retry-After": "1"}), b"hi": reply(200, {"output": "hi"})}
    with FaultServer(lambda request: answers[b"busy" if b"busy" in request.body else b"hi"]) as server:
        policy = RetryPolicy(initial_delay_ms=1, max_attempts=2)
        calls = [calling(server.url, {"text": "busy"}), calling(server.url)]
        outcomes = many(driver, {"max_concurrency": 1, "policy": policy}, calls)
        order = [b"busy" in request.body for request in server.requests]
    assert order == [True, False, True]
    assert (outcomes[0].code, outcomes[1].output) == (ErrorCode.ENDPOINT_UNREACHABLE, "hi")


def test_each_origin_has_places_of_its_own() -> None:
    with held_server() as (first, release), held_server() as (second, _):

        def elsewhere(client: SkillClient) -> Any:
            outcome = calling(second.url)(client)
            release.set()
            return outcome

        held, free = many_sync({"max_concurrency": 1}, [calling(first.url, HOLDING), elsewhere])
    assert (held.output, free.output) == ("hi", "hi")


def test_an_open_circuit_is_told_without_standing_in_line() -> None:
    circuit, places = Circuit(failures=1, clock=lambda: 1000.0), Places(1)
    circuit.failed()
    assert places.take()
    error = run([finished()], shared=Shared(circuit=circuit, places=places)).failed
    assert (error.details["reason"], error.attempts) == ("circuit_open", 0)


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, "8"])
def test_a_limit_that_can_never_work_is_refused(limit: Any) -> None:
    with pytest.raises(UsageError, match="max_concurrency"):
        SkillClient(caller_id="tests", max_concurrency=limit)


# The line itself.


def test_places_go_to_the_first_in_line() -> None:
    places = Places(1)
    assert places.take()
    order: list[int] = []

    def wait(number: int) -> None:
        assert places.wait(5, None) == Woke()
        order.append(number)
        places.give_back()

    threads = [threading.Thread(target=wait, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
        time.sleep(0.01)
    places.give_back()
    for thread in threads:
        thread.join(5)
    assert order == list(range(8))
    assert places.take()


def test_nobody_passes_those_who_stand_in_line() -> None:
    places = Places(1)
    assert places.take()
    thread = threading.Thread(target=places.wait, args=(5, None))
    thread.start()
    while not places._line:
        time.sleep(0.001)
    places.give_back()
    assert not places.take()
    thread.join(5)


def test_who_leaves_the_line_takes_no_place_along() -> None:
    places = Places(1)
    assert places.take()
    assert places.wait(0.01, None) == Lost("timeout", sent=False)
    token = CancelToken()
    token.cancel()
    assert places.wait(5, token) == Stopped()
    places.give_back()
    assert places.take()


def test_a_place_that_comes_with_the_cancelling_goes_to_the_next() -> None:
    token = CancelToken()
    places = Places(1)
    assert places.take()
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(places.wait(5, token)))
    thread.start()
    while not places._line:
        time.sleep(0.001)
    with token.calling(places.give_back):  # after the waiting thread's own callback, as a rule; both orders must do
        token.cancel()
    thread.join(5)
    assert answers == [Stopped()]
    assert places.take()
    assert not places.take()
