"""YAML text to parser events, by libyaml where it is there, else in pure Python.

Events instead of composed nodes: nothing recurses, reading can stop at any limit, and it
takes a third of the time. Nothing is ever constructed from a tag.
"""

from collections.abc import Callable, Iterator
from typing import Any, Protocol, cast

import yaml
from yaml.events import DocumentEndEvent, DocumentStartEvent, Event, StreamEndEvent, StreamStartEvent
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner, ScannerError

from skillproto.documents.yaml_errors import LINE_BREAKS, Stop

_LINE_ENDS = f"\0{LINE_BREAKS}"


class EventSource(Protocol):
    """What both parsers offer."""

    def get_event(self) -> Any:
        """Give the next event."""


class PurePythonParser(Reader, Scanner, Parser):
    """The parser for an installation without libyaml; like it, it takes a tab for white space within a line."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)

    def scan_to_next_token(self) -> None:
        super().scan_to_next_token()
        while self.peek() == "\t" and (self.flow_level or not self.allow_simple_key):
            self.forward(self._blanks())
            super().scan_to_next_token()

    def scan_plain_spaces(self, indent: int, start_mark: Any) -> list[Any] | None:
        width = self._blanks()
        blanks = self.prefix(width)
        if "\t" not in blanks:
            return super().scan_plain_spaces(indent, start_mark)
        self.forward(width)
        return super().scan_plain_spaces(indent, start_mark) if self.peek() in _LINE_ENDS else [blanks]

    def _blanks(self) -> int:
        width = 0
        while self.peek(width) in " \t":
            width += 1
        return width


def best_parser() -> Callable[[str], EventSource]:
    """Give what makes the faster parser of those that are installed."""
    if yaml.__with_libyaml__:
        from yaml._yaml import CParser

        return cast("Callable[[str], EventSource]", CParser)
    return cast("Callable[[str], EventSource]", PurePythonParser)


parser_of: Callable[[str], EventSource] = best_parser()
"""Makes the parser of a text; tests put the other one in its place."""

FAILURES = (yaml.YAMLError, ValueError, OverflowError, RecursionError)
"""What the parsers raise for a text that is not YAML, known slips of the pure one included."""

_MARKERS = (StreamStartEvent, DocumentStartEvent, DocumentEndEvent, StreamEndEvent)


def node_events(text: str) -> Iterator[Event]:
    """Give the events of the nodes of a text with one document.

    Raises:
        Exception: one of FAILURES.
    """
    parser = parser_of(text)
    while True:
        event = parser.get_event()
        kind = type(event)
        if kind not in _MARKERS:
            yield event
        elif kind is StreamEndEvent:
            return


def stop_of(error: BaseException) -> Stop | None:
    """Give where a parser stopped, if it says so."""
    problem, context = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    if problem is None and context is None:
        return None
    opened = None if context is None else int(context.index)
    index = int(problem.index) if problem is not None else opened or 0
    return Stop(index, opened, isinstance(error, ScannerError))
