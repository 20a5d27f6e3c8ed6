"""Drive the real core on a clock of its own against an execution that takes a given time."""

from typing import assert_never

from skillproto.invocation.core import Core
from skillproto.invocation.events import Emitter
from skillproto.invocation.prepared import Prepared
from skillproto.invocation.retry import RetryPolicy
from skillproto.invocation.wire import Done, GiveUp, Replied, Result, Send, Wait, Woke

_ACCEPTED = Replied(202, (), b'{"execution_id": "e", "status": "accepted"}')
_RUNNING = Replied(200, (), b'{"status": "running"}')
_COMPLETED = Replied(200, (), b'{"status": "completed", "output": 1}')


def seen(takes_s: float, *, samples: int = 400) -> tuple[float, float]:
    """Give the mean number of looks and the mean lateness in seconds, for times within 20 % of `takes_s`."""
    each = [_one(takes_s * (0.8 + 0.4 * number / samples)) for number in range(samples + 1)]
    return sum(looks for looks, _ in each) / len(each), sum(late for _, late in each) / len(each)


def _one(takes_s: float) -> tuple[int, float]:
    now = 0.0
    prepared = Prepared(
        url="https://skill.example/run",
        body=b"{}",
        status_url=lambda id_: "https://skill.example/status",
        result_url=lambda id_: None,
        headers=lambda method, url, body: (),
        check_output=lambda output: None,
        timeout_ms=86_400_000,
    )
    core = Core(
        prepare=lambda resuming: prepared,
        invocation_id="k",
        skill_id="s",
        policy=RetryPolicy(),
        emitter=Emitter(None),
        clock=lambda: now,
        random=lambda: 0.5,
    )
    action = core.start()
    while True:
        match action:
            case Send(request):
                state = _COMPLETED if now >= takes_s else _RUNNING
                action = core.receive(_ACCEPTED if request.step == "start" else state)
            case Wait(seconds):
                now += seconds
                action = core.receive(Woke())
            case Done(outcome):
                assert isinstance(outcome, Result)
                return outcome.polls, now - takes_s
            case GiveUp(error):
                raise error
            case _:
                assert_never(action)
