"""Check documents against the shipped schemas, and values against schemas that a descriptor carries.

A valid document is told by a fast checker that may only say "surely valid"; every other
goes to the reference, jsonschema. Names are imported when they are first used, so that a
valid document needs neither.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Literal

from skillproto._lazy import lazy
from skillproto.validation.schemas import SCHEMA_NAMES, load_schema, schema_path, schema_text
from skillproto.violations import JSONValue, Violation

if TYPE_CHECKING:
    from skillproto.validation.embedded import EmbeddedSchema as EmbeddedSchema
    from skillproto.validation.embedded import check_embedded as check_embedded
    from skillproto.validation.embedded import compile_embedded as compile_embedded
    from skillproto.validation.parameters import InputChecker as InputChecker
    from skillproto.validation.parameters import OutputChecker as OutputChecker
    from skillproto.validation.parameters import check_inputs as check_inputs
    from skillproto.validation.parameters import check_output as check_output

_PROOFS: dict[str, Callable[[JSONValue], bool]] = {}

Engine = Literal["auto", "reference"]

_HOME = {
    "EmbeddedSchema": "embedded",
    "check_embedded": "embedded",
    "compile_embedded": "embedded",
    "InputChecker": "parameters",
    "OutputChecker": "parameters",
    "check_inputs": "parameters",
    "check_output": "parameters",
}

__all__ = [*_HOME, "SCHEMA_NAMES", "check", "load_schema", "schema_path", "schema_text", "surely_valid"]


def check(document: JSONValue, schema: str = "descriptor", *, engine: Engine = "auto") -> list[Violation]:
    """Check a document against a shipped schema and give everything that is wrong with it.

    Args:
        document: the parsed JSON value, of any shape; it is not changed.
        schema: name of a shipped schema.
        engine: "auto" asks the fast checker first; "reference" does not. The findings are
            the same.

    Returns:
        Violations of rules `schema/...`, in order of their pointers; empty when the
        document is valid.

    Raises:
        UnknownSchemaError: no shipped schema has this name.
        UsageError: there is no such engine.

    Source: SSP 9.4; pointers follow RFC 6901.

    >>> [v.field for v in check({"capability_type": "x"})][:2]
    ['/access', '/auth']
    """
    if engine not in ("auto", "reference"):
        from skillproto.errors import UsageError

        raise UsageError(f"no engine is called {engine!r}; there are: auto, reference")
    if engine == "auto" and surely_valid(document, schema):
        return []
    from skillproto.validation.reference import find_violations

    return find_violations(document, schema)


def surely_valid(document: JSONValue, schema: str = "descriptor") -> bool:
    """Say whether a document is proven valid by the fast checker. False proves nothing.

    Raises:
        UnknownSchemaError: no shipped schema has this name.

    >>> surely_valid({"error": {"code": "X", "message": "m"}}, "error"), surely_valid({}, "error")
    (True, False)
    """
    try:
        return (_PROOFS.get(schema) or _proof(schema))(document)
    except (KeyError, TypeError):
        return False


def _proof(schema: str) -> Callable[[JSONValue], bool]:
    schema_path(schema)
    module = import_module(f"{__name__}._fast.{schema.replace('-', '_')}")
    proof: Callable[[JSONValue], bool] = module.is_surely_valid
    _PROOFS[schema] = proof
    return proof


__getattr__ = lazy(__name__, _HOME)
