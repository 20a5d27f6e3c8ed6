"""Reports are what the published schemas of their formats ask for, whatever is in them."""

import json
from typing import Any

import jsonschema
import pytest
import xmlschema

from skillproto.reports import Checked, Item
from skillproto.validation.schemas import REPORT_SCHEMA_PATH
from skillproto.violations import Violation
from tests.reports import published
from tests.reports.test_reports import BAD, EVIL, GOOD, MISSING, ODD, ODD_ONLY, written

HOSTILE = Checked(EVIL, 3, (Violation("/" + EVIL, EVIL, EVIL, EVIL, "schema/type", hint=EVIL), ODD))
RUNS: dict[str, list[Item]] = {
    "nothing": [],
    "one good": [GOOD],
    "one bad": [BAD],
    "one with warnings": [ODD_ONLY],
    "one unreadable": [MISSING],
    "several": [GOOD, BAD, MISSING, ODD_ONLY],
    "hostile": [HOSTILE],
}
runs = pytest.mark.parametrize("items", RUNS.values(), ids=RUNS.keys())


def report_schema() -> Any:
    with open(REPORT_SCHEMA_PATH, encoding="utf-8") as file:  # noqa: PTH123 - the package gives a plain path
        return json.load(file)


@runs
def test_the_json_report_is_what_its_schema_says(items: list[Item]) -> None:
    jsonschema.Draft202012Validator(report_schema()).validate(json.loads(written(items, "json")))


@runs
def test_each_line_of_json_lines_is_a_document_and_the_last_a_summary(items: list[Item]) -> None:
    schema = report_schema()
    *documents, last = map(json.loads, written(items, "json-lines").splitlines())
    for part, values in (("document", documents), ("footer", [last])):
        validator = jsonschema.Draft202012Validator({"$ref": f"#/$defs/{part}", "$defs": schema["$defs"]})
        for value in values:
            validator.validate(value)


@runs
def test_the_sarif_report_is_what_its_published_schema_asks_for(items: list[Item]) -> None:
    schema = published.sarif_schema()
    jsonschema.validators.validator_for(schema)(schema).validate(json.loads(written(items, "sarif")))


@runs
def test_the_junit_report_is_what_its_published_schema_asks_for(items: list[Item]) -> None:
    xmlschema.XMLSchema(published.junit_schema().decode()).validate(written(items, "junit"))
