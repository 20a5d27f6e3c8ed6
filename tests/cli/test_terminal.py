"""What is seen on a terminal, and only there: colour and progress."""

import contextlib
import os
import pty
import subprocess
from pathlib import Path

import pytest

from skillproto.provider import running_provider
from tests.cli.support import bad, script, write


def on_a_terminal(*args: object, **env: str) -> str:
    """Run the script with both output streams on a terminal, and give what came there."""
    ours, theirs = pty.openpty()
    clean = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
    command = [script(), *map(str, args)]
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env={**clean, "TERM": "xterm", **env}) as process:
        os.close(theirs)
        seen = b""
        with contextlib.suppress(OSError):  # how Linux tells that the other end is closed
            while piece := os.read(ours, 65536):
                seen += piece
        os.close(ours)
        process.wait(timeout=60)
    return seen.decode()


def test_findings_are_coloured(tmp_path: Path) -> None:
    assert "\x1b[31;1merror\x1b[0m" in on_a_terminal("validate", write(tmp_path / "a.json", bad()))


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["no-color", "dumb"])
def test_colour_is_left_out_where_it_is_not_wanted(tmp_path: Path, env: dict[str, str]) -> None:
    assert "\x1b" not in on_a_terminal("validate", write(tmp_path / "a.json", bad()), **env)


def test_json_is_never_coloured(tmp_path: Path) -> None:
    assert "\x1b" not in on_a_terminal("validate", write(tmp_path / "a.json", bad()), "--output-format", "json")


def test_a_call_tells_its_progress_on_one_line_and_clears_it(tmp_path: Path) -> None:
    with running_provider(faults=[503]) as provider:
        path = write(tmp_path / "skill.json", provider.descriptor)
        seen = on_a_terminal("invoke", path, "-i", "text=hi", "--initial-delay-ms", "20")
    progress, _, output = seen.rpartition("\r\x1b[K")
    assert "retry.scheduled" in progress
    assert "\n" not in progress
    assert output.lstrip().startswith("{")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_stream_that_is_closed_from_the_start_changes_no_verdict(closed: str, tmp_path: Path) -> None:
    path = write(tmp_path / "bad.json", bad())
    command = f"{script()} validate {path} {closed}"
    ran = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60, check=False)
    assert ran.returncode == 1
    assert b"fault of skillproto" not in ran.stderr
