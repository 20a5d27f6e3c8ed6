"""Many calls at the same time, large replies, and calls that are given up while something is under way."""

import time
import tracemalloc
from typing import Any

import anyio
import pytest

from skillproto import AsyncSkillClient, Descriptor, ErrorCode, SkillClient, SkillError
from skillproto.invocation.events import Event
from tests.support import faults
from tests.support.drivers import Invoke, descriptor
from tests.support.faults import FaultServer, Step, by_path, reply

ACCEPTED = reply(202, {"execution_id": "e1", "status": "accepted"})
RUNNING = reply(200, {"status": "running"})
MARGIN_S = 0.5  # a loaded machine wakes a task this late; what would be wrong takes seconds


def echo(request: faults.Request) -> Step:
    return reply(200, {"output": request.json()["inputs"]["text"]}, delay_s=0.02)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_one_client_serves_256_tasks_without_a_mix_up(backend: str) -> None:
    outputs: dict[int, Any] = {}

    async def main(server: FaultServer) -> None:
        async with AsyncSkillClient(caller_id="tests") as client:
            skill = Descriptor.load(descriptor(server.url))

            async def one(number: int) -> None:
                outputs[number] = (await client.invoke(skill, {"text": str(number)}, 20_000)).output

            async with anyio.create_task_group() as group:
                for number in range(256):
                    group.start_soon(one, number)

    with FaultServer(echo) as server:
        anyio.run(main, server, backend=backend)
        assert server.wait_until_closed(5)
    assert outputs == {number: str(number) for number in range(256)}


@pytest.mark.parametrize("step", [faults.gzip_bomb(), faults.endless()], ids=["a gzip bomb", "an endless body"])
def test_a_reply_without_bounds_costs_little_memory(step: Step) -> None:
    limit_bytes = 1 << 20
    client = SkillClient(caller_id="tests", max_reply_bytes=limit_bytes)
    with FaultServer([reply(200, {"output": "hi"}), step]) as server, client:
        skill = Descriptor.load(descriptor(server.url))
        client.invoke(skill, {"text": "warm"})
        tracemalloc.start()
        try:
            with pytest.raises(SkillError) as caught:
                client.invoke(skill, {"text": "x"})
            peak_bytes = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert caught.value.details["reason"] == "too_large"
    assert peak_bytes < 5 * limit_bytes


CANCELLED: dict[str, Any] = {
    "read": [faults.never_answer()],
    "body": [faults.drip()],
    "wait before a retry": [reply(503)],
    "wait before a poll": by_path({"/invoke": ACCEPTED, "/status/e1": RUNNING}),
    "poll": by_path({"/invoke": ACCEPTED, "/status/e1": faults.never_answer()}),
}


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@pytest.mark.parametrize("script", CANCELLED.values(), ids=CANCELLED.keys())
def test_a_cancelled_call_is_prompt_and_has_one_last_event_and_leaves_nothing_open(backend: str, script: Any) -> None:
    events: list[Event] = []

    async def main(url: str) -> float:
        async with AsyncSkillClient(caller_id="tests", on_event=events.append) as client:
            skill = Descriptor.load(descriptor(url))
            with anyio.CancelScope() as scope:
                async with anyio.create_task_group() as group:
                    group.start_soon(client.invoke, skill, {"text": "x"}, 10_000)
                    await anyio.sleep(0.3)
                    began = time.monotonic()
                    scope.cancel()
            return time.monotonic() - began

    with FaultServer(script) as server:
        took_s = anyio.run(main, server.url, backend=backend)
        assert server.wait_until_closed(2), "a connection was left open"
    assert took_s < MARGIN_S
    assert [event.name for event in events if event.is_final] == ["invocation.cancelled"]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_call_that_is_cancelled_while_it_connects_is_prompt(backend: str) -> None:
    async def main(url: str) -> float:
        async with AsyncSkillClient(caller_id="tests") as client:
            began = time.monotonic()
            with anyio.move_on_after(0.2):
                await client.invoke(descriptor(url), {"text": "x"}, 10_000)
            return time.monotonic() - began

    with faults.silent_url() as url:
        assert anyio.run(main, url, backend=backend) < 0.2 + MARGIN_S


def test_a_header_that_drips_ends_at_the_deadline(invoke: Invoke) -> None:
    def drip_header(exchange: faults.Exchange) -> bool:
        exchange.send(b"HTTP/1.1 200 OK\r\n")
        for _ in range(40):
            if not exchange.pause(0.1):
                return False
            exchange.send(b"X-More: 1\r\n")
        return False

    with FaultServer([drip_header]) as server:
        began = time.monotonic()
        with pytest.raises(SkillError) as caught:
            invoke(descriptor(server.url), timeout_ms=500)
        assert time.monotonic() - began < 0.5 + MARGIN_S
    assert caught.value.code is ErrorCode.EXECUTION_TIMEOUT
