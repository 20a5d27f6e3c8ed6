"""Prove in a few microseconds that a new version breaks no caller of the one before it.

It may only say "surely compatible"; everything else goes to the comparison. A test holds it against that. Pure.
"""

from marshal import dumps
from typing import Any

from skillproto.violations import JSONValue

_SAME = ("id", "provider", "access", "auth", "endpoint", "protocol", "capability_type", "output")
_CONTRACT = (*_SAME, "inputs")
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
    if _is_written_alike(*([each.get(name) for name in _CONTRACT] for each in (old, new))):
        return isinstance(old.get("inputs"), list)
    if any(old.get(name) != new.get(name) for name in _SAME):
        return False
    before, after = _contracts(old.get("inputs")), _contracts(new.get("inputs"))
    if before is None or after is None or not before.keys() <= after.keys():
        return False
    if any(after[name].get("required", False) is not False for name in after.keys() - before.keys()):
        return False
    kept = [after[name] for name in before]
    sides = ((old, list(before.values())), (new, kept))
    return _is_written_alike(*([own, *map(each.get, _WITH_VALUES)] for each, own in sides))


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


def _is_written_alike(first: list[JSONValue], second: list[JSONValue]) -> bool:
    """Say whether two values are the same in JSON, where 1, 1.0 and true are three; an order may hide it."""
    try:
        return first == second and dumps(first, 0) == dumps(second, 0)
    except (ValueError, RecursionError):
        return False
