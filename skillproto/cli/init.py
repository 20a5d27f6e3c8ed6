"""`skillproto init`: write a new descriptor that is valid from the start."""

# ruff: noqa: PTH123
import click

from skillproto import rules
from skillproto.cli import _exits, _streams
from skillproto.cli._command import Command
from skillproto.cli._yaml_text import to_yaml
from skillproto.reports.escaping import dump, plain
from skillproto.versions import PROTOCOL_VERSION
from skillproto.violations import JSONValue, Violation

_YAML = (".yaml", ".yml")
_AUTH: dict[str, JSONValue] = {
    "none": {"type": "none"},
    "api_key": {"type": "api_key", "header": "X-API-Key"},
    "oauth2": {
        "type": "oauth2",
        "oauth2": {"token_url": "https://auth.example.com/token", "scopes": {"skill:run": "Run the skill"}},
    },
    "custom": {"type": "custom", "custom": {"instructions": "Ask the provider for a signed request header."}},
}


@click.command(
    "init",
    cls=Command,
    epilog=(
        "\b\n"
        "Examples:\n"
        "  skillproto init\n"
        "  skillproto init skill.yaml --id com.example.translate --url https://api.example.com/translate\n"
        "  skillproto init - --auth api_key"
    ),
)
@click.argument("path", default="skill.json", metavar="[PATH]")
@click.option("--id", "skill_id", default="com.example.my-skill", show_default=True, help="Reverse-DNS id.")
@click.option("--name", default="My skill", show_default=True, help="What people call it.")
@click.option("--description", default="Says back what it was told.", show_default=True, help="What it does.")
@click.option(
    "--url",
    default="https://api.example.com/my-skill/executions",
    show_default=True,
    help="The endpoint that starts an execution; status and result are placed below it.",
)
@click.option("--auth", type=click.Choice(tuple(_AUTH)), default="none", show_default=True, help="How callers sign in.")
@click.option("--force", is_flag=True, help="Overwrite a file that is there already.")
def command(path: str, skill_id: str, name: str, description: str, url: str, auth: str, force: bool) -> int:
    """Write a new descriptor that is valid from the start.

    PATH is skill.json unless given; *.yaml and *.yml are written as YAML; '-' is the standard output.
    """
    descriptor = new_descriptor(skill_id, name, description, url, auth)
    _require_valid(rules.validate(descriptor))
    text = to_yaml(descriptor) if path.lower().endswith(_YAML) else dump(descriptor) + "\n"
    if path == "-":
        _streams.write(text)
        return _exits.FINE
    _create(path, text, force)
    _streams.say(f"wrote {path}; next: skillproto validate {path}")
    return _exits.FINE


def new_descriptor(skill_id: str, name: str, description: str, url: str, auth: str) -> dict[str, JSONValue]:
    """Make a descriptor of a skill with one text parameter."""
    base = url.rstrip("/")
    return {
        "protocol": {"version": PROTOCOL_VERSION},
        "id": skill_id,
        "name": name,
        "version": "0.1.0",
        "capability_type": "api",
        "description": description,
        "provider": {"name": "My organisation"},
        "endpoint": {
            "url": url,
            "method": "POST",
            "content_type": "application/json",
            "status_url": base + "/{execution_id}",
            "result_url": base + "/{execution_id}/result",
            "timeout_ms": 30000,
        },
        "inputs": [{"name": "text", "type": "string", "description": "The text to work on.", "required": True}],
        "output": {"type": "string", "description": "The answer."},
        "auth": _AUTH[auth],
        "access": "public" if auth == "none" else "restricted",
    }


_OPTION_OF = {"/id": "--id", "/name": "--name", "/description": "--description", "/endpoint": "--url"}


def _require_valid(violations: list[Violation]) -> None:
    for violation in violations:
        option = next((name for field, name in _OPTION_OF.items() if violation.field.startswith(field)), "")
        words = f"{violation.message}; expected {violation.expected}"
        if violation.severity == "error":
            raise click.BadParameter(plain(words), param_hint=option or violation.field)
        _streams.say(f"{violation.severity}: {option or violation.field}: {words}")


def _create(path: str, text: str, force: bool) -> None:
    try:
        with open(path, "w" if force else "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise click.UsageError(f"{path} is there already; take another name, or overwrite it with --force") from None
    except OSError as error:
        raise click.ClickException(f"{path} could not be written: {error.strerror}") from None
