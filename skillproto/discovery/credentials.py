"""Turn credentials for an index into headers, refuse what cannot be sent safely, and hide what comes back of them."""

import re
from collections.abc import Mapping

from skillproto.discovery.failures import FetchError
from skillproto.discovery.replies import Fetched, Hop
from skillproto.errors import UsageError
from skillproto.invocation.origins import require_safe_transport
from skillproto.redaction import MASK, hide, known_forms

_SHORTEST_HIDDEN = 8
"""What is shorter stands in many a text by chance."""

Headers = tuple[tuple[str, str], ...]

_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e\t]{0,8190}[\x21-\x7e])?")
_OURS = frozenset(
    {"host", "connection", "content-length", "transfer-encoding", "user-agent", "accept", "accept-encoding"}
)


def read_credentials(given: Mapping[str, str] | str | None, url: str) -> Headers:
    """Give credentials as headers.

    Args:
        given: a bearer token, headers by name, or None.
        url: where they are to go.

    Raises:
        UsageError: they are no header, or would go over an unencrypted connection.

    >>> read_credentials("abc", "https://a.example/"), read_credentials(None, "https://a.example/")
    ((('Authorization', 'Bearer abc'),), ())
    """
    if given is None:
        return ()
    require_safe_transport(url)
    headers = {"Authorization": f"Bearer {given}"} if isinstance(given, str) else given
    for name, value in headers.items():
        if not _NAME.fullmatch(name) or name.lower() in _OURS or not _VALUE.fullmatch(value):
            raise UsageError("credentials are a token or headers by name, each with one line of printable ASCII")
    return tuple(headers.items())


class Veil:
    """Hides what was shown as credentials in whatever comes back, since a host may repeat it.

    >>> Veil((("Authorization", "Bearer s3cret-s3cret"),)).bytes(b"you sent s3cret-s3cret")
    b'you sent [redacted]'
    """

    def __init__(self, credentials: Headers) -> None:
        parts = {part for _, value in credentials for part in (value, *value.split()[1:])}
        self._forms = known_forms(part for part in parts if len(part) >= _SHORTEST_HIDDEN)

    def bytes(self, data: bytes) -> bytes:
        """Hide it in a body."""
        for form in self._forms:
            data = data.replace(form.encode("utf-8", "replace"), MASK.encode())
        return data

    def text(self, text: str) -> str:
        """Hide it in a text."""
        return str(hide(text, self._forms))

    def chain(self, chain: tuple[Hop, ...]) -> tuple[Hop, ...]:
        """Hide it in the addresses of a way."""
        return tuple(hop._replace(url=self.text(hop.url)) for hop in chain) if self._forms else chain

    def reply(self, fetched: Fetched) -> Fetched:
        """Hide it in a reply."""
        if not self._forms:
            return fetched
        headers = tuple((name, self.text(value)) for name, value in fetched.headers)
        return fetched._replace(headers=headers, body=self.bytes(fetched.body), chain=self.chain(fetched.chain))

    def failure(self, error: FetchError) -> None:
        """Hide it in a failure."""
        error.url, error.message = self.text(error.url), self.text(error.message)
        error.args = (error.message,)
        error.body, error.chain = self.bytes(error.body), self.chain(error.chain)
