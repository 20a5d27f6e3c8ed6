"""Errors of model gateways and model providers, told in our codes."""

from skillproto.errors import SkillError

CONTEXT_OVERFLOW = "context_overflow"
"""The word under `details.reason` for a conversation that is longer than the model can read."""


def is_context_overflow(error: BaseException) -> bool:
    """Say whether a call failed because the conversation is longer than the model can read.

    >>> is_context_overflow(SkillError("VALIDATION_ERROR", "m", details={"reason": "context_overflow"}))
    True
    """
    return isinstance(error, SkillError) and error.details.get("reason") == CONTEXT_OVERFLOW
