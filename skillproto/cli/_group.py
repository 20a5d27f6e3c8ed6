"""A click group that imports its commands when they are called, and never shows a traceback."""

import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any

import click

from skillproto.cli import _exits, _streams
from skillproto.cli._command import HELP


class SkillprotoGroup(click.Group):
    """The group of all commands.

    Attributes:
        commands_of: the name of each command with its line in the help; the command is
            `command` in the module of that name.
    """

    def __init__(self, *args: Any, commands_of: dict[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.commands_of = commands_of

    def get_help_option(self, ctx: click.Context) -> click.Option:
        return HELP

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands_of)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands_of:
            return None
        command = import_module(f"skillproto.cli.{cmd_name.replace('-', '_')}").command
        assert isinstance(command, click.Command)  # noqa: S101 - a promise of every module named in commands_of
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.commands_of.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands_of and not args[0].startswith("-"):
            from skillproto.cli._nearest import did_you_mean

            ctx.fail(f"no such command: {args[0]}.{did_you_mean(args[0], self.commands_of)}")
        return super().resolve_command(ctx, args)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = "skillproto",
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line and leave the process with its exit code."""

        def run() -> Any:
            return super(SkillprotoGroup, self).main(args, prog_name, complete_var, standalone_mode=False, **extra)

        if not standalone_mode:
            return run()
        given = list(sys.argv[1:] if args is None else args)
        _streams.prepare()
        sys.exit(_guarded(run, given))


def _guarded(run: Any, args: list[str]) -> int:
    try:
        result = run()
        _streams.flush()
    except click.UsageError as error:
        error.show()
        return _told(args, "usage", error.format_message(), _exits.USAGE)
    except click.ClickException as error:
        error.show()
        return _told(args, "failed", error.format_message(), _exits.UNREADABLE)
    except (KeyboardInterrupt, click.Abort):
        _streams.say("interrupted")
        return _told(args, "interrupted", "Interrupted before the end", _exits.INTERRUPTED)
    except BrokenPipeError:
        _streams.abandon()
        return _exits.PIPE_CLOSED
    except OSError as error:
        _streams.abandon()
        _streams.say(f"the output could not be written: {error.strerror or type(error).__name__}")
        return _exits.UNREADABLE
    except Exception as error:  # the last place where it can be told without a traceback
        return _crashed(args, error)
    return result if isinstance(result, int) else _exits.FINE


def _crashed(args: list[str], error: Exception) -> int:
    from skillproto.cli._crash import describe

    _streams.say(describe(error))
    return _told(args, "crashed", describe(error), _exits.UNREADABLE)


def _told(args: list[str], reason: str, message: str, code: int) -> int:
    """Give a program that waits for JSON its one document, unless it has one already."""
    if wants_json(args) and not _streams.begun():
        from skillproto.errors import SkillError
        from skillproto.reports.escaping import dump

        _streams.write(dump(SkillError("UNKNOWN", message, details={"reason": reason}).to_dict()) + "\n")
    return code


def wants_json(args: list[str]) -> bool:
    """Say whether a command line asks for JSON, though it may be wrong otherwise."""
    return "--output-format=json" in args or ("--output-format", "json") in pairwise(args)
