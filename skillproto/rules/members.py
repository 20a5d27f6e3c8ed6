"""Rules about the members of a document: which ones there are, how a skill is called, and when it changed."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from skillproto.rules.model import rule
from skillproto.rules.subject import Subject
from skillproto.validation.names import nearest
from skillproto.violations import JSONValue, Violation, pointer

IGNORE_MEMBER = "x-skillproto-ignore"
"""The member that names the rules that an object is excused from."""

_Unknown = tuple[str, list[str], str]

_MOST_SUGGESTIONS = 100
_NAMESPACE = re.compile(r"(?:[a-z]{2,63}|xn--[a-z0-9-]+)(?:\.[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?){2,}")


@rule(
    "descriptor/unknown-member",
    "warning",
    "A member has a name that the protocol knows.",
    source="SSP, skill descriptor: a minor version may add members, so unknown ones are accepted",
    bad='{"tag": ["text"]}',
    good='{"tags": ["text"]}',
    schemas=("descriptor", "index", "error", "execution", "invocation-request"),
    why="""Unknown members are accepted, since a later minor version of the protocol may add some; most
    often, though, one is a misspelt name, and then what it says is lost without a word. Names that start
    with x- are for everybody's own use and never reported, and neither is $schema at the top. What stands
    inside a schema, a default, an enum or an example is free. A misspelt name of a member that is
    required is reported by schema/required, together with the missing one.""",
)
def unknown_member(subject: Subject) -> Iterator[Violation]:
    """Compare the members of every object with those that its schema names."""
    schema = _schema(subject.schema)
    for i, (name, candidates, field) in enumerate(_unknown(schema, schema, subject.document, "")):
        yield _report(name, candidates, field, nearest(name, candidates) if i < _MOST_SUGGESTIONS else None)


@lru_cache
def _schema(name: str) -> dict[str, Any]:
    from skillproto.validation import load_schema

    return load_schema(name)


def _unknown(root: dict[str, Any], schema: JSONValue, value: JSONValue, at: str) -> Iterator[_Unknown]:
    """Give the members that nobody knows: name, names that are still free, and pointer."""
    known = members_of(root, schema, value)
    if isinstance(value, list):
        items = _resolved(root, schema).get("items")
        for i, item in enumerate(value if items else ()):
            yield from _unknown(root, items, item, f"{at}/{i}")
    if not isinstance(value, dict) or not known:
        return
    for name, item in value.items():
        below = at + pointer([name])
        if name in known:
            yield from _unknown(root, known[name], item, below)
        elif not str(name).startswith("x-") and not (name == "$schema" and not at):
            yield str(name), [free for free in known if free not in value], below


def _report(name: str, candidates: list[str], field: str, near: str | None) -> Violation:
    return unknown_member.found(
        field,
        f"one of: {', '.join(candidates)}" if candidates else "no further member",
        name,
        "No member of this name is known here",
        hint=f"Did you mean {near!r}?" if near else "Names of your own start with x-",
        details={"suggestion": near} if near else None,
    )


def members_of(root: dict[str, Any], schema: JSONValue, value: JSONValue) -> dict[str, JSONValue]:
    """Give the members that a schema names for an object, those of the branch that its tag chose included."""
    here = _resolved(root, schema)
    known = dict(here.get("properties", {}))
    branches = here.get("allOf", [])
    chosen = [branch["then"] for branch in branches if isinstance(value, Mapping) and _is_chosen(branch["if"], value)]
    if branches and not chosen and isinstance(value, Mapping) and not _names_a_tag(here, branches, value):
        return {}  # the tag is what is wrong; nobody can say which members belong to it
    for branch in chosen:
        known.update(branch.get("properties", {}))
    return known


def _is_chosen(condition: dict[str, Any], value: Mapping[str, Any]) -> bool:
    return all(value.get(name) == tag["const"] for name, tag in condition["properties"].items())


def _names_a_tag(schema: dict[str, Any], branches: list[dict[str, Any]], value: Mapping[str, Any]) -> bool:
    tags = {name for branch in branches for name in branch["if"]["properties"]}
    return all(value.get(name) in schema["properties"][name].get("enum", []) for name in tags)


def _resolved(root: dict[str, Any], schema: JSONValue) -> dict[str, Any]:
    if not isinstance(schema, dict):
        return {}
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return dict(root["$defs"][reference.rpartition("/")[2]])
    return schema


@rule(
    "descriptor/id-namespace",
    "warning",
    "An id starts with a domain of its provider, written backwards.",
    source="SSP, skill descriptor: the examples of ids are reverse-DNS",
    bad='{"id": "translate-v1"}',
    good='{"id": "com.example.translate-v1"}',
    schemas=("descriptor", "index"),
    why="""An id is unique among all skills of all providers only when each provider keeps to names that are
    its own: a domain backwards, lower case first label, then the name of the skill. A registry may ask
    that the domain prove it.""",
)
def id_namespace(subject: Subject) -> Iterator[Violation]:
    """Find ids that are not a reversed domain and a name."""
    ids = [("/id", subject.member("id"))] if subject.schema == "descriptor" else []
    ids += [(f"{at}/id", entry.get("id")) for at, entry in subject.index_entries]
    for field, name in ids:
        if isinstance(name, str) and name and not _NAMESPACE.fullmatch(name):
            yield id_namespace.found(
                field,
                "a reversed domain and a name, such as com.example.translate-v1",
                name,
                "The id does not start with a reversed domain, so that another provider may use it too",
            )


@rule(
    "descriptor/time-order",
    "error",
    "A descriptor was not updated before it was created.",
    source="ours",
    bad='{"created_at": "2026-05-01T00:00:00Z", "updated_at": "2026-04-30T23:59:59Z"}',
    good='{"created_at": "2026-05-01T00:00:00Z", "updated_at": "2026-05-01T02:00:00+02:00"}',
    why="""Catalogues sort by these times and caches trust them. The offsets are taken into account. No time
    is compared with the clock, so that the verdict on a document never changes.""",
)
def time_order(subject: Subject) -> Iterator[Violation]:
    """Compare updated_at with created_at."""
    created, updated = (moment(subject.member(name)) for name in ("created_at", "updated_at"))
    if created is not None and updated is not None and updated < created:
        yield time_order.found(
            "/updated_at",
            f"not before {subject.member('created_at')}",
            subject.member("updated_at"),
            "The descriptor was updated before it was created",
        )


def moment(text: JSONValue) -> tuple[int, float] | None:
    """Read an RFC 3339 date-time as a sortable moment, leap seconds included; None for anything else.

    >>> moment("2026-05-01T00:00:00Z") == moment("2026-05-01T02:00:00+02:00")
    True
    """
    from datetime import datetime, timedelta

    match = _RFC3339.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return None
    date, minutes, seconds, offset = match.groups()
    offset = "+00:00" if offset in "Zz" else offset
    try:
        minute = datetime.fromisoformat(f"{date}T{minutes}:00{offset}")
    except (ValueError, OverflowError):
        return None
    whole = (minute - datetime.fromisoformat("0001-01-02T00:00:00+00:00")) // timedelta(minutes=1)
    return whole, float(seconds)


_RFC3339 = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2}):([0-9]{2}(?:\.[0-9]{1,30})?)([Zz]|[+-][0-9]{2}:[0-9]{2})"
)


@rule(
    "index/duplicate-skill",
    "error",
    "An index lists a skill once in each version.",
    source="SSP, discovery",
    bad='{"skills": [{"id": "com.example.a"}, {"id": "com.example.a"}]}',
    good='{"skills": [{"id": "com.example.a"}, {"id": "com.example.b"}]}',
    example_kind="index-members",
    schemas=("index",),
    why="""Two entries with the same id and the same version leave open which of them is meant.""",
)
def duplicate_skill(subject: Subject) -> Iterator[Violation]:
    """Find entries that repeat an id and version."""
    first: dict[tuple[str, str], str] = {}
    for at, entry in subject.index_entries:
        name, version = entry.get("id"), entry.get("version")
        if not isinstance(name, str) or not isinstance(version, str):
            continue
        if (name, version) in first:
            yield duplicate_skill.found(
                f"{at}/id", "an id and version not listed yet", name, f"The same skill stands at {first[name, version]}"
            )
        first.setdefault((name, version), at)
