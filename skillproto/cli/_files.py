"""Find the files to check and open them, one at a time, so that memory stays flat."""

# pathlib would be imported for this alone, and start-up is counted in milliseconds.
# ruff: noqa: PTH100, PTH207, PTH113, PTH109, PTH110, PTH112, PTH120, PTH123

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

from skillproto.reports import Unreadable

SUFFIXES = (".json", ".yaml", ".yml")
STDIN = "-"
_SKIPPED = frozenset({"node_modules", "__pycache__"})
_MAGIC = frozenset("*?[")
_KEPT = frozenset({".well-known"})


def has_settings() -> bool:
    """Say whether a settings file may lie here or above, so that it is worth reading."""
    folder = os.getcwd()
    while True:
        if os.path.exists(f"{folder}/skillproto.toml") or _names_us(f"{folder}/pyproject.toml"):
            return True
        parent = os.path.dirname(folder)
        if parent == folder:
            return False
        folder = parent


def _names_us(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return b"skillproto" in file.read()
    except OSError:
        return False


def _nothing(path: str) -> bool:
    return False


def find(
    paths: Iterable[str], is_excluded: Callable[[str], bool] = _nothing, written: str | None = None
) -> Iterator[str | Unreadable]:
    """Give the names of files: those given, and those inside the directories given, in order.

    A file that comes again is given once; "-" stands for the standard input.

    Args:
        paths: names of files and directories.
        is_excluded: asked about each file of a directory, by its absolute path.
        written: the file that the run writes, which is none to check; None for none.
    """
    seen: set[str] = set() if written is None else {os.path.abspath(written)}
    for path in paths:
        found = False
        for name in _files(path):
            if isinstance(name, Unreadable):
                found = True
                yield name
                continue
            real = name if name == STDIN else os.path.abspath(name)
            if name != path and is_excluded(real):
                continue
            found = True
            if real not in seen:
                seen.add(real)
                yield name if name == STDIN else os.path.normpath(name)
        if not found:
            yield Unreadable(path, "no-files", _nothing_found(path))


def _nothing_found(path: str) -> str:
    if not os.path.isdir(path):
        return "No file matches this pattern"
    kinds = ", ".join(f"*{suffix}" for suffix in SUFFIXES)
    return f"No descriptors in this directory; it was searched for {kinds}, and what is ignored was passed over"


@contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """Open a file for reading, or the standard input, which stays open."""
    if name == STDIN:
        yield sys.stdin.buffer
    else:
        with open(name, "rb") as file:
            yield file


def _files(path: str) -> Iterator[str | Unreadable]:
    if path != STDIN and os.path.isdir(path):
        yield from _unignored(path)
    elif path != STDIN and _MAGIC.intersection(path) and not os.path.lexists(path):
        from glob import iglob

        for name in sorted(iglob(path, recursive=True)):
            if os.path.isfile(name):
                yield name
    else:
        yield path


def _unignored(directory: str) -> Iterator[str | Unreadable]:
    """Walk through a directory, without what the nearest ignore file names."""
    from skillproto.cli import _ignore

    listed = _ignore.find(directory)
    if listed is None:
        yield from _walk(directory)
        return
    is_ignored = _ignore.read(listed)
    for name in _walk(directory):
        if isinstance(name, Unreadable) or not is_ignored(os.path.abspath(name)):
            yield name


def _walk(directory: str) -> Iterator[str | Unreadable]:
    try:
        with os.scandir(directory) as entries:
            ordered = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        yield unreadable(directory, error)
        return
    for entry in ordered:
        if entry.is_dir(follow_symlinks=False):
            if _is_searched(entry.name):
                yield from _walk(entry.path)
        elif entry.name.lower().endswith(SUFFIXES) and entry.is_file():
            yield entry.path


def _is_searched(name: str) -> bool:
    return name in _KEPT or not (name.startswith(".") or name in _SKIPPED)


def unreadable(name: str, error: Exception) -> Unreadable:
    """Tell why a file could not be read.

    >>> unreadable("a.json", FileNotFoundError()).reason
    'not-found'
    """
    match error:
        case FileNotFoundError():
            return Unreadable(name, "not-found", "No such file or directory; check the path")
        case PermissionError():
            return Unreadable(name, "permission-denied", "No permission to read it; change its mode or the user")
        case OSError():
            return Unreadable(name, "unreadable", f"It could not be read: {error.strerror or type(error).__name__}")
        case _:
            return Unreadable(name, "unreadable", "Its name is not one that a file can have")
