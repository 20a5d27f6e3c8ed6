"""`skillproto validate`."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from skillproto import rules
from tests.cli.support import EXAMPLES, GOOD, bad, good, run, run_script, script, write


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_good_descriptor_is_fine_and_says_so_on_stderr() -> None:
    ran = run("validate", GOOD)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == f"skillproto: 1 document checked: no findings (rule pack {rules.RULE_PACK_VERSION})\n"


def test_every_example_is_valid_without_a_finding() -> None:
    ran = run("validate", EXAMPLES, "--fail-on", "warning")
    assert (ran.code, ran.out) == (0, "")


def test_a_bad_descriptor_names_file_line_column_and_rule(tmp_path: Path) -> None:
    ran = run("validate", write(tmp_path / "bad.json", bad()))
    assert ran.code == 1
    line = next(
        n for n, text in enumerate((tmp_path / "bad.json").read_text().split("\n"), 1) if "unknown_type" in text
    )
    assert f"bad.json:{line}:22: error: /capability_type: Invalid enum value [schema/enum]" in ran.out
    assert "  expected: one of: plugin, api, knowledge, task" in ran.out


def test_the_envelope_of_the_protocol_comes_out_to_the_letter(tmp_path: Path) -> None:
    ran = run("validate", write(tmp_path / "bad.json", bad()), "--output-format", "json")
    error = ran.json()["error"]
    four = [
        {key: violation[key] for key in ("field", "expected", "actual", "message")}
        for violation in error["details"]["violations"]
    ]
    assert (error["code"], error["message"]) == ("VALIDATION_ERROR", "Skill descriptor validation failed")
    assert four == [
        {
            "field": "/capability_type",
            "expected": "one of: plugin, api, knowledge, task",
            "actual": "unknown_type",
            "message": "Invalid enum value",
        },
        {
            "field": "/endpoint/url",
            "expected": "string (URI format)",
            "actual": None,
            "message": "Required field is missing",
        },
    ]


def test_a_directory_is_walked_in_order_but_not_its_hidden_parts(tmp_path: Path) -> None:
    for name in ("b.json", "a.yml", "c/d.YAML", ".git/e.json", "node_modules/f.json", ".well-known/g.json", "note.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write(tmp_path / name, good())
    report = run("validate", ".", "--output-format", "json").json()
    assert [document["source"] for document in report["documents"]] == [
        ".well-known/g.json",
        "a.yml",
        "b.json",
        "c/d.YAML",
    ]


def test_a_file_named_twice_is_checked_once(tmp_path: Path) -> None:
    write(tmp_path / "a.json", good())
    assert run("validate", ".", "a.json", "--output-format", "json").json()["summary"]["checked"] == 1


def test_the_standard_input_has_the_name_that_it_is_given() -> None:
    ran = run("validate", "-", "--stdin-filename", "made.yaml", "--output-format", "json", stdin="id: x\n")
    assert (ran.code, ran.json()["source"]) == (1, "made.yaml")


@pytest.mark.parametrize("output_format", ["text", "json"])
def test_no_descriptor_found_is_not_success(tmp_path: Path, output_format: str) -> None:
    (tmp_path / "empty").mkdir()
    ran = run("validate", "empty", "--output-format", output_format)
    assert ran.code == 3
    assert "nothing was checked" in ran.err
    assert "No descriptors in this directory" in ran.out
    if output_format == "json":
        assert ran.json()["summary"]["checked"] == 0


def test_a_missing_file_is_unreadable_and_the_others_are_still_checked() -> None:
    ran = run("validate", "gone.json", GOOD, "--output-format", "json")
    assert ran.code == 3
    missing, fine = ran.json()["documents"]
    assert (missing["error"]["details"]["reason"], fine["valid"]) == ("not-found", True)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_permission_is_unreadable(tmp_path: Path) -> None:
    write(tmp_path / "a.json", good()).chmod(0)
    assert run("validate", "a.json").code == 3


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"nonsense",
        b'{"a": NaN}',
        '{"a": 1}'.encode("utf-16"),
        b"\xff\xfe\xfd",
        b"[" * 100_000,
        b'{"a": "\\ud800"}',
    ],
    ids=["empty", "cut", "no-json", "nan", "utf-16", "no-text", "deep", "lone-surrogate"],
)
def test_a_text_that_is_no_document_is_a_finding(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.json").write_bytes(data)
    ran = run("validate", "a.json", "--output-format", "json")
    assert ran.code == 1
    assert ran.json()["error"]["details"]["violations"]
    assert len(ran.out) < 10_000


def test_every_document_of_a_file_is_checked(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps(value) for value in (good(), bad(), good())))
    ran = run("validate", "a.jsonl")
    assert ran.code == 1
    assert "a.jsonl:2:" in ran.out
    assert "document 2: /capability_type" in ran.out
    assert "3 documents checked" in ran.err


@pytest.mark.parametrize(("fail_on", "code"), [("error", 0), ("warning", 1), ("never", 0)])
def test_fail_on_decides_what_a_warning_is_worth(tmp_path: Path, fail_on: str, code: int) -> None:
    path = write(tmp_path / "a.json", good() | {"colour": "red"})
    assert run("validate", path, "--fail-on", fail_on).code == code


def test_fail_on_never_reports_and_passes(tmp_path: Path) -> None:
    ran = run("validate", write(tmp_path / "a.json", bad()), "--fail-on", "never")
    assert (ran.code, "schema/enum" in ran.out) == (0, True)


@pytest.mark.parametrize("engine", ["auto", "reference"])
def test_both_engines_say_the_same(tmp_path: Path, engine: str) -> None:
    path = write(tmp_path / "a.json", bad())
    assert run("validate", path, "--engine", engine).out == run("validate", path).out
    assert run("validate", GOOD, "--engine", engine).code == 0


def test_other_schemas_are_checked_by_name(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", {"error": {"code": "X", "message": "m"}})
    assert run("validate", path, "--schema", "error").code == 0
    ran = run("validate", path, "--schema", "index", "--output-format", "json")
    assert ran.json()["error"]["message"] == "Skill index validation failed"


def test_an_unknown_schema_is_wrong_usage_with_the_nearest_name() -> None:
    ran = run("validate", GOOD, "--schema", "descripter")
    assert ran.code == 2
    assert "Did you mean descriptor?" in ran.err


@pytest.mark.parametrize("args", [["validate"], ["validate", "--nope", "x"], ["validate", "x", "--engine", "fast"]])
def test_wrong_usage_is_two_and_json_stays_json(args: list[str]) -> None:
    assert run(*args).code == 2
    ran = run(*args, "--output-format", "json")
    assert (ran.code, ran.json()["error"]["details"]["reason"]) == (2, "usage")


def test_select_and_ignore_choose_rules(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", bad())
    assert run("validate", path, "--ignore", "schema/*").code == 0
    assert run("validate", path, "--ignore", "schema/enum").out.count(": error: ") == 1
    assert run("validate", path, "--select", "descriptor").code == 0
    assert run("validate", path, "--ignore", "schema/enmu").code == 2


def test_the_settings_file_is_found_and_can_be_left_out(tmp_path: Path) -> None:
    write(tmp_path / "a.json", bad())
    write(tmp_path / "b.json", bad())
    (tmp_path / "skillproto.toml").write_text('ignore = ["schema/enum"]\nexclude = ["b.*"]\n')
    assert run("validate", ".").out.count(": error: ") == 1
    assert run("validate", "b.json").out.count(": error: ") == 1
    assert run("validate", ".", "--isolated").out.count(": error: ") == 4


def test_all_files_excluded_is_not_success(tmp_path: Path) -> None:
    write(tmp_path / "a.json", good())
    (tmp_path / "skillproto.toml").write_text('exclude = ["*"]\n')
    assert run("validate", ".").code == 3


def test_a_baseline_lets_what_it_knows_pass_and_tells_what_is_stale(tmp_path: Path) -> None:
    write(tmp_path / "a.json", bad())
    assert run("validate", "a.json", "--write-baseline", "known.json").code == 0
    assert run("validate", "a.json", "--baseline", "known.json").code == 0
    write(tmp_path / "a.json", good())
    ran = run("validate", "a.json", "--baseline", "known.json", "--fail-on", "warning")
    assert (ran.code, ran.out.count("config/stale-baseline")) == (1, 2)


def test_a_value_that_would_rewrite_the_terminal_is_escaped(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", good() | {"access": "\x1b[2J\u202epublic"})
    assert "\\u001b[2J\\u202epublic" in run("validate", path, "--color", "never").out


def test_colour_comes_only_when_asked_for_without_a_terminal(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", bad())
    assert "\x1b" not in run("validate", path).out
    assert b"\x1b[31;1merror" in run_script("validate", path, "--color", "always").stdout


def test_a_crash_inside_is_a_short_message_and_valid_json(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **options: object) -> None:
        raise RuntimeError("a value from the document")

    monkeypatch.setattr(rules, "check_document", broken)
    ran = run("validate", GOOD, "--output-format", "json")
    error = ran.json()["error"]
    assert (ran.code, error["details"]["reason"]) == (3, "crashed")
    assert error["message"].startswith("Unexpected RuntimeError at test_validate.py:")
    assert "Traceback" not in ran.err
    assert "a value" not in ran.out + ran.err


def test_the_first_finding_is_out_before_the_last_file_is_read(tmp_path: Path) -> None:
    write(tmp_path / "a.json", bad())
    os.mkfifo(tmp_path / "b.json")
    with subprocess.Popen([script(), "validate", "a.json", "b.json"], stdout=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdout is not None
        assert b"a.json" in process.stdout.readline()
        (tmp_path / "b.json").write_text(json.dumps(good()))
        process.stdout.read()
    assert process.returncode == 1


def test_an_interrupt_ends_with_130_and_valid_json(tmp_path: Path) -> None:
    write(tmp_path / "a.json", bad())
    write(tmp_path / "b.json", bad())
    os.mkfifo(tmp_path / "c.json")
    command = [script(), "validate", "a.json", "b.json", "c.json", "--output-format", "json"]
    with subprocess.Popen(command, bufsize=0, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        rest, words = process.communicate(timeout=10)
    report = json.loads(first + rest)
    assert process.returncode == 130
    assert [document["source"] for document in report["documents"]] == ["a.json", "b.json"]
    assert report["summary"]["interrupted"] is True
    assert b"interrupted before the end" in words
    assert b"Traceback" not in words


def test_a_reader_that_goes_away_is_no_traceback(tmp_path: Path) -> None:
    for number in range(300):
        write(tmp_path / f"{number}.json", bad())
    command = f"{script()} validate . | head -n 1"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, cwd=tmp_path, timeout=60, check=False)
    assert ran.stdout.count(b"\n") == 1
    assert b"Traceback" not in ran.stderr
    assert b"BrokenPipe" not in ran.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_an_output_that_takes_no_more_is_said_without_a_traceback(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [script(), "validate", str(write(tmp_path / "bad.json", bad()))]
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert ran.returncode == 3
    assert ran.stderr.startswith(b"skillproto: the output could not be written: No space left")
    assert ran.stderr.count(b"\n") == 1


def test_output_is_utf8_whatever_the_locale(tmp_path: Path) -> None:
    path = write(tmp_path / "ñandú.json", bad())
    ran = run_script("validate", path.name, env={"LC_ALL": "C", "PATH": os.environ["PATH"]}, cwd=tmp_path)
    assert "ñandú.json:" in ran.stdout.decode()
