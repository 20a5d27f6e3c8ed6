import pytest

from skillproto.documents import Kind, read
from tests.documents.reading import finding, only, place, rules

TEXTS: dict[Kind, str] = {"json": '{"name": "é😀"}', "yaml": "name: é😀\n", "jsonl": '{"name": "é😀"}\n'}


@pytest.mark.parametrize("kind", TEXTS)
def test_a_byte_order_mark_is_fine(kind: Kind) -> None:
    document = only(b"\xef\xbb\xbf" + TEXTS[kind].encode(), kind)

    assert document.value == {"name": "é😀"}
    assert document.key_position("/name") == ((1, 2, 1, 8) if kind != "yaml" else (1, 1, 1, 5))


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_another_encoding_is_one_finding_with_a_position(kind: Kind, encoding: str) -> None:
    violation = finding(TEXTS[kind].encode(encoding), kind)

    assert violation.rule == "document/encoding"
    assert violation.message == f"The text is {encoding[:6].upper()}, not UTF-8"
    assert place(violation) == (1, 1)


@pytest.mark.parametrize("kind", ["json", "yaml"])
def test_latin_1_is_one_finding_at_the_first_wrong_character(kind: Kind) -> None:
    violation = finding('{"a": "é😀",\r\n "b": "x'.encode() + b'caf\xe9"}', kind)

    assert violation.rule == "document/encoding"
    assert violation.message == "The byte 0xE9 is not UTF-8"
    assert violation.hint == "Save the text as UTF-8; in Latin-1 the byte stands for é"
    assert place(violation) == (2, 12)


@pytest.mark.parametrize(
    "data",
    [b"\xff", b"\xed\xa0\x80", b"\xc0\x80", b"\xf5\x80\x80\x80", b"\xe2\x82", b"\x80"],
    ids=["never", "surrogate", "overlong", "beyond", "cut", "continuation"],
)
def test_what_is_not_utf_8_is_no_text(data: bytes) -> None:
    assert rules(only(b'["' + data + b'"]', "json")) == ["encoding"]


@pytest.mark.parametrize("data", [b"\x1f\x8b\x08\x00abc", b"\x00\x00", b"\x00", b"\x89PNG\r\n\x1a\n\x00"])
@pytest.mark.parametrize("kind", TEXTS)
def test_binary_data_is_one_finding_and_no_traceback(data: bytes, kind: Kind) -> None:
    (document, *_) = read(data, kind=kind)

    assert not document.readable
    assert len(document.violations) == 1


@pytest.mark.parametrize("kind", ["json", "yaml"])
def test_the_line_of_a_wrong_byte_can_be_shown(kind: Kind) -> None:
    assert only(b"a\n  b\xe9c\n", kind).text_of(2) == "  b\ufffdc"


def test_a_text_that_is_too_large_is_not_read() -> None:
    violation = finding(b" " * 101, "yaml", max_bytes=100)

    assert (violation.rule, violation.message) == ("document/too-large", "The text is larger than 100 bytes")
    assert place(violation) == (1, 1)
