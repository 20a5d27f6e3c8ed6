"""One deadline over everything, and a cancelled call that ends at once: both to within 50 ms, in every phase."""

import socket
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import Any, NamedTuple

import anyio
import pytest

from skillproto import AsyncSkillClient, Descriptor, ErrorCode, RetryPolicy, SkillClient, SkillError
from skillproto.invocation.cancel import CancelToken
from skillproto.invocation.events import Event
from tests.support import faults
from tests.support.drivers import DRIVERS, Invoke, descriptor
from tests.support.fault_places import Place, accepting, hanging_look_up, say_nothing, served, served_anew, silent
from tests.support.faults import by_path, reply

WITHIN_S = 0.05
TIMEOUT_S = 0.2
TRIES = 5
"""A shared machine wakes some threads late; what does not keep its time misses it on every try."""

ACCEPTED = reply(202, {"execution_id": "e1", "status": "accepted"})
RUNNING = reply(200, {"status": "running"})
SOON = RetryPolicy(initial_delay_ms=20, jitter=0, max_attempts=1000)


def drip_header(exchange: faults.Exchange) -> bool:
    exchange.send(b"HTTP/1.1 200 OK\r\n")
    while exchange.pause(0.01):
        exchange.send(b"X-More: 1\r\n")
    return False


Opening = Callable[[], AbstractContextManager[Place]]


def _open(opening: Any) -> Opening:
    return lambda: opening(None)


def read_slowly(connection: socket.socket) -> bool:
    def read() -> None:
        with suppress(OSError):
            while connection.recv(32768):
                time.sleep(0.01)

    threading.Thread(target=read, name="fault-server", daemon=True).start()
    return True


UNBOUND = {"retry_budget": False, "circuit_breaker": False}


class Phase(NamedTuple):
    """Where a call is caught.

    Attributes:
        opening: opens the place that keeps it there.
        may_have_run: whether the skill may have run by then; None is by chance.
        inputs: what is sent.
    """

    opening: Opening
    may_have_run: bool | None
    inputs: dict[str, str] = {"text": "hi"}  # noqa: RUF012 - never changed


def execution(status: faults.Step) -> Opening:
    return _open(served_anew(lambda: by_path({"/invoke": ACCEPTED, "/status/e1": status})))


PHASES = {
    "looking up the name": Phase(_open(hanging_look_up), False),
    "connecting": Phase(_open(silent), False),
    "the TLS handshake": Phase(_open(accepting(say_nothing, scheme="https")), False),
    "sending to one who reads slowly": Phase(_open(accepting(read_slowly)), True, {"text": "x" * 6_000_000}),
    "waiting for the reply": Phase(_open(served([faults.never_answer()])), True),
    "a header that drips": Phase(_open(served([drip_header])), True),
    "a body that drips": Phase(_open(served([faults.drip(interval_s=0.01, times=2000)])), True),
    "attempt after attempt": Phase(_open(served([reply(503)])), None),
    "waiting before a poll": Phase(execution(RUNNING), True),
    "a poll": Phase(execution(faults.never_answer()), True),
}
each_phase = pytest.mark.parametrize("phase", PHASES.values(), ids=PHASES.keys())


class Ended(NamedTuple):
    """How late a call ended, and whether it says that the skill may have run."""

    late_s: float
    may_have_run: bool

    def is_as_wanted(self, phase: Phase) -> bool:
        return self.late_s < WITHIN_S and phase.may_have_run in (None, self.may_have_run)


def until_as_wanted(phase: Phase, once: Callable[[Place], Ended]) -> None:
    """Try until it comes out right; a moment at full load must not count, a call that never keeps its time must."""
    with phase.opening() as place:
        ends: list[Ended] = []
        while len(ends) < TRIES and not any(end.is_as_wanted(phase) for end in ends):
            ends.append(once(place))
            assert not (phase.may_have_run is False and ends[-1].may_have_run)
        assert ends[-1].is_as_wanted(phase), ends
        assert place.is_left()


@each_phase
def test_the_deadline_is_kept_to_within_50_ms(phase: Phase, invoke: Invoke) -> None:
    def once(place: Place) -> Ended:
        skill = Descriptor.load(descriptor(place.url))
        options: dict[str, Any] = {"policy": SOON, "verify": place.verify, **UNBOUND}
        began = time.monotonic()
        with pytest.raises(SkillError) as caught:
            invoke(skill, phase.inputs, round(TIMEOUT_S * 1000), **options)
        details = caught.value.details
        assert caught.value.code in (ErrorCode.EXECUTION_TIMEOUT, ErrorCode.ENDPOINT_UNREACHABLE)
        took_s = details.get("elapsed_ms", (time.monotonic() - began) * 1000) / 1000
        return Ended(took_s - TIMEOUT_S, details.get("may_have_run", False))

    until_as_wanted(phase, once)


@each_phase
@pytest.mark.parametrize("driver", DRIVERS)
def test_a_cancelled_call_ends_within_50_ms_and_knows_whether_it_may_have_run(phase: Phase, driver: str) -> None:
    def once(place: Place) -> Ended:
        events: list[Event] = []
        options: dict[str, Any] = {"policy": SOON, "on_event": events.append, "verify": place.verify, **UNBOUND}
        skill = Descriptor.load(descriptor(place.url))
        if driver == "sync":
            late_s = cancel_in_thread(skill, phase.inputs, options)
        else:
            late_s = anyio.run(cancel_in_task, skill, phase.inputs, options, backend=driver)
        assert [event.name for event in events if event.is_final] == ["invocation.cancelled"]
        return Ended(late_s, events[-1].data.get("may_have_run", False))

    until_as_wanted(phase, once)
    assert not [thread for thread in threading.enumerate() if thread.name == "skillproto-send" and alive(thread)]


def alive(thread: threading.Thread) -> bool:
    thread.join(1)
    return thread.is_alive()


def cancel_in_thread(skill: Descriptor, inputs: Any, options: dict[str, Any]) -> float:
    token = CancelToken()
    asked: list[float] = []

    def cancel() -> None:
        asked.append(time.monotonic())
        token.cancel()

    with SkillClient(caller_id="tests", **options) as client:
        threading.Timer(TIMEOUT_S, cancel).start()
        with pytest.raises(SkillError) as caught:
            client.invoke(skill, inputs, 20_000, cancel=token)
        ended = time.monotonic()
    assert caught.value.code is ErrorCode.CANCELLED
    return ended - asked[0]


async def cancel_in_task(skill: Descriptor, inputs: Any, options: dict[str, Any]) -> float:
    async with AsyncSkillClient(caller_id="tests", **options) as client:
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(client.invoke, skill, inputs, 20_000)
                await anyio.sleep(TIMEOUT_S)
                asked = time.monotonic()
                scope.cancel()
        return time.monotonic() - asked


# Names.


def look_ups() -> int:
    return sum(thread.name == "skillproto-look-up" for thread in threading.enumerate())


def test_a_look_up_that_hangs_is_one_thread_however_often_it_is_asked_for(invoke: Invoke) -> None:
    with hanging_look_up(None) as place:  # type: ignore[arg-type]
        for _ in range(4):
            with pytest.raises(SkillError):
                invoke(descriptor(place.url), timeout_ms=60)
        assert look_ups() == 1
    for _ in range(100):
        if not look_ups():
            break
        time.sleep(0.01)
    assert look_ups() == 0


@pytest.mark.parametrize("ends", ["127.0.0.1", "::1"])
def test_a_host_is_reached_by_whichever_of_its_addresses_answers(
    ends: str, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead = "127.0.0.2"  # where nobody listens
    found = [(2, 1, 6, "", (dead, 0)), (2, 1, 6, "", ("127.0.0.1", 0))]
    if ends == "::1":
        found.reverse()
    real = socket.getaddrinfo

    def two(host: Any, port: Any, *args: Any, **options: Any) -> Any:
        if host != "localhost":
            return real(host, port, *args, **options)
        return [(*entry[:4], (entry[4][0], port)) for entry in found]

    with faults.FaultServer([reply(200, {"output": "hi"})]) as server:
        monkeypatch.setattr("socket.getaddrinfo", two)
        url = server.url.replace("127.0.0.1", "localhost")
        assert invoke(descriptor(url)).output == "hi"


def test_a_name_without_any_address_is_told_as_such(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.getaddrinfo", lambda *args, **options: [])
    with pytest.raises(SkillError) as caught:
        invoke(descriptor("https://nothing.invalid/run"), policy=RetryPolicy(max_attempts=1))
    assert caught.value.code is ErrorCode.ENDPOINT_UNREACHABLE


def test_nothing_of_the_time_is_spent_where_nothing_hangs(invoke: Invoke) -> None:
    with faults.FaultServer([reply(200, {"output": "hi"})]) as server:
        url = server.url.replace("127.0.0.1", "localhost")
        assert invoke(descriptor(url)).elapsed_ms < 500
