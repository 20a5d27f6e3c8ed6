"""Prove in a few microseconds that no rule has anything to say about a valid descriptor.

Each area that is not named is proven silent; a named one is looked at by its rules. Every
shortcut leans to naming an area, and a test holds it against the rules. Imports nothing but `re`,
so that a valid file costs no start-up.
"""

import re
from typing import Any

from skillproto.rules.plain_schemas import LONGEST_NAME, is_plain, surely_fits
from skillproto.rules.speech import LETTERS, TELLING, are_silent, is_silent, is_strange
from skillproto.versions import PROTOCOL_VERSION

AREAS = ("protocol", "members", "parameters", "schemas", "access", "addresses", "texts", "suppression")
"""What can be in doubt; the rules of each are in the module of that name, or near it."""

_KNOWN = frozenset(
    ["protocol", "id", "name", "version", "capability_type", "description", "provider", "endpoint", "inputs", "output",
     "auth", "access", "tags", "documentation_url", "created_at", "updated_at", "$schema"]
)  # fmt: skip
_KNOWN_IN = {
    "protocol": frozenset(["version", "changelog_url"]),
    "provider": frozenset(["name", "url", "contact"]),
    "endpoint": frozenset(["url", "method", "content_type", "status_url", "result_url", "timeout_ms"]),
    "output": frozenset(["type", "description", "content_type", "schema"]),
    "oauth2": frozenset(["token_url", "authorization_url", "scopes"]),
    "custom": frozenset(["instructions", "parameters"]),
}
_KNOWN_PARAMETER = frozenset(["name", "type", "description", "required", "default", "enum", "schema", "examples"])
_KNOWN_CUSTOM_PARAMETER = frozenset(["name", "description"])
_KNOWN_AUTH = {
    "api_key": frozenset(["type", "description", "header"]),
    "oauth2": frozenset(["type", "description", "oauth2"]),
    "custom": frozenset(["type", "description", "custom"]),
    "none": frozenset(["type", "description"]),
}
_SCHEMA_WORDS = frozenset(
    ["properties", "items", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "pattern", "format",
     "uniqueItems", "additionalProperties", "title"]
)  # fmt: skip
_ORDINARY_NAMES = frozenset().union(
    _KNOWN, *_KNOWN_IN.values(), _KNOWN_PARAMETER, *_KNOWN_AUTH.values(), _SCHEMA_WORDS
)  # fmt: skip
_LOOKED_AT = frozenset(["user_message", "x-skillproto-ignore"])

_URL = re.compile(r"(https://[a-z0-9.-]*\.([a-z]{2,24}))(?:/[A-Za-z0-9._~/-]*(?:\{execution_id\}[A-Za-z0-9._~/-]*)?)?")
_SPECIAL_ENDS = frozenset(
    [
        "localhost",
        "localdomain",
        "local",
        "internal",
        "intranet",
        "lan",
        "home",
        "corp",
        "private",
        "arpa",
        "svc",
        "onion",
    ]
)
_WILDCARD_DOMAINS = ("nip.io", "sslip.io", "xip.io", "localtest.me", "lvh.me", "vcap.me", "traefik.me")
_ID = re.compile(r"[a-z]{2,63}(?:\.[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?){2,}")
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}
_SCALARS = frozenset([str, int, float, bool])
_PLAIN_VERSION = re.compile(PROTOCOL_VERSION.partition(".")[0] + r"\.[0-9.]+")
_MOST_PLAIN_DAYS = 4
_MOST_VALUES = 100
_DEEPEST_VALUE = 8
_MOST_NODES = 200_000

_TOKENS = bytes(
    97 if chr(c) in "_-" or (c < 128 and chr(c).isalnum()) else 32 if 32 <= c < 127 or c in b"\t\n\r" else 33
    for c in range(256)
)
_LONG_TOKEN = b"a" * 19
_KEY_STARTS = re.compile(
    r"[sprk]k[-_]|gh[pousr]_|github_pat_|glpat-|AKIA|ASIA|AIza|npm_|pypi-|hf_|do[opr]_v1_|ya29|AGE-|SG[.]"
)
_SIGNED_IN = re.compile(r"://[^/?#\s@]*@")
_BEARING = frozenset([b"bearer", b"basic", b"begin", b"accountkey", b"sharedaccesskey", b"hooks"])
_MARKED = TELLING | _BEARING
_SECRET_ENDINGS = (
    "authorization", "password", "passwd", "pwd", "secret", "token", "key", "credential", "cookie", "session_id",
    "session-id", "sessionid",
)  # fmt: skip


def doubts(document: dict[str, Any]) -> list[str]:
    """Name the areas whose rules may have something to say about a descriptor that its schema accepts.

    >>> import json, pathlib
    >>> doubts(json.loads(pathlib.Path("examples/translate.json").read_text()))
    []
    """
    nodes, texts = _walk(document)
    if len(nodes) > _MOST_NODES:
        return list(AREAS)
    found = [] if _PLAIN_VERSION.fullmatch(document["protocol"]["version"]) else ["protocol"]
    if not (_schemas_are_plain(document) and _parameters_are_plain(document["inputs"])):
        found += ("members", "parameters", "schemas", "access")
    elif not _members_are_plain(document):
        found.append("members")
    if not _addresses_are_plain(document):
        found.append("addresses")
    is_open, is_unguarded = document["access"] == "public", document["auth"]["type"] == "none"
    if is_open is not is_unguarded and "access" not in found:
        found.append("access")
    return found + _doubts_of_texts(nodes, texts, found)


def _members_are_plain(document: dict[str, Any]) -> bool:
    auth = document["auth"]
    if not (document.keys() <= _KNOWN and auth.keys() <= _KNOWN_AUTH[auth["type"]]):
        return False
    for name in ("protocol", "provider", "endpoint", "output"):
        if not document[name].keys() <= _KNOWN_IN[name]:
            return False
    details = auth.get("oauth2") or auth.get("custom")
    if details is not None and not details.keys() <= _KNOWN_IN[auth["type"]]:
        return False
    for parameter in details.get("parameters", ()) if details else ():
        if not parameter.keys() <= _KNOWN_CUSTOM_PARAMETER:
            return False
    return _ID.fullmatch(document["id"]) is not None and _times_are_plain(document)


def _times_are_plain(document: dict[str, Any]) -> bool:
    created, updated = document.get("created_at"), document.get("updated_at")
    if created is None or updated is None:
        return True
    if created[10:] == updated[10:] or (len(created) == len(updated) == 20 and created[19] == updated[19] == "Z"):
        return bool(created <= updated)
    return _day(updated) - _day(created) > _MOST_PLAIN_DAYS


def _day(text: str) -> int:
    """Number the days so that two which are next to each other differ by at most four."""
    return (int(text[:4]) * 12 + int(text[5:7])) * 31 + int(text[8:10])


def _schemas_are_plain(document: dict[str, Any]) -> bool:
    output = document["output"]
    schema = output.get("schema")
    if schema is not None and not (is_plain(schema) and schema.get("type") == output["type"]):
        return False
    for parameter in document["inputs"]:
        schema = parameter.get("schema")
        if schema is not None and not (is_plain(schema) and _has_kind(schema.get("type"), parameter)):
            return False
    return True


def _has_kind(kinds: Any, parameter: dict[str, Any]) -> bool:
    """Say whether a schema names the parameter's type, and null where the parameter is optional."""
    if parameter.get("required") is True:
        return kinds == parameter["type"] or (kinds.__class__ is list and parameter["type"] in kinds)
    schema = parameter["schema"]
    return kinds.__class__ is list and "null" in kinds and parameter["type"] in kinds and "enum" not in schema


def _parameters_are_plain(inputs: list[dict[str, Any]]) -> bool:
    for parameter in inputs:
        if not parameter.keys() <= _KNOWN_PARAMETER:
            return False
        if len(parameter) > 2 and not _values_are_plain(parameter):
            return False
    return len({parameter["name"] for parameter in inputs}) == len(inputs)


def _values_are_plain(parameter: dict[str, Any]) -> bool:
    values = parameter.get("examples", ())
    if len(values) > _MOST_VALUES:
        return False
    choices = parameter.get("enum")
    if "default" in parameter:
        if parameter.get("required") is True:
            return False
        values = [parameter["default"], *values]
    if choices is not None:
        if parameter["type"] != "string" or not _are_plain_choices(choices, values):
            return False
        values = choices
    if not values:
        return True
    kinds, schema = _TYPES[parameter["type"]], parameter.get("schema")
    return not _sounds_secret(parameter["name"]) and all(_is_plain_value(value, kinds, schema) for value in values)


def _are_plain_choices(choices: list[Any], values: list[Any]) -> bool:
    if not all(choice.__class__ is str for choice in choices):
        return False
    return len(set(choices)) == len(choices) <= _MOST_VALUES and all(value in choices for value in values)


def _is_plain_value(value: Any, kinds: tuple[type, ...], schema: dict[str, Any] | None) -> bool:
    if value.__class__ not in kinds or not (value.__class__ in _SCALARS or _is_plain_inside(value)):
        return False
    return schema is None or surely_fits(schema, value)


def _is_plain_inside(value: Any, depth: int = 0) -> bool:
    """Say whether an array or object holds scalars and plain objects, under names that no rule looks at."""
    if depth > _DEEPEST_VALUE or (value.__class__ is dict and not all(map(_is_plain_name, value))):
        return False
    for item in value.values() if value.__class__ is dict else value:
        if not (item.__class__ in _SCALARS or item is None or _is_plain_inside(item, depth + 1)):
            return False
    return True


def _is_plain_name(name: str) -> bool:
    is_ordinary = name.isidentifier() and name.isascii() and len(name) <= LONGEST_NAME
    return is_ordinary and name not in _LOOKED_AT and not _sounds_secret(name)


def _sounds_secret(name: str) -> bool:
    name = name.lower()
    return name.endswith(_SECRET_ENDINGS) or (name[-1:] == "s" and name[:-1].endswith(_SECRET_ENDINGS))


def _addresses_are_plain(document: dict[str, Any]) -> bool:
    endpoint = document["endpoint"]
    home = _origin(endpoint["url"])
    if home is None or not home == _origin(endpoint.get("status_url")) == _origin(endpoint.get("result_url")):
        return False
    if "{" in endpoint["url"]:
        return False
    others = [
        document.get("documentation_url"),
        document["provider"].get("url"),
        document["protocol"].get("changelog_url"),
    ]
    oauth2 = document["auth"].get("oauth2")
    if oauth2:
        others += (oauth2["token_url"], oauth2.get("authorization_url"))
    return all(text is None or _origin(text) is not None for text in others)


def _origin(text: str | None) -> str | None:
    match = _URL.fullmatch(text) if text is not None else None
    if match is None or match[2] in _SPECIAL_ENDS or match[1].endswith(_WILDCARD_DOMAINS):
        return None
    return match[1]


def _walk(document: dict[str, Any]) -> tuple[list[Any], list[str]]:
    """Give every object and array, a few more than the limit at most (a value may hold itself), and every text."""
    nodes: list[Any] = [document]
    texts: list[str] = []
    for node in nodes:
        for item in node.values() if node.__class__ is dict else node:
            if item.__class__ is str:
                texts.append(item)
            elif item.__class__ is dict or item.__class__ is list:
                nodes.append(item)
        if len(nodes) > _MOST_NODES:
            break
    return nodes, texts


def _doubts_of_texts(nodes: list[Any], texts: list[str], found: list[str]) -> list[str]:
    """Name the areas that a text puts in doubt, or the name of a member that is not plain."""
    doubtful: list[str] = []
    if found or "oauth2" in nodes[0]["auth"]:
        doubtful = _doubts_of_names({name for node in nodes if node.__class__ is dict for name in node}, texts)
    doubtful += _doubts_of_text(" ".join(texts), texts)
    return [area for area in dict.fromkeys(doubtful) if area not in found]


def _doubts_of_names(names: set[str], texts: list[str]) -> list[str]:
    """Look at the names of members; elsewhere all of them are known to be the protocol's, or identifiers."""
    rare = names - _ORDINARY_NAMES
    texts += rare
    areas = [] if rare.isdisjoint(_LOOKED_AT) else ["suppression"]
    return [*areas, "access"] if any(map(_sounds_secret, rare)) else areas


def _doubts_of_text(text: str, texts: list[str]) -> list[str]:
    data = text.encode("latin-1", "replace")
    tokens = data.translate(_TOKENS)
    if (b"!" in tokens or not text.isascii()) and is_strange(text):
        return ["texts", "access"]
    told = _MARKED.intersection(data.translate(LETTERS).split())
    doubtful = []
    if not (all(map(is_silent, texts)) if "<|" in text else are_silent(texts, told)):
        doubtful.append("texts")
    if _may_hold_key(text, tokens) or not told.isdisjoint(_BEARING):
        doubtful.append("access")
    return doubtful


def _may_hold_key(text: str, tokens: bytes) -> bool:
    if "xox" in text or ("J" in text and "eyJ" in text) or ("@" in text and _SIGNED_IN.search(text)):
        return True
    return _LONG_TOKEN in tokens and _KEY_STARTS.search(text) is not None
