"""Tell what happens in a call to `logging`, one line for each attempt, retry and end.

The logger is "skillproto". Python shows neither DEBUG nor INFO until a program asks for it, so
nothing is told by itself; then not even the events are made. No line holds a credential, an
input or an output.
"""

import logging

from skillproto.invocation.events import Event
from skillproto.invocation.excerpts import excerpt

LOGGER = logging.getLogger("skillproto")

_LONGEST = 300
_QUIET = frozenset({"invocation.started", "attempt.started", "execution.polled"})


def is_wanted() -> bool:
    """Say whether anybody wants to read such lines.

    >>> is_wanted()
    False
    """
    return LOGGER.isEnabledFor(logging.INFO)


def level_of(event: Event) -> int:
    """Give DEBUG for what is as it should be, INFO for what a reader may want to know of.

    >>> level_of(Event("retry.scheduled", "7f", "x", 0, {})) == logging.INFO
    True
    """
    return logging.DEBUG if event.name in _QUIET else logging.INFO


def line_of(event: Event) -> str:
    """Write an event on one line, fit to be stored.

    >>> line_of(Event("retry.scheduled", "7f", "com.example.echo", 43, {"attempt": 2, "wait_ms": 1000}))
    'com.example.echo 7f retry.scheduled at 43 ms: attempt=2 wait_ms=1000'
    """
    facts = " ".join(f"{name}={value}" for name, value in event.data.items())
    line = f"{event.skill_id or '-'} {event.invocation_id} {event.name} at {event.elapsed_ms} ms"
    return excerpt(" ".join(f"{line}: {facts}".split() if facts else line.split()), _LONGEST)


def tell(event: Event) -> None:
    """Log one event; the record has the event itself as `record.skillproto_event`."""
    level = level_of(event)
    if LOGGER.isEnabledFor(level):
        LOGGER.log(level, "%s", line_of(event), extra={"skillproto_event": event})
