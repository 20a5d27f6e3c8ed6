"""The skills that an agent carries: how a model is told of them, and how its calls are made."""

import warnings
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Generic, TypeVar, overload

from skillproto.agent import dispatch
from skillproto.agent.definitions import (
    MODES,
    TOOL_NAME,
    DefinitionStyle,
    check_style,
    choice,
    definition,
    did_you_mean,
    tool_name,
)
from skillproto.agent.dispatch_calls import ToolCall, read_calls
from skillproto.agent.dispatch_core import DispatchCore, Plan, Tell, ToolAnswer
from skillproto.agent.policies import OnError, read_policies
from skillproto.descriptor import Descriptor
from skillproto.errors import ErrorCode, SkillError, UsageError, ValidationFailed
from skillproto.invocation.cancel import CancelToken
from skillproto.invocation.client import AsyncSkillClient, SkillClient
from skillproto.invocation.excerpts import excerpt
from skillproto.invocation.many import check_concurrency
from skillproto.invocation.preparation import LONGEST_TIMEOUT_MS, as_descriptor
from skillproto.invocation.retry import check_whole
from skillproto.invocation.wire import Result
from skillproto.redaction import query_secrets_of, user_info_of
from skillproto.validation import InputChecker, OutputChecker
from skillproto.violations import JSONValue

Client = TypeVar("Client", SkillClient, AsyncSkillClient)

TOO_MANY = (
    (15, "models often call the wrong one"),
    (10, "models make mistakes in choosing"),
    (6, "models choose best among 5 at most"),
)
"""An agent that carries so many tools is warned about, in these words; the first that fits counts."""

_SHOWN = 80


class TooManyTools(UserWarning):
    """An agent carries more tools than a model chooses well among."""


class SkillSet(Generic[Client]):
    """Some skills, as the tools of an agent.

    Args:
        descriptors: of the skills, parsed or typed; each is checked once, here.
        client: makes the calls. With a `SkillClient` every method blocks; with an
            `AsyncSkillClient` `dispatch` is awaited, on asyncio or trio.
        on_error: what becomes of a run when a call fails: "fail-run" raises, "return-to-model"
            tells the model, "recover" tells it what it can put right and raises the rest; or a
            mapping from skill id to one of these, "*" for all others.
        concurrency: so many calls of one `dispatch` run at a time.
        scopes: gives each agent of a team its own few: skill ids by the agent's name.
        shared: skill ids that every scope has besides.
        names: tool names by skill id, for skills whose own name will not do.

    Attributes:
        skills: the typed descriptors, by tool name.

    Raises:
        UsageError: an argument that can never work, such as two skills of one id.
        ValidationFailed: a descriptor breaks its contract.
        VersionIncompatible: a descriptor is of another protocol major.

    Source: 002 for definitions, choice, number and scopes of tools; 004 for policies.

    >>> from skillproto.testing import ScriptedTransport, output, sample_descriptor
    >>> client = SkillClient(caller_id="docs", transport=ScriptedTransport([output("hola")]))
    >>> skills = SkillSet([sample_descriptor()], client)
    >>> [tool["name"] for tool in skills.definitions("anthropic")]
    ['example_skill_echo']
    >>> call = {"type": "tool_use", "id": "c1", "name": "example_skill_echo", "input": {"text": "hello"}}
    >>> [answer.output for answer in skills.dispatch([call])]
    ['hola']
    """

    def __init__(
        self,
        descriptors: Iterable[Descriptor | Mapping[str, JSONValue]],
        client: Client,
        *,
        on_error: OnError | Mapping[str, OnError] = "fail-run",
        concurrency: int = 8,
        scopes: Mapping[str, Iterable[str]] | None = None,
        shared: Iterable[str] = (),
        names: Mapping[str, str] | None = None,
    ) -> None:
        if not isinstance(client, SkillClient | AsyncSkillClient):
            raise UsageError(f"client must be a SkillClient or an AsyncSkillClient, not a {type(client).__name__}")
        if isinstance(descriptors, Mapping | str | Descriptor):
            raise UsageError("give a list of descriptors, not a single one")
        if not isinstance(descriptors, Iterable):
            raise UsageError(f"descriptors must be a list of descriptors, not a {type(descriptors).__name__}")
        for what, given in (("scopes", scopes), ("names", names)):
            if given is not None and not isinstance(given, Mapping):
                raise UsageError(f"{what} must be a mapping, not a {type(given).__name__}")
        self.client: Client = client
        self.skills: dict[str, Descriptor] = _named([as_descriptor(one) for one in descriptors], names or {})
        self._tools = {skill.id: name for name, skill in self.skills.items()}
        self._checkers = {skill.id: InputChecker(skill.raw["inputs"]) for skill in self.skills.values()}
        self._policy, self._policies = read_policies(on_error, self._tools)
        self._concurrency = check_concurrency(concurrency)
        self._scopes = {name: self._ids(f"scope {name!r}", ids) for name, ids in (scopes or {}).items()}
        self._shared = self._ids("shared", shared)

    def __repr__(self) -> str:
        return f"SkillSet({list(self._tools)})"

    def __len__(self) -> int:
        return len(self.skills)

    # What a model is told.

    def definitions(self, style: DefinitionStyle) -> list[dict[str, JSONValue]]:
        """Give the tool definitions, in the order of the descriptors.

        Args:
            style: "mcp", "anthropic", "openai" (chat), "openai-responses" or "asixto" (as MCP).

        Returns:
            New values each time; change them as you like.

        Raises:
            UsageError: there is no such style.

        Warns:
            TooManyTools: there are more than 5; the words grow graver at 10 and 15.
        """
        return self._definitions(style, stacklevel=3)

    def _definitions(self, style: DefinitionStyle, *, stacklevel: int) -> list[dict[str, JSONValue]]:
        check_style(style)
        for number, consequence in TOO_MANY:
            if len(self.skills) >= number:
                message = f"This agent carries {len(self.skills)} tools: {consequence}; give each agent its own scope"
                warnings.warn(message, TooManyTools, stacklevel=stacklevel)
                break
        return [definition(skill, name, style) for name, skill in self.skills.items()]

    def tool_choice(self, mode: str, style: DefinitionStyle) -> JSONValue:
        """Write which tool the model is to use, as the vendor takes it.

        Args:
            mode: "auto" leaves it to the model, "any" asks for some tool, "none" forbids all; the
                id or tool name of a skill forces that one.
            style: as in `definitions`. MCP knows no forced tool: the `name` is an addition there.

        Raises:
            UsageError: there is no such mode, skill or style; the nearest is named.

        Source: 002, tool_choice.
        """
        if mode in MODES:
            return choice(mode, None, style)
        skill = self.find(mode)
        if skill is None:
            known = (*MODES, *self._tools, *self.skills)
            raise UsageError(f"tool_choice must be auto, any, none or a skill, not {mode!r}{did_you_mean(mode, known)}")
        return choice("any", self._tools[skill.id], style)

    def find(self, name: str) -> Descriptor | None:
        """Give the skill that a tool name, or a skill id, stands for; None where there is none."""
        return self.skills.get(name) or self.skills.get(self._tools.get(name, ""))

    def scope(self, name: str) -> "SkillSet[Client]":
        """Give the set of one agent: its scope, and what all share. Names and policies stay the same.

        Raises:
            UsageError: there is no such scope; the nearest is named.

        Source: 002, scoped tool access.
        """
        if name not in self._scopes:
            known = ", ".join(self._scopes) or "none"
            raise UsageError(f"there is no scope {name!r}{did_you_mean(name, self._scopes)}; there are: {known}")
        return self.only(*self._scopes[name], *self._shared)

    def only(self, *ids: str) -> "SkillSet[Client]":
        """Give a set of some of the skills, for one agent or for one step. It has no scopes.

        Raises:
            UsageError: a skill is not in the set; the nearest is named.
        """
        wanted = self._ids("only", ids)
        policies: dict[str, OnError] = {id_: policy for id_, policy in self._policies.items() if id_ in wanted}
        return SkillSet(
            [skill for skill in self.skills.values() if skill.id in wanted],
            self.client,
            on_error={"*": self._policy, **policies},
            concurrency=self._concurrency,
            names={id_: self._tools[id_] for id_ in wanted},
        )

    def _ids(self, where: str, names: Iterable[str]) -> tuple[str, ...]:
        if not isinstance(names, Iterable):
            raise UsageError(f"{where} must be a list of skill ids, not a {type(names).__name__}")
        found: dict[str, None] = {}
        for name in [names] if isinstance(names, str) else names:
            skill = self.find(name)
            if skill is None:
                known = (*self._tools, *self.skills)
                raise UsageError(f"{where} names a skill that is not in the set: {name!r}{did_you_mean(name, known)}")
            found[skill.id] = None
        return tuple(found)

    # What a model wants done.

    @overload
    def dispatch(
        self: "SkillSet[SkillClient]",
        tool_calls: Iterable[Any],
        timeout_ms: int | None = None,
        *,
        cancel: CancelToken | None = None,
    ) -> tuple[ToolAnswer, ...]: ...

    @overload
    def dispatch(
        self: "SkillSet[AsyncSkillClient]",
        tool_calls: Iterable[Any],
        timeout_ms: int | None = None,
        *,
        cancel: None = None,
    ) -> Awaitable[tuple[ToolAnswer, ...]]: ...

    def dispatch(
        self, tool_calls: Iterable[Any], timeout_ms: int | None = None, *, cancel: CancelToken | None = None
    ) -> tuple[ToolAnswer, ...] | Awaitable[tuple[ToolAnswer, ...]]:
        """Make the calls that a model wants, and answer each exactly once, in their order.

        Inputs are checked before anything is sent, outputs when they came. Transient failures are
        tried again by the client. A call that fails under "fail-run" cancels the calls behind it;
        those before it are let end, so that what is raised is the first failure in the order of
        the calls, whoever was faster. Where a call is refused before anything was sent, nothing is.

        Args:
            tool_calls: in the shape of any style, also the objects of the vendors' SDKs, or `ToolCall`s.
            timeout_ms: one deadline over all of them; each call gets what is left. None means that
                each has the time of its own skill.
            cancel: ends the calls from another thread; with the async client cancel the task.

        Returns:
            A `ToolAnswer` for each call. With an `AsyncSkillClient`, an awaitable of them.

        Raises:
            SkillError: a call failed whose policy ends the run; its `answers` has the answers of all
                calls. Also when cancelled (`Cancelled`).
            UsageError: something is no tool call, has no id, or two have the same; nothing was sent.

        Source: 004, tool errors; 002, local recovery.
        """
        check_cancel(cancel, self.client)
        core = self._core(self._plans(read_calls(tool_calls)), self._left_ms(timeout_ms), _silence)
        if isinstance(self.client, AsyncSkillClient):
            return _in_tasks(core, self.client)
        dispatch.in_threads(core, self.client, cancel)
        return _answers(core)

    def _left_ms(self, timeout_ms: int | None) -> Callable[[], int | None]:
        if timeout_ms is None:
            return lambda: None
        check_whole("timeout_ms", timeout_ms, 1, LONGEST_TIMEOUT_MS)
        clock = self.client._timing.clock
        end = clock() + timeout_ms / 1000
        return lambda: round((end - clock()) * 1000)

    def _secrets(self) -> list[str]:
        """Give what the client knows that nobody must be shown, as far as it is known before a call."""
        known: list[str] = list(self.client._credentials.secrets)
        for skill in self.skills.values():
            known.extend(user_info_of(skill.endpoint.url))
            known.extend(query_secrets_of(skill.endpoint.url))
        return [*known, *(part for secret in known for part in secret.split()[1:])]  # behind a scheme such as Bearer

    def _core(self, plans: Sequence[Plan], left_ms: Callable[[], int | None], tell: Tell) -> DispatchCore:
        return DispatchCore(plans, concurrency=self._concurrency, left_ms=left_ms, tell=tell)

    def _plans(
        self, calls: Iterable[ToolCall], settled: Mapping[str, SkillError | Result] | None = None, scope: str = ""
    ) -> list[Plan]:
        return [self._plan(call, (settled or {}).get(call.id), scope) for call in calls]

    def _plan(self, call: ToolCall, decided: SkillError | Result | None, scope: str) -> Plan:
        skill = self.find(call.name)
        policy = self._policy if skill is None else self._policies.get(skill.id, self._policy)
        if isinstance(decided, SkillError):
            return Plan(call, skill, "return-to-model", decided)  # a person's no is no failure of the run
        settled: SkillError | Result | None = self._refusal(call, skill)
        if decided is not None and skill is not None:
            settled = _checked_output(decided, skill)
        return Plan(call, skill, policy, settled, call_key(scope, call.id) if scope else None)

    def _refusal(self, call: ToolCall, skill: Descriptor | None) -> SkillError | None:
        if skill is None:
            return _unknown(call.name, self.skills)
        violations = [call.broken] if call.broken is not None else self._checkers[skill.id].check(call.inputs)
        return ValidationFailed.of(violations, "The inputs do not fit the skill's descriptor") if violations else None


def check_cancel(cancel: object, client: SkillClient | AsyncSkillClient) -> None:
    """Require a token, or nothing, and nothing where a task can be cancelled.

    Raises:
        UsageError: it is something else.
    """
    if cancel is None:
        return
    if isinstance(client, AsyncSkillClient):
        raise UsageError("cancel is for the blocking client; cancel the task instead")
    if not isinstance(cancel, CancelToken):
        raise UsageError(f"cancel must be a CancelToken, not a {type(cancel).__name__}")


def call_key(scope: str, call_id: str) -> str:
    """Give the Idempotency-Key of a call: the same whenever the same call of the same run is made.

    >>> call_key("r1", "c1") == call_key("r1", "c1") != call_key("r2", "c1")
    True
    """
    return sha256(f"{scope}\n{call_id}".encode()).hexdigest()


def _checked_output(given: Result, skill: Descriptor) -> Result | SkillError:
    violations = OutputChecker(skill.raw["output"]).check(given.output)
    if not violations:
        return given
    error = ValidationFailed.of(violations, "The output that was given does not fit the skill's descriptor")
    error.details["target"] = "tool_output"
    return error


async def _in_tasks(core: DispatchCore, client: AsyncSkillClient) -> tuple[ToolAnswer, ...]:
    await dispatch.in_tasks(core, client)
    return _answers(core)


def _answers(core: DispatchCore) -> tuple[ToolAnswer, ...]:
    if core.failure is not None:
        raise core.failure
    return core.answers


def _silence(name: str, facts: Mapping[str, JSONValue]) -> None:
    return


def _unknown(name: str, known: Iterable[str]) -> SkillError:
    shown = excerpt(name, _SHOWN)
    close = did_you_mean(name, known)
    details: dict[str, JSONValue] = {"reason": "unknown_tool", "tool": shown}
    return SkillError(ErrorCode.SKILL_NOT_FOUND, f"Unknown tool {shown!r}{close}", details=details)


def _named(skills: list[Descriptor], given: Mapping[str, str]) -> dict[str, Descriptor]:
    named: dict[str, Descriptor] = {}
    ids = {skill.id for skill in skills}
    for id_, name in given.items():
        if id_ not in ids:
            raise UsageError(f"names has a skill that is not in the set: {id_!r}{did_you_mean(id_, ids)}")
        if not isinstance(name, str) or not TOOL_NAME.fullmatch(name):
            raise UsageError(f"a tool name is 1 to 64 letters, digits, '_' and '-', not {name!r}")
    for skill in skills:
        name = given.get(skill.id) or tool_name(skill.id)
        other = named.setdefault(name, skill)
        if other is not skill:
            what = "are the same skill" if other.id == skill.id else f"would both be the tool {name!r}; give names"
            raise UsageError(f"{other.id} {other.version} and {skill.id} {skill.version} {what}")
    return named
