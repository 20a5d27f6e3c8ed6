"""Every format, from the same findings."""

import json
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pytest

from skillproto.reports import FORMATS, PEOPLE, Checked, Item, Tally, Unreadable, render
from skillproto.violations import Violation

WRONG = Violation(
    "/capability_type",
    "one of: plugin, api, knowledge, task",
    "unknown_type",
    "Invalid enum value",
    "schema/enum",
    line=2,
    column=22,
    end_line=2,
    end_column=36,
)
ODD = Violation("/nmae", "no such member", None, "Unknown member", "descriptor/unknown-member", "warning", hint="name?")
SOURCE = {2: '  "capability_type": "unknown_type",'}
BAD = Checked("bad.json", 0, (WRONG, ODD), "descriptor", SOURCE.get)
GOOD = Checked("good.json")
ODD_ONLY = Checked("odd.json", 0, (ODD,))
MISSING = Unreadable("gone.json", "not-found", "No such file")
EVIL = "\x1b[31m\u202e%\r\n::error::,<&\"'\x00\ud800\U000e0041\x9b"


def written(items: list[Item], output_format: str, **options: Any) -> str:
    tally = Tally(fail_on=options.pop("fail_on", "error"), rule_pack_version="1.0.0")
    return "".join(render(iter(items), tally, output_format, **options))


def loaded(items: list[Item], output_format: str = "json", **options: Any) -> Any:
    return json.loads(written(items, output_format, **options))


def test_one_failing_document_gives_the_error_envelope() -> None:
    report = loaded([BAD])
    assert report["error"]["code"] == "VALIDATION_ERROR"
    assert report["error"]["message"] == "Skill descriptor validation failed"
    first = report["error"]["details"]["violations"][0]
    assert list(first)[:4] == ["field", "expected", "actual", "message"]
    assert (first["line"], first["column"]) == (2, 22)
    assert next(iter(report)) == "error"
    assert (report["valid"], report["format_version"], report["summary"]["errors"]) == (False, 1, 1)


def test_one_good_document_has_no_error() -> None:
    report = loaded([GOOD])
    assert "error" not in report
    assert (report["valid"], report["violations"], report["summary"]["checked"]) == (True, [], 1)


def test_warnings_alone_are_an_error_only_when_asked_for() -> None:
    assert "error" not in loaded([ODD_ONLY])
    report = loaded([ODD_ONLY], fail_on="warning")
    assert (report["error"]["code"], report["valid"]) == ("VALIDATION_ERROR", True)


def test_several_documents_give_one_object_with_an_envelope_each() -> None:
    report = loaded([BAD, GOOD, MISSING])
    assert [document.get("error", {}).get("code") for document in report["documents"]] == [
        "VALIDATION_ERROR",
        None,
        "UNKNOWN",
    ]
    assert report["summary"] == {
        "checked": 2,
        "valid": 1,
        "invalid": 1,
        "unreadable": 1,
        "errors": 1,
        "warnings": 1,
        "infos": 0,
        "interrupted": False,
        "rule_pack_version": "1.0.0",
    }


def test_no_document_at_all_is_still_one_json_object() -> None:
    report = loaded([])
    assert (report["documents"], report["summary"]["checked"]) == ([], 0)


@pytest.mark.parametrize("output_format", sorted({*FORMATS} - {"junit"}))  # JUnit wants its counts first
def test_a_finding_is_out_before_the_last_document_is_read(output_format: str) -> None:
    read = []

    def items() -> Iterator[Item]:
        for item in (BAD, GOOD, GOOD, GOOD):
            read.append(item)
            yield item

    for piece in render(items(), Tally(), output_format):
        if "capability_type" in piece:
            break
    assert len(read) <= 2


def test_text_names_the_place_and_what_was_expected_and_found() -> None:
    assert written([BAD, MISSING], "text") == (
        "bad.json:2:22: error: /capability_type: Invalid enum value [schema/enum]\n"
        "  expected: one of: plugin, api, knowledge, task\n"
        '  found:    "unknown_type"\n'
        "bad.json: warning: /nmae: Unknown member [descriptor/unknown-member]\n"
        "  expected: no such member\n"
        "  hint:     name?\n"
        "gone.json: unreadable: No such file\n"
    )


def test_concise_has_one_line_for_each_finding() -> None:
    assert written([BAD], "concise").count("\n") == 2


def test_full_shows_the_line_of_source_with_a_caret() -> None:
    lines = written([BAD], "full").splitlines()
    assert lines[1] == ' 2 |   "capability_type": "unknown_type",'
    assert lines[2] == "   |                      ^^^^^^^^^^^^^^"


def test_full_cuts_a_long_line_around_the_place() -> None:
    text = "[" + "1, " * 10_000 + "x]"
    long = WRONG._replace(line=1, column=len(text) - 1, end_line=1, end_column=len(text))
    lines = written([Checked("a.json", 0, (long,), "descriptor", {1: text}.get)], "full").splitlines()
    assert len(lines[1]) < 140
    assert lines[1][lines[2].index("^")] == "x"


def test_a_later_document_of_a_file_names_its_number() -> None:
    assert ": error: document 3: /capability_type" in written([Checked("a.jsonl", 2, (WRONG,))], "concise")
    assert loaded([GOOD, Checked("a.jsonl", 2, (WRONG,))])["documents"][1]["index"] == 2


def test_colour_only_when_asked_for() -> None:
    assert "\x1b[31;1merror\x1b[0m" in written([BAD], "text", color=True)
    assert "\x1b" not in written([BAD], "text")


@pytest.mark.parametrize("output_format", FORMATS)
def test_nothing_from_a_document_reaches_the_output_unescaped(output_format: str) -> None:
    evil = Violation(f"/{EVIL}", EVIL, EVIL, EVIL, "schema/enum", line=1, column=1, hint=EVIL)
    items: list[Item] = [Checked(EVIL, 0, (evil,), "descriptor", lambda line: EVIL), Unreadable(EVIL, "x", EVIL)]
    text = written(items, output_format)
    assert not set(text) & set("\x1b\u202e\r\x00\ud800\U000e0041\x9b")
    text.encode()
    if output_format == "github":
        assert [line[:7] for line in text.splitlines()] == ["::error", "::error"]


@pytest.mark.parametrize("output_format", FORMATS)
def test_no_line_begins_with_what_a_document_says(output_format: str) -> None:
    order = "x\n::error::pwned"
    evil = Violation(f"/{order}", order, order, order, "schema/enum", line=1, column=1, hint=order)
    assert "\n::error::" not in written([Checked(order, 0, (evil,), order)], output_format)


@pytest.mark.parametrize("output_format", ["json", "gitlab", "sarif"])
@pytest.mark.parametrize("items", [[], [GOOD], [BAD], [MISSING], [BAD, GOOD, MISSING]], ids=len)
def test_the_json_formats_are_one_valid_document(output_format: str, items: list[Item]) -> None:
    loaded(items, output_format)


def test_json_lines_end_with_the_summary() -> None:
    lines = [json.loads(line) for line in written([BAD, GOOD], "jsonl").splitlines()]
    assert [line.get("source") for line in lines] == ["bad.json", "good.json", None]
    assert lines[-1]["summary"]["checked"] == 2


def test_github_makes_annotations() -> None:
    first, second = written([BAD], "github").splitlines()
    assert first.startswith("::error file=bad.json,line=2,col=22,endLine=2,endColumn=36,title=schema/enum::")
    assert second.startswith("::warning file=bad.json,title=descriptor/unknown-member::")


def test_gitlab_fingerprints_tell_findings_apart_and_outlive_a_moved_line() -> None:
    moved = Checked("bad.json", 0, (WRONG._replace(line=9),))
    first, second = loaded([BAD], "gitlab")
    assert first["fingerprint"] != second["fingerprint"]
    assert loaded([moved], "gitlab")[0]["fingerprint"] == first["fingerprint"]
    assert first["location"] == {"path": "bad.json", "lines": {"begin": 2}}


def test_sarif_has_results_rules_and_what_could_not_be_read() -> None:
    run = loaded([BAD, MISSING], "sarif")["runs"][0]
    assert [result["ruleId"] for result in run["results"]] == ["schema/enum", "descriptor/unknown-member"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["schema/enum", "descriptor/unknown-member"]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 2, "startColumn": 22, "endLine": 2, "endColumn": 36}
    assert run["invocations"][0]["executionSuccessful"] is False
    assert run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] == "No such file"


def test_junit_is_xml_with_a_case_for_each_document() -> None:
    suite = ElementTree.fromstring(written([BAD, GOOD, ODD_ONLY, MISSING], "junit"))[0]
    assert [case.get("name") for case in suite] == ["bad.json", "good.json", "odd.json", "gone.json"]
    assert [[child.tag for child in case] for case in suite] == [["failure"], [], ["system-out"], ["error"]]


def test_the_formats_for_people_are_formats() -> None:
    assert set(PEOPLE) < set(FORMATS)


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([GOOD], "1 document checked: no findings"),
        ([BAD, GOOD], "2 documents checked: 1 error, 1 warning"),
        ([MISSING], "nothing was checked; 1 could not be read"),
    ],
    ids=["good", "bad", "missing"],
)
def test_the_summary_says_what_was_counted(items: list[Item], words: str) -> None:
    tally = Tally()
    list(tally.watch(items))
    assert str(tally) == words


def test_the_concise_report_says_what_to_do_on_the_same_line() -> None:
    assert written([ODD_ONLY], "concise").count("\n") == 1
    assert "; name? [descriptor/unknown-member]" in written([ODD_ONLY], "concise")
