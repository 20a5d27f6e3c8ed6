"""Find the name that was meant: nearest names, misspelt members, and versions.

Pure. The work is bounded, whatever the document holds.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import islice

_CLOSE = 0.72
_SHORTEST_START = 3
_SAME = {"float": "number", "double": "number", "dict": "object", "map": "object", "list": "array", "tuple": "array"}
"""What other languages call the types of JSON."""

_MOST_NAMES = 200
_LONGEST_NAME = 64
_PARTS = re.compile(
    r"\s*(?P<mark>[vV=^~<>!*\s]*)(?P<numbers>[0-9]{1,9}(?:\.(?:[0-9]{1,9}|[xX*])){0,2})(?P<rest>[^\s,|]{0,100})\s*"
)


def nearest(word: str, names: Iterable[str]) -> str | None:
    """Give the name that is closest to a word; None where none is close.

    >>> nearest("plugn", ["plugin", "api"]), nearest("capabilityType", ["capability_type"]), nearest("x", ["plugin"])
    ('plugin', 'capability_type', None)
    >>> nearest("str", ["string", "object"]), nearest("dict", ["string", "object"]), nearest("uri", ["url"])
    ('string', 'object', 'url')
    """
    if len(word) > _LONGEST_NAME:
        return None
    names = list(islice(names, _MOST_NAMES))
    return _most_alike(word, names) or _related(_plain(word), names)


def _related(word: str, names: list[str]) -> str | None:
    """Give the one name that a word begins, that is one letter away, or that other languages use it for."""
    if _SAME.get(word) in names:
        return _SAME[word]
    if len(word) < _SHORTEST_START:
        return None
    found = [name for name in names if _plain(name).startswith(word) or _differs_in_one(word, _plain(name))]
    return found[0] if len(found) == 1 else None


def _differs_in_one(word: str, other: str) -> bool:
    return len(word) == len(other) and sum(a != b for a, b in zip(word, other, strict=True)) == 1


def _most_alike(word: str, names: list[str]) -> str | None:
    from difflib import SequenceMatcher

    best, best_ratio = None, _CLOSE
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(_plain(word))
    for name in names:
        matcher.set_seq1(_plain(name[: _LONGEST_NAME + 1]))
        if matcher.real_quick_ratio() > best_ratio and matcher.quick_ratio() > best_ratio:
            ratio = matcher.ratio()
            if ratio > best_ratio:
                best, best_ratio = name, ratio
    return best


def misspelt(missing: Sequence[str], present: Collection[object]) -> dict[str, str]:
    """Join missing names with the members that look like them, each member once.

    >>> misspelt(["description", "access"], ["descripton", "note"])
    {'description': 'descripton'}
    """
    candidates = [name for name in islice(present, _MOST_NAMES) if isinstance(name, str)]
    joined: dict[str, str] = {}
    for name in islice(missing, _MOST_NAMES):
        if not candidates:
            break
        close = nearest(name, candidates)
        if close is not None:
            joined[name] = close
            candidates.remove(close)
    return joined


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def version_hint(text: str) -> str | None:
    """Say what to write instead of a text that is no SemVer version.

    >>> version_hint("v2.3"), version_hint("01.2.3"), version_hint("latest")
    ('Write 2.3.0', 'Write 1.2.3', 'Name one version, such as 1.2.0')
    """
    match = _PARTS.fullmatch(text) if len(text) <= _LONGEST_NAME else None
    if match is None:
        return "Name one version, such as 1.2.0"
    if any(mark in match["numbers"] for mark in "xX*"):
        return "This is a range of versions; name one, such as " + _filled(re.sub(r"[xX*]", "0", match["numbers"]))
    version = _filled(match["numbers"])
    if (rest := _rest(match["rest"])) is None:
        return f"Name one version, such as {version}"
    written = f"Write {version}{rest}"
    is_range = any(mark in match["mark"] for mark in "^~<>!*")
    return f"This is a range of versions; name one, such as {version}{rest}" if is_range else written


def _filled(numbers: str) -> str:
    parts = [str(int(part)) for part in numbers.split(".")]
    return ".".join([*parts, "0", "0"][:3])


def _rest(rest: str) -> str | None:
    """Give what follows the numbers as SemVer writes it; None where that is not plain."""
    if rest.strip("-+.") == "":
        return ""
    mark, body = rest[0], rest[1:]
    if mark not in "-+" or not re.fullmatch(r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*", body):
        return None
    if mark == "-":
        body = ".".join(str(int(part)) if part.isdigit() else part for part in body.split("."))
    return mark + body
