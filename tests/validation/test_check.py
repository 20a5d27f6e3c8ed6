"""What a finding says, for each kind of fault: one fault, one finding, in our own words."""

from typing import Any

import pytest

from skillproto.validation import check
from skillproto.violations import Violation
from tests.validation.samples import descriptor

TAGS = "one of: api_key, oauth2, custom, none"
SHORT_TEXT = "between 1 and 100 characters, not only white space"
REQUIRED = "Required field is missing"


def only(document: Any, schema: str = "descriptor") -> Violation:
    (violation,) = check(document, schema)
    return violation


def test_the_two_examples_of_the_protocol_come_out_to_the_letter() -> None:
    found = check(descriptor(capability_type="unknown_type", endpoint={}))
    assert [list(violation.to_dict().items())[:4] for violation in found] == [
        [
            ("field", "/capability_type"),
            ("expected", "one of: plugin, api, knowledge, task"),
            ("actual", "unknown_type"),
            ("message", "Invalid enum value"),
        ],
        [
            ("field", "/endpoint/url"),
            ("expected", "string (URI format)"),
            ("actual", None),
            ("message", REQUIRED),
        ],
    ]


def test_everything_missing_is_told_in_one_pass_each_by_itself() -> None:
    found = check({})
    assert [violation.field for violation in found] == sorted(f"/{name}" for name in descriptor())
    assert {violation.rule for violation in found} == {"schema/required"}


@pytest.mark.parametrize(
    ("auth", "field", "rule", "expected", "hint"),
    [
        ({"type": "oauth2"}, "/auth/oauth2", "schema/required", "object", None),
        ({"type": "oauth"}, "/auth/type", "schema/enum", TAGS, "Did you mean 'oauth2'?"),
        ({"type": "quantum"}, "/auth/type", "schema/enum", TAGS, None),
        ({"type": 5, "oauth2": {}}, "/auth/type", "schema/enum", TAGS, None),
        (
            {"type": "oauth2", "oauth2": {"token_ur": "https://a.example/"}, "custom": 5},
            "/auth/oauth2/token_url",
            "schema/required",
            "string (URI format)",
            "Rename 'token_ur' to 'token_url'",
        ),
        (
            {"type": "custom", "custom": {"instruction": "Ask."}},
            "/auth/custom/instructions",
            "schema/required",
            "string (text that is not blank)",
            "Rename 'instruction' to 'instructions'",
        ),
        ({"typ": "none"}, "/auth/type", "schema/required", TAGS, "Rename 'typ' to 'type'"),
    ],
)
def test_of_a_tagged_union_only_the_branch_that_the_tag_chose_speaks(
    auth: dict[str, Any], field: str, rule: str, expected: str, hint: str | None
) -> None:
    violation = only(descriptor(auth=auth))
    assert (violation.field, violation.rule, violation.expected, violation.hint) == (field, rule, expected, hint)


def test_a_misspelt_required_key_and_the_missing_one_are_one_finding() -> None:
    violation = only(descriptor(description=..., descripton="Translates."))
    assert (violation.field, violation.message, violation.actual) == ("/description", REQUIRED, None)
    assert violation.hint == "Rename 'descripton' to 'description'"
    assert violation.details == {"misspelt": "/descripton"}


def test_two_misspelt_keys_are_joined_each_with_its_own() -> None:
    found = check(descriptor(capability_type=..., capabilityType="api", endpoint=..., end_point={}))
    assert [violation.details for violation in found] == [{"misspelt": "/capabilityType"}, {"misspelt": "/end_point"}]


@pytest.mark.parametrize(
    ("version", "hint"),
    [
        ("v2.3", "Write 2.3.0"),
        ("1.2", "Write 1.2.0"),
        ("2", "Write 2.0.0"),
        ("01.2.3", "Write 1.2.3"),
        ("1.2.3-", "Write 1.2.3"),
        ("1.2.3-01", "Write 1.2.3-1"),
        ("V1.2.3-rc.1", "Write 1.2.3-rc.1"),
        ("1.2.3\n", "Write 1.2.3"),
        ("^1.2.3", "This is a range of versions; name one, such as 1.2.3"),
        (">=1.2", "This is a range of versions; name one, such as 1.2.0"),
        ("1.x", "This is a range of versions; name one, such as 1.0.0"),
        ("1.2.3.4", "Name one version, such as 1.2.3"),
        ("latest", "Name one version, such as 1.2.0"),
        ("9" * 5000, "Name one version, such as 1.2.0"),
    ],
)
def test_a_version_is_explained_in_a_sentence_with_the_one_that_was_meant(version: str, hint: str) -> None:
    violation = only(descriptor(version=version))
    shown = " ".join(map(str, (violation.message, violation.expected, violation.hint)))
    assert violation.hint == hint
    assert "SemVer version" in violation.expected
    assert "[0-9]" not in shown
    assert "\\" not in shown


def test_the_regular_expression_stands_in_the_details_alone() -> None:
    violation = only(descriptor(id="not an id"))
    assert violation.rule == "schema/pattern"
    assert violation.message.startswith("Invalid skill id: letters, digits, '.', '_' and '-'")
    assert list(violation.details) == ["pattern"]


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://", "The address has no host"),
        ("javascript:alert(1)", "Not a web address: its scheme is javascript"),
        ("https://host:99999/", "Port 99999 is not between 1 and 65535"),
        ("https://exa mple.com", "The host holds a space"),
        ("//host", "The address has no scheme"),
        ("https://hóst.example/", "The host has letters outside ASCII"),
        ("https://[::1", "The bracket around the IPv6 address is not closed"),
        ("", "The address is empty"),
        ("api.example.com/run", "The address has no scheme"),
        ("https://a..b/", "The host name has an empty part"),
        ("https://1.2.3.400/", "Not an IPv4 address"),
        ("https://example.com/a b", "The address holds a space"),
        ("https://example.com/%zz", "A % is not followed by two hex digits"),
        ("https://example.com/\n", "The address holds a character that cannot be seen"),
        ("https://example.com\\x", "The address holds '\\\\'"),
    ],
)
def test_an_address_is_refused_with_its_own_reason(url: str, reason: str) -> None:
    violation = only(descriptor(endpoint={"url": url}))
    assert (violation.field, violation.expected, violation.actual) == ("/endpoint/url", "string (URI format)", url)
    assert violation.message == reason


def test_an_address_without_scheme_gets_the_one_that_was_meant() -> None:
    assert only(descriptor(endpoint={"url": "api.example.com/run"})).hint == "Write https://api.example.com/run"


@pytest.mark.parametrize("member", ["documentation_url", "tags", "created_at"])
def test_null_for_an_optional_member_says_remove_it(member: str) -> None:
    violation = only(descriptor(**{member: None}))
    assert (violation.rule, violation.message) == ("schema/null-member", "null is no value here")
    assert violation.hint == "Remove it: an optional member without a value is left out"


def test_null_for_a_required_member_is_a_wrong_type() -> None:
    violation = only(descriptor(provider=None))
    assert (violation.rule, violation.expected, violation.message) == ("schema/type", "object", "Wrong type: null")


def test_an_optional_member_inside_is_told_to_be_removed_too() -> None:
    found = check(descriptor(auth={"type": "api_key", "header": None}, endpoint={"url": None}))
    assert [(v.field, v.rule) for v in found] == [
        ("/auth/header", "schema/null-member"),
        ("/endpoint/url", "schema/type"),
    ]


@pytest.mark.parametrize(
    ("members", "field", "rule", "message"),
    [
        ({"name": ""}, "/name", "schema/pattern", f"Text is empty: {SHORT_TEXT}"),
        ({"name": " \t"}, "/name", "schema/pattern", f"Text is blank: {SHORT_TEXT}"),
        ({"name": " " * 101}, "/name", "schema/pattern", f"Text is blank: {SHORT_TEXT}"),
        ({"name": "a" * 101}, "/name", "schema/length", "Too many characters: 101 characters"),
        ({"endpoint": {"url": ""}}, "/endpoint/url", "schema/format", "The address is empty"),
        ({"endpoint": {"url": "x" * 3000}}, "/endpoint/url", "schema/format", "The address has no scheme"),
        ({"capability_type": ["api"]}, "/capability_type", "schema/enum", "Invalid enum value"),
        ({"id": 5}, "/id", "schema/type", "Wrong type: integer"),
        ({"id": 5.0}, "/id", "schema/type", "Wrong type: integer"),
        ({"tags": "a"}, "/tags", "schema/type", "Wrong type: string"),
        ({"tags": [""]}, "/tags/0", "schema/length", "Text is empty"),
        ({"created_at": "2026-02-29T00:00:00Z"}, "/created_at", "schema/format", "February 2026 has no day 29"),
        ({"output": {"type": "text"}}, "/output/type", "schema/enum", "Invalid enum value"),
    ],
)  # fmt: skip
def test_a_value_with_several_faults_gives_the_most_telling_one(
    members: dict[str, Any], field: str, rule: str, message: str
) -> None:
    violation = only(descriptor(**members))
    assert (violation.field, violation.rule, violation.message) == (field, rule, message)


def test_each_repeated_item_is_told_with_the_first_one() -> None:
    found = check(descriptor(tags=["a", "b", "a", "a"]))
    assert [(v.field, v.rule, v.details) for v in found] == [
        ("/tags/2", "schema/unique", {"first": "/tags/0"}),
        ("/tags/3", "schema/unique", {"first": "/tags/0"}),
    ]


@pytest.mark.parametrize(("value", "bounds"), [(0, "small"), (86_400_001, "large"), (10**400, "large")])
def test_a_number_out_of_range_is_told_with_the_range(value: int, bounds: str) -> None:
    violation = only(descriptor(endpoint={"url": "https://example.com/", "timeout_ms": value}))
    assert (violation.rule, violation.message) == ("schema/range", f"Number is too {bounds}")
    assert violation.expected == "integer from 1 to 86400000"


@pytest.mark.parametrize(
    ("word", "meant"), [("str", "string"), ("int", "integer"), ("Boolean", "boolean"), ("dict", "object")]
)
def test_a_type_of_another_language_gets_the_name_that_it_has_here(word: str, meant: str) -> None:
    assert only(descriptor(output={"type": word})).hint == f"Did you mean {meant!r}?"


@pytest.mark.parametrize("document", [None, True, 5, 1.5, "text", [], (), {1, 2}, b"bytes", range(2)], ids=ascii)
def test_what_is_no_object_is_one_finding_at_the_root(document: Any) -> None:
    violation = only(document)
    assert (violation.field, violation.rule, violation.expected) == ("", "schema/type", "object")


def test_a_key_that_is_no_string_is_a_finding() -> None:
    violation = only({**descriptor(), 5: 1})
    assert (violation.field, violation.message) == ("/5", "A member's name is no string")


def test_a_key_with_a_slash_is_escaped_in_the_pointer() -> None:
    auth = {"type": "oauth2", "oauth2": {"token_url": "https://a.example/", "scopes": {"read/write~all": 5}}}
    assert only(descriptor(auth=auth)).field == "/auth/oauth2/scopes/read~1write~0all"


def test_an_execution_needs_one_of_its_members() -> None:
    violation = only({}, "execution")
    assert violation.expected == "at least one of the members: status, output, error"


class TestWhatIsShownOfAValue:
    def test_a_text_that_looks_like_a_key_is_masked(self) -> None:
        violation = only(descriptor(auth={"type": "api_key", "header": "Bearer abcdefghijklmnopqrstuvwx"}))
        assert "abcdefgh" not in str(violation.to_dict())

    def test_a_value_under_the_name_of_a_secret_is_masked_whole(self) -> None:
        found = check({"caller": {"id": "a", "type": "user", "credentials": "hunter2"}}, "invocation-request")
        assert {v.field: v.actual for v in found}["/caller/credentials"] == "[redacted]"

    def test_what_stands_inside_credentials_is_masked(self) -> None:
        violation = only(
            descriptor(endpoint=[{"url": "x", "password": "hunter2", "header": "sk-live-abcdefghijklmnop1234"}])
        )
        assert violation.actual == [{"url": "x", "password": "[redacted]", "header": "[redacted]"}]

    def test_the_user_part_of_an_address_is_masked(self) -> None:
        violation = only(descriptor(endpoint={"url": "https://ann:pw12345@host:99999/"}))
        assert violation.actual == "https://[redacted]@host:99999/"

    def test_a_long_text_is_cut(self) -> None:
        violation = only(descriptor(description="a" * 100_000))
        assert violation.actual == "a" * 120 + "... (100000 characters)"

    def test_a_large_value_is_told_in_words(self) -> None:
        assert only(descriptor(provider=list(range(10_000)))).actual == "array of 10000 items"
        assert only(descriptor(tags={"a": {"b": ["c"] * 50}})).actual == "object of 1 member"

    def test_a_number_that_json_cannot_hold_is_written_out(self) -> None:
        assert only(descriptor(tags=float("inf"))).actual == "inf"
        assert only(descriptor(tags=10**5000)).actual == "an integer of about 5001 digits"

    def test_a_lone_surrogate_does_not_reach_the_output(self) -> None:
        str(only(descriptor(id="\ud800")).to_dict()).encode("utf-8")


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("member", ["tags", "capability_type", "id", "inputs", "auth"])
def test_a_value_nested_without_measure_is_a_finding(member: str) -> None:
    deep = nested(50_000)
    assert check(descriptor(**{member: [deep, deep]}))


def test_the_document_is_not_changed() -> None:
    document = descriptor(endpoint={}, tags=["a", "a"])
    before = repr(document)
    check(document)
    assert repr(document) == before
