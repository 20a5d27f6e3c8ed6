"""Look through an untrusted schema: form, references, patterns, and how much work it can cause.

Pure and iterative: no schema makes it recurse, fetch or take long.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, unquote

from skillproto.validation.metaschema import CHILDREN, DIALECTS, form_problems
from skillproto.validation.patterns import PatternError, UnsafePattern, compile_pattern
from skillproto.validation.references import find_local
from skillproto.validation.shown import short_text, shown
from skillproto.violations import Violation, pointer

DEEPEST = 64
"""Levels of a schema, and of parts applied to the same value."""

MOST_NODES = 20_000
"""Values that a schema may consist of."""

LONGEST = 400_000
"""Characters that the texts of a schema may have together."""

MOST_APPLIED = 5_000
"""Schemas that may be applied to one and the same value, each as often as it is reached."""

LONGEST_PATTERNS = 20_000
"""Characters that the patterns of a schema may have together."""

MOST_PATTERN_STEPS = 40_000
"""Steps that the patterns of a schema may grow to together, once their counted repeats are written out."""

IN_PLACE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"})
_ANCHORS = ("$anchor", "$dynamicAnchor")
_MOST_FINDINGS = 100


class Scan:
    """What a schema consists of and what is wrong with it.

    Args:
        schema: any value.
        at: JSON Pointer of the schema, for the findings.

    Attributes:
        findings: what is wrong, in no special order.
    """

    def __init__(self, schema: Any, at: str) -> None:
        self.schema = schema
        self.at = at
        self.findings: list[Violation] = []
        self.parts: dict[str, Any] = {}
        self.children: dict[str, list[tuple[str, str]]] = {}
        self.anchors: dict[str, str] = {}
        self.references: dict[str, str] = {}
        self.targets: dict[str, str] = {}
        self.pattern_length = self.pattern_steps = 0
        if self._is_small():
            self._walk("", schema)
            self._follow()
            if not self.findings:
                self._measure()

    def normalised(self) -> Any:
        """Give a copy without what names the schema, its references as pointers, booleans as objects.

        >>> Scan({"$id": "https://example.com/a", "items": False}, "").normalised()
        {'items': {'not': {}}}
        """
        return self._copied(self.schema, "")

    def _copied(self, value: Any, place: str) -> Any:
        is_schema = place in self.parts
        if is_schema and isinstance(value, bool):
            return {} if value else {"not": {}}
        if isinstance(value, dict):
            copied = {key: self._copied(item, place + pointer([key])) for key, item in value.items()}
            if is_schema:
                for name in ("$schema", "$id", "$vocabulary", "$dynamicRef", *_ANCHORS):
                    copied.pop(name, None)
                if place in self.targets:
                    copied["$ref"] = "#" + quote(self.targets[place], safe="/~")
            return copied
        if isinstance(value, list):
            return [self._copied(item, f"{place}/{index}") for index, item in enumerate(value)]
        return value

    def add(
        self, place: str, rule: str, message: str, expected: str, *, actual: Any = None, hint: str | None = None
    ) -> None:
        """Add a finding, unless there are very many already."""
        if len(self.findings) < _MOST_FINDINGS:
            self.findings.append(
                Violation(
                    self.at + place, expected, shown(actual), short_text(message, 300), f"descriptor/{rule}", hint=hint
                )
            )

    def _is_small(self) -> bool:
        nodes = length = 0
        waiting: list[tuple[Any, int]] = [(self.schema, 1)]
        while waiting:
            value, depth = waiting.pop()
            nodes += 1
            if isinstance(value, str):
                length += len(value)
            elif isinstance(value, dict):
                length += sum(len(key) for key in value if isinstance(key, str))
                waiting.extend((item, depth + 1) for item in value.values())
            elif isinstance(value, list):
                waiting.extend((item, depth + 1) for item in value)
            if depth > DEEPEST:
                return self._too_complex(
                    "", f"The schema is nested more than {DEEPEST} levels deep", f"at most {DEEPEST} levels"
                )
            if nodes + len(waiting) > MOST_NODES:
                return self._too_complex("", "The schema is too large", f"at most {MOST_NODES:,} values")
            if length > LONGEST:
                return self._too_complex("", "The schema is too long", f"at most {LONGEST:,} characters")
        return True

    def _too_complex(self, place: str, message: str, expected: str) -> bool:
        self.add(place, "schema-too-complex", message, expected, actual=find_local(self.schema, "#" + quote(place)))
        return False

    def _walk(self, place: str, schema: Any) -> None:
        """Look at a part and at all parts inside it."""
        waiting = [(place, schema)]
        while waiting:
            place, schema = waiting.pop()
            if place in self.parts:
                continue
            self.parts[place] = schema
            for problem in form_problems(schema):
                self.add(
                    place + pointer(problem.path),
                    "schema-invalid",
                    problem.message,
                    problem.expected,
                    actual=problem.actual,
                    hint=problem.hint,
                )
            if isinstance(schema, dict):
                self._look(place, schema)
                children = list(_children(schema))
                self.children[place] = [(keyword, place + pointer(path)) for keyword, path, _ in children]
                waiting.extend((place + pointer(path), child) for _, path, child in children)

    def _look(self, place: str, schema: dict[str, Any]) -> None:
        for name in _ANCHORS:
            if isinstance(schema.get(name), str):
                self.anchors[schema[name]] = place
        if isinstance(schema.get("$ref"), str):
            self.references[place] = schema["$ref"]
        self._dialect(place, schema)
        for path, source in _patterns(schema):
            self._pattern(place + pointer(path), source)

    def _dialect(self, place: str, schema: dict[str, Any]) -> None:
        dialect = schema.get("$schema")
        if isinstance(dialect, str) and dialect.rstrip("#") not in DIALECTS:
            self.add(
                f"{place}/$schema",
                "schema-remote-ref",
                "The schema is written in another dialect",
                DIALECTS[0],
                actual=dialect,
                hint="Write it for draft 2020-12, or leave $schema out",
            )
        for name in ("$dynamicRef", "$recursiveRef"):
            if name in schema:
                self.add(
                    f"{place}/{name}",
                    "schema-remote-ref",
                    f"{name} is not followed here",
                    "$ref into this schema",
                    actual=schema[name],
                )
        if place and isinstance(schema.get("$id"), str):
            self.add(
                f"{place}/$id",
                "schema-remote-ref",
                "A part of the schema has an address of its own",
                "no $id inside a schema",
                actual=schema["$id"],
                hint="Use $anchor, or a pointer such as #/$defs/name",
            )

    def _pattern(self, place: str, source: str) -> None:
        if self.pattern_steps > MOST_PATTERN_STEPS:
            return
        before, self.pattern_length = self.pattern_length, self.pattern_length + len(source)
        if self.pattern_length > LONGEST_PATTERNS:
            if before <= LONGEST_PATTERNS:
                expected = f"at most {LONGEST_PATTERNS:,} characters together"
                self.add(place, "schema-too-complex", "The patterns of the schema are too long", expected)
            return
        try:
            pattern = compile_pattern(source)
            danger, steps = pattern.danger, pattern.steps
        except PatternError as error:
            self.add(
                place,
                "schema-invalid",
                f"Not a regular expression of ECMA-262: {error.reason}",
                "regular expression",
                actual=source,
                hint=f"Look at character {error.position + 1}",
            )
            return
        except UnsafePattern as error:
            danger, steps = str(error), error.steps
        self.pattern_steps += steps
        if self.pattern_steps > MOST_PATTERN_STEPS:
            expected = f"at most {MOST_PATTERN_STEPS:,} steps together"
            self.add(place, "schema-too-complex", "The repeats of the schema's patterns are too many", expected)
            return
        if danger:
            self.add(
                place,
                "schema-unsafe-pattern",
                f"The pattern may take too long to match: {danger[0].lower()}{danger[1:]}",
                "a pattern that is matched in bounded time",
                actual=source,
            )

    def _follow(self) -> None:
        """Find what each reference names; what it names may lie where no schema was expected."""
        followed: set[str] = set()
        while waiting := self.references.keys() - followed:
            for place in sorted(waiting):
                followed.add(place)
                self._follow_one(place, self.references[place])

    def _follow_one(self, place: str, reference: str) -> None:
        base = self.schema.get("$id") if isinstance(self.schema, dict) else None
        local = reference.removeprefix(base.rstrip("#")) if isinstance(base, str) and base else reference
        if not local.startswith("#") and (local or not reference):
            self.add(
                f"{place}/$ref",
                "schema-remote-ref",
                "The reference leaves the schema",
                "a reference that begins with #",
                actual=reference,
                hint="Put what it names into $defs and write #/$defs/name",
            )
            return
        fragment = unquote(local[1:])
        target = fragment if not fragment or fragment.startswith("/") else self.anchors.get(fragment, "/" + fragment)
        try:
            part = find_local(self.schema, "#" + quote(target))
        except (LookupError, ValueError):
            self.add(
                f"{place}/$ref",
                "schema-invalid",
                "The reference names nothing in the schema",
                "a reference to a part of it",
                actual=reference,
            )
            return
        self.targets[place] = target
        self._walk(target, part)

    def _measure(self) -> None:
        """Count how many parts are applied to one value; a loop would have no end."""
        costs: dict[str, int] = {}
        heights: dict[str, int] = {}
        open_parts: set[str] = set()
        for root in self.parts:
            waiting = [(root, False)]
            while waiting:
                place, is_done = waiting.pop()
                if is_done:
                    open_parts.discard(place)
                    inner = self._applied(place)
                    costs[place] = 1 + sum(costs[part] for part in inner)
                    heights[place] = 1 + max((heights[part] for part in inner), default=0)
                    if costs[place] > MOST_APPLIED or heights[place] > DEEPEST:
                        self._too_complex(
                            place, "Too many parts are applied to the same value", f"at most {MOST_APPLIED:,} parts"
                        )
                        return
                elif place in open_parts:
                    self._too_complex(place, "The schema refers to itself without end", "a schema that comes to an end")
                    return
                elif place not in costs:
                    open_parts.add(place)
                    waiting.append((place, True))
                    waiting.extend((part, False) for part in self._applied(place))

    def _applied(self, place: str) -> list[str]:
        inner = [child for keyword, child in self.children.get(place, ()) if keyword in IN_PLACE]
        return [*inner, self.targets[place]] if place in self.targets else inner


def _children(schema: dict[str, Any]) -> Iterator[tuple[str, list[str | int], Any]]:
    """Give the keyword, path and value of each schema that stands directly in a schema."""
    for keyword, kind in CHILDREN.items():
        value = schema.get(keyword)
        if kind == "schema" and isinstance(value, dict | bool):
            yield keyword, [keyword], value
        elif kind == "list" and isinstance(value, list):
            for index, child in enumerate(value):
                yield keyword, [keyword, index], child
        elif kind == "map" and isinstance(value, dict):
            for name, child in value.items():
                yield keyword, [keyword, name], child


def _patterns(schema: dict[str, Any]) -> Iterator[tuple[list[str | int], str]]:
    if isinstance(schema.get("pattern"), str):
        yield ["pattern"], schema["pattern"]
    if isinstance(schema.get("patternProperties"), dict):
        for source in schema["patternProperties"]:
            if isinstance(source, str):
                yield ["patternProperties", source], source
