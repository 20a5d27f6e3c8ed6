"""Whether a version may be published beside those that are: the rules about version numbers."""

import re
from collections.abc import Iterator

from skillproto.publishing.published import Published, parsed, precedence_of
from skillproto.publishing.state import Versions
from skillproto.rules import publishing as rules
from skillproto.validation.shown import short_text
from skillproto.versions import Version
from skillproto.violations import JSONValue, Violation

FIELD = "/version"

_WORDS = frozenset(
    ["latest", "newest", "stable", "current", "default", "next", "canary", "edge", "nightly", "beta", "alpha", "rc",
     "dev", "head", "main", "master", "trunk", "lts", "release", "snapshot", "any", "all", "x", "*"]
)  # fmt: skip
_PART = r"(?:[0-9]{1,20}|[xX*])"
_BOUND = rf"(?:[\^~=]|~>|[<>!]=?|==)?\s?v?{_PART}(?:\.{_PART}){{0,2}}(?:[-+][0-9A-Za-z.+-]{{1,100}})?"
_RANGE = re.compile(rf"{_BOUND}(?:\s?(?:,|\|\||-|\s)\s?{_BOUND}){{0,20}}")
_BRACKETS = re.compile(r"[\[(][0-9A-Za-z.,*+ -]{0,200}[\])]")
_FULL = re.compile(r"v?[0-9]+\.[0-9]+\.[0-9]+(?:[-+][0-9A-Za-z.+-]+)?")


def reserved(version: JSONValue) -> Violation | None:
    """Find a word or a range in the place of a version; None where there is neither.

    >>> [reserved(text) is not None for text in ("latest", "1.x", "^1.2.0", "1.2.0", "v1.2.0", 5)]
    [True, True, True, False, False, False]
    """
    if not isinstance(version, str):
        return None
    text = version.strip()
    if _FULL.fullmatch(text):
        return None
    is_word = text.casefold() in _WORDS
    if not is_word and not (_RANGE.fullmatch(text) or _BRACKETS.fullmatch(text)):
        return None
    what = "is a word that asks for a version" if is_word else "is a range of versions"
    message = f"`{short_text(version, 60)}` is reserved: it {what}"
    hint = "Give the one version that this is, such as 1.2.0"
    return rules.RESERVED_VERSION.found(FIELD, "a SemVer version", version, message, hint=hint)


def against_published(version: str, versions: Versions) -> Iterator[Violation]:
    """Compare a SemVer version with those that are published, whatever their state."""
    same = list(versions.equal_to(version))
    if same:
        exact = next((each for each in same if each.version == version), None)
        yield _exists(version, exact) if exact else _not_greater(version, same[-1], "differs in the build part alone")
        return
    read = parsed(version)
    if read is None:
        return
    major = read.major
    greatest = versions.greatest_of_major(major)
    if greatest is not None:
        if precedence_of(greatest.version) > precedence_of(version):
            yield _not_greater(version, greatest, f"comes before the greatest version of major {major}")
        return
    least = versions.least()
    lowest = parsed(least.version) if least is not None else None
    if least is not None and lowest is not None and lowest.major > major:
        yield _not_greater(version, least, "begins a major below all that are published")


def _exists(version: str, held: Published) -> Violation:
    return rules.VERSION_EXISTS.found(
        FIELD,
        "a version that is not published yet",
        version,
        f"This version is published already: {_who(held)}",
        hint="Raise the version; what is published does not change, also where it is not shown any more",
        details=_facts(held),
    )


def _not_greater(version: str, other: Published, why: str) -> Violation:
    return rules.VERSION_NOT_GREATER.found(
        FIELD,
        f"a version after {other.version}",
        version,
        f"The version {why}: {_who(other)}",
        hint=_next_after(other.version),
        details=_facts(other),
    )


def _next_after(version: str) -> str:
    parsed = Version.parse(version)
    following = f"{parsed.major}.{parsed.minor}.{parsed.patch + (not parsed.pre)}"
    return f"The next one can be {following}"


def _who(held: Published) -> str:
    holder = f"{short_text(held.holder, 60)} holds it" if held.holder else "nobody is named as its holder"
    return f"{short_text(held.version, 60)}, {holder}, its state is {short_text(held.state, 40)}"


def _facts(held: Published) -> dict[str, JSONValue]:
    return {"id": held.id, "version": held.version, "state": held.state, "holder": held.holder}
