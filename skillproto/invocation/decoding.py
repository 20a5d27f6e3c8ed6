"""Parse the JSON of a reply: strictly, and no deeper than a reader can follow.

Pure. A number beyond the range of a float and the words NaN and Infinity are no JSON here.
"""

import json
import math
from collections.abc import Iterable

from skillproto.violations import JSONValue

MAX_DEPTH = 200
"""A text with more containers inside one another is not read."""


class TooDeepError(ValueError):
    """The text has more containers inside one another than are read."""


def decode(text: str) -> JSONValue:
    """Parse a JSON text.

    Raises:
        TooDeepError: it has more than `MAX_DEPTH` containers inside one another.
        ValueError: it is no JSON.

    >>> decode('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    """
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        raise TooDeepError from None
    if _is_too_deep(text, value):
        raise TooDeepError
    return value


def _refuse(word: str) -> JSONValue:
    raise ValueError(f"{word} is no JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("a number beyond the range of a float")
    return number


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)


def _is_too_deep(text: str, value: JSONValue) -> bool:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    level = [value] if isinstance(value, dict | list) else []
    depth = 0
    while level and depth <= MAX_DEPTH:
        depth += 1
        level = [item for each in level for item in _children(each) if isinstance(item, dict | list)]
    return depth > MAX_DEPTH


def _children(container: JSONValue) -> Iterable[JSONValue]:
    return container.values() if isinstance(container, dict) else container
