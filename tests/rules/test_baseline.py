import json

import pytest

from skillproto.errors import UsageError
from skillproto.rules import CATALOGUE, Baseline, validate
from skillproto.violations import Violation
from tests.rules.support import with_members


def finding(field: str = "/id", rule: str = "schema/type", line: int | None = None) -> Violation:
    return Violation(field, "string", 1, "Wrong type", rule, line=line)


def test_what_is_known_passes_and_what_is_new_does_not() -> None:
    baseline = Baseline.of([("a.json", finding(line=3))])
    assert baseline.keep_new("a.json", [finding(line=9), finding("/name")]) == [finding("/name")]
    assert baseline.stale() == []


def test_each_entry_lets_one_finding_pass() -> None:
    baseline = Baseline.of([("a.json", finding())])
    assert baseline.keep_new("a.json", [finding(), finding()]) == [finding()]


def test_an_entry_of_another_file_lets_nothing_pass() -> None:
    assert Baseline.of([("b.json", finding())]).keep_new("a.json", [finding()]) == [finding()]


def test_an_entry_whose_finding_was_mended_is_a_warning() -> None:
    baseline = Baseline.of([("a.json", finding()), ("b.json", finding())])
    baseline.keep_new("a.json", [])
    (violation,) = baseline.stale()
    assert (violation.rule, violation.field, violation.severity) == ("config/stale-baseline", "/id", "warning")
    assert violation.details == {"source": "a.json"}


def test_a_baseline_is_read_as_it_was_written() -> None:
    found = [("a.json", violation) for violation in validate(with_members(id="x", tag=1, capability_type="y"))]
    text = Baseline.of(found).dump()
    assert Baseline.load(text).dump() == text
    assert Baseline.load(text).keep_new("a.json", [violation for _, violation in found]) == []
    assert Baseline.of(reversed(found)).dump() == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        "5",
        '{"skillproto_baseline": 2, "findings": []}',
        '{"skillproto_baseline": 1, "findings": [{"rule": "x"}]}',
    ],
)
def test_what_is_no_baseline_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        Baseline.load(text)


def test_the_examples_of_the_catalogue_are_baselines() -> None:
    rule = CATALOGUE["config/stale-baseline"]
    bad, good = Baseline.load(rule.bad), Baseline.load(rule.good)
    for baseline in (bad, good):
        baseline.keep_new("a.json", [])
    assert [violation.rule for violation in bad.stale()] == [rule.id]
    assert good.stale() == []
    json.loads(rule.good)
