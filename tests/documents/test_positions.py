import json
import pickle

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from skillproto.documents import Document, locate, read
from skillproto.violations import JSONValue, Position, Violation, pointer
from tests.documents.reading import only
from tests.documents.values import pointers, values

JSON = '{\r\n  "é😀": [1, {"a/b~c": "x"}],\r\t"k\\u0065y": {},\n "last": null }'
YAML = "é😀: [1, {a/b~c: x}]\nkey:\n  deep:\n  - one\n  -\n    two: 'y'\n  text: |\n    a\n    b\nlast:\n"


@pytest.mark.parametrize(
    ("field", "position"),
    [
        ("", (1, 1, 4, 16)),
        ("/é😀", (2, 9, 2, 28)),
        ("/é😀/0", (2, 10, 2, 11)),
        ("/é😀/1", (2, 13, 2, 27)),
        ("/é😀/1/a~1b~0c", (2, 23, 2, 26)),
        ("/key", (3, 14, 3, 16)),
        ("/last", (4, 10, 4, 14)),
    ],
)
def test_a_value_in_json_has_a_start_and_an_end(field: str, position: tuple[int, ...]) -> None:
    assert only(JSON, "json").position(field) == position


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("field", "position"),
    [
        ("", (1, 1, 10, 6)),
        ("/é😀", (1, 5, 1, 20)),
        ("/é😀/1/a~1b~0c", (1, 17, 1, 18)),
        ("/key", (3, 3, 10, 1)),
        ("/key/deep", (4, 3, 6, 13)),
        ("/key/deep/0", (4, 5, 4, 8)),
        ("/key/deep/1", (6, 5, 6, 13)),
        ("/key/deep/1/two", (6, 10, 6, 13)),
        ("/key/text", (7, 9, 10, 1)),
        ("/last", (10, 6, 10, 6)),
    ],
)
def test_a_value_in_yaml_has_a_start_and_an_end(field: str, position: tuple[int, ...]) -> None:
    assert only(YAML, "yaml").position(field) == position


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "kind", "field", "position"),
    [
        (JSON, "json", "/é😀/1/a~1b~0c", (2, 14, 2, 21)),
        (JSON, "json", "/key", (3, 2, 3, 12)),
        (YAML, "yaml", "/é😀/1/a~1b~0c", (1, 10, 1, 15)),
        (YAML, "yaml", "/key/deep/1/two", (6, 5, 6, 8)),
    ],
)
def test_a_name_has_a_position_of_its_own(text: str, kind: str, field: str, position: tuple[int, ...]) -> None:
    assert only(text, "json" if kind == "json" else "yaml").key_position(field) == position


@pytest.mark.parametrize("field", ["", "/é😀/0", "/none", "/é😀/9", "/é😀/1/none", "/last/x"])
def test_what_has_no_name_has_no_position_of_it(field: str) -> None:
    assert only(JSON, "json").key_position(field) is None


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("text", ['{"a": {"b": [1]}}', "a:\n  b: [1]\n"], ids=["json", "yaml"])
@pytest.mark.parametrize(
    ("field", "parent"),
    [
        ("/a/none", "/a"),
        ("/a/none/deeper", "/a"),
        ("/a/b/1", "/a/b"),
        ("/a/b/-", "/a/b"),
        ("/a/b/x", "/a/b"),
        ("/a/b/٣", "/a/b"),
        ("/a/b/" + "9" * 5000, "/a/b"),
        ("/a/b/0/x", "/a/b/0"),
        ("/none", ""),
        ("none", ""),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_missing_value_stands_at_its_parent(text: str, field: str, parent: str) -> None:
    document = only(text)

    assert document.position(field) == document.position(parent)


def test_the_last_of_equal_names_is_the_one_that_counts() -> None:
    document = only('{"a": 1, "a": 22}', "json")

    assert document.position("/a") == (1, 15, 1, 17)
    assert only("a: 1\na: 22\n", "yaml").position("/a") == (2, 4, 2, 6)


@pytest.mark.usefixtures("parser")
def test_what_an_alias_repeats_stands_at_the_alias_and_its_members_where_they_are_written() -> None:
    document = only(
        "a: &x {k: 1}\nb: *x\nc:\n  - *x\n&y d: 2\n? *y\n: 3\n".replace("? *y\n: 3\n", "e: {*y : 3}\n"), "yaml"
    )

    assert document.position("/b") == (2, 4, 2, 6)
    assert document.position("/b/k") == document.position("/a/k") == (1, 11, 1, 12)
    assert document.position("/c/0/k") == (1, 11, 1, 12)
    assert document.key_position("/e/d") == (6, 5, 6, 7)


@pytest.mark.usefixtures("parser")
def test_positions_of_a_later_document_count_from_the_start_of_the_text() -> None:
    first, second = read("# é\na: 1\n---\n\ufeff# c\nb: [1, 2]\n".replace("\ufeff", "").encode(), kind="yaml")

    assert (first.line, second.line) == (1, 3)
    assert second.position("/b/1") == (5, 8, 5, 9)
    assert second.text_of(5) == "b: [1, 2]"
    assert second.position("") == (5, 1, 5, 10)


@pytest.mark.parametrize(
    ("text", "kind", "written"),
    [
        ('{"a": 1.10}', "json", "1.10"),
        ('{"a": "x\\n"}', "json", '"x\\n"'),
        ("a: 1.10\n", "yaml", "1.10"),
        ("a: '1.10' # c\n", "yaml", "'1.10'"),
        ("a: &x !!str 1.10\n", "yaml", "1.10"),
        ("a: yes\n", "yaml", "yes"),
        ("a:\n", "yaml", ""),
        ("a: [1]\n", "yaml", None),
        ("b: 1\n", "yaml", None),
    ],
)
def test_a_scalar_can_be_had_as_it_is_written(text: str, kind: str, written: str | None) -> None:
    assert only(text, "json" if kind == "json" else "yaml").scalar_text("/a") == written


def test_a_line_can_be_had_without_its_end() -> None:
    document = only("a: 1\r\nb: 2\rc: \u2028é\n", "yaml")

    assert [document.text_of(line) for line in range(6)] == [None, "a: 1", "b: 2", "c: \u2028é", "", None]


def test_a_value_without_a_text_has_no_positions() -> None:
    document = Document({"a": 1})

    assert (document.position("/a"), document.key_position("/a"), document.scalar_text("/a")) == (None, None, None)
    assert (document.text_of(1), document.line, document.readable) == (None, 1, True)


def test_a_document_shows_itself_in_short() -> None:
    shown = repr(next(read(b"[1,]", source="x" * 1000)))

    assert shown.startswith("<Document 0 of 'xxx")
    assert shown.endswith("': not readable, 1 findings>")
    assert len(shown) < 200


def test_a_text_that_could_not_be_read_has_no_positions_but_those_of_its_findings() -> None:
    document = only('{"a": 1', "json")

    assert document.position("/a") is None
    assert document.violations[0].column == 8


def test_findings_are_located_and_sorted_into_document_order() -> None:
    document = only('{\n "b": 1,\n "a": 2,\n "extra": 3\n}', "json")
    found = [
        Violation("/a", "string", 2, "m", "schema/type"),
        Violation("/b", "string", 1, "m", "schema/type"),
        Violation("/missing", "string", None, "m", "schema/required"),
        Violation("/extra", "no such member", 3, "m", "descriptor/unknown-member"),
        Violation("/b", "string", 1, "m", "schema/type", line=9, column=9),
    ]

    located = locate(document, found)

    assert [(v.field, v.line, v.column, v.end_line, v.end_column) for v in located] == [
        ("/missing", 1, 1, 5, 2),
        ("/b", 2, 7, 2, 8),
        ("/a", 3, 7, 3, 8),
        ("/extra", 4, 2, 4, 9),
        ("/b", 9, 9, None, None),
    ]


def test_a_document_survives_pickling_with_its_positions() -> None:
    for text in (JSON, YAML):
        document = pickle.loads(pickle.dumps(only(text)))
        assert document.position("/last") == only(text).position("/last")


def cut(text: str, position: Position) -> str:
    """Take a stretch out of a text by its lines and columns, indented as it stands."""
    lines = text.split("\n")[position.line - 1 : position.end_line]
    lines[-1] = lines[-1][: position.end_column - 1]
    lines[0] = " " * (position.column - 1) + lines[0][position.column - 1 :]
    return "\n".join(lines)


@given(values, st.booleans(), st.sampled_from([None, 0, 2]))
def test_a_position_in_json_points_at_text_that_is_the_value(
    value: JSONValue, ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    document = only(text, "json")

    for path, part in pointers(value):
        position = document.position(pointer(path))
        assert position is not None
        assert json.loads(cut(text, position)) == part
        if path and isinstance(path[-1], str):
            name = document.key_position(pointer(path))
            assert name is not None
            assert json.loads(cut(text, name)) == path[-1]


class Dumper(yaml.SafeDumper):
    """Writes every string in one style of quotes: what needs none in YAML 1.1 may need them in 1.2."""

    quotes = '"'


def _string(dumper: Dumper, text: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=dumper.quotes)


Dumper.add_representer(str, _string)
Dumper.ignore_aliases = lambda self, data: True  # type: ignore[method-assign]


@st.composite
def yaml_texts(draw: st.DrawFn) -> tuple[str, JSONValue]:
    value = draw(values)
    style = draw(st.sampled_from(['"', "'", "|", ">"]))
    # The writer takes these for line breaks and loses them unless they are escaped.
    assume(style == '"' or not set("\x85\u2028\u2029") & set(json.dumps(value, ensure_ascii=False)))
    styled = type("Styled", (Dumper,), {"quotes": style})
    text: str = yaml.dump(
        value,
        Dumper=styled,
        sort_keys=False,
        allow_unicode=draw(st.booleans()),
        default_flow_style=draw(st.sampled_from([True, False, None])),
        indent=draw(st.integers(2, 5)),
        width=draw(st.sampled_from([20, 80, 10_000])),
        explicit_start=draw(st.booleans()),
    )
    return text, value


@given(yaml_texts())
def test_what_yaml_writes_reads_back_equal(written: tuple[str, JSONValue]) -> None:
    text, value = written
    document = only(text, "yaml")

    assert [v for v in document.violations if v.severity == "error"] == []
    assert repr(document.value) == repr(value)


@given(yaml_texts())
def test_a_position_in_yaml_points_at_text_that_is_the_value(written: tuple[str, JSONValue]) -> None:
    text, value = written
    document = only(text, "yaml")

    for path, part in pointers(value):
        position = document.position(pointer(path))
        assert position is not None
        assert repr(only(cut(text, position) + "\n", "yaml").value) == repr(part)


def test_a_missing_member_that_stands_misspelt_is_shown_where_it_stands() -> None:
    document = only('{"a": 1,\n "nam": "x"}', "json")
    missing = Violation("/name", "string", None, "m", "schema/required", details={"misspelt": "/nam"})

    (found,) = locate(document, [missing])

    assert (found.line, found.column, found.end_column) == (2, 2, 7)
