"""Read JSON text: the standard library's C reader, with hooks for what it would let pass.

It only accepts: whatever makes it stop, or leaves a doubt, is read again by the slower
scanner, which decides and knows the positions.
"""

import json
import re
from functools import lru_cache
from typing import NoReturn

from skillproto.documents.document import Document
from skillproto.documents.limits import Limits
from skillproto.documents.lines import Lines
from skillproto.violations import JSONValue

# High half without a low one, low without high, or an escaped backslash that could hide either.
_PERHAPS_LONE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F]"
    r"|\\\\u[dD]"
)


class DoubtError(ValueError):
    """The fast reader cannot vouch for this text; it says nothing against it either."""


def fast_value(text: str, limits: Limits) -> JSONValue:
    """Read a text that is surely free of faults.

    Raises:
        DoubtError: it may have one.

    >>> fast_value('{"a": 1.5}', Limits())
    {'a': 1.5}
    """
    try:
        value = _decoder(limits.max_digits).decode(text)
    except (ValueError, RecursionError):
        raise DoubtError from None
    if "\\" in text and _PERHAPS_LONE.search(text):
        raise DoubtError
    if len(text) > 2 * limits.max_nodes or text.count("[") + text.count("{") > limits.max_depth:
        _check_shape(value, limits)
    return value


@lru_cache(maxsize=8)
def _decoder(max_digits: int) -> json.JSONDecoder:
    def integer(text: str) -> int:
        if len(text) > max_digits:
            raise DoubtError
        return int(text)

    return json.JSONDecoder(
        object_pairs_hook=_object, parse_float=_float, parse_int=integer, parse_constant=_not_a_number
    )


def _object(pairs: list[tuple[str, JSONValue]]) -> dict[str, JSONValue]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise DoubtError
    return members


def _float(text: str) -> float:
    number = float(text)
    if number - number != 0:
        raise DoubtError
    return number


def _not_a_number(_: str) -> NoReturn:
    raise DoubtError


def _check_shape(value: JSONValue, limits: Limits) -> None:
    level, nodes, depth = [value], 1, 0
    while level := [item for item in level if isinstance(item, dict | list)]:
        depth += 1
        level = [child for item in level for child in (item.values() if isinstance(item, dict) else item)]
        nodes += len(level)
        if depth > limits.max_depth or nodes > limits.max_nodes:
            raise DoubtError


def read_json(text: str, source: str, limits: Limits, *, index: int = 0, lines: Lines | None = None) -> Document:
    """Read one JSON text.

    >>> read_json('{"a": 1, "a": 2}', "x.json", Limits()).violations[0].message
    'The name `a` stands twice in this object; the first is at line 1, column 2'
    """
    lines = lines or Lines(text)
    try:
        return Document(fast_value(text, limits), source, index, lines=lines)
    except DoubtError:
        return _read_slowly(text, source, limits, index, lines)


def _read_slowly(text: str, source: str, limits: Limits, index: int, lines: Lines) -> Document:
    from skillproto.documents.json_scan import scan

    result = scan(text, limits)
    readable = not result.faults.fatal
    value = result.value if readable else None
    return Document(value, source, index, result.faults.violations(lines), readable, lines=lines)
