"""A descriptor to test with."""

from skillproto.violations import JSONValue

_ORIGIN = "https://skill.example"


def sample_descriptor(**changes: JSONValue) -> dict[str, JSONValue]:
    """Give a valid descriptor of a skill that takes a `text` and gives a text.

    Args:
        changes: members to replace or add; `endpoint` is joined with the one that is there.

    >>> sample_descriptor(version="2.0.0")["version"], sample_descriptor()["endpoint"]["url"]
    ('2.0.0', 'https://skill.example/run')
    """
    given = changes.pop("endpoint", {})
    endpoint: dict[str, JSONValue] = {
        "url": f"{_ORIGIN}/run",
        "status_url": f"{_ORIGIN}/executions/{{execution_id}}",
        "result_url": f"{_ORIGIN}/executions/{{execution_id}}/result",
    }
    return {
        "protocol": {"version": "1.0.0"},
        "id": "example.skill.echo",
        "name": "Echo",
        "version": "1.0.0",
        "capability_type": "api",
        "description": "Gives back the text that it gets.",
        "provider": {"name": "Example"},
        "endpoint": endpoint | given if isinstance(given, dict) else given,
        "inputs": [{"name": "text", "type": "string", "required": True}],
        "output": {"type": "string"},
        "auth": {"type": "none"},
        "access": "public",
        **changes,
    }
