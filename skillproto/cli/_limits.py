"""The options that bound how much of a document is read."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from skillproto.documents import Limits

F = TypeVar("F", bound=Callable[..., Any])

_HELP = {
    "max_bytes": "Size of a document in bytes",
    "max_depth": "Arrays and objects inside each other",
    "max_nodes": "Values in a document",
    "max_digits": "Digits of an integer",
    "max_aliases": "Values that YAML aliases may repeat",
}


def limit_options(command: F) -> F:
    """Give a command an option for each limit."""
    for name, words in reversed(_HELP.items()):
        default = getattr(Limits(), name)
        option = click.option(
            "--" + name.replace("_", "-"),
            type=click.IntRange(1),
            metavar="N",
            help=f"{words}; more is a finding.  [default: {default}]",
        )
        command = option(command)
    return command


def chosen_limits(choices: dict[str, Any]) -> Limits:
    """Take the limits out of a command's options.

    >>> chosen_limits({"max_depth": 5, "max_bytes": None, "select": ()}).max_depth
    5
    """
    given = {name: choices.pop(name, None) for name in _HELP}
    return Limits()._replace(**{name: value for name, value in given.items() if value is not None})
