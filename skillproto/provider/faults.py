"""Faults on demand: what can go wrong at a provider, as a script that requests use up.

A script is a sequence such as `[503, "reset", 504]`: the first request meets the first
fault, and so on; where the script ends, requests are served. "ok" lets one through.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from skillproto.errors import CODE_OF_STATUS, ErrorCode, RetryHint, SkillError, UsageError
from skillproto.violations import JSONValue

KINDS = {
    "ok": "no fault: the request is served",
    "reset": "the connection is reset before a reply",
    "close": "the connection is closed before a reply",
    "lost": "the request is carried out, then the connection is reset",
    "cut": "the connection is closed half-way through the body",
    "hang": "no reply at all, until the client goes away",
    "drip": "a body that comes one byte at a time",
    "empty": "a 200 without a body",
    "html": "a 200 with an HTML page",
    "failed": "accepted, but the execution fails",
    "stuck": "accepted, but the execution never ends",
}

_MESSAGES = {
    ErrorCode.AUTH_REQUIRED: "Valid credentials are needed",
    ErrorCode.PERMISSION_DENIED: "These credentials give no access to the skill",
    ErrorCode.SKILL_NOT_FOUND: "No skill has this address",
    ErrorCode.EXECUTION_TIMEOUT: "The execution exceeded its timeout",
    ErrorCode.ENDPOINT_UNREACHABLE: "The skill is not available at the moment",
    ErrorCode.VERSION_INCOMPATIBLE: "The protocol versions do not fit",
}


class Fault(NamedTuple):
    """One fault, in full.

    Attributes:
        status: the HTTP status of the reply, or None for a kind that replies otherwise.
        kind: a name of `KINDS`, or "status".
        headers: further headers of the reply, such as `{"Retry-After": "1"}`.
        body: the reply's body as JSON; None gives the envelope of the status.
        retry: what the envelope says about trying again, or None for nothing.

    >>> Fault.of(503).body_of()["error"]["code"]
    'ENDPOINT_UNREACHABLE'
    """

    status: int | None = None
    kind: str = "status"
    headers: Mapping[str, str] = {}
    body: JSONValue = None
    retry: RetryHint | None = None

    @classmethod
    def of(cls, value: "int | str | Fault") -> "Fault":
        """Read one step of a script: a status, its digits, a kind's name, or a fault itself.

        Raises:
            UsageError: nothing of the sort.

        >>> Fault.of("504").status, Fault.of("reset").kind
        (504, 'reset')
        """
        if isinstance(value, Fault):
            return value
        if isinstance(value, str) and value in KINDS:
            return cls(kind=value)
        status = int(value) if str(value).isascii() and str(value).isdigit() else 0
        if 400 <= status <= 599:
            return cls(status=status)
        raise UsageError(f"no such fault: {value!r}; give a status from 400 to 599 or one of: {', '.join(KINDS)}")

    def body_of(self) -> JSONValue:
        """Give the reply's body: the one that was set, else the envelope of the status."""
        if self.body is not None:
            return self.body
        code = CODE_OF_STATUS.get(self.status or 500, ErrorCode.UNKNOWN)
        message = _MESSAGES.get(code, "The provider failed")
        return SkillError(code, message, details={"http_status": self.status}, retry=self.retry).to_dict()


class Script:
    """Faults in the order in which requests use them up.

    >>> script = Script([503, "ok"])
    >>> script.next().status, script.next().kind, script.next().kind
    (503, 'ok', 'ok')
    """

    def __init__(self, faults: Iterable[int | str | Fault] = ()) -> None:
        self._left = [Fault.of(fault) for fault in faults]

    def next(self) -> Fault:
        """Give the next fault, and "ok" from the script's end on."""
        return self._left.pop(0) if self._left else Fault(kind="ok")

    def extend(self, faults: Iterable[int | str | Fault]) -> None:
        """Append further faults."""
        self._left.extend(Fault.of(fault) for fault in faults)

    def __len__(self) -> int:
        return len(self._left)
