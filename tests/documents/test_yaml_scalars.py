import pytest

from skillproto.violations import JSONValue
from tests.documents.reading import only, rules

pytestmark = pytest.mark.usefixtures("parser")

TEXT = [
    "yes", "No", "ON", "off", "y", "N", "2024-01-01", "2024-01-01T10:00:00Z", "12:30", "1:2:3", "1_000",
    "0b101", "-0o7", "+0x1", "0o8", "0xg", "1.2.3", "tRUE", "nULL", "none", "nan", "inf", ".Infinity", "+",
    ".", "..", "1e", "e1", "=", "<", "\u0661\u0662", "\u0663.5", "-.", "v1.10", "--1", "1-2",
]  # fmt: skip

VALUES: list[tuple[str, JSONValue]] = [
    *((text, None) for text in ("", "~", "null", "Null", "NULL")),
    *((text, True) for text in ("true", "True", "TRUE")),
    *((text, False) for text in ("false", "False", "FALSE")),
    *(("0", 0), ("-0", 0), ("+12", 12), ("010", 10), ("-017", -17), ("9" * 308, int("9" * 308))),
    *(("0o17", 15), ("0x1F", 31)),
    *(("1.5", 1.5), (".5", 0.5), ("-.5", -0.5), ("+1.5", 1.5), ("1.10", 1.1), ("0.0", 0.0), ("1.", 1.0)),
    *(("1e3", 1000.0), ("1E-3", 0.001), ("12e03", 12000.0), ("-2E+05", -200000.0)),
]


@pytest.mark.parametrize("text", TEXT)
def test_what_only_yaml_1_1_reads_as_something_else_stays_text(text: str) -> None:
    document = only(f"a: {text}\n", "yaml")

    assert document.value == {"a": text}
    assert document.violations == ()


@pytest.mark.parametrize(("text", "value"), VALUES, ids=[text[:12] or "empty" for text, _ in VALUES])
def test_the_core_schema_decides_what_an_unquoted_scalar_means(text: str, value: JSONValue) -> None:
    found = only(f"a: {text}\n", "yaml").value["a"]

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("quoted", ["'1.10'", '"1.10"', "!!str 1.10", "|-\n  1.10", ">-\n  1.10"])
def test_a_quoted_scalar_is_text(quoted: str) -> None:
    assert only(f"a: {quoted}\n", "yaml").value == {"a": "1.10"}


@pytest.mark.parametrize("text", ["1.10", "2.500", "1.00", "0.10"])
def test_a_number_whose_last_zero_is_lost_is_noted(text: str) -> None:
    (violation,) = only(f"a: {text}\n", "yaml").violations

    assert (violation.rule, violation.severity, violation.field) == ("document/yaml-ambiguous", "info", "/a")
    assert violation.message.startswith(f"`{text}` was read as the number ")


@pytest.mark.parametrize("text", ["007", "0123", "-01"])
def test_a_number_whose_first_zero_is_lost_is_a_warning(text: str) -> None:
    (violation,) = only(f"a: {text}\n", "yaml").violations

    assert (violation.rule, violation.severity) == ("document/yaml-ambiguous", "warning")


@pytest.mark.parametrize("text", ["0", "10", "1.0", "1.5", "100", "0.5", "1e10", "0x10", "'1.10'", "true"])
def test_a_plain_number_is_not_noted(text: str) -> None:
    assert rules(only(f"a: {text}\n", "yaml")) == []
