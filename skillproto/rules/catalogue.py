"""All rules with their pages, found by name."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType, ModuleType

from skillproto.rules import (
    access,
    addresses,
    baseline,
    listing,
    members,
    parameters,
    probing,
    protocol,
    publishing,
    suppression,
    texts,
    user_messages,
)
from skillproto.rules.changes import CHANGE_RULES
from skillproto.rules.found_elsewhere import DOCUMENT_RULES, EMBEDDED_RULES, SCHEMA_RULES
from skillproto.rules.model import Rule

_MODULES = (
    protocol, members, parameters, access, addresses, texts, user_messages, publishing, probing, listing,
    suppression, baseline,
)  # fmt: skip
_GROUP_ORDER = ("document", "schema", "protocol", "descriptor", "index", "publish", "probe", "diff", "config")


def _of_module(module: ModuleType) -> Iterator[Rule]:
    yield from (value for value in vars(module).values() if isinstance(value, Rule))


def _all() -> Iterator[Rule]:
    yield from (*DOCUMENT_RULES, *SCHEMA_RULES, *EMBEDDED_RULES, *CHANGE_RULES)
    for module in _MODULES:
        yield from _of_module(module)


def _in_order(rules: Iterator[Rule]) -> dict[str, Rule]:
    ordered = sorted(rules, key=lambda rule: _GROUP_ORDER.index(rule.group))
    return {rule.id: rule for rule in ordered}


CATALOGUE: Mapping[str, Rule] = MappingProxyType(_in_order(_all()))
"""Every rule by its id, group by group."""


GROUPS = frozenset(rule.group for rule in CATALOGUE.values())
"""The groups that rules are in."""


def nearest_rule(name: str) -> str | None:
    """Give the id of the rule that a text was most likely meant to name, or None.

    >>> nearest_rule("descriptor/insecure-ulr"), nearest_rule("insecure-url"), nearest_rule("zzz")
    ('descriptor/insecure-url', 'descriptor/insecure-url', None)
    """
    from difflib import get_close_matches

    wanted = name.strip().lower().replace("_", "-")[:100]
    full = get_close_matches(wanted, CATALOGUE, n=1, cutoff=0.6)
    short = {rule_id.rpartition("/")[2]: rule_id for rule_id in CATALOGUE}
    near = get_close_matches(wanted.rpartition("/")[2], short, n=1, cutoff=0.7)
    if near and (near[0] == wanted or not full):
        return short[near[0]]
    return full[0] if full else None


def find_rule(name: str) -> Rule | None:
    """Give the rule of this id, or the only one whose id ends so; None when there is none.

    >>> find_rule("insecure-url").id, find_rule("insecure")
    ('descriptor/insecure-url', None)
    """
    wanted = name.strip().lower()
    ending = [rule for rule_id, rule in CATALOGUE.items() if wanted in (rule_id, rule_id.partition("/")[2])]
    return ending[0] if len(ending) == 1 or (ending and ending[0].id == wanted) else CATALOGUE.get(wanted)
