"""The built wheel, installed somewhere else: an editable install hides what it lacks."""

import subprocess
import sys
from pathlib import Path

import pytest

from skillproto.validation import SCHEMA_NAMES
from tests.cli.support import GOOD
from tests.guards.sources import ROOT


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel and install it, alone, into a folder."""
    built, target = tmp_path_factory.mktemp("built"), tmp_path_factory.mktemp("installed")
    _python("-m", "build", "--wheel", "--no-isolation", "--outdir", built, ROOT)
    (wheel,) = built.glob("*.whl")
    _python("-m", "pip", "install", "--no-deps", "--no-index", "--disable-pip-version-check", "--target", target, wheel)
    return target


def _python(*args: object, cwd: Path | None = None, path: Path | None = None) -> str:
    command = [sys.executable, *map(str, args)]
    env = None if path is None else {"PYTHONPATH": str(path)}
    ran = subprocess.run(command, capture_output=True, cwd=cwd, env=env, timeout=300, check=False)
    assert ran.returncode == 0, (ran.stdout + ran.stderr).decode()
    return ran.stdout.decode()


def test_it_finds_its_schemas(installed: Path, tmp_path: Path) -> None:
    code = (
        "from skillproto import validation\n"
        "print(validation.__file__)\n"
        "for name in validation.SCHEMA_NAMES: print(validation.load_schema(name)['title'])"
    )
    where, *titles = _python("-c", code, cwd=tmp_path, path=installed).splitlines()
    assert where.startswith(str(installed))
    assert len(titles) == len(SCHEMA_NAMES)


def test_it_finds_the_schemas_of_a_check_before_publishing(installed: Path, tmp_path: Path) -> None:
    code = (
        "from skillproto.publishing.openapi import publish_schema\n"
        "for name in ('request', 'reply', 'state'): print(publish_schema(name)['title'])"
    )
    assert len(_python("-c", code, cwd=tmp_path, path=installed).splitlines()) == 3


@pytest.mark.parametrize("engine", ["auto", "reference"])
def test_it_validates(installed: Path, tmp_path: Path, engine: str) -> None:
    _python("-m", "skillproto", "validate", GOOD, "--engine", engine, cwd=tmp_path, path=installed)


def test_it_is_typed_and_holds_no_tests(installed: Path) -> None:
    assert (installed / "skillproto" / "py.typed").exists()
    assert not list(installed.rglob("test_*.py"))
