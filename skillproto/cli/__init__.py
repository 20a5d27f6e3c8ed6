"""The command line. Every command is imported when it is called, so that start-up stays short."""

import gc

# Start-up makes many objects that live to the end: looking for garbage among them is time lost.
gc.set_threshold(100_000, 20, 20)

import click  # noqa: E402

from skillproto import __version__  # noqa: E402
from skillproto.cli._group import SkillprotoGroup  # noqa: E402


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"skillproto {__version__}")
        ctx.exit()


@click.group(
    cls=SkillprotoGroup,
    context_settings={"max_content_width": 100},
    commands_of={
        "validate": "Check descriptors and report everything that is wrong with them.",
        "diff": "Tell what changed between two versions of a descriptor.",
        "invoke": "Call a skill and print its output.",
        "resume": "Take up the calls that a killed process left open in a journal.",
        "discover": "List what a domain offers, and check all of it.",
        "mcp": "Let a host that speaks MCP call skills.",
        "demo": "See it work: a provider that fails twice, and a call that comes through.",
        "init": "Write a new descriptor.",
        "schema": "Print a schema, for an editor or another validator.",
        "publish-check": "Ask of a descriptor what a registry asks before it publishes it.",
        "check-service": "Answer over HTTP what publish-check answers.",
        "explain": "Tell what an error code or a rule means, and what to do.",
    },
    epilog=(
        "\b\n"
        "Exit codes:\n"
        "  0    fine\n"
        "  1    findings, or a skill that failed\n"
        "  2    wrong usage\n"
        "  3    input that could not be read\n"
        "  4    the other side could not be reached\n"
        "  130  interrupted\n"
        "  141  whoever read the output went away\n"
        "\n"
        "\b\n"
        "Examples:\n"
        "  skillproto validate skill.json\n"
        "  skillproto validate skills/ --output-format json\n"
        "  skillproto invoke skill.json -i text='Hola, mundo.'\n"
        "  skillproto explain EXECUTION_TIMEOUT\n"
    ),
)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
def main() -> None:
    """Validate skill descriptors, invoke skills, and understand what came back.

    Results go to the standard output, words to the standard error.
    """
