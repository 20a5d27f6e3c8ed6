"""`skillproto diff`: tell what changed between two versions of a descriptor."""

import os
from collections.abc import Iterator
from typing import Any

import click

from skillproto.cli import _exits, _streams
from skillproto.cli._command import Command
from skillproto.cli._limits import chosen_limits, limit_options
from skillproto.cli._report_options import color_option
from skillproto.cli._sources import NoDescriptor, Reading, read_one
from skillproto.errors import ErrorCode, SkillError, UsageError, ValidationFailed
from skillproto.publishing.comparison import diff
from skillproto.reports import Tally, Unreadable, render
from skillproto.reports.comparing import THRESHOLDS, Compared, Threshold, as_text, verdict
from skillproto.reports.escaping import dump, plain
from skillproto.rules import RULE_PACK_VERSION, RuleConfig

FORMATS = ("text", "json", "github", "sarif", "junit")


@click.command(
    "diff",
    cls=Command,
    epilog=(
        "\b\n"
        "Examples:\n"
        "  skillproto diff HEAD:skill.json skill.json\n"
        "  skillproto diff v1.2.0:./skill.yaml skill.yaml --fail-on bump\n"
        "  skillproto diff https://example.com/skill.json skill.json --output-format github\n"
        "\n"
        "Exit codes: 0 fine, 1 a change that --fail-on names, 2 wrong usage, 3 nothing could be compared, "
        "4 an address could not be reached or is refused, 130 interrupted."
    ),
)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("--output-format", type=click.Choice(FORMATS), default="text", show_default=True, help="How to report.")
@click.option(
    "--fail-on",
    type=click.Choice(THRESHOLDS),
    default="breaking",
    show_default=True,
    help="The least change that makes the exit code 1; bump: a version that is not high enough for what changed.",
)
@click.option("--allow-undecided", is_flag=True, help="Count what cannot be decided as compatible.")
@click.option("--ignore", multiple=True, metavar="RULES", help="Let changes of these rules through.")
@click.option("--no-suppressions", is_flag=True, help="Let NEW not excuse itself with x-skillproto-ignore.")
@click.option("--allow-private", multiple=True, metavar="CIDR", help="Let addresses of this network be fetched.")
@click.option("--credentials-env", metavar="VAR", help="The environment variable with a token for addresses.")
@color_option
@limit_options
def command(old: str, new: str, output_format: str, fail_on: Threshold, color: str, **options: Any) -> int:
    """Tell what changed between two versions of a descriptor, and which version that needs.

    OLD and NEW are each a file, a file in git such as HEAD:skill.json (from the top of the repository) or
    HEAD:./skill.json (from here), an https address, or '-' for the standard input.
    """
    if old == new == "-":
        raise click.UsageError("only one of the two can come from the standard input")
    try:
        compared = _compared(old, new, fail_on, options)
    except NoDescriptor as error:
        return _not_compared(error.item, output_format, error.code, _details(error))
    except (ValidationFailed, SkillError) as error:
        source = old if error.details.get("which") != "new" else new
        item = Unreadable(source, "not-valid", _words(error))
        return _not_compared(item, output_format, _exits.UNREADABLE, error.details)
    except UsageError as error:
        raise click.UsageError(plain(str(error))) from None
    for piece in _written(compared, output_format, color=_streams.color_wanted(color)):
        _streams.write(piece)
    _streams.say(verdict(compared.comparison))
    return _exits.FINDINGS if compared.fails else _exits.FINE


def _compared(old: str, new: str, fail_on: Threshold, options: dict[str, Any]) -> Compared:
    reading = Reading(chosen_limits(options), options["allow_private"], _credentials(options["credentials_env"]))
    ignored = [part.strip() for text in options["ignore"] for part in text.split(",") if part.strip()]
    config = RuleConfig.parse({"ignore": ignored}, source="the command line")
    config = config._replace(suppressions=not options["no_suppressions"])
    before, after = read_one(old, reading), read_one(new, reading)
    comparison = diff(before.value, after.value, allow_undecided=options["allow_undecided"], config=config)
    return Compared(comparison, before, after, fail_on)


def _credentials(variable: str | None) -> str | None:
    if variable is None:
        return None
    secret = os.environ.get(variable)
    if not secret:
        raise click.BadParameter(f"the environment has no {plain(variable)}", param_hint="--credentials-env")
    return secret


def _written(compared: Compared, output_format: str, *, color: bool) -> Iterator[str]:
    if output_format == "text":
        return as_text(compared, color=color)
    if output_format == "json":
        return iter([dump(compared.to_dict()) + "\n"])
    return render(compared.items(), Tally(rule_pack_version=RULE_PACK_VERSION), output_format)


def _words(error: SkillError) -> str:
    violations = getattr(error, "violations", ())
    first = next(iter(violations), None)
    return error.message if first is None else f"{error.message}: {first.field or 'the document'}: {first.message}"


def _details(error: NoDescriptor) -> dict[str, Any]:
    violations = [violation.to_dict() for violation in error.violations]
    return {"reason": error.item.reason} | ({"violations": violations} if violations else {})


def _not_compared(item: Unreadable, output_format: str, code: int, details: dict[str, Any]) -> int:
    """Tell that nothing was compared, which is never a pass."""
    if output_format == "json":
        error = SkillError(ErrorCode.UNKNOWN, item.message, details={"source": item.source, **details})
        _streams.write(dump(error.to_dict()) + "\n")
    elif output_format != "text":
        for piece in render(iter([item]), Tally(rule_pack_version=RULE_PACK_VERSION), output_format):
            _streams.write(piece)
    _streams.say(f"nothing was compared: {item.source}: {item.message}")
    return code
