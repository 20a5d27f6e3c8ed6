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

from skillproto.documents.spans import Shape, SpanTree
from skillproto.documents.yaml_events import node_events


def yaml_spans(text: str, offset: int = 0) -> SpanTree:
    """Find every value of a YAML document that is known to be readable.

    What an alias repeats stands at the alias; the members of it stand where they are written.

    Args:
        text: the text of this document alone.
        offset: where it begins in the whole text; it is added to every index.

    >>> tree = yaml_spans("a: [1, 2]")
    >>> tree.starts[tree.find("/a/1")[0]]
    7
    """
    spans = _YamlSpans(offset)
    for event in node_events(text):
        spans.take(event)
    return spans.tree


class _YamlSpans:
    def __init__(self, offset: int) -> None:
        self.tree = SpanTree()
        self._offset = offset
        self._in_map: list[bool] = []
        self._named = False
        self._last = offset
        self._anchors: dict[str, int] = {}
        self._texts: dict[str, str] = {}

    def take(self, event: Any) -> None:
        kind = type(event)
        start, end = event.start_mark.index + self._offset, event.end_mark.index + self._offset
        if kind is ScalarEvent:
            self._scalar(event.value, event.anchor, start, end)
        elif kind is AliasEvent:
            self._alias(event.anchor, start, end)
        elif kind in (MappingStartEvent, SequenceStartEvent):
            self._start(event.anchor, start, is_map=kind is MappingStartEvent)
        elif kind in (MappingEndEvent, SequenceEndEvent):
            self._end(start, end)

    def _is_name(self) -> bool:
        return bool(self._in_map) and self._in_map[-1] and not self._named

    def _scalar(self, text: str, anchor: str | None, start: int, end: int) -> None:
        self._last = end
        if anchor is not None:
            self._texts[anchor] = text
        if self._is_name():
            self._name(text, start, end)
            return
        node = self.tree.leaf(start, end)
        self._named = False
        if anchor is not None:
            self._anchors[anchor] = node

    def _name(self, text: str, start: int, end: int) -> None:
        self.tree.name(text, start, end)
        self._named = True

    def _alias(self, anchor: str, start: int, end: int) -> None:
        self._last = end
        if self._is_name():
            self._name(self._texts.get(anchor, ""), start, end)
            return
        node = self._anchors.get(anchor)
        self.tree.leaf(start, end) if node is None else self.tree.alias(start, end, node)
        self._named = False

    def _start(self, anchor: str | None, start: int, *, is_map: bool) -> None:
        node = self.tree.open(start, Shape.OBJECT if is_map else Shape.ARRAY)
        if anchor is not None:
            self._anchors[anchor] = node
        self._in_map.append(is_map)
        self._named = False

    def _end(self, start: int, end: int) -> None:
        # The end of a block collection has no width, and lies before the next thing in the text.
        self._last = end if end > start else self._last
        self.tree.close(self._last)
        self._in_map.pop()
        self._named = False
