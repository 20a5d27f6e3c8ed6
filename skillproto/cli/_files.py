"""Find the files to check and read them, one at a time, so that memory stays flat."""

# pathlib would be imported for this alone, and start-up is counted in milliseconds.
# ruff: noqa: PTH100, PTH112, PTH123

import os
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from skillproto.reports import Unreadable

SUFFIXES = (".json", ".yaml", ".yml")
STDIN = "-"
_SKIPPED = frozenset({"node_modules", "__pycache__"})
_KEPT = frozenset({".well-known"})


class Source(NamedTuple):
    """Bytes with the name under which they are reported."""

    name: str
    data: bytes


def read_all(paths: Iterable[str], *, stdin_name: str, limit_bytes: int) -> Iterator[Source | Unreadable]:
    """Read files, the files of directories, and "-" for the standard input.

    Args:
        paths: in the order in which they are read; a file that comes again is read once.
        stdin_name: how the standard input is called in reports.
        limit_bytes: no more than one byte above this is read of each, which is enough to
            tell that it is too large.
    """
    seen: set[str] = set()
    for path in paths:
        found = False
        for name in _files(path):
            found = True
            if isinstance(name, Unreadable):
                yield name
            elif (real := os.path.abspath(name)) not in seen or name == STDIN:
                seen.add(real)
                yield _read(name, stdin_name, limit_bytes)
        if not found:
            kinds = ", ".join(f"*{suffix}" for suffix in SUFFIXES)
            yield Unreadable(path, "no-files", f"No descriptors in this directory; it was searched for {kinds}")


def _files(path: str) -> Iterator[str | Unreadable]:
    if path == STDIN or not os.path.isdir(path):
        yield path
    else:
        yield from _walk(path)


def _walk(directory: str) -> Iterator[str | Unreadable]:
    try:
        with os.scandir(directory) as entries:
            ordered = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        yield _unreadable(directory, error)
        return
    for entry in ordered:
        if entry.is_dir(follow_symlinks=False):
            if _is_searched(entry.name):
                yield from _walk(entry.path)
        elif entry.name.lower().endswith(SUFFIXES) and entry.is_file():
            yield entry.path


def _is_searched(name: str) -> bool:
    return name in _KEPT or not (name.startswith(".") or name in _SKIPPED)


def _read(name: str, stdin_name: str, limit_bytes: int) -> Source | Unreadable:
    shown = stdin_name if name == STDIN else name
    try:
        if name == STDIN:
            return Source(shown, sys.stdin.buffer.read(limit_bytes + 1))
        with open(name, "rb") as file:
            return Source(shown, file.read(limit_bytes + 1))
    except (OSError, ValueError) as error:
        return _unreadable(shown, error)


def _unreadable(name: str, error: Exception) -> Unreadable:
    match error:
        case FileNotFoundError():
            return Unreadable(name, "not-found", "No such file or directory; check the path")
        case PermissionError():
            return Unreadable(name, "permission-denied", "No permission to read it; change its mode or the user")
        case OSError():
            return Unreadable(name, "unreadable", f"It could not be read: {error.strerror or type(error).__name__}")
        case _:
            return Unreadable(name, "unreadable", "Its name is not one that a file can have")
