import pytest

from skillproto.errors import ErrorCode, UsageError
from skillproto.reports.advice import ADVICE
from skillproto.reports.explaining import explain
from skillproto.rules import CATALOGUE, Rule


@pytest.mark.parametrize("code", ErrorCode)
def test_a_code_is_explained_with_what_to_do(code: ErrorCode) -> None:
    words = " ".join(explain(code.value).split())
    assert words.startswith(f"{code.value} When: ")
    assert " ".join(ADVICE[code].do.split()[:8]) in words


@pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.id) for rule in CATALOGUE.values()])
def test_a_rule_is_explained_with_both_examples_and_its_source(rule: Rule) -> None:
    text = explain(rule.id)
    assert text.startswith(f"{rule.id}: {rule.summary}\n")
    assert all(line in text for line in (*rule.bad.splitlines(), *rule.good.splitlines()))
    assert "".join(rule.source.split()) in "".join(text.split())


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("AUTH_REQUIRD", "AUTH_REQUIRED"),
        ("schema/enmu", "schema/enum"),
        ("descriptor/insecure-ulr", "descriptor/insecure-url"),
    ],
)
def test_a_misspelt_name_is_refused_with_the_nearest(name: str, near: str) -> None:
    with pytest.raises(UsageError, match=f"did you mean '{near}'"):
        explain(name)


@pytest.mark.parametrize("name", ["", "999", "9" * 10_000, "\u0663\u0665", "nothing like it" * 1_000])
def test_a_name_that_is_near_to_nothing_is_refused_in_few_words(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        explain(name)
    assert len(str(caught.value)) < 150
