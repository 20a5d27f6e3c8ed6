"""Make a call ready to send: check the descriptor and the inputs, write the body once.

Pure: everything that can be refused without asking the other side is refused here.
"""

import json
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from skillproto import __version__
from skillproto.errors import UsageError, ValidationFailed
from skillproto.invocation.auth import Credentials, Grant
from skillproto.invocation.origins import origin_of, require_safe_transport, same_origin
from skillproto.invocation.prepared import Prepared, Shared
from skillproto.redaction import query_secrets_of, safe_url, user_info_of
from skillproto.violations import JSONValue, Violation, pointer

if TYPE_CHECKING:
    from skillproto.descriptor import Descriptor

CALLER_TYPES = ("ifay", "service", "user")
DEFAULT_TIMEOUT_MS = 30_000
LONGEST_TIMEOUT_MS = 86_400_000

Headers = tuple[tuple[str, str], ...]


def new_key() -> str:
    """Make a key that names one call: a random UUID.

    >>> len(new_key()), new_key() == new_key()
    (36, False)
    """
    raw = bytearray(os.urandom(16))
    raw[6] = raw[6] & 0x0F | 0x40
    raw[8] = raw[8] & 0x3F | 0x80
    digits = raw.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def as_descriptor(given: "Descriptor | Mapping[str, JSONValue]") -> "Descriptor":
    """Give the typed view of a descriptor, checking one that is plain.

    Raises:
        ValidationFailed: it breaks its contract.
        VersionIncompatible: it is of another protocol major.
    """
    from skillproto.descriptor import Descriptor  # late, as all that a call needs and an import does not

    return given if isinstance(given, Descriptor) else Descriptor.load(given)


class Preparation(NamedTuple):
    """What a caller asked for, before anything of it was checked.

    Args:
        skills: gives what is worked out once for each descriptor.
        share: gives what all calls to an origin share.
        body: what an earlier process would have sent, which is sent again as it was; None writes one.
    """

    descriptor: "Descriptor | Mapping[str, JSONValue]"
    inputs: Mapping[str, JSONValue] | None
    skills: "Skills"
    credentials: Credentials
    timeout_ms: int | None
    trace_id: str | None
    priority: str | int | None
    key: str
    share: Callable[[str], Shared]
    body: bytes | None = None

    @property
    def skill_id(self) -> str:
        """The descriptor's id as far as it has one."""
        given: Any = self.descriptor
        id_ = given.get("id") if isinstance(given, Mapping) else getattr(given, "id", None)
        return id_ if isinstance(id_, str) else ""

    def prepare(self, resuming: bool) -> Prepared:
        """Check everything and write the request.

        Raises:
            ValidationFailed: the descriptor or an input breaks its contract.
            VersionIncompatible: the descriptor is of another protocol major.
            AuthRequired: the skill needs credentials, and there are none.
        """
        skill = self.skills.get(self.descriptor)
        timeout_ms = self.timeout_ms or skill.timeout_ms
        body = b"" if resuming else self.body or self._body(skill, timeout_ms)
        grant = skill.granted(self.credentials)
        return Prepared(
            skill.url,
            body,
            skill.status_url,
            skill.result_url,
            _Heads(skill, grant, self.key),
            skill.check_output,
            timeout_ms,
            self.share(skill.origin),
            grant.secrets,
            grant.tokens,
        )

    def _body(self, skill: "Skill", timeout_ms: int) -> bytes:
        given: Any = {} if self.inputs is None else self.inputs
        inputs = dict(given) if isinstance(given, Mapping) else given
        violations = skill.inputs.check(inputs)
        if not violations:
            context: dict[str, JSONValue] = {"timeout_ms": timeout_ms}
            if self.trace_id is not None:
                context["trace_id"] = self.trace_id
            if self.priority is not None:
                context["priority"] = self.priority
            try:
                return b"".join((skill.body_head, _encode(inputs), b',"context":', _encode(context), b"}"))
            except (TypeError, ValueError, RecursionError):
                violations = _not_json(inputs)
        raise ValidationFailed.of(violations, "The inputs do not fit the skill's descriptor")


class _Heads:
    """Makes the headers of each request of a call."""

    __slots__ = ("_grant", "_key", "_skill")

    def __init__(self, skill: "Skill", grant: Grant, key: str) -> None:
        self._skill = skill
        self._grant = grant
        self._key = key

    def __call__(self, method: str, to: str, content: bytes | None) -> Headers:
        skill = self._skill
        head = (*skill.start_headers, ("Idempotency-Key", self._key)) if method == "POST" else _READ_HEADERS
        return (*head, *self._grant.headers(method, to, head, content)) if skill.is_own(to) else head


def _encode(value: JSONValue) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


class Skill:
    """What is worked out once for each descriptor: addresses, fixed headers, checks, the head of the body."""

    def __init__(self, descriptor: "Descriptor", caller: Mapping[str, str]) -> None:
        from skillproto.validation import InputChecker, OutputChecker

        self.descriptor = descriptor
        self.url = descriptor.endpoint.url
        _require_safe(self.url)
        self.origin = origin_of(self.url)
        self.timeout_ms = descriptor.endpoint.timeout_ms or DEFAULT_TIMEOUT_MS
        self.inputs = InputChecker(descriptor.raw["inputs"])
        self.output = OutputChecker(descriptor.raw["output"])
        self.start_headers: Headers = (*_HEADERS, ("Content-Type", descriptor.endpoint.content_type))
        self.body_head = _encode({"caller": caller, "skill_id": descriptor.id})[:-1] + b',"inputs":'

        self.status_url = descriptor.status_url
        self.result_url = descriptor.result_url
        self.check_output = self._check_output
        self._grant: Grant | None = None

    def granted(self, credentials: Credentials) -> Grant:
        """Give the credentials for a call; one grant serves all calls where nothing about it can change."""
        if self._grant is not None:
            return self._grant
        grant = credentials.grant(self.descriptor.auth, self.url)
        grant.secrets.extend((*user_info_of(self.url), *query_secrets_of(self.url)))
        if grant.is_fixed:
            self._grant = grant
        return grant

    def is_own(self, url: str) -> bool:
        """Say whether an address is of the endpoint's own origin, so that credentials may go there."""
        return url is self.url or same_origin(self.url, url)

    def _check_output(self, output: JSONValue) -> None:
        """Check what the skill gave.

        Raises:
            ValidationFailed: it does not fit the descriptor.
        """
        violations = self.output.check(output)
        if violations:
            raise ValidationFailed.of(violations, "The skill's output does not fit its descriptor")


_MOST_KEPT = 1024


class Skills:
    """Keeps the `Skill` of each typed descriptor; a plain one may change, so it is worked out anew."""

    def __init__(self, caller: Mapping[str, str]) -> None:
        self._caller = caller
        self._kept: dict[int, Skill] = {}

    def get(self, descriptor: "Descriptor | Mapping[str, JSONValue]") -> Skill:
        """Give what a call of this skill needs.

        Raises:
            ValidationFailed: the descriptor breaks its contract.
            VersionIncompatible: it is of another protocol major.
        """
        skill = self._kept.get(id(descriptor))
        if skill is not None:
            return skill
        skill = Skill(as_descriptor(descriptor), self._caller)
        if skill.descriptor is descriptor:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[id(descriptor)] = skill  # it holds the descriptor, so that the id stays its own
        return skill


_HEADERS: Headers = (
    ("Accept", "application/json"),
    ("Accept-Encoding", "gzip, deflate"),
    ("User-Agent", f"skillproto/{__version__}"),
)
_READ_HEADERS: Headers = (*_HEADERS, ("Cache-Control", "no-store"))


def _require_safe(url: str) -> None:
    try:
        require_safe_transport(url)
    except UsageError as refusal:
        violation = Violation(
            field="/endpoint/url",
            expected="https address, or http to this machine",
            actual=safe_url(url),
            message="The endpoint is not called over an encrypted connection",
            rule="descriptor/insecure-url",
            hint="ask the provider for a descriptor with an https address",
        )
        raise ValidationFailed.of([violation], f"Nothing was sent: {refusal}") from None


def _not_json(inputs: Mapping[str, Any]) -> list[Violation]:
    """Find the inputs that cannot be written as JSON, such as generators, files and NaN."""
    return [_unwritable(name, value) for name, value in inputs.items() if not _is_json(value)]


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _unwritable(name: str, value: Any) -> Violation:
    return Violation(
        field=pointer(["inputs", name]),
        expected="JSON value",
        actual=None,
        message=f"A value of the Python type {type(value).__name__} cannot be sent as JSON",
        rule="schema/type",
        hint="give text, a number, a boolean, None, a list or a dict of these; read files and generators first",
    )
