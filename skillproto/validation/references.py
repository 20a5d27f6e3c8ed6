"""Follow references inside one schema, and no further. Pure."""

from typing import Any
from urllib.parse import unquote


def find_local(root: Any, reference: str) -> Any:
    """Give the part of a schema that a reference names: "#", "#/$defs/x" or "#anchor".

    Raises:
        LookupError: there is none, or the reference leaves the schema.

    >>> find_local({"$defs": {"x": {"type": "string"}}}, "#/$defs/x")
    {'type': 'string'}
    """
    if not reference.startswith("#"):
        raise LookupError(reference[:200])
    fragment = unquote(reference[1:])
    if fragment and not fragment.startswith("/"):
        return _anchored(root, fragment)
    part = root
    for token in fragment.split("/")[1:]:
        part = _member(part, token.replace("~1", "/").replace("~0", "~"))
    return part


def _member(part: Any, token: str) -> Any:
    if isinstance(part, dict):
        return part[token]
    if isinstance(part, list) and token.isascii() and token.isdigit() and len(token) < 10 and str(int(token)) == token:
        return part[int(token)]
    raise LookupError(token[:200])


def _anchored(root: Any, name: str) -> Any:
    waiting = [root]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if name in (part.get("$anchor"), part.get("$dynamicAnchor")):
                return part
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    raise LookupError(name[:200])
