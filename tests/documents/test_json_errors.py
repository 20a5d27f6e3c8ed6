import pytest

from tests.documents.reading import finding, place

CASES = [
    ('{"a": 1,}', (1, 8), "There is a comma before the closing bracket"),
    ("[1, 2, ]", (1, 6), "There is a comma before the closing bracket"),
    ("[1,\n]", (1, 3), "There is a comma before the closing bracket"),
    ("{'a': 1}", (1, 2), "Only plain double quotes hold a string in JSON"),
    ("[“a”]", (1, 2), "Only plain double quotes hold a string in JSON"),
    ("{a: 1}", (1, 2), "The name `a` has no quotes"),
    ("{1: 1}", (1, 2), "`1` cannot stand here"),
    ('{"a" 1}', (1, 6), "A colon is missing after the name"),
    ('{"a" = 1}', (1, 6), "A name and its value are joined by a colon, not by `=`"),
    ('{"a": }', (1, 7), "The name has no value"),
    ('{"a"}', (1, 5), "The name has no value"),
    ('{"a": 1 "b": 2}', (1, 9), "A comma is missing before this value"),
    ("[1 2]", (1, 4), "A comma is missing before this value"),
    ("[1,, 2]", (1, 4), "A value is missing before this comma"),
    ("[, 1]", (1, 2), "A value is missing before this comma"),
    ('["a": 1]', (1, 5), "An array holds values without names"),
    ("// note\n{}", (1, 1), "JSON has no comments"),
    ('{"a": 1 /* note */}', (1, 9), "JSON has no comments"),
    ("[1] # note", (1, 5), "JSON has no comments"),
    ("[True]", (1, 2), "`True` is not a JSON value"),
    ("[None]", (1, 2), "`None` is not a JSON value"),
    ("[undefined]", (1, 2), "`undefined` is not a JSON value"),
    ("[01]", (1, 2), "`01` is not a JSON number"),
    ("[1.]", (1, 2), "`1.` is not a JSON number"),
    ("[.5]", (1, 2), "`.5` is not a JSON number"),
    ("[+1]", (1, 2), "`+1` is not a JSON number"),
    ("[0x1F]", (1, 2), "`0x1F` is not a JSON number"),
    ("[1.2.3]", (1, 2), "`1.2.3` is not a JSON number"),
    ("[-]", (1, 2), "`-` is not a JSON number"),
    ('["abc', (1, 2), "The string has no closing double quote"),
    ('["a\nb"]', (1, 2), "The string has no closing double quote"),
    ('["a\tb"]', (1, 4), "The control character U+0009 stands in a string"),
    (r'["a\x41"]', (1, 4), r"`\x` is no escape that JSON knows"),
    (r'["it\'s"]', (1, 5), "A single quote needs no backslash"),
    (r'["\u12"]', (1, 3), r"`\u` needs four hexadecimal digits"),
    ("", (1, 1), "The text is empty"),
    (" \n\t", (2, 2), "The text holds nothing but white space"),
    ("{} {}", (1, 4), "There is more text behind the end of the value"),
    ('"a" x', (1, 5), "There is more text behind the end of the value"),
    ("{}}", (1, 3), "`}` closes nothing that is open"),
    ("]", (1, 1), "`]` closes nothing that is open"),
    ('{"a": [1}', (1, 9), "`}` does not close the `[` that stands at line 1, column 7"),
    ('{"a":\n [1', (2, 4), "The text ends inside the array that begins at line 2, column 2"),
    ('{"a": 1', (1, 8), "The text ends inside the object that begins at line 1, column 1"),
    ("<html></html>", (1, 1), "This is HTML or XML, not JSON"),
    ("name: x", (1, 1), "This is YAML, not JSON"),
    ("---\na: 1", (1, 1), "This is YAML, not JSON"),
    ("%YAML 1.2\n---\n", (1, 1), "This is YAML, not JSON"),
    ("- a\n- b", (1, 1), "This is YAML, not JSON"),
    ('{"a": 1\u00a0}', (1, 8), "The character U+00A0 cannot stand outside a string"),
    ("hello", (1, 1), "`hello` is not a JSON value"),
]


@pytest.mark.parametrize(("text", "where", "message"), CASES, ids=[repr(text)[:30] for text, _, _ in CASES])
def test_a_usual_mistake_is_named_where_it_stands(text: str, where: tuple[int, int], message: str) -> None:
    violation = finding(text, "json")

    assert violation.rule == "document/syntax"
    assert violation.message == message
    assert place(violation) == where


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("[True]", "Write true"),
        ("[None]", "Write null"),
        ("[+1]", "Remove the plus sign"),
        ("[01]", "Remove the leading zero, or quote it if it is not a quantity"),
        ("[1.2.3]", "Write it in double quotes if it is text, such as a version"),
        ("{}\n{}", "One JSON text holds one value; name the file .jsonl if each line holds one"),
        ("[1,]", "Remove the comma"),
    ],
)
def test_the_hint_says_what_to_write_instead(text: str, hint: str) -> None:
    assert finding(text, "json").hint == hint


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_every_line_end_counts_once(end: str) -> None:
    assert place(finding(f'{{{end}"a": 1,{end}{end}  x}}', "json")) == (4, 3)


def test_columns_count_characters() -> None:
    assert place(finding('["é😀\t\u2028', "json")) == (1, 5)
    assert place(finding('["é😀\u2028", x]', "json")) == (1, 9)


def test_the_end_is_the_first_position_behind_the_fault() -> None:
    violation = finding("[\n  True\n]", "json")

    assert (violation.end_line, violation.end_column) == (2, 7)


@pytest.mark.parametrize(
    "text", ["[" + "x" * 100_000 + "]", '["' + "x" * 100_000, "[1" + "." * 100_000 + "]", "{" + "k" * 100_000]
)
def test_long_mistakes_are_shown_short(text: str) -> None:
    assert len(repr(finding(text, "json"))) < 600
