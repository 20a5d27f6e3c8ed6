"""`skillproto schema`: print a shipped schema, or the names of all."""

import click

from skillproto import validation
from skillproto.cli import _exits, _streams
from skillproto.cli._command import Command
from skillproto.cli._nearest import did_you_mean


@click.command(
    "schema",
    cls=Command,
    epilog=(
        "\b\n"
        "Examples:\n"
        "  skillproto schema > descriptor.schema.json\n"
        "  skillproto schema index\n"
        "  skillproto schema --list"
    ),
)
@click.argument("name", default="descriptor")
@click.option("--list", "list_names", is_flag=True, help="Print the names of all schemas.")
def command(name: str, list_names: bool) -> int:
    """Print a schema, for an editor or another validator.

    Each is a JSON Schema, draft 2020-12, complete in itself. NAME is "descriptor" unless given.
    """
    if list_names:
        _streams.write("".join(f"{known}\n" for known in validation.SCHEMA_NAMES))
        return _exits.FINE
    if name not in validation.SCHEMA_NAMES:
        known = ", ".join(validation.SCHEMA_NAMES)
        raise click.UsageError(f"no schema {name!r}.{did_you_mean(name, validation.SCHEMA_NAMES)} There are: {known}")
    _streams.write(validation.schema_text(name))
    return _exits.FINE
