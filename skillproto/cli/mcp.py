"""`skillproto mcp`: skills as an MCP server on the standard input and output."""

import logging
import sys
from typing import Any

import click

from skillproto.cli import _exits, _streams
from skillproto.cli._command import Command
from skillproto.cli._credentials import credential_options, credentials_of
from skillproto.cli.invoke import JOURNAL, load, read
from skillproto.descriptor import Descriptor
from skillproto.errors import SkillError, UsageError
from skillproto.reports import Unreadable
from skillproto.reports.escaping import plain


@click.command(
    "mcp",
    cls=Command,
    epilog=(
        "\b\n"
        "Examples:\n"
        "  skillproto mcp translate.json orders.json\n"
        "  SKILL_KEY=... skillproto mcp skill.json --credentials-env SKILL_KEY --journal calls.db\n"
        "\n"
        "Exit codes: 0 the host closed the connection; 1 a descriptor is not valid; 2 wrong usage; "
        "3 a file could not be read, or the extra is not installed; 130 interrupted."
    ),
)
@click.argument("descriptors", nargs=-1, required=True, metavar="DESCRIPTOR...")
@click.option("--name", default="skillproto", show_default=True, help="How the server calls itself.")
@click.option("--timeout-ms", type=click.IntRange(1, 86_400_000), help="Each call may take so long.")
@credential_options
@click.option("--caller-id", default="skillproto-mcp", show_default=True, help="Who calls.")
@click.option("--journal", envvar=JOURNAL, metavar="PATH", help="Note the calls in this file; see skillproto resume.")
def command(descriptors: tuple[str, ...], **options: Any) -> int:
    """Let a host that speaks MCP call skills: each DESCRIPTOR becomes a tool.

    The standard input and output belong to the protocol; words go to the standard error.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="skillproto: %(message)s")
    skills = []
    credentials = credentials_of(options)
    if "-" in descriptors:
        raise click.UsageError("the standard input belongs to the protocol; give the descriptors as files")
    for name in descriptors:
        data = read(name)
        if isinstance(data, Unreadable):
            _streams.say(f"{data.source}: {data.message}")
            return _exits.UNREADABLE
        try:
            skills.append(load(data, name))
        except SkillError as error:
            return _refused(name, error)
    return _serve(skills, credentials, options)


def _refused(name: str, error: SkillError) -> int:
    _streams.say(f"{name}: {error.code.value}: {error.message} (more: skillproto validate {name})")
    return _exits.FINDINGS


def _serve(skills: list[Descriptor], credentials: Any, options: dict[str, Any]) -> int:
    import anyio

    from skillproto.agent.skill_set import SkillSet
    from skillproto.invocation.client import AsyncSkillClient

    try:
        from skillproto.agent.mcp_server import create_server, serve_stdio
    except ModuleNotFoundError as missing:
        message = f"the bridge needs {missing.name}; install the extra: pip install 'skillproto[mcp]'"
        raise click.ClickException(message) from None

    async def main() -> None:
        client = AsyncSkillClient(
            caller_id=options["caller_id"],
            credentials=credentials,
            journal=options["journal"],
        )
        async with client:
            server = create_server(SkillSet(skills, client), name=options["name"], timeout_ms=options["timeout_ms"])
            await serve_stdio(server)

    try:
        anyio.run(main)
    except UsageError as error:
        raise click.UsageError(plain(str(error))) from None
    except SkillError as error:  # a damaged journal: what befalls a call is told to the host
        raise click.ClickException(plain(error.message)) from None
    except BaseExceptionGroup as group:
        if group.split(BrokenPipeError)[1] is not None:
            raise
        raise BrokenPipeError from None  # the host has gone without closing our input
    return _exits.FINE
