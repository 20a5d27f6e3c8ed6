"""What the blocking and the async client have in common: their options, and how a call begins."""

import re
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from skillproto.errors import SkillError, UsageError
from skillproto.invocation import log
from skillproto.invocation._carriers import Carriers
from skillproto.invocation.auth import Credentials
from skillproto.invocation.core import Core
from skillproto.invocation.events import Emitter, Listener
from skillproto.invocation.places import Places
from skillproto.invocation.preparation import (
    CALLER_TYPES,
    LONGEST_TIMEOUT_MS,
    Preparation,
    Skills,
    new_key,
)
from skillproto.invocation.prepared import Shared
from skillproto.invocation.retry import Circuit, RetryBudget, RetryPolicy, check_whole
from skillproto.invocation.timing import REAL, Timing
from skillproto.invocation.wire import Goal, Result
from skillproto.violations import JSONValue

if TYPE_CHECKING:
    from os import PathLike

    from skillproto.descriptor import Descriptor
    from skillproto.invocation.journal import Journal
    from skillproto.invocation.journaled import Journaled
    from skillproto.invocation.telemetry import Telemetry

    Driven = Core | Journaled

MAX_REPLY_BYTES = 10 * 1024 * 1024
"""A reply larger than this, as sent or as inflated, is not read further."""

_HEADER_SAFE = re.compile(r"[\x21-\x7e]+")
_LONGEST_TEXT = 200
_MOST_AT_A_TIME = 1_000_000


def check_text(name: str, value: object) -> str:
    """Give a short text as it is.

    Raises:
        UsageError: it is none, has another length, or holds what cannot be printed.
    """
    if not isinstance(value, str) or not 1 <= len(value) <= _LONGEST_TEXT:
        raise UsageError(f"{name} must be a text of 1 to {_LONGEST_TEXT} characters")
    if not value.isprintable():  # which lone surrogates are not either
        raise UsageError(f"{name} must hold printable characters alone")
    return value


def _as_telemetry(given: "Telemetry | bool | None") -> "Telemetry | None":
    if given is None or given is False:
        return None
    try:
        kind = import_module("skillproto.invocation.telemetry").Telemetry
    except ModuleNotFoundError as missing:
        raise UsageError("telemetry needs OpenTelemetry: pip install 'skillproto[otel]'") from missing
    if given is not True and not isinstance(given, kind):
        raise UsageError(f"telemetry must be a Telemetry, True or None, not a {type(given).__name__}")
    telemetry: Telemetry = kind() if given is True else given
    return telemetry


def _as_journal(given: "Journal | str | PathLike[str] | None") -> "Journal | None":
    if given is None:
        return None
    from skillproto.invocation.journal import as_journal

    return as_journal(given)


class Base:
    """Holds the options of a client and what its calls share; see `SkillClient`."""

    _is_async: ClassVar[bool]

    def __init__(
        self,
        *,
        caller_id: str,
        caller_type: str = "service",
        credentials: Any = None,
        policy: RetryPolicy | None = None,
        transport: Any = None,
        on_event: Listener | None = None,
        verify: Any = True,
        max_reply_bytes: int = MAX_REPLY_BYTES,
        retry_budget: bool = True,
        circuit_breaker: bool = True,
        max_concurrency: int | None = None,
        timing: Timing | None = None,
        telemetry: "Telemetry | bool | None" = None,
        journal: "Journal | str | PathLike[str] | None" = None,
    ) -> None:
        check_text("caller_id", caller_id)
        if caller_type not in CALLER_TYPES:
            raise UsageError(f"caller_type must be one of {', '.join(CALLER_TYPES)}, not {caller_type!r}")
        if policy is not None and not isinstance(policy, RetryPolicy):
            raise UsageError(f"policy must be a RetryPolicy, not a {type(policy).__name__}")
        if on_event is not None and not callable(on_event):
            raise UsageError(f"on_event must be a function that takes an Event, not a {type(on_event).__name__}")
        if timing is not None and not isinstance(timing, Timing):
            raise UsageError(f"timing must be a Timing, not a {type(timing).__name__}")
        self._caller_id = caller_id
        self._skills = Skills({"id": caller_id, "type": caller_type})
        self._credentials = Credentials(credentials)
        self._policy = policy or RetryPolicy()
        self._timing = timing or REAL
        self._telemetry = _as_telemetry(telemetry)
        listeners = (on_event, self._telemetry.on_event if self._telemetry is not None else None)
        self._emitter = Emitter(*listeners)
        self._logging_emitter = Emitter(*listeners, log.tell)
        self._limit_bytes = check_whole("max_reply_bytes", max_reply_bytes, 1, 2**40)
        self._retry_budget = retry_budget
        self._circuit_breaker = circuit_breaker
        if max_concurrency is not None:
            check_whole("max_concurrency", max_concurrency, 1, _MOST_AT_A_TIME)
        self._max_concurrency = max_concurrency
        self._shared: dict[str, Shared] = {}
        self._carriers = Carriers(transport, verify, is_async=self._is_async)
        self._journal = _as_journal(journal)
        self._owns_journal = self._journal is not None and self._journal is not journal

    def __repr__(self) -> str:
        return f"{type(self).__name__}(caller_id={self._caller_id!r})"

    def _share(self, origin: str) -> Shared:
        shared = self._shared.get(origin)
        if shared is None:
            shared = Shared(
                RetryBudget(clock=self._timing.clock) if self._retry_budget else None,
                Circuit(clock=self._timing.clock) if self._circuit_breaker else None,
                Places(self._max_concurrency) if self._max_concurrency is not None else None,
            )
            shared = self._shared.setdefault(origin, shared)
        return shared

    def _core(
        self,
        descriptor: "Descriptor | Mapping[str, JSONValue]",
        inputs: Mapping[str, JSONValue] | None,
        timeout_ms: int | None,
        trace_id: str | None = None,
        priority: str | int | None = None,
        idempotency_key: str | None = None,
        resume: str | None = None,
        goal: Goal = "result",
        is_taken_up: bool = False,
    ) -> "Driven":
        if timeout_ms is not None:
            check_whole("timeout_ms", timeout_ms, 1, LONGEST_TIMEOUT_MS)
        if priority is not None and (isinstance(priority, bool) or not isinstance(priority, str | int)):
            raise UsageError(f"priority must be a text or a whole number, not a {type(priority).__name__}")
        if trace_id is not None:
            check_text("trace_id", trace_id)
        if idempotency_key is not None and not _HEADER_SAFE.fullmatch(check_text("idempotency_key", idempotency_key)):
            raise UsageError("idempotency_key must be visible ASCII characters, since it travels in a header")
        key = idempotency_key or new_key()
        asked = Preparation(
            descriptor,
            inputs,
            self._skills,
            self._credentials,
            timeout_ms,
            trace_id,
            priority,
            key,
            self._share,
        )
        if self._journal is None or goal in ("status", "end"):
            return self._made(asked, goal, resume=resume)
        from skillproto.invocation.journaled import Journaled

        make = partial(self._made, asked, goal)
        is_named = idempotency_key is not None
        return Journaled(self._journal, make, asked, goal, self._timing.clock, is_named, is_taken_up, resume)

    def _made(
        self,
        asked: Preparation,
        goal: Goal,
        *,
        resume: str | None = None,
        body: bytes | None = None,
        known: Result | SkillError | None = None,
    ) -> Core:
        if body is not None:
            asked = asked._replace(body=body)
        return Core(
            prepare=asked.prepare,
            invocation_id=asked.key,
            skill_id=asked.skill_id,
            policy=self._policy,
            emitter=self._logging_emitter if log.is_wanted() else self._emitter,
            clock=self._timing.clock,
            random=self._timing.random,
            resume=resume,
            goal=goal,
            known=known,
        )

    def _close_journal(self) -> None:
        if self._journal is not None and self._owns_journal:
            self._journal.close()
