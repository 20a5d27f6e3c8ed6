"""The words in which model gateways and model providers name a failure, and what each means in our codes.

Pure tables and patterns. Names are compared in lower case and without their underscores, so that
`RESOURCE_EXHAUSTED`, `rate_limit_error` and `ThrottlingException` are told apart by what they mean alone.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from skillproto.errors import ErrorCode

CONTEXT_OVERFLOW = "context_overflow"
"""The word under `details.reason` for a conversation that is longer than the model can read."""


class Meaning(NamedTuple):
    """What a name means: the code, a short word for the reason, and whether trying again can help."""

    code: ErrorCode
    reason: str
    retryable: bool


OVERFLOW = Meaning(ErrorCode.VALIDATION_ERROR, CONTEXT_OVERFLOW, retryable=False)
UNUSABLE = Meaning(ErrorCode.UNKNOWN, "invalid_request", retryable=False)
BROKEN = Meaning(ErrorCode.UNKNOWN, "server_error", retryable=True)
BUSY = Meaning(ErrorCode.ENDPOINT_UNREACHABLE, "rate_limited", retryable=True)
OVERLOADED = Meaning(ErrorCode.ENDPOINT_UNREACHABLE, "overloaded", retryable=True)
UPSTREAM = Meaning(ErrorCode.ENDPOINT_UNREACHABLE, "upstream_failed", retryable=True)
LATE = Meaning(ErrorCode.EXECUTION_TIMEOUT, "timeout", retryable=True)
UNPAID = Meaning(ErrorCode.PERMISSION_DENIED, "quota_exhausted", retryable=False)
REFUSED = Meaning(ErrorCode.PERMISSION_DENIED, "not_allowed", retryable=False)
UNKNOWN_KEY = Meaning(ErrorCode.AUTH_REQUIRED, "invalid_credentials", retryable=False)
NO_MODEL = Meaning(ErrorCode.SKILL_NOT_FOUND, "model_not_found", retryable=False)
FILTERED = Meaning(ErrorCode.EXECUTION_FAILED, "content_policy", retryable=False)

_NAMES = {
    OVERFLOW: """context_length_exceeded context_window_exceeded model_context_window_exceeded prompt_too_long
        request_too_large content_too_large context_window_exceeded_error exceed_context_size_error""",
    UNPAID: """insufficient_quota insufficient_credits billing_error billing_hard_limit_reached payment_required
        budget_exceeded project_budget_exceeded contract_spend_limit_reached enforced_spend_limit_reached
        linked_organization_spend_limit_reached key_limit_exceeded service_quota_exceeded_exception""",
    UNKNOWN_KEY: """invalid_api_key authentication_error unauthenticated unauthorized invalid_authentication
        unrecognized_client_exception expired_token_exception invalid_signature_exception""",
    REFUSED: "permission_error permission_denied access_denied_exception forbidden blocked_by_policy",
    NO_MODEL: """model_not_found not_found_error not_found resource_not_found_exception deployment_not_found
        unsupported_model_or_endpoint""",
    FILTERED: "content_filter content_policy_violation moderation_blocked guardrail_blocked",
    BUSY: """rate_limit_error rate_limit_exceeded resource_exhausted throttling_exception too_many_requests
        too_many_requests_exception provisioned_throughput_exceeded_exception""",
    OVERLOADED: """overloaded_error unavailable service_unavailable service_unavailable_exception
        model_not_ready_exception model_overloaded engine_overloaded""",
    UPSTREAM: "upstream_error provider_error provider_unavailable no_available_provider bad_gateway",
    LATE: "timeout_error deadline_exceeded model_timeout_exception request_timeout gateway_timeout timeout",
    BROKEN: """api_error server_error internal_error internal internal_server_error internal_server_exception
        model_error_exception model_stream_error_exception conflict_error""",
    UNUSABLE: "invalid_request_error invalid_argument validation_exception validation_error bad_request",
}
_STATUSES = {
    400: UNUSABLE,
    401: UNKNOWN_KEY,
    402: UNPAID,
    403: REFUSED,
    404: NO_MODEL,
    408: LATE,
    409: BROKEN,
    413: OVERFLOW,
    422: UNUSABLE,
    429: BUSY,
    498: UNKNOWN_KEY,
    500: BROKEN,
    502: UPSTREAM,
    503: OVERLOADED,
    504: LATE,
    524: LATE,
    529: OVERLOADED,
}


def _plain(name: str) -> str:
    return re.sub("[^a-z0-9]", "", name.lower())


_MEANINGS = {_plain(name): meaning for meaning, names in _NAMES.items() for name in names.split()}
_ORDER = list(_NAMES)

_TOO_LONG = re.compile(
    r"(?i)\b(?:prompt|input|conversation|context)s?\s+(?:is\s+|are\s+)?too\s+(?:long|large)\b"
    r"|\bcontext[\s_-]?(?:length|window|limit|size)s?[\s_-]+(?:is\s+|was\s+|has\s+been\s+)?(?:exceed|overflow)"
    r"|\bexceed\w*\b[^.;]{0,80}\bcontext[\s_-]?(?:length|window|limit|size)"
    r"|\b(?:longer|greater|larger|more)\s+than\s+the\s+(?:model'?s\s+)?(?:maximum\s+)?context"
    r"|\bmaximum\s+(?:context|prompt|input)\s+length\b|\breduce\s+the\s+length\s+of\s+(?:the|your)\s+(?:messages|prompt|input)"
    r"|\b(?:input\s+)?tokens?(?:\s+count)?\b[^.;]{0,40}\bexceed\w*\s+the\s+(?:maximum|limit|model)"
    r"|\bexceed\w*\s+(?:the\s+)?(?:model'?s?\s+)?(?:max\w*\s+)?(?:number\s+of\s+)?(?:input\s+)?tokens?\s*(?:limit|allowed|count)?\b"
    r"|\btoo\s+many\s+(?:input\s+)?tokens\b|\btoken\s+limit\s+(?:was\s+)?exceeded\b|\bmax\w*\s+input\s+tokens\b"
    r"|\brange\s+of\s+input\s+length\s+should\s+be\b|\brequest_too_large\b|\brequest\s+exceeds\s+the\s+maximum\s+(?:allowed\s+)?size"
    r"|\bprompt\s+has\s+[\d,]+\s+tokens?\b"
)
_ABOUT_RATE = re.compile(
    r"(?i)\brate[\s_-]?limit|\btoo\s+many\s+requests\b|\bper[\s_-](?:min|minute|hour|day|second)|\b[tr]p[md]\b"
    r"|\bthrottl|\bplease\s+wait\b|\btry\s+again\s+in\b|\bquota\b"
)


def speaks_of_overflow(text: str) -> bool:
    """Say whether an error's text says that the conversation is longer than the model can read.

    >>> speaks_of_overflow("prompt is too long: 208310 tokens > 200000 maximum")
    True
    >>> speaks_of_overflow("Too many tokens, please wait before trying again.")
    False
    """
    text = text[:4000]
    return bool(_TOO_LONG.search(text)) and not _ABOUT_RATE.search(text)


def meaning_of(names: Iterable[str], texts: Iterable[str], http_status: int | None) -> Meaning | None:
    """Find what a failure means: by the names that it carries, then by its text, then by its status.

    The surest names stand first, so that a quota that is used up under a 429 is no rate limit.

    >>> meaning_of(["insufficient_quota"], [], 429).reason, meaning_of([], [], 529).reason
    ('quota_exhausted', 'overloaded')
    """
    found = [meaning for meaning in map(_MEANINGS.get, map(_plain, names)) if meaning is not None]
    named = min(found, key=_ORDER.index, default=None)
    by_status = _STATUSES.get(http_status or 0) or (BROKEN if (http_status or 0) >= 500 else None)
    if named in (None, UNUSABLE, BROKEN, UPSTREAM) and by_status is not BUSY and any(map(speaks_of_overflow, texts)):
        return OVERFLOW
    if named in (None, UNUSABLE) and by_status is not None:
        return by_status
    return named
