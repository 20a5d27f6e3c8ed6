"""Check the inputs of a call, and its output, against what the descriptor promises.

Pure and bounded in time. Nothing heavy is imported while the values fit.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from skillproto.validation.embedded import compile_embedded
from skillproto.validation.names import misspelt, nearest
from skillproto.validation.shown import listed, short_text, shown
from skillproto.violations import JSONValue, Violation, in_order, pointer, type_name

Definition = Mapping[str, Any]


class InputChecker:
    """Parameter definitions, ready to check the inputs of many calls.

    Args:
        parameters: `inputs` of a valid descriptor.

    >>> checker = InputChecker([{"name": "text", "type": "string", "required": True}])
    >>> [v.field for v in checker.check({"txt": "hello"})]
    ['/inputs/text']
    """

    def __init__(self, parameters: Sequence[Definition]) -> None:
        self._parameters = {parameter["name"]: parameter for parameter in parameters}

    def check(self, inputs: JSONValue, at: str = "/inputs") -> list[Violation]:
        """Check the inputs of one call; see `check_inputs`."""
        if not isinstance(inputs, dict):
            return [Violation(at, "object", shown(inputs), f"Wrong type: {_kind(inputs)}", "schema/type")]
        unknown = [name for name in inputs if name not in self._parameters]
        missing = [name for name, one in self._parameters.items() if one.get("required") and name not in inputs]
        joined = misspelt(missing, unknown) if missing and unknown else {}
        found = [self._missing(name, joined.get(name), at) for name in missing]
        taken = set(joined.values())
        found += [self._unknown(name, inputs[name], at) for name in unknown if name not in taken]
        for name, parameter in self._parameters.items():
            if name in inputs:
                found += _check_value(parameter, inputs[name], at + pointer([name]), is_input=True)
        return in_order(found)

    def _missing(self, name: str, close: str | None, at: str) -> Violation:
        expected = _expected(self._parameters[name])
        hint = f"Rename {short_text(close, 60)!r} to {name!r}" if close else None
        details = {"misspelt": at + pointer([close])} if close else {}
        return Violation(
            at + pointer([name]),
            expected,
            None,
            "Required field is missing",
            "schema/required",
            hint=hint,
            details=details,
        )

    def _unknown(self, name: Any, value: Any, at: str) -> Violation:
        known = list(self._parameters)
        close = nearest(name, known) if isinstance(name, str) else None
        expected = f"one of the inputs: {listed(known)}" if known else "no inputs"
        return Violation(
            at + pointer([str(name)]),
            expected,
            shown(value, str(name)),
            "The skill has no such input",
            "schema/unexpected",
            hint=f"Did you mean {close!r}?" if close else None,
        )


def check_inputs(parameters: Sequence[Definition], inputs: JSONValue, *, at: str = "/inputs") -> list[Violation]:
    """Check the inputs of a call against the parameters of a skill.

    Args:
        parameters: `inputs` of a valid descriptor.
        inputs: the values by name, as they would be sent.
        at: JSON Pointer of the inputs, for the findings.

    Returns:
        Violations: unknown and missing inputs, wrong types, values outside `enum`, and what
        a parameter's `schema` refuses. Empty when the call may be made.

    Source: SSP 9.4.

    >>> check_inputs([{"name": "n", "type": "integer"}], {"n": "1"})[0].message
    'Wrong type: string'
    """
    return InputChecker(parameters).check(inputs, at)


def check_output(output: Definition, value: JSONValue, *, at: str = "/output") -> list[Violation]:
    """Check what a skill gave against what its descriptor promises.

    Args:
        output: `output` of a valid descriptor.
        value: what came back.
        at: JSON Pointer of the value, for the findings.

    >>> [v.rule for v in check_output({"type": "array"}, {})]
    ['schema/type']
    """
    return in_order(_check_value(output, value, at, is_input=False))


def _check_value(definition: Definition, value: Any, at: str, *, is_input: bool) -> list[Violation]:
    expected = _expected(definition)
    name = at.rpartition("/")[2]
    if not _TYPES[definition["type"]](value):
        if value is None and is_input and not definition.get("required"):
            hint = "Remove it: an optional input without a value is left out"
            return [Violation(at, expected, None, "null is no value here", "schema/null-member", hint=hint)]
        return [Violation(at, expected, shown(value, name), f"Wrong type: {_kind(value)}", "schema/type")]
    choices = definition.get("enum")
    if isinstance(choices, list) and not _is_among(value, choices):
        close = nearest(value, [each for each in choices if isinstance(each, str)]) if isinstance(value, str) else None
        meant = f"Did you mean {short_text(close, 60)!r}?" if close else None
        return [Violation(at, expected, shown(value, name), "Invalid enum value", "schema/enum", hint=meant)]
    if "schema" in definition:
        return compile_embedded(definition["schema"]).check(value, at)
    return []


def _expected(definition: Definition) -> str:
    choices = definition.get("enum")
    return f"one of: {listed(choices)}" if isinstance(choices, list) else str(definition["type"])


def _is_among(value: Any, choices: list[Any]) -> bool:
    if isinstance(value, str):
        return value in choices
    from skillproto.validation.canonical import canonical

    wanted = canonical(value)
    return any(canonical(choice) == wanted for choice in choices)


def _kind(value: Any) -> str:
    return (
        type_name(value)
        if isinstance(value, str | int | float | list | dict | None)
        else f"Python {type(value).__name__}"
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value - value == 0


_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": _is_number,
    "integer": lambda value: _is_number(value) and value == int(value),
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
}
