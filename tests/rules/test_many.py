"""Many documents: results as they come, files that cannot be read included."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillproto import UnknownSchemaError, Validator, validate_many
from skillproto.documents import Limits

GOOD = Path("examples/translate.json")


def test_paths_and_documents_may_be_mixed_and_keep_their_order(tmp_path: Path) -> None:
    lines = tmp_path / "many.jsonl"
    lines.write_bytes(GOOD.read_bytes().replace(b"\n", b" ") + b"\n{}\nnot json\n")
    results = list(validate_many([json.loads(GOOD.read_text()), GOOD, str(lines), tmp_path / "missing.json", {}]))
    assert [(Path(result.source).name, result.index, result.is_valid) for result in results] == [
        ("#0", 0, True),
        ("translate.json", 0, True),
        ("many.jsonl", 0, True),
        ("many.jsonl", 1, False),
        ("many.jsonl", 2, False),
        ("missing.json", 0, False),
        ("#4", 0, False),
    ]
    assert results[4].violations[0].line == 3
    assert results[5].unreadable == "No such file or directory"


def test_a_source_is_taken_only_when_the_one_before_is_done() -> None:
    taken = 0

    def endless() -> Iterator[Any]:
        nonlocal taken
        while True:
            taken += 1
            yield {}

    results = validate_many(endless())
    next(results)
    next(results)
    assert taken == 2


def test_the_limits_hold(tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text("[" * 9 + "]" * 9)
    (result,) = validate_many([path], limits=Limits(max_depth=5))
    assert [violation.rule for violation in result.violations] == ["document/too-deep"]


def test_an_unknown_schema_is_told_before_anything_is_read() -> None:
    with pytest.raises(UnknownSchemaError):
        validate_many([], schema="nothing")


def test_threads_share_a_validator() -> None:
    validator = Validator()
    good = json.loads(GOOD.read_text())
    found: list[int] = []

    def work() -> None:
        bad = good | {"access": "x"}
        found.extend(len(validator.validate(good)) + len(validator.validate(bad)) for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1] * 400
