import pytest

from tests.documents.reading import finding, place

pytestmark = pytest.mark.usefixtures("parser")

CASES = [
    ("a:\n\tb: 1\n", (2, 1), "A tab cannot indent"),
    ("a:\n  b: 1\n\tc: 2\n", (3, 1), "A tab cannot indent"),
    ("a: b: c\n", (1, 5), "A second colon stands in the value of this line"),
    ("a: 'x\nb: 1\n", (1, 4), "The quoted text is not closed"),
    ('a: "x', (1, 4), "The quoted text is not closed"),
    ("a: @x\n", (1, 4), "`@` cannot begin an unquoted value"),
    ("a: `x`\n", (1, 4), "A backtick cannot begin an unquoted value"),
    ("a: %x\n", (1, 4), "`%` cannot begin an unquoted value"),
    ("[1, 2", (1, 6), "The text ends inside the list that begins at line 1, column 1"),
    ("a: {b: 1", (1, 9), "The text ends inside the mapping that begins at line 1, column 4"),
    ("a: [\n", (2, 1), "The text ends inside the list that begins at line 1, column 4"),
    ("a: [1\nb: 2\n", (2, 2), "A comma or `]` is missing here, in the list that begins at line 1, column 4"),
    ("a: [b, c]]\n", (1, 10), "`]` closes nothing that is open"),
    ("a: }\n", (1, 4), "`}` closes nothing that is open"),
    ('a: "\\q"\n', (1, 5), "`\\q` is no escape that YAML knows"),
    ('a: "\\x4"\n', (1, 5), "`\\x4` is no escape that YAML knows"),
    ('a: "\\U00110000"\n', (1, 5), "`\\U00110000` is no escape that YAML knows"),
    ("a: 'b' c\n", (1, 8), "More text stands behind the closing quote"),
    ("a: >x\n  b\n", (1, 4), "Only +, - or a digit may follow `>` on its line"),
    ("a: &\n", (1, 4), "The name of the anchor is not valid"),
    ("a: !e!x b\n", (1, 4), "The tag is not valid"),
    ("name:x\nid: 3\n", (2, 3), "A space is missing behind a colon in the line before this one"),
    ("a: 1\nfoo\nb: 2\n", (2, 1), "This line has no name and colon, as the lines around it have"),
    ("a: 1\n b: 2\n", (2, 3), "This name stands where none can: its line continues the value before it"),
    ("- - 1\n - 2\n", (2, 2), "This line does not fit the lines before it"),
    ("a:\n  - b\n c: d\n", (3, 2), "This line does not fit the lines before it"),
    ("a: - b\n", (1, 4), "A list cannot begin on the line of its name"),
    ("a: b\x07\n", (1, 5), "The control character U+0007 cannot stand in YAML"),
    ("é😀: [x: \u2028}\n", (1, 10), None),
]


@pytest.mark.parametrize(("text", "where", "message"), CASES, ids=[repr(text)[:24] for text, _, _ in CASES])
def test_a_usual_mistake_is_named_where_it_stands(text: str, where: tuple[int, int], message: str | None) -> None:
    violation = finding(text, "yaml")

    assert violation.rule == "document/syntax"
    assert message is None or violation.message == message
    assert place(violation) == where
    assert violation.hint


@pytest.mark.parametrize("text", ["a: @x", "a: 'x", "[1, 2", "a: b: c", "a: !e!x b", "\tx: 1", "a: 1\nfoo\nb: 2"])
def test_nothing_of_the_parsers_own_words_is_passed_on(text: str) -> None:
    shown = repr(finding(text, "yaml"))

    for word in (
        "scanning",
        "found character",
        "expected <",
        "did not find",
        "unicode string",
        "token",
        "could not find",
    ):
        assert word not in shown


@pytest.mark.parametrize("text", ["a: '" + "x" * 100_000, "a: @" + "x" * 100_000, "a: 1\n" + "x" * 100_000 + "\nb: 2"])
def test_long_mistakes_are_shown_short(text: str) -> None:
    assert len(repr(finding(text, "yaml"))) < 600
