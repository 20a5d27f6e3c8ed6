"""Compare two descriptors member by member. Pure; both are valid and of the same protocol."""

from collections.abc import Iterator
from typing import Any

from skillproto.publishing.comparison.calling import auth, endpoint, media_type
from skillproto.publishing.comparison.changes import Change, change
from skillproto.publishing.comparison.inputs import inputs
from skillproto.publishing.comparison.phrases import quoted
from skillproto.publishing.comparison.texts import other_members, text
from skillproto.publishing.comparison.values import Definition, Values
from skillproto.validation.budget import Budget
from skillproto.validation.shown import shown

Document = dict[str, Any]

KNOWN = (
    "protocol", "id", "name", "version", "capability_type", "description", "provider", "endpoint", "inputs", "output",
    "auth", "access", "tags", "documentation_url", "created_at", "updated_at", "$schema",
)  # fmt: skip
OUTPUT = ("type", "description", "content_type", "schema")
_OPENNESS = ("private", "restricted", "public")


def all_changes(old: Document, new: Document, budget: Budget) -> Iterator[Change]:
    """Give every change, in the order of the members."""
    values = Values(budget)
    yield from _identity(old, new)
    yield from _access(old, new)
    yield from auth(old, new)
    yield from endpoint(old, new)
    yield from inputs(old, new, values)
    yield from _output(old, new, values)
    yield from _texts(old, new)


def _identity(old: Document, new: Document) -> Iterator[Change]:
    before, after = old["protocol"], new["protocol"]
    values = {"before": shown(before["version"]), "after": shown(after["version"])}
    if before["version"] != after["version"]:
        message = "It is written for another minor version of the protocol, which the same clients understand"
        yield change("protocol-minor", "/protocol/version", message, **values)
    if old["id"] != new["id"]:
        message = f"These are two skills: {quoted(old['id'])} and {quoted(new['id'])}"
        hint = "Keep the id of a skill; publish another skill under an id of its own"
        yield change("id-changed", "/id", message, before=shown(old["id"]), after=shown(new["id"]), hint=hint)
    if old["capability_type"] != new["capability_type"]:
        was, is_now = old["capability_type"], new["capability_type"]
        message = f"It is of type {is_now} instead of {was}, and who looks for {was} no longer finds it"
        yield change("capability-changed", "/capability_type", message, before=was, after=is_now)
    if old["provider"]["name"] != new["provider"]["name"]:
        was, is_now = shown(old["provider"]["name"]), shown(new["provider"]["name"])
        message = "Another provider is named; whoever trusts the old one should know"
        yield change("provider-changed", "/provider/name", message, before=was, after=is_now)


def _access(old: Document, new: Document) -> Iterator[Change]:
    was, is_now = old["access"], new["access"]
    if _OPENNESS.index(is_now) < _OPENNESS.index(was):
        message = f"It is {is_now} instead of {was}, and callers that were let in may be refused"
        yield change("access-narrowed", "/access", message, before=was, after=is_now)
    elif was != is_now:
        yield change("access-widened", "/access", f"It is {is_now} instead of {was}", before=was, after=is_now)


def _output(old: Document, new: Document, values: Values) -> Iterator[Change]:
    before, after = old["output"], new["output"]
    yield from values.outputs(Definition(before, "/output", old), Definition(after, "/output", new))
    was, is_now = before.get("content_type"), after.get("content_type")
    at = "/output/content_type"
    if was is None and is_now is not None:
        yield change("output-content-type-told", at, "The output's content type is told now", after=shown(is_now))
    elif was is not None and (is_now is None or media_type(was) != media_type(is_now)):
        message = f"The output comes as {quoted(is_now) if is_now else 'nobody says what'} instead of {quoted(was)}"
        side = "new" if is_now else "old"
        yield change(
            "output-content-type-changed",
            at,
            message,
            side="new" if side == "new" else "old",
            before=shown(was),
            after=shown(is_now),
        )
    elif was != is_now:
        yield change("rewritten", at, "The content type says the same in other words")
    yield from text(before, after, "description", "/output", called="description of the output")
    yield from other_members(before, after, OUTPUT, "/output")


def _texts(old: Document, new: Document) -> Iterator[Change]:
    for name in ("name", "description", "tags", "documentation_url", "created_at", "updated_at", "$schema"):
        yield from text(old, new, name)
    yield from text(old["protocol"], new["protocol"], "changelog_url", "/protocol")
    for name in ("url", "contact"):
        yield from text(old["provider"], new["provider"], name, "/provider", called=f"provider's {name}")
    yield from other_members(old, new, KNOWN)
    yield from other_members(old["protocol"], new["protocol"], ("version", "changelog_url"), "/protocol")
    yield from other_members(old["provider"], new["provider"], ("name", "url", "contact"), "/provider")
