import json
import time
import tracemalloc
from collections.abc import Iterator
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillproto.documents import Limits, read, read_file, read_lines
from tests.documents.reading import rules
from tests.documents.values import values


class Dripping(BytesIO):
    """Gives a few bytes at a time, as a pipe may."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__(data)
        self.size = size

    def read1(self, size: int | None = -1, /) -> bytes:
        return super().read1(self.size)


def test_a_bad_line_does_not_hide_the_others() -> None:
    documents = list(read(b'{"a": 1}\n\n{"a": }\n  \r\n{"a": 2}', kind="jsonl"))

    assert [(doc.index, doc.line, doc.value, doc.readable) for doc in documents] == [
        (0, 1, {"a": 1}, True),
        (1, 3, None, False),
        (2, 5, {"a": 2}, True),
    ]
    (violation,) = documents[1].violations
    assert (violation.rule, violation.line, violation.column) == ("document/syntax", 3, 7)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_every_line_end_parts_the_lines_however_the_bytes_come(end: bytes, size: int) -> None:
    data = end.join([b"\xef\xbb\xbf[1]", b"", b'"\xc3\xa9"', b"[2,\t3]", b""])
    documents = list(read_lines(Dripping(data, size)))

    assert [(doc.value, doc.line) for doc in documents] == [([1], 1), ("é", 3), ([2, 3], 4)]


@given(st.lists(values, max_size=5), st.integers(1, 40))
def test_what_is_written_line_by_line_reads_back_equal(items: list[object], size: int) -> None:
    data = "".join(json.dumps(item) + "\n" for item in items).encode()

    assert [doc.value for doc in read_lines(Dripping(data, size))] == items
    assert [doc.index for doc in read_lines(Dripping(data, size))] == list(range(len(items)))


def test_a_position_counts_from_the_start_of_the_file() -> None:
    first, second = read(b'{"a": 1}\r\n {"b": [1, 2]}\n', kind="jsonl")

    assert first.position("/a") == (1, 7, 1, 8)
    assert second.position("/b/1") == (2, 12, 2, 13)
    assert second.key_position("/b") == (2, 3, 2, 6)
    assert second.text_of(2) == ' {"b": [1, 2]}'
    assert second.text_of(1) is None


def test_a_wrong_byte_is_a_finding_of_its_line() -> None:
    good, bad, last = read(b'"\xc3\xa9"\n"caf\xe9"\n1', kind="jsonl")

    assert (good.value, last.value) == ("é", 1)
    assert rules(bad) == ["encoding"]
    assert (bad.violations[0].line, bad.violations[0].column) == (2, 5)


def test_utf_16_is_one_finding_for_the_whole_stream() -> None:
    for encoding in ("utf-16", "utf-16-be", "utf-16-le", "utf-32"):
        (document,) = read('{"a": 1}\n{"a": 2}\n'.encode(encoding), kind="jsonl")
        assert rules(document) == ["encoding"]


def test_a_line_that_is_too_long_is_a_finding_and_is_passed_over() -> None:
    data = b'"' + b"x" * 5000 + b'"\n[1]\n"' + b"y" * 98 + b'"\n"' + b"z" * 99 + b'"'
    documents = list(read_lines(BytesIO(data), limits=Limits(max_bytes=100)))

    assert [(doc.line, doc.readable) for doc in documents] == [(1, False), (2, True), (3, True), (4, False)]
    assert rules(documents[0]) == rules(documents[3]) == ["too-large"]


def test_a_stream_takes_flat_memory() -> None:
    class Endless(BytesIO):
        left = 60

        def read1(self, size: int | None = -1, /) -> bytes:
            self.left -= 1
            return b'{"id": "a.b", "tags": ["x", "y"]}\n' * 1000 if self.left > 0 else b""

    tracemalloc.start()
    try:
        count = sum(1 for _ in read_lines(Endless()))
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 59_000
    assert peak_bytes < 2_000_000


def test_a_huge_line_is_not_held() -> None:
    class OneLine(BytesIO):
        left = 500

        def read1(self, size: int | None = -1, /) -> bytes:
            self.left -= 1
            return b"x" * 100_000 if self.left > 0 else b""

    tracemalloc.start()
    try:
        (document,) = read_lines(OneLine(), limits=Limits(max_bytes=1_000_000))
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert rules(document) == ["too-large"]
    assert peak_bytes < 5_000_000


def test_the_first_document_comes_before_the_rest_is_read() -> None:
    class Slow(BytesIO):
        asked = 0

        def read1(self, size: int | None = -1, /) -> bytes:
            self.asked += 1
            return b'{"a": 1}\n{"a": 2}\n' if self.asked < 1000 else b""

    file = Slow()
    documents: Iterator[object] = read_file(file)
    next(documents)
    assert file.asked < 5


def test_a_core_reads_more_than_25_000_records_a_second() -> None:
    record = {
        "id": "com.example.a",
        "name": "A skill",
        "tags": ["a", "b"],
        "inputs": [{"name": "x", "type": "string"}] * 5,
    }
    data = (json.dumps(record) + "\n").encode() * 5000

    def seconds() -> float:
        began = time.process_time()
        assert sum(doc.readable for doc in read_lines(BytesIO(data))) == 5000
        return time.process_time() - began

    assert 5000 / min(seconds() for _ in range(5)) > 25_000
