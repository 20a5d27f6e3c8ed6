"""`skillproto validate`: check descriptors and report everything that is wrong with them."""

import os.path
from collections.abc import Iterator
from typing import Any

import click

from skillproto import rules
from skillproto.cli import _exits, _streams
from skillproto.cli._checking import Check
from skillproto.cli._command import Command
from skillproto.cli._files import has_settings
from skillproto.cli._interrupt import Interruptible
from skillproto.cli._limits import chosen_limits, limit_options
from skillproto.cli._report_options import (
    color_option,
    fail_on_option,
    output_file_option,
    output_format_option,
    stdin_filename_option,
)
from skillproto.reports import PROGRAMS, FailOn, Item, Tally, render
from skillproto.validation import SCHEMA_NAMES, Engine


@click.command(
    "validate",
    cls=Command,
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
@output_format_option
@click.option("--schema", "schema", default="descriptor", show_default=True, metavar="NAME", help="What to check as.")
@fail_on_option
@click.option(
    "--engine",
    type=click.Choice(("auto", "reference")),
    default="auto",
    show_default=True,
    help="reference: let jsonschema see every document, also those that the fast path accepts.",
)
@click.option("--select", multiple=True, metavar="RULES", help="Run these rules only, such as schema,descriptor/*.")
@click.option("--ignore", multiple=True, metavar="RULES", help="Leave these rules out.")
@click.option("--config", metavar="FILE", help="The settings file; else the nearest skillproto.toml or pyproject.toml.")
@click.option("--isolated", is_flag=True, help="Read no settings file.")
@click.option("--no-suppressions", is_flag=True, help="Let no document excuse itself with x-skillproto-ignore.")
@click.option("--baseline", metavar="FILE", help="Let the findings that this file knows pass.")
@click.option("--write-baseline", metavar="FILE", help="Write all findings into this file, and let them pass.")
@output_file_option
@limit_options
@stdin_filename_option
@color_option
def command(
    paths: tuple[str, ...],
    output_format: str,
    schema: str,
    fail_on: FailOn,
    engine: Engine,
    write_baseline: str | None,
    output_file: str | None,
    stdin_filename: str,
    color: str,
    **choices: Any,
) -> int:
    """Check descriptors and report everything that is wrong with them.

    PATH is a file, a directory (searched for *.json, *.yaml and *.yml, but not in hidden
    directories, and without what a .skillprotoignore names), a pattern such as
    'skills/**/*.json', or '-' for the standard input.
    """
    _require_schema(schema)
    require_spared(output_file, paths)
    limits = chosen_limits(choices)
    check = _chosen(Check(schema, engine, stdin_filename, limits=limits, written=output_file), choices)
    if write_baseline is not None:
        from skillproto.cli._baselines import write

        return write(write_baseline, check._replace(baseline=None).all(paths))
    tally = Tally(fail_on=fail_on, rule_pack_version=rules.RULE_PACK_VERSION)
    with Interruptible(guards_writes=output_format in PROGRAMS) as stop:
        items = until(stop.items(check.all(paths)), stop, tally)
        with _streams.result(output_file) as write_result:
            for piece in render(items, tally, output_format, color=not output_file and _streams.color_wanted(color)):
                write_result(piece)
    _streams.say(str(tally))
    return exit_code(tally)


def _chosen(check: Check, choices: dict[str, Any]) -> Check:
    """Lay over a check what the options and the settings file say; most runs have neither."""
    said = any(value for name, value in choices.items() if name != "isolated")
    if said or (not choices["isolated"] and has_settings()):
        from skillproto.cli._choices import Options, choose

        return choose(check, Options(**choices))
    return check


def exit_code(tally: Tally) -> int:
    """Give the exit code of a run: the most serious of what happened."""
    if tally.interrupted:
        return _exits.INTERRUPTED
    if tally.unreadable or not tally.checked:
        return _exits.UNREADABLE
    return _exits.FINDINGS if tally.failed else _exits.FINE


def _require_schema(name: str) -> None:
    if name not in SCHEMA_NAMES:
        from skillproto.cli._nearest import did_you_mean

        known = ", ".join(SCHEMA_NAMES)
        raise click.BadParameter(f"no schema {name!r}.{did_you_mean(name, SCHEMA_NAMES)} There are: {known}")


def require_spared(output_file: str | None, paths: tuple[str, ...]) -> None:
    """Refuse to write the report over a descriptor that is to be checked."""
    if output_file is not None and os.path.realpath(output_file) in map(os.path.realpath, paths):
        raise click.UsageError("--output-file names a file that is to be checked; choose another name for the report")


def until(items: Iterator[Item], stop: Interruptible, tally: Tally) -> Iterator[Item]:
    """Pass items on, and note at their end whether somebody ended them."""
    yield from items
    tally.interrupted = stop.stopped
