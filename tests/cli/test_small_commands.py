"""`skillproto schema`, `explain`, `init`, `--version`, `--help`, and words that are no command."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from skillproto import __version__, rules, validation
from skillproto.errors import ErrorCode
from skillproto.reports.advice import ADVICE
from tests.cli.support import run, run_script

COMMANDS = ("validate", "invoke", "demo", "init", "schema", "explain")


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_version_is_the_packages() -> None:
    assert run("--version").out == f"skillproto {__version__}\n"
    assert run_script("--version").stdout.decode() == f"skillproto {__version__}\n"


def test_the_help_lists_every_command_and_exit_code() -> None:
    text = run("--help").out
    assert all(f"\n  {name} " in text for name in COMMANDS)
    assert all(f"\n    {code} " in text for code in (0, 1, 2, 3, 4, 130))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_has_no_broken_line(name: str) -> None:
    ran = run(name, "--help")
    assert ran.code == 0
    assert "Exit codes:" in " ".join(ran.out.split()) or "Examples:" in ran.out


def test_python_m_is_the_command_line_too() -> None:
    ran = subprocess.run([sys.executable, "-m", "skillproto", "--version"], capture_output=True, check=True)
    assert ran.stdout.decode() == f"skillproto {__version__}\n"


def test_no_command_prints_the_help_and_is_wrong_usage() -> None:
    ran = run()
    assert ran.code == 2
    assert "Commands:" in ran.out + ran.err


def test_a_misspelt_command_is_wrong_usage_with_the_nearest() -> None:
    ran = run("valdate", "x")
    assert ran.code == 2
    assert "Did you mean validate?" in ran.err


def test_schemas_are_listed_and_printed_as_they_are_published() -> None:
    assert run("schema", "--list").out.split() == list(validation.SCHEMA_NAMES)
    assert run("schema").out == validation.schema_text("descriptor")
    assert json.loads(run("schema", "index").out)["title"] == "Skill index"


def test_an_unknown_schema_is_wrong_usage_with_the_nearest_name() -> None:
    ran = run("schema", "indx")
    assert (ran.code, ran.out) == (2, "")
    assert "Did you mean index?" in ran.err


@pytest.mark.parametrize("code", ErrorCode)
def test_every_code_is_explained(code: ErrorCode) -> None:
    ran = run("explain", code)
    assert ran.code == 0
    assert ran.out.startswith(f"{code}\n")
    first_words = " ".join(ADVICE[code].do.split()[:5])
    assert first_words in " ".join(ran.out.split())


def test_every_rule_is_explained() -> None:
    for rule in rules.CATALOGUE.values():
        ran = run("explain", rule.id)
        assert ran.code == 0
        assert ran.out.startswith(f"{rule.id}: {rule.summary}\n")


@pytest.mark.parametrize(
    ("name", "means"),
    [("503", "ENDPOINT_UNREACHABLE"), ("auth_required", "AUTH_REQUIRED"), ("duplicate-key", "document/duplicate-key")],
)
def test_a_short_name_is_understood(name: str, means: str) -> None:
    assert run("explain", name).out.startswith(means)


@pytest.mark.parametrize(
    ("name", "near"), [("AUTH_REQUIRD", "AUTH_REQUIRED"), ("schema/enmu", "schema/enum"), ("999", "")]
)
def test_an_unknown_name_is_wrong_usage_with_the_nearest(name: str, near: str) -> None:
    ran = run("explain", name)
    assert (ran.code, ran.out) == (2, "")
    assert near in ran.err
    assert "explain --list" in ran.err


def test_an_explanation_can_be_had_as_json() -> None:
    known = json.loads(run("explain", "504", "--output-format", "json").out)
    assert (known["code"], known["http_statuses"], known["retried"]) == ("EXECUTION_TIMEOUT", [408, 504], "yes")
    assert json.loads(run("explain", "schema/enum", "--output-format", "json").out)["severity"] == "error"


def test_the_list_has_every_code_and_rule() -> None:
    names = [line.split()[0] for line in run("explain", "--list").out.splitlines()]
    assert names == [*ErrorCode, *rules.CATALOGUE]


@pytest.mark.parametrize("auth", ["none", "api_key", "oauth2", "custom"])
@pytest.mark.parametrize("name", ["skill.json", "skill.yaml"])
def test_a_new_descriptor_has_no_finding(name: str, auth: str) -> None:
    assert run("init", name, "--auth", auth).code == 0
    ran = run("validate", name, "--fail-on", "warning")
    assert (ran.code, ran.out) == (0, "")


def test_a_new_descriptor_holds_what_was_said() -> None:
    run("init", "--id", "org.example.echo", "--name", "Eco", "--url", "https://api.example.org/echo")
    descriptor = json.loads(Path("skill.json").read_text(encoding="utf-8"))
    assert (descriptor["id"], descriptor["name"]) == ("org.example.echo", "Eco")
    assert descriptor["endpoint"]["status_url"] == "https://api.example.org/echo/{execution_id}"


def test_a_file_is_overwritten_only_when_asked_for() -> None:
    Path("skill.json").write_text("mine")
    ran = run("init")
    assert (ran.code, Path("skill.json").read_text()) == (2, "mine")
    assert "--force" in ran.err
    assert run("init", "--force").code == 0
    assert Path("skill.json").read_text() != "mine"


def test_a_value_that_would_not_be_valid_writes_nothing() -> None:
    ran = run("init", "--url", "javascript:alert(1)")
    assert (ran.code, list(Path().iterdir())) == (2, [])
    assert "--url" in ran.err


def test_the_standard_output_takes_a_descriptor_too() -> None:
    ran = run("init", "-")
    assert json.loads(ran.out)["id"] == "com.example.my-skill"
    assert list(Path().iterdir()) == []


def test_a_folder_that_does_not_exist_is_said() -> None:
    ran = run("init", "nowhere/skill.json")
    assert ran.code == 3
    assert "could not be written" in ran.err
