"""Take up what a journal has open: what both clients do after a process was killed.

Decides nothing: what becomes of each call is `journaled`'s.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from skillproto.errors import ErrorCode, SkillError, UsageError
from skillproto.invocation._base import Base
from skillproto.invocation.cancel import CancelToken
from skillproto.invocation.many import Call, CallOutcome, check_concurrency, in_tasks, in_threads
from skillproto.invocation.wire import Result

if TYPE_CHECKING:
    from skillproto.invocation._base import Driven


class _Both(Base):
    def _open_calls(self, timeout_ms: int | None) -> list[Call]:
        if self._journal is None:
            raise UsageError("there is no journal to resume from: give the client one, SkillClient(journal=PATH)")
        calls = (entry for entry in self._journal.open_calls() if not entry.is_busy)
        return [Call(entry.descriptor or {}, entry.inputs, timeout_ms, entry.key) for entry in calls]

    def _taking_up(self, call: Call) -> "Driven":
        if not call.descriptor:
            message = "The journal has lost the descriptor of this call, which cannot be taken up; strike it out"
            raise SkillError(ErrorCode.UNKNOWN, message, details={"reason": "journal"})
        return self._core(*call[:3], idempotency_key=call.idempotency_key, is_taken_up=True)


def _was_taken(outcome: CallOutcome) -> bool:
    from skillproto.invocation.journaled import was_taken

    return was_taken(outcome.error)


class Resuming(_Both):
    """What `SkillClient` does with a journal."""

    if TYPE_CHECKING:  # the client's own

        def _drive(self, core: "Driven", cancel: CancelToken | None = None) -> Any: ...

    def resume_journal(self, *, timeout_ms: int | None = None, concurrency: int = 8) -> Iterator[CallOutcome]:
        """Take up every call that the journal has open and nobody is at work on.

        An accepted execution is asked for its result; a call that may have been sent, with no
        answer known, is sent again as it was, under its own key.

        Args:
            timeout_ms: for each call; None means its descriptor's `endpoint.timeout_ms`, or 30,000.
            concurrency: how many run at a time, each in a thread.

        Yields:
            A `CallOutcome` for each call, as it ends. One with an error may still be open, and is where
                the file was damaged (`details["reason"]` "journal").

        Raises:
            UsageError: the client has no journal, or an argument can never work.
        """
        check_concurrency(concurrency)

        def invoke(call: Call, cancel: CancelToken) -> Result:
            result: Result = self._drive(self._taking_up(call), cancel)
            return result

        outcomes = in_threads(invoke, self._open_calls(timeout_ms), concurrency)
        return (outcome for outcome in outcomes if not _was_taken(outcome))


class AsyncResuming(_Both):
    """What `AsyncSkillClient` does with a journal."""

    if TYPE_CHECKING:  # the client's own

        async def _drive(self, core: "Driven") -> Any: ...

    @asynccontextmanager
    async def resume_journal(
        self, *, timeout_ms: int | None = None, concurrency: int = 100
    ) -> AsyncIterator[AsyncIterator[CallOutcome]]:
        """Take up what the journal has open: `async with client.resume_journal() as outcomes`.

        Iterate over `outcomes` with `async for`. See `SkillClient.resume_journal`.
        """
        check_concurrency(concurrency)

        async def invoke(call: Call) -> Result:
            result: Result = await self._drive(self._taking_up(call))
            return result

        import anyio

        calls = await anyio.to_thread.run_sync(self._open_calls, timeout_ms)
        async with in_tasks(invoke, calls, concurrency) as outcomes:
            yield (outcome async for outcome in outcomes if not _was_taken(outcome))
