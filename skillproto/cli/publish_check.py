"""`skillproto publish-check`: ask of a descriptor what a registry asks before it publishes it."""

import json
import sys
from collections.abc import Iterator
from typing import Any

import click

from skillproto import rules
from skillproto.cli import _exits, _streams
from skillproto.cli._command import Command
from skillproto.cli._interrupt import Interruptible
from skillproto.cli._limits import chosen_limits, limit_options
from skillproto.cli._publishing import Known, PublishRun, allowed, known_from, prober
from skillproto.cli._report_options import (
    color_option,
    fail_on_option,
    output_file_option,
    output_format_option,
    stdin_filename_option,
)
from skillproto.cli.validate import require_spared, until
from skillproto.errors import UsageError
from skillproto.publishing.obstacles import NotCarriedOut
from skillproto.redaction import safe_url
from skillproto.reports import PROGRAMS, Item, Tally, Unreadable, render
from skillproto.reports.escaping import dump, plain

_IN_REQUEST = {
    "publisher": "--publisher",
    "proofs": "--proven",
    "allow": "--allow",
    "allow_file": "--allow-file",
    "output_file": "--output-file",
}


@click.command(
    "publish-check",
    cls=Command,
    epilog=(
        "\b\n"
        "Examples:\n"
        "  skillproto publish-check skill.json\n"
        "  skillproto publish-check skill.json --against published/skill.json\n"
        "  skillproto publish-check skill.json --state registry.json --output-format json\n"
        "  skillproto publish-check skill.json --against https://example.com/.well-known/skill-sharing\n"
        "  skillproto publish-check --exchange < request.json\n"
        "\n"
        "Nothing goes on the network without --probe or an address after --against. Exit codes: 0 fine, "
        "1 findings, 2 wrong usage, 3 something could not be read or compared, 4 an address could not be "
        "reached, 130 interrupted."
    ),
)
@click.argument("paths", nargs=-1, metavar="[DESCRIPTOR]...")
@click.option(
    "--against", metavar="PREVIOUS|DIR|INDEX_URL", help="What is published: a descriptor, a folder, an index."
)
@click.option("--state", "state_path", metavar="FILE", help="What the registry knows: JSON, JSON Lines, or a folder.")
@click.option("--publisher", metavar="NAME", help="Who wants to publish; what this holder holds is not taken.")
@click.option("--proven", "proofs", multiple=True, metavar="NAMESPACE", help="A proven namespace, such as com.example.")
@click.option("--allow", multiple=True, metavar="LINE", help="Let a finding pass: 'ID@VERSION RULE POINTER'.")
@click.option("--allow-file", metavar="FILE", help="A file with such lines; # begins a comment.")
@click.option(
    "--probe", "is_probing", is_flag=True, help="Ask the skill at its addresses; a few requests that it refuses."
)
@click.option("--allow-private", multiple=True, metavar="CIDR", help="With the network: a private network to reach.")
@click.option("--exchange", is_flag=True, help="Read one JSON request from the standard input, print one JSON reply.")
@output_format_option
@fail_on_option
@output_file_option
@limit_options
@stdin_filename_option
@color_option
def command(paths: tuple[str, ...], exchange: bool, **choices: Any) -> int:
    """Ask of a descriptor what a registry asks before it publishes it.

    Says everything that `validate` says, by the same rules, and what only the registry knows: whether the
    version is new and great enough, whether the contract breaks, whose the id and the address are, and what
    the provider's index says. DESCRIPTOR is a file, a directory or '-'.
    """
    if exchange:
        return _exchange(paths, choices)
    if not paths:
        raise click.UsageError("name a DESCRIPTOR, or '-' for the standard input")
    require_spared(choices["output_file"], paths)
    return _files(paths, choices)


def _files(paths: tuple[str, ...], choices: dict[str, Any]) -> int:
    tally = Tally(fail_on=choices["fail_on"], rule_pack_version=rules.RULE_PACK_VERSION)
    output_format: str = choices["output_format"]
    options = {
        "publisher": choices["publisher"],
        "proofs": choices["proofs"],
        "allow": allowed(choices["allow"], choices["allow_file"]),
        "probe": prober(lambda: _policy(choices)) if choices["is_probing"] else None,
    }
    limits = chosen_limits(choices)
    with Interruptible(guards_writes=output_format in PROGRAMS) as stop:
        known, failure, is_remote = _known(choices)
        run = PublishRun(known, options, choices["stdin_filename"], limits, choices["output_file"])
        items: Iterator[Item] = iter([failure]) if failure is not None else stop.items(run.items(paths))
        _report(until(items, stop, tally), tally, choices)
    _streams.say(_words(tally, known))
    if tally.interrupted:
        return _exits.INTERRUPTED
    return exit_code(tally, run.is_remote or is_remote)


def _known(choices: dict[str, Any]) -> tuple[Known, Unreadable | None, bool]:
    """Give what is known, or why it is not, and whether that is the other side's."""
    try:
        return known_from(choices["state_path"], choices["against"], lambda: _policy(choices)), None, False
    except NotCarriedOut as error:
        obstacle = error.obstacle
        source = str(
            choices["against"] if obstacle.step == "comparison" else choices["state_path"] or choices["against"]
        )
        shown = safe_url(source) if "://" in source else source
        return Known(), Unreadable(shown, obstacle.reason, obstacle.message), obstacle.is_remote


def _report(items: Iterator[Item], tally: Tally, choices: dict[str, Any]) -> None:
    output_file = choices["output_file"]
    color = not output_file and _streams.color_wanted(choices["color"])
    with _streams.result(output_file) as write_result:
        for piece in render(items, tally, choices["output_format"], color=color):
            write_result(piece)


def exit_code(tally: Tally, is_remote: bool) -> int:
    """Give the exit code of a run: what could not be carried out weighs more than findings."""
    if tally.unreadable or not tally.checked:
        return _exits.NOT_REACHED if is_remote else _exits.UNREADABLE
    return _exits.FINDINGS if tally.failed else _exits.FINE


def _words(tally: Tally, known: Known) -> str:
    theirs = known.state.rule_pack_version if known.state is not None else None
    if theirs is None or theirs == rules.RULE_PACK_VERSION:
        return str(tally)
    return f"the registry has another rule pack, {plain(theirs[:40])}; {tally}"


def _policy(choices: dict[str, Any]) -> Any:
    from skillproto.discovery import FetchPolicy

    try:
        return FetchPolicy(allow_private=choices["allow_private"])
    except UsageError as error:
        raise click.BadParameter(plain(str(error)), param_hint="--allow-private") from None


def _exchange(paths: tuple[str, ...], choices: dict[str, Any]) -> int:
    from skillproto.publishing.exchange import CheckRequest, reply_of

    if paths:
        return _refused("usage", "--exchange takes the descriptor inside the request, and no DESCRIPTOR", _exits.USAGE)
    for name, option in _IN_REQUEST.items():
        if choices[name]:
            return _refused("usage", f"with --exchange, what {option} says goes into the request", _exits.USAGE)
    known, failure, is_remote = _known(choices)
    try:
        request = CheckRequest.read(json.loads(sys.stdin.buffer.read()), limits=chosen_limits(choices))
        if choices["state_path"] and (request.state is not None or request.proofs or request.allow):
            words = "with --state, the request may not hold state, options.proofs or options.allow of its own"
            return _refused("usage", words, _exits.USAGE)
        if failure is not None:
            return _refused("could-not-be-carried-out", failure.message, _remote(is_remote))
        probe = prober(lambda: _policy(choices)) if choices["is_probing"] else None
        reports = request.check(state=known.state, against=known.against, probe=probe)
    except (ValueError, RecursionError) as error:
        words = str(error) if isinstance(error, UsageError) else "the request is not JSON"
        return _refused("usage", words, _exits.USAGE)
    _streams.write(dump(reply_of(reports)) + "\n")
    obstacles = [obstacle for report in reports for obstacle in report.obstacles]
    if obstacles:
        return _remote(any(obstacle.is_remote for obstacle in obstacles))
    return _exits.FINDINGS if any(report.accepted is False for report in reports) else _exits.FINE


def _remote(is_remote: bool) -> int:
    return _exits.NOT_REACHED if is_remote else _exits.UNREADABLE


def _refused(reason: str, words: str, code: int) -> int:
    from skillproto.errors import SkillError

    _streams.write(dump(SkillError("UNKNOWN", words, details={"reason": reason}).to_dict()) + "\n")
    _streams.say(words)
    return code
