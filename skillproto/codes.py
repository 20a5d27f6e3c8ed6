"""The error codes: the protocol's seven and this project's three."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal, Self

from skillproto.violations import JSONValue

Category = Literal["transient", "validation", "business", "permission"]
Reaction = Literal["NOT_FOUND", "VALIDATION", "PERMISSION", "SYSTEM", "BLOCKER", "UNKNOWN"]


class ErrorCode(StrEnum):
    """The ten codes. The first seven are the protocol's; the last three this project's.

    Attributes:
        http_statuses: the HTTP statuses that stand for the code; empty for none.
        retryable: whether trying again can help when the reply says nothing else.
        category: the tool-error category (MCP): transient, validation, business,
            permission, or None where only the reply can tell.
        reaction: the agent reaction (Asixto), or None where only the reply can tell.
        is_extension: True for the three that the protocol does not know.

    Source: SSP 9.2 and 9.5.

    >>> ErrorCode.EXECUTION_TIMEOUT.http_statuses, ErrorCode.EXECUTION_TIMEOUT.retryable
    ((408, 504), True)
    """

    http_statuses: tuple[int, ...]
    retryable: bool
    category: Category | None
    reaction: Reaction | None
    is_extension: bool

    def __new__(
        cls,
        value: str,
        http_statuses: tuple[int, ...] = (),
        retryable: bool = False,
        category: Category | None = None,
        reaction: Reaction | None = None,
        is_extension: bool = False,
    ) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.http_statuses = http_statuses
        member.retryable = retryable
        member.category = category
        member.reaction = reaction
        member.is_extension = is_extension
        return member

    VALIDATION_ERROR = ("VALIDATION_ERROR", (), False, "validation", "VALIDATION")
    AUTH_REQUIRED = ("AUTH_REQUIRED", (401,), False, "permission", "PERMISSION")
    PERMISSION_DENIED = ("PERMISSION_DENIED", (403,), False, "permission", "PERMISSION")
    SKILL_NOT_FOUND = ("SKILL_NOT_FOUND", (404,), False, "validation", "NOT_FOUND")
    EXECUTION_TIMEOUT = ("EXECUTION_TIMEOUT", (408, 504), True, "transient", "SYSTEM")
    ENDPOINT_UNREACHABLE = ("ENDPOINT_UNREACHABLE", (502, 503, 429), True, "transient", "SYSTEM")
    VERSION_INCOMPATIBLE = ("VERSION_INCOMPATIBLE", (422,), False, "validation", "VALIDATION")
    EXECUTION_FAILED = ("EXECUTION_FAILED", (), False, None, None, True)
    CANCELLED = ("CANCELLED", (), False, None, None, True)
    UNKNOWN = ("UNKNOWN", (), False, None, "UNKNOWN", True)


CODE_OF_STATUS: Mapping[int, ErrorCode] = {status: code for code in ErrorCode for status in code.http_statuses}


def known_code(value: JSONValue) -> ErrorCode | None:
    """Give the code that a text names, or None.

    >>> known_code("AUTH_REQUIRED"), known_code("QUOTA"), known_code(401)
    (<ErrorCode.AUTH_REQUIRED: 'AUTH_REQUIRED'>, None, None)
    """
    return ErrorCode.__members__.get(value) if isinstance(value, str) else None
