"""What a registry knows, as data."""

import json
import pickle
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillproto import UsageError
from skillproto.publishing import NotCarriedOut, Published, RegistryState
from skillproto.publishing.loading import load_state, state_of_index
from skillproto.publishing.openapi import publish_schema
from skillproto.publishing.published import precedence_of
from skillproto.versions import Version
from tests.publishing.support import ID, skill
from tests.rules.support import index_of

NUMBERS = st.integers(0, 12)
VERSIONS = st.builds(
    lambda a, b, c, pre, build: f"{a}.{b}.{c}{pre}{build}",
    NUMBERS,
    NUMBERS,
    NUMBERS,
    st.sampled_from(["", "", "-rc.1", "-rc.10", "-alpha", "-0"]),
    st.sampled_from(["", "", "+b1", "+b2"]),
)
IDS = st.sampled_from(["com.example.a", "com.example.b", "com.Example.a", "org.example.a"])


@given(st.lists(st.tuples(IDS, VERSIONS), max_size=40))
@settings(max_examples=80)
def test_the_columns_answer_as_a_plain_list_does(rows: list[tuple[str, str]]) -> None:
    state = RegistryState(Published(skill_id, version, f"state of {version}", skill_id) for skill_id, version in rows)
    assert len(state) == len(set(rows))
    for skill_id in {row[0] for row in rows} | {"com.example.c"}:
        plain = {version for name, version in rows if name == skill_id}
        versions = state.versions(skill_id)
        assert {each.version for each in versions} == plain
        keys = [precedence_of(each.version) for each in versions]
        assert keys == sorted(keys)
        for version in plain:
            known = state.find(skill_id, version)
            assert known is not None
            assert (known.version, known.state, known.holder) == (version, f"state of {version}", skill_id)
        for major in range(13):
            of_major = [precedence_of(each) for each in plain if Version.parse(each).major == major]
            greatest = versions.greatest_of_major(major)
            assert (greatest and precedence_of(greatest.version)) == max(of_major, default=None)
        assert state.find(skill_id, "99.0.0") is None


def test_of_a_version_that_comes_twice_the_last_word_counts() -> None:
    state = RegistryState([Published("a.b.c", "1.0.0", "pending"), Published("a.b.c", "1.0.0", "deleted", "Ann")])
    known = state.find("a.b.c", "1.0.0")
    assert known is not None
    assert (len(state), known.state, known.holder) == (1, "deleted", "Ann")


def test_a_word_in_the_place_of_a_version_is_kept_and_comes_first() -> None:
    state = RegistryState([Published("a.b.c", "1.0.0"), Published("a.b.c", "latest")])
    assert [each.version for each in state.versions("a.b.c")] == ["latest", "1.0.0"]
    assert state.find("a.b.c", "latest") is not None
    least = state.versions("a.b.c").least()
    assert least is not None
    assert least.version == "1.0.0"


def test_a_state_does_not_change_and_goes_to_other_processes() -> None:
    state = RegistryState([Published("a.b.c", "1.0.0")], namespaces=["a.b"], index=[{"id": "a.b.c"}])
    with pytest.raises(AttributeError, match="does not change"):
        state.rule_pack_version = "2.0.0"
    again = pickle.loads(pickle.dumps(state))
    assert again.find("a.b.c", "1.0.0") == state.find("a.b.c", "1.0.0")
    assert (again.is_proven("a.b.c"), again.listed("a.b.c")) == (True, [{"id": "a.b.c"}])


def test_a_version_takes_little_more_than_its_text() -> None:
    rows = [
        Published(f"com.example-{n // 10}.skill-{n}", f"{n % 3}.{n % 7}.0", "published", "Ann") for n in range(5000)
    ]
    texts = sum(len(row.id) + len(row.version) for row in rows)
    assert RegistryState(rows).size < texts + 100 * len(rows)


STATE: dict[str, Any] = {
    "format_version": 1,
    "rule_pack_version": "1.1.0",
    "published": [{"id": ID, "version": "1.0.0", "state": "withdrawn", "holder": "Ann", "url": "https://a.example/"}],
    "taken": ["com.example.old", {"name": "com.example.older", "holder": "Ann", "state": "deleted"}],
    "namespaces": ["com.example"],
    "index": [{"id": ID, "version": "1.0.0"}],
}


def test_the_json_form_is_read_whole() -> None:
    jsonschema.Draft202012Validator(publish_schema("state")).validate(STATE)
    state = RegistryState.read(STATE)
    known, taken = state.find(ID, "1.0.0"), state.taken("COM.example.older")
    assert known is not None
    assert taken is not None
    assert (known.holder, known.state, taken.state) == ("Ann", "withdrawn", "deleted")
    assert [each.id for each in state.at_address("HTTPS://a.example:443")] == [ID]
    assert (state.knows_namespaces, state.is_proven(ID), state.rule_pack_version) == (True, True, "1.1.0")
    assert state.listed(ID) == [{"id": ID, "version": "1.0.0"}]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([], "must be an object"),
        ({"published": {}}, "/published must be an array"),
        ({"published": [{"id": "a"}]}, "/published/0/version must be a text"),
        ({"publishd": []}, "no member 'publishd'"),
        ({"format_version": 2}, "newer skillproto"),
        ({"namespaces": [5]}, "/namespaces must be an array of texts"),
        ({"index": {"skills": 5}}, "/index must be an array"),
        ({"taken": [{"holder": "Ann"}]}, "/taken/0/name must be a text"),
    ],
)
def test_what_is_no_state_is_refused_with_its_place(value: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        RegistryState.read(value)
    assert not jsonschema.Draft202012Validator(publish_schema("state")).is_valid(value)


def test_a_state_comes_from_a_file_from_lines_from_an_index_and_from_a_folder(tmp_path: Path) -> None:
    (tmp_path / "state.json").write_text(json.dumps(STATE))
    lines = [STATE["published"][0], {"taken": "com.example.old"}, {"namespace": "com.example"}]
    (tmp_path / "state.jsonl").write_text("\n".join(map(json.dumps, [*lines, {"rule_pack_version": "1.0.0"}])))
    (tmp_path / "index.json").write_text(json.dumps(index_of({"id": ID, "version": "1.0.0"})))
    (tmp_path / "folder" / "old").mkdir(parents=True)
    (tmp_path / "folder" / "old" / "skill.json").write_text(json.dumps(skill(version="1.0.0")))
    for name in ("state.json", "state.jsonl", "index.json", "folder"):
        state = load_state(tmp_path / name)
        assert state.find(ID, "1.0.0") is not None, name
    assert load_state(tmp_path / "state.jsonl").rule_pack_version == "1.0.0"
    whole = load_state(tmp_path / "folder").find(ID, "1.0.0")
    assert whole is not None
    assert whole.descriptor == skill(version="1.0.0")


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("missing.json", None, "unreadable"),
        ("cut.json", '{"published": [', "malformed"),
        ("other.json", "[1]", "malformed"),
        ("bad.jsonl", '{"id": "a"}', "malformed"),
        ("folder/skill.json", "{", "malformed"),
        ("folder/note.txt", "", "empty"),
    ],
)
def test_a_state_that_cannot_be_read_is_no_state(tmp_path: Path, name: str, text: str | None, reason: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    if text is not None:
        path.write_text(text)
    with pytest.raises(NotCarriedOut) as caught:
        load_state(path.parent if path.parent != tmp_path else path)
    assert (caught.value.obstacle.reason, caught.value.obstacle.step) == (reason, "state")
    assert pickle.loads(pickle.dumps(caught.value)).obstacle == caught.value.obstacle


def test_what_has_no_list_of_skills_is_no_index() -> None:
    with pytest.raises(UsageError, match="list of skills"):
        state_of_index({"skills": "all"})


def test_ids_that_look_alike_are_found_and_told_from_those_that_differ_in_case() -> None:
    state = RegistryState([Published("com.example.modern", "1.0.0"), Published("com.Example.Pay1", "1.0.0")])
    assert [(each.id, case) for each, case in state.alike("com.example.modem")] == [("com.example.modern", False)]
    assert [(each.id, case) for each, case in state.alike("com.example.pay1")] == [("com.Example.Pay1", True)]
    assert [(each.id, case) for each, case in state.alike("com.Example.Payl")] == [("com.Example.Pay1", False)]
    assert state.alike("com.example.other") == []
