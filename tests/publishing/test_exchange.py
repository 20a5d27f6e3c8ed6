"""One JSON value in and one out: as the shipped schemas say, and everywhere the same findings."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from skillproto import UsageError
from skillproto.documents import read
from skillproto.publishing import Published, RegistryState, Taken, publish_check
from skillproto.publishing.exchange import CheckRequest, answer
from skillproto.publishing.openapi import publish_schema
from skillproto.publishing.service import create_service
from tests.cli.support import run
from tests.publishing.support import ID, TEXT, TONE, published, skill
from tests.rules.support import EXAMPLES, ROOT

REQUEST = jsonschema.Draft202012Validator(publish_schema("request"))
REPLY = jsonschema.Draft202012Validator(publish_schema("reply"))

STATE: dict[str, Any] = {
    "rule_pack_version": "0.9.0",
    "published": [
        {"id": ID, "version": "1.4.2", "state": "withdrawn", "holder": "Ann"},
        {"id": "com.example.Minimal", "version": "1.0.0", "url": "https://api.example.com/skills/minimal"},
        {"id": "org.other.thing", "version": "0.1.0", "url": "https://api.example.com/run"},
    ],
    "taken": [{"name": "com.example.holidays", "holder": "Bob", "state": "reserved"}],
    "namespaces": ["com.example"],
    "index": [],
}
FILES = [
    *EXAMPLES,
    *sorted(
        path
        for kind in ("valid", "invalid")
        for path in (ROOT / "tests" / "examples" / kind / "descriptor").iterdir()
        if path.suffix != ".expect"
    ),
]
Finding = dict[str, Any]


@pytest.fixture(scope="module")
def state_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("state") / "state.json"
    path.write_text(json.dumps(STATE), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def service() -> Any:
    return TestClient(create_service(RegistryState.read(STATE)))


def _by_command(path: Path, state_file: Path) -> list[list[Finding]]:
    report = run("publish-check", path, "--state", state_file, "--output-format", "json").json()
    documents = report.get("documents", [report])
    return [
        each["violations"] if "violations" in each else each["error"]["details"]["violations"] for each in documents
    ]


def _by_library(path: Path) -> list[list[Finding]]:
    state = RegistryState.read(STATE)
    documents = read(path.read_bytes(), source=path.name)
    return [[each.to_dict() for each in publish_check(document, state).findings] for document in documents]


def _by_service(path: Path, service: Any) -> list[list[Finding]]:
    request = {"base64": b64encode(path.read_bytes()).decode(), "filename": path.name}
    REQUEST.validate(request)
    reply = service.post("/v1/check", json=request)
    assert reply.status_code == 200
    REPLY.validate(reply.json())
    return [report["findings"] for report in reply.json()["reports"]]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_command_library_and_service_give_the_same_findings(path: Path, state_file: Path, service: Any) -> None:
    here = json.loads(json.dumps(_by_library(path)))
    assert any(here)
    assert _by_command(path, state_file) == here
    assert _by_service(path, service) == here


@pytest.mark.parametrize("engine", ["auto", "reference"])
def test_both_engines_give_the_same_findings(engine: Any) -> None:
    state = RegistryState.read(STATE)
    for path in EXAMPLES:
        for document in read(path.read_bytes(), source=path.name):
            assert publish_check(document, state, engine=engine) == publish_check(document, state)


def test_the_command_answers_a_request_from_its_standard_input() -> None:
    request = {"descriptor": skill(version="1.5.0", inputs=[TEXT, TONE]), "against": skill()}
    ran = run("publish-check", "--exchange", stdin=json.dumps(request))
    REPLY.validate(ran.json())
    assert (ran.code, ran.json()["accepted"]) == (1, False)
    assert ran.json() == json.loads(json.dumps(answer(request)))
    assert [finding["field"] for finding in ran.json()["reports"][0]["findings"]] == ["/inputs/1"]


@pytest.mark.parametrize(
    ("request_value", "code", "accepted"),
    [
        ({"descriptor": skill()}, 0, True),
        ({"descriptor": skill(), "against": "nothing"}, 3, None),
        ({"text": json.dumps(skill()) + "\n" + json.dumps(skill(name="")), "filename": "a.jsonl"}, 1, False),
        ({"text": "", "filename": "a.yaml"}, 1, False),
    ],
    ids=["fine", "not comparable", "two documents", "empty"],
)
def test_the_exit_code_follows_the_verdict(request_value: Any, code: int, accepted: bool | None) -> None:
    REQUEST.validate(request_value)
    ran = run("publish-check", "--exchange", stdin=json.dumps(request_value))
    REPLY.validate(ran.json())
    assert (ran.code, ran.json()["accepted"]) == (code, accepted)


MALFORMED = [
    ([], "must be an object"),
    ({}, "exactly one of"),
    ({"descriptor": {}, "text": ""}, "exactly one of"),
    ({"descriptr": {}}, "no member 'descriptr'"),
    ({"descriptor": {}, "options": {"probes": True}}, "no member 'probes'"),
    ({"descriptor": {}, "options": {"allow": "x"}}, "allow must be an array"),
    ({"descriptor": {}, "options": {"probe": "yes"}}, "probe must be a boolean"),
    ({"text": 5}, "text must be a text"),
    ({"descriptor": {}, "state": {"published": 5}}, "/published must be an array"),
    ({"descriptor": {}, "format_version": 2}, "newer skillproto"),
]


@pytest.mark.parametrize(("value", "words"), MALFORMED, ids=[words for _, words in MALFORMED])
def test_what_is_no_request_is_refused_and_named(value: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        CheckRequest.read(value)
    ran = run("publish-check", "--exchange", stdin=json.dumps(value))
    assert ran.code == 2
    assert words in ran.json()["error"]["message"]
    whole_schema = publish_schema("request")
    whole_schema["properties"]["state"] = {"anyOf": [{"type": "null"}, publish_schema("state")]}
    assert not jsonschema.Draft202012Validator(whole_schema).is_valid(value)


@pytest.mark.parametrize("text", ["", "{", "5", '{"base64": "%%%"}'])
def test_a_standard_input_of_any_text_ends_in_one_json_value(text: str) -> None:
    ran = run("publish-check", "--exchange", stdin=text)
    assert ran.code == 2
    assert ran.json()["error"]["code"] == "UNKNOWN"


def test_a_probe_is_refused_where_nobody_turned_it_on() -> None:
    ran = run("publish-check", "--exchange", stdin=json.dumps({"descriptor": skill(), "options": {"probe": True}}))
    assert ran.code == 2
    assert "not turned on" in ran.json()["error"]["message"]


def test_the_options_of_a_request_are_those_of_the_call() -> None:
    state = {"namespaces": [], "taken": [{"name": ID, "holder": "Ann"}]}
    options = {"publisher": "Ann", "proofs": ["com.example"]}
    assert answer({"descriptor": skill(), "state": state, "options": options})["accepted"] is True
    assert answer({"descriptor": skill(), "state": state})["accepted"] is False
    line = f"{ID}@1.4.2 publish/version-exists /version"
    known = {"published": [{"id": ID, "version": "1.4.2"}]}
    assert answer({"descriptor": skill(), "state": known, "options": {"allow": [line]}})["accepted"] is True


@pytest.mark.parametrize(
    ("member", "rule"),
    [({"description": "half \ud800"}, "lone-surrogate"), ({"x-n": float("nan")}, "non-finite-number")],
    ids=["half a character", "no number"],
)
def test_a_descriptor_is_held_to_what_a_text_is_held_to(member: dict[str, Any], rule: str) -> None:
    value = skill(**member)
    found = [answer(request) for request in ({"descriptor": value}, {"text": json.dumps(value)})]
    assert [each["accepted"] for each in found] == [False, False]
    rules = [[each["rule"] for each in reply["reports"][0]["findings"]] for reply in found]
    assert rules[0] == rules[1]
    assert f"document/{rule}" in rules[0]


def test_a_request_holds_a_bounded_number_of_documents() -> None:
    assert len(CheckRequest.read({"text": "{}\n" * 1_000}).documents) == 1_000
    with pytest.raises(UsageError, match="1000 documents"):
        CheckRequest.read({"text": "{}\n" * 1_001})


def test_a_state_that_is_given_beside_the_request_counts_where_the_request_has_none() -> None:
    state = RegistryState([published("1.4.2")], taken=[Taken("x")])
    assert answer({"descriptor": skill()}, state=state)["accepted"] is False
    assert answer({"descriptor": skill(), "state": {}}, state=state)["accepted"] is True
    assert state.find(ID, "1.4.2") != Published(ID, "1.4.2")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "version", "name"]), inner),
    max_leaves=8,
)
MEMBERS = st.dictionaries(st.sampled_from(sorted(skill())), JSON, max_size=4)


@given(MEMBERS, MEMBERS)
@settings(max_examples=60)
def test_anything_that_json_can_hold_is_answered(service: Any, new: Any, old: Any) -> None:
    body = {"descriptor": skill() | new, "against": skill(version="1.0.0") | old}
    reply = service.post("/v1/check", content=json.dumps(body).encode())
    assert reply.status_code == 200
    REPLY.validate(reply.json())
    assert json.loads(reply.text, parse_constant=_refuse)["reports"]
    state = {"published": [{"id": ID, "version": "1.0.0", "descriptor": skill() | old}]}
    report: Any = answer({"descriptor": skill(version="1.5.0") | new, "state": state})
    REPLY.validate(report)


def _refuse(word: str) -> None:
    raise AssertionError(f"{word} is no JSON")
