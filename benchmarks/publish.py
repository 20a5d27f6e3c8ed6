"""How fast a registry checks what is to be published, and what its knowledge takes.

    python -m benchmarks.publish [--rows check,state,diff] [--versions 1000000] [--rounds 7] [--smoke]

The state is a million published versions; a fresh process builds it, so that its memory is its own.
"""

import argparse
import copy
import gc
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks._measure import Call, Row, Times, beside, interleaved, print_table, ratio, shown
from skillproto.publishing import Published, RegistryState, publish_check

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "translate.json"
PER_SKILL = 5
MOST_BYTES_A_VERSION = 150
RATE = 5_000
KINDS = {
    "new": "{} new skills against {:,} published versions",
    "same": "the same, versions whose contract stayed",
    "grown": "the same, versions with a new optional input",
    "widened": "the same, versions whose schema was widened, compared in full",
}


class Size(NamedTuple):
    """How much is measured: the real thing, or just enough to see that it runs."""

    rounds: int
    versions: int
    descriptors: int
    diffs: int


FULL = Size(rounds=7, versions=1_000_000, descriptors=10_000, diffs=50)
SMOKE = Size(rounds=1, versions=2_000, descriptors=50, diffs=2)


def published(count: int) -> Iterator[Published]:
    """Give that many versions, five for each skill, of many publishers, in no order."""
    skills = max(1, count // PER_SKILL)
    for n in range(count):
        skill = (n * 7919) % skills
        version = f"1.{n // skills}.{skill % 10}"
        yield Published(
            f"com.example{skill // 6}.skill-{skill}", version, "published", f"Publisher {skill // 6}", address(skill)
        )


def address(skill: int) -> str:
    """Give the address of a skill's endpoint."""
    return f"https://api.example{skill // 6}.com/skills/{skill}"


def known(count: int) -> RegistryState:
    """Give what a registry of so many versions knows."""
    namespaces = (f"com.example{n}" for n in range(count // PER_SKILL // 6 + 1))
    return RegistryState(published(count), namespaces=namespaces)


def descriptors(size: Size, kind: str) -> list[tuple[dict[str, Any], dict[str, Any] | None]]:
    """Give descriptors to check, each with the one before it."""
    example = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    skills = max(1, size.versions // PER_SKILL)
    pairs: list[tuple[dict[str, Any], dict[str, Any] | None]] = []
    for n in range(size.descriptors):
        skill = (n * 104729) % skills
        new = copy.deepcopy(example)
        new["endpoint"] |= _endpoint(skill if kind != "new" else skills + n)
        new["id"] = f"com.example{skill // 6}.{'skill-' if kind != 'new' else 'fresh-'}{skill}"
        new["version"] = f"1.{PER_SKILL + 1}.0"
        old = None if kind == "new" else copy.deepcopy(new) | {"version": "1.0.0"}
        if kind == "widened":
            new["inputs"][0]["schema"]["maxLength"] += 1
        if kind == "grown":
            new["inputs"].append({"name": "tone", "type": "string", "schema": {"type": ["string", "null"]}})
        pairs.append((new, old))
    return pairs


def _endpoint(skill: int) -> dict[str, str]:
    base = address(skill)
    return {"url": base, "status_url": f"{base}/{{execution_id}}", "result_url": f"{base}/{{execution_id}}/result"}


def check(size: Size) -> list[Row]:
    """A registry's check of valid descriptors, in one process, parsed already."""
    state = known(size.versions)
    return [row for kind in KINDS for row in _check_rows(kind, state, size)]


def _check_rows(kind: str, state: RegistryState, size: Size) -> list[Row]:
    from skillproto import validate

    pairs = descriptors(size, kind)
    calls: dict[str, Call] = {
        "check": partial(_check_all, pairs, state),
        "validate": lambda: [validate(new) for new, _ in pairs],
    }
    gc.collect()
    gc.freeze()  # what is checked is no garbage, and looking through it would be measured too
    times = _of_a_core(calls, size)
    gc.unfreeze()
    over = ratio(times["check"], times["validate"])
    what = KINDS[kind].format(size.descriptors, size.versions)
    return [
        _rate(what, times["check"], size),
        Row("- over `validate` alone, in the same rounds", "", f"{over.median:.2f} times", None),
    ]


def _of_a_core(calls: dict[str, Call], size: Size) -> dict[str, Times]:
    """Time every call in turn by the core's own clock: what other processes take is not counted."""
    times = {name: Times() for name in calls}
    for _ in range(size.rounds):
        for name, call in calls.items():
            began = time.process_time()
            call()
            times[name].rounds.append(time.process_time() - began)
    return times


def _rate(what: str, times: Times, size: Size) -> Row:
    median, slow, fast = (size.descriptors / each for each in (times.median, max(times.rounds), min(times.rounds)))
    return Row(what, f"at least {RATE:,} a second of a core", f"{median:,.0f} a second ({slow:,.0f} to {fast:,.0f})",
               median >= RATE)  # fmt: skip


def _check_all(pairs: list[tuple[dict[str, Any], dict[str, Any] | None]], state: RegistryState) -> None:
    for new, old in pairs:
        report = publish_check(new, state, against=old)
        if report.accepted is not True:
            raise RuntimeError(f"it was not accepted: {report}")


def state(size: Size) -> list[Row]:
    """What a registry's knowledge takes, in a process of its own."""
    program = [sys.executable, "-m", "benchmarks.publish", "--measure-state", "--versions", str(size.versions)]
    found = json.loads(subprocess.run(program, capture_output=True, check=True, cwd=ROOT).stdout)
    a_version, limit, grown = found["size"] / size.versions, MOST_BYTES_A_VERSION, found["grown"]
    what = f"state of {size.versions:,} versions"
    return [
        Row(what, f"at most {limit} bytes a version", f"{a_version:.0f} bytes", a_version <= limit),
        Row("resident memory beyond the program, once built", "", f"{found['after'] - found['before']:.0f} MiB", None),
        Row(f"growth by {found['checked']} checks", "at most 5 MiB", f"{grown:.1f} MiB", grown <= 5),
        Row("peak while it is built", "", f"{found['peak']:.0f} MiB", None),
        Row("time to build it", "", shown(found["seconds"]), None),
    ]


def resident_mib() -> float:
    """The resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def measure_state(versions: int) -> dict[str, float]:
    """Build a state in this process; tell its size and the memory of the process."""
    before, began = resident_mib(), time.perf_counter()
    made = known(versions)
    seconds = time.perf_counter() - began
    gc.collect()
    size = SMOKE._replace(versions=versions, descriptors=2_000)
    pairs = descriptors(size, "same")
    _check_all(pairs[:200], made)
    after = resident_mib()
    _check_all(pairs, made)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    grown = resident_mib() - after
    return {"size": made.size, "before": before, "after": after, "grown": grown, "peak": peak, "seconds": seconds,
            "checked": len(pairs)}  # fmt: skip


def diff(size: Size) -> list[Row]:
    """Two versions of a descriptor of 2 KB, compared in process."""
    from skillproto.publishing.comparison import diff as compare

    old = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    new = copy.deepcopy(old) | {"version": "2.0.0"}
    new["inputs"][0]["schema"]["maxLength"] = 10_000
    new["inputs"].append({"name": "tone", "type": "string", "required": True})
    new["output"]["schema"]["properties"]["confidence"]["maximum"] = 2
    calls: dict[str, Call] = {"diff": partial(compare, old, new), "json.dumps": partial(json.dumps, old)}
    times: dict[str, Times] = interleaved(calls, rounds=size.rounds, repeat=size.diffs)
    found = times["diff"]
    row = Row(
        f"diff of two, {len(json.dumps(old))} bytes",
        "under 10 ms",
        f"{shown(found.median)} ({found.spread})",
        found.median < 0.01,
    )
    return [row, *beside(times, base="diff")]


ROWS = {"check": check, "state": state, "diff": diff}


def main() -> None:
    """Measure what is asked for and print one table for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default=",".join(ROWS), help="which tables, separated by commas")
    parser.add_argument("--versions", type=int, help="how many published versions")
    parser.add_argument("--rounds", type=int, help="how many rounds of each")
    parser.add_argument("--smoke", action="store_true", help="only see that everything runs")
    parser.add_argument("--measure-state", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    size = SMOKE if arguments.smoke else FULL
    size = size._replace(versions=arguments.versions or size.versions, rounds=arguments.rounds or size.rounds)
    if arguments.measure_state:
        print(json.dumps(measure_state(size.versions)))
        return
    for name in arguments.rows.split(","):
        print_table((ROWS[name].__doc__ or name).partition("\n")[0], ROWS[name](size))


if __name__ == "__main__":
    main()
