"""The JUnit report, for test dashboards: a document is a test case, its findings are the failure."""

import re
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from skillproto.reports.escaping import plain
from skillproto.reports.findings import Checked, Item, Tally, Unreadable
from skillproto.reports.phrases import sentence
from skillproto.violations import Violation

_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(items: Iterator[Item], tally: Tally) -> Iterator[str]:
    """Write one test suite, when all of it is known: JUnit wants the counts at the start.

    >>> print("".join(render(iter([Checked("a.json")]), Tally())), end="")
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="skillproto" tests="1" failures="0" errors="0">
    <testsuite name="skillproto" tests="1" failures="0" errors="0">
    <testcase classname="descriptor" name="a.json"/>
    </testsuite>
    </testsuites>
    """
    cases = [_unreadable(item) if isinstance(item, Unreadable) else _case(item, tally) for item in items]
    failures = sum("><failure " in case for case in cases)
    errors = sum("><error " in case for case in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{errors}"'
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="skillproto" {counts}>\n<testsuite name="skillproto" {counts}>\n'
    yield from cases
    yield "</testsuite>\n</testsuites>\n"


def _case(item: Checked, tally: Tally) -> str:
    name = item.source if item.nth == 0 else f"{item.source}#{item.nth + 1}"
    head = f"<testcase classname={_attribute(item.kind)} name={_attribute(name)}"
    if not item.violations:
        return f"{head}/>\n"
    text = escape("\n".join(_clean(_line(violation)) for violation in item.violations))
    if not item.fails(tally.fail_on):
        return f"{head}><system-out>{text}</system-out></testcase>\n"
    count = len(item.violations)
    summary = f"{count} finding" if count == 1 else f"{count} findings"
    return f'{head}><failure type="VALIDATION_ERROR" message="{summary}">{text}</failure></testcase>\n'


def _unreadable(item: Unreadable) -> str:
    head = f'<testcase classname="unreadable" name={_attribute(item.source)}>'
    return f"{head}<error type={_attribute(item.reason)} message={_attribute(item.message)}/></testcase>\n"


def _line(violation: Violation) -> str:
    place = f"{violation.line}:{violation.column}: " if violation.line is not None else ""
    return f"{place}{violation.severity}: {sentence(violation)} [{violation.rule}]"


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", plain(text))
