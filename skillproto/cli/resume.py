"""`skillproto resume`: take up the calls that a journal has open."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from skillproto.cli import _exits, _streams
from skillproto.cli._command import Command
from skillproto.cli._credentials import credential_options, credentials_of
from skillproto.cli._timeline import listener
from skillproto.cli.invoke import JOURNAL, was_not_reached
from skillproto.errors import SkillError, UsageError
from skillproto.invocation.client import SkillClient
from skillproto.reports.escaping import dump, plain
from skillproto.violations import JSONValue

if TYPE_CHECKING:
    from skillproto.invocation.journal import Journal
    from skillproto.invocation.journal_states import Entry
    from skillproto.invocation.many import CallOutcome


@click.command(
    "resume",
    cls=Command,
    epilog=(
        "\b\n"
        "Examples:\n"
        "  skillproto resume --journal calls.db --list\n"
        "  skillproto resume --journal calls.db --timeout-ms 60000 --output-format jsonl\n"
        "  skillproto resume --journal calls.db --forget 2b6f0cc9-04d1-4cde-8a5b-95f3a1e1b1c4\n"
        "\n"
        "Exit codes: 0 every call ended well, or none was open; 1 some call failed or is still open; 2 wrong usage; "
        "3 the journal, or a call in it, could not be read; 4 no other side could be reached; 130 interrupted."
    ),
)
@click.option("--journal", "path", envvar=JOURNAL, metavar="PATH", help=f"The journal's file; else ${JOURNAL} has it.")
@click.option("--list", "only_list", is_flag=True, help="Tell what is open, and send nothing.")
@click.option("--forget", "forgotten", multiple=True, metavar="KEY", help="Strike a call out; send nothing.")
@click.option("--timeout-ms", type=click.IntRange(1, 86_400_000), help="Each call may take so long.")
@click.option("--concurrency", type=click.IntRange(1, 1000), default=8, show_default=True, help="So many at a time.")
@credential_options
@click.option("--output-format", type=click.Choice(("text", "json", "jsonl")), default="text", show_default=True)
@click.option("--trace", is_flag=True, help="Tell every event on the standard error.")
def command(path: str | None, only_list: bool, forgotten: tuple[str, ...], **options: Any) -> int:
    """Take up the calls that a process left open when it was killed, and print their results.

    An accepted execution is asked for its result. A call that may have been sent, with no answer
    known, is sent again under the same key, so that the provider starts it once.
    """
    if path is None:
        raise click.UsageError(f"give the journal: --journal PATH, or the environment variable {JOURNAL}")
    try:
        with _opened(path) as journal:
            if forgotten:
                return _forget(journal, forgotten, options["output_format"])
            if only_list:
                return _list(list(journal.open_calls()), options["output_format"])
            return _resume(journal, options)
    except SkillError as error:
        if error.details.get("reason") != "journal":
            raise
        raise click.ClickException(plain(error.message)) from None


def _opened(path: str) -> "Journal":
    from skillproto.invocation.journal import Journal

    try:
        return Journal(path, must_exist=True)
    except UsageError as error:
        raise click.ClickException(plain(str(error))) from None


def _forget(journal: "Journal", keys: tuple[str, ...], output_format: str) -> int:
    struck = {key: journal.forget(key) for key in keys}
    if output_format != "text":
        _streams.write(dump({"forgotten": struck}, indent=None) + "\n")
    for key, count in struck.items():
        _streams.say(f"{key}: {'struck out' if count else 'not in the journal'}")
    return _exits.FINE if all(struck.values()) else _exits.FINDINGS


def _list(entries: "list[Entry]", output_format: str) -> int:
    if output_format == "json":
        _streams.write(dump({"calls": [entry.to_dict() for entry in entries]}) + "\n")
    for entry in entries:
        if output_format == "jsonl":
            _streams.write(dump(entry.to_dict(), indent=None) + "\n")
        elif output_format == "text":
            _streams.write(plain(_line_of(entry)) + "\n")
    _streams.say(f"{len(entries)} open" if entries else "nothing is open")
    return _exits.FINE


def _line_of(entry: "Entry") -> str:
    age_s = max(0, round(time.time() - entry.changed_ms / 1000))
    state = f"{entry.state} {entry.execution_id}" if entry.execution_id else f"{entry.state}, no answer known"
    return f"{entry.key}  {entry.skill_id}  {state}  {age_s} s ago{'  at work' if entry.is_busy else ''}"


def _resume(journal: "Journal", options: dict[str, Any]) -> int:
    client = SkillClient(
        caller_id="skillproto-cli",
        caller_type="user",
        credentials=credentials_of(options),
        on_event=listener(trace=options["trace"]),
        journal=journal,
    )
    with client:
        outcomes = client.resume_journal(timeout_ms=options["timeout_ms"], concurrency=options["concurrency"])
        return _exit_code(list(_told(outcomes, journal, options["output_format"])))


def _told(outcomes: "Iterator[CallOutcome]", journal: "Journal", output_format: str) -> "Iterator[SkillError | None]":
    documents: list[JSONValue] = []
    for outcome in outcomes:
        document = _document(outcome, journal)
        documents.append(document)
        if output_format == "jsonl":
            _streams.write(dump(document, indent=None) + "\n")
        elif output_format == "text":
            _streams.write(dump(outcome.result.output if outcome.result else outcome.error.to_dict()) + "\n")  # type: ignore[union-attr]
        _streams.say(f"{document['idempotency_key']}: {_words(outcome.error, document)}")
        yield outcome.error
    if output_format == "json":
        _streams.write(dump({"calls": documents}) + "\n")
    if not documents:
        _streams.say("nothing is open")


def _document(outcome: "CallOutcome", journal: "Journal") -> dict[str, JSONValue]:
    key = outcome.call.idempotency_key or ""
    entry = journal.find(key)
    document: dict[str, JSONValue] = {"idempotency_key": key}
    if entry is not None:
        document |= {"skill_id": entry.skill_id, "execution_id": entry.execution_id}
    if outcome.result is not None:
        return document | {"state": "completed", "output": outcome.result.output}
    is_open = entry is not None and entry.state.is_open
    return document | {"state": "open" if is_open else "failed", **(outcome.error.to_dict() if outcome.error else {})}


def _words(error: SkillError | None, document: dict[str, JSONValue]) -> str:
    if error is None:
        return "completed"
    return f"{document['state']}: {error.code.value}: {error.message}"


def _exit_code(errors: "list[SkillError | None]") -> int:
    failed = [error for error in errors if error is not None]
    if not failed:
        return _exits.FINE
    if any(error.details.get("reason") == "journal" for error in failed):
        return _exits.UNREADABLE
    nobody = len(failed) == len(errors) and all(was_not_reached(error) for error in failed)
    return _exits.NOT_REACHED if nobody else _exits.FINDINGS
