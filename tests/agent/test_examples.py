"""The examples of agents, run as a reader would run them."""

import subprocess
import sys

from tests.guards.sources import ROOT


def shown_by(name: str) -> list[str]:
    ran = subprocess.run([sys.executable, ROOT / "examples" / name], capture_output=True, timeout=120, check=False)
    assert ran.stderr == b""
    return [line for line in ran.stdout.decode().splitlines() if line]


def test_the_agent_shows_every_policy() -> None:
    lines = shown_by("agent.py")
    assert [line for line in lines if not line.startswith("==")] == [
        "completed - Two words.",
        "PERMISSION_DENIED - I don't have permission to do that.",
        'the model was told: error {"error":{"code":"PERMISSION_DENIED","me...',
        "completed - I have no access to that tool.",
        "completed - One word.",
        "raised: EXECUTION_FAILED",
        "waiting_for_human - ['c1', 'c2']",
        "completed - One of them has one word.",
        "Max steps exceeded (3)",
        "c1 answered - did the skill run? unknown",
    ]
    policies = [line.partition(":")[0].removeprefix("== ") for line in lines if line.startswith("==")]
    assert {"fail-run", "return-to-model", "recover"} < set(policies)


def test_a_host_of_the_official_sdk_calls_skills_through_the_bridge() -> None:
    lines = shown_by("mcp_host.py")
    assert lines[:2] == ["org_example_text-statistics needs ['text']", "2 palabras en 1 frase"]
    assert lines[2].startswith("validation VALIDATION_ERROR - ")
    assert lines[3].startswith("permission PERMISSION_DENIED - ")
