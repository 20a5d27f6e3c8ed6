"""Check the values that a descriptor holds against its own schemas, all within one bound of work.

Each schema is made ready once. A check that has to be given up is a finding; after the first
one nothing more is checked, so that a document takes bounded time whatever it holds.
"""

from typing import TYPE_CHECKING

from skillproto.violations import JSONValue, Violation

if TYPE_CHECKING:
    from skillproto.validation import EmbeddedSchema

MOST_WORK = 200_000
"""Keywords that all checks of one document may look at together."""


class SchemaChecks:
    """The schemas of one document, by where they stand.

    >>> SchemaChecks().problems({"type": "integer"}, "/inputs/0", "x", "/inputs/0/default")[0].message
    'Wrong type: string'
    """

    def __init__(self) -> None:
        from skillproto.validation.budget import Budget

        self._budget = Budget(MOST_WORK)
        self._ready: dict[str, EmbeddedSchema] = {}

    def problems(self, schema: JSONValue, owner: str, value: JSONValue, field: str) -> list[Violation]:
        """Give what a schema has against a value; a schema that is itself at fault says nothing.

        Args:
            schema: as it stands in the document; anything but an object or a boolean says nothing.
            owner: pointer of the definition that the schema belongs to.
            value: what is checked.
            field: pointer of the value, for the findings.
        """
        if not isinstance(schema, dict | bool) or schema == {} or self._budget.left < 0:
            return []
        ready = self._ready.get(owner)
        if ready is None:
            from skillproto.validation import compile_embedded

            ready = self._ready[owner] = compile_embedded(schema)
        return [] if ready.problems else ready.check(value, field, budget=self._budget)
