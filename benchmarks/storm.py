"""What an outage of a minute does to a skill that ten thousand clients call: a simulation with a seed.

    python -m benchmarks.storm [--clients 10000] [--pause 5] [--plot storm.png] [--smoke]

Ours are the real core, policy, budget and circuit. A peer is its documented default, put into the
same core: its waits, its attempts, its budget. What stands beside the defaults is simulated with
fewer clients (see `Plan.thinned`), which changes no ratio. The plot needs `pip install 'skillproto[bench]'`.
"""

import argparse
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks._fleet import Fleet, Plan, Scene, Story
from benchmarks._measure import Row, print_table
from benchmarks._peers import imported
from skillproto.invocation.prepared import Shared
from skillproto.invocation.retry import Circuit, RetryBudget, RetryPolicy

Clock = Callable[[], float]
MOST_LOAD = 1.1
SOONEST_S = 10


@dataclass(frozen=True)
class Waits(RetryPolicy):
    """A policy with waits of another shape: `wait(n, chance)` gives seconds before retry n."""

    wait: Callable[[int, Callable[[], float]], float] = lambda n, chance: 0.0

    def wait_ms(self, n: int, *, hint_ms: int | None = None, random: Callable[[], float] = random.random) -> int:
        return max(hint_ms or 0, round(self.wait(n, random) * 1000))


def shared(*, budget: bool = True, circuit: bool = True) -> Callable[[Clock], Shared]:
    """What the calls of one client share, by the defaults of the library."""
    return lambda clock: Shared(RetryBudget(clock=clock) if budget else None, Circuit(clock=clock) if circuit else None)


def patient_circuit(clock: Clock) -> Shared:
    """A circuit that opens later and looks less often whether the skill is back."""
    return Shared(RetryBudget(clock=clock), Circuit(failures=20, longest_open_s=30, clock=clock))


def nothing(clock: Clock) -> Shared:
    """Nothing in common: each call retries as if it were alone."""
    return Shared()


def _httpware(clock: Clock) -> Shared:
    budget = imported("httpware").RetryBudget(_now=clock)  # type: ignore[union-attr]
    adapted: Any = RetryBudget(clock=clock)
    adapted.pay_in, adapted.take = budget.deposit, budget.try_withdraw
    return Shared(adapted)


def ours() -> list[Plan]:
    """The defaults, and the same with one part changed."""
    full = Waits(wait=lambda n, chance: 2 ** (n - 1) * chance())
    return [
        Plan("the defaults: +25 %, budget, circuit", RetryPolicy(), shared(), thinned=1),
        Plan("no jitter", RetryPolicy(jitter=0), shared()),
        Plan("full jitter, below the protocol's floor", full, shared()),
        Plan("+100 %", RetryPolicy(jitter=1), shared()),
        Plan("a circuit after 20 failures, open for at most 30 s", RetryPolicy(), patient_circuit),
        Plan("no budget", RetryPolicy(), shared(budget=False)),
        Plan("no circuit", RetryPolicy(), shared(circuit=False)),
        Plan("neither: retries alone", RetryPolicy(), nothing),
    ]


def peers() -> list[Plan]:
    """The default of each peer, as its documentation and its source give it."""
    half_second = Waits(max_attempts=3, wait=lambda n, chance: min(0.5 * 2 ** (n - 1), 8) * (1 - 0.25 * chance()))
    tenth = Waits(max_attempts=10, wait=lambda n, chance: min(5, 0.1 * 2 ** (n - 1) + chance()))
    short = Waits(max_attempts=3, wait=lambda n, chance: min(5, 0.1 * 2 ** (n - 1)) * chance())
    plans = [
        Plan("httpx: none", RetryPolicy(max_attempts=1), nothing),
        Plan("httpx-retries: 10 retries at once", Waits(max_attempts=11), nothing, thinned=20),
        Plan(
            "tenacity: at once, for ever", Waits(max_attempts=1000, wait=lambda n, chance: 0.02), nothing, thinned=200
        ),
        Plan("stamina: 10 attempts, 0.1 s doubled, up to 1 s more", tenth, nothing, 45_000),
        Plan("backoff.expo: full jitter, for ever", _for_ever(), nothing, 30_000),
        Plan("openai: 2 retries, 0.5 s doubled, 25 % less", half_second, nothing, 600_000),
    ]
    if imported("httpware"):
        plans.append(Plan("httpware: 3 attempts, full jitter, its own budget", short, _httpware))
    return plans


def _for_ever() -> RetryPolicy:
    return Waits(max_attempts=1000, wait=lambda n, chance: 2 ** (n - 1) * chance())


def row(name: str, story: Story, *, judged: bool) -> Row:
    """A line for one plan; only the defaults are held against the target."""
    load, peak, again_s = story.load(), story.peak(), story.normal_again_s()
    later = f"normal again after {again_s} s" if again_s < story.scene.after_s - 2 else "not normal again"
    measured = f"load {load:.2f}, worst 5 s {peak:.2f}; {later}"
    target = f"load at most {MOST_LOAD}, normal within {SOONEST_S} s" if judged else ""
    return Row(name, target, measured, load <= MOST_LOAD and again_s <= SOONEST_S if judged else None)


_BARS = " .:-=+*#%@"


def text_plot(story: Story) -> str:
    """The load of each second as one character, @ being four times the normal load or more."""
    levels = [sent / story.scene.normal / 4 for sent in story.sent[:-1]]
    return "".join(_BARS[min(len(_BARS) - 1, round(level * (len(_BARS) - 1)))] for level in levels)


def plot(stories: dict[str, Story], path: Path) -> bool:
    """Draw the load of every plan over time; False where matplotlib is not installed."""
    if imported("matplotlib") is None:
        return False
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 6), layout="constrained")
    axes = figure.subplots()
    for name, story in stories.items():
        axes.plot([sent / story.scene.normal for sent in story.sent[:-1]], label=name, linewidth=1)
    scene = next(iter(stories.values())).scene
    axes.axvspan(scene.before_s, scene.before_s + scene.outage_s, color="0.9", label="outage")
    axes.set(xlabel="seconds", ylabel="requests sent, over normal", yscale="symlog", title="Load through an outage")
    axes.legend(fontsize="small")
    figure.savefig(path, dpi=120)
    return True


def main() -> None:
    """Simulate every plan and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=10_000)
    parser.add_argument("--pause", type=float, default=5.0, help="mean seconds between two calls of a client")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="only plans whose name holds this text")
    parser.add_argument("--plot", type=Path, help="write a picture (PNG)")
    parser.add_argument("--smoke", action="store_true", help="only see that everything runs")
    chosen = parser.parse_args()
    scene = Scene(clients=chosen.clients, pause_s=chosen.pause, seed=chosen.seed)
    if chosen.smoke:
        scene = Scene(clients=20, pause_s=2, before_s=2, outage_s=3, after_s=4)
    plans = [plan for plan in ours() + peers() if chosen.only in plan.name]
    stories = {plan.name: Fleet(plan, scene).run() for plan in plans}
    rows = [row(name, story, judged=name.startswith("the defaults")) for name, story in stories.items()]
    print_table(f"{scene.clients:,} clients, a call every {scene.pause_s:g} s each, out for {scene.outage_s} s", rows)
    print("\nLoad of each second, from none to four times the normal one (@):\n")
    for name, story in stories.items():
        print(f"    {text_plot(story)}  {name}")
    if chosen.plot and not plot(stories, chosen.plot):
        print("\nno picture: matplotlib is not installed")


if __name__ == "__main__":
    main()
