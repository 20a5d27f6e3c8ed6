"""How a run stands, as a value that can be stored as JSON and taken up by another process.

Holds no credential: what a client is given never comes here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, get_args

from skillproto.agent.dispatch_calls import ToolCall
from skillproto.agent.run_messages import as_json
from skillproto.errors import ErrorCode, SkillError, UsageError
from skillproto.invocation.excerpts import excerpt
from skillproto.redaction import hide, known_forms
from skillproto.violations import JSONValue

State = Literal["running", "completed", "stopped", "waiting_for_human", "failed", "cancelled"]
"""All but the first are ends; the next three are no failures, and give a normal result."""

TAKEN_UP: tuple[State, ...] = ("waiting_for_human", "running", "cancelled")
"""The states that a run is continued from: it waits, or its process was interrupted."""

_FORM = 1


class RunResult(NamedTuple):
    """What a run gave that was not failed and not cancelled.

    Attributes:
        run_id: names the run.
        state: "completed", "stopped" or "waiting_for_human".
        output: the final text, or with an `output_schema` the JSON in it; None where there is none yet.
        stop_reason: why it was stopped; what it waits for: "approval" or "review"; else None.
        pending: the tool calls that wait for a decision.
        steps: how many were made, the model being asked once in each.
        messages: the whole conversation, as JSON.
        saved: all of it, to be stored as JSON and given to `Run.resume`.
    """

    run_id: str
    state: State
    output: JSONValue
    stop_reason: str | None
    pending: tuple[ToolCall, ...]
    steps: int
    messages: list[JSONValue]
    saved: dict[str, JSONValue]


@dataclass(slots=True)
class Record:
    """A run as it stands; see `RunResult`. `calls` are all calls of a step that waits."""

    run_id: str
    agent_id: str
    style: str
    messages: list[JSONValue]
    state: State = "running"
    steps: int = 0
    elapsed_ms: int = 0
    output: JSONValue = None
    stop_reason: str | None = None
    calls: list[JSONValue] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)
    error: str | None = None
    error_details: JSONValue = None

    def to_dict(self) -> dict[str, JSONValue]:
        """Give the run as JSON, all its own."""
        saved: dict[str, JSONValue] = as_json({"form": _FORM, **asdict(self)})
        return saved

    @classmethod
    def from_dict(cls, saved: Any) -> "Record":
        """Read what `to_dict` gave.

        Raises:
            UsageError: the value is something else.
        """
        names = cls.__slots__
        if not isinstance(saved, Mapping) or saved.get("form") != _FORM or not set(names) <= saved.keys():
            raise UsageError("not a saved run: give the `saved` of a result, or what the state accessor was given")
        try:
            copied = as_json(saved)
        except ValueError:
            raise UsageError("not a saved run: it is no JSON") from None
        if copied["state"] not in get_args(State):
            raise UsageError(f"not a saved run: no run is {excerpt(str(copied['state']), 40)!r}")
        wrong = next((name for name in names if not _fits(name, copied[name])), None)
        if wrong is not None:
            raise UsageError(f"not a saved run: its {wrong!r} has another form")
        return cls(**{name: copied[name] for name in names})

    def result(self) -> RunResult:
        """Give the normal result of a run that is no failure."""
        waiting = [ToolCall.from_dict(call) for call in self.calls]
        pending = tuple(call for call in waiting if call.id in self.pending)
        saved = self.to_dict()
        return RunResult(
            self.run_id, self.state, self.output, self.stop_reason, pending, self.steps, saved["messages"], saved
        )


def _fits(name: str, value: JSONValue) -> bool:
    """Say whether a member of a saved run has the form that it is saved in."""
    match name:
        case "run_id" | "agent_id" | "style":
            return isinstance(value, str) and value != ""
        case "steps" | "elapsed_ms":
            return type(value) is int and value >= 0
        case "messages":
            return isinstance(value, list) and all(isinstance(one, dict) for one in value)
        case "pending":
            return isinstance(value, list) and all(isinstance(one, str) for one in value)
        case "calls":
            return isinstance(value, list) and all(map(_is_call, value))
        case _:
            return True


def _is_call(value: JSONValue) -> bool:
    if not isinstance(value, dict) or not {"id", "name", "inputs"} <= value.keys():
        return False
    has_names = isinstance(value["id"], str) and isinstance(value["name"], str)
    return has_names and isinstance(value.get("broken"), dict | None)


class StateAccessor(Protocol):
    """Where runs are kept. Both may be coroutines where the run is async."""

    def save(self, saved: dict[str, JSONValue], /) -> Any:
        """Keep a run under its `run_id`, over what is there."""

    def load(self, run_id: str, /) -> Any:
        """Give a run back; None where there is none."""


class MemoryState:
    """Keeps runs in memory, for tests and for processes that need no more.

    Attributes:
        runs: by their ids.
    """

    def __init__(self) -> None:
        self.runs: dict[str, dict[str, JSONValue]] = {}

    def save(self, saved: dict[str, JSONValue], /) -> None:
        """Keep a run."""
        self.runs[saved["run_id"]] = saved

    def load(self, run_id: str, /) -> dict[str, JSONValue] | None:
        """Give a run back; None where there is none."""
        return self.runs.get(run_id)


def told(error: BaseException, secrets: Iterable[str] = ()) -> tuple[str, dict[str, JSONValue]]:
    """Give an error's words and its details, as JSON that may be shown.

    Args:
        error: what a run ended with; whoever raised it may have put anything into it.
        secrets: what must not be shown besides what looks like a secret.

    >>> told(SkillError("AUTH_REQUIRED", "Sign in", attempts=1))[0]
    'AUTH_REQUIRED: Sign in'
    >>> told(ValueError("no model for s3cret"), ["s3cret"])[0]
    'no model for [redacted]'
    """
    secrets = tuple(secrets)
    forms = known_forms(secrets)
    details: dict[str, JSONValue] = {"type": type(error).__name__}
    if isinstance(error, SkillError):
        details |= error.to_dict()["error"]
        facts = {"http_status": error.http_status, "request_id": error.request_id, "attempts": error.attempts or None}
        details |= {name: value for name, value in facts.items() if value is not None}
        details["tool_calls"] = [_answer(answer) for answer in error.answers]
    elif isinstance(error, Exception):
        details |= _of_gateway(error, secrets)
    words = excerpt(hide(str(error), forms)) or type(error).__name__
    try:
        return words, hide(as_json(details), forms)
    except ValueError:  # details that somebody made of other things than JSON
        return words, {"type": type(error).__name__}


def _of_gateway(error: Exception, secrets: tuple[str, ...]) -> dict[str, JSONValue]:
    """Give what an SDK's exception says about a gateway; nothing of other exceptions."""
    from skillproto.agent.gateway import from_gateway, gateway_facts

    known = from_gateway(error, secrets=secrets)
    if known.http_status is None and known.code is ErrorCode.UNKNOWN:
        return {}
    facts = {"code": known.code.value, "provider_code": None, **gateway_facts(known)._asdict()}
    facts["http_status"], facts["provider_code"], facts["code"] = facts.pop("status"), facts["code"], known.code.value
    return {name: value for name, value in facts.items() if value}


def _answer(answer: Any) -> dict[str, JSONValue]:
    code = None if answer.error is None else answer.error.code.value
    return {"id": answer.call.id, "name": answer.call.name, "skill_id": answer.skill_id, "code": code}
