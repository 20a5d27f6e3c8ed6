"""A call that is written down while it runs: the core with a journal between it and the driver.

Decides what is noted and when, and what becomes of a call whose key the journal knows. Opens
nothing: what is to be read or written is handed to the driver as a `Keep`.
"""

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from skillproto.descriptor import Descriptor
from skillproto.errors import ErrorCode, SkillError, UsageError
from skillproto.invocation.core import Core
from skillproto.invocation.faults import CALLER
from skillproto.invocation.polling import is_passing_fault
from skillproto.invocation.preparation import DEFAULT_TIMEOUT_MS, Preparation
from skillproto.invocation.wire import Action, Done, GiveUp, Goal, Incoming, Keep, Lost, Result, Send, Started

if TYPE_CHECKING:
    from skillproto.invocation.journal import Journal
    from skillproto.invocation.journal_states import Entry

_log = logging.getLogger("skillproto")

IN_PROGRESS = "in_progress"
"""The reason of the error that a call meets whose key another one is at work on."""
ENDED_ELSEWHERE = "ended_elsewhere"
"""The reason of the error that a call meets which was to be taken up, and has ended meanwhile."""


class MakeCore(Protocol):
    """Makes the core of a call, perhaps one that goes on where an earlier one stopped."""

    def __call__(
        self, *, resume: str | None = None, body: bytes | None = None, known: Result | SkillError | None = None
    ) -> Core: ...


class Journaled:
    """One call and its place in the journal; driven like a `Core`.

    Args:
        make: makes its core.
        asked: what the caller asked for.
        is_named: whether the caller chose the key, so that the journal may know it.
        is_taken_up: whether only a call that is open is wanted.
        resume: the execution id of a call that goes on from there.
    """

    def __init__(
        self,
        journal: "Journal",
        make: MakeCore,
        asked: Preparation,
        goal: Goal,
        clock: Callable[[], float],
        is_named: bool = False,
        is_taken_up: bool = False,
        resume: str | None = None,
    ) -> None:
        self._journal, self._make, self._asked = journal, make, asked
        descriptor = asked.descriptor
        self._raw: Any = descriptor.raw if isinstance(descriptor, Descriptor) else descriptor
        self.invocation_id, self.skill_id, self.goal, self.clock = asked.key, asked.skill_id, goal, clock
        self._is_named, self._is_taken_up, self._resume = is_named, is_taken_up, resume
        self._is_noted = self._is_claimed = self._was_open = False
        self._has_sent = self._in_doubt = self._is_accepted = self._is_over = False
        self._core: Core | None = None
        self._held: Action | None = None
        self._next: Callable[[], Action | Keep] | None = None

    # What the driver does with a core.

    def start(self) -> Action | Keep:
        """Begin, and give the first action."""
        if self._resume is not None:
            return self._begin(self._make(resume=self._resume))
        return self._look() if self._is_named else self._begin(self._make())

    def receive(self, event: Incoming | None) -> Action | Keep:
        """Hand in what happened, and give the next action."""
        if self._next is not None:
            go_on, self._next = self._next, None
            return go_on()
        if isinstance(event, Lost) and event.sent and not self._is_accepted:
            self._in_doubt = True
        assert self._core is not None  # noqa: S101 - nothing is sent before it is made
        return self._noting(self._core.receive(event))

    def abandon(self, cause: BaseException) -> None:
        """End a call from outside; see `Core.abandon`."""
        if self._core is not None:
            self._core.abandon(cause)
        if not self._is_over:
            self._is_over = True
            self._quietly(self._write_abandoned)

    def unsent(self) -> None:
        """Learn that nothing of the request under way was written; see `Core.unsent`."""
        if self._core is not None:
            self._core.unsent()

    # The journal looked at, and the core that follows from it.

    def _look(self) -> Action | Keep:
        from skillproto.invocation.journal import digest_of

        digest = digest_of(self._raw, self._asked.inputs)
        if digest is None and not self._is_taken_up:
            return self._begin(self._make())  # which refuses it
        wanted = None if self._is_taken_up else digest
        found: list[Entry | None] = []

        def read() -> None:
            found.append(self._journal.look(self.skill_id, self.invocation_id, wanted, self._patience_ms()))

        return self._keep(read, lambda: self._begin(self._core_for(found[0], wanted)))

    def _core_for(self, known: "Entry | None", digest: str | None) -> Core:
        if known is None:
            return self._make(known=_ended_elsewhere()) if self._is_taken_up else self._make()
        if digest is not None and known.digest != digest:
            raise UsageError(
                "idempotency_key names another call of this skill, with other inputs or to another endpoint;"
                " give each call its own"
            )
        if known.is_busy:
            return self._make(known=_in_progress())
        if known.is_settled:
            if self._is_taken_up:
                return self._make(known=_ended_elsewhere())
            if known.outcome is None and known.execution_id is not None:
                return self._make(resume=known.execution_id)
            return self._make(known=known.outcome or _not_kept())
        self._is_claimed = True
        self._is_noted = self._was_open = known.state.is_open
        if known.state.is_open and known.execution_id is not None:
            self._is_accepted = True
            return self._make(resume=known.execution_id)
        return self._make(body=known.body)

    def _begin(self, core: Core) -> Action | Keep:
        self._core = core
        return self._noting(core.start())

    def _patience_ms(self) -> int:
        own = self._raw.get("endpoint", {}).get("timeout_ms")
        return self._asked.timeout_ms or (own if isinstance(own, int) else DEFAULT_TIMEOUT_MS)

    # What is noted.

    def _noting(self, action: Action) -> Action | Keep:
        """Put what is to be written down before an action."""
        match action:
            case Send(request) if request.step == "start" and not self._has_sent:
                self._has_sent = True
                return action if self._is_noted else self._noting_begin(action)
            case Done() | GiveUp():
                return self._noting_end(action)
            case _ if self._execution_id is not None and not self._is_accepted and self._is_noted:
                self._is_accepted = True
                return self._noted(action, self._write_accepted)
        return action

    def _noting_begin(self, action: Send) -> Action | Keep:
        from skillproto.invocation.journal import Beginning, digest_of, require_no_credentials

        require_no_credentials(self._raw)
        core = self._made
        call = Beginning(
            self.skill_id,
            self.invocation_id,
            digest_of(self._raw, self._asked.inputs) or "",
            self._raw,
            action.request.body or b"",
            self._patience_ms(),
            self._is_claimed,
        )
        refusal: list[SkillError] = []

        def write() -> None:
            try:
                if self._journal.begin(call) is not None:
                    refusal.append(_in_progress())
                else:
                    self._is_noted = True
            except SkillError as error:
                refusal.append(error)

        began = self.clock()

        def go_on() -> Action | Keep:
            if refusal:
                self._has_sent = False
                return self._noting(core.refuse(refusal[0]))
            return action._replace(limit_s=max(action.limit_s - (self.clock() - began), 0.001))

        return self._keep(write, go_on)

    def _noting_end(self, action: Done | GiveUp) -> Action | Keep:
        self._is_over = True
        write = self._how_to_end(action)
        return action if write is None else self._noted(action, write)

    def _how_to_end(self, action: Done | GiveUp) -> Callable[[], None] | None:
        outcome = action.outcome if isinstance(action, Done) else action.error
        if isinstance(outcome, Started):
            outcome = outcome.result or outcome
        if isinstance(outcome, str) or not (self._is_noted or self._is_claimed or self._resume):
            return None
        if isinstance(outcome, Started) or self._stays_open(outcome):
            return self._write_let_go
        ending = outcome
        may_have_run = self._in_doubt or isinstance(ending, Result) or bool(ending.details.get("may_have_run"))
        return lambda: self._write_ended(ending, may_have_run=may_have_run)

    def _stays_open(self, outcome: Result | SkillError) -> bool:
        """Say whether the call may still come to an end that nobody has seen.

        The caller was told of an error, so a call that was not accepted is over: nobody may
        send it behind the caller's back. One that was left by a process that is gone stays.
        """
        if isinstance(outcome, Result):
            return False
        if self._is_claimed and not self._has_sent and not self._is_accepted:
            return True
        return (self._execution_id is not None or self._was_open) and _tells_no_end(outcome)

    def _write_accepted(self) -> None:
        assert self._execution_id is not None  # noqa: S101 - that is what is noted
        self._journal.accepted(self.skill_id, self.invocation_id, self._execution_id)

    def _write_let_go(self) -> None:
        if self._resume is None:
            self._journal.let_go(self.skill_id, self.invocation_id, None if self._core is None else self._execution_id)

    def _write_ended(self, outcome: Result | SkillError, *, may_have_run: bool) -> None:
        key: str | None = self.invocation_id
        if self._resume is not None:
            key = self._journal.key_of(self.skill_id, self._resume)
        if key is not None:
            self._journal.ended(self.skill_id, key, outcome, may_have_run=may_have_run)

    def _write_abandoned(self) -> None:
        if not (self._is_noted or self._is_claimed):
            return
        may_have_run = self._has_sent and self._made.may_have_run
        details = {"reason": CALLER, **({"may_have_run": True} if may_have_run else {})}
        error = SkillError(ErrorCode.CANCELLED, "The caller ended the call", details=details)
        if self._core is None or self._stays_open(error):
            self._write_let_go()
        else:
            self._write_ended(error, may_have_run=may_have_run)

    @property
    def _made(self) -> Core:
        assert self._core is not None  # noqa: S101 - as in receive
        return self._core

    @property
    def _execution_id(self) -> str | None:
        return self._made.execution_id

    @property
    def _secrets(self) -> Sequence[str]:
        return self._core._secrets if self._core is not None else ()

    # How it is written.

    def _keep(self, write: Callable[[], None], go_on: Callable[[], Action | Keep]) -> Keep:
        self._next = go_on
        return Keep(write)

    def _noted(self, action: Action, write: Callable[[], None]) -> Keep:
        """Write, and go on whatever becomes of it: the call stands in the journal already."""
        return self._keep(lambda: self._quietly(write), lambda: action)

    def _quietly(self, write: Callable[[], None]) -> None:
        try:
            write()
        except (SkillError, UsageError):
            _log.exception("The journal could not be written; the call goes on, and is found open later")


_NO_END = (
    ErrorCode.EXECUTION_TIMEOUT,
    ErrorCode.ENDPOINT_UNREACHABLE,
    ErrorCode.AUTH_REQUIRED,
    ErrorCode.PERMISSION_DENIED,
)


def _tells_no_end(error: SkillError) -> bool:
    """Say whether an error is of the asking, and not of the execution that was asked about."""
    if error.code is ErrorCode.CANCELLED:
        return error.details.get("reason") == CALLER
    if error.details.get("state") in ("failed", "cancelled"):
        return False
    return error.code in _NO_END or is_passing_fault(error)


def was_taken(error: SkillError | None) -> bool:
    """Say whether a call that was to be taken up was left to somebody else, or has ended meanwhile."""
    if error is None or error.attempts or error.http_status is not None:
        return False
    return error.details.get("reason") in (IN_PROGRESS, ENDED_ELSEWHERE)


def _in_progress() -> SkillError:
    message = "Another call of this idempotency key is at work; wait for it, or ask again"
    return SkillError(ErrorCode.UNKNOWN, message, details={"reason": IN_PROGRESS}, retryable=True)


def _ended_elsewhere() -> SkillError:
    message = "The call has ended meanwhile, or was struck out of the journal"
    return SkillError(ErrorCode.UNKNOWN, message, details={"reason": ENDED_ELSEWHERE})


def _not_kept() -> SkillError:
    message = "The call of this idempotency key has ended, and its result was too large for the journal to keep"
    return SkillError(ErrorCode.UNKNOWN, message, details={"reason": "result_not_kept"})
