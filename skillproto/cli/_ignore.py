"""The ignore file: patterns of files that a walk through directories passes over.

`.skillprotoignore` is written as gitignore is: a pattern a line, `#` for comments, `!` to
take back, a leading or inner `/` ties to the file's folder, a trailing `/` means
directories alone, `**` crosses directories.
"""

import os
import re
from collections.abc import Callable

from skillproto.errors import UsageError

FILE_NAME = ".skillprotoignore"

_LARGEST_BYTES = 1_000_000


def find(directory: str) -> str | None:
    """Give the nearest ignore file at or above a directory, or None."""
    folder = os.path.abspath(directory)  # noqa: PTH100 - pathlib would be imported for this alone
    while True:
        path = os.path.join(folder, FILE_NAME)  # noqa: PTH118
        if os.path.isfile(path):  # noqa: PTH113
            return path
        parent = os.path.dirname(folder)  # noqa: PTH120
        if parent == folder:
            return None
        folder = parent


def read(path: str) -> Callable[[str], bool]:
    """Read an ignore file into a function that says whether an absolute path is passed over.

    Raises:
        UsageError: the file cannot be read.
    """
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            text = file.read(_LARGEST_BYTES)
    except (OSError, UnicodeError):
        raise UsageError(f"{path} cannot be read as UTF-8 text; mend or remove it") from None
    return matcher(text, os.path.dirname(path))  # noqa: PTH120


def matcher(text: str, root: str) -> Callable[[str], bool]:
    r"""Make the function from the text of an ignore file.

    >>> is_ignored = matcher("drafts/\n*.test.json\n!keep.test.json", "/r")
    >>> [is_ignored(f"/r/{name}") for name in ("a/drafts/x.json", "b.test.json", "keep.test.json", "c.json")]
    [True, True, False, False]
    """
    rules = [_rule(line) for line in text.splitlines() if line.strip() and not line.startswith("#")]
    prefix = root.rstrip(os.sep) + os.sep

    def is_ignored(path: str) -> bool:
        if not path.startswith(prefix):
            return False
        relative = path[len(prefix) :].replace(os.sep, "/")
        ignored = False
        for pattern, ignores in rules:
            if pattern.match(relative):
                ignored = ignores
        return ignored

    return is_ignored


def _rule(line: str) -> tuple[re.Pattern[str], bool]:
    """Translate a pattern: it matches the path of a file, or of a directory that the file lies in."""
    pattern = line.strip()
    ignores = not pattern.startswith("!")
    pattern = pattern.removeprefix("!")
    start = "" if "/" in pattern.rstrip("/") else "(?:.*/)?"
    end = "/" if pattern.endswith("/") else "(?:/|$)"
    return re.compile(start + _regex(pattern.strip("/")) + end), ignores


def _regex(pattern: str) -> str:
    parts = re.split(r"(\*\*/|/\*\*$|\*+|\?|\[[^\]/]*\])", pattern)
    return "".join(_PIECES.get(part) or _class(part) or re.escape(part) for part in parts)


_PIECES = {"**/": "(?:.*/)?", "/**": "/.*", "*": "[^/]*", "**": "[^/]*", "?": "[^/]"}


def _class(part: str) -> str | None:
    if not (part.startswith("[") and part.endswith("]") and len(part) > 2):
        return None
    inner = part[1:-1].replace("\\", "\\\\")
    return f"[{'^' + inner[1:] if inner[0] == '!' else inner}]"
