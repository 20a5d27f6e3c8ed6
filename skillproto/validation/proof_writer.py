"""Write the tests that prove a document valid against one schema.

What is written is straight code for exactly this schema. A keyword that this module does
not know, or a form of one that it cannot prove, stops it: nothing is passed over. Pure.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from skillproto.validation.charsets import LAST, complement
from skillproto.validation.patterns import compile_pattern, parse, to_python
from skillproto.validation.references import find_local
from skillproto.validation.regex_syntax import Chars

_SAID = frozenset({"$schema", "$id", "$defs", "$comment", "title", "description", "default"})
_IDENTIFIER = "(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_SEMVER = (
    r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)"
    rf"(-{_IDENTIFIER}(\.{_IDENTIFIER})*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$"
)
_WEB = "^[Hh][Tt][Tt][Pp][Ss]?://"
_PROOFS: dict[tuple[str | None, str | None], str] = {
    ("uri", _WEB): "(len({0}) > LONGEST_WEB or not looks_web({0})) and not is_web_address({0})",
    ("uri-template", _WEB): "not is_execution_address({0})",
    ("date-time", None): "not looks_dated({0}) and not is_date_time({0})",
    (None, _SEMVER): "not is_version({0})",
}
_FEW = 64
_PYTHON = {"string": "str", "object": "dict", "array": "list", "boolean": "bool", "integer": "int"}


class Unsupported(Exception):
    """A schema says something for which there is no proof here."""


class _Writer:
    """The lines of one function; each test that fails leaves it with False."""

    def __init__(self, root: dict[str, Any], patterns: dict[str, str]) -> None:
        self.root = root
        self.patterns = patterns
        self.lines: list[str] = []
        self.depth = 1
        self.count = 0
        self.open: list[str] = []
        self.counters: dict[str, str] = {}
        self.counted: set[tuple[str, str]] = set()

    def put(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def refuse(self, condition: str) -> None:
        self.put(f"if {condition}: return False")

    def inside(self, head: str, *bodies: Callable[[], None]) -> None:
        """Write a block; nothing at all where it has no lines."""
        at = len(self.lines)
        self.put(head)
        self.depth += 1
        for body in bodies:
            body()
        self.depth -= 1
        if len(self.lines) == at + 1:
            self.lines.pop()

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def schema(self, schema: Any, value: str) -> None:
        """Write the tests of a schema for the value in a variable."""
        if schema is True:
            return
        if schema is False:
            raise Unsupported("no proof for: false")
        if "$ref" in schema:
            self.reference(schema, value)
            return
        unknown = schema.keys() - _SAID - _KEYWORDS.keys()
        if unknown:
            raise Unsupported(f"no proof for: {', '.join(sorted(unknown))}")
        for keyword, write in _KEYWORDS.items():
            if keyword in schema:
                write(self, schema, value)
        if schema.get("type") == "object":
            self.keys(value)

    def keys(self, value: str) -> None:
        """Write the test that every key is a string; not needed where each is a known one."""
        head = f"for key in {value}:"
        test = partial(self.refuse, "type(key) is not str")
        if value in self.counters:
            self.inside(f"if len({value}) > {self.counters[value]}:", lambda: self.inside(head, test))
        else:
            self.inside(head, test)

    def known(self, value: str, name: str) -> None:
        """Count a known key, each name at one place alone: counting too few costs time, too many would be wrong."""
        if value in self.counters and (value, name) not in self.counted:
            self.counted.add((value, name))
            self.put(f"{self.counters[value]} += 1")

    def reference(self, schema: dict[str, Any], value: str) -> None:
        """Write the tests of what a reference names, in place."""
        reference = schema["$ref"]
        if reference in self.open or not reference.startswith("#/$defs/") or schema.keys() - _SAID - {"$ref"}:
            raise Unsupported(f"$ref to {reference}")
        target = find_local(self.root, reference)
        if not isinstance(target, dict):
            raise Unsupported(f"$ref to {reference}")
        self.open.append(reference)
        rest = {keyword: item for keyword, item in schema.items() if keyword != "$ref"}
        self.schema({**target, **rest}, value)
        self.open.pop()

    def pattern(self, source: str) -> str:
        """Give the name of the function that searches for a pattern."""
        if not compile_pattern(source).on_re:
            raise Unsupported(f"pattern {source}")
        return self.patterns.setdefault(to_python(parse(source)), f"_search{len(self.patterns) + 1}")


def _type(writer: _Writer, schema: dict[str, Any], value: str) -> None:
    names = schema["type"]
    if isinstance(names, list):
        writer.refuse(" and ".join(_is_no(name, value) for name in names))
        if "object" in names:
            writer.inside(f"if type({value}) is dict:", partial(writer.keys, value))
    else:
        writer.refuse(_is_no(names, value))
        if names == "object" and "properties" in schema and value not in writer.counters:
            writer.counters[value] = f"n{value[1:]}"
            certain = schema["properties"].keys() & schema.get("required", ())
            writer.counted.update((value, name) for name in certain)
            writer.put(f"{writer.counters[value]} = {len(certain)}")


def _is_no(name: str, value: str) -> str:
    if name == "null":
        return f"{value} is not None"
    if name == "number":
        return f"(type({value}) is not int and (type({value}) is not float or {value} - {value} != 0))"
    return f"type({value}) is not {_PYTHON[name]}"


def _enum(writer: _Writer, schema: dict[str, Any], value: str) -> None:
    if not all(isinstance(each, str) for each in schema["enum"]):
        raise Unsupported("enum of other values than strings")
    values = ", ".join(map(repr, schema["enum"]))
    is_other = f"not in {{{values}}}" if len(schema["enum"]) > 1 else f"!= {values}"
    writer.refuse(f"type({value}) is not str or {value} {is_other}")


def _sizes(writer: _Writer, schema: dict[str, Any], value: str) -> None:
    kind, least, most = ("str", "minLength", "maxLength") if _is_text(schema) else ("list", "minItems", "maxItems")
    if _PYTHON.get(str(schema.get("type"))) != kind:
        raise Unsupported("a size without its type")
    if least in schema and most in schema:
        writer.refuse(f"not {schema[least]} <= len({value}) <= {schema[most]}")
    elif least in schema:
        writer.refuse(f"len({value}) < {schema[least]}" if schema[least] > 1 else f"not {value}")
    else:
        writer.refuse(f"len({value}) > {schema[most]}")


def _is_text(schema: dict[str, Any]) -> bool:
    return "minLength" in schema or "maxLength" in schema


def _once(first: str, write: Callable[[_Writer, dict[str, Any], str], None]) -> Callable[..., None]:
    """Let the second of two keywords that are written together write nothing."""

    def unless(writer: _Writer, schema: dict[str, Any], value: str) -> None:
        if first not in schema:
            write(writer, schema, value)

    return unless


def _range(writer: _Writer, schema: dict[str, Any], value: str) -> None:
    if schema.get("type") not in ("integer", "number"):
        raise Unsupported("bounds without a type")
    if "minimum" in schema:
        writer.refuse(f"{value} < {schema['minimum']}")
    if "maximum" in schema:
        writer.refuse(f"{value} > {schema['maximum']}")


def _text(writer: _Writer, schema: dict[str, Any], value: str) -> None:
    """Write the test of pattern and format, behind one for the default, which is the usual value."""
    if schema.get("type") != "string":
        raise Unsupported("pattern or format without the type string")
    usual = f"{value} != {schema['default']!r} and " if _default_fits(schema) else ""
    writer.refuse(usual + _text_test(writer, schema, value))


def _default_fits(schema: dict[str, Any]) -> bool:
    default, pattern = schema.get("default"), schema.get("pattern")
    return isinstance(default, str) and "format" not in schema and compile_pattern(str(pattern)).search(default)


def _text_test(writer: _Writer, schema: dict[str, Any], value: str) -> str:
    form, pattern = schema.get("format"), schema.get("pattern")
    proof = _PROOFS.get((form, pattern))
    if proof is not None:
        return proof.format(value)
    if form is not None:
        raise Unsupported(f"format {form} with pattern {pattern}")
    tree = parse(str(pattern))
    if isinstance(tree, Chars) and schema.get("minLength", 0) > 0:
        rare = [(first, last) for first, last in complement(tree.chars) if last < LAST]
        texts = [chr(code) for first, last in rare for code in range(first, last + 1)][:_FEW]
        if len(complement(tree.chars)) == len(rare) and len(texts) < _FEW:
            return f"{value}[0] in {''.join(texts)!r} and not {writer.pattern(str(pattern))}({value})"
    return f"not {writer.pattern(str(pattern))}({value})"


def _required(writer: _Writer, schema: dict[str, Any], value: str) -> None:
    for name in schema["required"]:
        if name not in schema.get("properties", {}) or schema.get("type") != "object":
            writer.refuse(f"{name!r} not in {value}")


def _properties(writer: _Writer, schema: dict[str, Any], value: str) -> None:
    for name, part in schema["properties"].items():
        if name in schema.get("required", ()) and schema.get("type") == "object":
            _member(writer, part, value, name)
        else:
            head = f"if {name!r} in {value}:"
            writer.inside(head, partial(writer.known, value, name), partial(_member, writer, part, value, name))


def _member(writer: _Writer, schema: Any, value: str, name: str) -> None:
    member = writer.name()
    writer.put(f"{member} = {value}[{name!r}]")
    writer.schema(schema, member)


def _values(writer: _Writer, schema: dict[str, Any], value: str) -> None:
    if (
        schema.get("type") != "object"
        or schema.get("properties")
        or not isinstance(schema["additionalProperties"], dict)
    ):
        raise Unsupported("additionalProperties beside properties")
    member = writer.name()
    head = f"for {member} in {value}.values():"
    writer.inside(head, lambda: writer.schema(schema["additionalProperties"], member))


def _items(writer: _Writer, schema: dict[str, Any], value: str) -> None:
    if schema.get("type") != "array":
        raise Unsupported("items without the type array")
    item = writer.name()
    writer.inside(f"for {item} in {value}:", lambda: writer.schema(schema["items"], item))


def _unique(writer: _Writer, schema: dict[str, Any], value: str) -> None:
    if schema.get("items", {}).get("type") != "string":
        raise Unsupported("uniqueItems of other items than strings")
    writer.refuse(f"len({value}) > 1 and len({{*{value}}}) < len({value})")


def _all_of(writer: _Writer, schema: dict[str, Any], value: str) -> None:
    for branch in schema["allOf"]:
        name, wanted = _tag(branch if isinstance(branch, dict) else {}, schema)
        head = f"if {value}[{name!r}] == {wanted!r}:"
        writer.inside(head, partial(writer.schema, branch["then"], value))


def _tag(branch: dict[str, Any], schema: dict[str, Any]) -> tuple[str, str]:
    """Give the member and the value that choose a branch of a tagged union."""
    if branch.keys() == {"if", "then"} and branch["if"].keys() == {"properties", "required"}:
        (name, tag), *others = branch["if"]["properties"].items() or [("", {})]
        known = schema.get("type") == "object" and name in schema.get("required", ())
        if known and not others and branch["if"]["required"] == [name] and isinstance(tag.get("const"), str):
            return name, tag["const"]
    raise Unsupported("allOf that is no tagged union")


def _any_of(writer: _Writer, schema: dict[str, Any], value: str) -> None:
    if schema.get("type") != "object" or any(
        branch is True or branch is False or branch.keys() != {"required"} for branch in schema["anyOf"]
    ):
        raise Unsupported("anyOf of other things than members")
    branches = (" and ".join(f"{name!r} in {value}" for name in one["required"]) for one in schema["anyOf"])
    writer.refuse(f"not ({' or '.join(branches)})")


_KEYWORDS: dict[str, Callable[[_Writer, dict[str, Any], str], None]] = {
    "type": _type,
    "enum": _enum,
    "minLength": _sizes,
    "maxLength": _once("minLength", _sizes),
    "minItems": _sizes,
    "maxItems": _once("minItems", _sizes),
    "minimum": _range,
    "maximum": _once("minimum", _range),
    "format": _text,
    "pattern": _once("format", _text),
    "required": _required,
    "properties": _properties,
    "additionalProperties": _values,
    "items": _items,
    "uniqueItems": _unique,
    "anyOf": _any_of,
    "allOf": _all_of,
}
"""How the test of each keyword is written, in the order of the tests."""


def write_proof(name: str, schema: dict[str, Any], patterns: dict[str, str]) -> Iterator[str]:
    r"""Write the function for one schema.

    Args:
        name: what it is called.
        schema: the schema, its references all inside it.
        patterns: the names of search functions by expression; new ones are added.

    Raises:
        Unsupported: the schema says something that cannot be proven here.

    >>> print(*write_proof("f", {"type": "string", "maxLength": 5}, {}), sep="\n")
    def f(v0: Any) -> bool:
        if type(v0) is not str: return False
        if len(v0) > 5: return False
        return True
    """
    writer = _Writer(schema, patterns)
    writer.schema(schema, "v0")
    yield f"def {name}(v0: Any) -> bool:"
    yield from writer.lines
    yield "    return True"
