"""`skillproto explain`: tell what an error code or a rule means, and what to do."""

import click

from skillproto.cli import _exits, _streams
from skillproto.cli._command import Command
from skillproto.errors import ErrorCode, UsageError
from skillproto.reports.advice import ADVICE, code_to_dict
from skillproto.reports.escaping import dump, plain
from skillproto.reports.explaining import explain, find
from skillproto.rules import CATALOGUE, Rule
from skillproto.violations import JSONValue


@click.command(
    "explain",
    cls=Command,
    epilog=(
        "\b\n"
        "Examples:\n"
        "  skillproto explain EXECUTION_TIMEOUT\n"
        "  skillproto explain 503\n"
        "  skillproto explain schema/enum\n"
        "  skillproto explain --list"
    ),
)
@click.argument("name", required=False)
@click.option("--list", "list_names", is_flag=True, help="Print every code and rule with its line.")
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", show_default=True)
def command(name: str | None, list_names: bool, output_format: str) -> int:
    """Tell what an error code or a rule means, and what to do.

    NAME is a code such as AUTH_REQUIRED, an HTTP status, or a rule such as schema/enum.
    """
    if list_names:
        _streams.write("".join(_list_line(key, line) for key, line in _everything().items()))
        return _exits.FINE
    if name is None:
        raise click.UsageError("name a code or a rule, or ask for --list")
    try:
        _streams.write(dump(_as_dict(find(name))) + "\n" if output_format == "json" else explain(name))
    except UsageError as error:
        raise click.UsageError(f"{plain(str(error))} See all: skillproto explain --list") from None
    return _exits.FINE


def _everything() -> dict[str, str]:
    codes = {code.value: ADVICE[code].when.partition(". ")[0].rstrip(".") + "." for code in ErrorCode}
    return codes | {rule.id: rule.summary for rule in CATALOGUE.values()}


def _list_line(key: str, line: str) -> str:
    return f"{key:33} {line}\n"


def _as_dict(known: ErrorCode | Rule) -> dict[str, JSONValue]:
    if isinstance(known, ErrorCode):
        return code_to_dict(known)
    members = ("id", "severity", "summary", "why", "source", "bad", "good")
    return {name: getattr(known, name) for name in members}
