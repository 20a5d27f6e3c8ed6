"""What a contract reads, what it gives, and the tables that both sides share.

Pure values and small readers; `contracts` holds the contracts themselves.
"""

from collections.abc import Mapping
from typing import NamedTuple

from skillproto.errors import CODE_OF_STATUS, Category, ErrorCode, Reaction, RetryHint
from skillproto.violations import JSONValue, Violation


class Answer(NamedTuple):
    """A reply as a contract sees it.

    Attributes:
        http_status: of the reply.
        headers: with names in lower case.
        value: the parsed body; None also where it was empty or no JSON.
    """

    http_status: int
    headers: Mapping[str, str]
    value: JSONValue

    @property
    def succeeded(self) -> bool:
        """Whether HTTP calls it a success."""
        return 200 <= self.http_status < 300

    @property
    def members(self) -> Mapping[str, JSONValue]:
        """The body's members; none where it is no object."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def error(self) -> Mapping[str, JSONValue]:
        """The members of the body's `error`; none where it is no object."""
        error = self.members.get("error")
        return error if isinstance(error, dict) else {}


class Failure(NamedTuple):
    """A failure as a reply tells it. What is None is left to the HTTP status.

    Attributes:
        code: where the reply is certain of it.
        message: for people; masked and cut later.
        details: as JSON; masked and cut later.
        retry: the reply's hint, or None.
        retryable: whether the reply says that trying again can help.
        reaction: what kind of failure the reply says it is; the status may name the code
            only where it agrees.
        violations: what is wrong with the request, one by one.
    """

    code: ErrorCode | None = None
    message: str | None = None
    details: Mapping[str, JSONValue] = {}
    retry: RetryHint | None = None
    retryable: bool | None = None
    reaction: Reaction | None = None
    violations: tuple[Violation, ...] = ()


REPORTING = (400, 422)
"""The statuses under which a body may report what is wrong with the request."""

CATEGORY_OF_TYPE: Mapping[Reaction, Category] = {
    "NOT_FOUND": "validation",
    "VALIDATION": "validation",
    "PERMISSION": "permission",
    "SYSTEM": "transient",
    "BLOCKER": "business",
}
ERROR_TYPES: Mapping[str, Reaction] = {kind: kind for kind in (*CATEGORY_OF_TYPE, "UNKNOWN")}
REACTION_OF_CATEGORY: Mapping[str, Reaction] = {
    "transient": "SYSTEM",
    "validation": "VALIDATION",
    "business": "BLOCKER",
    "permission": "PERMISSION",
}


def code_where_agreeing(reaction: Reaction, http_status: int) -> ErrorCode:
    """Give the code of a status that says the same as the body, else EXECUTION_FAILED.

    So a body that blames the input is never retried because it came under a 503.

    >>> code_where_agreeing("SYSTEM", 503).value, code_where_agreeing("VALIDATION", 503).value
    ('ENDPOINT_UNREACHABLE', 'EXECUTION_FAILED')
    """
    if reaction == "VALIDATION" and http_status in REPORTING:
        return ErrorCode.VALIDATION_ERROR
    code = CODE_OF_STATUS.get(http_status)
    return code if code is not None and code.reaction == reaction else ErrorCode.EXECUTION_FAILED


def as_object(value: JSONValue) -> dict[str, JSONValue]:
    """Give a copy of an object's members; none where the value is something else.

    >>> as_object({"a": 1}), as_object([1])
    ({'a': 1}, {})
    """
    return dict(value) if isinstance(value, dict) else {}


def first_flag(*values: JSONValue) -> bool | None:
    """Give the first that is true or false, and nothing like it.

    >>> first_flag("yes", 1, False, True)
    False
    """
    return next((value for value in values if isinstance(value, bool)), None)


_SPEAKING = ("user_message", "message", "detail", "error_description", "description", "msg", "title")


def words_of(told: Mapping[str, JSONValue]) -> str | None:
    """Give the first member that usually holds words for people.

    >>> words_of({"title": "Busy", "detail": "Come back later"})
    'Come back later'
    """
    return next((told[name] for name in _SPEAKING if isinstance(told.get(name), str) and told[name].strip()), None)
