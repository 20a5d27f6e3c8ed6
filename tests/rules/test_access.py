from typing import Any

import pytest

from skillproto.redaction import MASK
from skillproto.rules import validate
from skillproto.violations import Violation
from tests.rules.support import rules_of, with_members, with_parameter

OAUTH2 = {"type": "oauth2", "oauth2": {"token_url": "https://login.example.com/token"}}
CUSTOM = {"type": "custom", "custom": {"instructions": "Sign each request."}}
KEY = {"type": "api_key"}
NONE = {"type": "none"}


@pytest.mark.parametrize("access", ["restricted", "private"])
def test_a_protected_skill_needs_credentials(access: str) -> None:
    (violation,) = validate(with_members(access=access, auth=NONE))
    assert (violation.rule, violation.field, violation.severity) == ("descriptor/auth-missing", "/auth/type", "error")


@pytest.mark.parametrize("auth", [KEY, OAUTH2, CUSTOM], ids=lambda auth: str(auth["type"]))
def test_a_public_skill_asks_for_none(auth: dict[str, Any]) -> None:
    (violation,) = validate(with_members(access="public", auth=auth))
    assert (violation.rule, violation.field, violation.severity) == ("descriptor/auth-on-public", "/auth/type", "error")


@pytest.mark.parametrize("access", ["restricted", "private"])
@pytest.mark.parametrize("auth", [KEY, OAUTH2, CUSTOM], ids=lambda auth: str(auth["type"]))
def test_a_protected_skill_with_credentials_is_fine(access: str, auth: dict[str, Any]) -> None:
    assert validate(with_members(access=access, auth=auth)) == []


SECRETS = [
    "sk_live_0123456789abcdefXYZ",
    "ghp_abcdefghijklmnopqrstuvwxyz012345",
    "AKIAIOSFODNN7QWERTYU",
    "xoxb-123456789012-abcdefgh",
    "Bearer abcdefghijklmnop1234",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
    "hf_abcdefghijklmnopqrstuvwxyz012345",
    "SG.abcdefghijklmnopqrstuv.abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG",
    "dop_v1_" + "0123456789abcdef" * 4,
    "ya29.a0AfH6SMBabcdefghijklmnopqrstuvwxyz",
    "AGE-SECRET-KEY-1" + "Q" * 58,
    "AccountKey=abcdefgh/jklmnopqr+tuvwxyz0/23456789ABCDEFGHIJ/LMNOP==",
    "https://hooks.slack.com/services/T01234567/B01234567/abcdefghijklmnopqrstuvwx",
    "postgres://ann:hunter22@db.internal/books",
    "mongodb+srv://:hunter22@cluster.internal",
]
PLACEHOLDERS = [
    "postgres://user:password@db.internal/books",
    "postgres://<user>:<password>@db.internal/books",
    "redis://:${REDIS_PASSWORD}@cache.internal",
    "ann@host:22 or ssh://ann@host",
    "AccountKey=<your key>",
    "https://hooks.slack.com/services/T000/B000/XXX",
]


@pytest.mark.parametrize("text", PLACEHOLDERS)
def test_a_placeholder_of_a_well_known_form_is_fine(text: str) -> None:
    assert _secrets(with_members(description=f"Set it to {text} first.")) == []


@pytest.mark.parametrize("secret", SECRETS)
def test_a_key_of_a_well_known_form_is_found_and_never_shown(secret: str) -> None:
    (violation,) = validate(with_members(description=f"Translates text. For tests use {secret} and nothing else."))
    assert (violation.rule, violation.field) == ("descriptor/secret-in-descriptor", "/description")
    assert violation.actual == MASK
    assert secret not in str(violation)


def _secrets(document: dict[str, Any]) -> list[Violation]:
    return [v for v in validate(document) if v.rule == "descriptor/secret-in-descriptor"]


@pytest.mark.parametrize(
    ("document", "field"),
    [
        (with_members(**{"x-vendor": {"client_secret": "hunter2hunter2"}}), "/x-vendor/client_secret"),
        (with_parameter(name="api_key", default="hunter2hunter2"), "/inputs/0/default"),
        (with_parameter(name="password", examples=["swordfish9"]), "/inputs/0/examples/0"),
        (with_parameter(type="object", examples=[{"password": "swordfish9"}]), "/inputs/0/examples/0/password"),
        (with_members(provider={"name": "Example", "x-token": "abcd1234efgh"}), "/provider/x-token"),
    ],
    ids=["a member of one's own", "a default", "an example", "inside an example", "in the provider"],
)
def test_a_value_under_the_name_of_a_secret_is_found(document: dict[str, Any], field: str) -> None:
    (violation,) = _secrets(document)
    assert violation.field == field
    assert not any(secret in str(violation) for secret in ("hunter2", "swordfish", "abcd1234"))


@pytest.mark.parametrize(
    "document",
    [
        with_parameter(name="password", examples=["<your password>"]),
        with_parameter(name="token_count", type="integer", examples=[12]),
        with_parameter(
            type="object", schema={"type": ["object", "null"], "properties": {"password": {"type": "string"}}}
        ),
        with_members(auth=OAUTH2 | {"oauth2": OAUTH2["oauth2"] | {"scopes": {"read:token": "Read tokens."}}}),  # type: ignore[operator]
        with_members(description="Send the key as Authorization: Bearer <token>."),
    ],
    ids=["a placeholder", "a count", "a schema", "a scope", "a header with a placeholder"],
)
def test_what_only_speaks_of_secrets_is_fine(document: dict[str, Any]) -> None:
    assert _secrets(document) == []


def test_a_value_of_the_wrong_type_does_not_show_the_secret_under_a_secret_name() -> None:
    violations = validate(with_members(provider={"name": "Example", "url": "https://ann:hunter2@exa mple.com"}))
    assert rules_of(violations) == ["schema/format"]
    assert "hunter2" not in str(violations)
