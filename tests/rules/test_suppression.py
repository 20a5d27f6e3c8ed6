from typing import Any

import pytest

from skillproto.documents import read
from skillproto.rules import RuleConfig, check_document, validate
from tests.rules.support import rules_of, with_members, with_parameter

IGNORE = "x-skillproto-ignore"


@pytest.mark.parametrize("names", [["descriptor/id-namespace"], ["descriptor"], ["descriptor/*"]])
def test_an_excuse_at_the_top_speaks_for_the_whole_document(names: list[str]) -> None:
    assert validate(with_members(id="translate", **{IGNORE: names})) == []


def test_an_excuse_in_an_object_speaks_for_what_is_in_it_alone() -> None:
    one, other = ({"name": name, "type": "integer", "default": "x"} for name in ("a", "b"))
    violations = validate(with_members(inputs=[one | {IGNORE: ["descriptor/default-type"]}, other]))
    assert [(v.rule, v.field) for v in violations] == [("descriptor/default-type", "/inputs/1/default")]


def test_an_excuse_works_on_the_schema_too() -> None:
    assert validate(with_members(capability_type="x", **{IGNORE: ["schema/enum"]})) == []


def test_an_excuse_works_on_what_reading_found() -> None:
    text = b'{"protocol": {"version": "1.0.0", "version": "1.0.0", "x-skillproto-ignore": ["document/duplicate-key"]}}'
    rules = [v.rule for document in read(text) for v in check_document(document)]
    assert set(rules) == {"schema/required"}


def test_an_excuse_that_excuses_nothing_is_a_warning_at_its_place() -> None:
    (violation,) = validate(with_members(**{IGNORE: ["descriptor/time-order"]}))
    assert (violation.rule, violation.field) == ("config/stale-suppression", f"/{IGNORE}/0")
    assert (violation.severity, violation.actual) == ("warning", "descriptor/time-order")


def test_of_two_excuses_each_is_judged_for_itself() -> None:
    document = with_parameter(default=5, **{IGNORE: ["descriptor/default-type", "descriptor/enum-type"]})
    violations = validate(document)
    assert [(v.rule, v.field) for v in violations] == [("config/stale-suppression", f"/inputs/0/{IGNORE}/1")]


@pytest.mark.parametrize("config", [RuleConfig(ignore=("descriptor/time-order",)), RuleConfig(select=("schema",))])
def test_an_excuse_from_a_rule_that_is_off_is_not_called_idle(config: RuleConfig) -> None:
    assert validate(with_members(**{IGNORE: ["descriptor/time-order"]}), config=config) == []


def test_an_excuse_from_a_rule_that_only_reading_can_break_is_not_called_idle_without_a_text() -> None:
    assert validate(with_members(**{IGNORE: ["document/duplicate-key"]})) == []


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (["descriptor/time-ordr"], f"/{IGNORE}/0"),
        ("descriptor/time-order", f"/{IGNORE}"),
        ({"a": 1}, f"/{IGNORE}"),
        ([5], f"/{IGNORE}/0"),
        (None, f"/{IGNORE}"),
    ],
)
def test_an_excuse_that_names_no_rule_is_a_warning(value: Any, field: str) -> None:
    (violation,) = validate(with_members(**{IGNORE: value}))
    assert (violation.rule, violation.field) == ("config/unknown-rule", field)


def test_a_misspelt_excuse_is_answered_with_the_nearest_rule() -> None:
    (violation,) = validate(with_members(**{IGNORE: ["descriptor/time-ordr"]}))
    assert violation.hint == "Did you mean 'descriptor/time-order'?"


def test_a_foreign_protocol_cannot_be_excused_by_the_document() -> None:
    document = with_members(protocol={"version": "2.0.0"}, **{IGNORE: ["protocol/incompatible", "*"]})
    assert rules_of(validate(document)) == ["protocol/incompatible"]


def test_a_registry_hears_no_excuses() -> None:
    config = RuleConfig(suppressions=False)
    document = with_members(id="translate", **{IGNORE: ["descriptor/id-namespace"]})
    assert rules_of(validate(document, config=config)) == ["descriptor/id-namespace"]
