"""One version that is published, and how versions are put into order."""

from functools import lru_cache
from typing import NamedTuple

from skillproto.versions import Version
from skillproto.violations import JSONValue

LISTED = "published"
"""The state of a version of which nothing else is said."""

VISIBLE = frozenset({"published", "active", "listed", "deprecated"})
"""The states of versions that consumers still find, and that a new one is compared with."""

Precedence = tuple[object, ...]

_NO_VERSION: Precedence = (-1, 0, 0, False, ())


class Published(NamedTuple):
    """A version that a registry knows.

    Attributes:
        id: of the skill.
        version: as it was published.
        state: "published", or another word of the registry, such as "withdrawn" or "pending".
        holder: who published it, or None where that is not known.
        url: of its endpoint, or None.
        descriptor: as it was published, or None where it is not at hand.

    >>> Published("com.example.a", "1.0.0").is_visible, Published("com.example.a", "1.0.0", "deleted").is_visible
    (True, False)
    """

    id: str
    version: str
    state: str = LISTED
    holder: str | None = None
    url: str | None = None
    descriptor: JSONValue = None

    @property
    def is_visible(self) -> bool:
        """Whether consumers still find it."""
        return self.state.casefold() in VISIBLE

    def __str__(self) -> str:
        who = f"held by {self.holder}, " if self.holder else ""
        return f"{self.id} {self.version} ({who}state: {self.state})"


@lru_cache(maxsize=4096)
def parsed(version: str) -> Version | None:
    """Read a version; None for what is no SemVer version.

    >>> parsed("1.2.0").minor, parsed("latest")
    (2, None)
    """
    try:
        return Version.parse(version)
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def precedence_of(version: str) -> Precedence:
    """Give a key that sorts by SemVer precedence; what is no SemVer version comes before all that are.

    >>> precedence_of("latest") < precedence_of("0.0.1-a") < precedence_of("0.0.1")
    True
    """
    read = parsed(version)
    return _NO_VERSION if read is None else read.precedence


def first_of_major(major: int) -> Precedence:
    """Give a key that comes before every version of a major, and after every one of the major before.

    >>> precedence_of("1.9.9") < first_of_major(2) < precedence_of("2.0.0-0")
    True
    """
    return (major, 0, 0, False, ())
