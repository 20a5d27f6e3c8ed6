"""Write a JSON value as YAML that a person would write, without a YAML library.

Only what `init` needs: strings are quoted as in JSON, which YAML reads the same way.
"""

import json
import re
from collections.abc import Iterator

from skillproto.violations import JSONValue

_PLAIN = re.compile(r"(?![Yy]es$|[Nn]o$|[Oo]n$|[Oo]ff$|[Tt]rue$|[Ff]alse$|[Nn]ull$|none$)[A-Za-z][A-Za-z0-9_/.-]*")


def to_yaml(value: JSONValue) -> str:
    """Write a value in block style.

    >>> print(to_yaml({"version": "1.10", "tags": ["a"], "inputs": []}), end="")
    version: "1.10"
    tags:
      - a
    inputs: []
    """
    return "".join(f"{line}\n" for line in _lines(value))


def _lines(value: JSONValue) -> Iterator[str]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _joined(f"{key}:", item)
    elif isinstance(value, list) and value:
        for item in value:
            first, *rest = _lines(item)
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)
    else:
        yield _scalar(value)


def _joined(head: str, item: JSONValue) -> Iterator[str]:
    if isinstance(item, dict | list) and item:
        yield head
        yield from (f"  {line}" for line in _lines(item))
    else:
        yield f"{head} {_scalar(item)}"


def _scalar(value: JSONValue) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False)
