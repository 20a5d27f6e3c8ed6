"""Read a file as it was in git: `HEAD:skill.json`, `v1.2:./skill.json`, `:skill.json` for what is staged.

The git program does it: as git users expect, a path that starts with ./ counts from here, any other from the top
of the repository. What it is given is one argument that is no option; it runs no filter, asks nobody for a
password, fetches nothing, and is bounded in time and size.
"""

import os
import re
from typing import TYPE_CHECKING

from skillproto.reports import Unreadable

if TYPE_CHECKING:
    from subprocess import Popen

TIMEOUT_S = 30
"""Seconds that git may take for one file."""

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_QUIET = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}
_FAULTS = (
    ("not a git repository", "no-repository", "There is no git repository here; go into one, or give a file"),
    ("dubious ownership", "not-trusted", "git does not trust this repository, since it belongs to somebody else"),
    ("does not exist", "not-found", "That revision has no such file; from a folder inside, write REVISION:./FILE"),
    ("exists on disk, but not in", "not-found", "The file is here, but that revision has none of this name"),
    ("is in the index, but not", "not-found", "The path counts from the top of the repository; write REVISION:./FILE"),
    ("bad file", "no-file", "That is a folder, or no file at all"),
    ("invalid object name", "no-revision", "git knows no such revision; see: git log --oneline"),
    ("not a valid object name", "no-revision", "git knows no such revision or file; see: git log --oneline"),
)


def is_revision(name: str) -> bool:
    """Say whether a name means a file in git: it has a colon, is no address, and no file is called so.

    >>> is_revision("HEAD:skill.json"), is_revision("https://example.com/a.json"), is_revision("skill.json")
    (True, False, False)
    """
    if "://" in name or _DRIVE.match(name) or not name.partition(":")[2]:
        return False
    return not os.path.lexists(name)


def path_of(name: str) -> str:
    """Give the path in the name of a file in git, whose ending says how it is read.

    >>> path_of("HEAD~2:./skills/a.yaml")
    './skills/a.yaml'
    """
    return name.partition(":")[2]


def read(name: str, max_bytes: int) -> bytes | Unreadable:
    """Read a file as it was in git, up to a limit and one byte more, so that a longer one shows.

    Args:
        name: a revision, a colon and a path.
        max_bytes: the limit.
    """
    if name.startswith("-") or "\x00" in name or "\n" in name:
        return Unreadable(name, "no-revision", "That is no revision and path")
    import subprocess

    command = ["git", "cat-file", "blob", name]
    try:
        with subprocess.Popen(  # noqa: S603 - one argument that is no option, and no shell
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **_QUIET},
        ) as process:
            return _finished(name, process, max_bytes)
    except FileNotFoundError:
        return Unreadable(name, "no-git", "Reading a revision needs the git program, which is not installed here")
    except OSError as error:
        message = f"git could not be started ({error.strerror or type(error).__name__})"
        return Unreadable(name, "no-git", message)


def _finished(name: str, process: "Popen[bytes]", max_bytes: int) -> bytes | Unreadable:
    from threading import Timer

    killer = Timer(TIMEOUT_S, process.kill)
    killer.start()
    try:
        assert process.stdout is not None and process.stderr is not None  # noqa: S101, PT018 - both were asked for
        data = process.stdout.read(max_bytes + 1)
        if len(data) > max_bytes:
            process.kill()
            return data
        words = process.stderr.read(4096).decode("utf-8", "replace")
        code = process.wait()
    finally:
        killer.cancel()
    return data if code == 0 else _fault(name, code, words)


def _fault(name: str, code: int, words: str) -> Unreadable:
    for part, reason, message in _FAULTS:
        if part in words:
            return Unreadable(name, reason, message)
    if code < 0:
        return Unreadable(name, "too-slow", f"git was stopped; it may take {TIMEOUT_S} s")
    return Unreadable(name, "git-failed", "git could not read it; try: git cat-file blob with the same name")
