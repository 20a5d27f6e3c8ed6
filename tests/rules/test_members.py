from typing import Any

import pytest

from skillproto.rules import validate
from skillproto.rules.members import moment
from tests.rules.support import example, index_of, rules_of, with_members, with_parameter


@pytest.mark.parametrize(
    ("document", "field", "near"),
    [
        (example("holidays.json") | {"updated": "2026-05-01T00:00:00Z"}, "/updated", "updated_at"),
        (with_members(documentationUrl="https://a.example.com"), "/documentationUrl", None),
        (with_members(provider={"name": "A", "contatc": "b"}), "/provider/contatc", "contact"),
        (with_parameter(requred=True), "/inputs/0/requred", "required"),
        (with_members(protocol={"version": "1.0.0", "changelog": "x"}), "/protocol/changelog", None),
        (with_members(output={"type": "string", "shema": {}}), "/output/shema", "schema"),
        (with_members(auth={"type": "api_key", "headers": "X"}), "/auth/headers", "header"),
        (with_members(auth={"type": "api_key", "oauth2": {}}), "/auth/oauth2", None),
    ],
)
def test_an_unknown_member_is_a_warning_with_the_name_that_was_meant(
    document: Any, field: str, near: str | None
) -> None:
    violations = [v for v in validate(document) if v.rule == "descriptor/unknown-member"]
    assert [(v.field, v.severity) for v in violations] == [(field, "warning")]
    if near is not None:
        assert violations[0].hint == f"Did you mean {near!r}?"
        assert violations[0].details == {"suggestion": near}


def test_an_unknown_member_inside_a_branch_is_looked_for_in_that_branch() -> None:
    auth = {"type": "oauth2", "oauth2": {"token_url": "https://a.example.com/t", "scope": {"a": "b"}}}
    (violation,) = validate(with_members(auth=auth))
    assert (violation.field, violation.hint) == ("/auth/oauth2/scope", "Did you mean 'scopes'?")


@pytest.mark.parametrize(
    "document",
    [
        with_members(**{"x-note": {"anything": 1}}),
        with_members(**{"$schema": "https://example.com/descriptor.json"}),
        with_parameter(type="object", examples=[{"anything": 1}]),
        with_parameter(schema={"anything": 1}),
        with_parameter(**{"x-order": 1}),
    ],
)
def test_members_of_ones_own_and_free_values_are_fine(document: Any) -> None:
    assert validate(document) == []


def test_a_misspelt_required_member_is_one_finding() -> None:
    document = example()
    document["descripton"] = document.pop("description")
    (violation,) = validate(document)
    assert (violation.rule, violation.field) == ("schema/required", "/description")
    assert "descripton" in str(violation.hint)


@pytest.mark.parametrize(
    "name", ["translate", "translate-v1", "example.translate", "COM.example.translate", "a.b.c", "com..x"]
)
def test_an_id_that_is_no_reversed_domain_is_a_warning(name: str) -> None:
    violations = validate(with_members(id=name))
    assert [(v.rule, v.field, v.severity) for v in violations] == [("descriptor/id-namespace", "/id", "warning")]


@pytest.mark.parametrize(
    "name", ["com.example.translate-v1", "org.example.a.b.c", "xn--p1ai.example.x", "io.Example.Do_it"]
)
def test_an_id_in_a_namespace_is_fine(name: str) -> None:
    assert validate(with_members(id=name)) == []


@pytest.mark.parametrize(
    ("created", "updated", "is_fine"),
    [
        ("2026-05-01T00:00:00Z", "2026-05-01T00:00:00Z", True),
        ("2026-05-01T00:00:00Z", "2026-04-30T23:59:59Z", False),
        ("2026-05-01T00:00:00Z", "2026-05-01T01:00:00+02:00", False),
        ("2026-05-01T00:00:00Z", "2026-04-30T23:00:00-02:00", True),
        ("2026-05-01T00:00:00.5Z", "2026-05-01T00:00:00.4Z", False),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z", False),
        ("2016-12-31T23:59:59Z", "2016-12-31T23:59:60Z", True),
        ("2026-05-01t00:00:00z", "2026-05-02t00:00:00z", True),
    ],
)
def test_times_are_compared_with_their_offsets(created: str, updated: str, is_fine: bool) -> None:
    rules = rules_of(validate(with_members(created_at=created, updated_at=updated)))
    assert rules == ([] if is_fine else ["descriptor/time-order"])


@pytest.mark.parametrize("text", ["", "2026-13-01T00:00:00Z", "2026-05-01", None, 5, "٢٠٢٦-05-01T00:00:00Z"])
def test_what_is_no_time_has_no_moment(text: Any) -> None:
    assert moment(text) is None


def test_an_index_that_lists_a_skill_twice_is_an_error() -> None:
    one, other = {"id": "com.example.a"}, {"id": "com.example.a", "version": "2.0.0"}
    assert validate(index_of(one, other), schema="index") == []
    (violation,) = validate(index_of(one, other, one), schema="index")
    assert (violation.rule, violation.field) == ("index/duplicate-skill", "/skills/2/id")
    assert "/skills/0" in violation.message


def test_an_error_document_with_an_unknown_member_is_a_warning() -> None:
    document = {"error": {"code": "AUTH_REQUIRED", "message": "Sign in", "detials": {}}}
    (violation,) = validate(document, schema="error")
    assert (violation.field, violation.severity) == ("/error/detials", "warning")
