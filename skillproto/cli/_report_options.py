"""The options that say how a report looks, where it goes and what fails a run: the same in every command."""

import click

from skillproto.reports import FORMATS

output_format_option = click.option(
    "--output-format", type=click.Choice(FORMATS), default="text", show_default=True, help="How to report."
)
fail_on_option = click.option(
    "--fail-on",
    type=click.Choice(("error", "warning", "never")),
    default="error",
    show_default=True,
    help="The least severe finding that makes the exit code 1.",
)
output_file_option = click.option(
    "--output-file", metavar="FILE", help="Write the report into a file, which is replaced when it is whole."
)
stdin_filename_option = click.option(
    "--stdin-filename", default="<stdin>", metavar="NAME", help="How to call the standard input, '-'."
)
color_option = click.option(
    "--color",
    type=click.Choice(("auto", "always", "never")),
    default="auto",
    show_default=True,
    help="auto: on a terminal, unless NO_COLOR is set.",
)
