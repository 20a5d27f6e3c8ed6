"""Write `codes.md` and `rules.md` from what the package itself knows.

python docs/generate.py           writes both
python docs/generate.py --check   writes nothing; 1 when one of them is not fresh
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from skillproto.errors import ErrorCode
from skillproto.reports.advice import ADVICE, retried
from skillproto.rules import CATALOGUE, RULE_PACK_VERSION, Rule

HERE = Path(__file__).parent
NOTE = "<!-- Written by docs/generate.py; change the source, not this file. -->\n"
GROUPS = {
    "document": "Reading the text",
    "schema": "The schema",
    "protocol": "The protocol's version",
    "descriptor": "What a schema cannot say",
    "index": "The skill index",
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


def main(check: bool) -> int:
    """Write both pages, or look whether they are fresh."""
    stale = []
    for name, text in {"codes.md": codes().rstrip("\n") + "\n", "rules.md": rules()}.items():
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
