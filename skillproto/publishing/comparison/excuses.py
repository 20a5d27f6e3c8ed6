"""Let a change through that was made on purpose, and write the line that lets it through.

The new descriptor says so with `x-skillproto-ignore`, in the object that changed or any around it. Pure.
"""

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from skillproto.publishing.comparison.changes import Change
from skillproto.rules.members import IGNORE_MEMBER
from skillproto.violations import JSONValue, Violation, resolve

if TYPE_CHECKING:
    from skillproto.rules.config import RuleConfig

GROUP = "diff"


class Excused(NamedTuple):
    """Changes that count, changes that are let through, and findings on the excuses themselves."""

    kept: list[Change]
    excused: list[Change]
    stale: list[Violation]


class Line(NamedTuple):
    """A member to paste into an object of the new descriptor.

    Attributes:
        at: JSON Pointer of the object; "" is the descriptor.
        text: the member as JSON, with the excuses that stand there already.
    """

    at: str
    text: str


def excuse(new: JSONValue, changes: Iterable[Change], config: "RuleConfig | None") -> Excused:
    """Sort out the changes that the new descriptor or the configuration lets through."""
    from skillproto.rules.config import RuleConfig
    from skillproto.rules.suppression import has_excuses, suppress

    chosen = config or RuleConfig()
    listed = list(changes)
    on = [each for each in listed if chosen.is_on(each.rule)]
    excused = [each for each in listed if not chosen.is_on(each.rule)]
    if not chosen.suppressions or not has_excuses(new):
        return Excused(on, excused, [])
    findings = [finding_in(new, each)._replace(line=i) for i, each in enumerate(on)]
    left = suppress(new, findings, chosen, frozenset({GROUP}))
    kept = {finding.line for finding in left if finding.line is not None}
    stale = [finding for finding in left if finding.line is None and _is_ours(new, finding)]
    excused += [each for i, each in enumerate(on) if i not in kept]
    return Excused([each for i, each in enumerate(on) if i in kept], excused, stale)


def finding_in(new: JSONValue, found: Change) -> Violation:
    """Give a change as a finding in the new descriptor; what is gone is found at what was around it.

    >>> gone = Change("diff/input-removed", "breaking", "/inputs/2", "The input is gone", side="old")
    >>> finding_in({"inputs": []}, gone).field
    '/inputs'
    """
    finding = found.to_violation()
    if found.side == "new":
        return finding
    field = found.pointer.rpartition("/")[0]
    while field and not _is_there(new, field):
        field = field.rpartition("/")[0]
    return finding._replace(field=field)


def _is_there(document: JSONValue, at: str) -> bool:
    try:
        resolve(document, at)
    except (LookupError, ValueError, TypeError):
        return False
    return True


def _is_ours(new: JSONValue, finding: Violation) -> bool:
    """Say whether a finding on an excuse is about a rule of this group; the others are told by `validate`."""
    value = resolve(new, finding.field)
    return isinstance(value, str) and value.partition("/")[0] == GROUP


def lines(new: JSONValue, changes: Iterable[Change]) -> list[Line]:
    """Give the members that let these changes through, one for each object.

    >>> gone = Change("diff/input-removed", "breaking", "/inputs/2", "The input is gone", side="old")
    >>> lines({"inputs": []}, [gone])
    [Line(at='', text='"x-skillproto-ignore": ["diff/input-removed"]')]
    """
    wanted: dict[str, list[str]] = {}
    for each in changes:
        rules = wanted.setdefault(_owner(new, each), [])
        if each.rule not in rules:
            rules.append(each.rule)
    return [Line(at, _member(resolve(new, at), rules)) for at, rules in wanted.items()]


def _member(owner: dict[str, Any], rules: list[str]) -> str:
    known = owner.get(IGNORE_MEMBER)
    names = [*known, *rules] if isinstance(known, list) else rules
    return f'"{IGNORE_MEMBER}": {json.dumps(names, ensure_ascii=False)}'


def _owner(new: JSONValue, found: Change) -> str:
    """Give the nearest object of the protocol around a change: a parameter, not a part of its schema."""
    return next(at for at in _around(found) if _is_object(new, at))


def _around(found: Change) -> Iterator[str]:
    parts = found.pointer.split("/")[1:]
    if parts[:1] == ["inputs"] and len(parts) > 1 and found.side == "new":
        yield "/".join(["", *parts[:2]])
    elif parts[:1] not in ([], ["inputs"]):
        yield f"/{parts[0]}"
    yield ""


def _is_object(document: JSONValue, at: str) -> bool:
    return _is_there(document, at) and isinstance(resolve(document, at), dict)
