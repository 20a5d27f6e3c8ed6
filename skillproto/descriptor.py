"""A skill descriptor as typed, frozen values, with every default filled in.

Only a descriptor that can be called as it says becomes one. Pure: nothing is fetched or read.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self
from urllib.parse import quote

from skillproto.errors import UnknownFailure, ValidationFailed, VersionIncompatible
from skillproto.rules.plain_schemas import is_plain
from skillproto.rules.protocol import incompatible
from skillproto.rules.subject import Subject
from skillproto.validation import check
from skillproto.violations import JSONValue, Violation, in_order

CapabilityType = Literal["plugin", "api", "knowledge", "task"]
AuthType = Literal["api_key", "oauth2", "custom", "none"]
Access = Literal["public", "restricted", "private"]
ValueType = Literal["string", "number", "integer", "boolean", "object", "array"]

DEFAULT_KEY_HEADER = "X-API-Key"
"""The header of an API key when the descriptor names none."""

_PLACEHOLDER = "{execution_id}"
_LONGEST_ID = 1024
_NO_RULES: tuple[Violation, ...] = ()


@dataclass(frozen=True, slots=True)
class Protocol:
    """The protocol that a descriptor is written for."""

    version: str
    changelog_url: str | None = None


@dataclass(frozen=True, slots=True)
class Provider:
    """Who offers a skill."""

    name: str
    url: str | None = None
    contact: str | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where and how a skill is called; `timeout_ms` is None where the descriptor gives none."""

    url: str
    method: str = "POST"
    content_type: str = "application/json"
    status_url: str | None = None
    result_url: str | None = None
    timeout_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a skill.

    `has_default` tells a default of None from no default. `enum` and `schema` are None where
    the descriptor gives none.
    """

    name: str
    type: ValueType
    description: str | None = None
    required: bool = False
    default: JSONValue = field(default=None, hash=False)
    has_default: bool = False
    enum: tuple[JSONValue, ...] | None = field(default=None, hash=False)
    schema: JSONValue = field(default=None, hash=False)
    examples: tuple[JSONValue, ...] = field(default=(), hash=False)


@dataclass(frozen=True, slots=True)
class Output:
    """What a skill gives back."""

    type: ValueType
    description: str | None = None
    content_type: str | None = None
    schema: JSONValue = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class OAuth2:
    """Where a token is found, and what each scope allows."""

    token_url: str
    authorization_url: str | None = None
    scopes: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class CustomParameter:
    """One thing that a caller needs for custom auth."""

    name: str
    description: str | None = None


@dataclass(frozen=True, slots=True)
class CustomAuth:
    """How a caller identifies itself in a way of the provider's own."""

    instructions: str
    parameters: tuple[CustomParameter, ...] = ()


@dataclass(frozen=True, slots=True)
class Auth:
    """How a caller identifies itself; of the last three only what fits `type` is there."""

    type: AuthType
    description: str | None = None
    header: str | None = None
    oauth2: OAuth2 | None = None
    custom: CustomAuth | None = None


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A skill as its descriptor tells it.

    Attributes:
        raw: the descriptor as it was given, unknown members included; do not change it.
        inputs: the parameters, in their order.
        created_at, updated_at: RFC 3339 texts, or None.

    Everything else is called as in the schema. What the descriptor leaves out has the
    protocol's default, or is None.

    >>> import json, pathlib
    >>> skill = Descriptor.load(json.loads(pathlib.Path("examples/translate.json").read_text()))
    >>> skill.id, skill.auth.header, skill.inputs[0].required
    ('com.example.translate-v1', 'X-API-Key', True)
    """

    protocol: Protocol
    id: str
    name: str
    version: str
    capability_type: CapabilityType
    description: str
    provider: Provider
    endpoint: Endpoint
    inputs: tuple[Parameter, ...]
    output: Output
    auth: Auth
    access: Access
    tags: tuple[str, ...] = ()
    documentation_url: str | None = None
    created_at: str | None = None
    updated_at: str | None = None
    raw: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def load(cls, value: JSONValue) -> Self:
        """Check a parsed descriptor and give it as typed values.

        The schema decides, together with the few rules without which no call can be made as described:
        parameters of one name, schemas that cannot be used, an address with a variable that
        nobody fills. Ask `validate` for everything else.

        Args:
            value: the parsed JSON value.

        Raises:
            VersionIncompatible: it is written for another major version of the protocol; nothing else
                was looked at. `details` has descriptor_version, consumer_supported_range and upgrade_url.
            ValidationFailed: it breaks the schema or one of those rules; has `violations`.

        Source: SSP 9.2, 9.4.

        >>> Descriptor.load({"protocol": {"version": "2.0.0"}})
        Traceback (most recent call last):
            ...
        skillproto.errors.VersionIncompatible: VERSION_INCOMPATIBLE: The document is written for protocol 2, and
        protocol 1 is what is understood here
        """
        subject = Subject(value)
        _require_compatible(subject)
        violations = check(value) or _uncallable(subject)
        if violations:
            raise ValidationFailed.of(list(violations))
        return cls(**_members(value), raw=value)

    def status_url(self, execution_id: str) -> str | None:
        """Give the address at which an execution's status is asked for; None where the descriptor has none.

        Args:
            execution_id: as the server gave it. It is percent-encoded, so that it stays one
                segment of the path and changes neither host nor path nor query.

        Raises:
            UnknownFailure: no address can hold the id: it is empty, a dot or two, or absurdly long.

        Source: SSP, invocation; the two forms are an address with `{execution_id}` in it, and a base to
        which `/{execution_id}` is appended.

        >>> import json, pathlib
        >>> skill = Descriptor.load(json.loads(pathlib.Path("examples/translate.json").read_text()))
        >>> skill.status_url("../a?b#c")
        'https://api.example.com/skills/translate/executions/..%2Fa%3Fb%23c/status'
        """
        return _execution_url(self.endpoint.status_url, execution_id)

    def result_url(self, execution_id: str) -> str | None:
        """Give the address at which an execution's result is found; otherwise as `status_url`.

        >>> import json, pathlib
        >>> skill = Descriptor.load(json.loads(pathlib.Path("examples/translate.json").read_text()))
        >>> skill.result_url("e1")
        'https://api.example.com/skills/translate/executions/e1/result'
        """
        return _execution_url(self.endpoint.result_url, execution_id)


def _require_compatible(subject: Subject) -> None:
    for violation in incompatible.check(subject) if incompatible.check else _NO_RULES:
        raise VersionIncompatible(VersionIncompatible.code, violation.message, details=violation.details)


def _uncallable(subject: Subject) -> list[Violation]:
    """Find what leaves a descriptor valid to its schema and yet impossible to call as it says."""
    found: list[Violation] = []
    names = [parameter.members["name"] for parameter in subject.parameters]
    endpoint = subject.document["endpoint"]
    if len(set(names)) != len(names):
        from skillproto.rules.parameters import duplicate_input

        found += duplicate_input.check(subject) if duplicate_input.check else _NO_RULES
    if any("{" in endpoint.get(name, "") for name in ("status_url", "result_url")):
        found += _templates(subject)
    if not all(map(_is_plain_or_absent, [*subject.document["inputs"], subject.document["output"]])):
        from skillproto.rules.areas import embedded_schemas

        found += embedded_schemas(subject)
    return in_order(violation for violation in found if violation.severity == "error")


def _templates(subject: Subject) -> list[Violation]:
    from skillproto.rules.addresses import template_variable

    return list(template_variable.check(subject)) if template_variable.check else []


def _is_plain_or_absent(definition: Mapping[str, Any]) -> bool:
    return "schema" not in definition or is_plain(definition["schema"])


def _members(value: dict[str, Any]) -> dict[str, Any]:
    names = ("id", "name", "version", "capability_type", "description", "access", *_OPTIONAL)
    return {
        **{name: value[name] for name in names if name in value},
        "protocol": Protocol(**_known(value["protocol"], Protocol)),
        "provider": Provider(**_known(value["provider"], Provider)),
        "endpoint": Endpoint(**_known(value["endpoint"], Endpoint)),
        "inputs": tuple(map(_parameter, value["inputs"])),
        "output": Output(**_known(value["output"], Output)),
        "auth": _auth(value["auth"]),
        "tags": tuple(value.get("tags", ())),
    }


_OPTIONAL = ("documentation_url", "created_at", "updated_at")


def _known(members: dict[str, Any], of: type) -> dict[str, Any]:
    return {name: members[name] for name in of.__slots__ if name in members}  # type: ignore[attr-defined]


def _parameter(members: dict[str, Any]) -> Parameter:
    known = _known(members, Parameter)
    known.pop("has_default", None)
    for name in ("enum", "examples"):
        if name in known:
            known[name] = tuple(known[name])
    return Parameter(**known, has_default="default" in members)


def _auth(members: dict[str, Any]) -> Auth:
    kind, description = members["type"], members.get("description")
    if kind == "api_key":
        return Auth(kind, description, header=members.get("header", DEFAULT_KEY_HEADER))
    if kind == "oauth2":
        return Auth(kind, description, oauth2=OAuth2(**_known(members["oauth2"], OAuth2)))
    if kind == "custom":
        custom = members["custom"]
        parameters = (CustomParameter(**_known(one, CustomParameter)) for one in custom.get("parameters", ()))
        return Auth(kind, description, custom=CustomAuth(custom["instructions"], tuple(parameters)))
    return Auth(kind, description)


_DOTS = re.compile(r"\.{1,2}")


def _execution_url(template: str | None, execution_id: str) -> str | None:
    if template is None:
        return None
    segment = _segment(execution_id)
    if _PLACEHOLDER in template:
        return template.replace(_PLACEHOLDER, segment)
    base = template.partition("#")[0]
    path, mark, query = base.partition("?")
    return f"{path.rstrip('/')}/{segment}{mark}{query}"


def _segment(execution_id: str) -> str:
    """Write an id as one segment of a path. A segment of dots would still be taken for a way upwards."""
    is_usable = isinstance(execution_id, str) and 0 < len(execution_id) <= _LONGEST_ID
    if (
        is_usable
        and not _DOTS.fullmatch(execution_id)
        and execution_id.encode("utf-8", "ignore").decode() == execution_id
    ):
        return quote(execution_id, safe="")
    raise UnknownFailure(
        UnknownFailure.code,
        "The provider gave an execution id that no address can hold",
        details={"reason": "bad_execution_id"},
    )
