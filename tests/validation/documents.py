"""Documents for property tests: valid ones made from a schema, and small changes to them."""

from copy import deepcopy
from functools import partial
from typing import Any

from hypothesis import strategies as st

from skillproto.validation.references import find_local

TEXTS = (
    "", " ", "\t\n", "a", "abc\n", "\nabc", "A" * 101, "é", "\u0661\u0662", "\ud800", "\x00", "a\u2028b", "latest",
    "v1.2.3", "1.2", "01.2.3", "1.2.3\n", "1.0.0-alpha.1+b", "1.0.0-01", "com.example.x", "-a", "a-", "a..b",
    "application/json", "text/html; charset=utf-8", "text/", "application/json\n", "https://example.com",
    "HTTPS://EXAMPLE.COM/", "https://example.com\n", "http://", "//host", "https://host:99999/",
    "https://host:443/x", "https://exa mple.com", "https://[::1]/", "https://[::1", "https://a..b/",
    "https://-a.com/", "https://a_b.com", "https://xn--hst-sna.de/", "https://höst.de/", "https://1.2.3.4/",
    "https://1.2.3.400/", "https://e.com/{execution_id}", "https://e.com/{", "https://{execution_id}.com/",
    "https://e.com/%zz", "https://e.com/a%20b?c=d#e", "https://e.com/#a#b", "https://u:p@e.com/",
    "https://" + "a" * 64 + ".com", "javascript:alert(1)", "2026-02-29T00:00:00Z", "2024-02-29T00:00:00Z",
    "2016-12-31T23:59:60Z", "2016-12-31T23:58:60Z", "2026-01-31t08:00:00z", "2026-01-31T08:00:00",
    "2026-01-31T24:00:00Z", "2026-01-31T08:00:00+24:00", "2026-13-01T00:00:00Z", "\u0662026-01-31T08:00:00Z", "a@",
    "(?<n>a)", "oauth2", "api_key", "custom", "none", "public", "plugin", "string", "POST", "X-API-Key", "X Api",
)  # fmt: skip
OTHERS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 1.0, 1.5, -0.0, 10**400, float("inf"), float("nan"), 86400000, 86400001,
    86400000.0, [], {}, [1], ["a", "a"], ["a", "b"], [None], [[]], (), ("a",), {"type": "oauth2"}, {"type": "none"},
    {1: 2}, {None: 1}, {"name": "x", "type": "string"}, b"bytes", {"version": "1.0.0", 5: 5}, frozenset(),
)  # fmt: skip
ODD = [*TEXTS, *OTHERS]
_GOOD_TEXTS = {
    "uri": ["https://example.com/", "http://a.example.org:8080/x?y=z", "https://api.example.com/skills/run"],
    "uri-template": ["https://example.com/runs/{execution_id}", "https://example.com/runs"],
    "date-time": ["2026-01-31T08:00:00Z", "2026-10-02T23:59:59.5+02:00", "2024-02-29T00:00:00Z"],
}
_BY_TITLE = {
    "SemVer version": ["1.2.0", "0.0.1", "10.20.30-rc.1+build.5"],
    "skill id": ["com.example.translate-v1", "a", "A.b_c-1"],
    "HTTP header name": ["X-API-Key", "Authorization"],
    "media type": ["application/json", "text/plain; charset=utf-8"],
    "parameter name": ["text", "_x", "target-language_2"],
}


def valid(schema: Any, root: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Make values that a shipped schema accepts."""
    if schema is True or "$ref" in schema:
        return st.sampled_from([1, "x", None]) if schema is True else valid(find_local(root, schema["$ref"]), root)
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kind = schema.get("type", "null")
    return _object(schema, root) if kind == "object" else _plain(schema, root, kind)


def _plain(schema: dict[str, Any], root: dict[str, Any], kind: Any) -> st.SearchStrategy[Any]:
    match kind:
        case "string":
            return _text(schema)
        case "integer" | "number":
            return st.integers(schema.get("minimum", -5), schema.get("maximum", 10**6))
        case "boolean":
            return st.booleans()
        case "array":
            items = valid(schema.get("items", True), root)
            return st.lists(items, min_size=schema.get("minItems", 0), max_size=4, unique="uniqueItems" in schema)
        case list():
            return st.sampled_from([value for value in _EXAMPLES if _kind(value) in kind])
        case _:
            return st.sampled_from([1, "x", None, []])


_EXAMPLES: list[Any] = [True, {}, {"type": "string"}, None, "high", 3]


def _kind(value: Any) -> str:
    names = {bool: "boolean", dict: "object", str: "string", int: "integer"}
    return names.get(type(value), "null")


def _text(schema: dict[str, Any]) -> st.SearchStrategy[str]:
    known = _GOOD_TEXTS.get(schema.get("format", "")) or _BY_TITLE.get(schema.get("title", ""))
    if known:
        return st.sampled_from(known)
    return st.text(min_size=1, max_size=min(schema.get("maxLength", 30), 30)).map(lambda text: f"{text.strip()}x"[-30:])


def _object(schema: dict[str, Any], root: dict[str, Any]) -> st.SearchStrategy[Any]:
    members = {name: valid(part, root) for name, part in schema.get("properties", {}).items()}
    required = {name: members[name] for name in schema.get("required", ())}
    for branch in schema.get("anyOf", ()):
        required.update({name: members[name] for name in branch["required"][:1]})
        break
    optional = {name: part for name, part in members.items() if name not in required}
    made = st.fixed_dictionaries(required, optional=optional)
    for branch in schema.get("allOf", ()):
        made = made.flatmap(partial(_with_branch, branch, root))
    return made


def _with_branch(branch: dict[str, Any], root: dict[str, Any], value: dict[str, Any]) -> st.SearchStrategy[Any]:
    ((tag, wanted),) = branch["if"]["properties"].items()
    if value.get(tag) != wanted["const"]:
        return st.just(value)
    then = {"type": "object", **branch["then"]}
    return valid(then, root).map(lambda more: {**value, **more})


@st.composite
def mutated(draw: st.DrawFn, base: Any) -> Any:
    """Change one to three places of a document."""
    document = deepcopy(draw(base) if isinstance(base, st.SearchStrategy) else base)
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(document))
        if not places:
            break
        container, key = draw(st.sampled_from(places))
        _change(draw, container, key)
    return document


def _places(value: Any) -> Any:
    """Give each container of a document with each of its keys."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict | list):
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            yield from ((node, key) for key in keys)
            waiting.extend(node[key] for key in keys)


def _change(draw: st.DrawFn, container: Any, key: Any) -> None:
    value = container[key]
    choice = draw(st.integers(0, 5))
    if choice == 0:
        del container[key]
    elif choice == 1 and isinstance(container, dict):
        name = draw(st.sampled_from(["extra", "nam", 5, None, "oauth2", "custom", "header"]))
        container[name] = deepcopy(draw(st.sampled_from(ODD)))
    elif choice == 2 and isinstance(value, str):
        at = draw(st.integers(0, len(value)))
        mark = draw(
            st.sampled_from(
                ["", "\n", " ", ".", "-", "0", "{", "}", "é", "%", "/", "@", ":", "[", "\u0661", "_", "?", "#"]
            )
        )
        container[key] = value[:at] + mark + value[at + draw(st.integers(0, 1)) :]
    elif choice == 3 and isinstance(container, list):
        container.append(deepcopy(value))
    elif choice == 4 and isinstance(value, int):
        container[key] = draw(st.sampled_from([float(value % 10**15), -value, bool(value % 2), str(value)]))
    else:
        container[key] = deepcopy(draw(st.sampled_from(ODD)))
