"""What one call in flight keeps in memory, in KiB: run in a fresh process, print one number.

python -m benchmarks._memory wire|wait BASE COUNT
"""

import asyncio
import gc
import json
import sys
from pathlib import Path
from urllib.request import urlopen

from benchmarks._peers import INPUTS
from benchmarks.invoke import client_of, skill_at
from skillproto import AsyncSkillClient, Event

_AT_A_TIME = 64


def resident_kib() -> float:
    """The resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1024


async def _ask(base: str, path: str) -> dict[str, int]:
    def read() -> dict[str, int]:
        with urlopen(f"{base}/{path}") as reply:
            answer: dict[str, int] = json.load(reply)
            return answer

    return await asyncio.to_thread(read)


async def on_the_wire(base: str, count: int) -> float:
    """Every call has been sent, and none is answered yet."""
    async with client_of(AsyncSkillClient, None) as client:
        await client.invoke(skill_at(base, "now"), INPUTS)
        skill = skill_at(base, "hold")
        gc.collect()
        before = resident_kib()
        calls: list[asyncio.Task[object]] = []
        for _ in range(count):
            calls.append(asyncio.create_task(client.invoke(skill, INPUTS)))
            if len(calls) % _AT_A_TIME == 0:
                await _until_held(base, len(calls))
        await _until_held(base, count)
        after = resident_kib()
        await _ask(base, "release")
        await asyncio.gather(*calls)
    return (after - before) / count


async def _until_held(base: str, count: int) -> None:
    while (await _ask(base, "held"))["held"] < count:
        await asyncio.sleep(0.005)


async def waiting(base: str, count: int) -> float:
    """Every execution was accepted, and waits for its next look."""
    places = asyncio.Semaphore(_AT_A_TIME)
    accepted = 0

    def on_event(event: Event) -> None:
        nonlocal accepted
        if event.name == "execution.accepted":
            accepted += 1
            places.release()

    async with client_of(AsyncSkillClient, None, on_event=on_event) as client:
        await client.invoke(skill_at(base, "now"), INPUTS)
        skill = skill_at(base, f"jobs/hint/{300_000}")
        first = asyncio.create_task(client.invoke(skill, INPUTS))
        while not accepted:
            await asyncio.sleep(0.01)
        gc.collect()
        before = resident_kib()
        calls = [first]
        for _ in range(count):
            await places.acquire()
            calls.append(asyncio.create_task(client.invoke(skill, INPUTS)))
        while accepted <= count:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        after = resident_kib()
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
    return (after - before) / count


if __name__ == "__main__":
    mode, where, many = sys.argv[1:]
    print(asyncio.run((on_the_wire if mode == "wire" else waiting)(where, int(many))))
