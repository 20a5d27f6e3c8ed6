import pytest

from skillproto.documents import ambiguity, explain_scalars
from skillproto.violations import Violation
from tests.documents.reading import only


def wrong_type(field: str, expected: str, actual: object) -> Violation:
    return Violation(field, expected, actual, "Wrong type", "schema/type")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1.10", "`1.10` was read as the number 1.1"),
        ("2", "`2` was read as the number 2"),
        ("1e3", "`1e3` was read as the number 1000.0"),
        ("true", "`true` was read as the boolean true"),
        ("~", "`~` was read as null"),
        ("&v 0x10", "`0x10` was read as the number 16"),
    ],
)
def test_a_value_that_lost_its_spelling_says_how_it_was_read(text: str, message: str) -> None:
    violation = ambiguity(only(f"a: 1\nversion: {text}\n", "yaml"), "/version")

    assert violation is not None
    assert violation.message == message
    assert violation.rule == "document/yaml-ambiguous"
    assert (violation.line, violation.column) == (2, 10)
    assert violation.hint is not None
    assert violation.hint.startswith("Quote it if it is text: ")


@pytest.mark.parametrize("text", ["'1.10'", "x", "[1]", "{a: 1}", "*v", "|\n  1"])
def test_what_is_text_or_no_scalar_is_not_ambiguous(text: str) -> None:
    assert ambiguity(only(f"v: &v 1\nversion: {text}\n", "yaml"), "/version") is None


@pytest.mark.parametrize("field", ["/none", "/version/0", "version", "/version/x/y"])
def test_a_missing_value_is_not_ambiguous(field: str) -> None:
    assert ambiguity(only("version: [a]\n", "yaml"), field) is None


def test_json_is_never_ambiguous() -> None:
    assert ambiguity(only('{"version": 1.10}', "json"), "/version") is None


def test_the_finding_of_the_schema_is_replaced_and_no_second_one_is_left() -> None:
    document = only("name: x\nversion: 1.10\nprice: 2.50\n", "yaml")
    found = [
        wrong_type("/version", "string (SemVer)", 1.1),
        wrong_type("/name", "string (URL)", "x"),
        *document.violations,
    ]

    explained = explain_scalars(document, found)

    assert [(v.field, v.rule, v.severity) for v in explained] == [
        ("/version", "document/yaml-ambiguous", "error"),
        ("/price", "document/yaml-ambiguous", "info"),
        ("/name", "schema/type", "error"),
    ]
    assert explained[0].expected == "string (SemVer)"


@pytest.mark.parametrize(("word", "better"), [("yes", "true"), ("Off", "false"), ("NO", "false"), ("on", "true")])
def test_a_boolean_of_yaml_1_1_gets_a_hint(word: str, better: str) -> None:
    document = only(f"required: {word}\n", "yaml")

    (violation,) = explain_scalars(document, [wrong_type("/required", "boolean", word)])

    assert violation.rule == "schema/type"
    assert violation.hint == f"YAML 1.2 reads `{word}` as text; write {better}"


@pytest.mark.parametrize(("text", "rule"), [("", "schema"), ("~", "schema"), ("null", "schema"), ("Null", "document")])
def test_a_value_that_is_plainly_null_is_to_be_removed_and_not_quoted(text: str, rule: str) -> None:
    document = only(f"name: {text}\n", "yaml")

    (violation,) = explain_scalars(document, [Violation("/name", "string", None, "m", "schema/null-member")])

    assert violation.rule.startswith(rule)


def test_other_findings_stay_as_they_are() -> None:
    document = only("a: 1\nb: maybe\n", "yaml")
    found = [
        wrong_type("/a", "object", 1),
        wrong_type("/b", "boolean", "maybe"),
        Violation("/a", "string", 1, "Unknown", "descriptor/unknown-member"),
    ]

    assert explain_scalars(document, found) == sorted(found, key=lambda v: v.sort_key)
