"""What a rule is: its place in the catalogue, and the function that looks for what breaks it.

A rule never raises on a document, whatever its shape: what the schema already refuses is
none of its business, so it looks only at what has the right type.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple

from skillproto.rules.subject import Subject
from skillproto.validation.shown import shown
from skillproto.violations import JSONValue, Severity, Violation

Check = Callable[[Subject], Iterable[Violation]]
ExampleKind = Literal[
    "members", "index-members", "json", "yaml", "bytes", "value", "config", "publish", "probe", "change", "listing"
]  # fmt: skip


class Rule(NamedTuple):
    """One rule as the catalogue lists it.

    Attributes:
        id: `group/name`; never reused, never changed in meaning.
        severity: how much it matters unless a finding or the configuration says otherwise.
        summary: what the rule asks for, in one line.
        source: where the demand comes from.
        bad, good: a text that breaks exactly this rule, and one that does not.
        example_kind: what the two texts are: "members" of a descriptor (JSON, laid over a
            valid one), "index-members" likewise for an index, or a whole "json" or "yaml" text;
            "bytes" is one with Python escapes, "value" is a value with the schema that it is checked
            against; "config" needs a configuration beside it; "publish" is what a registry is asked, members laid
            over a valid descriptor with the state beside them; "probe" is a request and its reply; "change" is
            two descriptors, given as members; "listing" is a reply that lists skills or describes one.
        why: the longer explanation.
        schemas: the kinds of document that the rule is asked about.
        check: looks for what breaks the rule; None where reading or validation finds it.

    >>> Rule("x/y", "error", "One line.", "ours", "{}", "{}").group
    'x'
    """

    id: str
    severity: Severity
    summary: str
    source: str
    bad: str
    good: str
    example_kind: ExampleKind = "members"
    why: str = ""
    schemas: tuple[str, ...] = ("descriptor",)
    check: Check | None = None

    @property
    def group(self) -> str:
        """The part of the id before the slash."""
        return self.id.partition("/")[0]

    def found(
        self,
        field: str,
        expected: str,
        actual: JSONValue,
        message: str,
        *,
        severity: Severity | None = None,
        hint: str | None = None,
        details: dict[str, JSONValue] | None = None,
    ) -> Violation:
        """Make a finding of this rule; `actual` is shortened, and masked where it holds a secret.

        >>> Rule("x/y", "info", "", "", "", "").found("/a", "less", "z" * 500, "Too long").rule
        'x/y'
        """
        return Violation(
            field,
            expected,
            shown(actual),
            message,
            self.id,
            severity or self.severity,
            hint=hint,
            details=details or {},
        )


def rule(
    name: str,
    severity: Severity,
    summary: str,
    *,
    source: str,
    bad: str,
    good: str,
    why: str,
    example_kind: ExampleKind = "members",
    schemas: tuple[str, ...] = ("descriptor",),
) -> Callable[[Check], Rule]:
    """Make the decorated check a rule; the rule then goes by the function's name."""

    def made(check: Check) -> Rule:
        return Rule(name, severity, summary, source, bad, good, example_kind, " ".join(why.split()), schemas, check)

    return made


def checks_of(rules: Iterable[Rule], schema: str) -> Iterator[tuple[Rule, Check]]:
    """Give the rules that look at documents of a kind, each with its function."""
    for one in rules:
        if one.check is not None and schema in one.schemas:
            yield one, one.check
