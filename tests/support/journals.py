"""Look into a journal and resume it, from an ordinary test."""

from pathlib import Path
from typing import Any

from skillproto import RetryPolicy, SkillClient
from skillproto.invocation.journal import Journal
from skillproto.invocation.journal_states import Entry

QUICK = RetryPolicy(initial_delay_ms=1, max_attempts=2, jitter=0)


def entry(path: Path, key: str = "k") -> Entry:
    with Journal(path) as journal:
        found = journal.find(key)
    assert found is not None
    return found


def resume(path: Path, **options: Any) -> list[Any]:
    with SkillClient(caller_id="tests", policy=QUICK, journal=path, **options) as client:
        return list(client.resume_journal(timeout_ms=3000))
