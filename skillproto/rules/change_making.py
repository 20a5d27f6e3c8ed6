"""What the rules of `skillproto diff` are made with: each has a level, and two versions of a descriptor as example."""

import json
from typing import Literal

from skillproto.rules.model import Rule
from skillproto.violations import JSONValue, Severity

Level = Literal["breaking", "compatible", "cosmetic"]

_SEMVER = "SemVer 2.0.0, clauses 6 to 8"
_SEVERITIES: dict[Level, Severity] = {"breaking": "error", "compatible": "info", "cosmetic": "info"}

Made = tuple[Rule, Level]


def make(name: str, level: Level, summary: str, why: str, old: JSONValue, new: JSONValue) -> Made:
    """Make the rule of one change; `old` and `new` are members that are laid over a valid descriptor.

    >>> rule, level = make("x", "cosmetic", "One line.", "Why.", {"name": "a"}, {"name": "b"})
    >>> rule.id, rule.severity, rule.bad
    ('diff/x', 'info', '{"old": {"name": "a"}, "new": {"name": "b"}}')
    """
    bad, good = (json.dumps({"old": old, "new": after}, ensure_ascii=False) for after in (new, old))
    return Rule(f"diff/{name}", _SEVERITIES[level], summary, _SEMVER, bad, good, "change", " ".join(why.split())), level
