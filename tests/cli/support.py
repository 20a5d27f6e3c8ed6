"""Run the command line inside this process, or as the installed script."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from click.testing import CliRunner

from skillproto.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"
GOOD = EXAMPLES / "translate.json"


class Ran(NamedTuple):
    """How a run ended, and what it wrote."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


def run(*args: object, stdin: str | bytes | None = None, env: dict[str, str | None] | None = None) -> Ran:
    """Run in this process; the exit code and both streams, kept apart."""
    result = CliRunner().invoke(main, [str(arg) for arg in args], input=stdin, env=env)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


def run_script(*args: object, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run the installed script."""
    return subprocess.run([script(), *map(str, args)], capture_output=True, timeout=60, check=False, **options)


def script() -> str:
    return str(Path(sys.executable).with_name("skillproto"))


def good() -> dict[str, Any]:
    descriptor: dict[str, Any] = json.loads(GOOD.read_text(encoding="utf-8"))
    return descriptor


def bad() -> dict[str, Any]:
    descriptor = good()
    descriptor["capability_type"] = "unknown_type"
    del descriptor["endpoint"]["url"]
    return descriptor


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2), encoding="utf-8")
    return path
