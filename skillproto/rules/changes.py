"""The rules of `skillproto diff`: what each change of a descriptor means for those who call the skill.

Here they have their page in the catalogue and their level; `publishing.comparison` finds the changes.
"""

from collections.abc import Mapping
from types import MappingProxyType

from skillproto.rules.call_changes import AUTH, CALLING, IDENTITY
from skillproto.rules.change_making import Level
from skillproto.rules.model import Rule
from skillproto.rules.value_changes import INPUTS, OUTPUT

_MADE = (*IDENTITY, *CALLING, *AUTH, *INPUTS, *OUTPUT)

CHANGE_RULES: tuple[Rule, ...] = tuple(rule for rule, _ in _MADE)
"""Every rule of the group `diff`."""

LEVELS: Mapping[str, Level] = MappingProxyType({rule.id: level for rule, level in _MADE})
"""The level of each, by its id."""
