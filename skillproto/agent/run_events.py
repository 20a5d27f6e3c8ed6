"""What happens in a run, told while it happens.

A run emits `run.started`, then for each step `step.started`, one `model.requested` for each try, and
for its calls any of `tool.started`, with exactly one `tool.completed` or `tool.failed` for each call;
then one of `step.completed`, `step.failed` and `step.cancelled`, unless it waits for a person. The
last event is exactly one of `FINAL_EVENTS`, in whatever way the run ends.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from skillproto.violations import JSONValue

FINAL_EVENTS = ("run.completed", "run.stopped", "run.waiting_for_human", "run.failed", "run.cancelled")

EVENTS = (
    "run.started",
    "history.repaired",
    "step.started",
    "model.requested",
    "tool.started",
    "tool.completed",
    "tool.failed",
    "step.completed",
    "step.failed",
    "step.cancelled",
    *FINAL_EVENTS,
)
"""All there are, with the names of source 004."""


class RunEvent(NamedTuple):
    """One thing that happened in a run.

    Attributes:
        name: one of `EVENTS`.
        run_id: the same in all events of one run, also after a pause.
        agent_id: whose run it is.
        step: the step's number, from 1; 0 before the first.
        elapsed_ms: since the run began; what it waited for people does not count.
        data: facts of this event, as JSON: `tool_call_id`, `tool`, `skill_id`, `code`, `reason`,
            `target`, `may_have_run`, `attempt`, `pending`, `error`, as far as they apply. Neither
            inputs nor outputs nor credentials.

    >>> RunEvent("run.failed", "r1", "search", 2, 40, {}).is_final
    True
    """

    name: str
    run_id: str
    agent_id: str
    step: int
    elapsed_ms: int
    data: Mapping[str, JSONValue]

    @property
    def is_final(self) -> bool:
        """Whether the run has ended, or pauses, with this event."""
        return self.name in FINAL_EVENTS


RunListener = Callable[[RunEvent], object]
