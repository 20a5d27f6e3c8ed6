"""Time things in interleaved rounds, and print what came out beside what was aimed at."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

Call = Callable[[], object]


@dataclass
class Times:
    """The times of one thing in several rounds, in seconds."""

    rounds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    @property
    def spread(self) -> str:
        return f"{shown(min(self.rounds))} to {shown(max(self.rounds))}"


def interleaved(calls: Mapping[str, Call], *, rounds: int, repeat: int = 1) -> dict[str, Times]:
    """Run every call in turn, round after round, so that a noisy moment hits all of them alike."""
    times = {name: Times() for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            began = time.perf_counter()
            for _ in range(repeat):
                call()
            times[name].rounds.append((time.perf_counter() - began) / repeat)
    return times


async def interleaved_async(
    calls: Mapping[str, Callable[[], Awaitable[object]]], *, rounds: int, repeat: int = 1
) -> dict[str, Times]:
    """The same for calls that are awaited."""
    times = {name: Times() for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            began = time.perf_counter()
            for _ in range(repeat):
                await call()
            times[name].rounds.append((time.perf_counter() - began) / repeat)
    return times


def ratio(ours: Times, theirs: Times) -> Times:
    """Our time over theirs, round by round: what slows a whole round down cancels out."""
    return Times([a / b for a, b in zip(ours.rounds, theirs.rounds, strict=True)])


def command(arguments: Sequence[str], *, ok: Sequence[int] = (0,)) -> Call:
    """A whole process as a call; its output is dropped, its exit code is looked at."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def run() -> None:
        ran = subprocess.run(
            arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, check=False
        )
        if ran.returncode not in ok:
            raise RuntimeError(f"{arguments[0]} ended with {ran.returncode}")

    return run


def shown(seconds: float) -> str:
    """A time in the unit that suits it."""
    if seconds < 1e-3:
        return f"{seconds * 1e6:.1f} us"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


@dataclass(frozen=True)
class Row:
    """One line of a table: what is measured, what was aimed at, what came out, and whether it is met."""

    what: str
    target: str
    measured: str
    met: bool | None


def ratio_row(what: str, ours: Times, theirs: Times | None, *, limit: float) -> Row:
    """A line for our time over theirs, which may be so much at most."""
    target = f"at most {limit:g}"
    if theirs is None:
        return Row(what, target, "not installed", None)
    each = ratio(ours, theirs)
    spread = f"{min(each.rounds):.2f} to {max(each.rounds):.2f}"
    return Row(what, target, f"{each.median:.2f} ({spread})", each.median <= limit)


def missing_rows(names: Sequence[str]) -> list[Row]:
    """A line for each peer that is not there."""
    return [Row(f"- {name}", "", "not installed", None) for name in names]


def print_table(title: str, rows: Sequence[Row]) -> None:
    """Print a Markdown table."""
    print(f"\n## {title}\n\n| what | target | measured | met |\n| --- | --- | --- | --- |")
    for row in rows:
        word = {True: "yes", False: "no", None: ""}[row.met]
        print(f"| {row.what} | {row.target} | {row.measured} | {word} |")
    sys.stdout.flush()


def beside(times: Mapping[str, Times], *, base: str) -> list[Row]:
    """A line for each peer: its median, its spread and its ratio to ours."""
    ours = times[base].median
    return [
        Row(f"- {name}", "", f"{shown(each.median)} ({each.spread}), {each.median / ours:.2f} of ours", None)
        for name, each in times.items()
        if name != base
    ]
