"""Where everything stands in a YAML document: a second pass over its events, made when asked for."""

from typing import Any

from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from skillproto.documents.spans import Member, Span
from skillproto.documents.yaml_events import FAILURES, node_events


def spans(text: str, offset: int = 0) -> Span | None:
    """Give the span of the document and of everything inside it; None where the text is not YAML.

    What an alias repeats stands at the alias; the members of it stand where they are written.

    >>> spans("a: [1, 2]").members["a"].value.items[1]
    Span(start=7, end=8, members=None, items=None)
    """
    builder = _Spans(offset)
    try:
        for event in node_events(text):
            builder.take(event)
    except FAILURES:
        return None
    return builder.root


class _Open:
    __slots__ = ("anchor", "end", "items", "key", "members", "start")

    def __init__(self, start: int, is_map: bool, anchor: str | None) -> None:
        self.start = self.end = start
        self.members: dict[str, Member] | None = {} if is_map else None
        self.items: list[Span] | None = None if is_map else []
        self.key: tuple[str, int, int] | None = None
        self.anchor = anchor

    def add(self, span: Span, name: str | None) -> None:
        self.end = max(self.end, span.end)
        if self.items is not None:
            self.items.append(span)
        elif self.key is None:
            self.key = (name or "", span.start, span.end)
        elif self.members is not None:
            name, start, end = self.key
            self.members[name] = Member(start, end, span)
            self.key = None


class _Spans:
    def __init__(self, offset: int) -> None:
        self.root: Span | None = None
        self._offset = offset
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[Span, str | None]] = {}

    def take(self, event: Any) -> None:
        kind = type(event)
        start, end = event.start_mark.index + self._offset, event.end_mark.index + self._offset
        if kind is ScalarEvent:
            self._add(Span(start, end), event.value, event.anchor)
        elif kind is AliasEvent:
            span, name = self._anchors.get(event.anchor, (Span(start, end), None))
            self._add(Span(start, end, span.members, span.items), name, None)
        elif kind in (MappingStartEvent, SequenceStartEvent):
            self._open.append(_Open(start, kind is MappingStartEvent, event.anchor))
        elif kind in (MappingEndEvent, SequenceEndEvent):
            opened = self._open.pop()
            # The end of a block collection has no width, and lies before the next thing in the text.
            last = end if end > start else opened.end
            self._add(Span(opened.start, last, opened.members, opened.items), None, opened.anchor)

    def _add(self, span: Span, name: str | None, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = (span, name)
        if self._open:
            self._open[-1].add(span, name)
        else:
            self.root = span
