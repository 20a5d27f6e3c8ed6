import os
from io import BytesIO

import pytest

from skillproto.documents import Kind, kind_of, read, read_file
from skillproto.documents.kinds import sniff


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("a.json", "json"),
        ("a/b.JSON", "json"),
        ("a.jsonl", "jsonl"),
        ("a.ndjson", "jsonl"),
        ("a.yaml", "yaml"),
        (r"c:\a.yml", "yaml"),
        ("https://host/a.yaml?v=1.json#x", "yaml"),
        ("a.txt", None),
        ("json", None),
        ("yaml/readme", None),
        ("<stdin>", None),
        ("", None),
    ],
)
def test_the_extension_decides(source: str, kind: Kind | None) -> None:
    assert kind_of(source) == kind


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b'{"a": 1}', "json"),
        (b'\xef\xbb\xbf\n {"a": 1}\n\n', "json"),
        (b'{\n "a": 1\n}\n', "json"),
        (b"[\n[1],\n[2]\n]", "json"),
        (b'{"a": 1}\n{"a": 2}', "jsonl"),
        (b'{"a": 1}\r{"a": 2}', "jsonl"),
        (b'{"a": }\n\n{"a": 2}', "jsonl"),
        (b"[1]\n[2]\n", "jsonl"),
        (b'"text"', "json"),
        (b"12", "json"),
        (b"NaN", "json"),
        (b'"a": 1', "yaml"),
        (b"a: 1", "yaml"),
        (b"---\n{}", "yaml"),
        (b"# note\na: 1", "yaml"),
        (b"", "json"),
        (b" \n", "json"),
        (b"{'a': 1}", "json"),
        ('{"a": 1}'.encode("utf-16"), "json"),
        ("a: 1".encode("utf-16-le"), "json"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_the_content_decides_where_the_name_does_not(data: bytes, kind: Kind) -> None:
    assert sniff(data) == kind


def test_the_name_outranks_the_content_and_the_caller_both() -> None:
    data = b'{"a": 010}'

    assert next(read(data, source="a.json")).readable is False
    assert next(read(data, source="a.yaml")).value == {"a": 10}
    assert next(read(data, source="a.json", kind="yaml")).value == {"a": 10}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"a": 1}', [{"a": 1}]),
        (b'{"a": 1}\n{"a": 2}\n', [{"a": 1}, {"a": 2}]),
        (b"a: 1\n---\nb: 2\n", [{"a": 1}, {"b": 2}]),
        (b'[\n"' + b"x" * 200_000 + b'"]', [["x" * 200_000]]),
        (b'"' + b"x" * 200_000 + b'"', ["x" * 200_000]),
        (b'{"a": "' + b"x" * 200_000 + b'"}\n{"b": 1}', [{"a": "x" * 200_000}, {"b": 1}]),
    ],
    ids=["json", "jsonl", "yaml", "long-json", "long-text", "long-jsonl"],
)
def test_a_stream_is_read_like_its_bytes(data: bytes, expected: list[object]) -> None:
    assert [doc.value for doc in read_file(BytesIO(data))] == expected


def test_a_pipe_is_read_like_a_file() -> None:
    reader, writer = os.pipe()
    os.write(writer, b'{"a": 1}\n{"a": 2}\n')
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        assert [doc.value for doc in read_file(file)] == [{"a": 1}, {"a": 2}]


def test_no_more_of_a_stream_is_read_than_the_limit_and_one_byte() -> None:
    from skillproto.documents import Limits

    file = BytesIO(b'{"a": "' + b"x" * 1_000_000)
    (document,) = read_file(file, source="a.json", limits=Limits(max_bytes=1000))

    assert document.violations[0].rule == "document/too-large"
    assert file.tell() == 1001
