"""One invocation from start to result, without any input or output of its own.

`Core` takes events (a reply, a lost connection, the end of a wait) and returns actions
(send, wait, done, give up). Clock and chance are passed in. Every decision of the client
is made here, so the drivers for threads, asyncio and trio cannot differ in one.

Source: SSP 9.5 for retries; the three steps of an invocation for the rest.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from skillproto.errors import Attempt, ErrorCode, SkillError, is_retryable, retry_after_ms
from skillproto.invocation.events import Emitter, Event
from skillproto.invocation.faults import (
    CALLER,
    OFTEN_FAILED,
    cancelled,
    circuit_open,
    gave_up,
    is_outage,
    lost,
    lost_sight,
    out_of_time,
    own_end,
    without_secrets,
)
from skillproto.invocation.polling import Pace, is_passing_fault
from skillproto.invocation.prepared import NOTHING_SHARED, Prepared, Shared
from skillproto.invocation.replies import Reply, read_reply
from skillproto.invocation.retry import RetryPolicy
from skillproto.invocation.wire import (
    Action,
    Done,
    GiveUp,
    Goal,
    Incoming,
    Lost,
    Outcome,
    Replied,
    Request,
    Result,
    Send,
    Started,
    Step,
    Stopped,
    Wait,
    Woke,
)
from skillproto.redaction import hide, known_forms
from skillproto.violations import JSONValue


@dataclass(slots=True)
class Core:
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
    """

    prepare: Callable[[bool], Prepared]
    invocation_id: str
    skill_id: str
    policy: RetryPolicy
    emitter: Emitter
    clock: Callable[[], float]
    random: Callable[[], float]
    resume: str | None = None
    goal: Goal = "result"
    _began: float = 0.0
    _timeout_ms: int = 0
    _shared: Shared = NOTHING_SHARED
    _call: Prepared | None = None
    _secrets: Sequence[str] = ()
    _history: list[Attempt] = field(default_factory=list)
    _polls: int = 0
    _execution_id: str | None = None
    _may_have_run: bool = False
    _starting: bool = False
    _ended: bool = False
    _machine: Generator[Action, Incoming, Outcome] | None = None

    def start(self) -> Action:
        """Begin, and give the first action."""
        self._began = self.clock()
        self._machine = self._run()
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
        if self._machine is not None:
            self._machine.close()

    def receive(self, event: Incoming | None) -> Action:
        """Hand in what happened, and give the next action."""
        assert self._machine is not None  # noqa: S101 - start() comes first
        try:
            return self._machine.send(event)  # type: ignore[arg-type]
        except StopIteration as stop:
            self._end("invocation.completed", attempts=len(self._history))
            return Done(stop.value)
        except SkillError as error:
            return GiveUp(self._fail(error))

    def _fail(self, error: SkillError) -> SkillError:
        error.attempts = len(self._history)
        error.history = tuple(self._history)
        facts: dict[str, JSONValue] = {"execution_id": self._execution_id, "may_have_run": self._may_have_run or None}
        if error.code is ErrorCode.EXECUTION_TIMEOUT:
            facts |= {"timeout_ms": self._timeout_ms, "elapsed_ms": self._elapsed_ms()}
        error.details = {key: value for key, value in facts.items() if value is not None} | error.details
        without_secrets(error, self._secrets)
        name = "invocation.cancelled" if error.code is ErrorCode.CANCELLED else "invocation.failed"
        self._end(name, code=error.code, http_status=error.http_status, reason=error.details.get("reason"))
        return error

    # The three steps.

    def _run(self) -> Generator[Action, Incoming, Outcome]:
        self._emit("invocation.started")
        self._call = call = self.prepare(self.resume is not None)
        self._timeout_ms, self._shared, self._secrets = call.timeout_ms, call.shared, call.secrets
        hint_ms: int | None = 0
        if self.resume is None:
            started = yield from self._retrying("start", call.url, call.body)
            if started.is_finished and (started.has_output or not started.is_execution):
                return self._started("completed", self._finish(call, started))
            self._execution_id, hint_ms = started.execution_id, started.poll_after_ms
            self._emit("execution.accepted", execution_id=self._execution_id)
            self._require_id()
            if started.is_finished and self.goal == "result":
                return self._finish(call, (yield from self._fetch_result(call)))
        else:
            self._execution_id = self.resume
        match self.goal:
            case "start":
                return self._started(started.state)
            case "status":
                where = call.where_to_look(self._execution_id or "")
                return (yield from self._state_of(self._retrying("status", where, None)))
            case "end":
                return (yield from self._state_of(self._poll(call, 0)))
            case "result":
                return (yield from self._await_result(call, hint_ms))

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

    def _await_result(self, call: Prepared, hint_ms: int | None) -> Generator[Action, Incoming, Result]:
        finished = yield from self._poll(call, hint_ms)
        if not finished.has_output:
            finished = yield from self._fetch_result(call)
        return self._finish(call, finished)

    def _require_id(self) -> None:
        if not self._execution_id or self._execution_id in (".", ".."):
            raise lost_sight("the provider gave no usable execution_id", "no_execution_id")

    def _finish(self, call: Prepared, reply: Reply) -> Result:
        call.check_output(reply.output)
        return Result(
            output=reply.output,
            execution_id=self._execution_id or reply.execution_id,
            attempts=len(self._history),
            elapsed_ms=self._elapsed_ms(),
            history=tuple(self._history),
            polls=self._polls,
            request_id=reply.request_id,
        )

    def _poll(self, call: Prepared, hint_ms: int | None) -> Generator[Action, Incoming, Reply]:
        id_ = self._execution_id or ""
        url = call.where_to_look(self._execution_id or "")
        pace = Pace()
        faults = 0
        if self.resume is None:
            yield from self._pause(pace.next_s(hint_ms), hint_ms)
        while True:
            outcome = yield from self._attempt("status", url, None)
            self._polls += 1
            if isinstance(outcome, Reply):
                faults = 0
                self._emit("execution.polled", execution_id=id_, state=outcome.state)
                if outcome.is_execution and outcome.is_finished:
                    return outcome
                hint_ms = outcome.poll_after_ms
            else:
                faults += 1
                if faults >= self.policy.max_poll_faults or not is_passing_fault(outcome):
                    raise outcome
                hint_ms = retry_after_ms(outcome)
            yield from self._pause(pace.next_s(hint_ms), hint_ms)

    def _fetch_result(self, call: Prepared) -> Generator[Action, Incoming, Reply]:
        url = call.where_the_result_is(self._execution_id or "")
        try:
            reply = yield from self._retrying("result", url, None)
        except SkillError as error:
            if error.code is not ErrorCode.SKILL_NOT_FOUND:
                raise
            raise lost_sight("the provider does not know the result any more", "result_missing") from error
        return reply

    # One request, and again.

    def _retrying(self, step: Step, url: str, body: bytes | None) -> Generator[Action, Incoming, Reply]:
        if self._shared.budget is not None:
            self._shared.budget.pay_in()
        last = self.policy.max_attempts
        n = 0
        error: SkillError | None = None
        while True:
            n += 1
            outcome = yield from self._attempt(step, url, body, before=error)
            if isinstance(outcome, Reply):
                return outcome
            error = outcome
            if error.retry is not None and error.retry.max_attempts is not None:
                last = min(last, n + error.retry.max_attempts)
            wait_ms = self._wait_before_retry(error, n, last)
            if step == "start":
                self._history[-1] = self._history[-1]._replace(wait_ms=wait_ms)
            self._emit("retry.scheduled", step=step, attempt=n + 1, wait_ms=wait_ms)
            yield from self._sleep(wait_ms / 1000)

    def _wait_before_retry(self, error: SkillError, n: int, last: int) -> int:
        """Give the wait before retry n, or raise the error where there must be none."""
        if not is_retryable(error):
            raise error
        if n >= last:
            by_provider = last < self.policy.max_attempts
            raise gave_up(error, "the provider allows no further attempt" if by_provider else "no attempt is left")
        wait_ms = self.policy.wait_ms(n, hint_ms=retry_after_ms(error), random=self.random)
        if wait_ms / 1000 >= self._left_s():
            raise gave_up(error, "the next wait does not fit before the deadline")
        if self._shared.circuit is not None and self._shared.circuit.is_open:
            raise gave_up(error, OFTEN_FAILED)
        if self._shared.budget is not None and not self._shared.budget.take():
            raise gave_up(error, "the retry budget of this client is used up")
        return wait_ms

    def _attempt(
        self, step: Step, url: str, body: bytes | None, before: SkillError | None = None
    ) -> Generator[Action, Incoming, Reply | SkillError]:
        """Send once, or once more with another token, and tell what came of it.

        Only a `start` counts as an attempt of the call. Where nothing may be sent, `before` is
        raised: the error that this would have been a retry of.
        """
        outcome, is_refused = yield from self._exchange(step, url, body, before)
        if is_refused and isinstance(outcome, SkillError) and outcome.code is ErrorCode.AUTH_REQUIRED:
            outcome, _ = yield from self._exchange(step, url, body, outcome)
        return outcome

    def _exchange(
        self, step: Step, url: str, body: bytes | None, before: SkillError | None
    ) -> Generator[Action, Incoming, tuple[Reply | SkillError, bool]]:
        """Send once; say also whether a reply refused the token that was sent."""
        self._require_leave(before)
        call = self._call
        assert call is not None  # noqa: S101 - set before the first request
        method = "POST" if step == "start" else "GET"
        number = len(self._history) + 1 if step == "start" else None
        self._emit("attempt.started", step=step, attempt=number)
        began = self.clock()
        outcome: Reply | SkillError | None = None
        is_refused = False
        if call.tokens is not None:
            outcome = yield from call.tokens.obtain(url, self.clock, self._attempt_limit_s())
        if outcome is None:
            if (limit_s := self._attempt_limit_s()) <= 0:
                raise self._out_of_time()
            request = Request(step, method, url, call.headers(method, url, body), body)
            self._starting = step == "start"
            event = yield Send(request, limit_s)
            self._starting = False
            is_refused = call.tokens is not None and call.tokens.heard(event)
            outcome = self._read(event, step, limit_s, self.clock() - began)
            self._tell_circuit(outcome)
        self._note(step, outcome, round((self.clock() - began) * 1000))
        if isinstance(outcome, SkillError):
            facts = {"http_status": outcome.http_status, "reason": outcome.details.get("reason")}
            self._emit("attempt.failed", step=step, attempt=number, code=outcome.code, **facts)
        return outcome, is_refused

    def _tell_circuit(self, outcome: Reply | SkillError) -> None:
        circuit = self._shared.circuit
        if circuit is not None:
            circuit.failed() if isinstance(outcome, SkillError) and is_outage(outcome) else circuit.succeeded()

    def _note(self, step: Step, outcome: Reply | SkillError, elapsed_ms: int) -> None:
        if step == "start":
            error = outcome if isinstance(outcome, SkillError) else None
            code = error.code if error else None
            reason = error.details.get("reason") if error else None
            number = len(self._history) + 1
            self._history.append(Attempt(number, code, outcome.http_status, elapsed_ms, reason=reason))

    def _require_leave(self, before: SkillError | None) -> None:
        if self._left_s() <= 0:
            raise self._out_of_time()
        blocked_s = self._shared.circuit.blocked_s() if self._shared.circuit is not None else 0.0
        if blocked_s > 0:
            raise gave_up(before, OFTEN_FAILED) if before is not None else circuit_open(blocked_s)

    def _read(self, event: Incoming, step: Step, limit_s: float, took_s: float) -> Reply | SkillError:
        if isinstance(event, Lost | Stopped) and step == "start":
            self._may_have_run = self._may_have_run or event.sent
        match event:
            case Replied(status, headers, body, reason):
                self._may_have_run = False if step == "start" else self._may_have_run
                outcome = read_reply(status, headers, body, unreadable=reason, secrets=self._secrets)
                if isinstance(outcome, Reply) and step == "start" and not outcome.is_finished:
                    self._may_have_run = True
                return outcome
            case Lost("timeout") if self._left_s() <= 0.001:
                return self._out_of_time()
            case Lost():
                return lost(event, limit_s, took_s)
            case Stopped():
                raise cancelled()
            case Woke():
                raise AssertionError("a wait ended where a reply was due")
            case _:
                assert_never(event)

    # Time.

    def _attempt_limit_s(self) -> float:
        limit_ms = self.policy.attempt_timeout_ms
        left_s = self._left_s()
        return left_s if limit_ms is None else min(left_s, limit_ms / 1000)

    def _left_s(self) -> float:
        return self._began + self._timeout_ms / 1000 - self.clock()

    def _elapsed_ms(self) -> int:
        return round((self.clock() - self._began) * 1000)

    def _out_of_time(self) -> SkillError:
        return out_of_time(self._timeout_ms, self._elapsed_ms())

    def _pause(self, own_s: float, hint_ms: int | None) -> Generator[Action, Incoming, None]:
        """Wait before the next look; own waits are cut so that a last look fits, hints are not."""
        left_s = self._left_s()
        wait_s = own_s
        if wait_s >= left_s and own_s * 1000 > (hint_ms or 0):
            wait_s = max(left_s * 0.9, (hint_ms or 0) / 1000)
        if wait_s >= left_s or left_s < 0.02:
            raise self._out_of_time()
        yield from self._sleep(wait_s)

    def _sleep(self, seconds: float) -> Generator[Action, Incoming, None]:
        if seconds > 0:
            event = yield Wait(seconds)
            if isinstance(event, Stopped):
                raise cancelled()
            if not isinstance(event, Woke):
                raise AssertionError("a reply came where the end of a wait was due")

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
