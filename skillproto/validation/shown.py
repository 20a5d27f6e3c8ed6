"""Show a value in a finding: short, masked, and always something that JSON can hold.

Pure. The time does not depend on how large the value is, except for counting a text.
"""

import json
from itertools import islice

from skillproto.redaction import MASK, is_secret_name, mask, mask_text
from skillproto.violations import JSONValue, type_name

LONGEST_TEXT = 120
"""Characters of a text that a finding shows."""

_SCANNED_TEXT = 1000
_MOST_NODES = 12
_MOST_BITS = 128
_MOST_NAMES = 10


def shown(value: JSONValue, name: str = "") -> JSONValue:
    """Give what a finding shows of a value: small ones whole, large ones in a few words.

    Args:
        value: any Python value, also such as no JSON text can hold.
        name: the member under which it stands; a secret's name masks it whole.

    >>> shown("plugin"), shown(list(range(1000))), shown("hunter2", "password")
    ('plugin', 'array of 1000 items', '[redacted]')
    """
    if name and is_secret_name(name) and isinstance(value, str | int | float) and not isinstance(value, bool):
        return MASK
    match value:
        case None | bool():
            return value
        case str():
            return short_text(value)
        case int():
            return int(value) if value.bit_length() <= _MOST_BITS else _large_integer(value)
        case float():
            return value if value - value == 0 else f"{value}"
        case list() | dict():
            return _container(value)
        case _:
            return f"a Python {type(value).__name__[:60]}"


def short_text(text: str, longest: int = LONGEST_TEXT) -> str:
    """Give a text masked, without lone surrogates, and cut where it is long.

    >>> short_text("a" * 500, 10)
    'aaaaaaaaaa... (500 characters)'
    """
    masked = mask_text(text[:_SCANNED_TEXT].encode("utf-8", "backslashreplace").decode())
    if len(text) <= _SCANNED_TEXT and len(masked) <= longest:
        return masked
    return f"{masked[:longest]}... ({len(text)} characters)"


def phrase(value: JSONValue) -> str:
    """Write a value as part of a sentence: texts bare, everything else as JSON.

    >>> phrase("api"), phrase(None), phrase([1, 2])
    ('api', 'null', '[1, 2]')
    """
    short = shown(value)
    return short if isinstance(short, str) else json.dumps(short, ensure_ascii=False)


def listed(values: JSONValue) -> str:
    """Write values one after the other, a long list only in part.

    >>> listed(["a", 1, None]), listed(range(100)).endswith("and 90 more")
    ('a, 1, null', True)
    """
    values = list(islice(values, 10_000))
    shown_count = len(values) if len(values) <= _MOST_NAMES + 2 else _MOST_NAMES
    first = ", ".join(phrase(value) for value in values[:shown_count])
    return first if shown_count == len(values) else f"{first} and {len(values) - shown_count} more"


def _large_integer(value: int) -> str:
    return f"an integer of about {int(value.bit_length() * 0.30103) + 1} digits"


def _container(value: list[JSONValue] | dict[str, JSONValue]) -> JSONValue:
    if _is_small(value):
        return mask(value)
    noun = "items" if isinstance(value, list) else "members"
    return f"{type_name(value)} of {len(value)} {noun if len(value) != 1 else noun[:-1]}"


def _is_small(value: JSONValue) -> bool:
    """Say whether a container has few nodes, all of them short and JSON."""
    seen = 0
    waiting = [value]
    while waiting:
        node = waiting.pop()
        seen += 1
        if seen > _MOST_NODES or not _is_short(node):
            return False
        if isinstance(node, dict):
            waiting.extend(islice(node.values(), _MOST_NODES))
        elif isinstance(node, list):
            waiting.extend(islice(node, _MOST_NODES))
    return True


def _is_short(node: JSONValue) -> bool:
    match node:
        case str():
            return len(node) <= LONGEST_TEXT // 2 and node.isprintable()
        case int():
            return node.bit_length() <= _MOST_BITS
        case float():
            return node - node == 0
        case dict():
            return len(node) <= _MOST_NODES and all(isinstance(key, str) and _is_short(key) for key in node)
        case list():
            return len(node) <= _MOST_NODES
        case _:
            return node is None
