"""A journal of calls, in one file: what a process that was killed had begun, and how far it had come.

A call stands in it before its first request is sent, its execution id as soon as it is known,
and its end. Inputs are kept until then, credentials never. What happens next is decided in
`journaled`; this module reads and writes.
"""

import hashlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import parse_qsl

from skillproto.errors import SkillError, UsageError
from skillproto.invocation.journal_file import Durability, connect, told_as_ours, transaction, whole_rows
from skillproto.invocation.journal_owner import Owner
from skillproto.invocation.journal_states import Entry, State, read_outcome, write_outcome
from skillproto.invocation.retry import check_whole
from skillproto.invocation.wire import Result
from skillproto.redaction import is_secret_name, user_info_of
from skillproto.violations import JSONValue

_MARGIN_MS = 30_000
_CLAIM = "owner = :token, host = :host, pid = :pid, born = :born, lease_ms = :lease_ms"
_COLUMNS = (
    "skill_id, key, state, calls.digest, body, execution_id, outcome, may_have_run, begun_ms, changed_ms,"
    " owner, host, pid, born, lease_ms"
)


class Beginning(NamedTuple):
    """What is written of a call before its first request is sent."""

    skill_id: str
    key: str
    digest: str
    descriptor: Mapping[str, JSONValue]
    body: bytes
    timeout_ms: int
    is_claimed: bool


class Journal:
    """The journal at a path, for the threads of one process; other processes may use the file as well.

    Args:
        path: of the file; made, readable to its owner alone, where there is none.
        durability: what "process" writes is there after a kill -9; what "machine" writes also
            after the power went, at the cost of a wait for the disk with each note.
        keep_ended: so many ended calls are kept at most; those that are open always are.
        keep_days: an ended call is kept so many days at most.
        keep_bytes: the outcomes of ended calls take so much room at most.
        longest_outcome: a larger outcome, in bytes of JSON, is not kept; its call is.
        must_exist: refuse to make a new file.

    Raises:
        UsageError: the file is something else or damaged, or an argument can never work.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory, Journal(f"{directory}/calls.db") as journal:
    ...     list(journal.open_calls())
    []
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        durability: Durability = "process",
        keep_ended: int = 10_000,
        keep_days: int = 30,
        keep_bytes: int = 64 << 20,
        longest_outcome: int = 1 << 20,
        must_exist: bool = False,
    ) -> None:
        if not isinstance(path, str | os.PathLike) or not os.fspath(path):
            raise UsageError(f"a journal needs the path of a file, not {path!r}")
        self.path = Path(path)
        self._durability = durability
        self._keep_ended = check_whole("keep_ended", keep_ended, 0, 10**9)
        self._keep_ms = check_whole("keep_days", keep_days, 0, 36_500) * 86_400_000
        self._keep_bytes = check_whole("keep_bytes", keep_bytes, 0, 2**40)
        self._longest_outcome = check_whole("longest_outcome", longest_outcome, 0, 2**30)
        self._abandoned: list[object] = []
        self._open(must_exist=must_exist)

    def _open(self, *, must_exist: bool = False) -> None:
        self._lock = threading.RLock()
        self._me = Owner.myself()
        self._since_pruned = 0
        self._connection: sqlite3.Connection | None = connect(self.path, self._durability, must_exist=must_exist)
        self.prune()

    def __repr__(self) -> str:
        return f"Journal({str(self.path)!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    # For people and programs that ask.

    def open_calls(self) -> Iterator[Entry]:
        """Give the calls whose end is not known, the oldest first; `is_busy` tells those at work.

        Raises:
            SkillError: the file could not be read.
        """
        yield from self._entries("state <> 'ended' ORDER BY begun_ms, rowid")

    def find(self, key: str, skill_id: str | None = None) -> Entry | None:
        """Give what is known of the call of a key, or None; of several skills' the latest.

        Raises:
            SkillError: the file could not be read.
        """
        where = "key = ? AND skill_id = coalesce(?, skill_id) ORDER BY changed_ms DESC, rowid DESC LIMIT 1"
        return next(iter(self._entries(where, key, skill_id)), None)

    def forget(self, key: str) -> int:
        """Strike the calls of a key out, open or not, and say how many there were.

        Raises:
            SkillError: the file could not be written.
        """
        with self._writing() as connection:
            return connection.execute("DELETE FROM calls WHERE key = ?", (key,)).rowcount

    def prune(self) -> None:
        """Strike out ended calls that are too old or too many; happens by itself now and then.

        Raises:
            SkillError: the file could not be written.
        """
        with self._writing() as connection:
            connection.execute(
                "DELETE FROM calls WHERE rowid IN (SELECT rowid FROM (SELECT rowid, changed_ms,"
                " row_number() OVER latest AS place, sum(size) OVER latest AS total"
                " FROM calls WHERE state = 'ended' WINDOW latest AS (ORDER BY changed_ms DESC, rowid DESC))"
                " WHERE place > ? OR total > ? OR changed_ms < ?)",
                (self._keep_ended, self._keep_bytes, _now_ms() - self._keep_ms),
            )
            connection.execute(
                "DELETE FROM skills WHERE digest NOT IN (SELECT descriptor FROM calls WHERE descriptor IS NOT NULL)"
            )
            self._since_pruned = 0

    # For `journaled`.

    def look(self, skill_id: str, key: str, digest: str | None, timeout_ms: int) -> Entry | None:
        """Give what is known of a call, and claim it where it is to be gone on with and nobody is at work on it.

        Another call than that of the digest is not claimed; None means any.
        """
        with self._writing() as connection:
            entry = self._row(connection, skill_id, key)
            is_meant = entry is not None and digest in (None, entry.digest)
            if entry is not None and is_meant and not entry.is_busy and not entry.is_settled:
                self._set(connection, skill_id, key, _CLAIM, **self._claim(timeout_ms))
            return entry

    def begin(self, call: Beginning) -> Entry | None:
        """Write a call down and claim it, before its first request is sent.

        Returns:
            None, or what is known of the call where it was not claimed and is there; then nothing was written.
        """
        text = json.dumps(call.descriptor, sort_keys=True, separators=(",", ":"))
        of_skill = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        with self._writing() as connection:
            known = self._row(connection, call.skill_id, call.key)
            if known is not None and not call.is_claimed:
                return known
            connection.execute("INSERT OR IGNORE INTO skills VALUES (?, ?)", (of_skill, text))
            connection.execute(
                "INSERT OR REPLACE INTO calls VALUES (:skill_id, :key, 'sent', :digest, :of_skill, :body, NULL, NULL,"
                " 1, :size, :now_ms, :now_ms, :token, :host, :pid, :born, :lease_ms)",
                {
                    **call._asdict(),
                    "descriptor": None,
                    "of_skill": of_skill,
                    "size": len(call.body),
                    "now_ms": _now_ms(),
                    **self._claim(call.timeout_ms),
                },
            )
        return None

    def accepted(self, skill_id: str, key: str, execution_id: str) -> None:
        """Note the execution id of a call; its body is not needed any more."""
        with self._writing() as connection:
            values = "state = 'accepted', execution_id = :execution_id, body = NULL, size = 0, changed_ms = :now_ms"
            self._set(connection, skill_id, key, values, execution_id=execution_id, now_ms=_now_ms())

    def let_go(self, skill_id: str, key: str, execution_id: str | None) -> None:
        """Leave a call as it is, for whoever takes it up next; with an execution id it was accepted."""
        with self._writing() as connection:
            if execution_id is not None:
                values = "state = 'accepted', execution_id = :execution_id, body = NULL, size = 0"
                self._set(connection, skill_id, key, values, execution_id=execution_id)
            self._set(connection, skill_id, key, "owner = NULL")

    def ended(self, skill_id: str, key: str, outcome: Result | SkillError, *, may_have_run: bool) -> None:
        """Note how a call ended. Its inputs go, unless it may have to be sent again as it was."""
        text: str | None = write_outcome(outcome)
        size = len(text or "")
        if size > self._longest_outcome:
            text, size = None, 0
        id_ = outcome.execution_id if isinstance(outcome, Result) else outcome.details.get("execution_id")
        in_doubt = isinstance(outcome, SkillError) and may_have_run and id_ is None
        values = (
            "state = 'ended', outcome = :text, execution_id = coalesce(execution_id, :id), owner = NULL,"
            " may_have_run = :may_have_run, size = :size, changed_ms = :now_ms, descriptor = NULL"
            + ("" if in_doubt else ", body = NULL")
        )
        with self._writing() as connection:
            facts = {"text": text, "id": id_, "may_have_run": may_have_run, "size": size, "now_ms": _now_ms()}
            self._set(connection, skill_id, key, values, **facts)
        self._since_pruned += 1 + size * 64 // max(self._keep_bytes, 1)
        if self._since_pruned * 16 > min(self._keep_ended, 4096):
            self.prune()

    def key_of(self, skill_id: str, execution_id: str) -> str | None:
        """Give the key of the open call that an execution belongs to, or None."""
        with self._reading() as connection:
            where = "SELECT key FROM calls WHERE execution_id = ? AND skill_id = ? AND state <> 'ended'"
            found = connection.execute(where, (execution_id, skill_id)).fetchone()
            return None if found is None else str(found[0])

    # The file.

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        if self._me.pid != os.getpid():  # a fork must leave the connection of its parent alone
            self._abandoned.append(self._connection)
            self._open()
        with self._lock, told_as_ours():
            if self._connection is None:
                raise UsageError("the journal is closed; open another one")
            yield self._connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._reading() as connection, transaction(connection):
            yield connection

    def _entries(self, where: str, *values: object) -> list[Entry]:
        query = (
            f"SELECT {_COLUMNS}, skills.descriptor FROM calls"  # noqa: S608 - ours
            f" LEFT JOIN skills ON skills.digest = calls.descriptor WHERE {where}"
        )
        with self._reading() as connection, whole_rows():
            return [self._entry(row) for row in connection.execute(query, values)]

    def _row(self, connection: sqlite3.Connection, skill_id: str, key: str) -> Entry | None:
        query = f"SELECT {_COLUMNS}, NULL FROM calls WHERE skill_id = ? AND key = ?"  # noqa: S608 - ours
        row = connection.execute(query, (skill_id, key)).fetchone()
        with whole_rows():
            return None if row is None else self._entry(row)

    def _entry(self, row: tuple[Any, ...]) -> Entry:
        skill_id, key, state, digest, body, execution_id, outcome, may_have_run, begun_ms, changed_ms = row[:10]
        owner, lease_ms, descriptor = row[10:14], row[14], row[15]
        is_mine = owner[0] == self._me.token
        return Entry(
            key=key,
            skill_id=skill_id,
            state=State(state),
            execution_id=execution_id,
            outcome=read_outcome(outcome),
            may_have_run=bool(may_have_run),
            begun_ms=begun_ms,
            changed_ms=changed_ms,
            is_busy=owner[0] is not None and (is_mine or (lease_ms > _now_ms() and not Owner(*owner).is_gone())),
            digest=digest,
            body=None if body is None else bytes(body),
            descriptor=None if descriptor is None else json.loads(descriptor),
        )

    def _set(self, connection: sqlite3.Connection, skill_id: str, key: str, values: str, **facts: object) -> None:
        statement = f"UPDATE calls SET {values} WHERE skill_id = :skill_id AND key = :key"  # noqa: S608 - ours
        connection.execute(statement, {**facts, "skill_id": skill_id, "key": key})

    def _claim(self, timeout_ms: int) -> dict[str, object]:
        return {**self._me._asdict(), "lease_ms": _now_ms() + timeout_ms + _MARGIN_MS}


def as_journal(given: "Journal | str | os.PathLike[str]") -> Journal:
    """Give the journal itself, or open the one at a path.

    Raises:
        UsageError: it is neither, or the file is not fit.
    """
    return given if isinstance(given, Journal) else Journal(given)


def digest_of(descriptor: Any, inputs: Any) -> str | None:
    """Give what tells one call from another of the same key: where it goes and its inputs; None for no JSON.

    >>> skill = {"endpoint": {"url": "https://api.example.com/a"}}
    >>> digest_of(skill, {"a": 1, "b": 2}) == digest_of(skill, {"b": 2, "a": 1})
    True
    """
    try:
        url = descriptor["endpoint"]["url"]
        text = json.dumps([url, inputs or {}], sort_keys=True, allow_nan=False)
    except (TypeError, ValueError, RecursionError, LookupError):
        return None
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def require_no_credentials(descriptor: Mapping[str, Any]) -> None:
    """See to it that no address of a descriptor that is written down holds a password or a key.

    Raises:
        UsageError: one does.
    """
    for name in ("url", "status_url", "result_url"):
        if _holds_credentials(descriptor["endpoint"].get(name) or ""):
            raise UsageError(
                f"the descriptor's endpoint.{name} holds credentials, and a journal keeps none: give them as"
                " `credentials` to the client"
            )


def _holds_credentials(url: str) -> bool:
    query = parse_qsl(url.partition("?")[2].partition("#")[0])
    return bool(user_info_of(url)) or any(is_secret_name(name) and value[:1] != "{" for name, value in query)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
