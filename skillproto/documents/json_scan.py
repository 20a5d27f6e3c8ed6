"""Read JSON slowly, and know where every fault stands.

Used when the fast reader refuses a text. It keeps its own stack, so that no nesting is too
deep for Python, and accepts exactly what RFC 8259 and the limits allow.
"""

import json
import re
from typing import Any, NamedTuple

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
from skillproto.documents.json_errors import Want, explain
from skillproto.documents.limits import Limits
from skillproto.violations import JSONValue, PathPart

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"([^"\\\x00-\x1f]*+)(?:"|((?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|[^"\\\x00-\x1f]++)*+)")')
_MEMBER = re.compile(r'"([^"\\\x00-\x1f]*+)"[ \t\n\r]*+:[ \t\n\r]*+')
_COMMA = re.compile(r"[ \t\n\r]*+,[ \t\n\r]*+")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][-+]?[0-9]++)?(?![-+.0-9A-Za-z_])")
_WORD = re.compile(r"-?[A-Za-z]++(?![-+.0-9A-Za-z_])")
_CONSTANTS = {"true": True, "false": False, "null": None}
_NON_FINITE = frozenset(("NaN", "Infinity", "-Infinity", "-NaN"))
_CLOSER = {"{": "}", "[": "]"}


class Scan(NamedTuple):
    """What a scan gives: the value, where the text is whole, and the faults."""

    value: JSONValue
    faults: Faults


def scan(text: str, limits: Limits) -> Scan:
    """Read one JSON value and everything that is wrong with it.

    >>> scan('{"a": [1, NaN]}', Limits()).faults.kept[0].path
    ('a', 1)
    """
    scanner = _Scanner(text, limits)
    try:
        value = scanner.run()
    except _StopError as stop:
        scanner.faults.add(stop.fault)
        return Scan(None, scanner.faults)
    return Scan(value, scanner.faults)


class _StopError(Exception):
    """Nothing behind this fault can be read."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.rule)
        self.fault = fault


class _Frame:
    """An array or object that is still open; for an object, with the name that waits for its value."""

    __slots__ = ("is_object", "key", "start", "value", "where")

    def __init__(self, start: int, is_object: bool) -> None:
        self.start = start
        self.is_object = is_object
        self.value: Any = {} if is_object else []
        self.where: dict[str, int] = {}
        self.key = ""

    def add(self, value: JSONValue) -> None:
        if self.is_object:
            self.value[self.key] = value
        else:
            self.value.append(value)

    @property
    def part(self) -> PathPart:
        return self.key if self.is_object else len(self.value)


_OPENED = object()
"""Stands for a value that was begun and is not yet whole."""


class _Scanner:
    def __init__(self, text: str, limits: Limits) -> None:
        self.text = text
        self.limits = limits
        self.faults = Faults(limits)
        self.frames: list[_Frame] = []
        self.pos = 0
        self.nodes = 0

    def run(self) -> JSONValue:
        self._skip_space()
        want = Want.VALUE
        while True:
            value = self._value(want)
            while value is not _OPENED:
                if not self.frames:
                    return self._end(value)
                self.frames[-1].add(value)
                value = self._after_value()
            want = Want.ITEM

    def _skip_space(self) -> str:
        match = _SPACE.match(self.text, self.pos)
        self.pos = match.end() if match else self.pos
        return self.text[self.pos : self.pos + 1]

    def _value(self, want: Want) -> JSONValue:
        """Read a value whole, or open an array or object."""
        start, char = self.pos, self.text[self.pos : self.pos + 1]
        self.nodes += 1
        if self.nodes > self.limits.max_nodes and char:
            raise _StopError(too_many_nodes(start, self.limits))
        if char in _CLOSER:
            return self._open(char)
        return self._string() if char == '"' else self._scalar(char, want)

    def _open(self, char: str) -> JSONValue:
        if len(self.frames) >= self.limits.max_depth:
            raise _StopError(too_deep(self.pos, self.limits))
        frame = _Frame(self.pos, char == "{")
        self.frames.append(frame)
        self.pos += 1
        if self._skip_space() == _CLOSER[char]:
            return self._close()
        if frame.is_object:
            self._key(Want.FIRST_KEY)
        return _OPENED

    def _close(self) -> JSONValue:
        self.pos += 1
        return self.frames.pop().value

    def _after_value(self) -> JSONValue:
        is_object = self.frames[-1].is_object
        comma = _COMMA.match(self.text, self.pos)
        if comma is None:
            if self._skip_space() == ("}" if is_object else "]"):
                return self._close()
            raise self._syntax(Want.COMMA)
        self.pos = comma.end()
        if is_object:
            self._key(Want.KEY)
        return _OPENED

    def _key(self, want: Want) -> None:
        frame, start = self.frames[-1], self.pos
        member = _MEMBER.match(self.text, start)
        if member is not None:
            key, end, self.pos = member.group(1), member.end(1) + 1, member.end()
        else:
            key, end = self._odd_key(want)
        frame.key = key
        first = frame.where.setdefault(key, start)
        if first != start:
            self.faults.add(duplicate_key(key, start, end, first, self._path()))

    def _odd_key(self, want: Want) -> tuple[str, int]:
        """Read a key with escapes in it, or say what is wrong with it."""
        if self.text[self.pos : self.pos + 1] != '"':
            raise self._syntax(want)
        key, end = self._string(is_key=True), self.pos
        if self._skip_space() != ":":
            raise self._syntax(Want.COLON)
        self.pos += 1
        self._skip_space()
        return key, end

    def _string(self, is_key: bool = False) -> str:
        start = self.pos
        match = _STRING.match(self.text, start)
        if match is None:
            raise self._syntax(Want.STRING)
        self.pos = match.end()
        if match.group(2) is None:
            return match.group(1)
        value: str = json.loads(match.group())
        if has_surrogate(value):
            path = self._path()[:-1] if is_key else self._path()
            self.faults.add(lone_surrogate(match.group(), start, self.pos, path))
        return value

    def _scalar(self, char: str, want: Want) -> JSONValue:
        number = _NUMBER.match(self.text, self.pos) if char else None
        if number is not None:
            self.pos = number.end()
            return self._number(number.group(), number.start(), is_float=number.lastindex is not None)
        word = _WORD.match(self.text, self.pos)
        name = word.group() if word else ""
        if name in _CONSTANTS:
            self.pos += len(name)
            return _CONSTANTS[name]
        if name not in _NON_FINITE:
            raise self._syntax(want)
        self.faults.add(non_finite(name, self.pos, self._path()))
        self.pos += len(name)
        return None

    def _number(self, text: str, start: int, *, is_float: bool) -> JSONValue:
        if is_float:
            number = float(text)
            if number - number == 0:
                return number
            self.faults.add(non_finite(text, start, self._path()))
        elif len(text.lstrip("-")) <= self.limits.max_digits:
            return int(text)
        else:
            self.faults.add(number_out_of_range(text, start, self._path(), self.limits))
        return None

    def _end(self, value: JSONValue) -> JSONValue:
        if self._skip_space():
            raise self._syntax(Want.END)
        return value

    def _path(self) -> tuple[PathPart, ...]:
        if self.faults.full:
            return ()
        parts = (frame.part for frame in self.frames)
        return tuple(shown_name(part) if isinstance(part, str) else part for part in parts)

    def _syntax(self, want: Want) -> _StopError:
        frame = self.frames[-1] if self.frames else None
        return _StopError(explain(self.text, self.pos, want, frame.start if frame else None))
