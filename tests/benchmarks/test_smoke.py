"""The benchmarks run; how fast anything is, is not asked here."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def tables(*arguments: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-m", *arguments, "--smoke"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.parametrize("rows", ["accept", "one", "many", "yaml", "lines", "growth"])
def test_every_table_of_validation_is_printed(rows: str) -> None:
    assert "| what | target | measured | met |" in tables("benchmarks.validate", "--rows", rows)


@pytest.mark.parametrize("rows", ["one", "flight", "memory", "polls", "imports"])
def test_every_table_of_invocation_is_printed(rows: str) -> None:
    assert "| what | target | measured | met |" in tables("benchmarks.invoke", "--rows", rows)


@pytest.mark.parametrize("rows", ["check", "state", "diff"])
def test_every_table_of_publishing_is_printed(rows: str) -> None:
    assert "| what | target | measured | met |" in tables("benchmarks.publish", "--rows", rows)


def test_the_simulation_of_an_outage_tells_the_same_story_twice() -> None:
    first, second = (tables("benchmarks.storm", "--only", "defaults") for _ in range(2))
    assert first == second
    assert "| the defaults: +25 %, budget, circuit | load at most 1.1" in first
