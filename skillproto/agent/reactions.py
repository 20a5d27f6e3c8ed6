"""What an agent does next about an error, and why.

Pure. Follows Asixto's six reactions and MCP's recovery patterns: what is transient is tried again where
it happened, what is invalid is corrected there, and the rest is passed up.
"""

from typing import Literal, NamedTuple

from skillproto.agent.kinds import broken_side, category_of, has_overflowed, told_type_of
from skillproto.errors import ErrorCode, SkillError, is_retryable, retry_after_ms

Action = Literal["retry", "correct-input", "identify-again", "authenticate", "escalate", "change-flow", "give-up"]

FIRST_WAIT_MS = 1000
"""The least wait before a retry (SSP 9.5): a reply's hint only makes it longer."""


class Advice(NamedTuple):
    """What to do about an error.

    Attributes:
        action: what to do next.
        why: one sentence for whoever reads the log or steers the agent.
        delay_ms: for a retry, wait at least so long; None for every other action.
        most_retries: how many retries the reply still allows; None where it names no number.
        pass_up: whether an agent that works for another hands the error up to it, instead of
            dealing with it alone.
    """

    action: Action
    why: str
    delay_ms: int | None = None
    most_retries: int | None = None
    pass_up: bool = False


def reaction(error: SkillError) -> Advice:
    """Give what an agent does next about an error.

    Args:
        error: as the client raised it, or as `read_reply` gave it.

    Returns:
        The action with its reason. Whether the same call makes sense again is only said by
        "retry"; every other action needs something else to change first.

    Source: Asixto 06 (the six reactions); the recovery patterns of MCP tools.

    >>> reaction(SkillError("ENDPOINT_UNREACHABLE", "busy")).action
    'retry'
    >>> reaction(SkillError("EXECUTION_FAILED", "No such order", details={"error_type": "NOT_FOUND"})).action
    'identify-again'
    """
    by_code = _BY_CODE.get(error.code)
    if by_code is not None:
        return by_code
    if has_overflowed(error):
        return _OVERFLOW
    if error.code is ErrorCode.VALIDATION_ERROR:
        return _BROKEN_OUTPUT if broken_side(error) == "tool_output" else _CORRECT
    return _by_kind(error)


def _by_kind(error: SkillError) -> Advice:
    category, told = category_of(error), told_type_of(error)
    if category == "transient" or (category is None and is_retryable(error)):
        return _again(error)
    if category == "validation":
        return _IDENTIFY if told == "NOT_FOUND" else _CORRECT
    if category == "business":
        return _BLOCKED if told == "BLOCKER" else _RULE
    return _ESCALATE if category == "permission" else _UNCLEAR


def _again(error: SkillError) -> Advice:
    most = error.retry.max_attempts if error.retry is not None else None
    in_doubt = error.details.get("may_have_run") is True
    if not is_retryable(error) or most == 0:
        return _IN_DOUBT if in_doubt else _NOT_AGAIN
    why = _UNDER_ITS_KEY if in_doubt else _TRANSIENT
    return Advice("retry", why, max(FIRST_WAIT_MS, retry_after_ms(error) or 0), most)


_TRANSIENT = "The failure is technical and may pass, so the same call can succeed later."
_UNDER_ITS_KEY = (
    "The failure may pass but the skill may have run, so repeat the same call under its idempotency key alone."
)
_IN_DOUBT = Advice(
    "give-up",
    "The skill may have run and trying again is ruled out, so find out what became of it before saying either.",
    pass_up=True,
)
_NOT_AGAIN = Advice(
    "give-up",
    "The failure is technical, but trying again is ruled out, so say that it does not work at the moment.",
    pass_up=True,
)
_CORRECT = Advice("correct-input", "The input is not accepted as it is, so correct what is named and call again.")
_BROKEN_OUTPUT = Advice(
    "escalate",
    "The answer breaks its own contract, so another call gives the same and whoever provides it has to repair it.",
    pass_up=True,
)
_OVERFLOW = Advice(
    "correct-input", "The conversation is longer than the model can read, so shorten it before the next call."
)
_IDENTIFY = Advice(
    "identify-again", "Nothing is known under these details, so verify what identifies it before going on."
)
_BLOCKED = Advice(
    "change-flow", "Something on the account forbids it, so explain that and go on to settling it.", pass_up=True
)
_RULE = Advice(
    "change-flow",
    "A rule of the business forbids it whatever is sent, so explain it and take another way.",
    pass_up=True,
)
_ESCALATE = Advice(
    "escalate",
    "This caller may not do it, so hand over to a person; on the telephone, offer to transfer.",
    pass_up=True,
)
_UNCLEAR = Advice(
    "give-up", "Nothing tells what went wrong, so neither a retry nor a correction is known to help.", pass_up=True
)
_BY_CODE = {
    ErrorCode.AUTH_REQUIRED: Advice(
        "authenticate", "The call needs valid credentials, so get or renew them before calling again.", pass_up=True
    ),
    ErrorCode.PERMISSION_DENIED: _ESCALATE,
    ErrorCode.SKILL_NOT_FOUND: Advice(
        "identify-again", "No skill is known under this id or address, so verify which skill is meant."
    ),
    ErrorCode.VERSION_INCOMPATIBLE: Advice(
        "escalate", "The protocol versions do not fit, so somebody has to update one of the two sides.", pass_up=True
    ),
    ErrorCode.CANCELLED: Advice(
        "give-up", "The call was cancelled on purpose, so start it again only if it is asked for again."
    ),
}
