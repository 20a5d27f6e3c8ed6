"""The reference for every verdict: jsonschema's draft 2020-12 validator, extended.

No reference leaves the schema: the registry is empty, so nothing is ever fetched. Only
this module and those that it alone imports know jsonschema.
"""

from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.validators import extend
from referencing import Registry

from skillproto.validation.budget import Budget
from skillproto.validation.keyword_context import Context
from skillproto.validation.keywords import KEYWORDS
from skillproto.validation.schemas import load_schema
from skillproto.validation.translate import translate
from skillproto.violations import JSONValue, Violation

_Validator: Any = extend(Draft202012Validator, KEYWORDS)  # type: ignore[no-untyped-call]
_NO_OTHERS: Registry[Any] = Registry()


def find_violations(document: JSONValue, name: str) -> list[Violation]:
    """Check a document against a shipped schema, slowly and surely.

    Raises:
        UnknownSchemaError: no shipped schema has this name.

    >>> find_violations({"error": {"code": "X", "message": "m"}}, "error")
    []
    """
    schema = _shipped(name)
    return check_value(document, schema, Budget())


def check_value(value: JSONValue, schema: JSONValue, budget: Budget, *, at: str = "") -> list[Violation]:
    """Check a value against a schema whose references all stay inside it.

    Args:
        value: any value.
        schema: a schema without `$schema` and `$id`, which would change how it is read.
        budget: what the work is counted against.
        at: JSON Pointer of the value, for the findings.

    Raises:
        BudgetSpent: the check took more work than it may.
        RecursionError: value or schema is nested too deeply.

    >>> [v.rule for v in check_value("x", {"type": "integer"}, Budget())]
    ['schema/type']
    """
    context = Context(schema, budget)
    errors = _Validator(schema, registry=_NO_OTHERS, format_checker=context).iter_errors(value)
    return translate(errors, schema, at=at)


def fits_part(value: JSONValue, root: JSONValue, part: JSONValue, budget: Budget) -> bool:
    """Say whether a value fits a part of a schema, whose references lead into `root`.

    Args:
        value: any value.
        root: a schema as for `check_value`.
        part: an object that stands in it.
        budget: what the work is counted against.

    Raises:
        BudgetSpent: the check took more work than it may.
        RecursionError: value or schema is nested too deeply.

    >>> fits_part(5, {"$defs": {"a": {"type": "integer"}}}, {"$ref": "#/$defs/a"}, Budget())
    True
    """
    checker = _Validator(root, registry=_NO_OTHERS, format_checker=Context(root, budget))
    return bool(checker.evolve(schema=part).is_valid(value))


@lru_cache(maxsize=8)
def _shipped(name: str) -> dict[str, Any]:
    schema = load_schema(name)
    return {key: value for key, value in schema.items() if key not in ("$schema", "$id")}
