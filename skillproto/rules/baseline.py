"""Findings that are known and let pass for now, so that only new ones fail a run.

A baseline is a JSON text. It names findings by file, rule and pointer, never by line, so that
edits elsewhere in a file leave it in force. Pure: whoever calls reads and writes the file.
"""

import json
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple, Self

from skillproto.errors import UsageError
from skillproto.rules.model import Rule
from skillproto.violations import JSONValue, Violation

FORMAT_VERSION = 1
"""The version of the baseline's own format."""

stale_baseline = Rule(
    "config/stale-baseline",
    "warning",
    "An entry of the baseline still has its finding.",
    "ours",
    '{"skillproto_baseline": 1, "findings": [{"source": "a.json", "rule": "schema/type", "field": "/updated_at"}]}',
    '{"skillproto_baseline": 1, "findings": []}',
    "config",
    "The finding was mended, and its entry would let the same mistake pass again. Write the baseline anew.",
)


class Entry(NamedTuple):
    """One known finding: the file as it is named in reports, the rule, and the pointer."""

    source: str
    rule: str
    field: str


class Baseline:
    """The findings that are known, and which of them have been met in this run.

    Use `keep_new` for each file of a run, then ask for `stale` once.

    >>> v = Violation("/id", "x", 1, "m", "descriptor/id-namespace")
    >>> baseline = Baseline.of([("a.json", v)])
    >>> baseline.keep_new("a.json", [v]), baseline.keep_new("b.json", [v]) == [v], baseline.stale()
    ([], True, [])
    """

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._left = Counter(entries)
        self._checked: set[str] = set()

    @classmethod
    def of(cls, findings: Iterable[tuple[str, Violation]]) -> Self:
        """Make a baseline that knows these findings, each given with its file."""
        return cls(Entry(source, finding.rule, finding.field) for source, finding in findings)

    @classmethod
    def load(cls, text: str) -> Self:
        """Read a baseline.

        Raises:
            UsageError: the text is no baseline of this format.

        >>> Baseline.load('{"skillproto_baseline": 1, "findings": []}').stale()
        []
        """
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UsageError("the baseline is not valid JSON; write it anew") from error
        entries = value.get("findings") if isinstance(value, dict) else None
        if not isinstance(entries, list) or value.get("skillproto_baseline") != FORMAT_VERSION:
            raise UsageError(f'the baseline must be {{"skillproto_baseline": {FORMAT_VERSION}, "findings": [...]}}')
        return cls(_entry(entry, i) for i, entry in enumerate(entries))

    def dump(self) -> str:
        """Write the baseline as text, in an order that makes for small differences.

        >>> Baseline([Entry("a.json", "schema/type", "/id")]).dump().count("schema/type")
        1
        """
        entries = [entry._asdict() for entry in sorted(self._left.elements())]
        return json.dumps({"skillproto_baseline": FORMAT_VERSION, "findings": entries}, indent=2) + "\n"

    def keep_new(self, source: str, findings: Iterable[Violation]) -> list[Violation]:
        """Give the findings of a file that the baseline does not know; each entry covers one."""
        self._checked.add(source)
        return [finding for finding in findings if not self._takes(Entry(source, finding.rule, finding.field))]

    def _takes(self, entry: Entry) -> bool:
        if self._left[entry] <= 0:
            return False
        self._left[entry] -= 1
        return True

    def stale(self) -> list[Violation]:
        """Give a finding for each entry, of the files checked, that has nothing left to let pass."""
        return [_stale(entry) for entry in sorted(self._left.elements()) if entry.source in self._checked]


def _entry(value: JSONValue, index: int) -> Entry:
    texts = (
        [text for name in Entry._fields if isinstance(text := value.get(name), str)] if isinstance(value, dict) else []
    )
    if len(texts) != len(Entry._fields):
        raise UsageError(f"the baseline's entry {index} needs source, rule and field, each a text")
    return Entry(*texts)


def _stale(entry: Entry) -> Violation:
    return stale_baseline.found(
        entry.field,
        "an entry that is needed",
        entry.rule,
        f"The baseline lists {entry.rule} here in {entry.source}, and nothing breaks it any more",
        hint="Write the baseline anew",
        details={"source": entry.source},
    )
