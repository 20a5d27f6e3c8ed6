"""Find the shipped schemas and read them.

In a wheel they lie inside the package, in a checkout beside it. Never reads anything else.
"""

# ruff: noqa: PTH100, PTH110, PTH118, PTH120, PTH123
# pathlib would be imported for this alone, and start-up is counted in milliseconds
import json
import os.path
from typing import Any

SCHEMA_VERSION = "1.0"
"""The folder of schemas that belongs to the protocol version spoken here."""

SCHEMA_NAMES = ("descriptor", "error", "execution", "index", "invocation-request")
"""The names of the shipped schemas, in order."""

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_FOLDERS = tuple(os.path.join(parent, "schemas", SCHEMA_VERSION) for parent in (_PACKAGE, os.path.dirname(_PACKAGE)))
_REPORTS = tuple(
    os.path.join(parent, "schemas", "report", "1.json") for parent in (_PACKAGE, os.path.dirname(_PACKAGE))
)

REPORT_SCHEMA_PATH = next((path for path in _REPORTS if os.path.exists(path)), _REPORTS[0])
"""Where the schema of the JSON report lies, for readers of reports in other languages."""


def schema_path(name: str) -> str:
    """Give the path of a shipped schema's file.

    Raises:
        UnknownSchemaError: no shipped schema has this name.

    >>> schema_path("index").endswith("index.json")
    True
    """
    if name not in SCHEMA_NAMES:
        from skillproto.errors import UnknownSchemaError

        raise UnknownSchemaError(
            f"no shipped schema is called {str(name)[:60]!r}; there are: {', '.join(SCHEMA_NAMES)}"
        )
    paths = [os.path.join(folder, f"{name}.json") for folder in _FOLDERS]
    return next((path for path in paths if os.path.exists(path)), paths[0])


def schema_text(name: str) -> str:
    """Give the text of a shipped schema, as it is published.

    Raises:
        UnknownSchemaError: no shipped schema has this name.

    >>> schema_text("error").startswith("{")
    True
    """
    with open(schema_path(name), encoding="utf-8") as file:
        return file.read()


def load_schema(name: str) -> dict[str, Any]:
    """Give a shipped schema as a new dict, which the caller may change.

    Raises:
        UnknownSchemaError: no shipped schema has this name.

    >>> load_schema("descriptor")["title"]
    'Skill descriptor'
    """
    schema: dict[str, Any] = json.loads(schema_text(name))
    return schema
