"""Carry out what `DispatchCore` orders, with threads or with tasks. Nothing is decided here.

With one call at a time no thread is made: the call runs where `dispatch` was called.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from contextvars import copy_context
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import anyio

from skillproto.agent.dispatch_core import CALLER, DispatchCore, Launch, Order, cancelled
from skillproto.errors import ErrorCode, SkillError
from skillproto.invocation.cancel import CancelToken
from skillproto.invocation.wire import Result

if TYPE_CHECKING:
    from skillproto.invocation.client import AsyncSkillClient, SkillClient

_STOP = -1
_Ended = tuple[int, Result | BaseException]


def in_threads(core: DispatchCore, client: "SkillClient", cancel: CancelToken | None = None) -> None:
    """Make the calls of a step with the blocking client; returns when every one has its answer.

    Raises:
        BaseException: what interrupted this thread, or what broke that should not; every call is
            answered by then, and `answers` of the exception has them where it takes attributes.
    """
    with ThreadPoolExecutor(core.concurrency, thread_name_prefix="skillproto") as pool:
        work = _Threads(core, client, cancel, pool if core.concurrency > 1 else None)
        with cancel.calling(work.interrupt) if cancel is not None else nullcontext():
            work.run()


class _Threads:
    def __init__(
        self, core: DispatchCore, client: "SkillClient", cancel: CancelToken | None, pool: ThreadPoolExecutor | None
    ) -> None:
        self._core = core
        self._client = client
        self._cancel = cancel
        self._pool = pool
        self._tokens: dict[int, CancelToken] = {}
        self._launched: set[int] = set()
        self._outcomes: dict[int, Result | BaseException] = {}  # also those whose taking was interrupted
        self._ended: SimpleQueue[_Ended] = SimpleQueue()

    def run(self) -> None:
        try:
            self._carry_out(self._core.begin())
            while not self._core.is_over:
                self._take()
        except BaseException as cause:
            self._abandon(cause)
            raise
        finally:
            self._core.close()

    def interrupt(self) -> None:
        """Take in from another thread that the caller wants no more."""
        self._ended.put((_STOP, cancelled(CALLER)))
        for token in list(self._tokens.values()):
            token.cancel()

    def _take(self) -> None:
        place, outcome = self._ended.get()
        if place == _STOP:
            self._carry_out(self._core.stop())
        else:
            orders = self._core.ended(place, _told(outcome))
            if not isinstance(outcome, Result | SkillError):
                raise outcome
            self._carry_out(orders)

    def _abandon(self, cause: BaseException) -> None:
        """End what runs, and wait for it, so that each call is told as it really ended."""
        self._carry_out(self._core.stop())
        while self._core.running & self._launched - self._outcomes.keys():
            self._ended.get()
        for place, outcome in sorted(self._outcomes.items()):
            self._core.ended(place, _told(outcome))
        self._core.close()
        _attach(cause, self._core)

    def _carry_out(self, orders: Iterable[Order]) -> None:
        for order in orders:
            if isinstance(order, Launch):
                self._launch(order)
            elif order.place in self._tokens:
                self._tokens[order.place].cancel()

    def _launch(self, order: Launch) -> None:
        if self._pool is None:
            self._ended.put((order.place, self._invoke(order, self._cancel, Exception)))
            return
        token = self._tokens[order.place] = CancelToken()
        if self._cancel is not None and self._cancel.cancelled:
            token.cancel()
        self._pool.submit(copy_context().run, self._work, order, token)
        self._launched.add(order.place)

    def _work(self, order: Launch, token: CancelToken) -> None:
        outcome = self._outcomes[order.place] = self._invoke(order, token, BaseException)
        self._ended.put((order.place, outcome))

    def _invoke(self, order: Launch, token: CancelToken | None, kind: type[BaseException]) -> Result | BaseException:
        try:
            return self._client.invoke(
                order.skill, order.inputs, order.timeout_ms, idempotency_key=order.key, cancel=token
            )
        except kind as error:
            return error


async def in_tasks(core: DispatchCore, client: "AsyncSkillClient") -> None:
    """Make the calls of a step with the async client; see `in_threads`. A cancelled task leaves no call open."""
    work = _Tasks(core, client)
    try:
        async with anyio.create_task_group() as group:
            work.start(group)
    except BaseException as cause:
        core.close()
        first = _only(cause)
        _attach(first, core)
        if first is cause:
            raise
        raise first from None
    finally:
        core.close()
    if work.broken is not None:
        _attach(work.broken, core)
        raise work.broken


class _Tasks:
    def __init__(self, core: DispatchCore, client: "AsyncSkillClient") -> None:
        self._core = core
        self._client = client
        self._scopes: dict[int, anyio.CancelScope] = {}
        self.broken: Exception | None = None

    def start(self, group: Any) -> None:
        self._start: Callable[..., object] = group.start_soon
        self._carry_out(self._core.begin())

    def _carry_out(self, orders: Iterable[Order]) -> None:
        for order in orders:
            if isinstance(order, Launch):
                self._scopes[order.place] = anyio.CancelScope()
                self._start(self._work, order)
            else:
                self._scopes[order.place].cancel()

    async def _work(self, order: Launch) -> None:
        outcome: Result | SkillError = cancelled(CALLER, may_have_run=True)
        with self._scopes[order.place]:
            outcome = await self._invoke(order)
        follow = self._core.ended(order.place, outcome)
        self._carry_out(self._core.stop() if self.broken is not None else follow)

    async def _invoke(self, order: Launch) -> Result | SkillError:
        try:
            return await self._client.invoke(order.skill, order.inputs, order.timeout_ms, idempotency_key=order.key)
        except SkillError as error:
            return error
        except Exception as broken:
            self.broken = self.broken or broken
            return _told(broken)


def _told(outcome: Result | BaseException) -> Result | SkillError:
    """Give what a call is answered with; what broke that should not is raised as it is, elsewhere."""
    if isinstance(outcome, Result | SkillError):
        return outcome
    return SkillError(ErrorCode.UNKNOWN, "The call broke off inside the client", details={"reason": "internal"})


def _only(cause: BaseException) -> BaseException:
    while isinstance(cause, BaseExceptionGroup) and len(cause.exceptions) == 1:
        cause = cause.exceptions[0]
    return cause


def _attach(cause: BaseException, core: DispatchCore) -> None:
    with suppress(Exception):
        cause.answers = core.answers  # type: ignore[attr-defined]
