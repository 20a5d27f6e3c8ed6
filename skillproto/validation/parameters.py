"""Check the inputs of a call, and its output, against what the descriptor promises.

Pure and bounded in time. Values that fit are told by a few tests of their types; what
describes a fault, and what reads a schema, is imported when it is first needed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skillproto.violations import JSONValue, Violation, in_order, pointer, type_name

if TYPE_CHECKING:
    from skillproto.validation.embedded import EmbeddedSchema

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
        self._parameters = {parameter["name"]: _Definition(parameter) for parameter in parameters}
        self._required = [name for name, one in self._parameters.items() if one.is_required]

    def check(self, inputs: JSONValue, at: str = "/inputs") -> list[Violation]:
        """Check the inputs of one call; see `check_inputs`."""
        if not isinstance(inputs, dict):
            return [_wrong_type("object", inputs, at)]
        found: list[Violation] = []
        for name, value in inputs.items():
            parameter = self._parameters.get(name)
            if parameter is None:
                return self._check_all(inputs, at)
            if not parameter.fits(value):
                found += parameter.check(value, at + pointer([name]), is_input=True)
        if all(name in inputs for name in self._required):
            return in_order(found) if found else found
        return self._check_all(inputs, at)

    def _check_all(self, inputs: dict[Any, Any], at: str) -> list[Violation]:
        """Check inputs some of which are missing or unknown."""
        from skillproto.validation.names import misspelt

        unknown = [name for name in inputs if name not in self._parameters]
        missing = [name for name in self._required if name not in inputs]
        joined = misspelt(missing, unknown) if missing and unknown else {}
        taken = set(joined.values())
        found = [self._missing(name, joined.get(name), at) for name in missing]
        found += [self._unknown(name, inputs[name], at) for name in unknown if name not in taken]
        for name, parameter in self._parameters.items():
            if name in inputs and not parameter.fits(inputs[name]):
                found += parameter.check(inputs[name], at + pointer([name]), is_input=True)
        return in_order(found)

    def _missing(self, name: str, close: str | None, at: str) -> Violation:
        from skillproto.validation.shown import short_text

        expected = self._parameters[name].expected
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
        from skillproto.validation.names import nearest
        from skillproto.validation.shown import listed, shown

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
    return OutputChecker(output).check(value, at)


class OutputChecker:
    """The definition of an output, ready to check what many calls gave.

    Args:
        output: `output` of a valid descriptor.

    >>> [v.message for v in OutputChecker({"type": "array"}).check(None)]
    ['Wrong type: null']
    """

    def __init__(self, output: Definition) -> None:
        self._definition = _Definition(output)

    def check(self, value: JSONValue, at: str = "/output") -> list[Violation]:
        """Check what one call gave; see `check_output`."""
        definition = self._definition
        return [] if definition.fits(value) else in_order(definition.check(value, at, is_input=False))


class _Definition:
    """What a parameter or an output asks of its value."""

    __slots__ = ("_choices", "_has_schema", "_has_type", "_prepared", "_raw", "is_required")

    def __init__(self, raw: Definition) -> None:
        self._raw = raw
        self._has_type = _TYPES[raw["type"]]
        choices = raw.get("enum")
        self._choices: list[Any] | None = choices if isinstance(choices, list) else None
        self._has_schema = "schema" in raw
        self._prepared: EmbeddedSchema | None = None
        self.is_required = bool(raw.get("required"))

    @property
    def expected(self) -> str:
        from skillproto.validation.shown import listed

        return str(self._raw["type"]) if self._choices is None else f"one of: {listed(self._choices)}"

    @property
    def _schema(self) -> "EmbeddedSchema":
        from skillproto.validation.embedded import compile_embedded

        if self._prepared is None:
            self._prepared = compile_embedded(self._raw["schema"])
        return self._prepared

    def fits(self, value: Any) -> bool:
        """Say whether a value surely fits; False says nothing."""
        if not self._has_type(value):
            return False
        if self._choices is not None and not (isinstance(value, str) and value in self._choices):
            return False
        return not self._has_schema or self._schema.surely_fits(value)

    def check(self, value: Any, at: str, *, is_input: bool) -> list[Violation]:
        """Give what is wrong with a value."""
        if not self._has_type(value):
            if value is None and is_input and not self.is_required:
                if self._names_null(at):
                    return []
                hint = "Remove it: an optional input without a value is left out"
                return [Violation(at, self.expected, None, "null is no value here", "schema/null-member", hint=hint)]
            return [_wrong_type(self.expected, value, at)]
        if self._choices is not None and not _is_among(value, self._choices):
            return [self._no_choice(value, at)]
        return self._schema.check(value, at) if self._has_schema else []

    def _names_null(self, at: str) -> bool:
        """Say whether an optional input's own enum or schema allows null, which models send for what they leave out."""
        if self._choices is not None and None not in self._choices:
            return False
        return not self._schema.check(None, at) if self._has_schema else self._choices is not None

    def _no_choice(self, value: Any, at: str) -> Violation:
        from skillproto.validation.names import nearest
        from skillproto.validation.shown import short_text, shown

        texts = [choice for choice in self._choices or () if isinstance(choice, str)]
        close = nearest(value, texts) if isinstance(value, str) else None
        hint = f"Did you mean {short_text(close, 60)!r}?" if close else None
        actual = shown(value, at.rpartition("/")[2])
        return Violation(at, self.expected, actual, "Invalid enum value", "schema/enum", hint=hint)


def _wrong_type(expected: str, value: Any, at: str) -> Violation:
    from skillproto.validation.shown import shown

    is_json = value is None or isinstance(value, str | int | float | list | dict)
    kind = type_name(value) if is_json else f"Python {type(value).__name__}"
    return Violation(at, expected, shown(value, at.rpartition("/")[2]), f"Wrong type: {kind}", "schema/type")


def _is_among(value: Any, choices: list[Any]) -> bool:
    if isinstance(value, str):
        return value in choices
    from skillproto.validation.canonical import canonical

    wanted = canonical(value)
    return any(canonical(choice) == wanted for choice in choices)


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
