"""Which of the three kinds of text some bytes are: by name, else by looking at them."""

import re
from typing import Literal

Kind = Literal["json", "yaml", "jsonl"]

_EXTENSIONS: dict[str, Kind] = {"json": "json", "jsonl": "jsonl", "ndjson": "jsonl", "yaml": "yaml", "yml": "yaml"}
_FIRST_LINE = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*([^\r\n]*)[ \t\r\n]*([^\r\n]?)")
_LOOKED_AT_BYTES = 64 * 1024


def kind_of(source: str) -> Kind | None:
    """Tell the kind from the extension of a path or an address; None when it has none that is known.

    >>> kind_of("skill.YML"), kind_of("https://host/a.json?x=1"), kind_of("<stdin>")
    ('yaml', 'json', None)
    """
    path = source if "://" not in source else re.split(r"[?#]", source, maxsplit=1)[0]
    name = re.split(r"[/\\]", path)[-1]
    return _EXTENSIONS.get(name.rpartition(".")[2].lower()) if "." in name else None


def sniff(data: bytes) -> Kind:
    r"""Tell the kind from the content.

    What begins with a bracket is JSON, and JSON Lines when the first line is whole by itself
    and more follows; a whole JSON value is JSON; all else is YAML.

    >>> sniff(b'{"a": 1}'), sniff(b'{"a": 1}\n{"a": 2}'), sniff(b"a: 1")
    ('json', 'jsonl', 'yaml')
    """
    match = _FIRST_LINE.match(data)
    first, more = (match.group(1), match.group(2)) if match else (b"", b"")
    if b"\0" in data[:4] or not first:
        return "json"
    if not first.startswith((b"{", b"[")):
        return "json" if not more and _is_json(first) else "yaml"
    return "jsonl" if more in (b"{", b"[") and _is_json(first) else "json"


def _is_json(line: bytes) -> bool:
    from skillproto.documents.json_text import DoubtError, fast_value
    from skillproto.documents.limits import Limits

    if len(line) > _LOOKED_AT_BYTES:
        return line.rstrip().endswith((b"}", b"]"))
    try:
        fast_value(line.decode(), Limits())
    except (DoubtError, UnicodeDecodeError):
        return False
    return True
