"""What every command has: `--help` as an option that is made without a look at translations.

click asks gettext for the help of its own options, which imports `locale` and searches the
disk at every start.
"""

import click


def _show_help(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


HELP = click.Option(
    ["-h", "--help"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_help,
    help="Show this message and exit.",
)


class Command(click.Command):
    """A command of skillproto."""

    def get_help_option(self, ctx: click.Context) -> click.Option:
        return HELP
