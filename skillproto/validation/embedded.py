"""Schemas that a descriptor carries: untrusted, so checked before use and used in bounded time.

Nothing is fetched and no file is read: a schema whose references leave it is refused. A
check that takes more work than it may is a finding, never a pass.
"""

from functools import lru_cache
from itertools import islice
from json import dumps
from typing import Any

from skillproto.validation.budget import Budget, BudgetSpent
from skillproto.validation.embedded_proof import proof_of
from skillproto.validation.schema_scan import Scan
from skillproto.validation.shown import shown
from skillproto.violations import JSONValue, Violation, in_order

WORK = 30_000
"""Keywords that a check may look at, besides those that grow with the value."""

_WORK_PER_NODE = 30
_MOST_NODES = 1_000_000


def check_embedded(schema: JSONValue, *, at: str) -> list[Violation]:
    """Check a schema that a descriptor carries, without using it.

    Args:
        schema: what stands in the descriptor as a JSON Schema.
        at: its JSON Pointer there, such as "/inputs/0/schema".

    Returns:
        Findings `descriptor/schema-invalid`, `-remote-ref`, `-unsafe-pattern` and
        `-too-complex`, at pointers into the descriptor. The time is bounded.

    >>> [v.rule for v in check_embedded({"$ref": "https://example.com/x.json"}, at="/output/schema")]
    ['descriptor/schema-remote-ref']
    """
    return in_order(Scan(schema, at).findings)


class EmbeddedSchema:
    """A schema that a descriptor carries, ready to check values.

    Attributes:
        problems: what `check_embedded` finds; where there is any, no value passes.
    """

    def __init__(self, schema: JSONValue) -> None:
        scan = Scan(schema, "")
        self.problems = tuple(in_order(scan.findings))
        self._schema = None if self.problems else scan.normalised()
        self._fits = None if self.problems else proof_of(self._schema)

    def surely_fits(self, value: JSONValue) -> bool:
        """Say whether a value is quickly proven to fit. False says nothing.

        >>> compile_embedded({"type": "integer"}).surely_fits(5)
        True
        """
        return self._fits is not None and self._fits(value)

    def check(self, value: JSONValue, at: str = "", *, budget: Budget | None = None) -> list[Violation]:
        """Check a value in bounded time.

        Args:
            value: any value.
            at: its JSON Pointer, for the findings.
            budget: work that several checks share; None means a bound of this check's own.

        >>> [v.field for v in compile_embedded({"items": {"type": "string"}}).check(["a", 1], "/inputs/words")]
        ['/inputs/words/1']
        """
        if self._schema is None:
            return [self._unusable(value, at)]
        if self.surely_fits(value):
            return []
        from skillproto.validation.reference import check_value

        try:
            budget = budget or Budget(WORK + _WORK_PER_NODE * _size(value))
            return check_value(value, self._schema, budget, at=at)
        except (BudgetSpent, RecursionError):
            return [_given_up(value, at)]

    def _unusable(self, value: JSONValue, at: str) -> Violation:
        first = self.problems[0]
        return Violation(
            at,
            "a value that fits the schema",
            shown(value),
            "The schema in the descriptor cannot be used",
            first.rule,
            hint=first.message,
            details={"schema_field": first.field},
        )


def compile_embedded(schema: JSONValue) -> EmbeddedSchema:
    """Make a schema that a descriptor carries ready to check values; the last few are kept.

    >>> compile_embedded({"type": "integer"}).check(5)
    []
    """
    try:
        return _compiled(dumps(schema))
    except (TypeError, ValueError, RecursionError):
        return EmbeddedSchema(schema)


@lru_cache(maxsize=256)
def _compiled(text: str) -> EmbeddedSchema:
    from json import loads

    return EmbeddedSchema(loads(text))


def _given_up(value: JSONValue, at: str) -> Violation:
    return Violation(
        at,
        "a value that can be checked in bounded time",
        shown(value),
        "The check took more work than it may and was given up",
        "descriptor/schema-too-complex",
        hint="Simplify the schema in the descriptor, or send a smaller value",
    )


def _size(value: Any) -> int:
    """Count the nodes of a value, up to a bound."""
    count = 0
    waiting = [value]
    while waiting and count < _MOST_NODES:
        node = waiting.pop()
        count += 1
        if isinstance(node, dict):
            waiting.extend(islice(node.values(), _MOST_NODES))
        elif isinstance(node, list):
            waiting.extend(islice(node, _MOST_NODES))
    return count
