"""Say whether one value fits a part of a schema: at once where that is plain, else as the reference says.

The reference, and with it jsonschema, is imported when it is first needed.
"""

from collections.abc import Callable
from typing import Any

from skillproto.publishing.comparison.parts import Node, asked
from skillproto.validation.budget import Budget
from skillproto.validation.canonical import canonical
from skillproto.validation.embedded_proof import proof_in
from skillproto.violations import JSONValue, type_name

_LISTING = frozenset({"type", "enum", "const"})
_COST = 20


class Fitting:
    """Checks values, all within one budget.

    Args:
        budget: what the work is counted against.

    >>> node = {"enum": [1, "a"]}
    >>> Fitting(Budget(100))(1.0, node, node)
    True
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._proofs: dict[int, Callable[[Any], bool] | None] = {}
        self._lists: dict[int, frozenset[str]] = {}

    def __call__(self, value: JSONValue, root: Any, node: Node) -> bool:
        """Say whether a value fits a node of the schema `root`.

        Raises:
            BudgetSpent: that took more work than it may.
        """
        if _LISTING.issuperset(asked(node)):
            return self._is_listed(value, node)
        if id(node) not in self._proofs:
            self._proofs[id(node)] = proof_in(root, node)
        proof = self._proofs[id(node)]
        if proof is not None and proof(value):
            return True
        from skillproto.validation.reference import fits_part

        self._budget.spend(_COST)
        return fits_part(value, root, node, self._budget)

    def _is_listed(self, value: JSONValue, node: Node) -> bool:
        if "type" in node and not _has_type(value, node["type"]):
            return False
        written = canonical(value)
        self._budget.spend(len(written) // 64)
        lists = [node[word] if word == "enum" else [node[word]] for word in ("enum", "const") if word in node]
        return all(written in self._written(values, node) for values in lists)

    def _written(self, values: list[Any], node: Node) -> frozenset[str]:
        key = id(values) if values is node.get("enum") else -id(node)
        if key not in self._lists:
            self._budget.spend(len(values) // 16)
            self._lists[key] = frozenset(map(canonical, values))
        return self._lists[key]


def _has_type(value: JSONValue, names: Any) -> bool:
    name = type_name(value)
    listed = [names] if isinstance(names, str) else names
    return name in listed or (name == "integer" and "number" in listed)
