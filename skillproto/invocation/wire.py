"""What the core asks of the outside world, and what the outside world answers.

The core returns an action; the driver carries it out and hands back an event. Neither
knows a library or a clock of the other's.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

from skillproto.errors import Attempt, SkillError
from skillproto.violations import JSONValue

if TYPE_CHECKING:
    from skillproto.invocation.places import Places

Step = Literal["start", "status", "result", "token"]
Goal = Literal["result", "start", "status", "end"]


class Request(NamedTuple):
    """One HTTP request, complete: what is sent is exactly this.

    Attributes:
        limit_bytes: a larger reply is not read further; None leaves it to the client's own limit.
    """

    step: Step
    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes | None
    limit_bytes: int | None = None


class Send(NamedTuple):
    """Action: send a request; answer with `Replied` or `Lost` within `limit_s` seconds."""

    request: Request
    limit_s: float


class Wait(NamedTuple):
    """Action: wait, then answer with `Woke`."""

    seconds: float


class Keep(NamedTuple):
    """Asked of a driver for a call with a journal: call `write`, which may wait for a disk; answer with `Woke`."""

    write: Callable[[], None]


class Queue(NamedTuple):
    """Action: stand in line for a place to send from; answer with `Woke` once it is taken, else with `Lost`."""

    places: "Places"
    limit_s: float


class Result(NamedTuple):
    """What a call gave.

    Attributes:
        output: the skill's output, checked against the descriptor.
        execution_id: of a call that was accepted first; None when the answer came at once.
        attempts: requests that were made to start the skill; the first one counts.
        elapsed_ms: from the call to its end, in milliseconds.
        history: an `Attempt` for each attempt.
        polls: how often the state was asked for.
        request_id: the provider's name for the last request, or None.

    >>> Result("hola", None, 1, 12).output
    'hola'
    """

    output: JSONValue
    execution_id: str | None
    attempts: int
    elapsed_ms: int
    history: tuple[Attempt, ...] = ()
    polls: int = 0
    request_id: str | None = None


class Started(NamedTuple):
    """An execution that was accepted, or that was finished at once and has its result."""

    execution_id: str | None
    state: str
    result: Result | None


Outcome = Result | Started | str
"""What a call ends with, by its goal: a result, a start, or the word for a state."""


class Done(NamedTuple):
    """Action: the call is over and succeeded."""

    outcome: Outcome


class GiveUp(NamedTuple):
    """Action: the call is over; raise the error."""

    error: SkillError


class Replied(NamedTuple):
    """Event: a reply came.

    Attributes:
        body: what was read of it, inflated; `reason` says what is wrong with it.
        reason: None for a whole body, else "too_large", "cut_short" or "bad_encoding".
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    reason: str | None = None


class Lost(NamedTuple):
    """Event: no reply came.

    Attributes:
        reason: a short word: "refused", "reset", "dns", "tls", "timeout", "unreachable", ...
        sent: whether the request may have reached the other side.
        again: whether another try can end differently; a bad certificate cannot.
    """

    reason: str
    sent: bool
    again: bool = True


class Woke(NamedTuple):
    """Event: the wait is over."""


class Stopped(NamedTuple):
    """Event: the caller wants no more; answers any action. `sent` as in `Lost`."""

    sent: bool = False


Action = Send | Wait | Queue | Done | GiveUp
Incoming = Replied | Lost | Woke | Stopped
