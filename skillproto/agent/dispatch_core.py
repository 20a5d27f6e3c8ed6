"""Decide what becomes of the tool calls of one step, without making any of them.

`DispatchCore` is told what ended and says what to launch and what to cancel; drivers for threads
and tasks carry that out, so that they cannot differ. What it promises, whatever happens:

- each call is answered exactly once, and the answers stand in the order of the calls;
- calls are launched in their order, no more at a time than the limit;
- a call that can be refused without asking anybody (unknown tool, inputs that do not fit) is refused
  before anything is sent; where that fails the run, nothing is sent at all;
- a call that fails the run cancels the calls behind it. Those before it are let end, since one of
  them may fail as well: what is raised is the first such failure in the order of the calls,
  whoever was faster.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from skillproto.agent.definitions import DefinitionStyle, check_style
from skillproto.agent.dispatch_calls import ToolCall
from skillproto.agent.policies import OnError, fails_run, with_target
from skillproto.agent.tool_results import to_tool_result
from skillproto.agent.wording import Locale
from skillproto.descriptor import Descriptor
from skillproto.errors import ErrorCode, SkillError
from skillproto.invocation.preparation import DEFAULT_TIMEOUT_MS
from skillproto.invocation.wire import Result
from skillproto.violations import JSONValue

EARLIER_FAILURE = "earlier_failure"
OUT_OF_TIME = "deadline"
CALLER = "caller"

Tell = Callable[[str, Mapping[str, JSONValue]], None]


class ToolAnswer(NamedTuple):
    """What became of one tool call; either `result` or `error` is None.

    Attributes:
        call: as the model wrote it.
        skill_id: of the skill that was meant; None for an unknown tool.
        fails_run: whether the policy lets this failure end the run.
    """

    call: ToolCall
    skill_id: str | None
    result: Result | None
    error: SkillError | None
    fails_run: bool = False

    @property
    def output(self) -> JSONValue:
        """The skill's output; None where the call failed."""
        return None if self.result is None else self.result.output

    def to(self, style: DefinitionStyle, *, locale: Locale | None = None) -> dict[str, JSONValue]:
        """Write the answer as the model's framework reads it; see `to_tool_result`.

        Raises:
            UsageError: there is no such style or locale.

        >>> ToolAnswer(ToolCall("c1", "echo", {}), "echo", Result("hola", None, 1, 5), None).to("openai")
        {'role': 'tool', 'tool_call_id': 'c1', 'content': 'hola'}
        """
        check_style(style)
        outcome = self.error if self.error is not None else self.result
        if style != "openai-responses":
            return to_tool_result(outcome, style, call_id=self.call.id, locale=locale)
        told = to_tool_result(outcome, "openai", call_id=self.call.id, locale=locale)
        return {"type": "function_call_output", "call_id": self.call.id, "output": told["content"]}


class Plan(NamedTuple):
    """One call, looked at before anything is sent.

    Attributes:
        skill: None for an unknown tool.
        settled: what is known without a call: a refusal, or an output from elsewhere.
        key: the Idempotency-Key; None lets the client make one.
    """

    call: ToolCall
    skill: Descriptor | None
    policy: OnError
    settled: SkillError | Result | None = None
    key: str | None = None


class Launch(NamedTuple):
    """Order: make a call, and tell how it ended."""

    place: int
    skill: Descriptor
    inputs: JSONValue
    timeout_ms: int | None
    key: str | None


class Stop(NamedTuple):
    """Order: cancel a call that was launched; how it ended is still to be told."""

    place: int


Order = Launch | Stop


def cancelled(reason: str, *, may_have_run: bool = False) -> SkillError:
    """Make the error of a call that was not made, or not to its end.

    >>> cancelled(EARLIER_FAILURE).message
    'Not run: another call of the same step failed'
    """
    why = "another call of the same step failed" if reason == EARLIER_FAILURE else "the caller cancelled the run"
    details: dict[str, JSONValue] = {"reason": reason}
    if may_have_run:
        details["may_have_run"] = True
    return SkillError(ErrorCode.CANCELLED, f"{'Cancelled' if may_have_run else 'Not run'}: {why}", details=details)


def no_time_left() -> SkillError:
    """Make the error of a call for which the run's time limit leaves nothing."""
    message = "Not run: the time limit of the run was reached"
    return SkillError(ErrorCode.EXECUTION_TIMEOUT, message, details={"reason": OUT_OF_TIME}, retryable=False)


class DispatchCore:
    """The calls of one step.

    Args:
        plans: the calls, in their order.
        concurrency: so many run at a time.
        left_ms: gives the time that is left for all of them; None means no limit.
        tell: is told `tool.started`, and one `tool.completed` or `tool.failed` for each call.
    """

    def __init__(
        self, plans: Sequence[Plan], *, concurrency: int, left_ms: Callable[[], int | None], tell: Tell
    ) -> None:
        self._plans = plans
        self.concurrency = max(1, min(concurrency, len(plans)))
        self._left_ms = left_ms
        self._tell = tell
        self._answers: list[ToolAnswer | None] = [None] * len(plans)
        self._next = 0
        self._cut: int | None = None
        self.is_stopped = False
        self._stopping: dict[int, str] = {}
        self.running: set[int] = set()

    @property
    def is_over(self) -> bool:
        """Whether every call has its answer."""
        return None not in self._answers

    @property
    def answers(self) -> tuple[ToolAnswer, ...]:
        """The answers so far, in the order of the calls."""
        return tuple(answer for answer in self._answers if answer is not None)

    @property
    def failure(self) -> SkillError | None:
        """What is to be raised: the first failure, in the order of the calls, that ends the run."""
        error = next((answer.error for answer in self.answers if answer.fails_run), None)
        if self.is_stopped:
            error = SkillError(ErrorCode.CANCELLED, "The caller cancelled the calls", details={"reason": CALLER})
        if error is not None:
            error.answers = self.answers
        return error

    def begin(self) -> list[Order]:
        """Give the first orders; what is settled already is answered first."""
        for place, plan in enumerate(self._plans):
            if plan.settled is not None:
                self._answer(place, plan.settled)
        if self._cut is not None:
            self._settle_rest(EARLIER_FAILURE)
        return self._fill()

    def ended(self, place: int, outcome: Result | SkillError) -> list[Order]:
        """Take in how a call ended, and give the orders that follow."""
        self._answer(place, self._as_ordered(place, outcome))
        self.running.discard(place)
        if self._cut is None:
            return self._fill()
        reason = CALLER if self.is_stopped else EARLIER_FAILURE
        self._settle_rest(reason)
        return self._stops(reason)

    def stop(self) -> list[Order]:
        """Take in that the caller wants no more, and give the orders that follow."""
        self.is_stopped, self._cut = True, -1
        self._settle_rest(CALLER)
        return self._stops(CALLER)

    def _stops(self, reason: str) -> list[Order]:
        behind = [place for place in sorted(self.running) if self._cut is not None and place > self._cut]
        fresh = [place for place in behind if place not in self._stopping]
        self._stopping |= dict.fromkeys(fresh, reason)
        return [Stop(place) for place in fresh]

    def _as_ordered(self, place: int, outcome: Result | SkillError) -> Result | SkillError:
        """Tell a cancellation that was ordered here with the reason of the order."""
        if not isinstance(outcome, SkillError) or outcome.code is not ErrorCode.CANCELLED:
            return outcome
        if place not in self._stopping or outcome.details.get("reason") != CALLER:
            return outcome
        error = cancelled(self._stopping[place], may_have_run=bool(outcome.details.get("may_have_run")))
        error.details = outcome.details | error.details
        error.attempts, error.history = outcome.attempts, outcome.history
        return error

    def close(self) -> None:
        """Answer what is still open, since nothing will be heard of it any more; told once all are answered."""
        self.is_stopped = self.is_stopped or not self.is_over
        tell, late = self._tell, []
        self._tell = lambda name, facts: late.append((name, facts))
        for place in sorted(self.running):
            self._answer(place, cancelled(CALLER, may_have_run=True))
        self.running.clear()
        self._settle_rest(CALLER)
        self._tell = tell
        interruption: BaseException | None = None
        for name, facts in late:
            try:
                tell(name, facts)
            except BaseException as cause:  # the other calls are told of all the same
                interruption = interruption or cause
        if interruption is not None:
            raise interruption

    def _fill(self) -> list[Order]:
        orders: list[Order] = []
        while self._cut is None and self._next < len(self._plans) and len(self.running) < self.concurrency:
            place = self._next
            self._next += 1
            if self._answers[place] is None:
                orders += self._launch(place)
        if self._cut is not None:
            self._settle_rest(EARLIER_FAILURE)
        return orders

    def _launch(self, place: int) -> list[Order]:
        plan, left_ms = self._plans[place], self._left_ms()
        if left_ms is not None and left_ms <= 0:
            self._answer(place, no_time_left())
            return []
        assert plan.skill is not None  # noqa: S101 - a call without one is settled
        own_ms = plan.skill.endpoint.timeout_ms
        timeout_ms = own_ms if left_ms is None else min(left_ms, own_ms or DEFAULT_TIMEOUT_MS)
        self.running.add(place)
        self._tell("tool.started", self._facts(place))
        return [Launch(place, plan.skill, plan.call.inputs, timeout_ms, plan.key)]

    def _settle_rest(self, reason: str) -> None:
        """Answer every call that was not launched and now will not be."""
        for place in range(len(self._plans)):
            if self._answers[place] is None and place not in self.running:
                self._answer(place, cancelled(reason))
        self._next = len(self._plans)

    def _answer(self, place: int, outcome: Result | SkillError) -> None:
        if self._answers[place] is not None:
            return
        plan = self._plans[place]
        skill_id = plan.skill.id if plan.skill is not None else None
        if not isinstance(outcome, SkillError):
            self._answers[place] = ToolAnswer(plan.call, skill_id, outcome, None)
            self._tell("tool.completed", self._facts(place))
            return
        error = with_target(outcome)
        fails = fails_run(plan.policy, error) and not self._is_ours(error)
        self._answers[place] = ToolAnswer(plan.call, skill_id, None, error, fails)
        self._tell("tool.failed", self._facts(place) | _told(error))
        if fails:
            self._cut = place if self._cut is None else min(self._cut, place)

    def _is_ours(self, error: SkillError) -> bool:
        """Say whether a call was cancelled here, which is a consequence and no failure of its own."""
        is_ordered = error.details.get("reason") in (CALLER, EARLIER_FAILURE)
        return error.code is ErrorCode.CANCELLED and self._cut is not None and is_ordered

    def _facts(self, place: int) -> dict[str, JSONValue]:
        plan = self._plans[place]
        facts: dict[str, JSONValue] = {"tool_call_id": plan.call.id, "tool": plan.call.name}
        return facts if plan.skill is None else facts | {"skill_id": plan.skill.id}


def _told(error: SkillError) -> dict[str, JSONValue]:
    facts = {name: error.details.get(name) for name in ("reason", "target", "may_have_run")}
    return {"code": error.code.value} | {name: value for name, value in facts.items() if value is not None}
