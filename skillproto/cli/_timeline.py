"""Tell the events of a call to the person at the terminal: line by line, or on one line that changes."""

import sys
from collections.abc import Callable, Mapping

from skillproto.cli import _streams
from skillproto.invocation.events import Event
from skillproto.reports.escaping import plain
from skillproto.violations import JSONValue

Facts = Mapping[str, JSONValue]


def line_of(event: Event) -> str:
    """Write an event as a line with its time since the start of the call.

    >>> line_of(Event("retry.scheduled", "7f", "x", 40, {"attempt": 2, "wait_ms": 100}))
    '    40 ms  retry.scheduled       attempt 2 in 100 ms'
    """
    return plain(f"{event.elapsed_ms:6} ms  {event.name:20}  {_facts(event)}".rstrip())


def _facts(event: Event) -> str:
    data = event.data
    if event.name == "retry.scheduled":
        return f"attempt {data.get('attempt')} in {data.get('wait_ms')} ms"
    words = [_subject(data), data.get("http_status"), data.get("code"), data.get("reason"), data.get("state")]
    if event.name == "execution.accepted":
        words.append(data.get("execution_id"))
    if event.name == "invocation.completed":
        words.append(f"{data.get('attempts')} attempts" if data.get("attempts") != 1 else "1 attempt")
    return " ".join(str(word) for word in words if word is not None)


def _subject(data: Facts) -> str | None:
    if data.get("attempt") is not None:
        return f"attempt {data['attempt']}:" if "code" in data else f"attempt {data['attempt']}"
    step = data.get("step")
    return None if step is None else f"{step}:" if "code" in data else str(step)


class Progress:
    """One line on the standard error that says how the call stands; nothing where that is no terminal."""

    def __init__(self) -> None:
        self._on = sys.stderr.isatty()

    def __call__(self, event: Event) -> None:
        if self._on:
            words = "" if event.is_final else line_of(event).strip()
            sys.stderr.write("\r\x1b[K" + words[:100])
            sys.stderr.flush()


def listener(*, trace: bool, then: Callable[[Event], object] = lambda event: None) -> Callable[[Event], None]:
    """Make a listener that tells the events, and hands each to another one where there is one."""
    progress = Progress()

    def tell(event: Event) -> None:
        then(event)
        if trace:
            _streams.tell(line_of(event))
        else:
            progress(event)

    return tell
