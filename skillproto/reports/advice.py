"""What each error code means and what to do about it, in words for people.

The text behind `skillproto explain`; what a rule means stands in the catalogue of rules.
"""

from typing import NamedTuple

from skillproto.errors import ErrorCode
from skillproto.violations import JSONValue


class Advice(NamedTuple):
    """When a code comes, and what to do then."""

    when: str
    do: str


ADVICE = {
    ErrorCode.VALIDATION_ERROR: Advice(
        "A descriptor, an input or an output breaks its contract. Found locally, before anything is sent, "
        "or after the output came.",
        "Correct what details.violations names: each has a JSON Pointer, what was expected and what was there.",
    ),
    ErrorCode.AUTH_REQUIRED: Advice(
        "No credentials came with the request, or they are not valid any more.",
        "Get credentials of the kind that the descriptor's auth asks for, and pass them to the client. "
        "On the command line: --credentials-env NAME.",
    ),
    ErrorCode.PERMISSION_DENIED: Advice(
        "The credentials are valid, but give no access to this skill.",
        "Ask the provider for access, or use other credentials. The same request will be refused again.",
    ),
    ErrorCode.SKILL_NOT_FOUND: Advice(
        "The skill's id, its address or the descriptor's address is not known there.",
        "Compare the address with the provider's index at /.well-known/skill-sharing.",
    ),
    ErrorCode.EXECUTION_TIMEOUT: Advice(
        "The execution took longer than its timeout, or the caller's own deadline came first.",
        "It was retried already. Give more time (timeout_ms), or less work. An execution that goes on "
        "can be waited for again by details.execution_id.",
    ),
    ErrorCode.ENDPOINT_UNREACHABLE: Advice(
        "The endpoint refused, reset or never opened the connection, is down for a while, or asks for fewer calls.",
        "It was retried already. Check the address and the network; details.reason says what happened. "
        "After rate_limited, call less often.",
    ),
    ErrorCode.VERSION_INCOMPATIBLE: Advice(
        "The descriptor is written for another major version of the protocol.",
        "Upgrade the side that is behind; details.upgrade_url may say how. Trying again does not help.",
    ),
    ErrorCode.EXECUTION_FAILED: Advice(
        "The skill ran, and reported a failure inside a successful reply.",
        "Read the message: it is the skill's own. It was retried only if the reply said that this helps.",
    ),
    ErrorCode.CANCELLED: Advice(
        "The caller, or the provider, cancelled the execution.",
        "Nothing, if that was the wish; else start it again.",
    ),
    ErrorCode.UNKNOWN: Advice(
        "A failure that no other code fits, such as a reply that is no JSON, is cut short or too large.",
        "Look at details: what was seen of the reply, and the provider's own code if it gave one.",
    ),
}


def code_to_dict(code: ErrorCode) -> dict[str, JSONValue]:
    """Give everything that is known of a code, as JSON.

    >>> code_to_dict(ErrorCode.EXECUTION_TIMEOUT)["http_statuses"]
    [408, 504]
    """
    return {
        "code": code.value,
        "when": ADVICE[code].when,
        "do": ADVICE[code].do,
        "http_statuses": list(code.http_statuses),
        "retried": retried(code),
        "category": code.category,
        "reaction": code.reaction,
        "extension": code.is_extension,
    }


def retried(code: ErrorCode) -> str:
    """Say in a word or two whether the client tries again: "yes", "no" or "if the reply says so".

    >>> retried(ErrorCode.UNKNOWN)
    'if the reply says so'
    """
    if code in (ErrorCode.EXECUTION_FAILED, ErrorCode.UNKNOWN):
        return "if the reply says so"
    return "yes" if code.retryable else "no"
