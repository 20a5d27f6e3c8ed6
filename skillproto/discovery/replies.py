"""What was fetched, and the way to it."""

from typing import NamedTuple


class Hop(NamedTuple):
    """One request on the way, and the status of its reply.

    Attributes:
        url: that was asked, without its fragment.
        status: of the reply; None when none came.
        addresses: those that its name led to, all checked; the connection went to one of them.
    """

    url: str
    status: int | None
    addresses: tuple[str, ...] = ()


class Fetched(NamedTuple):
    """A reply, whatever its status.

    Attributes:
        url: that was asked for.
        status: of the last reply.
        headers: its names in lower case, with their values.
        body: whole and inflated.
        chain: every request that was made, the last one included.
        elapsed_ms: from the look-up of the name to the last byte.
        certificate: of the last server, as `ssl` gives it; None over plain http.

    >>> reply = Fetched("https://a.example/", 200, (("content-type", "application/json; charset=utf-8"),), b"{}")
    >>> reply.media_type, reply.final_url
    ('application/json', 'https://a.example/')
    """

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    chain: tuple[Hop, ...] = ()
    elapsed_ms: int = 0
    certificate: dict[str, object] | None = None

    @property
    def final_url(self) -> str:
        """Where the reply came from, behind all redirects."""
        return self.chain[-1].url if self.chain else self.url

    @property
    def addresses(self) -> tuple[str, ...]:
        """The checked addresses of the last server."""
        return self.chain[-1].addresses if self.chain else ()

    @property
    def media_type(self) -> str:
        """What the reply says to be, in lower case and without parameters; empty where it says nothing."""
        return (self.header("content-type") or "").partition(";")[0].strip().lower()

    def header(self, name: str) -> str | None:
        """Give the first value of a header, or None."""
        return next((value for key, value in self.headers if key == name.lower()), None)
