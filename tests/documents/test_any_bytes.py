import time
from collections.abc import Iterator
from io import BytesIO

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from skillproto.documents import Document, Kind, explain_scalars, locate, read, read_file, yaml_events
from skillproto.violations import Violation
from tests.documents.conftest import PARSERS

PIECES = [
    "a", "b", "- ", "? ", ": ", ":", "\n", "\n  ", "\n    ", " ", "[", "]", "{", "}", ",", "'", '"', "&a ",
    "*a ", "!", "!!str ", "!t ", "|", ">-", "%", "@", "`", "#", " # c", "\t", "---", "\n---\n", "\n...\n",
    "\\", "\\n", "\\u0041", "\\ud800", "\\U00110000", "1", "1.10", "~", "true", ".inf", "NaN", "1e400", "é",
    "😀", "\u2028", "\x85", "\r", "\r\n", "<<", "key: v\n", "- x\n", "%TAG ! x\n", "%YAML 1.2\n", "\ufeff",
    "'x'", '"y"', "\x00", "\xa0", "//", '"k": 1', "#!/bin/sh\n", "\n---\na: 1\n",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
DATA = st.binary(max_size=60) | TEXTS.map(str.encode) | TEXTS.map(lambda text: text.encode("utf-16"))
KINDS: st.SearchStrategy[Kind | None] = st.sampled_from(["json", "yaml", "jsonl", None])


def asked_everything(documents: Iterator[Document]) -> list[Document]:
    """Ask every document every question, and see that the answers fit together."""
    found = list(documents)
    for document in found:
        errors = [v for v in document.violations if v.severity == "error"]
        assert document.readable or errors
        for field in ("", "/a", "/0", "/key/0", "/~", "x"):
            document.position(field)
            document.key_position(field)
            document.scalar_text(field)
        wanted = [Violation("/a", "string", 1, "m", "schema/type"), *document.violations]
        for violation in locate(document, explain_scalars(document, wanted)):
            assert len(repr(violation)) < 2000
            repr(violation).encode()
        for violation in document.violations:
            assert violation.rule.startswith("document/")
            assert violation.line is not None
            assert (violation.line, violation.column) <= (violation.end_line, violation.end_column)
            document.text_of(violation.line)
    return found


@given(DATA, KINDS)
def test_reading_never_raises_and_ends_soon(data: bytes, kind: Kind | None) -> None:
    began = time.process_time()
    asked_everything(read(data, kind=kind))
    assert time.process_time() - began < 2


@given(DATA, KINDS)
def test_a_stream_gives_what_its_bytes_give(data: bytes, kind: Kind | None) -> None:
    whole = [(doc.value, doc.violations) for doc in read(data, kind=kind)]
    streamed = [(doc.value, doc.violations) for doc in read_file(BytesIO(data), kind=kind)]

    assert repr(streamed) == repr(whole)


@given(TEXTS)
def test_the_pure_python_parser_never_raises_either(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml_events, "parser_of", yaml_events.PurePythonParser)
        asked_everything(read(text.encode(), kind="yaml"))


SANE = [piece for piece in PIECES if not set(piece) & set("\t\ufeff!|>\x85\u2028?\r")]


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="this PyYAML was built without libyaml")
@given(st.lists(st.sampled_from(SANE), max_size=12).map("".join))
def test_both_parsers_give_the_same_values_and_rules(text: str) -> None:
    """Misused tabs, marks and indicators apart, on which the two parsers themselves disagree."""
    answers = []
    for parser_of in PARSERS.values():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(yaml_events, "parser_of", parser_of)
            documents = list(read(text.encode(), kind="yaml"))
        answers.append([(repr(doc.value), doc.readable, doc.line) for doc in documents])
    assert answers[0] == answers[1]
