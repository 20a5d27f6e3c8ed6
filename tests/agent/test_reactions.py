"""What an agent does next, written out by hand for every code, category and error_type."""

from typing import Any

import pytest

from skillproto.agent.reactions import Advice, reaction
from skillproto.errors import ErrorCode, RetryHint, SkillError, ValidationFailed
from skillproto.rules.user_messages import sentence_count
from skillproto.violations import Violation

TABLE: list[tuple[str, dict[str, Any], bool | None, str, bool]] = [
    # code, details, the reply's word on trying again, action, passed up
    ("VALIDATION_ERROR", {}, None, "correct-input", False),
    ("VALIDATION_ERROR", {"target": "tool_input"}, None, "correct-input", False),
    ("VALIDATION_ERROR", {"target": "tool_output"}, None, "escalate", True),
    ("VALIDATION_ERROR", {"target": "agent_output"}, None, "escalate", True),
    ("VALIDATION_ERROR", {"violations": [{"field": "/inputs/n"}]}, None, "correct-input", False),
    ("VALIDATION_ERROR", {"violations": [{"field": "/output/n"}]}, None, "escalate", True),
    ("VALIDATION_ERROR", {"reason": "context_overflow"}, None, "correct-input", False),
    ("AUTH_REQUIRED", {}, None, "authenticate", True),
    ("AUTH_REQUIRED", {}, True, "authenticate", True),
    ("PERMISSION_DENIED", {}, None, "escalate", True),
    ("PERMISSION_DENIED", {"reason": "quota_exhausted"}, False, "escalate", True),
    ("SKILL_NOT_FOUND", {}, None, "identify-again", False),
    ("SKILL_NOT_FOUND", {"reason": "unknown_tool"}, None, "identify-again", False),
    ("EXECUTION_TIMEOUT", {}, None, "retry", False),
    ("EXECUTION_TIMEOUT", {"may_have_run": True}, None, "retry", False),
    ("EXECUTION_TIMEOUT", {}, False, "give-up", True),
    ("EXECUTION_TIMEOUT", {"may_have_run": True}, False, "give-up", True),
    ("ENDPOINT_UNREACHABLE", {}, None, "retry", False),
    ("ENDPOINT_UNREACHABLE", {"reason": "rate_limited"}, None, "retry", False),
    ("ENDPOINT_UNREACHABLE", {"error_type": "NOT_FOUND"}, None, "retry", False),
    ("ENDPOINT_UNREACHABLE", {}, False, "give-up", True),
    ("VERSION_INCOMPATIBLE", {}, None, "escalate", True),
    ("CANCELLED", {}, None, "give-up", False),
    ("CANCELLED", {"category": "transient"}, True, "give-up", False),
    ("EXECUTION_FAILED", {}, None, "give-up", True),
    ("EXECUTION_FAILED", {}, True, "retry", False),
    ("EXECUTION_FAILED", {}, False, "give-up", True),
    ("EXECUTION_FAILED", {"error_type": "NOT_FOUND"}, None, "identify-again", False),
    ("EXECUTION_FAILED", {"error_type": "VALIDATION"}, None, "correct-input", False),
    ("EXECUTION_FAILED", {"error_type": "PERMISSION"}, None, "escalate", True),
    ("EXECUTION_FAILED", {"error_type": "SYSTEM"}, True, "retry", False),
    ("EXECUTION_FAILED", {"error_type": "SYSTEM"}, False, "give-up", True),
    ("EXECUTION_FAILED", {"error_type": "BLOCKER"}, None, "change-flow", True),
    ("EXECUTION_FAILED", {"error_type": "BLOCKER"}, True, "change-flow", True),
    ("EXECUTION_FAILED", {"error_type": "UNKNOWN"}, None, "give-up", True),
    ("EXECUTION_FAILED", {"category": "transient"}, True, "retry", False),
    ("EXECUTION_FAILED", {"category": "transient"}, False, "give-up", True),
    ("EXECUTION_FAILED", {"category": "validation"}, None, "correct-input", False),
    ("EXECUTION_FAILED", {"category": "validation"}, True, "correct-input", False),
    ("EXECUTION_FAILED", {"category": "business"}, None, "change-flow", True),
    ("EXECUTION_FAILED", {"category": "business"}, True, "change-flow", True),
    ("EXECUTION_FAILED", {"category": "permission"}, None, "escalate", True),
    ("EXECUTION_FAILED", {"category": "odd"}, None, "give-up", True),
    ("UNKNOWN", {}, None, "give-up", True),
    ("UNKNOWN", {}, True, "retry", False),
    ("UNKNOWN", {"error_type": "UNKNOWN"}, None, "give-up", True),
    ("UNKNOWN", {"reason": "cut_short"}, None, "give-up", True),
]


@pytest.mark.parametrize(("code", "details", "retryable", "action", "pass_up"), TABLE, ids=str)
def test_each_failure_has_its_reaction(
    code: str, details: dict[str, Any], retryable: bool | None, action: str, pass_up: bool
) -> None:
    advice = reaction(SkillError(code, "m", details=details, retryable=retryable))
    assert (advice.action, advice.pass_up) == (action, pass_up)
    assert (advice.delay_ms is not None) is (action == "retry")
    assert sentence_count(advice.why) == 1


def test_the_table_leaves_no_code_out() -> None:
    assert {row[0] for row in TABLE} == set(ErrorCode)


@pytest.mark.parametrize(
    ("hint", "delay_ms", "most"),
    [
        (None, 1000, None),
        (RetryHint(5000), 5000, None),
        (RetryHint(200, 3), 1000, 3),
        (RetryHint(None, 1), 1000, 1),
    ],
    ids=str,
)
def test_a_retry_waits_as_long_as_the_reply_asks_and_never_less_than_the_protocol(
    hint: RetryHint | None, delay_ms: int, most: int | None
) -> None:
    advice = reaction(SkillError("ENDPOINT_UNREACHABLE", "m", retry=hint))
    assert (advice.action, advice.delay_ms, advice.most_retries) == ("retry", delay_ms, most)


def test_a_reply_that_allows_no_retries_gets_none() -> None:
    assert reaction(SkillError("EXECUTION_TIMEOUT", "m", retry=RetryHint(1000, 0))).action == "give-up"


def test_a_call_that_may_have_run_is_only_repeated_under_its_key() -> None:
    assert "idempotency key" in reaction(SkillError("EXECUTION_TIMEOUT", "m", details={"may_have_run": True})).why


def test_violations_of_both_sides_are_the_inputs() -> None:
    wrong = [Violation(field, "x", 1, "m", "schema/type") for field in ("/inputs/a", "/output/b")]
    assert reaction(ValidationFailed.of(wrong)).action == "correct-input"
    assert reaction(ValidationFailed.of(wrong[1:])).action == "escalate"


def test_an_advice_is_a_plain_tuple() -> None:
    assert reaction(SkillError("CANCELLED", "m")) == Advice(
        "give-up", "The call was cancelled on purpose, so start it again only if it is asked for again."
    )
