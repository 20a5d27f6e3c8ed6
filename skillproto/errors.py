"""The protocol's codes, the error envelope, and the exceptions that carry them.

    SkillprotoError                    everything that this package raises on purpose
    |-- SkillError                     a call that failed, told in one of the codes
    |   |-- ValidationFailed           VALIDATION_ERROR; has `violations`
    |   |-- AuthRequired               AUTH_REQUIRED
    |   |-- PermissionDenied           PERMISSION_DENIED
    |   |-- SkillNotFound              SKILL_NOT_FOUND
    |   |-- ExecutionTimeout           EXECUTION_TIMEOUT
    |   |-- EndpointUnreachable        ENDPOINT_UNREACHABLE
    |   |-- VersionIncompatible        VERSION_INCOMPATIBLE
    |   |-- ExecutionFailed            EXECUTION_FAILED (this project's)
    |   |-- Cancelled                  CANCELLED (this project's)
    |   `-- UnknownFailure             UNKNOWN (this project's)
    |-- UnknownSchemaError             no shipped schema has this name (a LookupError)
    `-- UsageError                     an argument that can never work (a ValueError)

A broken document is not an exception: it is a list of violations.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self, TypeGuard

from skillproto.codes import CODE_OF_STATUS as CODE_OF_STATUS
from skillproto.codes import Category as Category
from skillproto.codes import ErrorCode as ErrorCode
from skillproto.codes import Reaction as Reaction
from skillproto.codes import known_code as known_code
from skillproto.violations import JSONValue, Violation

LONGEST_HINT_MS = 365 * 24 * 3600 * 1000
"""A retry hint beyond this is taken for a mistake and ignored."""


class RetryHint(NamedTuple):
    """What a reply says about trying again; None where it says nothing usable.

    Attributes:
        suggested_delay_ms: come back no sooner than this.
        max_attempts: how many further attempts make sense; 0 means none.

    Source: SSP 9.3.
    """

    suggested_delay_ms: int | None = None
    max_attempts: int | None = None

    @classmethod
    def read(cls, value: JSONValue) -> "RetryHint | None":
        """Read `error.retry`. What is negative, fractional, huge or no number is ignored.

        >>> RetryHint.read({"suggested_delay_ms": 5000, "max_attempts": -1})
        RetryHint(suggested_delay_ms=5000, max_attempts=None)
        >>> RetryHint.read("soon") is None
        True
        """
        if not isinstance(value, Mapping):
            return None
        hint = cls(_whole(value.get("suggested_delay_ms")), _whole(value.get("max_attempts")))
        return hint if hint != cls() else None

    def to_dict(self) -> dict[str, int]:
        """Give the hint as `error.retry` writes it.

        >>> RetryHint(5000).to_dict()
        {'suggested_delay_ms': 5000}
        """
        return {key: value for key, value in self._asdict().items() if value is not None}


def _whole(value: JSONValue) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not 0 <= value <= LONGEST_HINT_MS or value != int(value):
        return None
    return int(value)


class Attempt(NamedTuple):
    """One try of a call, as it ended.

    Attributes:
        number: 1 for the first try.
        code: the error code, or None when the try succeeded.
        http_status: of the reply; None when no reply came.
        elapsed_ms: how long the try took.
        wait_ms: how long was waited after it; 0 after the last.
        reason: a short word for what happened, such as "refused" or "rate_limited".
    """

    number: int
    code: ErrorCode | None
    http_status: int | None
    elapsed_ms: int
    wait_ms: int = 0
    reason: str | None = None


class SkillprotoError(Exception):
    """The base of everything that skillproto raises on purpose."""


class UsageError(SkillprotoError, ValueError):
    """An argument that can never work, such as a policy with no attempts."""


class UnknownSchemaError(SkillprotoError, LookupError):
    """No shipped schema has this name."""


class SkillError(SkillprotoError):
    """A call of a skill that failed.

    Raised as the subclass of its code, so that `except AuthRequired` works as well as a
    look at `code`. It pickles, and its text holds no credentials.

    Raises:
        UsageError: a subclass is made with a code that is not its own.

    Attributes:
        code: an `ErrorCode`.
        message: what happened, for people.
        details: context, as JSON; "provider_code" keeps a code that the protocol does
            not know, "reason" a short word where one code has several causes.
        retry: the reply's `RetryHint`, or None.
        http_status: of the last reply, or None when there was none.
        request_id: the provider's name for the request, or None.
        attempts: how many requests to start the skill were made; 0 when it was refused locally.
        history: an `Attempt` for each.
        retryable: what the reply says about trying again, or None when it says nothing.
        answers: where the call was one of several that a model wanted: what became of each.

    Source: SSP 9.3.

    >>> SkillError(ErrorCode.SKILL_NOT_FOUND, "No skill has this id").to_dict()
    {'error': {'code': 'SKILL_NOT_FOUND', 'message': 'No skill has this id'}}
    """

    code: ErrorCode = ErrorCode.UNKNOWN
    answers: tuple[Any, ...] = ()
    _classes: ClassVar[dict[ErrorCode, type["SkillError"]]] = {}

    def __new__(cls, code: ErrorCode | str = ErrorCode.UNKNOWN, *args: Any, **kwargs: Any) -> Self:
        chosen = cls._classes.get(ErrorCode(code), cls)
        return super().__new__(chosen if issubclass(chosen, cls) else cls)

    def __init__(
        self,
        code: ErrorCode | str,
        message: str,
        *,
        details: Mapping[str, JSONValue] | None = None,
        retry: RetryHint | None = None,
        http_status: int | None = None,
        request_id: str | None = None,
        attempts: int = 0,
        history: tuple[Attempt, ...] = (),
        retryable: bool | None = None,
    ) -> None:
        super().__init__(message)
        self.code = ErrorCode(code)
        if self._classes.get(self.code) is not type(self) and type(self) in self._classes.values():
            name = type(self).__name__
            raise UsageError(f"{name} is the class of {type(self).code}; make a SkillError to get that of {self.code}")
        self.message = message
        self.details: dict[str, JSONValue] = dict(details or {})
        self.retry = retry
        self.http_status = http_status
        self.request_id = request_id
        self.attempts = attempts
        self.history = history
        self.retryable = retryable

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        SkillError._classes.setdefault(cls.code, cls)

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.code.value!r}, {self.message!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.code, self.message), self.__dict__

    def to_dict(self) -> dict[str, JSONValue]:
        """Give the error envelope; `details` and `retry` are left out when empty.

        Where the code alone would say something else, `details.retryable` keeps whether trying
        again can help.

        Source: SSP 9.3.

        >>> error = SkillError("EXECUTION_TIMEOUT", "Too slow", retry=RetryHint(5000, 3))
        >>> error.to_dict()["error"]["retry"]
        {'suggested_delay_ms': 5000, 'max_attempts': 3}
        """
        error: dict[str, JSONValue] = {"code": self.code.value, "message": self.message}
        details = dict(self.details)
        if is_retryable(self) is not self.code.retryable:
            details["retryable"] = is_retryable(self)
        if details:
            error["details"] = details
        if self.retry is not None:
            error["retry"] = self.retry.to_dict()
        return {"error": error}

    @classmethod
    def from_dict(cls, envelope: Mapping[str, JSONValue]) -> "SkillError":
        """Read an error envelope.

        A code that the protocol does not know becomes UNKNOWN and is kept as
        `details["provider_code"]`; a hint that makes no sense is dropped. What `to_dict` gave
        comes back as the same error: a `ValidationFailed` with its `violations`.

        Raises:
            UsageError: the value is no envelope: no `error` object with a `code` and a
                `message`, both strings.

        >>> SkillError.from_dict({"error": {"code": "AUTH_REQUIRED", "message": "Sign in"}})
        AuthRequired('AUTH_REQUIRED', 'Sign in')
        """
        error = envelope.get("error") if isinstance(envelope, Mapping) else None
        if not is_envelope_body(error):
            raise UsageError('not an error envelope: it needs {"error": {"code": "...", "message": "..."}}')
        details = error.get("details")
        details = dict(details) if isinstance(details, Mapping) else {}
        code = known_code(error["code"])
        if code is None:
            details.setdefault("provider_code", error["code"])
        flag = details.get("retryable")
        read = SkillError(
            code or ErrorCode.UNKNOWN,
            error["message"],
            details=details,
            retry=RetryHint.read(error.get("retry")),
            retryable=flag if isinstance(flag, bool) else None,
        )
        if isinstance(read, ValidationFailed):
            read.violations = _read_violations(details.get("violations"))
        return read


def _read_violations(told: JSONValue) -> tuple[Violation, ...]:
    read = [Violation.from_dict(each) for each in told] if isinstance(told, list) else []
    return tuple(violation for violation in read if violation is not None)


def _rebuild(cls: type[SkillError], code: ErrorCode, message: str) -> SkillError:
    return cls(code, message)


class ValidationFailed(SkillError):
    """A descriptor, an input or an output breaks its contract."""

    code = ErrorCode.VALIDATION_ERROR

    @classmethod
    def of(cls, violations: list[Violation], message: str = "Skill descriptor validation failed") -> "ValidationFailed":
        """Make the error that tells a list of violations.

        >>> v = Violation("/access", "string", None, "Required field is missing", "schema/required")
        >>> ValidationFailed.of([v]).to_dict()["error"]["details"]["violations"][0]["field"]
        '/access'
        """
        error = cls(cls.code, message, details={"violations": [violation.to_dict() for violation in violations]})
        error.violations = tuple(violations)
        return error

    violations: tuple[Violation, ...] = ()
    """What is wrong, one by one; empty where the error came from elsewhere."""


class AuthRequired(SkillError):
    """No valid credentials."""

    code = ErrorCode.AUTH_REQUIRED


class PermissionDenied(SkillError):
    """The credentials are fine, but give no access to this skill."""

    code = ErrorCode.PERMISSION_DENIED


class SkillNotFound(SkillError):
    """The skill id or the descriptor's address is not known there."""

    code = ErrorCode.SKILL_NOT_FOUND


class ExecutionTimeout(SkillError):
    """The execution ran past its time, or the caller's deadline came."""

    code = ErrorCode.EXECUTION_TIMEOUT


class EndpointUnreachable(SkillError):
    """The endpoint cannot be reached, or asks for fewer calls."""

    code = ErrorCode.ENDPOINT_UNREACHABLE


class VersionIncompatible(SkillError):
    """The protocol versions of descriptor and consumer do not fit."""

    code = ErrorCode.VERSION_INCOMPATIBLE


class ExecutionFailed(SkillError):
    """The skill ran and reported a failure inside a successful reply."""

    code = ErrorCode.EXECUTION_FAILED


class Cancelled(SkillError):
    """The caller, or the provider, cancelled the execution."""

    code = ErrorCode.CANCELLED


class UnknownFailure(SkillError):
    """A failure that no other code fits."""

    code = ErrorCode.UNKNOWN


def is_envelope_body(error: JSONValue) -> TypeGuard[Mapping[str, Any]]:
    """Say whether a value is what stands under `error` in an envelope.

    >>> is_envelope_body({"code": "X", "message": "m"}), is_envelope_body({"code": "X"})
    (True, False)
    """
    return isinstance(error, Mapping) and isinstance(error.get("code"), str) and isinstance(error.get("message"), str)


def is_retryable(error: BaseException) -> bool:
    """Say whether trying again can help.

    The reply's own word decides for the codes that leave it to the reply (EXECUTION_FAILED
    and UNKNOWN), but for a rule of the business, which no retry changes. A code that is never
    retried stays so whatever the reply says, and a reply may rule out a retry that its code
    would allow.

    Source: SSP 9.5.

    >>> is_retryable(SkillError("EXECUTION_TIMEOUT", "late")), is_retryable(SkillError("AUTH_REQUIRED", "no"))
    (True, False)
    """
    if not isinstance(error, SkillError):
        return False
    if error.code in (ErrorCode.EXECUTION_FAILED, ErrorCode.UNKNOWN):
        return error.retryable is True and not _is_business(error.details)
    return error.code.retryable and error.retryable is not False


def _is_business(details: Mapping[str, JSONValue]) -> bool:
    return details.get("category") == "business" or details.get("error_type") == "BLOCKER"


def retry_after_ms(error: BaseException) -> int | None:
    """Give the least time to wait before trying again, as the reply says it; None for no word.

    >>> retry_after_ms(SkillError("EXECUTION_TIMEOUT", "late", retry=RetryHint(5000)))
    5000
    """
    return error.retry.suggested_delay_ms if isinstance(error, SkillError) and error.retry is not None else None
