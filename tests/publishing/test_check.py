"""What is asked of a descriptor, and what the state says about it."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillproto import UsageError, validate
from skillproto.documents import read
from skillproto.publishing import Published, RegistryState, Taken, publish_check
from skillproto.publishing._surely import is_surely_compatible
from skillproto.publishing.comparison import diff
from skillproto.rules import RuleConfig
from tests.publishing.support import ID, TEXT, TONE, check, found, published, skill
from tests.rules.support import EXAMPLES, example, index_of

URL = skill()["endpoint"]["url"]


@pytest.mark.parametrize(
    ("new", "versions", "rule"),
    [
        ("1.0.0", [], None),
        ("1.4.3", ["1.4.2"], None),
        ("1.4.1", ["1.4.2"], "publish/version-not-greater"),
        ("1.4.2", ["1.4.2"], "publish/version-exists"),
        ("1.4.2+b", ["1.4.2+a"], "publish/version-not-greater"),
        ("1.4.2+b", ["1.4.2+a", "1.4.2+b"], "publish/version-exists"),
        ("1.4.2-rc.1", ["1.4.2"], "publish/version-not-greater"),
        ("1.4.2", ["1.4.2-rc.1"], None),
        ("1.4.2-rc.10", ["1.4.2-rc.9"], None),
        ("1.4.2-rc.9", ["1.4.2-rc.10"], "publish/version-not-greater"),
        ("1.4.3", ["1.4.2", "2.0.0", "3.1.0"], None),
        ("1.4.1", ["1.4.2", "2.0.0"], "publish/version-not-greater"),
        ("0.9.0", ["1.0.0"], "publish/version-not-greater"),
        ("2.0.0", ["1.0.0", "3.0.0"], None),
        ("2.0.0-rc.1", ["1.9.9"], None),
        ("1.10.0", ["1.9.0"], None),
        ("1.0.0", ["latest"], None),
    ],
)
def test_a_version_comes_after_those_of_its_major(new: str, versions: list[str], rule: str | None) -> None:
    report = check(skill(version=new), *(published(version) for version in versions))
    assert found(report) == ([f"{rule} /version"] if rule else [])


@pytest.mark.parametrize("state", ["withdrawn", "deleted", "pending", "published"])
def test_a_version_of_any_state_stands_in_the_way(state: str) -> None:
    report = check(skill(version="1.4.1"), published("1.4.2", state))
    assert found(report) == ["publish/version-not-greater /version"]
    assert report.findings[0].details["state"] == state


@pytest.mark.parametrize(
    ("new", "published_before", "base"),
    [
        ("1.5.0", [("1.3.0", "published"), ("1.4.0", "published")], "1.4.0"),
        ("1.5.0", [("1.3.0", "published"), ("1.4.0", "withdrawn")], "1.3.0"),
        ("1.5.0", [("1.4.0", "published"), ("1.5.0-rc.1", "published")], "1.4.0"),
        ("1.4.1", [("1.4.0", "deprecated"), ("2.0.0", "published")], "1.4.0"),
        ("2.0.0", [("1.4.0", "published")], None),
        ("0.3.0", [("0.2.0", "published")], None),
        ("0.2.1", [("0.2.0", "published")], "0.2.0"),
        ("1.0.0", [], None),
    ],
)
def test_the_contract_is_compared_with_the_last_release_that_it_promises_to_keep(
    new: str, published_before: list[tuple[str, str]], base: str | None
) -> None:
    versions = [published(version, state) for version, state in published_before]
    report = check(skill(version=new, inputs=[TEXT, TONE]), *versions)
    assert report.compared_with == base
    assert found(report) == (["publish/breaking-without-major /inputs/1"] if base else [])


def test_each_break_is_named_with_the_bump_that_it_needs_and_a_pointer_to_what_is_there() -> None:
    new = skill(version="1.5.0", inputs=[TONE], access="private")
    report = check(new, published("1.4.2"))
    told = {finding.field: finding for finding in report.findings}
    assert set(told) == {"/inputs/0", "/inputs", "/access"}
    assert {finding.details["needs"] for finding in told.values()} == {"major"}
    assert {finding.details["since"] for finding in told.values()} == {"1.4.2"}
    in_zero = check(skill(version="0.2.1", inputs=[TEXT, TONE]), published("0.2.0"))
    assert in_zero.findings[0].details["needs"] == "minor"


def test_a_line_lets_one_break_through_and_no_other_at_the_same_place() -> None:
    old = published("1.4.2", inputs=[TEXT, TONE, TONE | {"name": "form"}])
    report = check(skill(version="1.5.0", inputs=[TEXT]), old)
    assert found(report) == ["publish/breaking-without-major /inputs"] * 2
    lines = [str(finding.details["allow"]) for finding in report.findings]
    assert sorted(lines) == [f"{ID}@1.5.0 diff/input-removed /inputs/{n}" for n in (1, 2)]
    (left,) = check(skill(version="1.5.0", inputs=[TEXT]), old, allow=lines[:1]).findings
    assert left.details["allow"] == lines[1]


def test_what_cannot_be_decided_counts_as_a_break_and_says_so() -> None:
    patterned = {
        "name": "text",
        "type": "string",
        "required": True,
        "schema": {"type": "string", "pattern": "^(?=.*a).{3,}$"},
    }
    other = patterned | {"schema": {"type": "string", "pattern": "^(?=.*[ab]).{3,}$"}}
    report = check(skill(version="1.5.0", inputs=[other]), published("1.4.2", inputs=[patterned]))
    undecided = [finding for finding in report.findings if finding.details["decided"] is False]
    assert undecided
    assert "cannot be decided" in undecided[0].message


def test_an_id_that_changed_is_told_and_the_contract_is_compared_all_the_same() -> None:
    report = publish_check(
        skill(id="com.example.other", version="1.5.0", inputs=[TEXT, TONE]), against=skill(version="1.4.2")
    )
    assert "publish/id-changed /id" in found(report)
    assert "publish/breaking-without-major /inputs/1" in found(report)


def test_a_function_gives_the_descriptors_that_a_state_does_not_hold() -> None:
    asked: list[tuple[str, str]] = []

    def load(skill_id: str, version: str) -> Any:
        asked.append((skill_id, version))
        return skill(version=version)

    light = published("1.4.2")._replace(descriptor=None)
    report = check(skill(version="1.5.0", inputs=[TEXT, TONE]), light, against=load)
    assert asked == [(ID, "1.4.2")]
    assert found(report) == ["publish/breaking-without-major /inputs/1"]


def test_whose_an_id_is_depends_on_who_publishes() -> None:
    held = published("1.0.0")._replace(holder="Ann", descriptor=None)
    assert found(check(skill(version="2.0.0"), held, publisher="Ann")) == []
    assert found(check(skill(version="2.0.0"), held, publisher="Bob")) == ["publish/id-taken /id"]
    assert found(check(skill(version="2.0.0"), held)) == []
    taken = [Taken(ID.upper(), "Ann", "reserved")]
    assert found(check(skill(), taken=taken)) == ["publish/id-taken /id"]
    assert found(check(skill(), taken=taken, publisher="Ann")) == []
    assert found(check(skill(), taken=[Taken(skill()["name"].lower())])) == ["publish/id-taken /name"]


@pytest.mark.parametrize(
    ("other", "severity"), [("com.example.Translate-v1", "error"), ("com.example.trans1ate-v1", "warning")]
)
def test_an_id_that_can_be_taken_for_another_is_told(other: str, severity: str) -> None:
    report = check(skill(), Published(other, "1.0.0", "withdrawn", "Ann"))
    assert found(report) == ["publish/id-taken /id"]
    assert report.findings[0].severity == severity
    assert other in report.findings[0].message


def test_an_address_may_be_shared_within_a_namespace_and_by_one_holder() -> None:
    sibling = Published("com.example.other", "1.0.0", "published", "Ann", URL)
    stranger = Published("org.other.thing", "1.0.0", "published", "Bob", URL)
    assert found(check(skill(), sibling)) == []
    assert found(check(skill(), stranger)) == ["publish/id-taken /endpoint/url"]
    assert found(check(skill(), stranger, publisher="Bob")) == []


@pytest.mark.parametrize(
    ("skill_id", "proven", "is_proven"),
    [
        ("com.example.a", ["com.example"], True),
        ("com.example.team.a", ["com.example"], True),
        ("com.example.team.a", ["COM.Example.Team"], True),
        ("com.examples.a", ["com.example"], False),
        ("com.example", ["com"], False),
        ("translate", ["translate"], False),
    ],
)
def test_a_namespace_is_proven_for_what_lies_in_it(skill_id: str, proven: list[str], is_proven: bool) -> None:
    rule = "publish/namespace-unproven /id"
    assert (rule not in found(check(skill(id=skill_id), namespaces=proven))) is is_proven
    if len(skill_id.split(".")) > 2 and is_proven:
        assert rule not in found(check(skill(id=skill_id), namespaces=[], proofs=[proven[0].lower()]))


def test_nothing_is_said_about_namespaces_and_indexes_that_are_not_known() -> None:
    assert found(check(skill())) == []


def test_the_entry_of_the_index_is_compared_with_the_descriptor() -> None:
    entry = {name: skill()[name] for name in ("id", "name", "capability_type", "description", "access", "version")}
    entries = index_of(entry)["skills"]
    assert found(check(skill(), index=entries)) == []
    changed = check(skill(), index=[entries[0] | {"description": "Else.", "access": "private"}])
    assert found(changed) == ["publish/index-mismatch /access", "publish/index-mismatch /description"]
    behind = check(skill(version="1.5.0"), index=entries)
    assert found(behind) == ["publish/index-mismatch /version"]
    assert behind.findings[0].severity == "warning"
    assert found(check(skill(), index=[])) == ["publish/index-missing /id"]
    assert found(check(skill(access="private"), index=[])) == []


@pytest.mark.parametrize(("others", "severity"), [(6, None), (7, "info"), (13, "info"), (14, "warning")])
def test_a_namespace_with_many_skills_is_told(others: int, severity: str | None) -> None:
    siblings = [Published(f"com.example.skill-{chr(97 + n)}", "1.0.0") for n in range(others)]
    report = check(skill(), *siblings)
    assert [finding.severity for finding in report.findings] == ([severity] if severity else [])
    again = check(skill(version="2.0.0"), *siblings, published("1.0.0"))
    assert len(again.findings) == len(report.findings)


def test_all_problems_come_in_one_report_in_document_order() -> None:
    text = b"""{"protocol": {"version": "1.0.0"}, "id": "com.example.a",
 "version": "1.x", "name": "", "access": "everyone"}"""
    (document,) = read(text)
    report = publish_check(document, RegistryState([published("1.0.0")], namespaces=[], index=[]))
    rules = [finding.rule for finding in report.findings]
    assert {"publish/namespace-unproven", "publish/index-missing", "publish/reserved-version", "schema/enum"} <= set(
        rules
    )
    assert all(finding.line is not None for finding in report.findings)
    places = [(finding.line or 0, finding.column or 0) for finding in report.findings]
    assert places == sorted(places)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_everything_that_validate_says_is_said(path: Any) -> None:
    for document in read(path.read_bytes(), source=path.name):
        broken = document.value | {"capability_type": "unknown", "x": 1, "name": " "}
        told = {(finding.rule, finding.field) for finding in publish_check(broken, RegistryState()).findings}
        said = validate(broken, config=RuleConfig.for_publishing())
        assert {(finding.rule, finding.field) for finding in said} <= told


@pytest.mark.parametrize("value", [None, 5, "text", [], {}, {"id": 5}, {"inputs": [None]}, {"inputs": 7, "version": 1}])
def test_a_value_of_any_shape_is_checked(value: Any) -> None:
    report = publish_check(value, RegistryState([published("1.0.0")], namespaces=[], index=[], taken=[Taken("x")]))
    assert report.accepted is False
    assert report.to_dict()["findings"]


def test_a_line_that_allows_nothing_readable_is_refused() -> None:
    for line in ("", "com.example.a publish/id-taken /id", "a@1.0.0 publish/nothing /id"):
        with pytest.raises(UsageError, match="ID@VERSION RULE POINTER"):
            publish_check(skill(), allow=[line])


def test_a_registry_chooses_its_rules() -> None:
    config = RuleConfig(ignore=("publish/too-many-skills", "publish/id-taken"), severities={"publish": "info"})
    state = RegistryState(namespaces=[], taken=[Taken(ID)])
    report = publish_check(skill(), state, config=config)
    assert [(finding.rule, finding.severity) for finding in report.findings] == [("publish/namespace-unproven", "info")]
    assert report.accepted is True


CHANGES = st.sampled_from(
    [
        ("name", "Other"),
        ("description", "Does something else."),
        ("tags", ["a"]),
        ("documentation_url", "https://www.example.com/x"),
        ("access", "private"),
        ("capability_type", "task"),
        ("provider", {"name": "Other"}),
        ("inputs/0/description", "Else."),
        ("inputs/0/required", False),
        ("inputs/0/schema/maxLength", 30_000),
        ("inputs/0/schema/maxLength", 10),
        ("inputs/0/schema/minLength", True),
        ("inputs/2/default", "html"),
        ("inputs/2/enum", ["plain", "html", 1]),
        ("inputs/2/enum", ["plain", "html", True]),
        ("output/schema/properties/confidence/maximum", 1.0),
        ("output/description", "Else."),
        ("endpoint/timeout_ms", 30000.0),
        ("endpoint/url", "https://api.example.com/v2"),
        ("+", {"name": "more", "type": "string"}),
        ("+", {"name": "more", "type": "string", "required": True}),
        ("-", None),
        ("swap", None),
    ]
)


def _changed(document: dict[str, Any], changes: list[tuple[str, Any]]) -> dict[str, Any]:
    new = copy.deepcopy(document)
    for place, value in changes:
        if place == "+":
            new["inputs"] = [each for each in new["inputs"] if each["name"] != "more"] + [value]
        elif place == "-":
            new["inputs"] = new["inputs"][:-1] or new["inputs"]
        elif place == "swap":
            new["inputs"] = new["inputs"][::-1]
        else:
            *path, last = [int(part) if part.isdigit() else part for part in place.split("/")]
            at: Any = new
            for part in path:
                is_there = part < len(at) if isinstance(at, list) and isinstance(part, int) else part in at
                at = at[part] if is_there else {}
            at[last] = value
    return new


@given(st.lists(CHANGES, max_size=3), st.lists(CHANGES, max_size=3))
@settings(max_examples=150)
def test_what_is_surely_compatible_is_called_so_by_the_comparison(before: Any, after: Any) -> None:
    old = _changed(example(), before)
    new = _changed(old, after)
    if is_surely_compatible(old, new) and not [v for v in (*validate(old), *validate(new)) if v.severity == "error"]:
        assert diff(old, new).of_level("breaking") == []


def test_values_that_python_takes_for_equal_are_told_apart() -> None:
    one, true = ({"id": "a", "inputs": [{"name": "x", "enum": [value]}]} for value in (1, True))
    assert one == true
    assert is_surely_compatible(one, copy.deepcopy(one))
    assert not is_surely_compatible(one, true)
