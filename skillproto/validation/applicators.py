"""The keywords that apply schemas to the members of a value, or several to the same value. Pure."""

from typing import Any

from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator

from skillproto.validation.keyword_context import Errors, Keyword, Schema, fault, is_nothing, matches, spend, unexpected


def _properties(validator: Any, properties: Any, instance: Any, schema: Schema) -> Errors:
    if not isinstance(instance, dict):
        return
    spend(validator, len(properties))
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
                if matches(validator, pattern, name):
                    yield from validator.descend(value, subschema, path=name)


def _additional_properties(validator: Any, subschema: Any, instance: Any, schema: Schema) -> Errors:
    if not isinstance(instance, dict):
        return
    for name in _extras(validator, instance, schema):
        if is_nothing(subschema):
            yield unexpected(name, instance, schema)
        else:
            yield from validator.descend(instance[name], subschema, path=name)


def _extras(validator: Validator, instance: dict[str, Any], schema: Schema) -> list[str]:
    known = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    return [
        name
        for name in instance
        if name not in known and not any(matches(validator, pattern, name) for pattern in patterns)
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


APPLICATORS: dict[str, Keyword] = {
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "propertyNames": _property_names,
    "contains": _contains,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
}
