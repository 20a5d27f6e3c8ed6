"""Write `codes.md`, `rules.md` and the table of `diff.md` from what the package knows, `faults.md` from its tests.

python docs/generate.py           writes them
python docs/generate.py --check   writes nothing; 1 when one of them is not fresh

The faults are a table of the tests, so writing that page needs the extra `test`.
"""

import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from skillproto.errors import ErrorCode
from skillproto.reports.advice import ADVICE, retried
from skillproto.rules import CATALOGUE, RULE_PACK_VERSION, Rule
from skillproto.rules.changes import LEVELS

HERE = Path(__file__).parent
NOTE = "<!-- Written by docs/generate.py; change the source, not this file. -->\n"
GROUPS = {
    "document": "Reading the text",
    "schema": "The schema",
    "protocol": "The protocol's version",
    "descriptor": "What a schema cannot say",
    "index": "The skill index",
    "diff": "What changed between two versions",
    "config": "Excuses and baselines",
    "publish": "Publishing",
    "probe": "Live probes",
}
_FENCES = {"yaml": "yaml", "bytes": "text"}


def codes() -> str:
    """Write the page of error codes."""
    return "".join([NOTE, "# Error codes\n\n", *(_code(code) for code in ErrorCode)])


def _code(code: ErrorCode) -> str:
    statuses = ", ".join(map(str, code.http_statuses)) or "none"
    source = "skillproto's own" if code.is_extension else "SSP 9.2 and 9.5"
    return (
        f"## {code.value}\n\n{ADVICE[code].when}\n\n**What to do:** {ADVICE[code].do}\n\n"
        f"| HTTP status | retried | tool category | agent reaction | source |\n| --- | --- | --- | --- | --- |\n"
        f"| {statuses} | {retried(code)} | {code.category or 'as the reply says'} "
        f"| {code.reaction or 'as the reply says'} | {source} |\n\n"
    )


def rules() -> str:
    """Write the page of rules."""
    head = f"{NOTE}# Rules\n\nRule pack {RULE_PACK_VERSION}. `skillproto explain RULE` prints one of them.\n\n"
    return "".join([head, *_groups()]).rstrip("\n") + "\n"


def _groups() -> Iterator[str]:
    group = ""
    for rule in CATALOGUE.values():
        if rule.group != group:
            group = rule.group
            yield f"## {GROUPS[group]}\n\n"
        yield _rule(rule)


def _rule(rule: Rule) -> str:
    why = f"{rule.why}\n\n" if rule.why else ""
    facts = f"Severity: {rule.severity}. Source: {rule.source}.\n\n"
    examples = _example("Refused", rule, rule.bad) + _example("Accepted", rule, rule.good)
    return f"### {rule.id}\n\n{rule.summary}\n\n{why}{facts}{examples}"


def _example(label: str, rule: Rule, text: str) -> str:
    fence = _FENCES.get(rule.example_kind, "json")
    return f"{label}:\n\n```{fence}\n{text.strip(chr(10))}\n```\n\n"


FAULTS = """\
# Faults that calls are tried against

Each line is a test on real sockets, run with threads, asyncio and trio: the call ends as it says here, before its
deadline, with exactly one final event, and leaves no connection, task or thread behind. The call may be tried
{attempts} times. "Requests" counts all that reach the other side, those for the state and the result of an execution
included (connections, where it reads none). "May have run" is what the error says of the skill, so that a caller
knows what a new call could do twice.
"""


def faults() -> str:
    """Write the page of faults."""
    sys.path.insert(0, str(HERE.parent))
    from tests.support.fault_table import ATTEMPTS
    from tests.support.fault_table import FAULTS as TABLE

    groups = groupby(TABLE, key=lambda fault: fault.group)
    return NOTE + FAULTS.format(attempts=ATTEMPTS) + "".join(_faults(group, members) for group, members in groups)


def _faults(group: str, members: Iterator[Any]) -> str:
    head = "| fault | the call ends with | tried | requests | may have run |\n| --- | --- | --- | --- | --- |\n"
    return f"\n## {group}\n\n{head}" + "".join(_fault(fault) for fault in members)


def _fault(fault: Any) -> str:
    end = "its result" if fault.code is None else f"`{fault.code}`"
    reason = f", `{fault.reason}`" if fault.reason else ""
    waits = f", no sooner than after {fault.least_s} s" if fault.least_s else ""
    requests = "" if fault.requests is None else str(fault.requests)
    ran = {None: "by chance", True: "yes", False: ""}[fault.may_have_run]
    return f"| {fault.name} | {end}{reason}{waits} | {fault.attempts} | {requests} | {ran} |\n"


MARK = "<!-- The table is written by docs/generate.py; change the source, not this file. -->\n"


def comparing() -> str:
    """Write the page of comparisons: the words that are there, and the table of rules below them."""
    head = (HERE / "diff.md").read_text(encoding="utf-8").partition(MARK)[0]
    rows = (f"| `{name}` | {level} | {CATALOGUE[name].summary} |\n" for name, level in LEVELS.items())
    return f"{head}{MARK}\n| rule | level | asks that, or tells that |\n| --- | --- | --- |\n" + "".join(rows)


def main(check: bool) -> int:
    """Write the pages, or look whether they are fresh."""
    stale = []
    pages = {"codes.md": codes(), "rules.md": rules(), "faults.md": faults(), "diff.md": comparing()}
    for name, text in ((name, page.rstrip("\n") + "\n") for name, page in pages.items()):
        path = HERE / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if not check:
                path.write_text(text, encoding="utf-8")
    if check and stale:
        sys.stdout.write(f"not fresh: {', '.join(stale)}; run python docs/generate.py\n")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
