"""One invocation from start to result, without any input or output of its own.

`Core` takes events (a reply, a lost connection, the end of a wait) and returns actions
(send, wait, done, give up). Clock and chance are passed in. Every decision of the client
is made here and in `attempts` below, so the drivers for threads, asyncio and trio cannot
differ in one.

Source: SSP 9.5 for retries; the three steps of an invocation for the rest.
"""

from collections.abc import Callable, Generator
from math import ceil
from types import GeneratorType
from typing import TypeVar

from skillproto.errors import ErrorCode, SkillError, retry_after_ms
from skillproto.invocation.attempts import Attempts
from skillproto.invocation.course import Stage
from skillproto.invocation.faults import CALLER, lost_sight, own_end
from skillproto.invocation.polling import is_passing_fault, own_wait_s
from skillproto.invocation.replies import Reply
from skillproto.invocation.wire import Action, Done, GiveUp, Incoming, Outcome, Result, Started, Wait

T = TypeVar("T")


class Core(Attempts):
    """The state machine of one invocation.

    Args:
        prepare: makes the call ready, or raises the `SkillError` that refuses it; is
            told whether an earlier execution is resumed.
        invocation_id: names the call in events; sent as its Idempotency-Key.
        skill_id: for events and errors.
        clock: seconds that never run backwards.
        random: chance between 0 and 1.
        resume: an execution id that was accepted earlier: nothing is started then.
        goal: how far to go: to the "result", to the "start" only, to one look at the
            "status", or to the "end" of the execution whatever it is.
        known: what the call is known to have come to: nothing is sent then.
    """

    __slots__ = ()

    def start(self) -> Action:
        """Begin, and give the first action."""
        self._began = self.clock()
        self._stage = self._run()
        return self.receive(None)

    def abandon(self, cause: BaseException) -> None:
        """End a call from outside: it was cancelled, or something broke that should not.

        Emits the final event if none was emitted yet; the caller raises `cause` again.
        """
        if isinstance(cause, Exception):
            self._end("invocation.failed", code=ErrorCode.UNKNOWN, reason="internal")
        else:
            self._may_have_run = self._may_have_run or self._starting
            self._end("invocation.cancelled", code=ErrorCode.CANCELLED, reason=CALLER)
        if self._stage is not None:
            self._stage.close()

    def refuse(self, error: SkillError) -> GiveUp:
        """End a call from outside with an error, in place of the action that was asked for."""
        if self._stage is not None:
            self._stage.close()
        return GiveUp(self._fail(error))

    def unsent(self) -> None:
        """Learn that nothing of the request under way was written, before the call is abandoned."""
        self._starting = False

    def receive(self, event: Incoming | None) -> Action:
        """Hand in what happened, and give the next action."""
        assert self._stage is not None  # noqa: S101 - start() comes first
        try:
            return self._stage.send(event)  # type: ignore[arg-type]
        except StopIteration as stop:
            if isinstance(stop.value, GeneratorType):
                self._stage = stop.value
                return self.receive(None)
            self._end("invocation.completed", attempts=len(self._history))
            return Done(stop.value)
        except SkillError as error:
            return GiveUp(self._fail(error))

    # The three steps.

    def _run(self) -> Generator[Action, Incoming, Outcome | Stage]:
        self._emit("invocation.started")
        if isinstance(self.known, SkillError):
            raise self.known
        if self.known is not None:
            return self.known
        call = self._prepare()
        if self.resume is not None:
            self._execution_id = self.resume
            return self._accepted("accepted", 0)
        started = yield from self._retrying("start", call.url, call.body)
        if started.is_finished and (started.has_output or not started.is_execution):
            return self._started("completed", self._finish(started))
        self._call = call.without_body()
        self._execution_id = started.execution_id
        self._emit("execution.accepted", execution_id=self._execution_id)
        self._require_id()
        if started.is_finished and self.goal == "result":
            return self._fetch_result()
        return self._accepted(started.state, started.poll_after_ms)

    def _accepted(self, state: str, hint_ms: int | None) -> Outcome | Stage:
        """Give what follows on an execution that was accepted."""
        match self.goal:
            case "start":
                return self._started(state)
            case "status":
                return self._state_of(self._retrying("status", self._where_to_look(), None))
            case "end":
                return self._state_of(self._poll(0, lambda finished: finished))
            case "result":
                return self._poll(hint_ms, self._conclude)

    def _started(self, state: str, result: Result | None = None) -> Outcome:
        if result is not None and self.goal == "result":
            return result
        return Started(self._execution_id, state, result)

    def _state_of(self, looking: Generator[Action, Incoming, Reply]) -> Generator[Action, Incoming, str]:
        """Give the state that is found; that of a failed execution is an answer here, not an error."""
        try:
            reply = yield from looking
        except SkillError as error:
            return own_end(error)
        return reply.state

    def _conclude(self, finished: Reply) -> Result | Stage:
        return self._finish(finished) if finished.has_output else self._fetch_result()

    def _require_id(self) -> None:
        if not self._execution_id or self._execution_id in (".", ".."):
            raise lost_sight("the provider gave no usable execution_id", "no_execution_id")

    def _finish(self, reply: Reply) -> Result:
        self._made.check_output(reply.output)
        return Result(
            output=reply.output,
            execution_id=self._execution_id or reply.execution_id,
            attempts=len(self._history),
            elapsed_ms=self._elapsed_ms(),
            history=self._history,
            polls=self._polls,
            request_id=reply.request_id,
        )

    def _poll(self, hint_ms: int | None, then: Callable[[Reply], T]) -> Generator[Action, Incoming, T]:
        """Look until it has ended, then give what follows; as little as can be is held while it waits."""
        waits = faults = 0
        self._where_to_look()
        is_due = self.resume is not None
        while True:
            if not is_due:
                waits += 1
                self._require_woken((yield self._wait_before_look(waits, hint_ms)))
            is_due = False
            if (blocked_s := self._blocked_s()) > 0:  # which says nothing about the execution
                hint_ms = ceil(blocked_s * 1000)
                continue
            outcome = yield from self._attempt("status", self._where_to_look(), None)
            self._polls += 1
            if isinstance(outcome, Reply):
                faults = 0
                self._emit("execution.polled", execution_id=self._execution_id, state=outcome.state)
                if outcome.is_execution and outcome.is_finished:
                    return then(outcome)
                hint_ms = outcome.poll_after_ms
            else:
                faults += 1
                if faults >= self.policy.max_poll_faults or not is_passing_fault(outcome):
                    raise outcome
                hint_ms = retry_after_ms(outcome)
            del outcome

    def _where_to_look(self) -> str:
        return self._made.where_to_look(self._execution_id or "")

    def _wait_before_look(self, n: int, hint_ms: int | None) -> Wait:
        """Give the wait before look n; own waits are cut so that a last look fits, hints are not."""
        own_s = wait_s = own_wait_s(n, hint_ms, self.policy.max_poll_delay_ms)
        left_s = self._left_s()
        if wait_s >= left_s and own_s * 1000 > (hint_ms or 0):
            wait_s = max(left_s * 0.9, (hint_ms or 0) / 1000)
        if wait_s >= left_s or left_s < 0.02:
            raise self._out_of_time()
        return Wait(wait_s)

    def _fetch_result(self) -> Generator[Action, Incoming, Result]:
        url = self._made.where_the_result_is(self._execution_id or "")
        try:
            reply = yield from self._retrying("result", url, None)
        except SkillError as error:
            if error.code is not ErrorCode.SKILL_NOT_FOUND:
                raise
            raise lost_sight("the provider does not know the result any more", "result_missing") from error
        return self._finish(reply)
