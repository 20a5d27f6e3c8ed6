"""Two descriptors, and what their comparison says of the version, of excuses, and of what it could not do."""

import copy
import json
import os
import pickle
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillproto import Comparison, ValidationFailed, VersionIncompatible, diff, validate
from skillproto.publishing.comparison import suppression_lines
from skillproto.rules import CATALOGUE, RuleConfig
from skillproto.rules.changes import LEVELS
from skillproto.validation import InputChecker
from tests.publishing.comparison.pairs import Maker
from tests.rules.support import EXAMPLES, example, with_members

BREAK = [{"name": "a", "type": "string", "required": True}]


def versions(old: str, new: str, inputs: Any = None) -> Comparison:
    """Compare two versions, the second with these inputs."""
    base = with_members(inputs=[{"name": "a", "type": "string"}], version=old)
    return diff(base, base | {"version": new} | ({} if inputs is None else {"inputs": inputs}))


@pytest.mark.parametrize(
    ("old", "new", "made", "least", "is_enough"),
    [
        ("1.2.0", "2.0.0", "major", "2.0.0", True),
        ("1.2.0", "1.3.0", "minor", "2.0.0", False),
        ("1.2.0", "1.2.1", "patch", "2.0.0", False),
        ("1.2.0", "1.2.0", None, "2.0.0", False),
        ("1.2.0", "1.1.0", "lowered", "2.0.0", False),
        ("1.2.0", "2.0.0-rc.1", "major", "2.0.0", True),
        ("0.2.3", "0.3.0", "minor", "0.3.0", True),
        ("0.2.3", "0.2.4", "patch", "0.3.0", False),
        ("0.2.3", "1.0.0", "major", "0.3.0", True),
        ("2.0.0-rc.1", "2.0.0-rc.2", "patch", "2.0.0-rc.1", True),
        ("2.0.0-rc.1", "2.0.0", "patch", "2.0.0-rc.1", True),
        ("1.2.0", "1.2.0+build.5", None, "2.0.0", False),
    ],
)
def test_a_break_needs_a_major_version(old: str, new: str, made: str | None, least: str, is_enough: bool) -> None:
    found = versions(old, new, BREAK)
    assert (found.bump, found.bump_made, found.least_version) == ("major", made, least)
    assert found.is_bump_enough is is_enough


def test_no_change_needs_no_version_and_a_lower_one_is_not_enough() -> None:
    assert versions("1.2.0", "1.2.0").to_dict()["bump_needed"] is None
    assert versions("1.2.0", "1.2.0").is_bump_enough
    assert not versions("1.2.0", "1.1.9").is_bump_enough


def test_an_addition_needs_a_minor_version_and_a_text_a_patch() -> None:
    more = [{"name": "a", "type": "string"}, {"name": "b", "type": "string"}]
    assert versions("1.2.0", "1.2.1", more).least_version == "1.3.0"
    text = [{"name": "a", "type": "string", "description": "Says more."}]
    assert (versions("1.2.0", "1.2.1", text).least_version, versions("1.2.0", "1.2.1", text).bump) == ("1.2.1", "patch")


def test_an_input_that_goes_by_another_name_is_gone_with_a_hint() -> None:
    old = with_members(inputs=[{"name": "language", "type": "string", "enum": ["en", "es"]}])
    new = with_members(inputs=[{"name": "target_language", "type": "string", "enum": ["en", "es"]}])
    (broken,) = diff(old, new).of_level("breaking")
    assert (broken.rule, broken.side, broken.pointer) == ("diff/input-removed", "old", "/inputs/0")
    assert "'target_language'" in str(broken.hint)


def test_a_default_means_something_only_where_the_input_may_be_left_out() -> None:
    def of(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
        pair = [{"name": "a", "type": "string", **each} for each in (old, new)]
        return [each.rule for each in diff(*(with_members(inputs=[each]) for each in pair)).changes]

    assert of({"default": "x"}, {"default": "y"}) == ["diff/default-changed"]
    assert of({"default": "x", "required": True}, {"default": "y", "required": True}) == ["diff/text-changed"]
    assert of({"default": None}, {}) == ["diff/default-removed"]


@pytest.mark.parametrize(
    ("old", "new", "is_breaking"),
    [
        pytest.param({"enum": ["a", None]}, {"enum": ["a"]}, True, id="null-in-enum"),
        pytest.param({"schema": {"type": ["string", "null"]}}, {"schema": {"type": "string"}}, True, id="by-schema"),
        pytest.param({"schema": {}}, {}, True, id="a-schema-that-takes-null"),
        pytest.param({}, {"schema": {}}, False, id="no-schema-takes-no-null"),
        pytest.param({"required": True, "schema": {}}, {"schema": {"type": "string"}}, False, id="required"),
    ],
)  # fmt: skip
def test_null_counts_as_the_check_of_inputs_reads_it(old: Any, new: Any, is_breaking: bool) -> None:
    before, after = ({"name": "a", "type": "string", **each} for each in (old, new))
    assert diff(with_members(inputs=[before]), with_members(inputs=[after])).is_breaking is is_breaking
    accepted = [not InputChecker([each]).check({"a": None}) for each in (before, after)]
    assert (accepted == [True, False]) is is_breaking


def test_spellings_of_one_address_header_and_content_type_are_cosmetic() -> None:
    old = with_members(
        endpoint={"url": "https://API.example.com:443/a", "status_url": "https://api.example.com/runs"},
        auth={"type": "api_key", "header": "X-Key"},
    )
    new = with_members(
        endpoint={
            "url": "https://api.example.com/a",
            "content_type": "Application/JSON",
            "status_url": "https://api.example.com/runs/{execution_id}",
        },
        auth={"type": "api_key", "header": "x-key"},
    )
    found = diff(old, new)
    assert {each.rule for each in found.changes} == {"diff/rewritten"}
    assert len(found.changes) == 4


def test_two_skills_are_said_to_be_two_and_compared_all_the_same() -> None:
    found = diff(with_members(id="com.example.a"), with_members(id="com.example.b", access="private"))
    assert [each.rule for each in found.changes] == ["diff/id-changed", "diff/access-narrowed"]


@pytest.mark.parametrize("which", ["old", "new"])
def test_an_older_protocol_is_one_change_with_the_way_to_migrate(which: str) -> None:
    foreign = with_members(protocol={"version": "0.9.0"}, inputs="none", version="1")
    pair = (foreign, example()) if which == "old" else (example(), foreign)
    (only,) = diff(*pair).changes
    assert (only.rule, only.level, only.needs) == ("diff/protocol-major", "breaking", "major")
    assert "Migrate the document" in str(only.hint)


def test_two_descriptors_of_a_foreign_protocol_cannot_be_compared() -> None:
    foreign = with_members(protocol={"version": "2.0.0"})
    with pytest.raises(VersionIncompatible):
        diff(foreign, copy.deepcopy(foreign))


@pytest.mark.parametrize("bad", [None, [], {}, "x", 5, {"protocol": {"version": "1.0.0"}}], ids=repr)
def test_what_is_no_descriptor_is_never_compatible(bad: Any) -> None:
    for pair, which in (((bad, example()), "old"), ((example(), bad), "new")):
        with pytest.raises(ValidationFailed) as caught:
            diff(*pair)
        assert caught.value.details["which"] == which
        assert caught.value.violations
    with pytest.raises(ValidationFailed):
        diff(bad, bad)


def test_a_descriptor_whose_schema_cannot_be_used_is_not_compared() -> None:
    bad = with_members(output={"type": "object", "schema": {"$ref": "https://example.com/a.json"}})
    with pytest.raises(ValidationFailed, match="The new descriptor"):
        diff(example(), bad)


def test_a_loop_is_not_compared() -> None:
    loop = example()
    loop["x-loop"] = loop
    with pytest.raises(ValidationFailed):
        diff(example(), loop)


def deep(leaf: Any) -> Any:
    for _ in range(900):
        leaf = [leaf]
    return leaf


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"x-a": deep(1)}, {"x-a": deep(2)}),
        ({"x-a": 10**5000}, {"x-a": 10**5000 + 1}),
        ({"$schema": deep(1)}, {"$schema": deep(2)}),
        ({"inputs": [{"name": "p", "type": "array", "default": deep(1), "enum": [deep(2)], "examples": [deep(3)]}]},
         {"inputs": [{"name": "p", "type": "array", "default": deep(2), "enum": [deep(3)], "examples": [deep(4)]}]}),
    ],
    ids=["deep-member", "huge-number", "deep-schema-address", "deep-values"],
)  # fmt: skip
def test_what_is_deep_or_huge_is_compared(old: dict[str, Any], new: dict[str, Any]) -> None:
    before, after = example() | old, example() | new
    assert diff(before, after).changes
    assert diff(before, {**before}).changes == ()
    json.dumps(diff(before, after).to_dict())


def test_nothing_is_changed_by_a_comparison() -> None:
    old, new = example(), with_members(inputs=[])
    before = json.dumps([old, new])
    diff(old, new)
    assert json.dumps([old, new]) == before


def excused(*rules: str, at: int | None = None) -> dict[str, Any]:
    new = with_members(inputs=[{"name": "a", "type": "string", "required": True}])
    owner = new if at is None else new["inputs"][at]
    owner["x-skillproto-ignore"] = list(rules)
    return new


OLD = with_members(inputs=[{"name": "a", "type": "string"}, {"name": "b", "type": "string"}])


def test_the_printed_lines_let_through_what_they_were_printed_for() -> None:
    new = with_members(inputs=[{"name": "a", "type": "string", "required": True}], access="private")
    lines = suppression_lines(new, diff(OLD, new).of_level("breaking"))
    assert sorted(line.at for line in lines) == ["", "/inputs/0"]
    for line in lines:
        owner = new if not line.at else new["inputs"][0]
        owner |= json.loads("{" + line.text + "}")
    found = diff(OLD, new)
    assert (found.is_breaking, len(found.excused), found.stale) == (False, 3, ())
    assert validate(new) == []


def test_an_excuse_speaks_for_its_object_alone() -> None:
    found = diff(OLD, excused("diff/input-now-required", at=0))
    assert [each.rule for each in found.changes] == ["diff/input-removed"]
    assert [each.rule for each in found.excused] == ["diff/input-now-required"]


def test_an_excuse_that_excuses_nothing_is_a_finding() -> None:
    found = diff(OLD, excused("diff/input-removed", "diff/access-narrowed"))
    assert [(each.rule, each.actual) for each in found.stale] == [("config/stale-suppression", "diff/access-narrowed")]
    assert found.stale[0].field == "/x-skillproto-ignore/1"


def test_a_misspelt_excuse_is_a_finding_and_one_of_another_group_is_not() -> None:
    found = diff(OLD, excused("diff/input-removd", "descriptor/time-order"))
    assert [(each.rule, each.hint) for each in found.stale] == [
        ("config/unknown-rule", "Did you mean 'diff/input-removed'?")
    ]


def test_a_registry_takes_no_excuses() -> None:
    found = diff(OLD, excused("diff/*"), config=RuleConfig.for_publishing())
    assert (found.is_breaking, found.excused) == (True, ())


def test_a_rule_that_is_off_is_let_through_and_told() -> None:
    new = with_members(inputs=OLD["inputs"][:1])
    found = diff(OLD, new, config=RuleConfig(ignore=("diff/input-removed",)))
    assert (found.is_breaking, [each.rule for each in found.excused]) == (False, ["diff/input-removed"])


def test_every_change_has_a_rule_in_the_catalogue_and_its_level() -> None:
    assert set(LEVELS) == {name for name in CATALOGUE if name.startswith("diff/")}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([path.name for path in EXAMPLES if path.suffix == ".json"]))
def test_any_two_descriptors_are_compared_and_more_changes_never_need_less(seed: int, name: str) -> None:
    maker = Maker(seed)
    old, new = mutated(example(name), maker), mutated(example(), maker)
    found = diff(old, new)
    assert json.loads(json.dumps(found.to_dict())) == found.to_dict()
    assert pickle.loads(pickle.dumps(found)) == found
    worse = diff(old, new | {"inputs": [*new["inputs"], {"name": "zz", "type": "string", "required": True}]})
    assert worse.bump == "major"
    order = [None, "patch", "minor", "major"]
    texts = diff(old, new | {"description": "Another text."})
    assert order.index(texts.bump) >= order.index(found.bump)


def mutated(document: dict[str, Any], maker: Maker) -> dict[str, Any]:
    """Give a valid descriptor with some of its members changed, or left out."""
    dice = maker.dice
    for name in ("tags", "documentation_url", "created_at", "updated_at"):
        if dice.random() < 0.3:
            document.pop(name, None)
    document["access"] = dice.choice(["public", "restricted", "private"])
    document["auth"] = dice.choice(
        [
            {"type": "none"},
            {"type": "api_key"},
            {"type": "api_key", "header": "X-Other"},
            {"type": "oauth2", "oauth2": {"token_url": "https://a.example.com/t", "scopes": {"r": "Read."}}},
            {"type": "oauth2", "oauth2": {"token_url": "https://a.example.com/t"}},
            {"type": "custom", "custom": {"instructions": "Sign.", "parameters": [{"name": "k"}]}},
            {"type": "custom", "custom": {"instructions": "Ask."}},
        ]
    )
    document["endpoint"] = {"url": "https://api.example.com/x"} | dice.choice(
        [{}, {"timeout_ms": 500.0}, {"status_url": "https://api.example.com/s"}, {"content_type": "text/plain; a=b"}]
    )
    extra: list[dict[str, Any]] = [
        *({}, {"required": True}, {"default": "x"}, {"x-a": 1}),
        *({"enum": ["a", "b", 5]}, {"schema": {"maxLength": 5}}),
    ]
    document["inputs"] = [
        {"name": each, "type": dice.choice(["string", "object"]), **dice.choice(extra)}
        for each in dice.sample("abcd", 3)
    ]
    return document


def test_a_comparison_is_the_same_under_every_hash_seed() -> None:
    program = (
        "import json; from skillproto import diff\n"
        "from tests.rules.support import with_members as w\n"
        "names = [f'n{i}' for i in range(30)]\n"
        "old = w(inputs=[{'name': n, 'type': 'string'} for n in names], **{f'x-{n}': 1 for n in names})\n"
        "s = {'properties': {n: {'type': 'integer'} for n in names}, 'required': names}\n"
        "new = w(inputs=[{'name': 'm' + n, 'type': 'string'} for n in names], output={'type': 'object', 'schema': s})\n"
        "print(json.dumps([diff(old, new).to_dict(), diff(new, old).to_dict()]))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            check=True,
            timeout=60,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1
