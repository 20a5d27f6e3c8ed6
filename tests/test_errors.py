"""Errors as envelopes: what is written can be read again."""

import pickle
from typing import Any

import pytest

from skillproto import (
    AuthRequired,
    Cancelled,
    ErrorCode,
    RetryHint,
    SkillError,
    UsageError,
    ValidationFailed,
    Violation,
    is_retryable,
    validate,
)


@pytest.mark.parametrize("retryable", [None, True, False])
@pytest.mark.parametrize("code", list(ErrorCode))
def test_an_envelope_keeps_whether_trying_again_can_help(code: ErrorCode, retryable: bool | None) -> None:
    error = SkillError(code, "No", details={"a": [1]}, retry=RetryHint(5, 1), retryable=retryable)
    read = SkillError.from_dict(error.to_dict())
    assert (type(read), read.code, read.message, read.retry) == (type(error), code, "No", RetryHint(5, 1))
    assert is_retryable(read) is is_retryable(error)
    assert read.to_dict() == error.to_dict()


def test_an_envelope_says_nothing_that_its_code_says_already() -> None:
    envelope = {"error": {"code": "AUTH_REQUIRED", "message": "No"}}
    assert SkillError("AUTH_REQUIRED", "No", retryable=True).to_dict() == envelope


def test_violations_come_back_from_an_envelope() -> None:
    error = ValidationFailed.of(validate({"access": "everyone", "inputs": [{}]}))
    read = SkillError.from_dict(error.to_dict())
    assert isinstance(read, ValidationFailed)
    assert read.violations == error.violations
    assert len(read.violations) > 10


@pytest.mark.parametrize(
    "told",
    [
        None,
        "text",
        {"field": "/a"},
        {"field": "/a", "expected": "x", "actual": 1, "message": 5},
        {"field": "/a", "expected": "x", "actual": 1, "message": "m", "severity": "fatal"},
        {"field": "/a", "expected": "x", "message": "m"},
    ],
    ids=repr,
)
def test_what_is_no_violation_is_left_out(told: Any) -> None:
    assert Violation.from_dict(told) is None
    envelope = {"error": {"code": "VALIDATION_ERROR", "message": "m", "details": {"violations": [told]}}}
    read = SkillError.from_dict(envelope)
    assert isinstance(read, ValidationFailed)
    assert (read.violations, read.details["violations"]) == ((), [told])


def test_a_violation_with_the_protocols_four_members_is_enough() -> None:
    read = Violation.from_dict({"field": "/a", "expected": "x", "actual": None, "message": "m", "new": 1})
    assert read is not None
    assert (read.field, read.actual, read.severity) == ("/a", None, "error")


@pytest.mark.parametrize("value", [None, [], "text", 5, {}, {"error": None}, {"error": {"code": 1, "message": "m"}}])
def test_what_is_no_envelope_is_refused(value: Any) -> None:
    with pytest.raises(UsageError, match="not an error envelope"):
        SkillError.from_dict(value)


@pytest.mark.parametrize("code", [code for code in ErrorCode if code is not ErrorCode.AUTH_REQUIRED])
def test_a_class_and_its_code_never_disagree(code: ErrorCode) -> None:
    with pytest.raises(UsageError, match="AuthRequired is the class of AUTH_REQUIRED"):
        AuthRequired(code, "No")
    assert type(SkillError(code, "No")).code is code


def test_an_error_of_ones_own_may_have_any_code() -> None:
    class Own(SkillError):
        pass

    assert Own("AUTH_REQUIRED", "No").code is ErrorCode.AUTH_REQUIRED
    assert isinstance(pickle.loads(pickle.dumps(SkillError("CANCELLED", "No"))), Cancelled)
