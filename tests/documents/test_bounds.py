"""Time grows with the size of a text and no faster, whatever the text."""

import gc
import time
from collections.abc import Callable

import pytest

from skillproto.documents import Kind, Limits, locate, read
from skillproto.violations import Violation

RECORD = '{"id":"a.b","name":"é😀 x","tags":["a","b"],"n":1.5}'
ITEM = "- id: a.b\n  name: é😀 x\n  tags: [a, b]\n  n: 1.5\n"
WIDE = Limits(max_bytes=10**9, max_nodes=10**9, max_aliases=10**9, max_documents=10**9)
GROWTH, ALLOWED = 20, 30
TRIES = 4

TEXTS: dict[str, tuple[Kind, Callable[[int], str]]] = {
    "json": ("json", lambda n: f"[{','.join([RECORD] * n)}]"),
    "json-cut": ("json", lambda n: f"[{','.join([RECORD] * n)},"),
    "json-duplicates": ("json", lambda n: "{" + ",".join(['"a":1'] * n) + "}"),
    "json-not-numbers": ("json", lambda n: "[" + "NaN," * n + "1]"),
    "json-escapes": ("json", lambda n: '["' + "\\n" * n + '\\ud800"]'),
    "json-open-string": ("json", lambda n: '["' + "\\n" * n),
    "json-open-arrays": ("json", lambda n: "[" * n),
    "json-spaces": ("json", lambda n: " " * n + "x"),
    "json-digits": ("json", lambda n: "9" * n),
    "json-lone-returns": ("json", lambda n: "[" + "1,\r" * n + "]"),
    "json-lines": ("jsonl", lambda n: (RECORD + "\n") * n),
    "json-lines-bad": ("jsonl", lambda n: (RECORD[:-1] + "\n") * n),
    "yaml": ("yaml", lambda n: ITEM * n),
    "yaml-cut": ("yaml", lambda n: ITEM * n + "x: [\n"),
    "yaml-flow": ("yaml", lambda n: "[" + "{a: 1}, " * n + "]"),
    "yaml-duplicates": ("yaml", lambda n: "a: 1\n" * n),
    "yaml-documents": ("yaml", lambda n: "---\na: 1\n" * n),
    "yaml-bad-documents": ("yaml", lambda n: "---\n]\n" * n),
    "yaml-aliases": ("yaml", lambda n: "- &a x\n" + "- *a\n" * n),
    "yaml-tags": ("yaml", lambda n: "- !x y\n" * n),
    "yaml-directives": ("yaml", lambda n: "%TAG !a! b\n" * n + "---\na"),
    "yaml-open-lists": ("yaml", lambda n: "[\n" * n),
    "yaml-dashes": ("yaml", lambda n: "- " * n),
    "yaml-long-text": ("yaml", lambda n: "a: " + "word\n  " * n),
    "yaml-open-quote": ("yaml", lambda n: "a: 'x\n " * n),
    "yaml-comments": ("yaml", lambda n: "# x\n" * n + "a: 1\n" + "# y\n" * n),
    "yaml-blank-lines": ("yaml", lambda n: "a: 1\n" + "\r" * n + "b: @"),
}


def seconds(text: str, kind: Kind) -> float:
    data = text.encode()
    gc.collect()
    began = time.process_time()
    for document in read(data, kind=kind, limits=WIDE):
        wanted = [Violation(f"/{index}/name", "x", 1, "m", "schema/type") for index in range(3)]
        locate(document, [*wanted, *document.violations])
        document.key_position("/0/tags")
        document.scalar_text("/0/n")
    return time.process_time() - began


@pytest.mark.parametrize("name", TEXTS)
def test_twenty_times_the_size_takes_at_most_thirty_times_the_time(name: str) -> None:
    kind, text = TEXTS[name]
    small, large = text(50), text(50 * GROWTH)

    growth = []
    for _ in range(TRIES):
        least = min(seconds(small, kind) for _ in range(5))
        growth.append(seconds(large, kind) / least)
        if growth[-1] <= ALLOWED:
            break
    assert min(growth) <= ALLOWED
