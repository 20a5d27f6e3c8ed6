"""Read the JSON form of a registry's state; `schemas/publish/1/state.json` says the same as a schema.

Every entry is looked at as it passes, so that a long list is never copied.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from skillproto.errors import UsageError
from skillproto.publishing.published import LISTED, Published
from skillproto.publishing.state import Taken
from skillproto.violations import JSONValue

_MEMBERS = ("format_version", "rule_pack_version", "published", "taken", "namespaces", "index")
FORMAT_VERSION = 1
"""The version of the form itself."""


def read_state(value: JSONValue) -> dict[str, Any]:
    """Give the arguments of a `RegistryState`.

    Raises:
        UsageError: the value is no state.
    """
    members = _object(value, "")
    for name in members:
        if name not in _MEMBERS:
            raise UsageError(f"the state has no member {str(name)[:60]!r}; there are: {', '.join(_MEMBERS)}")
    if members.get("format_version", FORMAT_VERSION) != FORMAT_VERSION:
        raise UsageError(f"the state is not of format {FORMAT_VERSION}; read it with a newer skillproto")
    namespaces, index = members.get("namespaces"), members.get("index")
    return {
        "published": _published(_list(members.get("published", []), "/published")),
        "taken": [_taken(each, f"/taken/{i}") for i, each in enumerate(_list(members.get("taken", []), "/taken"))],
        "namespaces": None if namespaces is None else _texts(namespaces, "/namespaces"),
        "index": None if index is None else _index(index),
        "rule_pack_version": _text_or_none(members, "rule_pack_version", ""),
    }


def read_lines(lines: Iterable[JSONValue]) -> dict[str, Any]:
    """Give the arguments of a `RegistryState` from one value for each line.

    A line is a published version, or an object with one of `taken`, `namespace`, `index_entry` and
    `rule_pack_version`.

    Raises:
        UsageError: a line is none of these.
    """
    found: dict[str, Any] = {"taken": [], "namespaces": None, "index": None, "rule_pack_version": None}
    found["published"] = list(_sorted_out(lines, found))
    return found


def _sorted_out(lines: Iterable[JSONValue], found: dict[str, Any]) -> Iterator[Published]:
    for number, value in enumerate(lines, 1):
        at = f"line {number}: "
        members = _object(value, at)
        if "taken" in members:
            found["taken"].append(_taken(members["taken"], at))
        elif "namespace" in members:
            found["namespaces"] = [*(found["namespaces"] or []), _text(members, "namespace", at)]
        elif "index_entry" in members:
            found["index"] = [*(found["index"] or []), _object(members["index_entry"], at)]
        elif "rule_pack_version" in members:
            found["rule_pack_version"] = _text(members, "rule_pack_version", at)
        else:
            yield read_published(members, at)


def _published(entries: list[JSONValue]) -> Iterator[Published]:
    return (read_published(each, f"/published/{i}") for i, each in enumerate(entries))


def read_published(value: JSONValue, at: str) -> Published:
    """Read one published version.

    Raises:
        UsageError: the value is none.
    """
    members = _object(value, at)
    descriptor = members.get("descriptor")
    if descriptor is not None and not isinstance(descriptor, Mapping):
        raise UsageError(f"the state: {at}/descriptor must be an object")
    url = _text_or_none(members, "url", at)
    if url is None and descriptor is not None:
        url = endpoint_of(descriptor)
    return Published(
        _text(members, "id", at),
        _text(members, "version", at),
        _text_or_none(members, "state", at) or LISTED,
        _text_or_none(members, "holder", at),
        url,
        descriptor,
    )


def of_descriptor(descriptor: JSONValue) -> Published | None:
    """Read a published descriptor; None where it says no id or no version.

    >>> of_descriptor({"id": "a.b.c", "version": "1.0.0", "provider": {"name": "Ann"}}).holder
    'Ann'
    """
    if not isinstance(descriptor, Mapping):
        return None
    skill_id, version, provider = descriptor.get("id"), descriptor.get("version"), descriptor.get("provider")
    if not isinstance(skill_id, str) or not isinstance(version, str):
        return None
    name = provider.get("name") if isinstance(provider, Mapping) else None
    holder = name if isinstance(name, str) else None
    return Published(skill_id, version, LISTED, holder, endpoint_of(descriptor), descriptor)


def endpoint_of(descriptor: Mapping[str, JSONValue]) -> str | None:
    """Give the address of a descriptor's endpoint; None where there is none."""
    endpoint = descriptor.get("endpoint")
    url = endpoint.get("url") if isinstance(endpoint, Mapping) else None
    return url if isinstance(url, str) else None


def _index(value: JSONValue) -> list[dict[str, JSONValue]]:
    entries = value.get("skills") if isinstance(value, Mapping) else value
    return [_object(entry, f"/index/{i}") for i, entry in enumerate(_list(entries, "/index"))]


def _taken(value: JSONValue, at: str) -> Taken:
    if isinstance(value, str):
        return Taken(value)
    members = _object(value, at)
    state = _text_or_none(members, "state", at) or Taken._field_defaults["state"]
    return Taken(_text(members, "name", at), _text_or_none(members, "holder", at), state)


def _object(value: JSONValue, at: str) -> dict[str, JSONValue]:
    if not isinstance(value, dict):
        raise UsageError(f"the state: {at or 'the whole'} must be an object")
    return value


def _list(value: JSONValue, at: str) -> list[JSONValue]:
    if not isinstance(value, list):
        raise UsageError(f"the state: {at} must be an array")
    return value


def _texts(value: JSONValue, at: str) -> list[str]:
    if not all(isinstance(each, str) for each in _list(value, at)):
        raise UsageError(f"the state: {at} must be an array of texts")
    return list(value)


def _text(members: Mapping[str, JSONValue], name: str, at: str) -> str:
    value = members.get(name)
    if not isinstance(value, str):
        raise UsageError(f"the state: {at}/{name} must be a text")
    return value


def _text_or_none(members: Mapping[str, JSONValue], name: str, at: str) -> str | None:
    return None if members.get(name) is None else _text(members, name, at)
