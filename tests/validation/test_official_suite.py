"""Both engines against the official test suite, with every deviation named."""

from collections.abc import Callable
from typing import Any

import pytest

from skillproto.validation import compile_embedded, load_schema
from skillproto.validation.embedded_proof import proof_of
from skillproto.validation.formats import FORMATS
from skillproto.validation.proof_writer import Unsupported, write_proof
from skillproto.validation.schema_scan import Scan
from skillproto.validation.schemas import SCHEMA_NAMES
from tests.validation import official

KEYWORDS = (
    "additionalProperties", "allOf", "anchor", "anyOf", "boolean_schema", "const", "contains", "content", "default",
    "dependentRequired", "dependentSchemas", "enum", "exclusiveMaximum", "exclusiveMinimum",
    "if-then-else", "infinite-loop-detection", "items", "maxContains", "maxItems", "maxLength", "maxProperties",
    "maximum", "minContains", "minItems", "minLength", "minProperties", "minimum", "multipleOf", "not", "oneOf",
    "pattern", "patternProperties", "prefixItems", "properties", "propertyNames", "ref", "required", "type",
    "unevaluatedItems", "unevaluatedProperties", "uniqueItems",
    "optional/bignum", "optional/ecmascript-regex", "optional/float-overflow", "optional/non-bmp-regex",
    "optional/refOfUnknownKeyword",
)  # fmt: skip
"""The files of the suite. Left out: dialects, $dynamicRef and documents elsewhere, which are refused here."""

FORMAT_FILES = tuple(f"optional/format/{name}" for name in FORMATS)
REFUSED = {"descriptor/schema-remote-ref"}


@pytest.mark.parametrize("file", [*KEYWORDS, *FORMAT_FILES])
def test_the_reference_agrees_with_the_suite(file: str) -> None:
    disagreeing = []
    checked = 0
    for case in official.cases(file):
        schema = compile_embedded(case.schema)
        if {problem.rule for problem in schema.problems} & REFUSED:
            continue
        checked += 1
        if (not schema.check(case.value)) != case.valid:
            disagreeing.append(case.name)
    assert disagreeing == []
    assert checked


@pytest.mark.parametrize("file", KEYWORDS)
def test_the_fast_checker_accepts_nothing_that_the_suite_refuses(file: str) -> None:
    accepted = [case for case in official.cases(file) if is_surely_valid(case)]
    assert [case.name for case in accepted if not case.valid] == []


def test_the_fast_checker_proves_many_cases_of_the_suite() -> None:
    valid = [case for file in KEYWORDS for case in official.cases(file) if case.valid]
    assert sum(map(is_surely_valid, valid)) > 80


def is_surely_valid(case: official.Case) -> bool:
    try:
        proof = compiled(case.schema)
    except Unsupported:
        return False
    try:
        return proof(case.value)
    except (KeyError, TypeError):
        return False


def compiled(schema: Any) -> Callable[[Any], bool]:
    """Run what would be written for a schema."""
    import re

    patterns: dict[str, str] = {}
    code = "\n".join(write_proof("proof", schema, patterns))
    searches = {name: re.compile(pattern, re.ASCII).search for pattern, name in patterns.items()}
    names: dict[str, Any] = {"Any": Any, **searches}
    exec(code, names)
    proof: Callable[[Any], bool] = names["proof"]
    return proof


def used_keywords(schema: Any) -> set[str]:
    """Give the keywords of a schema and of all schemas in it."""
    found = set(schema) if isinstance(schema, dict) else set()
    for name, part in schema.items() if isinstance(schema, dict) else ():
        if name in ("properties", "$defs"):
            found |= {keyword for each in part.values() for keyword in used_keywords(each)}
        elif name in ("items", "if", "then", "additionalProperties"):
            found |= used_keywords(part)
        elif name in ("allOf", "anyOf"):
            found |= {keyword for each in part for keyword in used_keywords(each)}
    return found


@pytest.mark.parametrize("name", SCHEMA_NAMES)
def test_every_keyword_of_our_schemas_has_its_file_in_the_suite(name: str) -> None:
    said = {"$schema", "$id", "$comment", "title", "description"}
    other_files = {"$ref": "ref", "$defs": "ref", "if": "if-then-else", "then": "if-then-else"}
    files = {other_files.get(keyword, keyword) for keyword in used_keywords(load_schema(name)) - said}
    assert files - {"format"} <= set(KEYWORDS)


@pytest.mark.parametrize("file", KEYWORDS)
def test_the_proof_of_a_carried_schema_accepts_nothing_that_the_suite_refuses(file: str) -> None:
    accepted = [case for case in official.cases(file) if fits_surely(case)]
    assert [case.name for case in accepted if not case.valid] == []


def test_carried_schemas_are_proven_for_many_cases_of_the_suite() -> None:
    valid = [case for file in KEYWORDS for case in official.cases(file) if case.valid]
    assert sum(map(fits_surely, valid)) > 130


def fits_surely(case: official.Case) -> bool:
    scan = Scan(case.schema, "")
    proof = None if scan.findings else proof_of(scan.normalised())
    return proof is not None and proof(case.value)
