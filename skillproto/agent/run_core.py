"""One run of an agent from its first message to its end, without any input or output of its own.

`RunCore` takes events (the model replied, or raised; the calls are answered) and returns actions
(ask the model, make calls, pause, save, over). Every decision is made here, so the drivers for
threads and tasks cannot differ.

Source: 004, one regular behaviour in place of its eight.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from skillproto.agent.definitions import DefinitionStyle
from skillproto.agent.dispatch_calls import ToolCall, read_calls
from skillproto.agent.dispatch_core import CALLER, DispatchCore, Plan, ToolAnswer
from skillproto.agent.model_failures import failure_in
from skillproto.agent.policies import fails_run
from skillproto.agent.run_events import RunEvent
from skillproto.agent.run_messages import STOPPED, Turn, answer_messages, invalid_output, read_output, read_turn
from skillproto.agent.skill_set import SkillSet, call_key
from skillproto.agent.states import Record, RunResult, told
from skillproto.agent.wording import Locale
from skillproto.errors import ErrorCode, SkillError, UsageError, is_retryable, retry_after_ms
from skillproto.invocation.events import Emitter
from skillproto.invocation.faults import out_of_time
from skillproto.invocation.retry import RetryPolicy
from skillproto.invocation.wire import Result
from skillproto.validation.embedded import EmbeddedSchema
from skillproto.violations import JSONValue


class Ask(NamedTuple):
    """Action: ask the model; answer with `Replied`, `Raised` or `Halted` within `limit_s`, None for no limit."""

    messages: list[JSONValue]
    tools: list[dict[str, JSONValue]]
    limit_s: float | None


class Perform(NamedTuple):
    """Action: make the calls; answer with `Went`."""

    calls: DispatchCore


class Pause(NamedTuple):
    """Action: wait; answer with `Went` or `Halted`."""

    seconds: float


class Save(NamedTuple):
    """Action: keep the run as it stands now; answer with `Went` or `Raised`."""

    record: Record


class Over(NamedTuple):
    """Action: the run is over: give the result, or raise the error."""

    outcome: RunResult | Exception


class Replied(NamedTuple):
    """Event: the model's reply; checked here."""

    reply: Any


class Raised(NamedTuple):
    """Event: what was to be done raised."""

    error: Exception


class Went(NamedTuple):
    """Event: it is done."""


class Halted(NamedTuple):
    """Event: the caller wants no more (`reason` "caller"), or the time is over ("deadline")."""

    reason: str = CALLER


Action = Ask | Perform | Pause | Save | Over
Incoming = Replied | Raised | Went | Halted


class Options(NamedTuple):
    """What a run may do; see `Run`."""

    style: DefinitionStyle
    tools: list[dict[str, JSONValue]]
    max_steps: int
    timeout_ms: int | None
    needs_approval: Callable[[ToolCall], bool]
    review: Callable[[JSONValue], bool] | None
    stop_when: Callable[[Sequence[ToolAnswer]], str | bool | None] | None
    schema: EmbeddedSchema | None
    policy: RetryPolicy
    locale: Locale
    as_error: Callable[[Exception], SkillError]


@dataclass(slots=True)
class RunCore:
    """The state machine of one run, or of what follows a pause.

    Args:
        record: how the run stands; changed as it goes on.
        settled: by tool call id, what people decided; None for a run that is not taken up.
        clock: seconds that never run backwards.
        random: chance between 0 and 1.
    """

    record: Record
    skills: SkillSet[Any]
    options: Options
    emitter: Emitter
    clock: Callable[[], float]
    random: Callable[[], float]
    settled: dict[str, SkillError | Result] | None = None
    _base_ms: int = 0
    _began: float = 0.0
    _open: tuple[ToolCall, ...] = ()
    _dispatch: DispatchCore | None = None
    _in_step: bool = False
    _is_cancelled: bool = False
    _ended: bool = False
    _machine: Generator[Action, Incoming, RunResult | Exception] | None = None

    def start(self) -> Action:
        """Begin, and give the first action."""
        self._began, self._base_ms = self.clock(), self.record.elapsed_ms
        self._machine = self._whole()
        return self.receive(None)

    def receive(self, event: Incoming | None) -> Action:
        """Hand in what happened, and give the next action."""
        assert self._machine is not None  # noqa: S101 - start() comes first
        try:
            return self._machine.send(event)  # type: ignore[arg-type]
        except StopIteration as stop:
            return Over(stop.value)

    def abandon(self, cause: BaseException) -> Record | None:
        """End a run from outside: it was interrupted, or something broke that should not.

        Returns:
            What is to be saved before `close` is called; None where the run had ended.
        """
        if self._machine is not None:
            self._machine.close()
        if self._ended:
            return None
        self._is_cancelled = self._is_cancelled or not isinstance(cause, Exception)
        self._settle(cause)
        return self.record

    def close(self) -> None:
        """Emit the final event, unless it was emitted."""
        record = self.record
        facts: dict[str, JSONValue] = {"error": record.error, "reason": record.stop_reason}
        last = self._event(f"run.{record.state}", facts | {"pending": list(record.pending) or None})
        if not self._ended:
            self._ended = True  # a moment before, so that an interruption of a listener repeats nothing
            self.emitter.emit(cast(Any, last))

    def _whole(self) -> Generator[Action, Incoming, RunResult | Exception]:
        try:
            return (yield from self._loop())
        except Exception as error:
            self._settle(error)
            event = yield Save(self.record)
            if isinstance(event, Raised):
                error.add_note(f"The run could not be saved: {type(event.error).__name__}")
            self.close()
            return error

    def _settle(self, cause: BaseException) -> None:
        """Bring the record to its bad end: no call stays open, and the error stands in it."""
        is_new = self.record.state not in ("failed", "cancelled")
        self.record.state = "cancelled" if self._is_cancelled else "failed"
        self._reopen()
        self.record.elapsed_ms = self._elapsed_ms()
        self.record.error, self.record.error_details = told(cause, self.skills._secrets())
        try:
            self._close_calls()
        finally:
            with suppress(Exception):
                cause.run = self.record.to_dict()  # type: ignore[attr-defined]
            if is_new and self._in_step:
                self._in_step = False
                self._tell("step.cancelled" if self._is_cancelled else "step.failed", error=self.record.error)

    def _reopen(self) -> None:
        """Take up the step that waited for a person, if one did."""
        self.record.pending, self.record.stop_reason = [], None
        if self.record.calls:
            self._open, self._in_step = tuple(map(ToolCall.from_dict, self.record.calls)), True
            self.record.calls = []

    def _loop(self) -> Generator[Action, Incoming, RunResult]:
        self._tell("run.started", **({"resumed": True} if self.settled is not None else {}))
        self.record.state = "running"
        self._reopen()
        if self._open:
            yield from self._answer_calls()
        else:
            self._repair()
        while self._is_going:
            self._require_leave()
            yield from self._step()
        self.record.elapsed_ms = self._elapsed_ms()
        event = yield Save(self.record)
        if isinstance(event, Raised):
            raise event.error
        self.close()
        return self.record.result()

    @property
    def _is_going(self) -> bool:
        return self.record.state == "running"

    def _require_leave(self) -> None:
        self._require_time()
        if self.record.steps >= self.options.max_steps:
            message = f"Max steps exceeded ({self.options.max_steps})"
            details = {"reason": "max_steps", "max_steps": self.options.max_steps}
            raise SkillError(ErrorCode.UNKNOWN, message, details=details, retryable=False)

    # One step.

    def _step(self) -> Generator[Action, Incoming, None]:
        self.record.steps += 1
        self._in_step = True
        self._tell("step.started")
        turn = read_turn((yield from self._ask()), self.options.style)
        calls, messages = _calls_of(turn), [*self.record.messages, *turn.messages]
        self._open, self.record.messages = calls, messages  # at once, whatever interrupts
        if not self._open:
            self._conclude(turn)
        elif pending := self._pending():
            self.record.state, self.record.stop_reason, self.record.pending = "waiting_for_human", "approval", pending
            self.record.calls = [call.to_dict() for call in self._open]
            self._open, self._in_step = (), False
        else:
            yield from self._answer_calls()

    def _ask(self) -> Generator[Action, Incoming, Any]:
        n = 0
        while True:
            n += 1
            self._tell("model.requested", attempt=n)
            left_ms = self._left_ms()
            limit_s = None if left_ms is None else left_ms / 1000
            event = yield Ask(list(self.record.messages), deepcopy(self.options.tools), limit_s)
            self._require_going(event)
            if isinstance(event, Replied):
                failure = failure_in(event.reply)
                if failure is None:
                    return event.reply
                event = Raised(failure)
            assert isinstance(event, Raised)  # noqa: S101 - nothing else answers an Ask
            yield from self._wait_before_retry(event.error, n)

    def _wait_before_retry(self, error: Exception, n: int) -> Generator[Action, Incoming, None]:
        """Wait where the model is to be asked again, or raise what it raised."""
        known = self.options.as_error(error)
        if not is_retryable(known) or n >= self.options.policy.max_attempts:
            raise error
        wait_ms = self.options.policy.wait_ms(n, hint_ms=retry_after_ms(known), random=self.random)
        left_ms = self._left_ms()
        if left_ms is not None and wait_ms >= left_ms:
            raise error
        if wait_ms:
            self._require_going((yield Pause(wait_ms / 1000)))

    def _require_going(self, event: Incoming) -> None:
        if isinstance(event, Halted) and event.reason == CALLER:
            self._is_cancelled = True
            raise SkillError(ErrorCode.CANCELLED, "The caller cancelled the run", details={"reason": CALLER})
        if isinstance(event, Halted):
            raise out_of_time(self.options.timeout_ms or 0, self._elapsed_ms())
        self._require_time()

    def _conclude(self, turn: Turn) -> None:
        if turn.end in STOPPED:
            self.record.output, self.record.state, self.record.stop_reason = turn.text, "stopped", STOPPED[turn.end]
        elif turn.end == "said":
            self.record.output = read_output(turn.text, self.options.schema)
            waits = self.options.review is not None and self.options.review(self.record.output)
            self.record.state = "waiting_for_human" if waits else "completed"
            self.record.stop_reason = "review" if waits else None
        self._end_step()

    def _end_step(self) -> None:
        self._in_step = False
        self._tell("step.completed")

    # The calls of a step.

    def _plans(self) -> list[Plan]:
        scope = f"{self.record.run_id}\n{self.record.steps}"
        return self.skills._plans(self._open, self.settled, scope)

    def _pending(self) -> list[str]:
        """Give the calls that a person must allow; none where the step fails whatever people say."""
        plans = self._plans()
        if any(isinstance(one.settled, SkillError) and fails_run(one.policy, one.settled) for one in plans):
            return []
        return [one.call.id for one in plans if one.settled is None and self.options.needs_approval(one.call)]

    def _answer_calls(self) -> Generator[Action, Incoming, None]:
        self.record.elapsed_ms = self._elapsed_ms()
        event = yield Save(self.record)
        if isinstance(event, Raised):
            raise event.error
        self._dispatch = dispatch = self.skills._core(self._plans(), self._left_ms, self._tell_of_tool)
        yield Perform(dispatch)
        answers = self._close_calls()
        if dispatch.failure is not None:
            self._is_cancelled = dispatch.is_stopped
            raise dispatch.failure
        self._end_step()
        reason = self.options.stop_when(answers) if self.options.stop_when is not None else None
        if reason:
            self.record.state, self.record.stop_reason = "stopped", str(reason)

    def _close_calls(self) -> tuple[ToolAnswer, ...]:
        """Write an answer for every call of the step, whatever became of it."""
        if not self._open:
            return ()
        dispatch = self._dispatch or self.skills._core(self._plans(), self._left_ms, self._tell_of_tool)
        self._dispatch = dispatch
        try:
            dispatch.close()
        finally:
            told_now = answer_messages(dispatch.answers, self.options.style, self.options.locale)
            messages = [*self.record.messages, *told_now]
            self._open, self.record.messages = (), messages  # at once, whatever interrupts
            self._dispatch = self.settled = None
        return dispatch.answers

    def _repair(self) -> None:
        style = _HISTORY_STYLES.get(self.options.style)
        if style is None:
            return
        from skillproto.agent.history import repair_history

        scope = f"{self.record.run_id}\n{self.record.steps}"
        own_key = (lambda call_id: call_key(scope, call_id)) if self.settled is not None else None
        journal = getattr(self.skills.client, "_journal", None)
        repaired = repair_history(self.record.messages, style=style, journal=journal, key_of=own_key)
        if repaired.repaired_calls:
            self.record.messages = list(repaired.messages)
            calls = [
                {"tool_call_id": one.call_id, "tool": one.name, "action": one.action, "has_run": one.has_run}
                for one in repaired.repaired_calls
            ]
            self._tell("history.repaired", calls=calls)

    # Time and events.

    def _elapsed_ms(self) -> int:
        return self._base_ms + round((self.clock() - self._began) * 1000)

    def _left_ms(self) -> int | None:
        return None if self.options.timeout_ms is None else self.options.timeout_ms - self._elapsed_ms()

    def _require_time(self) -> None:
        left_ms = self._left_ms()
        if left_ms is not None and left_ms <= 0:
            raise out_of_time(self.options.timeout_ms or 0, self._elapsed_ms())

    def _tell_of_tool(self, name: str, facts: Any) -> None:
        self._tell(name, **facts)

    def _tell(self, name: str, **data: JSONValue) -> None:
        if self.emitter:
            self.emitter.emit(cast(Any, self._event(name, data)))

    def _event(self, name: str, data: dict[str, JSONValue]) -> RunEvent:
        known = {key: value for key, value in data.items() if value is not None}
        record = self.record
        return RunEvent(name, record.run_id, record.agent_id, record.steps, self._elapsed_ms(), known)


_HISTORY_STYLES: dict[str, Any] = {"anthropic": "anthropic", "openai": "openai", "openai-responses": "responses"}


def _calls_of(turn: Turn) -> tuple[ToolCall, ...]:
    try:
        return read_calls(turn.calls)
    except UsageError as error:
        raise invalid_output("", "tool calls with ids of their own", None, str(error)) from None
