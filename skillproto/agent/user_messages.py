"""What a user hears about an error: `user_message` writes it, `lint_user_message` checks it.

Pure. A provider's own sentence is used where it is meant for users, keeps the rules and is in the
language asked for; a failing system is only ever told in our own words.
"""

from skillproto.agent.kinds import broken_side, category_of, has_overflowed, told_type_of
from skillproto.agent.wording import LOCALES, Locale, internals_in, language_of, sentence
from skillproto.errors import ErrorCode, SkillError, UsageError, is_retryable
from skillproto.invocation.excerpts import MESSAGE_CHARS, excerpt
from skillproto.invocation.replies import own_words
from skillproto.rules.texts import instruction_in
from skillproto.rules.user_messages import check_user_message
from skillproto.violations import Violation

UNKNOWN_TOOL = "unknown_tool"
"""The word under `details.reason` for a tool that a model called and nobody has."""

_SAID_BY_REPLIES = (ErrorCode.EXECUTION_FAILED, ErrorCode.UNKNOWN)


def lint_user_message(text: str) -> list[Violation]:
    """Check the text of a user_message.

    Returns:
        One violation for each demand that the text breaks, named in `details["broken"]`:
        too-long, identifier, system-name, blame, apology, instruction, personal-data. English
        and Spanish are read.

    Raises:
        UsageError: it is no text.

    Source: Asixto 06.

    >>> [v.details["broken"] for v in lint_user_message("La base de datos no responde.")]
    ['system-name']
    """
    if not isinstance(text, str):
        raise UsageError(f"a user_message is a text, not a {type(text).__name__}")
    return check_user_message(text, at="")


def user_message(error: SkillError, locale: Locale = "en") -> str:
    """Write what a user is told about an error.

    Args:
        error: any failed call.
        locale: "en", or "es" for neutral Spanish with usted.

    Returns:
        One or two sentences that `lint_user_message` finds nothing in. Where the system fails, they
        never say that something does not exist.

    Raises:
        UsageError: there are no sentences in this locale.

    Source: Asixto 06.

    >>> user_message(SkillError("ENDPOINT_UNREACHABLE", "refused"))
    "I can't do that right now. Shall we try again?"
    >>> error = SkillError("EXECUTION_FAILED", "La cita ya está cancelada.", details={"error_type": "VALIDATION"})
    >>> user_message(error, "es"), user_message(error, "en")
    ('La cita ya está cancelada.', 'Some of the details need a correction before I can continue.')
    """
    if locale not in LOCALES:
        raise UsageError(f"no sentences in the locale {locale!r}; there are: {', '.join(LOCALES)}")
    words = words_for_models(error) if error.code in _SAID_BY_REPLIES else None
    if words is not None and language_of(words) == locale and not lint_user_message(words):
        return words
    return sentence(_situation(error), locale)


def words_for_models(error: SkillError) -> str | None:
    """Give the error's own words, where they may reach a model; None where they may not.

    They may where the model named a tool that does not exist, since they say what it is called; and
    where a skill itself reported the failure, the failure is not a technical one, and the words are
    whole, hold nothing internal and give no orders.

    >>> error = SkillError("EXECUTION_FAILED", "The maximum discount is 30%.", details={"category": "business"})
    >>> words_for_models(error)
    'The maximum discount is 30%.'
    >>> words_for_models(SkillError("EXECUTION_FAILED", "KeyError: 'tax'")) is None
    True
    """
    if error.code is ErrorCode.SKILL_NOT_FOUND and error.details.get("reason") == UNKNOWN_TOOL:
        return error.message if len(error.message) < MESSAGE_CHARS and not internals_in(error.message) else None
    if error.code not in _SAID_BY_REPLIES or category_of(error) == "transient" or has_overflowed(error):
        return None
    if error.code is ErrorCode.UNKNOWN and told_type_of(error) is None:
        return None
    if error.message == own_words(error.code, error.http_status):
        return None
    words = excerpt(error.message).strip()
    if not words or words != error.message.strip() or words.endswith("…"):
        return None
    return None if internals_in(words) or instruction_in(words) else words


def _situation(error: SkillError) -> str:
    if has_overflowed(error):
        return "overflow"
    if error.code is ErrorCode.VALIDATION_ERROR:
        return "output" if broken_side(error) == "tool_output" else "input"
    by_code = _BY_CODE.get(error.code)
    return by_code or _by_kind(error)


def _by_kind(error: SkillError) -> str:
    category, told = category_of(error), told_type_of(error)
    match category:
        case "transient":
            return _technical(error)
        case "validation":
            return "not-found" if told == "NOT_FOUND" else "input"
        case "business":
            return "blocked" if told == "BLOCKER" else "rule"
        case "permission":
            return "denied"
        case _:
            return "unconfirmed" if error.details.get("may_have_run") is True else "unclear"


def _technical(error: SkillError) -> str:
    if error.details.get("may_have_run") is True:
        return "unconfirmed"
    again = is_retryable(error) and not (error.retry is not None and error.retry.max_attempts == 0)
    if error.code is ErrorCode.EXECUTION_TIMEOUT:
        return "late" if again else "late-final"
    if error.details.get("reason") == "rate_limited" and again:
        return "busy"
    return "down" if again else "down-final"


_BY_CODE = {
    ErrorCode.AUTH_REQUIRED: "sign-in",
    ErrorCode.PERMISSION_DENIED: "denied",
    ErrorCode.SKILL_NOT_FOUND: "no-skill",
    ErrorCode.VERSION_INCOMPATIBLE: "outdated",
    ErrorCode.CANCELLED: "cancelled",
}
