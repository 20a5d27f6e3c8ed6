"""The file of a journal: found or made, private, and known to be one.

SQLite writes ahead into a log, so what was written is there after a kill -9; whether also
after the machine itself went down is the caller's choice.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, TypeVar

from skillproto.errors import ErrorCode, SkillError, UsageError

Durability = Literal["process", "machine"]

FORM = 1
"""The version of the tables below; it stands in the file (`PRAGMA user_version`)."""

MARK = 0x736B6C70
"""Stands in the file (`PRAGMA application_id`), so that a foreign database is never written to."""

_SYNC = {"process": "NORMAL", "machine": "FULL"}
_BUSY_S = 5.0
_PAUSE_S = 0.01
_Done = TypeVar("_Done")
_TABLES = """
CREATE TABLE skills (digest TEXT PRIMARY KEY, descriptor TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE calls (
    skill_id TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL, digest TEXT NOT NULL,
    descriptor TEXT REFERENCES skills, body BLOB, execution_id TEXT, outcome TEXT, may_have_run INTEGER NOT NULL,
    size INTEGER NOT NULL, begun_ms INTEGER NOT NULL, changed_ms INTEGER NOT NULL,
    owner TEXT, host TEXT, pid INTEGER, born TEXT, lease_ms INTEGER,
    PRIMARY KEY (skill_id, key)
);
CREATE INDEX calls_by_state ON calls (state, changed_ms);
CREATE INDEX calls_by_execution ON calls (execution_id) WHERE execution_id IS NOT NULL;
"""


def connect(path: Path, durability: Durability, *, must_exist: bool = False) -> sqlite3.Connection:
    """Open the journal at a path, or make one.

    Raises:
        UsageError: the file is something else, is damaged, cannot be opened, or was written by a newer version.
    """
    if durability not in _SYNC:
        raise UsageError(f"durability must be 'process' or 'machine', not {durability!r}")
    if must_exist and not path.exists():
        raise UsageError(f"there is no journal at {path}; give the path that the client was given")
    _make_private(path)
    try:
        return _patiently(lambda: _opened(path, durability))
    except sqlite3.OperationalError as error:
        raise UsageError(f"the journal at {path} cannot be opened: {_words(error)}") from error
    except sqlite3.DatabaseError as error:
        raise UsageError(f"{path} is no journal, or is damaged: move it away, and a new one is made") from error


def _patiently(work: Callable[[], _Done]) -> _Done:
    """Do it again while others are at the file: where it is made or recovered, SQLite itself does not wait."""
    until = time.monotonic() + _BUSY_S
    while True:
        try:
            return work()
        except sqlite3.OperationalError as error:
            if not _is_busy(error) or time.monotonic() >= until:
                raise
        time.sleep(_PAUSE_S)


def _is_busy(error: sqlite3.OperationalError) -> bool:
    return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY


def _make_private(path: Path) -> None:
    """Make the file before SQLite would, readable to its owner alone; the files beside it take its mode."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600))
    except OSError as error:
        raise UsageError(f"the journal at {path} cannot be opened: {error.strerror}") from error
    if path.stat().st_mode & 0o077 and _bears_our_mark(path):
        path.chmod(0o600)


def _bears_our_mark(path: Path) -> bool:
    """Look at the file's header, since to open it with SQLite would make the files beside it."""
    with path.open("rb") as file:
        return file.read(72)[68:] == MARK.to_bytes(4, "big")


def _opened(path: Path, durability: Durability) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(address, _BUSY_S, isolation_level=None, check_same_thread=False, uri=True)
    try:
        _require_ours(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {_SYNC[durability]}")
        connection.execute("PRAGMA secure_delete = ON")  # inputs that are struck out are overwritten
    except BaseException:
        connection.close()
        raise
    return connection


def _require_ours(connection: sqlite3.Connection, path: Path) -> None:
    with transaction(connection):
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
        (form,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if mark == MARK and form == FORM:
            return
        if mark == MARK:
            raise UsageError(f"the journal at {path} has form {form}, and this version reads {FORM}: update skillproto")
        if mark or form or tables:
            raise UsageError(f"{path} is a database of something else: give the journal a path of its own")
        for statement in _TABLES.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {MARK}")
        connection.execute(f"PRAGMA user_version = {FORM}")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Write all of a block or nothing of it, with no other writer in between."""
    _patiently(lambda: connection.execute("BEGIN IMMEDIATE"))
    try:
        yield connection
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextmanager
def told_as_ours() -> Iterator[None]:
    """Let what SQLite raises leave as a `SkillError`."""
    try:
        yield
    except (sqlite3.Error, UnicodeError) as error:
        message = f"The journal could not be read or written: {_words(error)}"
        raise SkillError(ErrorCode.UNKNOWN, message, details={"reason": "journal"}) from error


@contextmanager
def whole_rows() -> Iterator[None]:
    """Let rows that cannot be read leave as a `SkillError`: the file was damaged, or written by somebody else."""
    try:
        yield
    except (ValueError, TypeError, LookupError, UsageError) as error:
        message = "The journal could not be read: a call in it is damaged"
        raise SkillError(ErrorCode.UNKNOWN, message, details={"reason": "journal"}) from error


def _words(error: Exception) -> str:
    """Say what happened in words of ours; SQLite has a fixed name for it."""
    if isinstance(error, UnicodeError):
        return "a text cannot be written as UTF-8"
    known = {
        "SQLITE_BUSY": f"another process kept it for over {_BUSY_S:g} s",
        "SQLITE_FULL": "the disk is full",
        "SQLITE_READONLY": "it cannot be written to",
        "SQLITE_CANTOPEN": "it is no file, or its directory cannot be written to",
        "SQLITE_CORRUPT": "it is damaged",
        "SQLITE_NOTADB": "it is no journal",
    }
    name = getattr(error, "sqlite_errorname", None) or "SQLITE_ERROR"
    plain = "_".join(name.split("_")[:2])
    return known.get(plain, name)
