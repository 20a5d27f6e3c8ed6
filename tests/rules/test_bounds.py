"""No document takes long, whatever it holds: each of these is of a size that a text may have."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from skillproto.rules import check_user_message, validate
from tests.rules.support import with_members, with_parameter

COSTLY = {
    "type": ["string", "null"],
    "not": {"anyOf": [{"allOf": [{"minLength": 0}] * 60 + [{"minLength": 9000 + n}]} for n in range(60)]},
}
DOCUMENTS: dict[str, Callable[[], dict[str, Any]]] = {
    "line breaks before a role": lambda: with_members(**{"x-note": "user" + "\n" * 20_000 + "x"}),
    "spaces after an order": lambda: with_members(**{"x-note": ("ignore" + " " * 5_000) * 4}),
    "words after an order": lambda: with_members(**{"x-note": "ignore a b c d e f " * 1_000 + " rules"}),
    "modal verbs": lambda: with_members(**{"x-note": "you must " * 2_000}),
    "a token that never ends": lambda: with_members(**{"x-note": "eyJaaaaaaaaaa-" * 50_000}),
    "markers of keys": lambda: with_members(**{"x-note": "-----BEGIN A " * 50_000}),
    "bearers": lambda: with_members(**{"x-note": "bearer " * 50_000}),
    "half a million invisible characters": lambda: with_members(**{"x-note": "\u200b" * 500_000}),
    "unknown members": lambda: with_members(**{f"descriptio{n}": n for n in range(20_000)}),
    "wrong excuses": lambda: with_members(**{"x-skillproto-ignore": [f"schema/typ{n}" for n in range(20_000)]}),
    "many excuses": lambda: with_members(**{f"m{n}": {"x-skillproto-ignore": ["schema/type"]} for n in range(5_000)}),
    "a costly schema": lambda: with_parameter(schema=COSTLY, examples=["x" * n for n in range(500)]),
    "many parameters": lambda: with_members(
        inputs=[{"name": f"p{n}", "type": "string", "default": 1} for n in range(5_000)]
    ),
    "a host of dots": lambda: with_members(documentation_url="https://" + "1." * 900 + "com/"),
}


@pytest.mark.parametrize("make", DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_document_takes_bounded_time(make: Callable[[], dict[str, Any]]) -> None:
    document = make()
    began = time.process_time()
    validate(document)
    assert time.process_time() - began < 6


@pytest.mark.parametrize(
    "text",
    [
        "a" * 100_000,
        "." * 50_000 + "x",
        "a.b+c" * 20_000,
        "1 " * 50_000,
        "sorry " * 20_000,
        "\n" * 50_000 + "user:",
        "a_" * 50_000,
    ],
)
def test_a_user_message_takes_bounded_time(text: str) -> None:
    began = time.process_time()
    check_user_message(text)
    assert time.process_time() - began < 2


def test_checks_that_had_to_be_given_up_are_one_finding_and_never_a_pass() -> None:
    violations = validate(with_parameter(schema=COSTLY, examples=["x"] * 1000))
    assert [v.rule for v in violations if v.severity == "error"] == ["descriptor/schema-too-complex"]
