"""How the values are called that a keyword refuses. What a stranger wrote is shortened. Pure."""

import json
from typing import Any

from skillproto.validation.shown import short_text, shown

_LONGEST = 60


def value_phrase(value: Any) -> str:
    """Name one value.

    >>> value_phrase("es"), value_phrase(None)
    ('the value "es"', 'the value null')
    """
    return f"the value {plain_value(value)}"


def plain_value(value: Any) -> str:
    """Write one value, shortened.

    >>> plain_value({"a": 1})
    '{"a": 1}'
    """
    return short_text(json.dumps(shown(value), ensure_ascii=False), _LONGEST)


def quoted(text: str) -> str:
    """Quote a name or a pattern.

    >>> quoted("text")
    "'text'"
    """
    return repr(short_text(text, _LONGEST))


def counted(count: float, noun: str) -> str:
    """Give a count with its noun.

    >>> counted(1, "item"), counted(2.0, "item")
    ('1 item', '2 items')
    """
    number = int(count)
    return f"1 {noun}" if number == 1 else f"{plain_value(number)} {noun}s"
