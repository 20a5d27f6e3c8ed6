"""A loop that asks a model, makes the calls that it wants, and tells it the answers, until it is done.

What happens next is decided in `run_core` and carried out by `run_drivers`.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from inspect import isawaitable
from typing import Any, Generic, overload

from skillproto.agent.approvals import Decisions, read_decisions
from skillproto.agent.definitions import DefinitionStyle, check_style
from skillproto.agent.dispatch_calls import ToolCall
from skillproto.agent.dispatch_core import ToolAnswer
from skillproto.agent.run_core import Options, RunCore
from skillproto.agent.run_drivers import Hands, Model, run_here, run_in_task
from skillproto.agent.run_events import RunListener
from skillproto.agent.run_messages import as_messages
from skillproto.agent.skill_set import Client, SkillSet, check_cancel
from skillproto.agent.states import TAKEN_UP, Record, RunResult, StateAccessor
from skillproto.agent.wording import LOCALES, Locale
from skillproto.errors import SkillError, UsageError
from skillproto.invocation._base import check_text
from skillproto.invocation.cancel import CancelToken
from skillproto.invocation.client import AsyncSkillClient, SkillClient
from skillproto.invocation.events import Emitter
from skillproto.invocation.preparation import LONGEST_TIMEOUT_MS, new_key
from skillproto.invocation.retry import RetryPolicy, check_whole
from skillproto.validation.embedded import compile_embedded
from skillproto.violations import JSONValue

_MOST_STEPS = 10_000


class Run(Generic[Client]):
    """Runs an agent: a model with a set of skills, within limits.

    A run ends in one of five states. `completed`, `stopped` and `waiting_for_human` are no failures
    and give a `RunResult`; `failed` and `cancelled` raise. Whatever happens, exactly one final event
    is emitted, every tool call has its answer in the messages, and with `state` the run was saved,
    error and all, before it is raised. `error.run` has it too.

    More steps than `max_steps` are a failure, `Max steps exceeded (N)`: seven of the eight systems in
    the source see it so, since the task was not done; what an agent should regularly end by is
    `stop_when`. A cancelled run always raises: what the caller cancelled with (an interruption, a
    cancelled task) as it is, and `Cancelled` for a token.

    Args:
        skills: the tools. With a `SkillClient` every method blocks, with an `AsyncSkillClient` it is awaited.
        model: called with the messages and the tool definitions; gives the reply in the vendor's
            shape, as JSON or as an object of its SDK.
        style: whose shapes: "anthropic", "openai", "openai-responses", "mcp" or "asixto".
        agent_id: whose runs these are; the runs of another agent are not taken up.
        max_steps: the model is asked in so many steps at most.
        timeout_ms: one deadline over the run, pauses left out; each call gets what is left. None for
            no limit. A blocking model is not interrupted, but its late reply is not used.
        needs_approval: skill ids whose calls a person must allow, or a function of a `ToolCall`.
        review: a function of the final output that says whether a person must see it first.
        stop_when: a function of the answers of a step; gives the reason to stop, or None.
        output_schema: a JSON Schema; the final text must be JSON that fits.
        state: keeps runs: `save(saved)` and `load(run_id)`.
        model_policy: how often a model that fails is asked again; only what may pass is.
        on_event: called with each `RunEvent`; what it raises is logged and goes no further.
        locale: the language of what is written for users in answers: "en" or "es".

    Raises:
        UsageError: an argument that can never work.

    Source: 004; 002 for local recovery.

    >>> from skillproto.testing import ScriptedTransport, output, sample_descriptor
    >>> client = SkillClient(caller_id="docs", transport=ScriptedTransport([output("hola")]))
    >>> call = {"type": "tool_use", "id": "c1", "name": "example_skill_echo", "input": {"text": "hello"}}
    >>> replies = iter([{"content": [call]}, {"content": "It says hola."}])
    >>> run = Run(SkillSet([sample_descriptor()], client), lambda messages, tools: next(replies), style="anthropic")
    >>> run.start("What does it say?")[1:3]
    ('completed', 'It says hola.')
    """

    def __init__(
        self,
        skills: SkillSet[Client],
        model: Model,
        *,
        style: DefinitionStyle,
        agent_id: str = "agent",
        max_steps: int = 10,
        timeout_ms: int | None = None,
        needs_approval: Iterable[str] | Callable[[ToolCall], bool] = (),
        review: Callable[[JSONValue], bool] | None = None,
        stop_when: Callable[[Sequence[ToolAnswer]], str | bool | None] | None = None,
        output_schema: JSONValue = None,
        state: StateAccessor | None = None,
        model_policy: RetryPolicy | None = None,
        on_event: RunListener | None = None,
        locale: Locale = "en",
    ) -> None:
        if not isinstance(skills, SkillSet):
            raise UsageError(f"skills must be a SkillSet, not a {type(skills).__name__}")
        if not callable(model):
            raise UsageError(f"model must be a function of messages and tools, not a {type(model).__name__}")
        if not isinstance(agent_id, str) or not agent_id:
            raise UsageError("agent_id must be a text of at least one character")
        if locale not in LOCALES:
            raise UsageError(f"locale must be one of {', '.join(LOCALES)}, not {locale!r}")
        check_style(style)
        check_whole("max_steps", max_steps, 1, _MOST_STEPS)
        if timeout_ms is not None:
            check_whole("timeout_ms", timeout_ms, 1, LONGEST_TIMEOUT_MS)
        self.skills: SkillSet[Client] = skills
        self.agent_id = agent_id
        self._hands = Hands(model, state, skills.client)
        self._emitter = Emitter(on_event)  # type: ignore[arg-type]
        self._options = Options(
            style=style,
            tools=skills._definitions(style, stacklevel=3),
            max_steps=max_steps,
            timeout_ms=timeout_ms,
            needs_approval=needs_approval if callable(needs_approval) else _among(skills, needs_approval),
            review=review,
            stop_when=stop_when,
            schema=_schema(output_schema),
            policy=model_policy or RetryPolicy(),
            locale=locale,
            as_error=_as_error,
        )

    def __repr__(self) -> str:
        return f"Run({self.skills!r}, agent_id={self.agent_id!r})"

    @overload
    def start(
        self: "Run[SkillClient]",
        messages: str | Sequence[Any],
        *,
        run_id: str | None = None,
        cancel: CancelToken | None = None,
    ) -> RunResult: ...

    @overload
    def start(
        self: "Run[AsyncSkillClient]", messages: str | Sequence[Any], *, run_id: str | None = None, cancel: None = None
    ) -> Awaitable[RunResult]: ...

    def start(
        self, messages: str | Sequence[Any], *, run_id: str | None = None, cancel: CancelToken | None = None
    ) -> RunResult | Awaitable[RunResult]:
        """Begin a run, and go on until it ends or waits for a person.

        Args:
            messages: what the person says, or a whole conversation in the style of the run. Tool calls
                that were left open in it are answered first (`history.repaired`).
            run_id: names the run, in 1 to 200 printable characters; None makes a new id. The calls'
                Idempotency-Keys follow from it, so an id that `state` knows is refused.
            cancel: cancels the run from another thread; with an async client cancel the task.

        Returns:
            A `RunResult`; with an `AsyncSkillClient`, an awaitable of it.

        Raises:
            SkillError: the run failed: a call under `fail-run`, the step limit (`UnknownFailure`), the
                time limit (`ExecutionTimeout`), a reply that is none (`ValidationFailed`, target
                `agent_output`), or a token (`Cancelled`).
            UsageError: an argument that can never work, or a `run_id` that is taken; nothing was done.
            Exception: what the model raised, as it is, when it is not asked again.
        """
        check_cancel(cancel, self.skills.client)
        own_id = new_key() if run_id is None else check_text("run_id", run_id)
        record = Record(own_id, self.agent_id, self._options.style, as_messages(messages, self._style))
        core = self._core(record, None)
        is_named = run_id is not None and self._hands.state is not None
        if isinstance(self.skills.client, AsyncSkillClient):
            return self._start_in_task(core, is_named=is_named)
        if is_named:
            _require_new(own_id, self._load(own_id))
        return run_here(core, self._hands, cancel)

    async def _start_in_task(self, core: RunCore, *, is_named: bool) -> RunResult:
        if is_named:
            found = self._load(core.record.run_id)
            _require_new(core.record.run_id, await found if isawaitable(found) else found)
        return await run_in_task(core, self._hands)

    @overload
    def resume(
        self: "Run[SkillClient]",
        saved: Mapping[str, JSONValue] | None = None,
        decisions: Decisions | None = None,
        *,
        human_input: str | Sequence[Any] | None = None,
        run_id: str | None = None,
        cancel: CancelToken | None = None,
    ) -> RunResult: ...

    @overload
    def resume(
        self: "Run[AsyncSkillClient]",
        saved: Mapping[str, JSONValue] | None = None,
        decisions: Decisions | None = None,
        *,
        human_input: str | Sequence[Any] | None = None,
        run_id: str | None = None,
        cancel: None = None,
    ) -> Awaitable[RunResult]: ...

    def resume(
        self,
        saved: Mapping[str, JSONValue] | None = None,
        decisions: Decisions | None = None,
        *,
        human_input: str | Sequence[Any] | None = None,
        run_id: str | None = None,
        cancel: CancelToken | None = None,
    ) -> RunResult | Awaitable[RunResult]:
        """Go on with a run that waits for a person, or whose process was interrupted.

        Args:
            saved: the `saved` of its result, perhaps from another process; None loads it by `run_id`.
            decisions: for exactly the pending tool calls, by their ids: "approve", "reject",
                {"reject": "why"}, or {"output": ...} where somebody else did it.
            human_input: what a person says to an output that was to be reviewed; never stands for
                a tool's output.
            run_id: of a run that `state` keeps.
            cancel: as in `start`.

        Raises:
            UsageError: nothing to go on with, the run of another agent or one that has ended, a decision
                that is missing, unknown or given twice; nothing was done. Everything else as `start`.
        """
        check_cancel(cancel, self.skills.client)
        if isinstance(self.skills.client, AsyncSkillClient):
            return self._resume_in_task(saved, decisions, human_input, run_id)
        found = self._load(run_id) if saved is None else saved
        return run_here(self._taken_up(found, decisions, human_input, run_id), self._hands, cancel)

    async def _resume_in_task(
        self, saved: Any, decisions: Decisions | None, human_input: str | Sequence[Any] | None, run_id: str | None
    ) -> RunResult:
        found = self._load(run_id) if saved is None else saved
        found = await found if isawaitable(found) else found
        return await run_in_task(self._taken_up(found, decisions, human_input, run_id), self._hands)

    def _load(self, run_id: str | None) -> Any:
        if self._hands.state is None or run_id is None:
            raise UsageError("A saved run, or a state accessor with a run_id, is required")
        return self._hands.state.load(run_id)

    def _taken_up(
        self, saved: Any, decisions: Decisions | None, human_input: str | Sequence[Any] | None, run_id: str | None
    ) -> RunCore:
        if saved is None:
            raise UsageError(f"Run {run_id} was not found")
        record = Record.from_dict(saved)
        if record.agent_id != self.agent_id:
            raise UsageError(f"Run {record.run_id} belongs to agent {record.agent_id}")
        if record.style != self._style:
            raise UsageError(f"Run {record.run_id} has messages in the style {record.style}")
        if record.state not in TAKEN_UP:
            raise UsageError(f"Run {record.run_id} has ended ({record.state}); start a new one with its messages")
        settled = read_decisions(decisions, record.pending)
        is_review = record.state == "waiting_for_human" and not record.pending
        if is_review and human_input is None:
            raise UsageError(f"Run {record.run_id} is waiting for human input")
        if human_input is not None:
            if not is_review:
                raise UsageError(f"Run {record.run_id} is not waiting for human input")
            record.messages += as_messages(human_input, self._style)
        record.output = record.error = record.error_details = None
        return self._core(record, settled)

    @property
    def _style(self) -> DefinitionStyle:
        return self._options.style

    def _core(self, record: Record, settled: Any) -> RunCore:
        timing = self.skills.client._timing
        return RunCore(record, self.skills, self._options, self._emitter, timing.clock, timing.random, settled)


def _require_new(run_id: str, found: Any) -> None:
    if found is not None:
        raise UsageError(f"Run {run_id} was started before: go on with it (resume), or give another run_id")


def _among(skills: SkillSet[Any], names: Iterable[str]) -> Callable[[ToolCall], bool]:
    wanted = skills._ids("needs_approval", names)

    def needs(call: ToolCall) -> bool:
        skill = skills.find(call.name)
        return skill is not None and skill.id in wanted

    return needs


def _schema(given: JSONValue) -> Any:
    if given is None:
        return None
    schema = compile_embedded(given)
    if schema.problems:
        raise UsageError(f"output_schema cannot be used: {schema.problems[0].message}")
    return schema


def _as_error(error: Exception) -> SkillError:
    from skillproto.agent.gateway import from_gateway

    return error if isinstance(error, SkillError) else from_gateway(error)
