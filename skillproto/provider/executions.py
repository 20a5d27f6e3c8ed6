"""Executions of a skill: started once for each key, and read by their id.

Pure but for the random ids: the time is passed in, so that a state can be asked for at any moment.
"""

import secrets
from collections.abc import Callable
from typing import NamedTuple

from skillproto.errors import ErrorCode, SkillError
from skillproto.violations import JSONValue

Skill = Callable[[dict[str, JSONValue]], JSONValue]
"""What a skill does: inputs to output; it may raise a `SkillError`."""

POLL_INTERVAL_MS = 50


class Execution(NamedTuple):
    """One execution, complete from the start; time decides how much of it can be seen.

    Attributes:
        id: names it in later requests.
        request: the body that started it, to tell a repeated request from another one.
        output: what the skill gave; None when it failed.
        error: why it failed, or None.
        started_ms, ends_ms: on the clock that was passed in; `ends_ms` None means never.
    """

    id: str
    request: JSONValue
    output: JSONValue
    error: SkillError | None
    started_ms: float
    ends_ms: float | None

    def state(self, now_ms: float) -> dict[str, JSONValue]:
        """Tell how the execution stands: what a GET of its status answers."""
        if self.ends_ms is None or now_ms < self.ends_ms:
            return {"execution_id": self.id, "status": "running", "poll_interval_ms": POLL_INTERVAL_MS}
        if self.error is not None:
            return {"execution_id": self.id, "status": "failed", **self.error.to_dict()}
        return {"execution_id": self.id, "status": "completed"}

    def result(self, now_ms: float) -> dict[str, JSONValue] | None:
        """Give what a GET of its result answers, or None as long as it runs."""
        state = self.state(now_ms)
        return None if state["status"] == "running" else state | ({} if self.error else {"output": self.output})


class Executions:
    """All executions of a provider.

    >>> executions = Executions(lambda inputs: inputs["text"].upper())
    >>> started = executions.start({"inputs": {"text": "hi"}}, key=None, now_ms=0)
    >>> started.result(now_ms=0)["output"]
    'HI'
    """

    def __init__(self, skill: Skill, duration_ms: float = 0) -> None:
        self._skill = skill
        self._duration_ms = duration_ms
        self._by_id: dict[str, Execution] = {}
        self._by_key: dict[str, Execution] = {}

    def __len__(self) -> int:
        return len(self._by_id)

    def get(self, execution_id: str) -> Execution | None:
        """Give the execution of this id, or None."""
        return self._by_id.get(execution_id)

    def known(self, key: str | None) -> Execution | None:
        """Give the execution that an earlier request started under this key, or None."""
        return self._by_key.get(key) if key else None

    def start(self, request: dict[str, JSONValue], *, key: str | None, now_ms: float, ending: str = "ok") -> Execution:
        """Start an execution.

        Args:
            request: the body, already checked.
            key: the idempotency key, or None for none.
            now_ms: the time.
            ending: "ok", "failed" for one that fails, "stuck" for one that never ends.
        """
        output, error = self._carry_out(request, ending)
        ends_ms: float | None = now_ms + self._duration_ms
        limit_ms = (request.get("context") or {}).get("timeout_ms")
        if limit_ms is not None and self._duration_ms > limit_ms:
            ends_ms, output, error = now_ms + limit_ms, None, _too_slow(limit_ms)
        if ending == "stuck":
            ends_ms = None
        execution = Execution(f"exec-{secrets.token_hex(8)}", request, output, error, now_ms, ends_ms)
        self._by_id[execution.id] = execution
        if key:
            self._by_key[key] = execution
        return execution

    def _carry_out(self, request: dict[str, JSONValue], ending: str) -> tuple[JSONValue, SkillError | None]:
        if ending == "failed":
            return None, SkillError(ErrorCode.EXECUTION_FAILED, "The skill could not finish its work")
        try:
            return self._skill(request["inputs"]), None
        except SkillError as error:
            return None, error


def _too_slow(limit_ms: int) -> SkillError:
    return SkillError(
        ErrorCode.EXECUTION_TIMEOUT,
        f"Skill execution exceeded the configured timeout of {limit_ms}ms",
        details={"timeout_ms": limit_ms, "elapsed_ms": limit_ms},
    )
