"""SemVer 2.0.0 versions: parsed, compared, and asked whether two fit together."""

import re
from functools import cache
from typing import NamedTuple

PROTOCOL_VERSION = "1.0.0"
"""The protocol version that this package speaks."""

SUPPORTED_RANGE = "1.x.x"
"""The protocol versions that it accepts, as `details.consumer_supported_range` writes them."""

_NUMBER = r"(?:0|[1-9][0-9]*)"
_PRE = rf"(?:{_NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"


@cache
def _semver() -> re.Pattern[str]:
    """The pattern, compiled when it is first asked for: importing this module costs nothing then."""
    return re.compile(_SEMVER)


_SEMVER = (
    rf"({_NUMBER})\.({_NUMBER})\.({_NUMBER})"
    rf"(?:-({_PRE}(?:\.{_PRE})*))?"
    r"(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?"
)
_LONGEST = 256


class Version(NamedTuple):
    """A SemVer version. Compare two with `precedence`, which ignores the build part.

    Source: https://semver.org/spec/v2.0.0.html
    """

    major: int
    minor: int
    patch: int
    pre: tuple[str, ...] = ()
    build: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Version":
        """Read a version.

        Raises:
            ValueError: the text is no SemVer version.

        >>> Version.parse("1.2.0-rc.1").pre
        ('rc', '1')
        """
        match = _semver().fullmatch(text) if len(text) <= _LONGEST else None
        if match is None:
            raise ValueError(f"not a SemVer version: {text[:60]!r}; write three numbers, such as 1.2.0")
        major, minor, patch, pre, build = match.groups()
        return cls(int(major), int(minor), int(patch), _split(pre), _split(build))

    @property
    def precedence(self) -> tuple[object, ...]:
        """A key that sorts versions by SemVer precedence (clause 11).

        >>> sorted(["1.0.0", "1.0.0-rc.2", "1.0.0-rc.10"], key=lambda v: Version.parse(v).precedence)
        ['1.0.0-rc.2', '1.0.0-rc.10', '1.0.0']
        """
        pre = tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in self.pre)
        return (self.major, self.minor, self.patch, not self.pre, pre)

    def __str__(self) -> str:
        pre = "-" + ".".join(self.pre) if self.pre else ""
        build = "+" + ".".join(self.build) if self.build else ""
        return f"{self.major}.{self.minor}.{self.patch}{pre}{build}"


def _split(identifiers: str | None) -> tuple[str, ...]:
    return tuple(identifiers.split(".")) if identifiers else ()


def is_version(text: str) -> bool:
    """Say whether a text is a SemVer version.

    >>> is_version("1.2.0"), is_version("v1.2.0")
    (True, False)
    """
    return len(text) <= _LONGEST and _semver().fullmatch(text) is not None


def is_compatible(version: str, consumer: str = PROTOCOL_VERSION) -> bool:
    """Say whether a descriptor's protocol version fits a consumer's: equal majors.

    Raises:
        ValueError: one of them is no SemVer version.

    Source: SSP, version negotiation.

    >>> is_compatible("1.4.0"), is_compatible("2.0.0")
    (True, False)
    """
    return Version.parse(version).major == Version.parse(consumer).major
