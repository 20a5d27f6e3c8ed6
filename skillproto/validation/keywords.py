"""The keywords of JSON Schema, for jsonschema's validator to call.

jsonschema walks the schema, follows references and joins the pieces; what a keyword asks
stands here, so that it is exact (decimals, ECMA-262 patterns, every format), counted
against a budget, and never writes out a value. An error carries facts, no text.
"""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator

from skillproto.validation.budget import Budget
from skillproto.validation.canonical import canonical
from skillproto.validation.formats import refusal
from skillproto.validation.names import misspelt
from skillproto.validation.patterns import compile_pattern
from skillproto.validation.references import find_local
from skillproto.violations import JSONValue

Schema = dict[str, Any]
Errors = Iterator[ValidationError]
Keyword = Callable[[Any, Any, Any, Schema], Errors | None]


class Context(FormatChecker):
    """What one check carries along: the whole schema and the budget.

    It travels as the format checker, the one field that jsonschema hands on untouched.
    """

    def __init__(self, root: JSONValue, budget: Budget) -> None:
        super().__init__(formats=())
        self.root = root
        self.budget = budget


def fault(**facts: Any) -> ValidationError:
    """Make an error without text."""
    return ValidationError("", **facts)


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
        _spend(validator, len(instance) // 16)
        for key in instance:
            if not isinstance(key, str):
                yield fault(validator="name", path=[str(key)[:60]], instance=key)


def _enum(validator: Validator, values: Any, instance: Any, schema: Schema) -> Errors:
    wanted = _written(validator, instance)
    if not any(_written(validator, value) == wanted for value in values):
        yield fault()


def _const(validator: Validator, value: Any, instance: Any, schema: Schema) -> Errors:
    if _written(validator, value) != _written(validator, instance):
        yield fault()


def _written(validator: Validator, value: Any) -> str:
    text = canonical(value)
    _spend(validator, len(text) // 64 + 1)
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
    if isinstance(instance, str) and not _matches(validator, pattern, instance):
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


def _properties(validator: Any, properties: Any, instance: Any, schema: Schema) -> Errors:
    if not isinstance(instance, dict):
        return
    _spend(validator, len(properties))
    required = schema.get("required", ())
    for name, subschema in properties.items():
        if name not in instance:
            continue
        errors = validator.descend(instance[name], subschema, path=name)
        if instance[name] is None and name not in required:
            if next(errors, None) is not None:
                yield fault(validator="null", path=[name], instance=None, schema=subschema)
        else:
            yield from errors


def _pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Schema) -> Errors:
    if isinstance(instance, dict):
        for pattern, subschema in patterns.items():
            for name, value in instance.items():
                if _matches(validator, pattern, name):
                    yield from validator.descend(value, subschema, path=name)


def _additional_properties(validator: Any, subschema: Any, instance: Any, schema: Schema) -> Errors:
    if not isinstance(instance, dict):
        return
    for name in _extras(validator, instance, schema):
        if is_nothing(subschema):
            yield _unexpected(name, instance, schema)
        else:
            yield from validator.descend(instance[name], subschema, path=name)


def is_nothing(subschema: Any) -> bool:
    """Say whether a schema is the one that nothing fits.

    >>> is_nothing({"not": {}}), is_nothing({})
    (True, False)
    """
    return subschema is False or subschema == {"not": {}}


def _unexpected(name: Any, instance: Any, schema: Schema) -> ValidationError:
    return fault(validator="unexpected", path=[name], instance=instance[name], validator_value=name)


def _extras(validator: Validator, instance: dict[str, Any], schema: Schema) -> list[str]:
    known = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    return [
        name
        for name in instance
        if name not in known and not any(_matches(validator, pattern, name) for pattern in patterns)
    ]


def _property_names(validator: Any, subschema: Any, instance: Any, schema: Schema) -> Errors:
    if isinstance(instance, dict):
        for name in instance:
            for error in validator.descend(name, subschema):
                error.relative_path.appendleft(name)
                yield error


def _contains(validator: Any, subschema: Any, instance: Any, schema: Schema) -> Errors:
    if not isinstance(instance, list):
        return
    checker = validator.evolve(schema=subschema)
    count = sum(checker.is_valid(item) for item in instance)
    if not schema.get("minContains", 1) <= count <= schema.get("maxContains", count):
        yield fault(validator_value=(subschema, count))


def _any_of(validator: Any, branches: Any, instance: Any, schema: Schema) -> Errors:
    errors: list[ValidationError] = []
    for index, branch in enumerate(branches):
        found = list(validator.descend(instance, branch, schema_path=index))
        if not found:
            return
        errors.extend(found)
    yield fault(context=errors)


def _one_of(validator: Any, branches: Any, instance: Any, schema: Schema) -> Errors:
    errors: list[ValidationError] = []
    fitting = []
    for index, branch in enumerate(branches):
        found = list(validator.descend(instance, branch, schema_path=index))
        errors.extend(found)
        if not found:
            fitting.append(index)
    if not fitting:
        yield fault(context=errors)
    elif len(fitting) > 1:
        yield fault(validator="several", validator_value=fitting)


def _not(validator: Any, subschema: Any, instance: Any, schema: Schema) -> Errors:
    if validator.evolve(schema=subschema).is_valid(instance):
        yield fault()


def _multiple(validator: Validator, divisor: Any, instance: Any, schema: Schema) -> Errors:
    if is_number(instance):
        _spend(validator, int(instance).bit_length() // 64 if isinstance(instance, int) else 1)
        if not is_multiple(instance, divisor):
            yield fault()


def _unevaluated_properties(validator: Any, subschema: Any, instance: Any, schema: Schema) -> Errors:
    if not isinstance(instance, dict):
        return
    seen = evaluated(validator, instance, schema, skip="unevaluatedProperties")
    for name in [name for name in instance if name not in seen]:
        if is_nothing(subschema):
            yield _unexpected(name, instance, schema)
        else:
            yield from validator.descend(instance[name], subschema, path=name)


def _unevaluated_items(validator: Any, subschema: Any, instance: Any, schema: Schema) -> Errors:
    if not isinstance(instance, list):
        return
    seen = evaluated(validator, instance, schema, skip="unevaluatedItems")
    for index, item in enumerate(instance):
        if index not in seen:
            yield from validator.descend(item, subschema, path=index)


def evaluated(validator: Any, instance: Any, schema: Any, *, skip: str = "") -> set[Any]:
    """Give the members or indexes that the schema has looked at.

    What must hold anyway (allOf, $ref, then) counts without a second look: where it does
    not hold, the value is refused for that.
    """
    _spend(validator, 1)
    if not isinstance(schema, dict):
        return set()
    own = _own_members if isinstance(instance, dict) else _own_items
    seen: set[Any] = own(validator, instance, schema, skip)
    for branch in _branches(validator, instance, schema):
        seen |= evaluated(validator, instance, branch)
    return seen


def _own_members(validator: Any, instance: dict[str, Any], schema: Schema, skip: str) -> set[Any]:
    if any(name in schema and name != skip for name in ("additionalProperties", "unevaluatedProperties")):
        return set(instance)
    patterns = schema.get("patternProperties", {})
    matched: set[Any] = {name for name in instance if any(_matches(validator, pattern, name) for pattern in patterns)}
    return matched.union(name for name in schema.get("properties", {}) if name in instance)


def _own_items(validator: Any, instance: list[Any], schema: Schema, skip: str) -> set[Any]:
    if any(name in schema and name != skip for name in ("items", "unevaluatedItems")):
        return set(range(len(instance)))
    seen = set(range(len(schema.get("prefixItems", ()))))
    if "contains" in schema:
        checker = validator.evolve(schema=schema["contains"])
        seen.update(index for index, item in enumerate(instance) if checker.is_valid(item))
    return seen


def _branches(validator: Any, instance: Any, schema: Schema) -> Iterator[Any]:
    """Give the schemas that are applied to the same value and hold, or would have to."""
    if "$ref" in schema:
        yield find_local(validator.format_checker.root, schema["$ref"])
    yield from schema.get("allOf", ())
    for name in ("anyOf", "oneOf"):
        branches = schema.get(name, ())
        fitting = [branch for branch in branches if validator.evolve(schema=branch).is_valid(instance)]
        yield from fitting or branches
    if "if" in schema:
        held = validator.evolve(schema=schema["if"]).is_valid(instance)
        if held:
            yield schema["if"]
        yield schema.get("then" if held else "else", {})
    if isinstance(instance, dict):
        yield from (branch for name, branch in schema.get("dependentSchemas", {}).items() if name in instance)


def _matches(validator: Any, pattern: str, text: Any) -> bool:
    return isinstance(text, str) and compile_pattern(pattern).search(text, validator.format_checker.budget)


def _spend(validator: Any, amount: int) -> None:
    validator.format_checker.budget.spend(amount)


def _counted(keyword: Keyword) -> Keyword:
    """Count each call of a keyword against the budget."""

    def check(validator: Any, value: Any, instance: Any, schema: Schema) -> Errors:
        _spend(validator, 1)
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
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "propertyNames": _property_names,
    "contains": _contains,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "unevaluatedProperties": _unevaluated_properties,
    "unevaluatedItems": _unevaluated_items,
}

KEYWORDS: dict[str, Keyword] = {
    name: _counted(keyword) for name, keyword in {**Draft202012Validator.VALIDATORS, **_OWN}.items()
}
"""Every keyword: those that are answered here, and jsonschema's own for the others."""
