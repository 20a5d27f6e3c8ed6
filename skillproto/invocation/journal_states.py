"""What a journal knows of a call, as values. Reads and writes no file."""

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from skillproto.errors import SkillError
from skillproto.invocation.wire import Result
from skillproto.violations import JSONValue


class State(StrEnum):
    """How far a call has come.

    >>> State("sent").is_open, State("ended").is_open
    (True, False)
    """

    SENT = "sent"
    """It was about to be sent, or was sent, and no answer is known: it may have run."""
    ACCEPTED = "accepted"
    """The provider gave it an execution id."""
    ENDED = "ended"
    """The caller was given its result or its error."""

    @property
    def is_open(self) -> bool:
        """Whether the end is not known."""
        return self is not State.ENDED


class Entry(NamedTuple):
    """A call in a journal.

    Attributes:
        key: its Idempotency-Key.
        state: how far it has come.
        execution_id: None until it was accepted, and where the skill answered at once.
        outcome: the `Result` or the `SkillError` of a call that ended; None where it is open, or too large to keep.
        may_have_run: whether the skill may have run, or has.
        begun_ms, changed_ms: when it was written down first and last, in milliseconds since 1970.
        is_busy: whether a living process is at work on it.
        digest: of the endpoint and the inputs.
        body: what is sent to start it; None once it was accepted.
        descriptor: of the skill, as long as the call is open and where it was asked for.
    """

    key: str
    skill_id: str
    state: State
    execution_id: str | None
    outcome: Result | SkillError | None
    may_have_run: bool
    begun_ms: int
    changed_ms: int
    is_busy: bool
    digest: str
    body: bytes | None
    descriptor: Mapping[str, JSONValue] | None

    @property
    def is_settled(self) -> bool:
        """Whether asking again can only give the same: the execution itself came to an end."""
        if self.state.is_open:
            return False
        return self.execution_id is not None or not isinstance(self.outcome, SkillError)

    @property
    def inputs(self) -> Mapping[str, JSONValue] | None:
        """What the skill was called with, as long as it is kept."""
        return None if self.body is None else json.loads(self.body).get("inputs")

    def to_dict(self) -> dict[str, JSONValue]:
        """Give what people ask about a call, as JSON, without its inputs and its outcome."""
        return {
            "idempotency_key": self.key,
            "skill_id": self.skill_id,
            "state": self.state.value,
            "execution_id": self.execution_id,
            "may_have_run": self.may_have_run,
            "is_busy": self.is_busy,
            "begun_ms": self.begun_ms,
            "changed_ms": self.changed_ms,
        }


def write_outcome(outcome: Result | SkillError) -> str:
    """Write the end of a call as JSON; the history of its attempts is left out.

    >>> read_outcome(write_outcome(Result("hola", "e1", 2, 12)))
    Result(output='hola', execution_id='e1', attempts=2, elapsed_ms=12, history=(), polls=0, request_id=None)
    """
    if isinstance(outcome, SkillError):
        return json.dumps(outcome.to_dict() | {"http_status": outcome.http_status, "request_id": outcome.request_id})
    return json.dumps({"result": outcome._replace(history=())._asdict()})


def read_outcome(text: str | None) -> Result | SkillError | None:
    """Read what `write_outcome` gave; None for none."""
    if text is None:
        return None
    told = json.loads(text)
    if "result" in told:
        return Result(**told["result"] | {"history": ()})
    error = SkillError.from_dict(told)
    error.http_status, error.request_id = told["http_status"], told["request_id"]
    return error
