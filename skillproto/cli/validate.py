"""`skillproto validate`: check descriptors and report everything that is wrong with them."""

from collections.abc import Iterator
from typing import cast

import click

from skillproto import documents, rules
from skillproto.cli import _exits, _files, _streams
from skillproto.cli._interrupt import Interruptible
from skillproto.reports import FORMATS, Checked, FailOn, Item, Tally, Unreadable, render


@click.command(
    "validate",
    epilog=(
        "\b\n"
        "Examples:\n"
        "  skillproto validate skill.json\n"
        "  skillproto validate skills/ --output-format concise\n"
        "  skillproto validate --schema index .well-known/skill-sharing\n"
        "  cat skill.yaml | skillproto validate - --stdin-filename skill.yaml\n"
        "\n"
        "Exit codes: 0 fine, 1 findings, 2 wrong usage, 3 something could not be read or there was "
        "nothing to check, 130 interrupted."
    ),
)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--output-format", type=click.Choice(FORMATS), default="text", show_default=True, help="How to report.")
@click.option("--schema", "schema", default="descriptor", show_default=True, metavar="NAME", help="What to check as.")
@click.option(
    "--fail-on",
    type=click.Choice(("error", "warning", "never")),
    default="error",
    show_default=True,
    help="The least severe finding that makes the exit code 1.",
)
@click.option(
    "--engine",
    type=click.Choice(("auto", "reference")),
    default="auto",
    show_default=True,
    help="reference: let jsonschema see every document, also those that the fast path accepts.",
)
@click.option("--stdin-filename", default="<stdin>", metavar="NAME", help="How to call the standard input, '-'.")
@click.option(
    "--color",
    type=click.Choice(("auto", "always", "never")),
    default="auto",
    show_default=True,
    help="auto: on a terminal, unless NO_COLOR is set.",
)
def command(
    paths: tuple[str, ...],
    output_format: str,
    schema: str,
    fail_on: str,
    engine: str,
    stdin_filename: str,
    color: str,
) -> int:
    """Check descriptors and report everything that is wrong with them.

    PATH is a file, a directory (searched for *.json, *.yaml and *.yml, but not in hidden
    directories), or '-' for the standard input.
    """
    _require_schema(schema)
    tally = Tally(fail_on=cast("FailOn", fail_on), rule_pack_version=rules.RULE_PACK_VERSION)
    with Interruptible() as stop:
        items = stop.items(_check_all(paths, stdin_filename, schema, engine))
        for piece in render(_until(items, stop, tally), tally, output_format, color=_streams.color_wanted(color)):
            _streams.write(piece)
    _streams.say(str(tally))
    return exit_code(tally)


def exit_code(tally: Tally) -> int:
    """Give the exit code of a run: the most serious of what happened."""
    if tally.interrupted:
        return _exits.INTERRUPTED
    if tally.unreadable or not tally.checked:
        return _exits.UNREADABLE
    return _exits.FINDINGS if tally.failed else _exits.FINE


def _require_schema(name: str) -> None:
    from skillproto.validation import SCHEMA_NAMES

    if name not in SCHEMA_NAMES:
        from skillproto.cli._nearest import did_you_mean

        known = ", ".join(SCHEMA_NAMES)
        raise click.BadParameter(f"no schema {name!r}.{did_you_mean(name, SCHEMA_NAMES)} There are: {known}")


def _until(items: Iterator[Item], stop: Interruptible, tally: Tally) -> Iterator[Item]:
    yield from items
    tally.interrupted = stop.stopped


def _check_all(paths: tuple[str, ...], stdin_name: str, schema: str, engine: str) -> Iterator[Item]:
    limit_bytes = documents.Limits().max_bytes
    for source in _files.read_all(paths, stdin_name=stdin_name, limit_bytes=limit_bytes):
        if isinstance(source, Unreadable):
            yield source
            continue
        try:
            yield from _check(source, schema, engine)
        except Exception as error:  # one document must not end the run of the others
            message = f"The check ended with an unexpected {type(error).__name__}; please report it with the file"
            yield Unreadable(source.name, "crashed", message)


def _check(source: _files.Source, schema: str, engine: str) -> Iterator[Checked]:
    for document in documents.read(source.data, source=source.name):
        found = rules.check_document(document, schema=schema, engine=engine)
        yield Checked(source.name, document.index, tuple(found), schema, document.text_of)
