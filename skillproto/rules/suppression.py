"""Findings that a document excuses itself from with `x-skillproto-ignore`, and excuses that excuse nothing.

The member may stand in any object and is a list of rule ids; it speaks for that object and what is in it.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from skillproto.rules.config import RuleConfig, matches
from skillproto.rules.members import IGNORE_MEMBER
from skillproto.rules.model import Rule
from skillproto.rules.subject import objects_of
from skillproto.violations import JSONValue, Violation

stale_suppression = Rule(
    "config/stale-suppression",
    "warning",
    "An excuse in x-skillproto-ignore still excuses something.",
    "ours",
    '{"x-skillproto-ignore": ["descriptor/time-order"]}',
    '{"x-skillproto-ignore": ["descriptor/id-namespace"], "id": "translate"}',
    why="An excuse that outlives its reason hides the next mistake of the same kind. Take it out.",
    schemas=("descriptor", "index", "error", "execution", "invocation-request"),
)
unknown_rule = Rule(
    "config/unknown-rule",
    "warning",
    "x-skillproto-ignore is a list of ids of rules.",
    "ours",
    '{"x-skillproto-ignore": ["descriptor/time-ordr"]}',
    '{"x-skillproto-ignore": ["descriptor/id-namespace"], "id": "translate"}',
    why="A misspelt id excuses nothing. A group such as descriptor/* may stand for all of its rules.",
    schemas=("descriptor", "index", "error", "execution", "invocation-request"),
)

_MOST_SUGGESTIONS = 20


class Excuse(NamedTuple):
    """One entry of an x-skillproto-ignore: the object it speaks for, the rule, and where it stands."""

    at: str
    pattern: str
    field: str


def has_excuses(document: JSONValue) -> bool:
    """Say whether any object of a document excuses itself from something."""
    return any(IGNORE_MEMBER in members for _, members in objects_of(document))


def suppress(
    document: JSONValue, findings: Iterable[Violation], config: RuleConfig, groups: frozenset[str]
) -> list[Violation]:
    """Take out the findings that the document excuses, and report excuses that have become idle.

    Args:
        document: the parsed document.
        findings: all findings about it.
        config: rules that are off make no excuse idle.
        groups: the groups of rules that were looked at; an excuse from another group is never called idle.

    >>> v = Violation("/id", "x", 1, "m", "descriptor/id-namespace")
    >>> suppress({"x-skillproto-ignore": ["descriptor/id-namespace"]}, [v], RuleConfig(), frozenset({"descriptor"}))
    []
    """
    excuses, problems = _excuses(document)
    by_place: dict[str, list[Excuse]] = {}
    for excuse in excuses:
        by_place.setdefault(excuse.at, []).append(excuse)
    kept, used = [], set()
    for finding in findings:
        near = (excuse for at in _ancestors(finding.field) for excuse in by_place.get(at, ()))
        covering = [excuse for excuse in near if matches(finding.rule, (excuse.pattern,))]
        used.update(covering)
        if not covering:
            kept.append(finding)
    idle = [excuse for excuse in excuses if excuse not in used and _was_asked(excuse.pattern, config, groups)]
    return kept + problems + [_stale(excuse) for excuse in idle]


def _ancestors(field: str) -> Iterator[str]:
    """Give a pointer and those of everything around it, the document last."""
    while field:
        yield field
        field = field.rpartition("/")[0]
    yield ""


def _excuses(document: JSONValue) -> tuple[list[Excuse], list[Violation]]:
    excuses: list[Excuse] = []
    problems: list[Violation] = []
    for at, members in objects_of(document):
        if IGNORE_MEMBER not in members:
            continue
        value, field = members[IGNORE_MEMBER], f"{at}/{IGNORE_MEMBER}"
        if not isinstance(value, list):
            problems.append(unknown_rule.found(field, "a list of rule ids", value, "This is not a list of rule ids"))
            continue
        for i, name in enumerate(value):
            problem = _problem(name, f"{field}/{i}", suggest=len(problems) < _MOST_SUGGESTIONS)
            if problem is None:
                excuses.append(Excuse(at, name, f"{field}/{i}"))
            else:
                problems.append(problem)
    return excuses, problems


def _problem(name: JSONValue, field: str, *, suggest: bool) -> Violation | None:
    from skillproto.rules.catalogue import CATALOGUE, GROUPS, nearest_rule

    if not isinstance(name, str):
        return unknown_rule.found(field, "the id of a rule", name, "This is not the id of a rule")
    if name in CATALOGUE or name.removesuffix("/*") in GROUPS:
        return None
    near = nearest_rule(name) if suggest else None
    hint = f"Did you mean {near!r}?" if near else None
    return unknown_rule.found(field, "the id of a rule", name, "No rule has this id", hint=hint)


def _was_asked(pattern: str, config: RuleConfig, groups: Iterable[str]) -> bool:
    group, _, name = pattern.partition("/")
    if group not in groups:
        return False
    return config.is_on(pattern) if name not in ("", "*") else True


def _stale(excuse: Excuse) -> Violation:
    return stale_suppression.found(
        excuse.field,
        "an excuse that is needed",
        excuse.pattern,
        "Nothing here breaks this rule, so the excuse can go",
        hint="Take it out",
    )
