import re

import pytest

from skillproto.rules import CATALOGUE, Rule, find_rule, nearest_rule
from skillproto.rules.areas import RULES_OF_AREA
from tests.rules.support import findings

RULES = [pytest.param(rule, id=rule.id) for rule in CATALOGUE.values() if rule.id != "config/stale-baseline"]

PROMISED = """
document/syntax document/encoding document/duplicate-key document/too-large document/too-deep
document/non-finite-number document/number-out-of-range document/yaml-alias-limit document/yaml-ambiguous
document/lone-surrogate document/not-data schema/required schema/type schema/enum schema/pattern schema/format
schema/length schema/range schema/unique schema/null-member protocol/incompatible descriptor/unknown-member
descriptor/id-namespace descriptor/duplicate-input descriptor/default-type descriptor/default-on-required
descriptor/enum-type descriptor/example-type descriptor/schema-invalid descriptor/schema-remote-ref
descriptor/schema-unsafe-pattern descriptor/schema-too-complex descriptor/auth-missing descriptor/auth-on-public
descriptor/secret-in-descriptor descriptor/insecure-url descriptor/url-credentials descriptor/private-address
descriptor/foreign-origin descriptor/no-status-url descriptor/invisible-characters descriptor/instruction-like-text
descriptor/time-order descriptor/user-message descriptor/optional-refuses-null
publish/version-exists publish/version-not-greater publish/breaking-without-major publish/id-changed publish/id-taken
publish/namespace-unproven publish/index-missing publish/index-mismatch publish/reserved-version
publish/too-many-skills probe/unreachable probe/tls-invalid probe/tls-expiring probe/open-door probe/no-challenge
probe/error-shape probe/not-found-shape probe/empty-as-error probe/slow probe/redirect probe/private-address
"""


def test_every_rule_that_was_promised_is_there() -> None:
    assert [name for name in PROMISED.split() if name not in CATALOGUE] == []


@pytest.mark.parametrize("rule", RULES)
def test_the_bad_example_of_a_rule_breaks_that_rule_alone(rule: Rule) -> None:
    assert {violation.rule for violation in findings(rule, rule.bad)} == {rule.id}


@pytest.mark.parametrize("rule", RULES)
def test_the_good_example_of_a_rule_has_no_finding(rule: Rule) -> None:
    assert findings(rule, rule.good) == []


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_described(rule: Rule) -> None:
    assert re.fullmatch(r"[a-z]+/[a-z]+(-[a-z]+)*", rule.id)
    assert rule.summary.endswith(".")
    assert "\n" not in rule.summary
    assert rule.source
    assert rule.why.endswith(".")


@pytest.mark.parametrize("rule", RULES)
def test_a_finding_says_what_was_expected_and_what_is_wrong(rule: Rule) -> None:
    for violation in findings(rule, rule.bad):
        assert violation.expected
        assert violation.message[0].isupper() or violation.message.startswith(("`", "null"))
        assert not violation.message.endswith(".")
        assert "Traceback" not in violation.message


def test_every_rule_with_a_check_is_run() -> None:
    run = {rule.id for rules in RULES_OF_AREA.values() for rule in rules} | {"protocol/incompatible"}
    assert {rule.id for rule in CATALOGUE.values() if rule.check is not None} == run


def test_a_rule_is_found_by_the_end_of_its_id() -> None:
    assert getattr(find_rule("Insecure-URL"), "id", None) == "descriptor/insecure-url"
    assert find_rule("nothing-like-it") is None


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("descriptor/insecure-ulr", "descriptor/insecure-url"),
        ("insecure_url", "descriptor/insecure-url"),
        ("schema/requierd", "schema/required"),
        ("zzzzzz", None),
    ],
)
def test_a_misspelt_name_leads_to_the_nearest_rule(name: str, near: str | None) -> None:
    assert nearest_rule(name) == near
