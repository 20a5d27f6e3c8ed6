"""What is written for a model in any style is read back as the same outcome."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillproto.agent.reactions import reaction
from skillproto.agent.tool_results import STYLES, Style, to_tool_result
from skillproto.errors import ErrorCode, RetryHint, SkillError, ValidationFailed, is_retryable
from skillproto.invocation.replies import Reply, read_reply
from skillproto.violations import Violation

SCALARS = st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20) | st.sampled_from(
    ["[]", "null", "7", '{"error": "x"}', " ", "NaN", '"', "[[[[", "-", "1e999", "true", "\ufeff[]"]
)
NAMES = TEXTS | st.sampled_from(["output", "error", "status", "isError", "type", "role", "code", "message", "_meta"])
VALUES = st.recursive(
    SCALARS | TEXTS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=8
)
TRAPS: list[Any] = [
    {"error": {"code": "AUTH_REQUIRED", "message": "m"}},
    {"error": "none of ours"},
    {"output": 1},
    {"output": {"output": 1}},
    {"status": "failed"},
    {"status": "cancelled"},
    {"status": "running", "execution_id": "e"},
    {"isError": True, "content": []},
    {"type": "tool_result", "tool_use_id": "t", "is_error": True, "content": "x"},
    {"role": "tool", "tool_call_id": "t", "content": '{"error": "x"}'},
    {"error_type": "SYSTEM"},
    {"_meta": {"skillproto/output": "/structuredContent"}, "structuredContent": {"a": 1}},
    {"code": "X", "message": "m", "status": 502},
]
EMPTY: list[Any] = [[], {}, "", None, 0, False, {"resultados": [], "total": 0}, {"total": 0}]
VIOLATIONS = st.builds(
    lambda *members: Violation(*members),
    st.sampled_from(["/inputs/n", "/output/total", "/inputs/a~1b", ""]),
    st.sampled_from(["number", "one of: a, b"]),
    st.none() | st.integers(0, 99) | st.sampled_from(["x", "a longer text"]),
    st.sampled_from(["Wrong type", "Required field is missing"]),
    st.just("schema/type"),
)
WORDS = st.sampled_from(["No such order", "No encontré una cita con esos datos.", "KeyError: 'x'", "m", "", "x" * 900])
DETAILS = st.fixed_dictionaries(
    {},
    optional={
        "category": st.sampled_from(["transient", "validation", "business", "permission", "odd"]),
        "error_type": st.sampled_from(["NOT_FOUND", "VALIDATION", "PERMISSION", "SYSTEM", "BLOCKER", "UNKNOWN", "odd"]),
        "reason": st.sampled_from(["rate_limited", "deadline", "a stranger's: words", 7]),
        "code": st.sampled_from(["AUTH_REQUIRED", "E42"]),
        "retryable": st.booleans(),
        "may_have_run": st.booleans(),
        "provider_code": TEXTS,
        "other": VALUES,
    },
)
HINTS = st.none() | st.builds(
    lambda *members: RetryHint(*members), st.none() | st.integers(0, 90_000), st.integers(0, 5)
)


@st.composite
def errors(draw: st.DrawFn) -> SkillError:
    code = draw(st.sampled_from(ErrorCode))
    error = SkillError(
        code,
        draw(WORDS),
        details=draw(DETAILS),
        retry=draw(HINTS),
        http_status=draw(st.sampled_from([None, 200, 404, 503])),
        retryable=draw(st.sampled_from([None, True, False])),
    )
    if isinstance(error, ValidationFailed):
        error.violations = tuple(draw(st.lists(VIOLATIONS, max_size=3)))
    return error


def read_back(outcome: Any, style: Style) -> Reply | SkillError:
    return read_reply(200, {}, json.dumps(to_tool_result(outcome, style, call_id="call_1")))


def four(violations: tuple[Violation, ...]) -> list[tuple[Any, ...]]:
    return [(each.field, each.expected, each.actual, each.message) for each in violations]


@pytest.mark.parametrize("style", STYLES)
@given(error=errors())
@settings(max_examples=150, deadline=None)
def test_an_error_comes_back_as_the_same(style: Style, error: SkillError) -> None:
    again = read_back(error, style)
    assert isinstance(again, SkillError)
    assert again.code is error.code
    assert is_retryable(again) is is_retryable(error)
    assert again.retry == error.retry
    assert reaction(again) == reaction(error)
    if isinstance(error, ValidationFailed):
        assert isinstance(again, ValidationFailed)
        assert four(again.violations) == four(error.violations)


@pytest.mark.parametrize("style", STYLES)
@given(output=VALUES)
@settings(max_examples=150, deadline=None)
def test_an_output_comes_back_as_the_same(style: Style, output: Any) -> None:
    again = read_back(output, style)
    assert isinstance(again, Reply)
    assert again.is_finished
    assert again.has_output
    assert again.output == output
    assert type(again.output) is type(output)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("output", [*TRAPS, *EMPTY], ids=json.dumps)
def test_what_looks_like_an_error_or_like_nothing_is_still_an_output(style: Style, output: Any) -> None:
    again = read_back(output, style)
    assert isinstance(again, Reply)
    assert again.output == output


@pytest.mark.parametrize("style", STYLES)
@given(error=errors())
@settings(max_examples=40, deadline=None)
def test_handing_on_what_was_read_changes_nothing_more(style: Style, error: SkillError) -> None:
    once = read_back(error, style)
    twice = read_back(once, style)
    assert isinstance(once, SkillError)
    assert isinstance(twice, SkillError)
    assert (twice.code, is_retryable(twice), reaction(twice)) == (once.code, is_retryable(once), reaction(once))
