"""What every keyword works with: the check that it is part of, and errors without text. Pure."""

from collections.abc import Callable, Iterator
from typing import Any

from jsonschema import FormatChecker
from jsonschema.exceptions import ValidationError

from skillproto.validation.budget import Budget
from skillproto.validation.patterns import compile_pattern
from skillproto.violations import JSONValue

Schema = dict[str, Any]
Errors = Iterator[ValidationError]
Keyword = Callable[[Any, Any, Any, Schema], Errors | None]


class Context(FormatChecker):
    """What one check carries along: the whole schema, the budget, and each enum as it is compared.

    It travels as the format checker, the one field that jsonschema hands on untouched.
    """

    def __init__(self, root: JSONValue, budget: Budget) -> None:
        super().__init__(formats=())
        self.root = root
        self.budget = budget
        self.choices: dict[int, set[str]] = {}


def fault(**facts: Any) -> ValidationError:
    """Make an error without text."""
    return ValidationError("", **facts)


def matches(validator: Any, pattern: str, text: Any) -> bool:
    """Say whether a pattern matches somewhere in a text, counted against the budget."""
    return isinstance(text, str) and compile_pattern(pattern).search(text, validator.format_checker.budget)


def spend(validator: Any, amount: int) -> None:
    """Count work against the budget of a check."""
    validator.format_checker.budget.spend(amount)


def is_nothing(subschema: Any) -> bool:
    """Say whether a schema is the one that nothing fits.

    >>> is_nothing({"not": {}}), is_nothing({})
    (True, False)
    """
    return subschema is False or subschema == {"not": {}}


def unexpected(name: Any, instance: Any, schema: Schema) -> ValidationError:
    """Make the error for a member that must not be there."""
    return fault(validator="unexpected", path=[name], instance=instance[name], validator_value=name)
