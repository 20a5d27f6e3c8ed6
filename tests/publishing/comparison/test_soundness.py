"""What is called compatible is so, for every value that is tried: by our own checks, and by plain jsonschema."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from skillproto import diff
from skillproto.validation import InputChecker, OutputChecker, check_embedded
from tests.publishing.comparison.pairs import KINDS, Maker, values
from tests.rules.support import with_members

SEEDS = st.integers(0, 2**32)


def pair(seed: int) -> tuple[dict[str, Any], dict[str, Any], Maker]:
    """Make two versions of a parameter."""
    maker = Maker(seed)
    dice = maker.dice
    old = maker.schema()
    new = maker.changed(old)
    while dice.random() < 0.4:
        new = maker.changed(new)
    if dice.random() < 0.5:
        old, new = new, old
    assume(not check_embedded(old, at="") and not check_embedded(new, at=""))
    named = old.get("type") if isinstance(old, dict) else None
    kind = named if isinstance(named, str) and named != "null" else dice.choice(KINDS[:-1])
    before = {"name": "p", "type": kind, "schema": old, "required": dice.random() < 0.3}
    return before, {**before, "schema": new}, maker


def plain(definition: dict[str, Any]) -> Callable[[Any], bool]:
    schemas = [{"type": definition["type"]}, definition["schema"]]
    validators = [Draft202012Validator(schema) for schema in schemas]
    return lambda value: all(validator.is_valid(value) for validator in validators)


@settings(max_examples=120, deadline=None)
@given(SEEDS)
def test_an_input_that_was_accepted_is_accepted_by_a_compatible_version(seed: int) -> None:
    before, after, maker = pair(seed)
    found = diff(with_members(inputs=[before]), with_members(inputs=[after]))
    assume(not found.is_breaking)
    old, new = InputChecker([before]), InputChecker([after])
    fitted, fits = plain(before), plain(after)
    for value in values(maker.dice, 40):
        if not old.check({"p": value}):
            assert new.check({"p": value}) == []
        if fitted(value):
            assert fits(value)


@settings(max_examples=120, deadline=None)
@given(SEEDS)
def test_an_output_of_a_compatible_version_could_come_before(seed: int) -> None:
    before, after, maker = pair(seed)
    found = diff(with_members(output=of_output(before)), with_members(output=of_output(after)))
    assume(not found.is_breaking)
    old, new = OutputChecker(of_output(before)), OutputChecker(of_output(after))
    fitted, fits = plain(before), plain(after)
    for value in values(maker.dice, 40):
        if not new.check(value):
            assert old.check(value) == []
        if fits(value):
            assert fitted(value)


def of_output(definition: dict[str, Any]) -> dict[str, Any]:
    return {"type": definition["type"], "schema": definition["schema"]}


def parameter(name: str, maker: Maker) -> dict[str, Any]:
    dice = maker.dice
    made: dict[str, Any] = {"name": name, "type": dice.choice(["string", "integer", "number"])}
    if dice.random() < 0.4:
        made["required"] = dice.random() < 0.7
    if dice.random() < 0.4:
        made["enum"] = dice.sample(["a", "b", 1, 2, None], 3)
    if dice.random() < 0.4:
        made["schema"] = dice.choice([{}, {"type": ["string", "null"]}, {"minLength": 2}, {"minimum": 1}, False])
    return made


def changed(inputs: list[dict[str, Any]], maker: Maker) -> list[dict[str, Any]]:
    """Take an input away, add one, or change one; and perhaps their order."""
    made, dice = copy.deepcopy(inputs), maker.dice
    match dice.choice(["remove", "add", "member", "member", "replace"]):
        case "remove" if made:
            made.pop(dice.randrange(len(made)))
        case "add":
            made.append(parameter(f"n{len(made)}", maker))
        case "member" if made:
            one = dice.choice(made)
            other = parameter("x", maker)
            name = dice.choice(["required", "enum", "schema", "type"])
            one.pop(name, None)
            one |= {name: other[name]} if name in other else {}
            one.setdefault("type", other["type"])
        case _ if made:
            made[0] = parameter(made[0]["name"], maker)
    if dice.random() < 0.3:
        dice.shuffle(made)
    return made


@settings(max_examples=150, deadline=None)
@given(SEEDS)
def test_a_call_that_was_accepted_is_accepted_by_a_compatible_version(seed: int) -> None:
    maker = Maker(seed)
    dice = maker.dice
    before = [parameter(name, maker) for name in "ab"]
    after = changed(before, maker)
    found = diff(with_members(inputs=before), with_members(inputs=after))
    old, new = InputChecker(before), InputChecker(after)
    broken = 0
    for _ in range(60):
        names = dice.sample([*"ab", "n2"], dice.randint(0, 3))
        call = {name: dice.choice(["a", "b", "abc", "", 0, 1, 2, 2.5, 2.0, None, True]) for name in names}
        broken += not old.check(call) and bool(new.check(call))
    assert found.is_breaking or not broken


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_a_descriptor_does_not_differ_from_itself(seed: int) -> None:
    before, after, _ = pair(seed)
    document = with_members(inputs=[before, {**after, "name": "q"}], output=of_output(after))
    assert diff(document, copy.deepcopy(document)).changes == ()


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_a_break_that_is_certain_is_never_called_compatible_when_the_undecided_is_allowed(seed: int) -> None:
    before, after, _ = pair(seed)
    old, new = (with_members(inputs=[each]) for each in (before, after))
    strict, lax = diff(old, new), diff(old, new, allow_undecided=True)
    assert lax.is_breaking == any(each.decided for each in strict.of_level("breaking"))
    assert [each.rule for each in lax.changes if each.decided] == [each.rule for each in strict.changes if each.decided]


@pytest.mark.parametrize("name", ["translate.json", "holidays.json", "calendar.json"])
def test_an_example_does_not_differ_from_itself(name: str) -> None:
    from tests.rules.support import example

    assert diff(example(name), example(name)).to_dict()["bump_needed"] is None
