"""Documents of tests/examples, found by walking: `valid/` has no findings, `invalid/` those that it names.

The folder is the schema. Beside an invalid file lies `NAME.expect`: a rule and a pointer on each line.
"""

from pathlib import Path
from typing import Any

import pytest

from skillproto.documents import read
from skillproto.rules import CATALOGUE, check_document
from skillproto.validation import SCHEMA_NAMES
from skillproto.violations import Violation
from tests.rules.support import ROOT

FOLDER = ROOT / "tests" / "examples"
NEED_MORE_THAN_A_DOCUMENT = {
    "document/too-large": "a file beyond the limit would be too large to keep here",
    "schema/unexpected": "only inputs and outputs of a call can break it",
    "schema/form": "only inputs and outputs of a call can break it",
    "config/stale-baseline": "it is about a baseline",
}


def files(kind: str) -> list[Any]:
    paths = sorted(path for path in (FOLDER / kind).rglob("*.*") if path.suffix != ".expect")
    return [pytest.param(path, id=str(path.relative_to(FOLDER / kind))) for path in paths]


def findings(path: Path, engine: Any) -> list[Violation]:
    documents = read(path.read_bytes(), source=path.name)
    return [v for one in documents for v in check_document(one, schema=path.parent.name, engine=engine)]


def expected(path: Path) -> list[str]:
    return path.with_name(path.name + ".expect").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("engine", ["auto", "reference"])
@pytest.mark.parametrize("path", files("valid"))
def test_a_valid_file_has_no_findings(path: Path, engine: str) -> None:
    assert findings(path, engine) == []


@pytest.mark.parametrize("engine", ["auto", "reference"])
@pytest.mark.parametrize("path", files("invalid"))
def test_an_invalid_file_has_the_findings_that_it_names(path: Path, engine: str) -> None:
    assert sorted(f"{v.rule} {v.field}" for v in findings(path, engine)) == expected(path)


@pytest.mark.parametrize("path", files("invalid"))
def test_every_finding_in_a_file_has_a_position(path: Path) -> None:
    for violation in findings(path, "auto"):
        assert violation.line is not None
        assert violation.column is not None
        assert (violation.end_line or 0, violation.end_column or 0) >= (violation.line, violation.column)


def test_every_rule_has_an_invalid_file() -> None:
    named = {line.partition(" ")[0] for parameter in files("invalid") for line in expected(parameter.values[0])}
    assert set(CATALOGUE) - named - set(NEED_MORE_THAN_A_DOCUMENT) - _about_more_than_a_document() == set()
    assert named <= set(CATALOGUE)


def _about_more_than_a_document() -> set[str]:
    """Rules about a registry, a live skill or two versions; the test of the catalogue tries their examples."""
    return {rule.id for rule in CATALOGUE.values() if rule.group in ("publish", "probe", "diff")}


def test_every_schema_has_files_of_both_kinds() -> None:
    for kind in ("valid", "invalid"):
        assert {path.name for path in (FOLDER / kind).iterdir()} == set(SCHEMA_NAMES)
