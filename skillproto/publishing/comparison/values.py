"""Compare what a parameter or an output asks of its value, in both directions. Pure."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from skillproto.publishing.comparison.changes import Change, change
from skillproto.publishing.comparison.containment import Containment, Reason
from skillproto.publishing.comparison.fitting import Fitting
from skillproto.publishing.comparison.keywords import CHECKS
from skillproto.publishing.comparison.parts import BOUNDS, Node, Nodes, Parts, is_equal
from skillproto.publishing.comparison.phrases import plain_value
from skillproto.publishing.comparison.samples import witness
from skillproto.validation.budget import Budget, BudgetSpent
from skillproto.violations import JSONValue, resolve

_ASKING = ("type", "enum", "schema")
_CATEGORIES = {"type": "type", "enum": "enum", "const": "enum"}


class Definition(NamedTuple):
    """A parameter or an output, with its pointer and the descriptor around it."""

    members: dict[str, Any]
    field: str
    document: JSONValue


class Values:
    """Compares the definitions of one pair of descriptors, all within one budget.

    Args:
        budget: what the work is counted against.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def inputs(self, old: Definition, new: Definition) -> Iterator[Change]:
        """Compare a parameter: what was accepted has to be accepted still."""
        narrowed, widened = self._both_ways(old, new)
        yield from _told(narrowed, _Telling("input", "narrowed", _REFUSED), old, new)
        yield from _told(
            widened, _Telling("input", "widened", _ACCEPTED, is_break=False, is_alone=not narrowed), old, new
        )
        yield from _rewritten(old, new, narrowed or widened)

    def outputs(self, old: Definition, new: Definition) -> Iterator[Change]:
        """Compare an output: what comes now has to be something that could come before."""
        narrowed, widened = self._both_ways(old, new)
        yield from _told(widened, _Telling("output", "widened", _MAY_COME), old, new)
        yield from _told(
            narrowed, _Telling("output", "narrowed", _NO_LONGER, is_break=False, is_alone=not widened), old, new
        )
        yield from _rewritten(old, new, narrowed or widened)

    def accepts_null(self, definition: Definition) -> bool | None:
        """Say whether null may be sent for a parameter, as the check of inputs reads it; None when undecided."""
        members = definition.members
        if members.get("required"):
            return False
        schema = members.get("schema")
        if "enum" in members and None not in members["enum"]:
            return False
        if "schema" not in members:
            return "enum" in members
        parts = Parts()
        node = parts.add_schema(schema, "")
        engine = self._engine(parts)
        try:
            return "null" in engine.facts((node,)).kinds and engine.fits(None, node)
        except (BudgetSpent, RecursionError):
            return None

    def _engine(self, parts: Parts) -> Containment:
        return Containment(parts, self._budget, Fitting(self._budget), CHECKS)

    def _both_ways(self, old: Definition, new: Definition) -> tuple[list[Reason], list[Reason]]:
        """Give what was allowed and is refused now, and what is allowed now and was refused before."""
        if all(_same_text(old.members, new.members, name) for name in _ASKING):
            return [], []
        parts = Parts()
        before, after = (_nodes(parts, definition) for definition in (old, new))
        engine = self._engine(parts)
        return _contained(engine, before, after, new), _contained(engine, after, before, old)


def _same_text(old: dict[str, Any], new: dict[str, Any], name: str) -> bool:
    if name in old and name in new:
        return is_equal(old[name], new[name])
    return name not in old and name not in new


def _nodes(parts: Parts, definition: Definition) -> Nodes:
    members, field = definition.members, definition.field
    told: Node = {name: members[name] for name in ("default", "examples") if name in members}
    nodes: list[Node] = [parts.add({"type": members["type"], **told}, field)]
    if "enum" in members:
        nodes.append(parts.add({"enum": members["enum"]}, field))
    if "schema" in members:
        nodes.append(parts.add_schema(members["schema"], f"{field}/schema"))
    return tuple(nodes)


def _contained(engine: Containment, nodes: Nodes, targets: Nodes, of: Definition) -> list[Reason]:
    try:
        return [reason for target in targets for reason in _reasons(engine, nodes, target)]
    except (BudgetSpent, RecursionError):
        field = f"{of.field}/schema" if "schema" in of.members else of.field
        return [Reason(field, "schema", "values that could not all be compared in bounded time", is_certain=False)]


def _reasons(engine: Containment, nodes: Nodes, target: Node) -> list[Reason]:
    """Give what stands in the way; where nothing is certain, a value that is tried may show that something does."""
    found = engine.reasons(nodes, target)
    if not found or any(reason.is_certain for reason in found):
        return found
    try:
        shown = witness(engine, nodes, target)
    except (BudgetSpent, RecursionError):
        shown = ()
    if not shown:
        return found
    return [found[0]._replace(is_certain=True, example=plain_value(shown[0])), *found[1:]]


class _Telling(NamedTuple):
    """How reasons of one direction are told: the rules' names, and a sentence for many values and for one."""

    kind: str
    way: str
    sentences: tuple[str, str]
    is_break: bool = True
    is_alone: bool = True


_REFUSED = ("{} were accepted and are refused now", "{} was accepted and is refused now")
_ACCEPTED = ("{} are accepted now", "{} is accepted now")
_MAY_COME = ("{} may come now and never came before", "{} may come now and never came before")
_NO_LONGER = ("{} no longer come", "{} no longer comes")
_OF_LISTS = {"narrowed": "shrunk", "widened": "grown"}


def _told(reasons: list[Reason], telling: _Telling, old: Definition, new: Definition) -> Iterator[Change]:
    """Tell each reason as a change of the rule that it belongs to."""
    certain = [reason for reason in reasons if reason.is_certain]
    if reasons and not certain and not telling.is_break and telling.is_alone:
        at = f"{new.field}/schema" if "schema" in new.members else new.field
        less = "less" if telling.way == "narrowed" else "more"
        yield change(f"{telling.kind}-schema-{telling.way}", at, f"The schema may allow {less} than before")
    for reason in reasons if telling.is_break else certain:
        yield change(*_worded(reason, telling, _placed(reason.field, old, new)), decided=reason.is_certain)


def _worded(reason: Reason, telling: _Telling, field: str) -> tuple[str, str, str]:
    """Give the name of the rule, the pointer and the message."""
    sentence = telling.sentences[reason.what.startswith(("the value", "null"))]
    if not reason.is_certain:
        lead = "It cannot be decided whether calls that worked still work: perhaps"
        return f"{telling.kind}-undecided", field, f"{lead} {sentence.format(reason.what)}"
    category = _CATEGORIES.get(reason.keyword, "bounds" if reason.keyword in BOUNDS else "schema")
    way = _OF_LISTS[telling.way] if category == "enum" else telling.way
    what = reason.what[0].upper() + reason.what[1:] + (f", such as {reason.example}," if reason.example else "")
    return f"{telling.kind}-{category}-{way}", field, sentence.format(what)


def _placed(field: str, old: Definition, new: Definition) -> str:
    """Give the pointer in the new descriptor, of the nearest thing around it where it is not there itself."""
    moved = field if field.startswith(f"{new.field}/") else new.field + field[len(old.field) :]
    while moved != new.field and not _is_there(new.document, moved):
        moved = moved.rpartition("/")[0]
    return moved


def _is_there(document: JSONValue, field: str) -> bool:
    try:
        resolve(document, field)
    except (LookupError, ValueError, TypeError):
        return False
    return True


def _rewritten(old: Definition, new: Definition, found: Iterable[Reason]) -> Iterator[Change]:
    if not found and not all(_same_text(old.members, new.members, name) for name in _ASKING):
        field = f"{new.field}/schema" if "schema" in new.members else new.field
        yield change("rewritten", field, "The same values are allowed, in other words")
