"""Why an address could not, or must not, be fetched."""

from typing import Any

from skillproto.discovery.replies import Hop
from skillproto.errors import SkillprotoError
from skillproto.invocation.excerpts import MESSAGE_CHARS, excerpt
from skillproto.redaction import safe_url
from skillproto.violations import JSONValue, Violation

_URL_CHARS = 300
_BODY_BYTES = 16_384
_EXPECTED = {
    "descriptor/private-address": "an address that every caller can reach",
    "probe/private-address": "a name that leads to public addresses only",
    "descriptor/insecure-url": "an https address",
    "descriptor/url-credentials": "an address without credentials",
    "schema/format": "an absolute http or https address",
    "probe/redirect": "an answer, or a redirect that can be followed safely",
    "probe/tls-invalid": "a certificate that is trusted and valid for the name",
    "document/too-large": "an answer within the limit",
}


class FetchError(SkillprotoError):
    """An address that could not be fetched, or must not be.

    Attributes:
        rule: the rule that it breaks, such as "descriptor/private-address" or "probe/unreachable".
        reason: a short word: "loopback", "private", "metadata", "timeout", "dns", "refused", "too_large", ...
        message: what happened, for people.
        url: that was asked last, without its query.
        chain: every request that was made on the way, a `Hop` each.
        body: the start of the reply's body, as far as one was read.

    >>> error = FetchError("probe/unreachable", "dns", "The name is not known", url="https://a.example/?key=1")
    >>> str(error)
    'https://a.example/: The name is not known [probe/unreachable]'
    """

    def __init__(
        self, rule: str, reason: str, message: str, *, url: str = "", chain: tuple[Hop, ...] = (), body: bytes = b""
    ) -> None:
        super().__init__(message)
        self.rule = rule
        self.reason = reason
        self.message = excerpt(message, MESSAGE_CHARS)
        self.url = excerpt(safe_url(url), _URL_CHARS)
        self.chain = chain
        self.body = body[:_BODY_BYTES]

    def __str__(self) -> str:
        return f"{self.url}: {self.message} [{self.rule}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return FetchError, (self.rule, self.reason, self.message), self.__dict__

    @property
    def was_refused(self) -> bool:
        """Whether the address is at fault, so that it is refused everywhere and every time.

        False where the other side could not be reached or did not answer in full: another try may
        end differently, and nothing is known about the address.

        >>> FetchError("probe/unreachable", "timeout", "No answer").was_refused
        False
        """
        return self.rule != "probe/unreachable"

    def to_dict(self) -> dict[str, JSONValue]:
        """Give it as JSON, without the body."""
        return {"rule": self.rule, "reason": self.reason, "message": self.message, "url": self.url}

    def violation(self, field: str) -> Violation:
        """Give the failure as a finding about the address at a JSON Pointer.

        >>> FetchError("probe/unreachable", "dns", "No such name", url="https://a.example/").violation("/endpoint/url").rule
        'probe/unreachable'
        """
        return Violation(
            field,
            _EXPECTED.get(self.rule, "an address that answers"),
            self.url,
            self.message,
            self.rule,
            details={"reason": self.reason},
        )
