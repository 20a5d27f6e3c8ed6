"""Where a command takes credentials from: environment variables by their names, never the command line itself."""

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from skillproto.reports.escaping import plain

if TYPE_CHECKING:
    from skillproto.invocation.oauth import ClientCredentials

_OF_CLIENTS = ("client_id_env", "client_secret_env", "token_url", "scopes")


def credential_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options for credentials."""
    options = (
        click.option(
            "--credentials-env",
            metavar="VAR",
            help="The environment variable with the key or token; else SKILLPROTO_CREDENTIALS, JSON by origin.",
        ),
        click.option("--client-id-env", metavar="VAR", help="OAuth 2: the variable with the id of the client."),
        click.option("--client-secret-env", metavar="VAR", help="OAuth 2: the variable with the secret of the client."),
        click.option(
            "--token-url", metavar="URL", help="OAuth 2: where tokens are got, if elsewhere than at the skill's origin."
        ),
        click.option(
            "--scope", "scopes", multiple=True, metavar="SCOPE", help="OAuth 2: a scope to ask for; may come often."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def credentials_of(options: Mapping[str, Any]) -> "str | ClientCredentials | None":
    """Give what the options of `credential_options` name; None where they name nothing.

    Raises:
        click.UsageError: options that do not go together, or a variable that is not set.
        UsageError: a token endpoint that must not be given a secret.
    """
    if not any(options[name] for name in _OF_CLIENTS):
        return credentials_from(options["credentials_env"])
    if options["credentials_env"] is not None:
        raise click.UsageError("--credentials-env is a key or a token; --client-id-env gets tokens: give one of them")
    if not (options["client_id_env"] and options["client_secret_env"]):
        raise click.UsageError("a client needs both --client-id-env and --client-secret-env")
    from skillproto.invocation.oauth import ClientCredentials

    return ClientCredentials(
        _value_of(options["client_id_env"], "--client-id-env"),
        _value_of(options["client_secret_env"], "--client-secret-env"),
        token_url=options["token_url"],
        scopes=options["scopes"] or None,
    )


def credentials_from(variable: str | None) -> str | None:
    """Give the secret that an environment variable holds; None for none.

    Raises:
        click.BadParameter: there is no such variable.
    """
    return None if variable is None else _value_of(variable, "--credentials-env")


def _value_of(variable: str, option: str) -> str:
    secret = os.environ.get(variable)
    if not secret:
        raise click.BadParameter(f"the environment has no {plain(variable)}", param_hint=option)
    return secret
