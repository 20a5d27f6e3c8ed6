"""Take from a provider's reply what may be shown: masked, short, and always JSON.

Pure. Whatever a reply holds, what leaves here has a bounded size and depth, so that an
error stays fit for a log line however large the body was.
"""

import math
import re

from skillproto.redaction import mask, mask_text
from skillproto.violations import JSONValue

MESSAGE_CHARS = 500
SEEN_CHARS = 200
DETAILS_CHARS = 8_000

_WINDOW_CHARS = 16_384
_DEEPEST = 6
_KEY_CHARS = 100
_LARGEST_INTEGER = 1 << 64
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def excerpt(text: str, limit_chars: int = MESSAGE_CHARS) -> str:
    r"""Give a text without secrets and control characters, cut at a limit.

    Masking comes before cutting, so that half a key cannot slip through.

    >>> excerpt("call\x1b[31m with Bearer abcdefghijklmnopqrstuvwx", 40)
    'call [31m with [redacted]'
    >>> excerpt("abcdef", 4)
    'abc…'
    """
    window = _CONTROLS.sub(" ", text[:_WINDOW_CHARS]).encode("utf-8", "replace").decode()
    masked = mask_text(window)
    return masked if len(masked) <= limit_chars else masked[: limit_chars - 1] + "…"


def seen(body: bytes | str) -> str:
    r"""Give the start of a body on one line, to show what came instead of JSON.

    >>> seen(b"<html>\n  <h1>Bad gateway</h1>")
    '<html> <h1>Bad gateway</h1>'
    """
    start = body[:_WINDOW_CHARS]
    text = start if isinstance(start, str) else start.decode("utf-8", "replace")
    return excerpt(" ".join(text.split()), SEEN_CHARS)


def shown(value: JSONValue, limit_chars: int = DETAILS_CHARS) -> JSONValue:
    """Give a JSON value without secrets, cut in breadth, depth and length.

    >>> shown({"token": "abc", "list": [1, 2]})
    {'token': '[redacted]', 'list': [1, 2]}
    >>> shown({"a": {"b": {"c": {"d": {"e": {"f": {}}}}}}})
    {'a': {'b': {'c': {'d': {'e': {'f': '…'}}}}}}
    """
    within_reach = _Cutter(8 * limit_chars, _WINDOW_CHARS).cut(value)
    return _Cutter(limit_chars, MESSAGE_CHARS).cut(mask(within_reach))


class _Cutter:
    """Copies a value until its characters are used up."""

    def __init__(self, limit_chars: int, text_chars: int) -> None:
        self._left = limit_chars
        self._text_chars = text_chars

    def cut(self, value: JSONValue, depth: int = 0) -> JSONValue:
        self._left -= 2
        match value:
            case str():
                return self._text(value, self._text_chars)
            case None | bool():
                return value
            case int():
                return value if abs(value) <= _LARGEST_INTEGER else "…"
            case float():
                return value if math.isfinite(value) else None
            case list() | tuple() if depth < _DEEPEST:
                return self._items(value, depth)
            case dict() if depth < _DEEPEST:
                return self._members(value, depth)
            case _:
                return "…"

    def _text(self, text: str, limit_chars: int) -> str:
        limit_chars = max(1, min(limit_chars, self._left))
        self._left -= min(len(text), limit_chars)
        text = text[: limit_chars + 1].encode("utf-8", "replace").decode()
        return text if len(text) <= limit_chars else text[: limit_chars - 1] + "…"

    def _items(self, items: list[JSONValue] | tuple[JSONValue, ...], depth: int) -> list[JSONValue]:
        copies = []
        for item in items:
            if self._left <= 0:
                break
            copies.append(self.cut(item, depth + 1))
        return copies

    def _members(self, members: dict[str, JSONValue], depth: int) -> dict[str, JSONValue]:
        copies = {}
        for key, item in members.items():
            if self._left <= 0:
                break
            copies[self._text(str(key), _KEY_CHARS)] = self.cut(item, depth + 1)
        return copies
