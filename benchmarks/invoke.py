"""What a call of the client costs, beside the peers of the field, on one loopback server.

    python -m benchmarks.invoke [--rows one,flight,memory,polls,imports] [--smoke]

Peers come with `pip install 'skillproto[bench]'`. A peer that is not there is told as such.
"""

import argparse
import asyncio
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import _peers
from benchmarks._measure import (
    Call,
    Row,
    Times,
    beside,
    command,
    interleaved,
    interleaved_async,
    missing_rows,
    print_table,
    ratio_row,
    shown,
)
from benchmarks._polls import seen
from benchmarks._server import serving
from skillproto import AsyncSkillClient, SkillClient
from skillproto.descriptor import Descriptor

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "translate.json"
FAMILIES = ("httpx", "httpx2")


class Size(NamedTuple):
    """How much is measured: the real thing, or just enough to see that it runs."""

    rounds: int
    repeat: int
    per_flight: int
    executions: int
    flights: tuple[int, int]


FULL = Size(rounds=25, repeat=60, per_flight=4, executions=10_000, flights=(32, 256))
SMOKE = Size(rounds=1, repeat=2, per_flight=1, executions=10, flights=(2, 4))


def skill_at(base: str, path: str) -> Descriptor:
    """The realistic descriptor, with its endpoint on our server."""
    described: dict[str, Any] = json.loads(EXAMPLE.read_bytes())
    endpoint = described["endpoint"]
    endpoint["url"] = f"{base}/{path}"
    endpoint["status_url"] = f"{base}/{path}/{{execution_id}}"
    endpoint["timeout_ms"] = 600_000
    del endpoint["result_url"]
    return Descriptor.load(described)


def client_of(kind: Any, family: str | None, **options: Any) -> Any:
    """A client of ours on one of the two HTTP libraries; raises where it is not installed."""
    if family is not None:
        os.environ["SKILLPROTO_HTTP"] = family
    try:
        return kind(caller_id="bench", credentials="key", **options)
    finally:
        os.environ.pop("SKILLPROTO_HTTP", None)


def _families() -> list[str]:
    return [family for family in FAMILIES if _peers.imported(family)]


def one(size: Size, base: str) -> list[Row]:
    """A one-step call with its checks, over a plain post."""
    return [*_one_blocking(size, base), *asyncio.run(_one_async(size, base))]


def _one_blocking(size: Size, base: str) -> list[Row]:
    skill = skill_at(base, "now")
    peers, missing = _peers.blocking(base)
    calls: dict[str, Call] = {}
    for family in _families():
        client = client_of(SkillClient, family)
        calls[f"ours on {family}"] = _calling(client, skill)
    interleaved(calls | peers, rounds=1, repeat=size.repeat)  # connections are made, caches filled
    times = interleaved(calls | peers, rounds=size.rounds, repeat=size.repeat)
    return [*_one_rows("sync", times, 0.95), *missing_rows(missing)]


def _calling(client: Any, skill: Descriptor) -> Any:
    return lambda: client.invoke(skill, _peers.INPUTS)


async def _one_async(size: Size, base: str) -> list[Row]:
    skill = skill_at(base, "now")
    peers, missing = _peers.asynchronous(base)
    calls = {f"ours on {family}": _calling(client_of(AsyncSkillClient, family), skill) for family in _families()}
    await interleaved_async(calls | peers, rounds=1, repeat=size.repeat)
    times = await interleaved_async(calls | peers, rounds=size.rounds, repeat=size.repeat)
    await _closed(peers)
    return [*_one_rows("async", times, 0.97), *missing_rows(missing)]


async def _closed(calls: dict[str, Any]) -> None:
    for call in calls.values():
        if hasattr(call, "close"):
            await call.close()


def _one_rows(kind: str, times: dict[str, Times], limit: float) -> list[Row]:
    ours = times["ours on httpx"]
    rows = [ratio_row(f"{kind}, over httpx.post(json=)", ours, times["httpx.post"], limit=limit)]
    newer = times.get("ours on httpx2")
    if newer is not None:
        rows.append(
            ratio_row(f"{kind} on httpx2, over httpware's stack", newer, times.get("httpware, whole stack"), limit=1)
        )
    named = {name if name == "ours on httpx" else f"{kind}, {name}": each for name, each in times.items()}
    shown_ours = Row(f"- {kind}, ours on httpx", "", f"{shown(ours.median)} ({ours.spread})", None)
    return [*rows, shown_ours, *beside(named, base="ours on httpx")]


# Many at a time.


def flight(size: Size, base: str) -> list[Row]:
    """Many in flight, a server that takes 50 ms: calls a second."""
    return [row for in_flight in size.flights for row in asyncio.run(_flight(size, base, in_flight))]


async def _flight(size: Size, base: str, in_flight: int) -> list[Row]:
    total = in_flight * size.per_flight
    calls, clients = _flying(base)
    for call in calls.values():
        await _peers.together(call, in_flight, in_flight)
    each = {name: _batch(call, total, in_flight) for name, call in calls.items()}
    times = await interleaved_async(each, rounds=max(1, size.rounds // 8))
    for client in clients:
        await client.aclose()
    return _flight_rows(times, total, in_flight, at_least=1 if in_flight == size.flights[0] else 8)


def _batch(call: _peers.AsyncCall, total: int, in_flight: int) -> _peers.AsyncCall:
    return lambda: _peers.together(call, total, in_flight)


def _flying(base: str) -> tuple[dict[str, _peers.AsyncCall], list[Any]]:
    skill = skill_at(base, "after/50")
    calls, clients = {}, []
    for family in _families():
        module = _peers.imported(family)
        assert module is not None
        ours = client_of(AsyncSkillClient, family)
        limits = module.Limits(max_connections=None, max_keepalive_connections=None)
        plain = module.AsyncClient(limits=limits, timeout=60)
        calls[f"ours on {family}"] = _calling(ours, skill)
        calls[f"{family}, one pool"] = _peers._apost(plain, f"{base}/after/50")
        clients += [ours, plain]
    return calls, clients


def _flight_rows(times: dict[str, Times], total: int, in_flight: int, *, at_least: int) -> list[Row]:
    rates = {name: total / each.median for name, each in times.items()}
    ours, plain = rates["ours on httpx"], rates["httpx, one pool"]
    words = "no worse" if at_least == 1 else f"{at_least} times"
    gain = ours / plain
    rows = [Row(f"{in_flight} in flight, over httpx", words, f"{gain:.2f} times", gain >= at_least * 0.98)]
    newer = rates.get("httpx2, one pool")
    if newer is not None:
        best = max(ours, rates["ours on httpx2"])
        rows.append(Row(f"{in_flight} in flight, over httpx2", "above 1", f"{best / newer:.2f} times", best > newer))
    return rows + [
        Row(f"- {in_flight}, {name}", "", f"{rate:,.0f} a second ({times[name].spread} for {total})", None)
        for name, rate in rates.items()
    ]


# Memory.


def memory(size: Size, base: str) -> list[Row]:
    """Resident memory of many executions in flight."""
    rows = []
    for what, mode, limit in (("call on the wire", "wire", 26), ("execution that waits", "wait", 4)):
        for family in _families():
            arguments = [sys.executable, "-m", "benchmarks._memory", mode, base, str(size.executions)]
            ran = subprocess.run(
                arguments, env=os.environ | {"SKILLPROTO_HTTP": family}, capture_output=True, text=True, check=True
            )
            each = float(ran.stdout)
            label = f"memory for each {what} of {size.executions:,}, {family}"
            rows.append(Row(label, f"at most {limit} KiB", f"{each:.1f} KiB", each <= limit))
    return rows


# Polling.


def polls(size: Size, base: str) -> list[Row]:
    """Looks that it takes to see a result, by the time that the result takes (simulated clock, no hints)."""
    rows = []
    for takes_s in (0.05, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 600):
        counted, late_s = seen(takes_s)
        allowed = 6 + 2 * math.log2(max(takes_s, 1))
        bound_s = max(takes_s * 0.15, 0.25)
        target = f"at most {allowed:.0f} looks, {shown(bound_s)} late"
        measured = f"{counted:.1f} looks on average, {shown(late_s)} late on average"
        rows.append(
            Row(f"a result that takes {takes_s:g} s", target, measured, counted <= allowed and late_s <= bound_s)
        )
    return rows


# Imports.


def imports(size: Size, base: str) -> list[Row]:
    """Whole processes that only import."""
    texts = {
        "import skillproto": "import skillproto",
        "import json": "import json",
        "the client": "from skillproto import SkillClient",
        "import httpx": "import httpx",
        "a client made": "from skillproto import SkillClient; SkillClient(caller_id='x')",
        "httpx.Client() made": "import httpx; httpx.Client()",
    }
    os.environ["SKILLPROTO_HTTP"] = "httpx"
    calls = {name: command([sys.executable, "-c", text]) for name, text in texts.items()}
    times = interleaved(calls, rounds=max(1, size.rounds))
    del os.environ["SKILLPROTO_HTTP"]
    more_s = times["the client"].median - times["import httpx"].median
    return [
        ratio_row("import skillproto, over import json", times["import skillproto"], times["import json"], limit=1.3),
        Row("the client, more than httpx", "at most 10 ms", f"{more_s * 1e3:.1f} ms", more_s <= 0.01),
        *(Row(f"- {name}", "", f"{shown(each.median)} ({each.spread})", None) for name, each in times.items()),
    ]


ROWS: dict[str, Callable[[Size, str], list[Row]]] = {
    "one": one,
    "flight": flight,
    "memory": memory,
    "polls": polls,
    "imports": imports,
}


def main() -> None:
    """Measure what is asked for and print one table for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default=",".join(ROWS), help="which tables, separated by commas")
    parser.add_argument("--smoke", action="store_true", help="only see that everything runs")
    arguments = parser.parse_args()
    with serving() as base:
        for name in arguments.rows.split(","):
            table = ROWS[name](SMOKE if arguments.smoke else FULL, base)
            print_table((ROWS[name].__doc__ or name).partition("\n")[0], table)


if __name__ == "__main__":
    main()
