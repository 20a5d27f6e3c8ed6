"""Which files are checked, how much of them, and where the report goes."""

import json
from pathlib import Path

import pytest

from skillproto.cli._ignore import matcher
from tests.cli.support import bad, good, run, write


@pytest.mark.parametrize(
    ("pattern", "ignored", "kept"),
    [
        ("drafts/", "a/drafts/b.json", "drafts.json"),
        ("*.test.json", "a/b.test.json", "b.json"),
        ("/top.json", "top.json", "a/top.json"),
        ("a/*.json", "a/b.json", "a/c/b.json"),
        ("a/**/b.json", "a/c/d/b.json", "b.json"),
        ("a/**", "a/c/d.json", "b/a.json"),
        ("?.json", "a.json", "ab.json"),
        ("[ab].json", "a.json", "c.json"),
        ("[!ab].json", "c.json", "a.json"),
        ("a.json", "x/a.json", "x/aa.json"),
        ("a+b.json", "a+b.json", "aab.json"),
    ],
)
def test_a_pattern_of_the_ignore_file_means_what_it_means_to_git(pattern: str, ignored: str, kept: str) -> None:
    is_ignored = matcher(pattern, "/root")
    assert is_ignored(f"/root/{ignored}")
    assert not is_ignored(f"/root/{kept}")
    assert not is_ignored(f"/elsewhere/{ignored}")


def test_a_later_pattern_takes_back_an_earlier_one() -> None:
    is_ignored = matcher("# all but one\n*.json\n!keep.json\n", "/root")
    assert [is_ignored(f"/root/{name}.json") for name in ("a", "keep")] == [True, False]


def test_an_ignored_file_is_passed_over_in_a_directory_but_not_when_it_is_named(tmp_path: Path) -> None:
    write(tmp_path / "good.json", good())
    write(tmp_path / "sub" / "bad.json", bad())
    (tmp_path / ".skillprotoignore").write_text("bad.json\n")
    assert run("validate", tmp_path).code == 0
    assert run("validate", tmp_path / "sub" / "bad.json").code == 1


def test_a_directory_of_which_everything_is_ignored_is_not_success(tmp_path: Path) -> None:
    write(tmp_path / "bad.json", bad())
    (tmp_path / ".skillprotoignore").write_text("*\n")
    ran = run("validate", tmp_path, "--output-format", "json")
    assert ran.code == 3
    assert json.loads(ran.out)["summary"]["checked"] == 0


def test_a_pattern_finds_files_in_every_depth(tmp_path: Path) -> None:
    write(tmp_path / "a" / "b" / "one.json", good())
    write(tmp_path / "two.json", bad())
    ran = run("validate", f"{tmp_path}/**/*.json", "--output-format", "json")
    assert json.loads(ran.out)["summary"]["checked"] == 2
    assert run("validate", f"{tmp_path}/*.nothing").code == 3


@pytest.mark.parametrize(
    ("option", "text", "rule"),
    [
        ("--max-bytes", '{"a": 1234567890}', "document/too-large"),
        ("--max-depth", "[[[[[[[[[[[[1]]]]]]]]]]]]", "document/too-deep"),
        ("--max-nodes", "[1,2,3,4,5,6,7,8,9,10,11,12]", "document/too-large"),
        ("--max-digits", "12345678901234", "document/number-out-of-range"),
        ("--max-aliases", "a: &a [1,2,3,4,5,6]\nb: [*a, *a, *a]\n", "document/yaml-alias-limit"),
    ],
)
def test_a_limit_can_be_set(option: str, text: str, rule: str, tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text)
    found = json.loads(run("validate", path, option, 10, "--output-format", "json").out)
    assert rule in [violation["rule"] for violation in found["error"]["details"]["violations"]]
    assert run("validate", path, option, 0).code == 2


def test_the_report_goes_into_a_file_that_is_whole_or_not_there(tmp_path: Path) -> None:
    path = write(tmp_path / "bad.json", bad())
    out = tmp_path / "report.json"
    ran = run("validate", path, "--output-format", "json", "--output-file", out)
    assert (ran.code, ran.out) == (1, "")
    assert json.loads(out.read_text())["summary"]["errors"] > 0
    assert sorted(each.name for each in tmp_path.iterdir()) == ["bad.json", "report.json"]
    assert run("validate", path, "--output-file", tmp_path / "no" / "report").code == 3


def test_json_lines_has_two_names(tmp_path: Path) -> None:
    path = write(tmp_path / "bad.json", bad())
    assert (
        run("validate", path, "--output-format", "json-lines").out
        == run("validate", path, "--output-format", "jsonl").out
    )


def test_a_report_is_never_written_over_a_descriptor(tmp_path: Path) -> None:
    path = write(tmp_path / "skill.json", good())
    before = path.read_bytes()
    ran = run("validate", path, "--output-file", path)
    assert (ran.code, path.read_bytes()) == (2, before)
    assert "choose another name for the report" in ran.err


def test_a_report_of_the_last_run_is_not_checked(tmp_path: Path) -> None:
    write(tmp_path / "skill.json", good())
    out = tmp_path / "report.json"
    for _ in range(2):
        ran = run("validate", tmp_path, "--output-format", "json", "--output-file", out)
        assert ran.code == 0
        assert json.loads(out.read_text(encoding="utf-8"))["summary"]["checked"] == 1
