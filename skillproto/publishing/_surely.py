"""Prove in a few microseconds that a new version breaks no caller of the one before it.

It may only say "surely compatible"; everything else goes to the comparison. A test holds it against that. Pure.
"""

from marshal import dumps
from typing import Any

from skillproto.violations import JSONValue

_SAME = ("id", "access", "auth", "endpoint", "protocol", "capability_type", "output")
_WITH_VALUES = ("output", "auth", "endpoint")
_ONLY_TOLD = frozenset(["description", "examples"])
"""Members of a parameter that only people read."""


def is_surely_compatible(old: JSONValue, new: JSONValue) -> bool:
    """Say whether the contract stayed, but for optional inputs that came and texts that changed.

    >>> skill = {"id": "a", "provider": {"name": "A"}, "inputs": [{"name": "x", "type": "string"}]}
    >>> is_surely_compatible(skill, skill), is_surely_compatible(skill, skill | {"inputs": []})
    (True, False)
    """
    if not isinstance(old, dict) or not isinstance(new, dict):
        return False
    if any(old.get(name) != new.get(name) for name in _SAME) or old.get("provider") != new.get("provider"):
        return False
    before, after = _contracts(old.get("inputs")), _contracts(new.get("inputs"))
    if before is None or after is None or not before.keys() <= after.keys():
        return False
    if any(after[name].get("required", False) is not False for name in after.keys() - before.keys()):
        return False
    kept = {name: after[name] for name in before}
    return before == kept and _is_written_alike([old, before], [new, kept])


def _contracts(inputs: JSONValue) -> dict[str, dict[str, Any]] | None:
    """Give what callers are held to, by the name of the parameter; None for what is no list of parameters."""
    found: dict[str, dict[str, Any]] = {}
    if not isinstance(inputs, list):
        return None
    for parameter in inputs:
        if not isinstance(parameter, dict):
            return None
        name = parameter.get("name")
        if not isinstance(name, str) or name in found:
            return None
        found[name] = {key: value for key, value in parameter.items() if key not in _ONLY_TOLD}
    return found


def _is_written_alike(*sides: list[dict[str, Any]]) -> bool:
    """Say whether two contracts are the same in JSON too, where 1, 1.0 and true are three values."""
    try:
        first, second = (
            dumps([each.get("output"), each.get("auth"), each.get("endpoint"), own], 0) for each, own in sides
        )
    except ValueError:
        return False
    return first == second
