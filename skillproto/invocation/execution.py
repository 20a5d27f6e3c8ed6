"""An execution that a provider has accepted, as an object that can be asked, kept and picked up.

Holds no connection and decides nothing: each question is a call of the client that made it.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from skillproto.errors import UsageError
from skillproto.invocation.wire import Result
from skillproto.violations import JSONValue

if TYPE_CHECKING:
    from skillproto.descriptor import Descriptor
    from skillproto.invocation.client import AsyncSkillClient, SkillClient

_FORM = 1


class _Base:
    """What both kinds of execution hold.

    Attributes:
        execution_id: the provider's name for it; None when the skill answered at once.
        descriptor: the skill's typed descriptor.
        finished: the `Result` of a skill that answered at once, else None.
    """

    def __init__(self, descriptor: "Descriptor", execution_id: str | None, finished: Result | None = None) -> None:
        self.descriptor = descriptor
        self.execution_id = execution_id
        self.finished = finished

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.descriptor.id!r}, {self.execution_id!r})"

    def to_dict(self) -> dict[str, JSONValue]:
        """Give what another process needs to pick the execution up, as JSON without credentials.

        Raises:
            UsageError: the skill answered at once, so there is nothing to pick up.
        """
        if self.execution_id is None:
            raise UsageError("this execution finished at once and has no id; keep its result instead")
        return {"form": _FORM, "execution_id": self.execution_id, "descriptor": self.descriptor.raw}

    @property
    def _id(self) -> str:
        assert self.execution_id is not None  # noqa: S101 - one without an id is finished
        return self.execution_id


def read_saved(saved: Mapping[str, JSONValue]) -> "tuple[Descriptor, str]":
    """Read what `to_dict` gave.

    Raises:
        UsageError: the value is something else.
        SkillError: the descriptor in it is not valid any more.
    """
    id_ = saved.get("execution_id")
    if saved.get("form") != _FORM or not isinstance(id_, str) or not id_:
        raise UsageError("not a saved execution: give the value that Execution.to_dict() returned")
    from skillproto.descriptor import Descriptor

    return Descriptor.load(saved.get("descriptor")), id_


class Execution(_Base):
    """An execution, asked with a `SkillClient`."""

    def __init__(self, client: "SkillClient", *args: Any) -> None:
        super().__init__(*args)
        self._client = client

    def status(self, timeout_ms: int | None = None) -> str:
        """Ask once how it stands: accepted, running, completed, failed, cancelled, or the provider's own word.

        Raises:
            SkillError: the question could not be answered.
        """
        if self.finished is not None:
            return "completed"
        state: str = self._client._ask(self.descriptor, self._id, "status", timeout_ms)
        return state

    def wait(self, timeout_ms: int | None = None) -> str:
        """Wait until it has ended, however it ends, and give its last state.

        Raises:
            SkillError: it did not end in time, or the question could not be answered.
        """
        if self.finished is not None:
            return "completed"
        state: str = self._client._ask(self.descriptor, self._id, "end", timeout_ms)
        return state

    def result(self, timeout_ms: int | None = None) -> Result:
        """Wait for the result.

        Args:
            timeout_ms: None means the descriptor's `endpoint.timeout_ms`, or 30,000.

        Raises:
            SkillError: it failed, or was not finished in time; then it can be asked again.
        """
        if self.finished is not None:
            return self.finished
        result: Result = self._client._ask(self.descriptor, self._id, "result", timeout_ms)
        return result


class AsyncExecution(_Base):
    """An execution, asked with an `AsyncSkillClient`; the methods are those of `Execution`."""

    def __init__(self, client: "AsyncSkillClient", *args: Any) -> None:
        super().__init__(*args)
        self._client = client

    async def status(self, timeout_ms: int | None = None) -> str:
        """Ask once how it stands; see `Execution.status`."""
        if self.finished is not None:
            return "completed"
        state: str = await self._client._ask(self.descriptor, self._id, "status", timeout_ms)
        return state

    async def wait(self, timeout_ms: int | None = None) -> str:
        """Wait until it has ended; see `Execution.wait`."""
        if self.finished is not None:
            return "completed"
        state: str = await self._client._ask(self.descriptor, self._id, "end", timeout_ms)
        return state

    async def result(self, timeout_ms: int | None = None) -> Result:
        """Wait for the result; see `Execution.result`."""
        if self.finished is not None:
            return self.finished
        result: Result = await self._client._ask(self.descriptor, self._id, "result", timeout_ms)
        return result
