"""Recognise the plain schemas that most parameters have, and the values that surely fit them.

True is proof that a schema is valid, safe and bounded, or that a value fits it; False says nothing.
"""

import re
from typing import Any

from skillproto.validation.proofs import has_format

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}
_COUNTS = frozenset(["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"])
_BOUNDS = frozenset(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"])
_WORDS = frozenset(["title", "description", "$comment"])
_ANSWERED_FOR_OBJECTS = _WORDS | {"type", "required", "properties", "items"}
_FORMATS = frozenset(["date-time", "date", "time", "email", "uri"])
_ATOM = r"(?:\[[A-Za-z0-9_ .-]*[A-Za-z0-9_]\]|[A-Za-z0-9_-])"
_FEW = r"(?:\?|\{[0-9]{1,2}(?:,[0-9]{1,2})?\})?"
_SAFE_PATTERN = re.compile(
    rf"\^?(?:{_ATOM}{_FEW}|\((?:{_ATOM})+\)\??|\((?:{_ATOM}(?:\{{[0-9]{{1,2}}\}})?)+\)\??)*[+*]?\$?"
)
_LONGEST_PATTERN = 100
LONGEST_NAME = 18
"""Characters of a name that is too short to be a key or token."""

_INFINITE = float("inf")
_LARGEST = 1_000_000
_DEEPEST = 8


def is_plain(schema: Any, depth: int = 0) -> bool:
    """Say whether a schema holds nothing but plain keywords with values of the right kind.

    >>> is_plain({"type": "string", "maxLength": 9}), is_plain({"$ref": "#"})
    (True, False)
    """
    if schema.__class__ is not dict or depth > _DEEPEST:
        return False
    for keyword, value in schema.items():
        if keyword == "type":
            if not (value in _TYPES if value.__class__ is str else _is_type_list(value)):
                return False
        elif keyword in _COUNTS:
            if value.__class__ is not int or not 0 <= value <= _LARGEST:
                return False
        elif keyword in _BOUNDS:
            if value.__class__ is not int and value.__class__ is not float:
                return False
        elif keyword in _WORDS:
            if value.__class__ is not str:
                return False
        elif not _is_plain_inside(keyword, value, depth):
            return False
    return True


def _is_plain_inside(keyword: str, value: Any, depth: int) -> bool:
    if keyword == "properties":
        return value.__class__ is dict and _are_plain(value, depth)
    if keyword == "items":
        return is_plain(value, depth + 1)
    if keyword == "required":
        return (
            value.__class__ is list and all(name.__class__ is str for name in value) and len(set(value)) == len(value)
        )
    if keyword == "additionalProperties":
        return value.__class__ is bool or is_plain(value, depth + 1)
    if keyword == "uniqueItems":
        return value.__class__ is bool
    if keyword == "format":
        return value.__class__ is str and value in _FORMATS
    if keyword == "enum":
        return (
            value.__class__ is list
            and bool(value)
            and all(v.__class__ is str for v in value)
            and len({*value}) == len(value)
        )
    return keyword == "pattern" and is_safe_pattern(value)


def _are_plain(schemas: dict[str, Any], depth: int) -> bool:
    for name, schema in schemas.items():
        if not (name.isidentifier() and name.isascii() and len(name) <= LONGEST_NAME and is_plain(schema, depth + 1)):
            return False
    return True


def _is_type_list(value: Any) -> bool:
    if value.__class__ is not list or not value:
        return False
    return all(name.__class__ is str and name in _TYPES for name in value) and len(set(value)) == len(value)


def is_safe_pattern(pattern: Any) -> bool:
    """Say whether a pattern is so plain that matching it surely takes little time.

    >>> is_safe_pattern("^[a-z]{2,3}(-[A-Z]{2})?$"), is_safe_pattern("^(a+)+$")
    (True, False)
    """
    if pattern.__class__ is not str or len(pattern) > _LONGEST_PATTERN or not _SAFE_PATTERN.fullmatch(pattern):
        return False
    try:
        re.compile(pattern)  # refuses what only its order makes wrong: [z-a], a{3,1}
    except re.error:
        return False
    return True


def surely_fits(schema: dict[str, Any], value: Any) -> bool:
    """Say whether a value surely fits a plain schema; asks only what it can answer at once.

    >>> surely_fits({"type": "string", "maxLength": 3}, "abc"), surely_fits({"type": "string", "maxLength": 3}, "abcd")
    (True, False)
    """
    kind = schema.get("type")
    of = value.__class__
    if kind.__class__ is str:
        if of not in _TYPES[kind]:
            return False
    elif kind and not any(of in _TYPES[name] for name in kind):
        return False
    if of is str:
        return _text_fits(schema, value)
    if of is int or of is float:
        return _number_fits(schema, value)
    if of is list:
        return _list_fits(schema, value)
    if of is dict:
        return _object_fits(schema, value)
    return "enum" not in schema


def _text_fits(schema: dict[str, Any], value: str) -> bool:
    if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", _LARGEST):
        return False
    if "format" in schema and not has_format(schema["format"], value):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    pattern = schema.get("pattern")
    return pattern is None or ("\n" not in value and re.search(pattern, value) is not None)


def _number_fits(schema: dict[str, Any], value: float) -> bool:
    if "enum" in schema or "exclusiveMinimum" in schema or "exclusiveMaximum" in schema:
        return False
    if not -_INFINITE < value < _INFINITE:
        return False
    return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))


def _list_fits(schema: dict[str, Any], value: list[Any]) -> bool:
    if "enum" in schema or not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", _LARGEST):
        return False
    items = schema.get("items")
    if schema.get("uniqueItems") and not all(item.__class__ is str for item in value):
        return False
    is_unique = not schema.get("uniqueItems") or len(set(value)) == len(value)
    return is_unique and (items is None or all(surely_fits(items, item) for item in value))


def _object_fits(schema: dict[str, Any], value: dict[str, Any]) -> bool:
    if not schema.keys() <= _ANSWERED_FOR_OBJECTS or not set(schema.get("required", ())) <= value.keys():
        return False
    properties = schema.get("properties", {})
    return all(name not in properties or surely_fits(properties[name], item) for name, item in value.items())
