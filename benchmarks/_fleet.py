"""A seeded, discrete simulation of a fleet that calls one skill through an outage. No sockets, no sleep.

Every call is the real `Core` with the real policy, budget and circuit, on a clock of the simulation.
Each client is a process of its own: it shares its budget and its circuit with nobody.
"""

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from skillproto.invocation.core import Core
from skillproto.invocation.events import Emitter
from skillproto.invocation.prepared import Prepared, Shared
from skillproto.invocation.retry import RetryPolicy
from skillproto.invocation.wire import Action, Done, Replied, Send, Wait, Woke

_GOOD = Replied(200, (), b'{"output": 1}')
_BAD = Replied(503, (), b"")
_ANSWER_S = 0.05
_REFUSAL_S = 0.005


class Scene(NamedTuple):
    """What the fleet goes through; times in seconds.

    Attributes:
        pause_s: the mean time between two calls of one client.
        capacity: what the server can do, over what is normally asked of it; it refuses the rest.
    """

    clients: int = 10_000
    pause_s: float = 5.0
    before_s: int = 10
    outage_s: int = 60
    after_s: int = 45
    capacity: float = 1.5
    seed: int = 1

    @property
    def normal(self) -> float:
        """The load without a fault, in requests a second."""
        return self.clients / self.pause_s

    @property
    def end_s(self) -> int:
        return self.before_s + self.outage_s + self.after_s


class Plan(NamedTuple):
    """How the clients of a fleet behave.

    Attributes:
        share: makes what the calls of one client have in common.
        thinned: only one in so many clients is simulated, of a server that much smaller; clients
            are independent, so that the ratios stay the same.
    """

    name: str
    policy: RetryPolicy
    share: Callable[[Callable[[], float]], Shared]
    timeout_ms: int = 30_000
    thinned: int = 5


@dataclass
class Story:
    """What happened in each second: requests sent, calls that came through, calls that failed."""

    scene: Scene
    sent: list[int] = field(default_factory=list)
    good: list[int] = field(default_factory=list)
    bad: list[int] = field(default_factory=list)

    def load(self) -> float:
        """The mean load in the outage, over the normal one."""
        first = self.scene.before_s
        return sum(self.sent[first : first + self.scene.outage_s]) / self.scene.outage_s / self.scene.normal

    def peak(self, window_s: int = 5) -> float:
        """The highest load of any few seconds from the outage on, over the normal one."""
        first, last = self.scene.before_s, self.scene.end_s - window_s
        return max(sum(self.sent[at : at + window_s]) for at in range(first, last)) / window_s / self.scene.normal

    def normal_again_s(self) -> int:
        """Seconds from the recovery until load and successes are as before, and stay so."""
        scene = self.scene
        recovered = scene.before_s + scene.outage_s
        slack = 0.1 + 3 / scene.normal**0.5
        for at in range(scene.end_s - 2, recovered - 1, -1):
            load, good = self.sent[at] / scene.normal, self.good[at] / scene.normal
            if load > 1 + slack or good < 1 - slack:
                return at + 1 - recovered
        return 0


class Fleet:
    """Runs the clients of a plan through a scene."""

    def __init__(self, plan: Plan, scene: Scene) -> None:
        self._plan = plan
        self._scene = scene = scene._replace(clients=max(20, scene.clients // plan.thinned))
        self._random = random.Random(scene.seed)
        self._now = 0.0
        self._events: list[tuple[float, int, Core | None, Any]] = []
        self._number = 0
        self._places = 0.0
        self._filled_s = 0.0
        seconds = scene.end_s + 1
        self.story = Story(scene, [0] * seconds, [0] * seconds, [0] * seconds)

    def _clock(self) -> float:
        return self._now

    def run(self) -> Story:
        """Live through the scene."""
        for _ in range(self._scene.clients):
            shared = self._plan.share(self._clock)
            self._later(self._random.uniform(0, self._scene.pause_s), None, self._prepared(shared))
        while self._events:
            at, _, core, what = heapq.heappop(self._events)
            if at >= self._scene.end_s:
                break
            self._now = at
            if core is None:
                self._call(what)
            else:
                self._do(core, core.receive(what))
        return self.story

    def _later(self, after_s: float, core: Core | None, what: Any) -> None:
        self._number += 1
        heapq.heappush(self._events, (self._now + after_s, self._number, core, what))

    def _prepared(self, shared: Shared) -> Prepared:
        return Prepared(
            url="https://skill.example/run",
            body=b"{}",
            status_url=lambda id_: None,
            result_url=lambda id_: None,
            headers=lambda method, url, body: (),
            check_output=lambda output: None,
            timeout_ms=self._plan.timeout_ms,
            shared=shared,
        )

    def _call(self, prepared: Prepared) -> None:
        self._later(self._random.expovariate(1 / self._scene.pause_s), None, prepared)
        core = Core(
            prepare=lambda resuming: prepared,
            invocation_id="k",
            skill_id="s",
            policy=self._plan.policy,
            emitter=Emitter(None),
            clock=self._clock,
            random=self._random.random,
        )
        self._do(core, core.start())

    def _do(self, core: Core, action: Action) -> None:
        match action:
            case Send():
                self.story.sent[int(self._now)] += 1
                works = self._is_up() and self._has_place()
                self._later(_ANSWER_S if works else _REFUSAL_S, core, _GOOD if works else _BAD)
            case Wait(seconds):
                self._later(seconds, core, Woke())
            case Done():
                self.story.good[int(self._now)] += 1
            case _:
                self.story.bad[int(self._now)] += 1

    def _is_up(self) -> bool:
        return not 0 <= self._now - self._scene.before_s < self._scene.outage_s

    def _has_place(self) -> bool:
        rate = self._scene.capacity * self._scene.normal
        self._places = min(max(1.0, rate / 10), self._places + (self._now - self._filled_s) * rate)
        self._filled_s = self._now
        if self._places < 1:
            return False
        self._places -= 1
        return True
