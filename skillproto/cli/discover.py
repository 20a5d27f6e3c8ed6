"""`skillproto discover`: list what a domain offers, and check all of it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from skillproto import rules
from skillproto.cli import _exits, _streams
from skillproto.cli._command import Command
from skillproto.cli._credentials import credentials_from
from skillproto.cli._listing import items_of, table
from skillproto.cli._report_options import color_option, fail_on_option, output_file_option, output_format_option
from skillproto.discovery import Discovery, Fetcher, FetchPolicy, Survey
from skillproto.discovery.discovering import MOST_SKILLS
from skillproto.errors import UsageError
from skillproto.reports import FailOn, Tally, render
from skillproto.reports.escaping import plain


@click.command(
    "discover",
    cls=Command,
    epilog=(
        "\b\n"
        "Examples:\n"
        "  skillproto discover example.com\n"
        "  SKILL_KEY=... skillproto discover example.com --credentials-env SKILL_KEY\n"
        "  skillproto discover http://127.0.0.1:8000 --allow-private 127.0.0.0/8\n"
        "\n"
        "Exit codes: 0 fine, 1 findings, 2 wrong usage, 3 there was more than --max-skills, 4 something could not be "
        "reached or refused, 130 interrupted; what was found until then is reported."
    ),
)
@click.argument("domain", metavar="DOMAIN|URL")
@output_format_option
@fail_on_option
@click.option(
    "--credentials-env",
    metavar="VAR",
    help="The environment variable with a key or token; the index is then asked without it and with it.",
)
@click.option("--credentials-header", metavar="NAME", help="The header for it; else Authorization, as a bearer token.")
@click.option(
    "--allow-private", multiple=True, metavar="CIDR", help="A network that may be reached although it is not public."
)
@click.option("--allow-http", is_flag=True, help="Let plain http pass.")
@click.option(
    "--concurrency",
    type=click.IntRange(1, 256),
    default=8,
    show_default=True,
    help="Hosts at a time; each host is asked one thing at a time.",
)
@click.option(
    "--timeout-ms",
    type=click.IntRange(1, 3_600_000),
    default=10_000,
    show_default=True,
    help="For one address, redirects included.",
)
@click.option("--max-skills", type=click.IntRange(0), default=MOST_SKILLS, show_default=True, help="Look at so many.")
@output_file_option
@color_option
def command(
    domain: str, output_format: str, fail_on: FailOn, output_file: str | None, color: str, **options: Any
) -> int:
    """List the skills of a domain, check index and descriptors, and show where the two disagree.

    DOMAIN is asked at https://DOMAIN/.well-known/skill-sharing; a URL with a path is taken as it is.
    Only public addresses are reached, checked after DNS and after each redirect.
    """
    try:
        discovery, interrupted = _surveyed(domain, options)
    except UsageError as error:
        raise click.UsageError(plain(str(error))) from None
    tally = Tally(fail_on=fail_on, rule_pack_version=rules.RULE_PACK_VERSION)
    tally.interrupted = interrupted
    items = items_of(discovery, interrupted=interrupted)
    colored = not output_file and _streams.color_wanted(color)
    with _streams.result(output_file) as write:
        if output_format in ("text", "full"):
            for line in table(discovery):
                write(line)
        for piece in render(items, tally, output_format, color=colored):
            write(piece)
    _streams.say(str(tally))
    return _exit_code(tally, discovery)


def _surveyed(domain: str, options: dict[str, Any]) -> tuple[Discovery, bool]:
    policy = FetchPolicy(
        allow_private=options["allow_private"], allow_http=options["allow_http"], timeout_ms=options["timeout_ms"]
    )
    credentials = _credentials(options["credentials_env"], options["credentials_header"])
    with Fetcher(policy) as fetcher:
        survey = Survey(
            domain, fetcher, credentials, concurrency=options["concurrency"], max_skills=options["max_skills"]
        )
        try:
            with _progress(survey.list()) as step:
                for _ in survey.examine():
                    step()
        except KeyboardInterrupt:
            return survey.so_far, True
        return survey.so_far, False


def _credentials(variable: str | None, header: str | None) -> dict[str, str] | str | None:
    if variable is None:
        if header is not None:
            raise click.UsageError("--credentials-header needs --credentials-env")
        return None
    secret = credentials_from(variable)
    return secret if header is None or secret is None else {header: secret}


@contextmanager
def _progress(length: int) -> Iterator[Callable[[], object]]:
    """Show a bar on the standard error where that is a terminal."""
    if not sys.stderr.isatty() or not length:
        yield lambda: None
        return
    with click.progressbar(length=length, label="skills", file=sys.stderr) as bar:
        yield lambda: bar.update(1)


def _exit_code(tally: Tally, discovery: Discovery) -> int:
    if tally.interrupted:
        return _exits.INTERRUPTED
    if discovery.failures:
        return _exits.NOT_REACHED
    if tally.unreadable:
        return _exits.UNREADABLE
    return _exits.FINDINGS if tally.failed else _exits.FINE
