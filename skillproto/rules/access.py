"""Rules about who may call a skill, and about secrets that a descriptor must not hold."""

import re
from collections.abc import Iterator

from skillproto.redaction import MASK, find_secret, is_secret_name
from skillproto.rules.model import rule
from skillproto.rules.subject import Subject, objects_of
from skillproto.violations import JSONValue, Violation, pointer

_PLACEHOLDER_MARKS = ("<", "{", "$", "…", "...", "xxx", "***", "your", "example", "changeme", "redacted")
_SIGN_IN = re.compile(
    r"(?i)\b(?!https?:)[a-z][a-z0-9+.-]{1,30}://[^/?#\s@:]{0,100}:"
    r"(?!(?:password|passwd|pass|pwd|pw|secret)@)[^/?#\s@]{1,200}@"
)


@rule(
    "descriptor/auth-missing",
    "error",
    "A restricted or private skill asks for credentials.",
    source="SSP, access levels; as an error by decision of this project",
    bad='{"access": "restricted", "auth": {"type": "none"}}',
    good='{"access": "restricted", "auth": {"type": "api_key"}}',
    why="""Who may call a restricted or private skill can only be decided once the caller is known. With
    auth type none everybody who learns the address can call it.""",
)
def auth_missing(subject: Subject) -> Iterator[Violation]:
    """Find protected skills that ask for nothing."""
    access = subject.member("access")
    if access in ("restricted", "private") and subject.member("auth", "type") == "none":
        yield auth_missing.found(
            "/auth/type",
            "one of: api_key, oauth2, custom",
            "none",
            f"A {access} skill asks for no credentials",
            hint="Choose how callers identify themselves, or make the access public",
        )


@rule(
    "descriptor/auth-on-public",
    "error",
    "A public skill asks for no credentials.",
    source="SSP, access levels; as an error by decision of this project",
    bad='{"access": "public", "auth": {"type": "api_key"}}',
    good='{"access": "public", "auth": {"type": "none"}}',
    why="""Public means that everybody may call the skill without an account. A skill that everybody sees but
    only some may call is restricted.""",
)
def auth_on_public(subject: Subject) -> Iterator[Violation]:
    """Find public skills that ask for credentials."""
    kind = subject.member("auth", "type")
    if subject.member("access") == "public" and kind in ("api_key", "oauth2", "custom"):
        yield auth_on_public.found(
            "/auth/type",
            "none",
            kind,
            "A public skill asks for credentials",
            hint="Use access restricted for a skill that is listed for all but called with credentials",
        )


@rule(
    "descriptor/secret-in-descriptor",
    "error",
    "A descriptor holds no key, token or password.",
    source="OWASP Secrets Management Cheat Sheet",
    bad='{"auth": {"type": "api_key", "description": "Use sk_live_0123456789abcdefABCDEF."}, "access": "restricted"}',
    good='{"auth": {"type": "api_key", "description": "Keys are issued in the console."}, "access": "restricted"}',
    schemas=("descriptor", "index", "error"),
    why="""A descriptor is published: whoever sees the skill sees everything in it. Found are texts with the form
    of a well-known kind of key, addresses such as postgres:// with a password in them, and values that
    stand under a name such as password or client_secret, as well as defaults and examples of
    parameters with such a name. Placeholders such as <your key> are
    fine. A secret that was published is spent: replace it.""",
)
def secret_in_descriptor(subject: Subject) -> Iterator[Violation]:
    """Find secrets by their form and by the name that they stand under."""
    seen = set()
    for field, name in _secrets(subject):
        if field not in seen:
            seen.add(field)
            yield secret_in_descriptor.found(
                field,
                "no secret",
                MASK,
                f"The text holds what looks like {name}",
                hint="Take it out, and replace the secret where it was in use",
            )


def _secrets(subject: Subject) -> Iterator[tuple[str, str]]:
    for field, text, _ in subject.texts:
        found = find_secret(text)
        if found is not None and not _is_placeholder(found):
            yield field, "a key or token"
        elif "@" in text and any(not _is_placeholder(match.group()) for match in _SIGN_IN.finditer(text)):
            yield field, "a password, in an address to sign in with"
    for at, members in objects_of(subject.document):
        if subject.schema == "error" or _is_schema_map(at):
            continue
        for name, value in members.items():
            if is_secret_name(str(name)) and _is_secret_value(value):
                yield at + pointer([name]), f"a secret, by the name {name}"
    for at, members in subject.parameters:
        if is_secret_name(str(members.get("name", ""))):
            yield from ((field, "a secret, by the name of its parameter") for field in _given_values(at, members))


def _is_schema_map(at: str) -> bool:
    """Say whether an object maps names to meanings instead of holding values."""
    return at.endswith("/scopes")


def _given_values(at: str, members: dict[str, JSONValue]) -> Iterator[str]:
    if _is_secret_value(members.get("default")):
        yield f"{at}/default"
    examples = members.get("examples")
    for i, example in enumerate(examples if isinstance(examples, list) else ()):
        if _is_secret_value(example):
            yield f"{at}/examples/{i}"


def _is_secret_value(value: JSONValue) -> bool:
    return isinstance(value, str) and len(value) > 3 and not _is_placeholder(value)


def _is_placeholder(text: str) -> bool:
    low = text.lower()
    return any(mark in low for mark in _PLACEHOLDER_MARKS) or len(set(low)) <= 2
