"""What an unquoted YAML scalar means: the core schema of YAML 1.2, and nothing of YAML 1.1.

So `no`, `on`, `2024-01-01`, `12:30` and `1_000` are text, and `010` is ten.

Source: YAML 1.2.2, section 10.3.2.
"""

import re

from skillproto.violations import JSONValue

_NULLS = ("", "~", "null", "Null", "NULL")
_CONSTANTS: dict[str, JSONValue] = {
    **dict.fromkeys(_NULLS),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
SCALAR_STARTS = frozenset(("", *"~nNtTfF.+-0123456789"))
"""What a scalar begins with that may be anything but text."""

_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")

CORE_TAGS = {f"tag:yaml.org,2002:{name}": name for name in ("str", "int", "float", "bool", "null", "map", "seq")}


class TooManyDigitsError(ValueError):
    """An integer with more digits than the limit."""


def resolve(text: str, max_digits: int) -> JSONValue:
    """Read an unquoted scalar. An infinity stands also for a number that no double can hold.

    Raises:
        TooManyDigitsError: it is an integer, and too long.

    >>> [resolve(text, 308) for text in ("1.10", "no", "0o17", "010", "1e3", "~", "2024-01-01")]
    [1.1, 'no', 15, 10, 1000.0, None, '2024-01-01']
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in SCALAR_STARTS or text[0].isalpha():
        return text
    if _INTEGER.fullmatch(text):
        _check_digits(text, max_digits)
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _BASED.fullmatch(text):
        _check_digits(text, max_digits)
        return int(text, 0)
    return text


def _check_digits(text: str, max_digits: int) -> None:
    if len(text.lstrip("+-")) > max_digits:
        raise TooManyDigitsError


def resolve_tagged(name: str, text: str, max_digits: int) -> JSONValue:
    """Read a scalar under one of the tags of the core schema.

    Raises:
        TooManyDigitsError: it is an integer, and too long.
        ValueError: the text does not fit the tag.

    >>> resolve_tagged("str", "1.10", 308), resolve_tagged("float", "1", 308)
    ('1.10', 1.0)
    """
    if name == "str":
        return text
    value = resolve(text, max_digits)
    match name, value:
        case ("bool", bool()) | ("null", None):
            return value
        case ("int", int()) if not isinstance(value, bool):
            return value
        case ("float", int() | float()) if not isinstance(value, bool):
            return float(value)
        case _:
            raise ValueError(name)


_PROPERTIES = re.compile(r"(?:[&!]\S*(?:\s+(?:#[^\r\n]*)?)*)+")


def without_properties(text: str) -> str:
    """Drop the anchor and the tag that stand before a scalar.

    >>> without_properties("&v !!str 1.10")
    '1.10'
    """
    return _PROPERTIES.sub("", text, count=1) if text.startswith(("&", "!")) else text


def has_tag(text: str, start: int) -> bool:
    """Say whether a tag stands before the scalar that begins, with its anchor and tag, at an index.

    >>> has_tag("&v ! 12", 0), has_tag("&v 12", 0)
    (True, False)
    """
    match = _PROPERTIES.match(text, start)
    return match is not None and "!" in re.sub(r"&\S*|#[^\r\n]*", "", match.group())
