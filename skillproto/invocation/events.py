"""What happens in an invocation, told while it happens.

One invocation emits `invocation.started`, then any of `attempt.started`, `attempt.failed`,
`retry.scheduled`, `execution.accepted` and `execution.polled`, and exactly one of the
three in `FINAL_EVENTS`, in whatever way it ends. No event holds a credential or an input.
"""

import logging
from collections.abc import Callable, Mapping
from typing import NamedTuple

from skillproto.violations import JSONValue

FINAL_EVENTS = ("invocation.completed", "invocation.failed", "invocation.cancelled")

_log = logging.getLogger("skillproto")


class Event(NamedTuple):
    """One thing that happened.

    Attributes:
        name: such as "attempt.failed".
        invocation_id: the same in all events of one call; also its Idempotency-Key.
        skill_id: of the descriptor; "" when the descriptor has none.
        elapsed_ms: since the call began.
        data: facts of this event, as JSON: `attempt`, `code`, `http_status`, `wait_ms`,
            `execution_id`, `state`, `reason`, `may_have_run`, as far as they apply.

    >>> Event("invocation.started", "7f", "com.example.echo", 0, {}).is_final
    False
    """

    name: str
    invocation_id: str
    skill_id: str
    elapsed_ms: int
    data: Mapping[str, JSONValue]

    @property
    def is_final(self) -> bool:
        """Whether the invocation has ended with this event."""
        return self.name in FINAL_EVENTS


Listener = Callable[[Event], object]


class Emitter:
    """Hands events to listeners; one that raises is told of once and kept from doing harm.

    Args:
        listeners: called in order with each event; those that are None are left out.

    >>> seen = []
    >>> Emitter(seen.append).emit(Event("invocation.started", "7f", "x", 0, {}))
    >>> seen[0].name
    'invocation.started'
    """

    def __init__(self, *listeners: Listener | None) -> None:
        self._listeners = tuple([listener for listener in listeners if listener is not None])
        self._complained = False

    def __bool__(self) -> bool:
        """Whether anybody listens, so that an event is worth making."""
        return bool(self._listeners)

    def emit(self, event: Event) -> None:
        """Hand over one event."""
        for listener in self._listeners:
            try:
                listener(event)
            except Exception:
                if not self._complained:
                    self._complained = True
                    _log.exception(
                        "An event listener raised; it is still told of every event, but this is logged only once"
                    )
