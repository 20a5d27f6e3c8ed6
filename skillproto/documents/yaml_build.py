"""Build the value of one YAML document from parser events.

Nothing is constructed but what JSON knows. Aliases share the value that they repeat, after
its size was counted once more, so that a short text cannot stand for a huge one.
"""

from typing import Any, NamedTuple

from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from skillproto.documents import yaml_findings as say
from skillproto.documents.findings import (
    Fault,
    Faults,
    duplicate_key,
    has_surrogate,
    lone_surrogate,
    non_finite,
    number_out_of_range,
    shown_name,
    too_deep,
    too_many_nodes,
)
from skillproto.documents.limits import Limits
from skillproto.documents.yaml_errors import surrogate_escape
from skillproto.documents.yaml_events import node_events
from skillproto.documents.yaml_scalars import (
    CORE_TAGS,
    SCALAR_STARTS,
    TooManyDigitsError,
    has_tag,
    resolve,
    resolve_tagged,
)
from skillproto.violations import JSONValue, PathPart

_CHARACTERS_PER_NODE = 64
_OPEN = object()
_NO_KEY = object()
_NO_ITEM_KEY = object()


class StopError(Exception):
    """Nothing behind this fault can be read."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.rule)
        self.fault = fault


class _Anchored(NamedTuple):
    value: JSONValue
    weight: int
    height: int


class _Frame:
    """A sequence or mapping that is still open; for a mapping, with the key that waits for its value."""

    __slots__ = ("anchor", "height", "key", "start", "value", "weight", "where")

    def __init__(self, is_map: bool, start: int, anchor: str | None, weight: int) -> None:
        self.value: Any = {} if is_map else []
        self.start = start
        self.anchor = anchor
        self.weight = weight
        self.height = 1
        self.key: Any = _NO_KEY if is_map else _NO_ITEM_KEY
        self.where: dict[str, int] = {}

    @property
    def part(self) -> PathPart:
        if self.key is _NO_ITEM_KEY:
            return len(self.value)
        return "" if self.key is _NO_KEY else str(self.key)


class Builder:
    """Takes the events of one document.

    Attributes:
        value: the document's value, once all events were taken.
        faults: what is wrong with it.
        plain_text: where it stands, when it is nothing but unquoted text.
    """

    def __init__(self, text: str, limits: Limits) -> None:
        self.value: JSONValue = None
        self.faults = Faults(limits)
        self.plain_text: tuple[int, int] | None = None
        self._text = text
        self._limits = limits
        self._max_nodes = limits.max_nodes
        self._frames: list[_Frame] = []
        self._anchors: dict[str, Any] = {}
        self._nodes = self._characters = self._repeated = 0

    def run(self) -> bool:
        """Take all events, and say whether there were any.

        Raises:
            StopError: a limit was passed.
            One of yaml_events.FAILURES: the text is not YAML.
        """
        handlers: dict[type, Any] = {
            ScalarEvent: self._scalar,
            MappingStartEvent: self._start,
            SequenceStartEvent: self._start,
            MappingEndEvent: self._end,
            SequenceEndEvent: self._end,
            AliasEvent: self._alias,
        }
        for event in node_events(self._text):
            handlers[type(event)](event)
        return self._nodes > 0

    def _scalar(self, event: Any) -> None:
        text: str = event.value
        self._nodes += 1
        self._characters += len(text)
        if self._nodes > self._max_nodes:
            raise StopError(too_many_nodes(event.start_mark.index, self._limits))
        is_text = event.tag is None and (not event.implicit[0] or text[:1] not in SCALAR_STARTS)
        value = text if is_text else self._resolve(event, text)
        if value is text and not text.isascii() and has_surrogate(text):
            self._fault(self._lone_surrogate(event))
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchored(value, 1 + len(text) // _CHARACTERS_PER_NODE, 0)
        self._add(value, event, text)

    def _lone_surrogate(self, event: Any) -> Fault:
        start = event.start_mark.index
        begin, end = surrogate_escape(self._text, start, event.end_mark.index)
        return lone_surrogate(self._text[begin:end], begin, end, self.path())

    def _resolve(self, event: Any, text: str) -> JSONValue:
        tag, start = event.tag, event.start_mark.index
        if tag == "!":
            return text
        plain = event.implicit[0] and tag is None
        try:
            if plain:
                value = resolve(text, self._limits.max_digits)
                if value is not text and has_tag(self._text, start):
                    return text
            elif tag in CORE_TAGS:
                value = resolve_tagged(CORE_TAGS[tag], text, self._limits.max_digits)
            else:
                return self._fault(say.foreign_tag(self._text, event, self.path()))
        except TooManyDigitsError:
            return self._fault(number_out_of_range(text, start, self.path(), self._limits))
        except ValueError:
            return self._fault(say.tag_mismatch(self._text, event, CORE_TAGS[tag], self.path()))
        if isinstance(value, float) and value - value != 0:
            return self._fault(non_finite(text, start, self.path()))
        if plain and value is not text and say.is_ambiguous(text, value):
            self._fault(say.ambiguous_number(text, value, start, self.path()))
        return value

    def _start(self, event: Any) -> None:
        start = event.start_mark.index
        self._nodes += 1
        if len(self._frames) >= self._limits.max_depth:
            raise StopError(too_deep(start, self._limits))
        if self._nodes > self._limits.max_nodes:
            raise StopError(too_many_nodes(start, self._limits))
        is_map = type(event) is MappingStartEvent
        if event.tag is not None and CORE_TAGS.get(event.tag, "") != ("map" if is_map else "seq") and event.tag != "!":
            self._fault(say.foreign_tag(self._text, event, self.path()))
        if event.anchor is not None:
            self._anchors[event.anchor] = _OPEN
        self._frames.append(_Frame(is_map, start, event.anchor, self._weight()))

    def _end(self, event: Any) -> None:
        frame = self._frames.pop()
        if frame.anchor is not None:
            self._anchors[frame.anchor] = _Anchored(frame.value, self._weight() - frame.weight + 1, frame.height)
        if self._frames:
            parent = self._frames[-1]
            parent.height = max(parent.height, frame.height + 1)
        self._add(frame.value, event, None, frame.start)

    def _alias(self, event: Any) -> None:
        target = self._anchors.get(event.anchor)
        start, end = event.start_mark.index, event.end_mark.index
        self._nodes += 1
        if target is None:
            self._fault(say.unknown_alias(event.anchor, start, end, self.path()))
            target = _Anchored(None, 0, 0)
        elif target is _OPEN:
            raise StopError(say.self_alias(event.anchor, start, end, self.path()))
        self._count_repeated(target, start, end)
        self._add(target.value, event, self._text[start:end])

    def _count_repeated(self, target: _Anchored, start: int, end: int) -> None:
        self._repeated += target.weight
        self._nodes += target.weight
        if self._repeated > self._limits.max_aliases:
            raise StopError(say.alias_limit(start, end, self._limits))
        if len(self._frames) + target.height > self._limits.max_depth:
            raise StopError(too_deep(start, self._limits))
        if self._frames:
            self._frames[-1].height = max(self._frames[-1].height, target.height + 1)

    def _add(self, value: JSONValue, event: Any, text: str | None, start: int | None = None) -> None:
        if not self._frames:
            self._root(value, event)
            return
        frame = self._frames[-1]
        key = frame.key
        if key is _NO_ITEM_KEY:
            frame.value.append(value)
        elif key is _NO_KEY:
            self._nodes -= 1
            self._key(frame, value, event, text, event.start_mark.index if start is None else start)
        else:
            frame.value[key] = value
            frame.key = _NO_KEY

    def _root(self, value: JSONValue, event: Any) -> None:
        self.value = value
        place = (event.start_mark.index, event.end_mark.index)
        if isinstance(event, ScalarEvent) and event.implicit[0] and isinstance(value, str):
            self.plain_text = place

    def _key(self, frame: _Frame, value: JSONValue, event: Any, text: str | None, start: int) -> None:
        frame.key = key = value if isinstance(value, str) else text or ""
        first = frame.where.setdefault(key, start)
        if first != start:
            self._fault(duplicate_key(key, start, event.end_mark.index, first, self.path()))
        if value is not key:
            self._fault(say.non_string_key(value, text, start, event.end_mark.index, self.path()))
        elif key == "<<" and isinstance(event, ScalarEvent) and event.implicit[0]:
            self._fault(say.merge_key(start, self.path()))

    def _weight(self) -> int:
        return self._nodes + self._characters // _CHARACTERS_PER_NODE

    def _fault(self, fault: Fault) -> None:
        self.faults.add(fault)

    def open_bracket(self) -> int | None:
        """Give where the innermost bracket stands that is still open."""
        start = self._frames[-1].start if self._frames else None
        return start if start is not None and self._text[start] in "[{" else None

    def path(self) -> tuple[PathPart, ...]:
        """Give the way to the value that is being read."""
        if self.faults.full:
            return ()
        parts = (frame.part for frame in self._frames)
        return tuple(shown_name(part) if isinstance(part, str) else part for part in parts)
