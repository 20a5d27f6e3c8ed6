"""What kind of failure an error is, in the two vocabularies that agents use.

Pure. The code decides where it says it; the codes that leave it to the reply (EXECUTION_FAILED and
UNKNOWN) are told apart by what the reply said: Asixto's `error_type`, MCP's category, or that
trying again can help.
"""

from typing import Literal

from skillproto.agent.gateway_words import CONTEXT_OVERFLOW
from skillproto.errors import Category, ErrorCode, Reaction, SkillError, ValidationFailed, is_retryable
from skillproto.invocation.failures import CATEGORY_OF_TYPE, ERROR_TYPES, REACTION_OF_CATEGORY

_CATEGORIES: dict[str, Category] = {category: category for category in CATEGORY_OF_TYPE.values()}
_TELLING = (ErrorCode.EXECUTION_FAILED, ErrorCode.UNKNOWN)
_WRITTEN: dict[Category, Reaction] = {**REACTION_OF_CATEGORY, "business": "VALIDATION"}  # type: ignore[dict-item]


def category_of(error: SkillError) -> Category | None:
    """Give the tool-error category (MCP); None where nothing tells it.

    >>> category_of(SkillError("EXECUTION_FAILED", "Closed", details={"error_type": "BLOCKER"}))
    'business'
    >>> category_of(SkillError("CANCELLED", "Stopped")) is None
    True
    """
    if error.code not in _TELLING:
        return error.code.category
    told = _CATEGORIES.get(str(error.details.get("category")))
    by_type = CATEGORY_OF_TYPE.get(told_type_of(error) or "UNKNOWN")
    return told or by_type or ("transient" if is_retryable(error) else None)


def told_type_of(error: SkillError) -> Reaction | None:
    """Give the `error_type` that the reply itself named; None where it named none.

    >>> told_type_of(SkillError("EXECUTION_FAILED", "m", details={"error_type": "NOT_FOUND"}))
    'NOT_FOUND'
    """
    return ERROR_TYPES.get(str(error.details.get("error_type"))) if error.code in _TELLING else None


def error_type_of(error: SkillError) -> Reaction:
    """Give the `error_type` (Asixto) under which an error is handed on.

    A rule of the business that the provider did not call a BLOCKER is a VALIDATION there: a
    BLOCKER sends the conversation to the billing flow, and is for unpaid or locked accounts alone.

    Source: Asixto 06.

    >>> error_type_of(SkillError("EXECUTION_TIMEOUT", "late")), error_type_of(SkillError("CANCELLED", "Stopped"))
    ('SYSTEM', 'UNKNOWN')
    >>> error_type_of(SkillError("EXECUTION_FAILED", "Too late to cancel", details={"category": "business"}))
    'VALIDATION'
    """
    told = told_type_of(error)
    if told not in (None, "UNKNOWN"):
        return told
    if error.code not in _TELLING:
        return error.code.reaction or "UNKNOWN"
    category = category_of(error)
    return _WRITTEN[category] if category else "UNKNOWN"


def broken_side(error: SkillError) -> Literal["tool_input", "tool_output"]:
    """Say which side of the contract a VALIDATION_ERROR speaks of: the input, unless all of it is about the output.

    >>> broken_side(SkillError("VALIDATION_ERROR", "m", details={"violations": [{"field": "/output/total"}]}))
    'tool_output'
    """
    if error.details.get("target") in ("tool_output", "agent_output"):
        return "tool_output"
    fields = [violation.field for violation in error.violations] if isinstance(error, ValidationFailed) else []
    told = error.details.get("violations")
    if not fields and isinstance(told, list):
        fields = [str(each.get("field")) for each in told if isinstance(each, dict)]
    of_output = [field == "/output" or field.startswith("/output/") for field in fields]
    return "tool_output" if of_output and all(of_output) else "tool_input"


def has_overflowed(error: SkillError) -> bool:
    """Say whether an error is marked as a conversation that is longer than the model can read.

    >>> has_overflowed(SkillError("VALIDATION_ERROR", "m", details={"reason": "context_overflow"}))
    True
    """
    return error.details.get("reason") == CONTEXT_OVERFLOW
