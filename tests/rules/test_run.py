"""The whole of `validate` and `check_document`, by the inputs that broke comparable validators."""

import json
import socket
import threading
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillproto.documents import read
from skillproto.errors import UnknownSchemaError, UsageError
from skillproto.rules import RuleConfig, check_document, validate
from skillproto.validation import SCHEMA_NAMES
from skillproto.violations import Violation, in_order
from tests.rules.support import EXAMPLES, example, index_of, rules_of, with_members, with_parameter


def check(text: str | bytes, kind: Any = "json", **options: Any) -> list[Violation]:
    data = text.encode() if isinstance(text, str) else text
    return [v for document in read(data, kind=kind) for v in check_document(document, **options)]


def as_yaml(**changes: str) -> str:
    """Give the YAML example with lines replaced by the texts given for their names."""
    text = next(path for path in EXAMPLES if path.suffix == ".yaml").read_text(encoding="utf-8")
    lines = text.splitlines()
    for name, value in changes.items():
        (at,) = (i for i, line in enumerate(lines) if line.startswith(f"{name}:"))
        lines[at] = f"{name}: {value}"
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: str(path.name))
@pytest.mark.parametrize("engine", ["auto", "reference"])
def test_an_example_descriptor_has_no_findings(path: Any, engine: Any) -> None:
    assert [
        v for document in read(path.read_bytes(), source=path.name) for v in check_document(document, engine=engine)
    ] == []


BROKEN: list[Any] = [
    {},
    [],
    None,
    "text",
    7,
    {"capability_type": "x"},
    with_members(access="open", auth={"type": "api-key"}),
    with_members(inputs=[{"name": "a"}, 5, {"name": "a", "type": "strnig"}], tags=["x", "x"], tag=1),
    with_members(endpoint={"url": "http://10.0.0.1/run"}, documentation_url=None),
    with_parameter(default=5, schema={"$ref": "https://example.com"}),
    {"protocol": 5, "endpoint": [], "auth": None, "inputs": {"a": 1}, "provider": "x", "output": 1},
]


@pytest.mark.parametrize("document", BROKEN, ids=range(len(BROKEN)))
def test_both_engines_find_the_same(document: Any) -> None:
    assert validate(document) == validate(document, engine="reference") != []


@pytest.mark.parametrize("document", BROKEN, ids=range(len(BROKEN)))
def test_findings_are_in_order_and_told_once(document: Any) -> None:
    violations = validate(document)
    assert violations == in_order(violations)
    assert len({(v.rule, v.field, v.message) for v in violations}) == len(violations)
    json.dumps([violation.to_dict() for violation in violations])


def test_the_document_is_not_changed() -> None:
    document = with_members(endpoint={"url": "http://10.0.0.1/run"}, tag=1)
    before = json.dumps(document)
    validate(document)
    assert json.dumps(document) == before


def test_the_two_violations_of_the_protocol_come_out_to_the_letter() -> None:
    document = with_members(capability_type="unknown_type", endpoint={})
    described = [violation.to_dict() for violation in validate(document) if violation.severity == "error"]
    assert [{name: each[name] for name in ("field", "expected", "actual", "message")} for each in described] == [
        {
            "field": "/capability_type",
            "expected": "one of: plugin, api, knowledge, task",
            "actual": "unknown_type",
            "message": "Invalid enum value",
        },
        {
            "field": "/endpoint/url",
            "expected": "string (URI format)",
            "actual": None,
            "message": "Required field is missing",
        },
    ]


@pytest.mark.parametrize("version", ["2.0.0", "0.9.0", "2.0", "v3", "10.1.2-rc.1"])
def test_an_incompatible_document_has_one_finding_with_the_way_out(version: str) -> None:
    document = {"protocol": {"version": version, "changelog_url": "https://a.example.com/c"}, "inputs": 7, "x": None}
    (violation,) = validate(document)
    assert (violation.rule, violation.field) == ("protocol/incompatible", "/protocol/version")
    assert violation.details == {
        "descriptor_version": version,
        "consumer_supported_range": "1.x.x",
        "upgrade_url": "https://a.example.com/c",
    }
    assert ("Migrate" in str(violation.hint)) is version.startswith("0")
    assert ("Upgrade" in str(violation.hint)) is not version.startswith("0")


def test_an_incompatible_index_has_one_finding() -> None:
    assert rules_of(validate({"protocol": {"version": "2.0.0"}}, schema="index")) == ["protocol/incompatible"]


@pytest.mark.parametrize("version", ["1.0.0", "1.99.0", "1.0.0-rc.1+build"])
def test_a_version_of_the_same_major_is_checked(version: str) -> None:
    assert validate(with_members(protocol={"version": version})) == []


def test_a_schema_that_is_not_shipped_is_refused() -> None:
    with pytest.raises(UnknownSchemaError):
        validate({}, schema="nothing")


def test_an_engine_that_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError):
        validate({}, engine="quick")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("auth", "rule", "field"),
    [
        ({"type": "oauth2"}, "schema/required", "/auth/oauth2"),
        ({"type": "oauth"}, "schema/enum", "/auth/type"),
        (
            {"type": "oauth2", "oauth2": {"token_ulr": "https://a.example.com/t"}},
            "schema/required",
            "/auth/oauth2/token_url",
        ),
        ({"type": "custom", "custom": {"instruction": "Sign."}}, "schema/required", "/auth/custom/instructions"),
        ({"type": "custom", "oauth2": {}}, "schema/required", "/auth/custom"),
    ],
)
def test_a_wrong_tag_or_branch_is_one_error_at_the_right_place(auth: dict[str, Any], rule: str, field: str) -> None:
    errors = [v for v in validate(with_members(auth=auth)) if v.severity == "error"]
    assert [(v.rule, v.field) for v in errors] == [(rule, field)]


def test_an_unknown_tag_lists_the_tags_and_the_nearest() -> None:
    (violation,) = validate(with_members(auth={"type": "oauth"}))
    assert violation.expected == "one of: api_key, oauth2, custom, none"
    assert "oauth2" in str(violation.hint)


@pytest.mark.parametrize(
    ("version", "meant"),
    [
        ("v2.3", "2.3.0"),
        ("1.2", "1.2.0"),
        ("^1.2.3", "1.2.3"),
        ("1.x", "1.0.0"),
        ("01.2.3", "1.2.3"),
        ("1.2.3-", "1.2.3"),
        ("latest", None),
    ],
)
def test_a_wrong_version_is_told_in_words(version: str, meant: str | None) -> None:
    (violation,) = validate(with_members(version=version))
    assert (violation.rule, violation.field) == ("schema/pattern", "/version")
    assert "[0-9]" not in violation.message + violation.expected + str(violation.hint)
    if meant is not None:
        assert meant in str(violation.hint)


@pytest.mark.parametrize("name", ["documentation_url", "tags", "created_at"])
def test_null_is_answered_with_remove_it(name: str) -> None:
    (violation,) = validate(with_members(**{name: None}))
    assert (violation.rule, violation.field) == ("schema/null-member", f"/{name}")
    assert "Remove it" in str(violation.hint)


@pytest.mark.parametrize(
    "url",
    [
        "http://",
        "javascript:alert(1)",
        "https://host:99999/",
        "https://exa mple.com",
        "//host",
        "https://bücher.example",
        "https://[::1",
        "",
    ],
)
def test_a_broken_address_is_one_error_with_its_reason(url: str) -> None:
    document = with_members(
        endpoint={"url": url, "status_url": "https://a.example.com", "result_url": "https://a.example.com"}
    )
    (violation,) = validate(document)
    assert violation.field == "/endpoint/url"
    assert violation.rule in ("schema/format", "schema/pattern", "schema/length")


def test_yaml_that_read_a_version_as_a_number_is_one_finding_that_says_so() -> None:
    (violation,) = check(as_yaml(version="1.10"), "yaml")
    assert (violation.rule, violation.field, violation.severity) == ("document/yaml-ambiguous", "/version", "error")
    assert violation.message == "`1.10` was read as the number 1.1"
    assert "1.10" in str(violation.hint)
    assert violation.line is not None


def test_yaml_that_is_quoted_is_fine() -> None:
    assert check(as_yaml(), "yaml") == []


def test_a_key_given_twice_is_found_with_both_positions_though_the_last_value_is_valid() -> None:
    text = json.dumps(example(), indent=1).replace('"access"', '"access": "open",\n "access"')
    (violation,) = check(text)
    assert violation.rule == "document/duplicate-key"
    assert violation.line == violation.details["related_line"] + 1


def test_two_yaml_documents_are_each_checked_and_the_second_is_named_by_its_line() -> None:
    text = as_yaml() + "---\n" + as_yaml(access="open")
    found = [(document.index, check_document(document)) for document in read(text.encode(), kind="yaml")]
    assert [index for index, violations in found if violations] == [1]
    (violation,) = found[1][1]
    assert (violation.rule, violation.field) == ("schema/enum", "/access")
    assert violation.line > len(as_yaml().splitlines())  # type: ignore[operator]


def test_one_bad_line_of_json_lines_is_named_by_its_line() -> None:
    good = json.dumps(example())
    found = check(f"{good}\n{{\n{good}\n", "jsonl")
    assert [(v.rule, v.line) for v in found] == [("document/syntax", 2)]


@pytest.mark.parametrize(
    "change", [lambda t: b"\xef\xbb\xbf" + t, lambda t: t.replace(b"\n", b"\r\n"), lambda t: t.replace(b"\n", b"\r")]
)
def test_a_byte_order_mark_and_any_line_ending_are_fine(change: Any) -> None:
    assert check(change(json.dumps(example(), indent=1).encode())) == []


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32", "latin-1"])
def test_another_encoding_is_one_finding_with_a_position(encoding: str) -> None:
    text = json.dumps(with_members(name="Übersetzung"), ensure_ascii=False)
    (violation,) = check(text.encode(encoding))
    assert violation.rule == "document/encoding"
    assert violation.line is not None


@pytest.mark.parametrize(
    "value",
    ["NaN", "Infinity", "1e400", "9" * 5000, "[" * 100_000 + "]" * 100_000, r'"\ud800"'],
    ids=["NaN", "Infinity", "1e400", "5,000 digits", "100,000 arrays", "a lone surrogate"],
)
def test_what_json_readers_choke_on_is_one_finding_in_under_a_second(value: str) -> None:
    text = json.dumps(example())[:-1] + f', "x-value": {value}}}'
    began = time.process_time()
    (violation,) = check(text)
    assert time.process_time() - began < 1
    assert violation.rule.startswith("document/")
    assert len(str(violation)) < 1000


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 9)
)


@pytest.mark.parametrize(
    "text",
    [BOMB, "a: &a [*a]\n", "a: !!python/object/apply:os.system [echo hi]\n", "a: !mine x\n"],
    ids=["a bomb", "an alias to itself", "a program", "a tag of one's own"],
)
def test_what_yaml_readers_choke_on_is_one_finding_in_under_a_second(text: str) -> None:
    began = time.process_time()
    (violation,) = check(text, "yaml")
    assert time.process_time() - began < 1
    assert violation.rule in ("document/yaml-alias-limit", "document/not-data")
    assert len(str(violation)) < 1000


def test_a_program_under_the_name_of_a_data_file_is_not_run(tmp_path: Any) -> None:
    trace = tmp_path / "trace"
    text = f"import pathlib\npathlib.Path({str(trace)!r}).write_text('run')\nclass A: pass\n"
    (document,) = read(text.encode(), source="descriptor.yaml")
    assert [v.rule for v in check_document(document)] != []
    assert not trace.exists()


def test_a_remote_reference_is_never_fetched() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        called = threading.Event()
        server.settimeout(0.5)

        def listen() -> None:
            try:
                server.accept()[0].close()
                called.set()
            except TimeoutError:
                pass

        thread = threading.Thread(target=listen)
        thread.start()
        reference = f"http://127.0.0.1:{server.getsockname()[1]}/a.json"
        violations = validate(with_parameter(schema={"$ref": reference}, default="x"))
        thread.join()
    assert rules_of(violations) == ["descriptor/schema-remote-ref"]
    assert not called.is_set()


def test_a_finding_of_the_rules_has_its_position() -> None:
    text = json.dumps(with_members(documentation_url="http://a.example.com", tag=1), indent=1)
    found = check(text)
    assert [v.rule for v in found] == ["descriptor/insecure-url", "descriptor/unknown-member"]
    for violation, name in zip(found, ("documentation_url", "tag"), strict=True):
        assert violation.line is not None
        assert name in text.splitlines()[violation.line - 1]


def test_findings_come_in_document_order() -> None:
    text = '{"version": 1, "access": 2, "id": 3}'
    fields = [v.field for v in check(text) if v.actual is not None]
    assert fields == ["/version", "/access", "/id"]


def test_a_text_that_cannot_be_read_has_only_that_finding_whatever_is_selected() -> None:
    config = RuleConfig(select=("descriptor",))
    assert rules_of(check("{", config=config)) == ["document/syntax"]


def test_a_value_that_no_json_can_hold_is_a_finding_and_no_crash() -> None:
    for value in (object(), {1: 2}, (1, 2), {"a": {1, 2}}, b"bytes"):
        violations = validate({"x-value": value, "inputs": [value], "id": value})
        assert violations != []
        json.dumps([violation.to_dict() for violation in violations])


def test_a_document_that_holds_itself_ends() -> None:
    document = example()
    document["inputs"][0]["schema"] = {"items": document["inputs"]}
    document["inputs"][0]["schema"]["items"] = document["inputs"][0]["schema"]
    began = time.process_time()
    assert validate(document) != []
    assert time.process_time() - began < 5


def test_an_index_is_checked_with_its_own_rules() -> None:
    assert validate(index_of({}), schema="index") == []
    assert rules_of(validate(index_of({"id": "a", "descriptor_ulr": "x"}), schema="index")) == [
        "descriptor/unknown-member",
        "descriptor/id-namespace",
    ]


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.sampled_from(sorted(example())), st.text(max_size=5)), inner, max_size=4),
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(JSON, st.sampled_from(SCHEMA_NAMES), st.dictionaries(st.sampled_from(sorted(example())), JSON, max_size=4))
def test_any_value_gets_a_verdict_that_is_the_same_from_both_engines(
    value: Any, schema: str, changes: dict[str, Any]
) -> None:
    for document in (value, example() | changes):
        found = validate(document, schema=schema)
        assert found == validate(document, schema=schema, engine="reference")
        assert found == in_order(found)
        json.dumps([violation.to_dict() for violation in found])
