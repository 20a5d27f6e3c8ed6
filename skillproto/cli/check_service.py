"""`skillproto check-service`: answer over HTTP what `publish-check` answers on the command line."""

from typing import Any

import click

from skillproto.cli import _exits, _streams
from skillproto.cli._command import Command
from skillproto.errors import UsageError
from skillproto.publishing.obstacles import NotCarriedOut
from skillproto.reports.escaping import plain


@click.command(
    "check-service",
    cls=Command,
    epilog=(
        "\b\n"
        "Examples:\n"
        "  skillproto check-service --state registry.json\n"
        '  curl -d \'{"text": "..."}\' http://127.0.0.1:8080/v1/check\n'
        "\n"
        "POST /v1/check takes the request of `publish-check --exchange`; GET /openapi.json describes it, GET /health "
        "says whether it is up. It knows no users: let only your registry reach it. Exit codes: 0 stopped, "
        "2 wrong usage, 3 the state cannot be read or the extra is not installed, 130 interrupted."
    ),
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="0 chooses a free one.")
@click.option("--state", "state_path", metavar="FILE", help="What the registry knows: JSON, JSON Lines, or a folder.")
@click.option("--allow-probes", is_flag=True, help="Let requests ask for probes, which go on the network.")
@click.option("--allow-private", multiple=True, metavar="CIDR", help="With probes: a private network to reach.")
@click.option("--max-bytes", type=click.IntRange(1), default=4 * 1024 * 1024, show_default=True, help="Of a request.")
@click.option("--timeout", "timeout_s", type=float, default=10.0, show_default=True, help="Seconds for a request.")
@click.option("--at-once", type=click.IntRange(1), default=8, show_default=True, help="Checks under way at a time.")
def command(host: str, port: int, state_path: str | None, **choices: Any) -> int:
    """Answer over HTTP what `publish-check` answers on the command line, for registries in other languages."""
    try:
        from skillproto.publishing.service import create_service
        from skillproto.publishing.serving import serve
    except ModuleNotFoundError as missing:
        raise click.ClickException(
            f"the service needs {missing.name}; install the extra: pip install 'skillproto[provider]'"
        ) from None
    try:
        app = create_service(
            _state(state_path),
            _probe(choices),
            max_bytes=choices["max_bytes"],
            timeout_s=choices["timeout_s"],
            at_once=choices["at_once"],
        )
        serve(app, host, port, lambda url: _streams.say(f"answers at {url}; stop it with Ctrl-C"))
    except UsageError as error:
        raise click.UsageError(plain(str(error))) from None
    except NotCarriedOut as error:
        raise click.ClickException(plain(str(error))) from None
    return _exits.FINE


def _state(path: str | None) -> Any:
    from skillproto.publishing.loading import load_state

    return None if path is None else load_state(path)


def _probe(choices: dict[str, Any]) -> Any:
    if not choices["allow_probes"]:
        return None
    from skillproto.discovery import FetchPolicy
    from skillproto.publishing.probing import Prober

    return Prober(FetchPolicy(allow_private=choices["allow_private"]))
