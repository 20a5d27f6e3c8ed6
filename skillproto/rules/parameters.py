"""Rules about the parameters of a skill and the values that stand for them."""

from collections.abc import Iterator

from skillproto.rules.found_elsewhere import SCHEMA_TOO_COMPLEX
from skillproto.rules.model import Rule, rule
from skillproto.rules.subject import Parameter, Subject
from skillproto.validation.canonical import canonical
from skillproto.violations import JSONValue, Violation, type_name

TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array"})

MOST_VALUES = 1000
"""Values of an enum or of examples that are looked at."""


@rule(
    "descriptor/duplicate-input",
    "error",
    "Every parameter has a name of its own.",
    source="SSP, skill descriptor; unique names by decision of this project",
    bad='{"inputs": [{"name": "text", "type": "string"}, {"name": "text", "type": "integer"}]}',
    good='{"inputs": [{"name": "text", "type": "string"}, {"name": "limit", "type": "integer"}]}',
    why="""Inputs are sent as one object, so that of two parameters with one name only one can be given, and
    nobody can tell which of the two definitions it must fit.""",
)
def duplicate_input(subject: Subject) -> Iterator[Violation]:
    """Find names used before."""
    first: dict[str, str] = {}
    for parameter in subject.parameters:
        name = parameter.members.get("name")
        if not isinstance(name, str):
            continue
        if name in first:
            yield duplicate_input.found(
                f"{parameter.field}/name", "a name not used yet", name, f"The same name is used at {first[name]}"
            )
        first.setdefault(name, parameter.field)


@rule(
    "descriptor/default-on-required",
    "warning",
    "A required parameter has no default.",
    source="JSON Schema Validation 2020-12 section 9.2, default is for what is missing",
    bad='{"inputs": [{"name": "text", "type": "string", "required": true, "default": "x"}]}',
    good='{"inputs": [{"name": "text", "type": "string", "default": "x"}]}',
    why="""A default is used when the caller gives nothing, which cannot happen for a required parameter. One of
    the two is a mistake.""",
)
def default_on_required(subject: Subject) -> Iterator[Violation]:
    """Find defaults that are never used."""
    for parameter in subject.parameters:
        if parameter.is_required and "default" in parameter.members:
            yield default_on_required.found(
                f"{parameter.field}/default",
                "no default on a required parameter",
                parameter.members["default"],
                "The default is never used, since the parameter is required",
                hint="Take out the default or the required",
            )


@rule(
    "descriptor/default-type",
    "error",
    "A default fits its parameter: type, enum and schema.",
    source="SSP, skill descriptor; JSON Schema Validation 2020-12 section 9.2",
    bad='{"inputs": [{"name": "limit", "type": "integer", "default": "10"}]}',
    good='{"inputs": [{"name": "limit", "type": "integer", "default": 10}]}',
    why="""Who leaves the parameter out gets the default, and then breaks the parameter's own contract
    without having done anything wrong. null is fine for a parameter that is optional, unless its
    schema refuses null.""",
)
def default_type(subject: Subject) -> Iterator[Violation]:
    """Check defaults against the parameter."""
    for parameter in subject.parameters:
        if "default" in parameter.members:
            yield from _misfit(subject, default_type, parameter, parameter.members["default"], "default")


@rule(
    "descriptor/enum-type",
    "error",
    "The values of an enum fit their parameter, and each is listed once.",
    source="SSP, skill descriptor; JSON Schema Validation 2020-12 section 6.1.2",
    bad='{"inputs": [{"name": "size", "type": "integer", "enum": [1, "2"]}]}',
    good='{"inputs": [{"name": "size", "type": "integer", "enum": [1, 2]}]}',
    why="""A value that the type or the schema refuses can never be given, although it is listed as one of
    the choices. null may stand in the enum of an optional parameter.""",
)
def enum_type(subject: Subject) -> Iterator[Violation]:
    """Check the values of enums against type and schema, and for repetition."""
    for parameter in subject.parameters:
        first: dict[str, int] = {}
        for i, value in enumerate(_listed(parameter, "enum")):
            found = list(_misfit(subject, enum_type, parameter, value, f"enum/{i}", ask_enum=False))
            yield from found
            earlier = first.setdefault(canonical(value), i)
            if earlier != i and not found:
                message = f"The same value stands at index {earlier}"
                yield enum_type.found(f"{parameter.field}/enum/{i}", "a value not listed yet", value, message)


@rule(
    "descriptor/example-type",
    "error",
    "An example fits its parameter: type, enum and schema.",
    source="SSP, skill descriptor; JSON Schema Validation 2020-12 section 9.5",
    bad='{"inputs": [{"name": "size", "type": "integer", "examples": ["large"]}]}',
    good='{"inputs": [{"name": "size", "type": "integer", "examples": [3]}]}',
    why="""Models copy examples. One that the skill itself refuses teaches every caller a call that fails.""",
)
def example_type(subject: Subject) -> Iterator[Violation]:
    """Check examples against the parameter."""
    for parameter in subject.parameters:
        for i, value in enumerate(_listed(parameter, "examples")):
            yield from _misfit(subject, example_type, parameter, value, f"examples/{i}")


def _listed(parameter: Parameter, name: str) -> list[JSONValue]:
    """Give the values of a list to look at: no more than can be checked in bounded time."""
    values = parameter.members.get(name)
    return values[:MOST_VALUES] if isinstance(values, list) else []


def _misfit(
    subject: Subject, of: Rule, parameter: Parameter, value: JSONValue, below: str, *, ask_enum: bool = True
) -> Iterator[Violation]:
    """Report the first thing about a parameter that a value breaks: its type, its enum, its schema."""
    members, field = parameter.members, f"{parameter.field}/{below}"
    kind, noun = members.get("type"), _NOUNS[below.partition("/")[0]]
    is_null_allowed = value is None and not parameter.is_required
    if isinstance(kind, str) and kind in TYPES and not has_type(value, kind) and not is_null_allowed:
        message = f"The {noun} is of type {type_name(value)}, the parameter of type {kind}"
        yield of.found(field, str(kind), value, message)
    elif ask_enum and not is_null_allowed and not _is_choice(value, members.get("enum")):
        yield of.found(field, "one of the parameter's enum", value, f"The {noun} is not in the parameter's enum")
    else:
        for problem in subject.schema_checks.problems(members.get("schema"), parameter.field, value, field)[:1]:
            if problem.rule == SCHEMA_TOO_COMPLEX.id:
                yield problem
                return
            message = f"The {noun} breaks the parameter's schema: {problem.message}"
            yield of.found(problem.field, problem.expected, problem.actual, message)


_NOUNS = {"default": "default", "enum": "value", "examples": "example"}


def _is_choice(value: JSONValue, choices: JSONValue) -> bool:
    if not isinstance(choices, list) or not choices:
        return True
    if value in choices and isinstance(value, str):
        return True
    wanted = canonical(value)
    return any(canonical(choice) == wanted for choice in choices)


def too_many_values(subject: Subject) -> Iterator[Violation]:
    """Find lists of which only the beginning is checked, and say so."""
    for parameter in subject.parameters:
        for name in ("enum", "examples"):
            values = parameter.members.get(name)
            if isinstance(values, list) and len(values) > MOST_VALUES:
                message = f"The list has {len(values):,} values, of which only the first {MOST_VALUES:,} are checked"
                expected = f"at most {MOST_VALUES:,} values"
                yield SCHEMA_TOO_COMPLEX.found(f"{parameter.field}/{name}", expected, values, message)


def has_type(value: JSONValue, kind: str) -> bool:
    """Say whether a value has a JSON Schema type; 1.0 is an integer, true is no number.

    >>> has_type(1.0, "integer"), has_type(True, "number"), has_type(2, "number")
    (True, False, True)
    """
    name = type_name(value)
    return name == kind or (kind == "number" and name == "integer")


@rule(
    "descriptor/schema-type",
    "error",
    "A schema allows the type that stands beside it.",
    source="JSON Schema Validation 2020-12 section 6.1.1",
    bad='{"output": {"type": "string", "schema": {"type": "object"}}}',
    good='{"output": {"type": "object", "schema": {"type": "object"}}}',
    why="""A value must fit both the type and the schema. Where the schema's own type leaves no room for the
    parameter's or the output's type, no value can ever fit.""",
)
def schema_type(subject: Subject) -> Iterator[Violation]:
    """Compare type with schema.type, for parameters and output."""
    output = subject.member("output")
    places = [*subject.parameters, *([Parameter("/output", output)] if isinstance(output, dict) else [])]
    for field, members in places:
        kind, schema = members.get("type"), members.get("schema")
        allowed = schema.get("type") if isinstance(schema, dict) else None
        names = [allowed] if isinstance(allowed, str) else allowed
        if not isinstance(kind, str) or kind not in TYPES:
            continue
        if not isinstance(names, list) or not names or not TYPES.issuperset(_known(names)):
            continue
        if kind not in names and not {kind, *names} >= {"number", "integer"}:
            yield schema_type.found(
                f"{field}/schema/type", kind, allowed, f"The schema refuses every value of type {kind}"
            )


def _known(names: list[JSONValue]) -> set[str]:
    return {str(name) for name in names} - {"null"}


@rule(
    "descriptor/optional-refuses-null",
    "warning",
    "The schema of an optional parameter accepts null.",
    source="Asixto MCP reference: models send null for what is optional",
    bad='{"inputs": [{"name": "region", "type": "string", "schema": {"type": "string", "maxLength": 3}}]}',
    good='{"inputs": [{"name": "region", "type": "string", "schema": {"type": ["string", "null"], "maxLength": 3}}]}',
    why="""Models fill in every parameter that they are shown, with null for what they have nothing for. A schema
    that refuses null turns that into a failed call. Allow null beside the type, or make the parameter required.
    A parameter
    without a schema is not reported: a client answers null with the advice to leave it out.""",
)
def optional_refuses_null(subject: Subject) -> Iterator[Violation]:
    """Ask the schemas of optional parameters about null."""
    for parameter in subject.parameters:
        schema = parameter.members.get("schema")
        if parameter.is_required or not isinstance(schema, dict):
            continue
        problems = subject.schema_checks.problems(schema, parameter.field, None, parameter.field)
        if problems and problems[0].rule != SCHEMA_TOO_COMPLEX.id:
            yield optional_refuses_null.found(
                f"{parameter.field}/schema",
                "a schema that accepts null",
                schema.get("type"),
                "The parameter is optional and its schema refuses null, which models send for what they leave out",
                hint='Write "type": ["' + str(parameter.members.get("type")) + '", "null"]',
            )
