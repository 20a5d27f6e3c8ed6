"""The examples of both READMEs and of the pages under docs/, run as a reader would run them."""

import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from skillproto.errors import ErrorCode
from tests.guards.sources import ROOT

READMES = ("README.md", "README.es.md")
PAGES = (*READMES, *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")))
FIRST = "python3 -m venv .venv && .venv/bin/pip install '.[provider]' && .venv/bin/skillproto demo"
SECOND = "python3 -m venv .venv && .venv/bin/pip install -e '.[test]' && .venv/bin/pytest -n auto"


def blocks(name: str) -> list[tuple[str, str]]:
    text = (ROOT / name).read_text(encoding="utf-8")
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def programs() -> list[tuple[str, str, str]]:
    found = []
    for name in PAGES:
        listed = blocks(name)
        pairs = pairwise(listed)
        found += [(name, code, output) for (kind, code), (_, output) in pairs if kind == "python"]
    return found


@pytest.mark.parametrize(("name", "code", "output"), programs())
def test_a_program_prints_what_stands_below_it(name: str, code: str, output: str) -> None:
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)
    assert (ran.stdout.decode(), ran.stderr.decode()) == (output, "")


@pytest.mark.parametrize("name", READMES)
def test_a_console_session_goes_as_shown(name: str, tmp_path: Path) -> None:
    (session,) = (text for kind, text in blocks(name) if kind == "console")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    shown = ""
    for line in re.findall(r"^\$ (.*)$", session, re.MULTILINE):
        ran = subprocess.run(
            ["bash", "-c", f"{line} 2>&1"],
            stdout=subprocess.PIPE,
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            timeout=60,
            check=False,
        )
        shown += f"$ {line}\n{ran.stdout.decode()}"
    assert shown == session


@pytest.mark.parametrize("name", READMES)
def test_the_two_commands_stand_there_and_code_comes_early(name: str) -> None:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("python3 -m venv")] == [FIRST, SECOND]
    assert next(number for number, line in enumerate(lines, 1) if line.startswith("```")) <= 20


@pytest.mark.parametrize("name", READMES)
def test_both_languages_have_every_code(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert re.findall(r"^\| `([A-Z_]+)` \|", text, re.MULTILINE) == list(ErrorCode)


@pytest.mark.parametrize("name", READMES)
def test_links_lead_to_files_that_are_there(name: str) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", (ROOT / name).read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []


def test_the_example_program_runs_to_its_end() -> None:
    ran = subprocess.run(
        [sys.executable, ROOT / "examples" / "call_a_skill.py"], capture_output=True, timeout=60, check=False
    )
    assert ran.stderr == b""
    assert ran.stdout.decode().splitlines() == [
        "attempt 1 failed: ENDPOINT_UNREACHABLE",
        "trying again in 50 ms",
        "attempt 2 failed: EXECUTION_TIMEOUT",
        "trying again in 100 ms",
        "4 palabras en 1 frase",
        "VALIDATION_ERROR: /inputs/language must be one of: en, es",
    ]
