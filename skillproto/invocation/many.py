"""Many calls at a time, their outcomes as they come, in bounded memory."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, NamedTuple

from skillproto.errors import SkillError
from skillproto.invocation.cancel import CancelToken
from skillproto.invocation.retry import check_whole
from skillproto.invocation.wire import Result
from skillproto.violations import JSONValue

if TYPE_CHECKING:
    from concurrent.futures import Future

    from skillproto.descriptor import Descriptor

_MOST_AT_A_TIME = 10_000


class Call(NamedTuple):
    """One call of many: the arguments of `invoke`."""

    descriptor: "Descriptor | Mapping[str, JSONValue]"
    inputs: Mapping[str, JSONValue] | None = None
    timeout_ms: int | None = None
    idempotency_key: str | None = None


class CallOutcome(NamedTuple):
    """What became of one call of many; either `result` or `error` is None.

    Attributes:
        position: the place of the call among all, from 0.
    """

    position: int
    call: Call
    result: Result | None
    error: SkillError | None


def check_concurrency(concurrency: int) -> int:
    """Give back how many calls run at a time.

    Raises:
        UsageError: the number cannot work.

    >>> check_concurrency(8)
    8
    """
    return check_whole("concurrency", concurrency, 1, _MOST_AT_A_TIME)


def in_threads(
    invoke: Callable[[Call, CancelToken], Result], calls: Iterable[Call], concurrency: int
) -> Iterator[CallOutcome]:
    """Run calls in threads; the next is taken only when one has ended.

    Leaving the iteration early cancels what is still running.
    """
    from concurrent.futures import ThreadPoolExecutor

    token = CancelToken()
    pending: set[Future[CallOutcome]] = set()

    def one(index: int, call: Call) -> CallOutcome:
        try:
            return CallOutcome(index, call, invoke(call, token), None)
        except SkillError as error:
            return CallOutcome(index, call, None, error)

    with ThreadPoolExecutor(concurrency, thread_name_prefix="skillproto") as pool:
        try:
            for index, call in enumerate(calls):
                pending.add(pool.submit(copy_context().run, one, index, Call(*call)))
                while len(pending) >= concurrency:
                    yield from _ended(pending)
            while pending:
                yield from _ended(pending)
        finally:
            token.cancel()


def _ended(pending: "set[Future[CallOutcome]]") -> Iterator[CallOutcome]:
    from concurrent.futures import FIRST_COMPLETED, wait

    done, _ = wait(pending, return_when=FIRST_COMPLETED)
    pending -= done
    for future in done:
        yield future.result()


@asynccontextmanager
async def in_tasks(invoke: Any, calls: Iterable[Call], concurrency: int) -> AsyncIterator[AsyncIterator[CallOutcome]]:
    """Run calls in tasks; inside the block, iterate over their outcomes. Leaving it cancels the rest."""
    import anyio

    numbered = enumerate(calls)
    give, outcomes = anyio.create_memory_object_stream[CallOutcome](0)

    async def work(own: Any) -> None:
        async with own:
            for index, each in numbered:
                call = Call(*each)
                try:
                    outcome = CallOutcome(index, call, await invoke(call), None)
                except SkillError as error:
                    outcome = CallOutcome(index, call, None, error)
                await own.send(outcome)

    async with anyio.create_task_group() as group, outcomes:
        for _ in range(concurrency):
            group.start_soon(work, give.clone())
        give.close()
        yield outcomes
        group.cancel_scope.cancel()
