"""Documents that the tests of this room start from."""

from copy import deepcopy
from typing import Any

MINIMAL: dict[str, Any] = {
    "protocol": {"version": "1.0.0"},
    "id": "com.example.translate-v1",
    "name": "Translate",
    "version": "1.2.0",
    "capability_type": "api",
    "description": "Translates a text.",
    "provider": {"name": "Example"},
    "endpoint": {"url": "https://api.example.com/translate"},
    "inputs": [],
    "output": {"type": "string"},
    "auth": {"type": "none"},
    "access": "public",
}


def descriptor(**members: Any) -> dict[str, Any]:
    """Give a valid descriptor with some members put in or, with `...`, taken away."""
    document = {**deepcopy(MINIMAL), **members}
    return {name: value for name, value in document.items() if value is not ...}
