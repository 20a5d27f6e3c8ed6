"""The fast checker: never wrong, fresh, quick, and light to load.

SKILLPROTO_FAST_CASES sets how many documents each property is tried on.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillproto.errors import UnknownSchemaError
from skillproto.validation import SCHEMA_NAMES, check, load_schema, proofs, surely_valid
from skillproto.validation.formats import refusal
from skillproto.validation.generate import files
from skillproto.validation.patterns import compile_pattern
from tests.validation.documents import ODD, mutated, valid
from tests.validation.samples import descriptor

EXAMPLES = Path(__file__).parents[2] / "examples"
TRANSLATE: dict[str, Any] = json.loads((EXAMPLES / "translate.json").read_text(encoding="utf-8"))
CASES = int(os.environ.get("SKILLPROTO_FAST_CASES", "2000"))
many = settings(max_examples=CASES // 2, deadline=None, suppress_health_check=list(HealthCheck), database=None)
some = settings(
    max_examples=max(CASES // 10, 50), deadline=None, suppress_health_check=list(HealthCheck), database=None
)
SCHEMAS = {name: load_schema(name) for name in SCHEMA_NAMES}
VALID = {name: valid(schema, schema) for name, schema in SCHEMAS.items()}


def findings(document: Any, name: str = "descriptor") -> list[str]:
    return [f"{v.field} {v.rule}" for v in check(document, name, engine="reference")]


def test_the_generated_files_are_fresh() -> None:
    assert [path.name for path, text in files().items() if path.read_text(encoding="utf-8") != text] == []


@many
@given(mutated(VALID["descriptor"]))
def test_what_is_surely_valid_has_no_finding_in_the_reference(document: Any) -> None:
    assert not surely_valid(document) or findings(document) == []


@many
@given(mutated(TRANSLATE))
def test_the_same_holds_for_changes_to_a_real_descriptor(document: Any) -> None:
    assert not surely_valid(document) or findings(document) == []


@pytest.mark.parametrize("name", [name for name in SCHEMA_NAMES if name != "descriptor"])
def test_the_same_holds_for_the_other_schemas(name: str) -> None:
    @some
    @given(mutated(VALID[name]))
    def holds(document: Any) -> None:
        assert not surely_valid(document, name) or findings(document, name) == []

    holds()


@pytest.mark.parametrize("name", SCHEMA_NAMES)
def test_what_a_schema_allows_is_proven_valid(name: str) -> None:
    @some
    @given(VALID[name])
    def holds(document: Any) -> None:
        assert findings(document, name) == []
        assert surely_valid(document, name)

    holds()


@pytest.mark.parametrize("value", ODD, ids=lambda value: ascii(value)[:40])
def test_an_odd_value_anywhere_is_never_proven_against_the_reference(value: Any) -> None:
    for place in places(TRANSLATE):
        document = json.loads(json.dumps(TRANSLATE))
        container = document
        for part in place[:-1]:
            container = container[part]
        container[place[-1]] = value
        assert not surely_valid(document) or findings(document) == [], place


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [inner for key in keys for inner in [(*path, key), *places(value[key], (*path, key))]]


ADDRESS_PARTS = st.sampled_from(
    [
        "https://", "HTTP://", "http:/", "a", "b1", "-", ".", "..", "com", ":", "80", "99999", "/", "?", "#", "{", "}",
        "@", "%", "%41", " ", "é", "[", "]", "::1", "_", "\n", "{execution_id}", "a" * 32, "1.2.3.4",
    ]
)  # fmt: skip
WEB = compile_pattern(SCHEMAS["descriptor"]["$defs"]["url"]["pattern"])
SEMVER = compile_pattern(SCHEMAS["descriptor"]["$defs"]["semver"]["pattern"])


@many
@given(st.sampled_from(["https://", "http://a", "https://a.com"]), st.lists(ADDRESS_PARTS, min_size=1, max_size=12))
def test_a_proven_address_is_one(start: str, parts: list[str]) -> None:
    text = start + "".join(parts)
    looks = len(text) <= proofs.LONGEST_WEB and proofs.looks_web(text) is not None
    is_address = WEB.search(text) and refusal("uri", text) is None
    assert not looks or is_address
    assert proofs.is_web_address(text) == is_address
    assert proofs.is_execution_address(text) == (WEB.search(text) and refusal("uri-template", text) is None)


@many
@given(
    st.from_regex(
        r"[0-9]{4}-[0-3][0-9]-[0-3][0-9][Tt ][0-2][0-9]:[0-6][0-9]:[0-6][0-9](\.[0-9])?"
        r"([Zz]|[+-][0-2][0-9]:[0-6][0-9])?\n?"
    )
)
def test_a_proven_date_is_one(text: str) -> None:
    assert proofs.looks_dated(text) is None or refusal("date-time", text) is None


@many
@given(st.text(alphabet="01.2-+a\nv\u0661", max_size=12))
def test_a_proven_version_is_one(text: str) -> None:
    assert proofs.is_version(text) == SEMVER.search(text)


@pytest.mark.parametrize("member", ["description", "name", "documentation_url", "id", "version"])
def test_a_line_end_behind_a_text_is_not_passed_over(member: str) -> None:
    document = {**TRANSLATE, member: "abc\n" if member != "documentation_url" else "https://example.com\n"}
    assert surely_valid(document) == (findings(document) == [])


def test_a_key_that_is_no_string_is_seen_beside_known_ones() -> None:
    assert not surely_valid({**TRANSLATE, 5: 5})
    assert surely_valid({**TRANSLATE, "x-note": 5})


def test_an_unknown_schema_is_told_with_the_known_ones() -> None:
    with pytest.raises(UnknownSchemaError, match="descriptor, error, execution, index, invocation-request"):
        surely_valid({}, "nope")


def test_a_valid_document_loads_neither_the_reference_nor_the_formats() -> None:
    program = (
        "import sys, json; from skillproto.validation import check\n"
        "assert check(json.load(sys.stdin)) == []\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(TRANSLATE),
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
    )
    loaded = set(json.loads(ran.stdout))
    ours = {"__init__", "schemas", "proofs", "_fast", "_fast.descriptor"}
    rooms = {
        name.removeprefix("skillproto.validation.") for name in loaded if name.startswith("skillproto.validation.")
    }
    assert rooms == ours - {"__init__"}
    assert not loaded & {"jsonschema", "referencing", "difflib", "pathlib", "unicodedata", "fractions"}


def test_the_reference_can_be_asked_for() -> None:
    assert check(descriptor(), engine="reference") == []
    with pytest.raises(ValueError, match="auto, reference"):
        check({}, engine="other")  # type: ignore[arg-type]
