"""A document made ready for the rules: its texts, addresses and parameters, each with its pointer.

Built once per document. It takes a document of any shape and passes over what has the wrong type.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from skillproto.violations import JSONValue, pointer

if TYPE_CHECKING:
    from skillproto.rules.schema_checks import SchemaChecks

AddressRole = Literal["call", "credentials", "link"]

_LINKS = (("documentation_url",), ("provider", "url"), ("protocol", "changelog_url"))
_CALLS = (("endpoint", "url"), ("endpoint", "status_url"), ("endpoint", "result_url"))
_CREDENTIALS = (("auth", "oauth2", "token_url"), ("auth", "oauth2", "authorization_url"))

DEEPEST = 1000
"""Levels of arrays and objects inside each other that are looked at."""

MOST_NODES = 2_000_000
"""Arrays and objects of a document that are looked at, each as often as it is reached."""


class Text(NamedTuple):
    """A string of the document, and where it stands; `is_key` for the name of a member."""

    field: str
    text: str
    is_key: bool = False


class Address(NamedTuple):
    """An address of the document: where, what, and whether calls, credentials or readers go there."""

    field: str
    text: str
    role: AddressRole


class Parameter(NamedTuple):
    """An entry of `inputs` that is an object."""

    field: str
    members: dict[str, Any]

    @property
    def is_required(self) -> bool:
        """True when a call has to give it."""
        return self.members.get("required") is True


class Subject:
    """One document as the rules see it.

    >>> subject = Subject({"inputs": [{"name": "text"}, 7]})
    >>> [p.field for p in subject.parameters]
    ['/inputs/0']
    """

    def __init__(self, document: JSONValue, schema: str = "descriptor") -> None:
        self.document = document
        self.schema = schema

    def member(self, *path: str) -> JSONValue:
        """Give the value at a path of names, or None where there is none.

        >>> Subject({"auth": {"type": "none"}}).member("auth", "type")
        'none'
        """
        value = self.document
        for name in path:
            if not isinstance(value, dict):
                return None
            value = value.get(name)
        return value

    @cached_property
    def schema_checks(self) -> "SchemaChecks":
        """The schemas of the document, ready to check the values beside them."""
        from skillproto.rules.schema_checks import SchemaChecks

        return SchemaChecks()

    @cached_property
    def texts(self) -> list[Text]:
        """Every string, names of members included, in document order."""
        return list(texts_of(self.document))

    @cached_property
    def parameters(self) -> list[Parameter]:
        """The parameter definitions that are objects."""
        inputs = self.member("inputs")
        entries = inputs if isinstance(inputs, list) else []
        return [Parameter(f"/inputs/{i}", entry) for i, entry in enumerate(entries) if isinstance(entry, dict)]

    @cached_property
    def addresses(self) -> list[Address]:
        """Every address that is a string, with what goes there."""
        return list(self._addresses())

    def _addresses(self) -> Iterator[Address]:
        roles: tuple[tuple[AddressRole, tuple[tuple[str, ...], ...]], ...]
        roles = (("call", _CALLS), ("credentials", _CREDENTIALS), ("link", _LINKS))
        for role, paths in roles:
            for path in paths:
                text = self.member(*path)
                if isinstance(text, str):
                    yield Address(pointer(path), text, role)
        for field, entry in self.index_entries:
            text = entry.get("descriptor_url")
            if isinstance(text, str):
                yield Address(f"{field}/descriptor_url", text, "call")

    @cached_property
    def index_entries(self) -> list[tuple[str, dict[str, Any]]]:
        """The entries of an index that are objects; none for any other document."""
        skills = self.member("skills") if self.schema == "index" else None
        entries = skills if isinstance(skills, list) else []
        return [(f"/skills/{i}", entry) for i, entry in enumerate(entries) if isinstance(entry, dict)]


def texts_of(value: JSONValue, field: str = "") -> Iterator[Text]:
    """Give every string in a value, without recursion, so that depth costs nothing.

    >>> [t.field for t in texts_of({"a": ["x", {"b": "y"}]}) if not t.is_key]
    ['/a/0', '/a/1/b']
    """
    waiting: list[tuple[str, JSONValue]] = [(field, value)]
    while waiting:
        at, item = waiting.pop()
        if isinstance(item, str):
            yield Text(at, item)
        elif isinstance(item, dict):
            inner = [(at + pointer([key]), key, child) for key, child in item.items()]
            yield from (Text(below, key, is_key=True) for below, key, _ in inner if isinstance(key, str))
            waiting.extend((below, child) for below, _, child in reversed(inner))
        elif isinstance(item, list | tuple):
            waiting.extend((f"{at}/{i}", child) for i, child in reversed(list(enumerate(item))))


def objects_of(value: JSONValue, field: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Give every object in a value, outermost first, without recursion.

    >>> [at for at, _ in objects_of({"a": [{"b": {}}]})]
    ['', '/a/0', '/a/0/b']
    """
    waiting: list[tuple[str, JSONValue]] = [(field, value)]
    while waiting:
        at, item = waiting.pop()
        if isinstance(item, dict):
            yield at, item
            waiting.extend((at + pointer([key]), child) for key, child in reversed(list(item.items())))
        elif isinstance(item, list | tuple):
            waiting.extend((f"{at}/{i}", child) for i, child in reversed(list(enumerate(item))))


def is_bounded(value: JSONValue) -> bool:
    """Say whether a value ends: no container holds itself, and none is nested absurdly deep.

    >>> loop = []; loop.append(loop)
    >>> is_bounded({"a": [1, {}]}), is_bounded(loop)
    (True, False)
    """
    waiting: list[tuple[JSONValue, int]] = [(value, 1)]
    seen = 0
    while waiting:
        item, depth = waiting.pop()
        seen += 1
        if depth > DEEPEST or seen > MOST_NODES:
            return False
        inner = item.values() if isinstance(item, dict) else item if isinstance(item, list | tuple) else ()
        waiting.extend((child, depth + 1) for child in inner if isinstance(child, dict | list | tuple))
    return True
