"""The clients: they carry out what the core asks for, with threads or with async.

Nothing is decided here. What an invocation does next is the core's, what an exception of
the HTTP library means is `_http`'s.
"""

from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, assert_never

from skillproto.invocation import _http
from skillproto.invocation.cancel import CancelToken
from skillproto.invocation.execution import AsyncExecution, Execution, read_saved
from skillproto.invocation.many import Call, CallOutcome, check_concurrency, in_tasks, in_threads
from skillproto.invocation.preparation import (
    as_descriptor,
)
from skillproto.invocation.resuming import AsyncResuming, Resuming
from skillproto.invocation.wire import (
    Done,
    GiveUp,
    Goal,
    Keep,
    Lost,
    Queue,
    Replied,
    Request,
    Result,
    Send,
    Started,
    Stopped,
    Wait,
    Woke,
)
from skillproto.violations import JSONValue

if TYPE_CHECKING:
    from skillproto.descriptor import Descriptor
    from skillproto.invocation._base import Driven
    from skillproto.invocation._http_async import AsyncExchanger
    from skillproto.invocation.telemetry import AsyncWatchedExchanger, Telemetry, WatchedExchanger


async def _in_thread(write: Callable[[], object]) -> None:
    from anyio.to_thread import run_sync

    await run_sync(write)


class SkillClient(Resuming):
    """Calls skills and waits for their results; one client serves many threads.

    Args:
        caller_id: names who calls, in every request.
        caller_type: "service", "user" or "ifay".
        credentials: a key or bearer token, or a callable that makes the headers; see
            `skillproto.invocation.auth.Credentials`. Sent only to the endpoint's own
            origin, over https or to loopback.
        policy: how often to retry; None means `RetryPolicy()`.
        transport: a transport of httpx, or a whole client of it; None makes one.
        on_event: called with each `Event`; what it raises is logged and goes no further.
        verify: as httpx takes it: True, an `ssl.SSLContext`, or False (never in production).
        max_reply_bytes: a larger reply, as sent or as inflated, is not read further.
        retry_budget: bounds the retries that all calls to one origin make together.
        circuit_breaker: stops calls to an origin that failed many times in a row.
        max_concurrency: so many requests at a time to each origin; the others wait in line, without
            a connection and within their own time. None means no limit.
        timing: clock, waits and chance; None means the real ones. `skillproto.testing` has others.
        telemetry: True sends spans and metrics to the global providers of OpenTelemetry (extra
            `otel`); a `skillproto.invocation.telemetry.Telemetry` to others; None to nobody.
        journal: the path of a file in which calls stand until their end is known, so that another
            process can take up what a killed one left (`resume_journal`); None keeps none.

    Raises:
        UsageError: an argument that can never work.

    >>> with SkillClient(caller_id="docs") as client:
    ...     client
    SkillClient(caller_id='docs')
    """

    _is_async = False

    @cached_property
    def _exchanger(self) -> "_http.Exchanger | WatchedExchanger":
        exchanger = _http.Exchanger(self._carriers, self._limit_bytes, self._timing.clock)
        return exchanger if self._telemetry is None else self._telemetry.watching(exchanger)

    def invoke(
        self,
        descriptor: "Descriptor | Mapping[str, JSONValue]",
        inputs: Mapping[str, JSONValue] | None = None,
        timeout_ms: int | None = None,
        *,
        trace_id: str | None = None,
        priority: str | int | None = None,
        idempotency_key: str | None = None,
        cancel: CancelToken | None = None,
    ) -> Result:
        """Call a skill and wait for its result.

        Args:
            descriptor: the skill's descriptor, parsed, or its typed view (checked once only).
            inputs: the values of its parameters, by name; None means none.
            timeout_ms: everything together may take so long; None means the descriptor's
                `endpoint.timeout_ms`, or 30,000.
            trace_id: sent along in the request's context.
            priority: sent along in the request's context.
            idempotency_key: names the call to the provider, the same on every attempt;
                None makes a new one.
            cancel: ends the call from another thread, which then raises `Cancelled`.

        Returns:
            The `Result`; its output fits the descriptor.

        Raises:
            SkillError: the call failed; `code` says how, `history` what was tried. A
                descriptor, input or output that breaks its contract is `ValidationFailed`.
            UsageError: an argument that can never work.

        Source: SSP, the three steps of an invocation; 9.5 for retries.
        """
        core = self._core(descriptor, inputs, timeout_ms, trace_id, priority, idempotency_key)
        result: Result = self._drive(core, cancel)
        return result

    def start(
        self,
        descriptor: "Descriptor | Mapping[str, JSONValue]",
        inputs: Mapping[str, JSONValue] | None = None,
        timeout_ms: int | None = None,
        *,
        trace_id: str | None = None,
        priority: str | int | None = None,
        idempotency_key: str | None = None,
    ) -> Execution:
        """Start a skill without waiting for its result.

        Returns:
            An `Execution` to ask later, or one that is finished when the skill answered at once.

        Raises:
            SkillError: the skill was not started; see `invoke`.
        """
        skill = as_descriptor(descriptor)
        core = self._core(skill, inputs, timeout_ms, trace_id, priority, idempotency_key, goal="start")
        started: Started = self._drive(core)
        return Execution(self, skill, started.execution_id, started.result)

    def resume(self, descriptor: "Descriptor | Mapping[str, JSONValue]", execution_id: str) -> Execution:
        """Take up an execution that was accepted earlier, perhaps by another process. Sends nothing.

        Raises:
            ValidationFailed: the descriptor breaks its contract.
        """
        return Execution(self, as_descriptor(descriptor), execution_id)

    def restore(self, saved: Mapping[str, JSONValue]) -> Execution:
        """Take up an execution from what its `to_dict()` gave. Sends nothing.

        Raises:
            UsageError: the value is no saved execution.
        """
        return Execution(self, *read_saved(saved))

    def _ask(self, skill: "Descriptor", execution_id: str, goal: Goal, timeout_ms: int | None) -> Any:
        return self._drive(self._core(skill, None, timeout_ms, resume=execution_id, goal=goal))

    def close(self) -> None:
        """Close every connection."""
        for carrier in self._carriers.to_close:
            carrier.close()
        self._close_journal()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def invoke_many(self, calls: Iterable[Call], *, concurrency: int = 8) -> Iterator[CallOutcome]:
        """Make many calls, so many at a time, and give each outcome as it comes.

        Args:
            calls: `Call`s, or tuples of the same; taken one by one as others end, so an
                endless iterator is fine.
            concurrency: how many run at a time, each in a thread.

        Yields:
            A `CallOutcome` for each call, in the order in which they end. Leaving the
            iteration cancels those that run.

        Raises:
            UsageError: an argument that can never work.
        """
        check_concurrency(concurrency)

        def invoke(call: Call, cancel: CancelToken) -> Result:
            core = self._core(call.descriptor, call.inputs, call.timeout_ms, idempotency_key=call.idempotency_key)
            result: Result = self._drive(core, cancel)
            return result

        return in_threads(invoke, calls, concurrency)

    def _send(
        self, core: "Driven", request: Request, limit_s: float, cancel: CancelToken | None
    ) -> Replied | Lost | Stopped:
        if cancel is None:
            return self._exchanger.send(request, limit_s, core.unsent)
        return self._exchanger.send_until(request, limit_s, cancel)

    def _wait(self, seconds: float, cancel: CancelToken | None) -> Woke | Stopped:
        if cancel is None:
            self._timing.sleep(seconds)
            return Woke()
        return Stopped() if self._timing.wait(cancel, seconds) else Woke()

    def _drive(self, core: "Driven", cancel: CancelToken | None = None) -> Any:
        if self._telemetry is None:
            return self._carry_out(core, cancel)
        with self._telemetry.call(core):
            return self._carry_out(core, cancel)

    def _carry_out(self, core: "Driven", cancel: CancelToken | None) -> Any:
        try:
            action = core.start()
            while True:
                match action:
                    case Send():  # nothing of it is kept here, for an execution may wait for long
                        action = core.receive(self._send(core, *action, cancel))
                    case Wait(seconds):
                        action = core.receive(self._wait(seconds, cancel))
                    case Queue(places, limit_s):
                        action = core.receive(places.wait(limit_s, cancel))
                    case Keep(write):
                        write()
                        action = core.receive(Woke())
                    case Done(outcome):
                        return outcome
                    case GiveUp(error):
                        raise error  # noqa: TRY301 - the final event is emitted already
                    case _:
                        assert_never(action)
        except BaseException as cause:
            core.abandon(cause)
            raise


class AsyncSkillClient(AsyncResuming):
    """Calls skills and waits for their results, on asyncio and trio.

    The arguments are those of `SkillClient`; `transport` is an async one.

    A cancelled call ends at once, emits `invocation.cancelled` and leaves the client fit for
    the next call.

    >>> AsyncSkillClient(caller_id="docs")
    AsyncSkillClient(caller_id='docs')
    """

    _is_async = True

    @cached_property
    def _exchanger(self) -> "AsyncExchanger | AsyncWatchedExchanger":
        from skillproto.invocation._http_async import AsyncExchanger

        exchanger = AsyncExchanger(self._carriers, self._limit_bytes, self._timing.clock)
        return exchanger if self._telemetry is None else self._telemetry.watching_async(exchanger)

    async def invoke(
        self,
        descriptor: "Descriptor | Mapping[str, JSONValue]",
        inputs: Mapping[str, JSONValue] | None = None,
        timeout_ms: int | None = None,
        *,
        trace_id: str | None = None,
        priority: str | int | None = None,
        idempotency_key: str | None = None,
    ) -> Result:
        """Call a skill and wait for its result; see `SkillClient.invoke`."""
        result: Result = await self._drive(
            self._core(descriptor, inputs, timeout_ms, trace_id, priority, idempotency_key)
        )
        return result

    async def start(
        self,
        descriptor: "Descriptor | Mapping[str, JSONValue]",
        inputs: Mapping[str, JSONValue] | None = None,
        timeout_ms: int | None = None,
        *,
        trace_id: str | None = None,
        priority: str | int | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncExecution:
        """Start a skill without waiting for its result; see `SkillClient.start`."""
        skill = as_descriptor(descriptor)
        core = self._core(skill, inputs, timeout_ms, trace_id, priority, idempotency_key, goal="start")
        started: Started = await self._drive(core)
        return AsyncExecution(self, skill, started.execution_id, started.result)

    def resume(self, descriptor: "Descriptor | Mapping[str, JSONValue]", execution_id: str) -> AsyncExecution:
        """Take up an execution that was accepted earlier; see `SkillClient.resume`."""
        return AsyncExecution(self, as_descriptor(descriptor), execution_id)

    def restore(self, saved: Mapping[str, JSONValue]) -> AsyncExecution:
        """Take up an execution from what its `to_dict()` gave; see `SkillClient.restore`."""
        return AsyncExecution(self, *read_saved(saved))

    async def _ask(self, skill: "Descriptor", execution_id: str, goal: Goal, timeout_ms: int | None) -> Any:
        return await self._drive(self._core(skill, None, timeout_ms, resume=execution_id, goal=goal))

    async def aclose(self) -> None:
        """Close every connection."""
        for carrier in self._carriers.to_close:
            await carrier.close()
        self._close_journal()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def invoke_many(
        self, calls: Iterable[Call], *, concurrency: int = 100
    ) -> AbstractAsyncContextManager[AsyncIterator[CallOutcome]]:
        """Make many calls, so many at a time: `async with client.invoke_many(calls) as outcomes`.

        Iterate over `outcomes` with `async for`; leaving the block cancels what still runs.
        See `SkillClient.invoke_many`.
        """
        check_concurrency(concurrency)

        async def invoke(call: Call) -> Result:
            core = self._core(call.descriptor, call.inputs, call.timeout_ms, idempotency_key=call.idempotency_key)
            result: Result = await self._drive(core)
            return result

        return in_tasks(invoke, calls, concurrency)

    def _drive(self, core: "Driven") -> Coroutine[Any, Any, Any]:
        return self._carry_out(core) if self._telemetry is None else self._watched(self._telemetry, core)

    async def _watched(self, telemetry: "Telemetry", core: "Driven") -> Any:
        with telemetry.call(core):
            return await self._carry_out(core)

    async def _carry_out(self, core: "Driven") -> Any:
        try:
            action = core.start()
            while True:
                match action:
                    case Send():  # nothing of it is kept here, for an execution may wait for long
                        action = core.receive(await self._exchanger.send(*action, core.unsent))
                    case Wait():
                        await self._timing.sleep_async(action.seconds)
                        action = core.receive(Woke())
                    case Queue(places, limit_s):
                        action = core.receive(await places.wait_async(limit_s))
                    case Keep(write):
                        await _in_thread(write)
                        action = core.receive(Woke())
                    case Done(outcome):
                        return outcome
                    case GiveUp(error):
                        raise error  # noqa: TRY301 - the final event is emitted already
                    case _:
                        assert_never(action)
        except BaseException as cause:
            core.abandon(cause)
            raise
