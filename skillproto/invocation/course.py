"""What is known of one call while it runs: its time, its attempts so far, and what is told of it.

Sends nothing. However a call ends, exactly one final event is told here.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from skillproto.errors import Attempt, ErrorCode, SkillError
from skillproto.invocation.events import Emitter, Event
from skillproto.invocation.faults import out_of_time, without_secrets
from skillproto.invocation.prepared import NOTHING_SHARED, Prepared, Shared
from skillproto.invocation.retry import RetryPolicy
from skillproto.invocation.wire import Action, Goal, Incoming, Result
from skillproto.redaction import hide, known_forms
from skillproto.violations import JSONValue

Stage = Generator[Action, Incoming, Any]
"""A part of a call: ends with its outcome, or with the next part, so that what a part held is free then."""


def _spent(resuming: bool) -> Prepared:
    raise AssertionError("a call is made ready once")


@dataclass(slots=True, eq=False, repr=False)
class Course:
    """One call: what was asked for, and how far it has come; the arguments are those of `Core`."""

    prepare: Callable[[bool], Prepared]
    invocation_id: str
    skill_id: str
    policy: RetryPolicy
    emitter: Emitter
    clock: Callable[[], float]
    random: Callable[[], float]
    resume: str | None = None
    goal: Goal = "result"
    known: Result | SkillError | None = None
    _began: float = 0.0
    _timeout_ms: int = 0
    _shared: Shared = NOTHING_SHARED
    _call: Prepared | None = None
    _secrets: Sequence[str] = ()
    _history: tuple[Attempt, ...] = ()
    _polls: int = 0
    _execution_id: str | None = None
    _may_have_run: bool = False
    _starting: bool = False
    _is_refused: bool = False
    _ended: bool = False
    _stage: Stage | None = None

    def _prepare(self) -> Prepared:
        """Make the call ready, and forget what that took."""
        prepare, self.prepare = self.prepare, _spent
        self._call = call = prepare(self.resume is not None)
        self._timeout_ms, self._shared, self._secrets = call.timeout_ms, call.shared, call.secrets
        return call

    @property
    def _made(self) -> Prepared:
        assert self._call is not None  # noqa: S101 - the first thing that is done
        return self._call

    @property
    def execution_id(self) -> str | None:
        """The provider's name for the execution; None until it is known."""
        return self._execution_id

    @property
    def may_have_run(self) -> bool:
        """Whether the skill may have run, so far as is known."""
        return self._may_have_run

    def _left_s(self) -> float:
        return self._began + self._timeout_ms / 1000 - self.clock()

    def _elapsed_ms(self) -> int:
        return round((self.clock() - self._began) * 1000)

    def _out_of_time(self) -> SkillError:
        return out_of_time(self._timeout_ms, self._elapsed_ms())

    def _emit(self, name: str, **data: JSONValue) -> None:
        if self.emitter:
            forms = known_forms(self._secrets)
            known = {key: hide(value, forms) for key, value in data.items() if value is not None}
            self.emitter.emit(Event(name, self.invocation_id, self.skill_id, self._elapsed_ms(), known))

    def _end(self, name: str, **data: JSONValue) -> None:
        if not self._ended:
            self._ended = True
            doubt = True if self._may_have_run and name != "invocation.completed" else None
            self._emit(name, execution_id=self._execution_id, may_have_run=doubt, **data)

    def _fail(self, error: SkillError) -> SkillError:
        error.attempts = len(self._history)
        error.history = self._history
        facts: dict[str, JSONValue] = {"execution_id": self._execution_id, "may_have_run": self._may_have_run or None}
        if error.code is ErrorCode.EXECUTION_TIMEOUT:
            facts |= {"timeout_ms": self._timeout_ms, "elapsed_ms": self._elapsed_ms()}
        error.details = {key: value for key, value in facts.items() if value is not None} | error.details
        without_secrets(error, self._secrets)
        name = "invocation.cancelled" if error.code is ErrorCode.CANCELLED else "invocation.failed"
        self._end(name, code=error.code, http_status=error.http_status, reason=error.details.get("reason"))
        return error
