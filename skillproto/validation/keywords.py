"""The keywords of JSON Schema, for jsonschema's validator to call.

jsonschema walks the schema, follows references and joins the pieces; what a keyword asks
stands here, so that it is exact (decimals, ECMA-262 patterns, every format), counted
against a budget, and never writes out a value. An error carries facts, no text.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.protocols import Validator

from skillproto.validation.applicators import APPLICATORS
from skillproto.validation.canonical import canonical
from skillproto.validation.formats import refusal
from skillproto.validation.keyword_context import Errors, Keyword, Schema, fault, matches, spend
from skillproto.validation.names import misspelt
from skillproto.validation.unevaluated import UNEVALUATED
from skillproto.violations import JSONValue


def is_number(value: JSONValue) -> bool:
    """Say whether a value is a JSON number.

    >>> is_number(1.5), is_number(True)
    (True, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_multiple(value: float, divisor: float) -> bool:
    """Say whether a number is a multiple of another, as the decimals are written.

    >>> is_multiple(19.99, 0.01), is_multiple(10, 3)
    (True, False)
    """
    if isinstance(value, int) and isinstance(divisor, int):
        return value % divisor == 0
    if isinstance(value, float) and not math.isfinite(value):
        return False
    return (_exact(value) / _exact(divisor)).denominator == 1


def _exact(number: float) -> Fraction:
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def _type(validator: Validator, types: Any, instance: Any, schema: Schema) -> Errors:
    names = [types] if isinstance(types, str) else types
    endless = isinstance(instance, float) and not math.isfinite(instance)
    if endless or not any(validator.is_type(instance, name) for name in names):
        yield fault()
    elif isinstance(instance, dict):
        spend(validator, len(instance) // 16)
        for key in instance:
            if not isinstance(key, str):
                yield fault(validator="name", path=[str(key)[:60]], instance=key)


def _enum(validator: Any, values: Any, instance: Any, schema: Schema) -> Errors:
    choices = validator.format_checker.choices
    if id(values) not in choices:
        choices[id(values)] = {_written(validator, value) for value in values}
    if _written(validator, instance) not in choices[id(values)]:
        yield fault()


def _const(validator: Validator, value: Any, instance: Any, schema: Schema) -> Errors:
    if _written(validator, value) != _written(validator, instance):
        yield fault()


def _written(validator: Validator, value: Any) -> str:
    text = canonical(value)
    spend(validator, len(text) // 64 + 1)
    return text


def _compare(
    holds: Callable[[Any, Any], bool], applies: Callable[[Any], bool], measure: Callable[[Any], Any]
) -> Keyword:
    def check(validator: Validator, bound: Any, instance: Any, schema: Schema) -> Errors:
        if applies(instance) and not holds(measure(instance), bound):
            yield fault()

    return check


def _itself(value: Any) -> Any:
    return value


def _at_least(value: Any, bound: Any) -> bool:
    return bool(value >= bound)


def _at_most(value: Any, bound: Any) -> bool:
    return bool(value <= bound)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_array(value: Any) -> bool:
    return isinstance(value, list)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _unique(validator: Validator, wanted: Any, instance: Any, schema: Schema) -> Errors:
    if not wanted or not isinstance(instance, list):
        return
    first: dict[str, int] = {}
    for index, item in enumerate(instance):
        earlier = first.setdefault(_written(validator, item), index)
        if earlier != index:
            yield fault(path=[index], instance=item, validator_value=earlier)


def _pattern(validator: Validator, pattern: Any, instance: Any, schema: Schema) -> Errors:
    if isinstance(instance, str) and not matches(validator, pattern, instance):
        yield fault()


def _format(validator: Validator, name: Any, instance: Any, schema: Schema) -> Errors:
    refused = refusal(name, instance)
    if refused is not None:
        yield fault(validator_value=(name, refused))


def _required(validator: Validator, names: Any, instance: Any, schema: Schema) -> Errors:
    if isinstance(instance, dict):
        yield from _missing([name for name in names if name not in instance], instance, schema)


def _missing(missing: list[str], instance: Any, schema: Schema) -> Errors:
    if not missing:
        return
    known = schema.get("properties", {})
    joined = misspelt(missing, [name for name in instance if name not in known])
    for name in missing:
        yield fault(validator="required", path=[name], validator_value=joined.get(name))


def _dependent_required(validator: Validator, dependencies: Any, instance: Any, schema: Schema) -> Errors:
    if isinstance(instance, dict):
        for name, needed in dependencies.items():
            if name in instance:
                yield from _missing([each for each in needed if each not in instance], instance, schema)


def _multiple(validator: Validator, divisor: Any, instance: Any, schema: Schema) -> Errors:
    if is_number(instance):
        spend(validator, int(instance).bit_length() // 64 if isinstance(instance, int) else 1)
        if not is_multiple(instance, divisor):
            yield fault()


def _counted(keyword: Keyword) -> Keyword:
    """Count each call of a keyword against the budget."""

    def check(validator: Any, value: Any, instance: Any, schema: Schema) -> Errors:
        spend(validator, 1)
        yield from keyword(validator, value, instance, schema) or ()

    return check


_OWN: dict[str, Keyword] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "minimum": _compare(_at_least, is_number, _itself),
    "maximum": _compare(_at_most, is_number, _itself),
    "exclusiveMinimum": _compare(lambda value, bound: value > bound, is_number, _itself),
    "exclusiveMaximum": _compare(lambda value, bound: value < bound, is_number, _itself),
    "multipleOf": _multiple,
    "minLength": _compare(_at_least, _is_text, len),
    "maxLength": _compare(_at_most, _is_text, len),
    "minItems": _compare(_at_least, _is_array, len),
    "maxItems": _compare(_at_most, _is_array, len),
    "minProperties": _compare(_at_least, _is_object, len),
    "maxProperties": _compare(_at_most, _is_object, len),
    "uniqueItems": _unique,
    "pattern": _pattern,
    "format": _format,
    "required": _required,
    "dependentRequired": _dependent_required,
}

KEYWORDS: dict[str, Keyword] = {
    name: _counted(keyword)
    for name, keyword in {**Draft202012Validator.VALIDATORS, **_OWN, **APPLICATORS, **UNEVALUATED}.items()
}
"""Every keyword: those that are answered here, and jsonschema's own for the others."""
