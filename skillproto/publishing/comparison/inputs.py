"""Compare the parameters of two descriptors, name by name, as the check of inputs reads them.

An input that a skill has not is refused, one that is required and missing too; everything else is up to the
definition. Pure.
"""

from collections.abc import Iterator
from typing import Any

from skillproto.publishing.comparison.changes import Change, change
from skillproto.publishing.comparison.parts import is_equal
from skillproto.publishing.comparison.phrases import quoted, value_phrase
from skillproto.publishing.comparison.texts import other_members, text
from skillproto.publishing.comparison.values import Definition, Values
from skillproto.validation.names import nearest
from skillproto.validation.shown import shown

KNOWN = ("name", "type", "description", "required", "default", "enum", "schema", "examples")
_MOST_RENAMES = 20

Document = dict[str, Any]


def inputs(old: Document, new: Document, values: Values) -> Iterator[Change]:
    """Give the changes of `inputs`."""
    before, after = (_definitions(document) for document in (old, new))
    removed = [name for name in before if name not in after]
    added = [name for name in after if name not in before]
    renamed = _renamed(removed, added, before, after)
    yield from (_removed(before[name], renamed.get(name)) for name in removed)
    for name, definition in after.items():
        if name in before:
            yield from _parameter(before[name], definition, values)
        else:
            yield _added(definition)
    kept = [name for name in before if name in after]
    if kept != [name for name in after if name in before]:
        yield change("order-changed", "/inputs", "The inputs come in another order")


def _definitions(document: Document) -> dict[str, Definition]:
    listed = enumerate(document["inputs"])
    return {members["name"]: Definition(members, f"/inputs/{i}", document) for i, members in listed}


def _removed(old: Definition, renamed: str | None) -> Change:
    name = old.members["name"]
    message = f"The input {quoted(name)} is gone, and calls that give it are refused"
    hint = f"It looks as if it were called {quoted(renamed)} now; keep the old name too" if renamed else None
    return change("input-removed", old.field, message, side="old", before=name, hint=hint)


def _added(new: Definition) -> Change:
    name = new.members["name"]
    if new.members.get("required"):
        message = f"The input {quoted(name)} is new and required, and calls without it are refused"
        return change("input-added-required", new.field, message, after=name, hint="Make it optional")
    return change("input-added-optional", new.field, f"The input {quoted(name)} is new and optional", after=name)


def _renamed(
    removed: list[str], added: list[str], before: dict[str, Definition], after: dict[str, Definition]
) -> dict[str, str]:
    """Guess which new name an old input goes by: the only one that is defined alike, else one that is spelt alike."""
    found: dict[str, str] = {}
    for name in removed[:_MOST_RENAMES]:
        free = [each for each in added[:_MOST_RENAMES] if each not in found.values()]
        alike = [each for each in free if _is_alike(before[name].members, after[each].members)]
        near = alike[0] if len(alike) == 1 else nearest(name, alike or free)
        if near:
            found[name] = near
    return found


def _is_alike(old: Document, new: Document) -> bool:
    names = ("type", "required", "default", "enum", "schema")
    return all(is_equal([old.get(name)], [new.get(name)]) for name in names)


def _parameter(old: Definition, new: Definition, values: Values) -> Iterator[Change]:
    yield from _requirement(old, new)
    null = list(_null(old, new, values))
    yield from (each for each in values.inputs(old, new) if not null or each.rule != "diff/rewritten")
    yield from null
    yield from _default(old, new)
    yield from text(old.members, new.members, "description", new.field)
    if not is_equal(old.members.get("examples"), new.members.get("examples")):
        yield change("text-changed", f"{new.field}/examples", "The examples changed")
    yield from other_members(old.members, new.members, KNOWN, new.field)


def _requirement(old: Definition, new: Definition) -> Iterator[Change]:
    was, is_now = bool(old.members.get("required")), bool(new.members.get("required"))
    name, at = quoted(new.members["name"]), f"{new.field}/required"
    if is_now and not was:
        message = f"The input {name} is required now, and calls without it are refused"
        yield change("input-now-required", at, message, before=was, after=is_now)
    elif was and not is_now:
        at = at if "required" in new.members else new.field
        yield change("input-now-optional", at, f"The input {name} may be left out now", before=was, after=is_now)


def _null(old: Definition, new: Definition, values: Values) -> Iterator[Change]:
    """Compare whether null may be sent; an optional input takes it where its enum or schema says so."""
    if all(is_equal(old.members.get(name), new.members.get(name)) for name in ("enum", "schema", "required")) and (
        ("enum" in old.members, "schema" in old.members) == ("enum" in new.members, "schema" in new.members)
    ):
        return
    was, is_now = values.accepts_null(old), values.accepts_null(new)
    at = f"{new.field}/schema" if "schema" in new.members else new.field
    if new.members.get("required") or was is False:
        if is_now:
            yield change("input-null-accepted", at, "null may be sent for it now")
    elif was is None or is_now is None:
        yield change("input-undecided", at, "Whether null may still be sent for it cannot be decided", decided=False)
    elif not is_now:
        yield change("input-null-refused", at, "null was accepted for it and is refused now")


def _default(old: Definition, new: Definition) -> Iterator[Change]:
    """Compare what leaving the input out means; for one that is, or was, required it means nothing."""
    was, is_now = "default" in old.members, "default" in new.members
    before, after = old.members.get("default"), new.members.get("default")
    if was == is_now and is_equal(before, after):
        return
    at = f"{new.field}/default" if is_now else new.field
    if old.members.get("required") or new.members.get("required"):
        yield change("text-changed", at, "The default changed, which means nothing for a required input")
    elif not was:
        message = f"Leaving it out means {value_phrase(after)} now, where nothing was said before"
        yield change("default-added", at, message, after=shown(after, "default"))
    elif not is_now:
        message = f"Leaving it out meant {value_phrase(before)}, and nothing is said now"
        yield change("default-removed", at, message, before=shown(before))
    else:
        message = f"Leaving it out meant {value_phrase(before)} and means {value_phrase(after)} now"
        yield change("default-changed", at, message, before=shown(before), after=shown(after))
