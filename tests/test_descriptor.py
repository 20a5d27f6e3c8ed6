import dataclasses
import json
import pickle
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillproto import Descriptor, UnknownFailure, ValidationFailed, VersionIncompatible
from skillproto.descriptor import Auth, CustomAuth, CustomParameter, Endpoint, OAuth2, Parameter
from skillproto.documents import read

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted(path for path in (ROOT / "examples").iterdir() if path.suffix in (".json", ".yaml"))
MINIMAL: dict[str, Any] = {
    "protocol": {"version": "1.0.0"},
    "id": "com.example.a",
    "name": "A",
    "version": "1.0.0",
    "capability_type": "api",
    "description": "Does A.",
    "provider": {"name": "Example"},
    "endpoint": {"url": "https://api.example.com/run"},
    "inputs": [],
    "output": {"type": "string"},
    "auth": {"type": "api_key"},
    "access": "restricted",
}


def load(**members: Any) -> Descriptor:
    return Descriptor.load(MINIMAL | members)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: str(path.name))
def test_an_example_becomes_a_descriptor(path: Path) -> None:
    (document,) = read(path.read_bytes(), source=path.name)
    skill = Descriptor.load(document.value)
    assert skill.raw is document.value
    assert skill.id == skill.raw["id"]
    assert [parameter.name for parameter in skill.inputs] == [one["name"] for one in skill.raw["inputs"]]
    assert skill.tags == tuple(skill.raw["tags"])
    assert skill.auth.type == skill.raw["auth"]["type"]


def test_what_is_left_out_has_its_default() -> None:
    skill = load()
    assert skill.endpoint == Endpoint("https://api.example.com/run", "POST", "application/json", None, None, None)
    assert skill.auth == Auth("api_key", header="X-API-Key")
    assert (skill.tags, skill.documentation_url, skill.created_at, skill.provider.url) == ((), None, None, None)


def test_a_default_of_null_is_told_from_none() -> None:
    given = [{"name": "a", "type": "string"}, {"name": "b", "type": "string", "default": None}]
    one, other = load(inputs=given).inputs
    assert (one.default, one.has_default, other.default, other.has_default) == (None, False, None, True)


def test_a_parameter_keeps_what_it_says() -> None:
    members = {
        "name": "size",
        "type": "integer",
        "description": "How many.",
        "required": True,
        "enum": [1, 2],
        "schema": {"type": "integer"},
        "examples": [1],
    }
    (parameter,) = load(inputs=[members]).inputs
    assert parameter == Parameter("size", "integer", "How many.", True, None, False, (1, 2), {"type": "integer"}, (1,))


@pytest.mark.parametrize(
    ("auth", "expected"),
    [
        ({"type": "api_key", "header": "X-Key"}, Auth("api_key", header="X-Key")),
        (
            {"type": "oauth2", "oauth2": {"token_url": "https://a.example.com/t", "scopes": {"a": "A."}}},
            Auth("oauth2", oauth2=OAuth2("https://a.example.com/t", None, {"a": "A."})),
        ),
        (
            {"type": "custom", "custom": {"instructions": "Sign.", "parameters": [{"name": "X-Sig"}]}},
            Auth("custom", custom=CustomAuth("Sign.", (CustomParameter("X-Sig"),))),
        ),
        ({"type": "none", "description": "Open."}, Auth("none", "Open.")),
        ({"type": "none", "header": "X-Key", "oauth2": 5}, Auth("none")),
    ],
)
def test_auth_has_only_what_its_type_asks_for(auth: dict[str, Any], expected: Auth) -> None:
    assert load(auth=auth).auth == expected


def test_unknown_members_are_kept_in_raw_alone() -> None:
    skill = load(**{"x-note": 1, "endpoint": MINIMAL["endpoint"] | {"x-note": 2, "new_in_1_1": 3}})
    assert skill.raw["x-note"] == 1
    assert skill.endpoint == Endpoint("https://api.example.com/run")


def test_a_descriptor_cannot_be_changed() -> None:
    skill = load()
    with pytest.raises(dataclasses.FrozenInstanceError):
        skill.id = "x"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        skill.endpoint.url = "x"  # type: ignore[misc]


def test_a_descriptor_is_equal_to_another_of_the_same_content_and_pickles() -> None:
    inputs = [{"name": "a", "type": "object", "default": {"b": []}, "schema": {}}]
    one, other = load(inputs=inputs), load(inputs=json.loads(json.dumps(inputs)))
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one


@pytest.mark.parametrize("version", ["2.0.0", "0.9.1", "3.0"])
def test_another_major_version_is_refused_before_anything_else(version: str) -> None:
    with pytest.raises(VersionIncompatible) as caught:
        Descriptor.load({"protocol": {"version": version}, "inputs": "broken"})
    assert caught.value.details == {
        "descriptor_version": version,
        "consumer_supported_range": "1.x.x",
        "upgrade_url": None,
    }
    assert caught.value.attempts == 0


def test_the_upgrade_address_is_the_one_that_the_descriptor_names() -> None:
    protocol = {"version": "2.0.0", "changelog_url": "https://example.com/changes"}
    with pytest.raises(VersionIncompatible) as caught:
        load(protocol=protocol)
    assert caught.value.details["upgrade_url"] == "https://example.com/changes"


@pytest.mark.parametrize(
    ("members", "rule", "field"),
    [
        ({"access": "open"}, "schema/enum", "/access"),
        ({"inputs": [{"name": "a", "type": "string"}] * 2}, "descriptor/duplicate-input", "/inputs/1/name"),
        (
            {"output": {"type": "string", "schema": {"$ref": "https://a.example.com"}}},
            "descriptor/schema-remote-ref",
            None,
        ),
        ({"inputs": [{"name": "a", "type": "string", "schema": {"type": "x"}}]}, "descriptor/schema-invalid", None),
        (
            {"endpoint": {"url": "https://a.example.com", "status_url": "https://a.example.com/{id}"}},
            "descriptor/template-variable",
            "/endpoint/status_url",
        ),
    ],
)
def test_what_cannot_be_called_as_it_says_is_refused(members: dict[str, Any], rule: str, field: str | None) -> None:
    with pytest.raises(ValidationFailed) as caught:
        load(**members)
    (violation,) = caught.value.violations
    assert violation.rule == rule
    assert field is None or violation.field == field
    assert caught.value.to_dict()["error"]["details"]["violations"][0]["field"] == violation.field


@pytest.mark.parametrize("value", [None, [], "text", 5, {}, {"protocol": 1}])
def test_a_value_of_any_shape_is_refused_with_violations(value: Any) -> None:
    with pytest.raises(ValidationFailed) as caught:
        Descriptor.load(value)
    assert caught.value.violations


def test_a_skill_on_this_computer_and_warnings_are_no_obstacle() -> None:
    skill = load(id="a", endpoint={"url": "http://127.0.0.1:8000/run"}, tag=1)
    assert skill.endpoint.url == "http://127.0.0.1:8000/run"


def test_a_document_cannot_excuse_itself_from_what_a_call_needs() -> None:
    with pytest.raises(ValidationFailed):
        load(inputs=[{"name": "a", "type": "string"}] * 2, **{"x-skillproto-ignore": ["descriptor/duplicate-input"]})


def status(template: str, execution_id: str) -> str | None:
    return load(endpoint={"url": "https://a.example.com/run", "status_url": template}).status_url(execution_id)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("https://a.example.com/runs/{execution_id}/status", "https://a.example.com/runs/e%201/status"),
        ("https://a.example.com/runs", "https://a.example.com/runs/e%201"),
        ("https://a.example.com/runs/", "https://a.example.com/runs/e%201"),
        ("https://a.example.com", "https://a.example.com/e%201"),
        ("https://a.example.com/runs?v=2", "https://a.example.com/runs/e%201?v=2"),
        ("https://a.example.com/runs?id={execution_id}", "https://a.example.com/runs?id=e%201"),
    ],
)
def test_both_forms_of_an_address_take_the_id(template: str, expected: str) -> None:
    assert status(template, "e 1") == expected


def test_an_endpoint_without_the_addresses_has_none() -> None:
    assert load().status_url("e1") is None
    assert load().result_url("e1") is None


@pytest.mark.parametrize("bad", ["", ".", "..", "x" * 5000, "\ud800", None, 5])
def test_an_id_that_no_address_can_hold_is_refused(bad: Any) -> None:
    with pytest.raises(UnknownFailure) as caught:
        status("https://a.example.com/runs", bad)
    assert caught.value.details == {"reason": "bad_execution_id"}


FORMS = [
    "https://a.example.com/runs/{execution_id}/status",
    "https://a.example.com/runs",
    "https://a.example.com/r?id={execution_id}",
]
NASTY = st.one_of(
    st.text(min_size=1, max_size=30),
    st.text(alphabet="/.\\?#@:%{}[] \t\r\n&=;+", min_size=1, max_size=12),
    st.sampled_from(
        [
            "../../admin",
            "//evil.example",
            "https://evil.example",
            "x?y=1",
            "x#y",
            "%2e%2e",
            "{execution_id}",
            "a@b",
            "..\\..",
        ]
    ),
)


@given(st.sampled_from(FORMS), NASTY)
def test_an_id_changes_neither_host_nor_path_nor_query(template: str, execution_id: str) -> None:
    try:
        given_url = status(template, execution_id)
    except UnknownFailure:
        return
    plain, filled = urlsplit(str(status(template, "plain"))), urlsplit(str(given_url))
    assert (filled.scheme, filled.netloc, filled.fragment) == (plain.scheme, plain.netloc, "")
    assert filled.path.count("/") == plain.path.count("/")
    assert filled.query.count("=") == plain.query.count("=")
    assert filled.query.count("&") == 0
    assert ".." not in filled.path.split("/")
    assert str(given_url).isascii()
    assert str(given_url).isprintable()
