"""What the project promises about itself: names, docstrings, documents, versions."""

import ast
import json
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import skillproto
from skillproto import errors, rules
from skillproto.errors import Attempt, ErrorCode, RetryHint, SkillError
from tests.cli.support import bad, script, write
from tests.guards.sources import ROOT, Module, modules

MODULES = modules()
README = (ROOT / "README.md").read_text(encoding="utf-8")
LONGEST_FILE = 400


@pytest.mark.parametrize("name", skillproto.__all__)
def test_every_exported_name_is_there_and_documented(name: str) -> None:
    value = getattr(skillproto, name)
    assert name == "__version__" or value.__doc__
    assert name == "__version__" or f"`{name}`" in README


def test_the_readme_names_no_export_that_is_not_there() -> None:
    section = README.partition("## Public names")[2].partition("\n## ")[0]
    assert set(re.findall(r"`(\w+)`", section)) == set(skillproto.__all__) - {"__version__"}


def test_dir_lists_the_lazy_names() -> None:
    assert set(skillproto.__all__) <= set(dir(skillproto))
    with pytest.raises(AttributeError, match="has no attribute 'nope'"):
        _ = skillproto.nope


ERROR_CLASSES = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, errors.SkillprotoError) and not issubclass(value, SkillError)
]


@pytest.mark.parametrize("code", ErrorCode)
def test_every_skill_error_pickles_whole(code: ErrorCode) -> None:
    error = SkillError(
        code,
        "what happened",
        details={"a": [1]},
        retry=RetryHint(5, 1),
        http_status=418,
        request_id="r",
        attempts=1,
        history=(Attempt(1, code, 418, 3),),
        retryable=False,
    )
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (vars(again), str(again)) == (vars(error), str(error))


@pytest.mark.parametrize("kind", ERROR_CLASSES, ids=lambda kind: kind.__name__)
def test_every_other_error_pickles(kind: type[Exception]) -> None:
    again = pickle.loads(pickle.dumps(kind("what happened")))
    assert (type(again), str(again)) == (kind, "what happened")


def test_the_findings_come_in_one_order_whatever_the_hash_seed(tmp_path: Path) -> None:
    descriptor = bad() | {f"x{n}": n for n in range(20)} | {"tags": ["a", "a", 5], "auth": {"type": "oauth"}}
    del descriptor["name"], descriptor["output"]
    path = write(tmp_path / "bad.json", descriptor)
    command = [script(), "validate", str(path), "--output-format", "json"]
    outputs = {
        subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, timeout=60, check=False
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1
    assert len(json.loads(outputs.pop())["error"]["details"]["violations"]) > 20


@pytest.mark.parametrize("code", ErrorCode)
def test_every_code_is_documented(code: ErrorCode) -> None:
    assert f"| `{code}` |" in README
    assert f"## {code}\n" in (ROOT / "docs" / "codes.md").read_text(encoding="utf-8")


def test_every_rule_is_documented() -> None:
    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    assert re.findall(r"^### (\S+)$", text, re.MULTILINE) == list(rules.CATALOGUE)


def test_the_generated_documents_are_fresh() -> None:
    ran = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate.py", "--check"], capture_output=True, timeout=60, check=False
    )
    assert ran.returncode == 0, ran.stdout.decode()


def test_the_changelog_agrees_with_the_version() -> None:
    versions = re.findall(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert next(version for version in versions if version != "Unreleased") == skillproto.__version__


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_a_file_is_short_and_opens_by_saying_what_it_is_for(module: Module) -> None:
    assert len(module.path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE
    assert ast.get_docstring(module.tree)


@pytest.mark.parametrize("module", [module for module in MODULES if "._" not in module.name], ids=lambda m: m.name)
def test_every_public_thing_has_a_docstring(module: Module) -> None:
    for name, node in _public(module.tree):
        assert ast.get_docstring(node), f"{module.name}.{name} has no docstring"


def _public(tree: ast.Module) -> list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [(node.name, node) for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_the_library_never_prints(module: Module) -> None:
    calls = [node for node in ast.walk(module.tree) if isinstance(node, ast.Call)]
    assert not [call.lineno for call in calls if isinstance(call.func, ast.Name) and call.func.id == "print"]
