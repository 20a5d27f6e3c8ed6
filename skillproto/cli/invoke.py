"""`skillproto invoke`: call a skill and print its output."""

from typing import Any

import click

from skillproto import documents, rules
from skillproto.cli import _exits, _files, _streams
from skillproto.cli._command import Command
from skillproto.cli._credentials import credential_options, credentials_of
from skillproto.cli._timeline import listener
from skillproto.cli._values import read_inputs, read_object
from skillproto.descriptor import Descriptor
from skillproto.errors import ErrorCode, SkillError, UsageError, ValidationFailed
from skillproto.invocation.client import SkillClient
from skillproto.invocation.events import Event
from skillproto.invocation.retry import RetryPolicy
from skillproto.reports import Unreadable
from skillproto.reports.escaping import dump, plain
from skillproto.violations import JSONValue

JOURNAL = "SKILLPROTO_JOURNAL"
"""The environment variable that names the file of a journal."""


@click.command(
    "invoke",
    cls=Command,
    epilog=(
        "\b\n"
        "Examples:\n"
        "  skillproto invoke skill.json -i text='Hola, mundo.' -i top=5\n"
        "  skillproto invoke skill.json --inputs inputs.json --timeout-ms 5000 --trace\n"
        "  SKILL_KEY=... skillproto invoke skill.json --credentials-env SKILL_KEY\n"
        "  skillproto invoke skill.json --client-id-env ID --client-secret-env SECRET --scope read\n"
        "\n"
        "Exit codes: 0 the output is on the standard output; 1 the skill refused or failed; 2 wrong usage; "
        "3 a file could not be read; 4 the other side could not be reached; 130 interrupted. "
        "After 1 and 4 the error envelope is on the standard output."
    ),
)
@click.argument("descriptor", metavar="DESCRIPTOR")
@click.option("-i", "--input", "pairs", multiple=True, metavar="NAME=VALUE", help="A parameter; may come often.")
@click.option("--inputs", "inputs_file", metavar="FILE", help="An object of parameters, JSON or YAML; -i goes over it.")
@click.option("--timeout-ms", type=click.IntRange(1, 86_400_000), help="Everything together may take so long.")
@click.option("--max-attempts", type=click.IntRange(1, 1000), default=4, show_default=True, help="The first counts.")
@click.option("--initial-delay-ms", type=click.IntRange(0, 86_400_000), default=1000, show_default=True)
@credential_options
@click.option("--caller-id", default="skillproto-cli", show_default=True, help="Who calls.")
@click.option("--idempotency-key", metavar="KEY", help="The key of an earlier call, to repeat it safely.")
@click.option("--resume", metavar="EXECUTION_ID", help="Wait for an execution that was accepted earlier.")
@click.option(
    "--journal", envvar=JOURNAL, metavar="PATH", help="Note the call in this file until it ends; see skillproto resume."
)
@click.option("--trace", is_flag=True, help="Tell every event on the standard error.")
def command(descriptor: str, pairs: tuple[str, ...], inputs_file: str | None, **options: Any) -> int:
    """Call a skill and print its output as JSON.

    DESCRIPTOR is a file, or '-' for the standard input. Values are read as the types that it
    names: text='a b' stands for itself, count=3 and flags='["x"]' are read as JSON.
    """
    data = read(descriptor)
    if isinstance(data, Unreadable):
        return _unreadable(data)
    inputs_data = read(inputs_file) if inputs_file is not None else b"{}"
    if isinstance(inputs_data, Unreadable):
        return _unreadable(inputs_data)
    try:
        skill = load(data, descriptor)
        inputs = read_object(inputs_data, inputs_file or "--inputs")
        inputs |= read_inputs(pairs, {parameter.name: parameter.type for parameter in skill.inputs})
        return _call(skill, inputs, options)
    except SkillError as error:
        return _failed(error)
    except UsageError as error:
        raise click.UsageError(plain(str(error))) from None


def read(name: str) -> bytes | Unreadable:
    """Read a file, or "-" for the standard input, up to a little more than a document may have."""
    try:
        with _files.opened(name) as file:
            return file.read(documents.Limits().max_bytes + 1)
    except (OSError, ValueError) as error:
        return _files.unreadable(name, error)


def load(data: bytes, name: str) -> Descriptor:
    """Read the one descriptor of a text.

    Raises:
        click.UsageError: there are several.
        SkillError: it is not valid.
    """
    found = list(documents.read(data, source=name))
    if len(found) != 1:
        raise click.UsageError(plain(f"{name} holds {len(found)} documents; give one descriptor"))
    document = found[0]
    if not document.readable:
        raise ValidationFailed.of(rules.check_document(document))
    return Descriptor.load(document.value)


def _call(skill: Descriptor, inputs: dict[str, JSONValue], options: dict[str, Any]) -> int:
    accepted: list[str] = []

    def note(event: Event) -> None:
        if event.name == "execution.accepted":
            accepted.append(str(event.data["execution_id"]))

    client = SkillClient(
        caller_id=options["caller_id"],
        caller_type="user",
        credentials=credentials_of(options),
        policy=RetryPolicy(max_attempts=options["max_attempts"], initial_delay_ms=options["initial_delay_ms"]),
        on_event=listener(trace=options["trace"], then=note),
        journal=options["journal"],
    )
    with client:
        try:
            if options["resume"] is not None:
                result = client.resume(skill, options["resume"]).result(options["timeout_ms"])
            else:
                key = options["idempotency_key"]
                result = client.invoke(skill, inputs, options["timeout_ms"], idempotency_key=key)
        except KeyboardInterrupt:
            return _interrupted(accepted)
    _streams.write(dump(result.output) + "\n")
    return _exits.FINE


def _failed(error: SkillError) -> int:
    _streams.write(dump(error.to_dict()) + "\n")
    _streams.say(f"{error.code.value}: {error.message} (more: skillproto explain {error.code.value})")
    return _exits.NOT_REACHED if was_not_reached(error) else _exits.FINDINGS


def was_not_reached(error: SkillError) -> bool:
    """Say whether the other side was never reached, or is out of order, rather than refused or failed.

    >>> was_not_reached(SkillError("ENDPOINT_UNREACHABLE", "refused"))
    True
    """
    if error.code is ErrorCode.EXECUTION_TIMEOUT:
        statuses = [error.http_status, *(attempt.http_status for attempt in error.history)]
        return "execution_id" not in error.details and all(status is None for status in statuses)
    return error.code is ErrorCode.ENDPOINT_UNREACHABLE


def _unreadable(source: Unreadable) -> int:
    error = SkillError(ErrorCode.UNKNOWN, source.message, details={"reason": source.reason, "source": source.source})
    _streams.write(dump(error.to_dict()) + "\n")
    _streams.say(f"{source.source}: {source.message}")
    return _exits.UNREADABLE


def _interrupted(accepted: list[str]) -> int:
    details = {"execution_id": accepted[-1]} if accepted else {}
    _streams.write(dump(SkillError(ErrorCode.CANCELLED, "Interrupted by the caller", details=details).to_dict()) + "\n")
    hint = f"; it may go on there: --resume {accepted[-1]}" if accepted else ""
    _streams.say(f"interrupted{hint}")
    return _exits.INTERRUPTED
