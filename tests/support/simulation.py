"""Run the core against a script of replies, on a clock that only moves when told to."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import assert_never

from skillproto.errors import SkillError
from skillproto.invocation.core import Core
from skillproto.invocation.events import Emitter, Event
from skillproto.invocation.prepared import NOTHING_SHARED, Prepared, Shared
from skillproto.invocation.retry import RetryPolicy
from skillproto.invocation.wire import (
    Done,
    GiveUp,
    Goal,
    Lost,
    Outcome,
    Queue,
    Replied,
    Request,
    Result,
    Send,
    Wait,
    Woke,
)
from skillproto.violations import JSONValue

Answer = Replied | Lost
Timed = tuple[float, Answer]
"""How long an answer takes, in seconds, and the answer."""


def reply(status: int, body: JSONValue = None, **headers: str) -> Replied:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Replied(status, tuple((name.replace("_", "-"), value) for name, value in headers.items()), content)


def failure(status: int, code: str, **retry: JSONValue) -> Replied:
    error: dict[str, JSONValue] = {"code": code, "message": "Something happened"}
    if retry:
        error["retry"] = retry
    return reply(status, {"error": error})


def accepted(id_: str = "e1", **headers: str) -> Replied:
    return reply(202, {"execution_id": id_, "status": "accepted"}, **headers)


def finished(output: JSONValue = "ok") -> Replied:
    return reply(200, {"output": output})


def state(word: str) -> Replied:
    return reply(200, {"status": word})


@dataclass
class Trace:
    """What one simulated call did; times are seconds since it began."""

    sent: list[tuple[float, Request]] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    result: Result | None = None
    outcome: Outcome | None = None
    error: SkillError | None = None
    ended_s: float = 0.0

    @property
    def starts(self) -> list[tuple[float, Request]]:
        return [(at, request) for at, request in self.sent if request.step == "start"]

    @property
    def names(self) -> list[str]:
        return [event.name for event in self.events]

    @property
    def failed(self) -> SkillError:
        assert self.error is not None, "the call succeeded"
        return self.error


def ready(**changes: object) -> Prepared:
    values: dict[str, object] = {
        "url": "https://skill.example/run",
        "body": b"{}",
        "status_url": lambda id_: f"https://skill.example/status/{id_}",
        "result_url": lambda id_: f"https://skill.example/result/{id_}",
        "headers": lambda method, url, body: (("Idempotency-Key", "k"),),
        "check_output": lambda output: None,
        **changes,
    }
    return Prepared(**values)  # type: ignore[arg-type]


def run(
    script: Iterable[Answer | Timed],
    *,
    policy: RetryPolicy | None = None,
    timeout_ms: int = 30_000,
    shared: Shared = NOTHING_SHARED,
    random: Callable[[], float] = lambda: 0.0,
    resume: str | None = None,
    goal: Goal = "result",
    prepare: Callable[[bool], Prepared] | None = None,
) -> Trace:
    """Drive one call; the last answer of the script repeats for ever."""
    now = 1000.0
    trace = Trace()
    prepared = ready(timeout_ms=timeout_ms, shared=shared)
    core = Core(
        prepare=prepare or (lambda resuming: prepared),
        invocation_id="k",
        skill_id="com.example.skill",
        policy=policy or RetryPolicy(jitter=0),
        emitter=Emitter(trace.events.append),
        clock=lambda: now,
        random=random,
        resume=resume,
        goal=goal,
    )
    began = now
    answers = iter(script)
    last: Answer | Timed = Lost("refused", sent=False)
    action = core.start()
    for _ in range(10_000):
        match action:
            case Send(request, limit_s):
                assert limit_s > 0, "a request was sent past the deadline"
                trace.sent.append((now - began, request))
                last = next(answers, last)
                took_s, answer = last if not isinstance(last, Replied | Lost) else (0.0, last)
                if took_s > limit_s:
                    took_s, answer = limit_s, Lost("timeout", sent=True)
                now += took_s
                action = core.receive(answer)
            case Wait(seconds):
                trace.waits.append(seconds)
                now += seconds
                action = core.receive(Woke())
            case Queue():
                raise AssertionError("one call alone never stands in line")
            case Done(outcome):
                trace.outcome = outcome
                trace.result = outcome if isinstance(outcome, Result) else None
                break
            case GiveUp(error):
                trace.error = error
                break
            case _:
                assert_never(action)
    trace.ended_s = now - began
    return trace
