"""Turn what a caller gave for an index into headers, and refuse what cannot be sent safely."""

import re
from collections.abc import Mapping

from skillproto.errors import UsageError
from skillproto.invocation.origins import require_safe_transport

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
