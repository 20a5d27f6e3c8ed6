"""Schemas are found, complete, and name only what is checked."""

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from skillproto.errors import UnknownSchemaError
from skillproto.validation import SCHEMA_NAMES, check_embedded, load_schema, schema_path, schema_text
from skillproto.validation.describe import describe
from skillproto.validation.formats import FORMATS
from skillproto.validation.patterns import compile_pattern

ROOM = Path(__file__).parents[2] / "skillproto" / "validation"


def values_of(schema: Any, keyword: str) -> list[Any]:
    if isinstance(schema, list):
        return [value for part in schema for value in values_of(part, keyword)]
    if not isinstance(schema, dict):
        return []
    own = [schema[keyword]] if isinstance(schema.get(keyword), str) else []
    return own + [value for part in schema.values() for value in values_of(part, keyword)]


def test_the_names_are_those_of_the_files() -> None:
    folder = Path(schema_path("descriptor")).parent
    assert sorted(path.stem for path in folder.glob("*.json")) == list(SCHEMA_NAMES)


@pytest.mark.parametrize("name", ["", "nope", "../1.0/index", "descriptor.json", "x" * 5000])
def test_an_unknown_name_is_told_with_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownSchemaError, match="descriptor, error, execution, index, invocation-request") as raised:
        schema_text(name)
    assert len(str(raised.value)) < 250


def test_a_loaded_schema_is_the_callers_own() -> None:
    load_schema("index").clear()
    assert load_schema("index")["title"] == "Skill index"


def test_a_schema_inside_the_package_is_found_as_in_a_wheel(tmp_path: Path) -> None:
    package = tmp_path / "skillproto"
    (package / "validation").mkdir(parents=True)
    for source in (*ROOM.parent.glob("*.py"), ROOM / "schemas.py"):
        (package / source.relative_to(ROOM.parent)).write_bytes(source.read_bytes())
    (package / "validation" / "__init__.py").touch()
    folder = package / "schemas" / "1.0"
    folder.mkdir(parents=True)
    (folder / "index.json").write_text('{"title": "from the wheel"}', encoding="utf-8")
    program = "from skillproto.validation.schemas import load_schema; print(load_schema('index')['title'])"
    ran = subprocess.run(
        [sys.executable, "-S", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout.strip() == "from the wheel"


@pytest.mark.parametrize("name", SCHEMA_NAMES)
def test_a_shipped_schema_is_valid_and_carries_no_danger(name: str) -> None:
    schema = load_schema(name)
    Draft202012Validator.check_schema(schema)
    assert check_embedded(schema, at="") == []


@pytest.mark.parametrize("name", SCHEMA_NAMES)
def test_every_format_that_a_schema_names_is_checked(name: str) -> None:
    assert set(values_of(load_schema(name), "format")) <= set(FORMATS)


@pytest.mark.parametrize("name", SCHEMA_NAMES)
def test_every_pattern_is_told_in_words(name: str) -> None:
    def patterned(part: Any) -> list[dict[str, Any]]:
        if isinstance(part, list):
            return [each for item in part for each in patterned(item)]
        if not isinstance(part, dict):
            return []
        own = [part] if isinstance(part.get("pattern"), str) else []
        return own + [each for item in part.values() for each in patterned(item)]

    for part in patterned(load_schema(name)):
        assert part["description"]
        assert "title" in part or "format" in part
        assert compile_pattern(part["pattern"]).danger is None
        assert describe(part, {}) != "string"


def test_only_this_room_imports_jsonschema_and_late() -> None:
    late = {"reference.py", "keywords.py", "keyword_context.py", "applicators.py", "unevaluated.py"}
    for path in ROOM.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {
            (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        uses = any(name.split(".")[0] in ("jsonschema", "referencing") for name in names)
        assert not uses or path.name in late, path.name


def test_the_texts_are_json_without_tabs() -> None:
    for name in SCHEMA_NAMES:
        text = schema_text(name)
        assert json.loads(text)["$id"] == f"urn:skillproto:schema:1.0:{name}"
        assert "\t" not in text
        assert "\r" not in text
