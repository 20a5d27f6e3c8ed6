"""The reports for people: concise, text, and full with the line of source and a caret.

All three name `file:line:column` first, so that editors and terminals make it a link.
"""

from collections.abc import Iterator

from skillproto.redaction import MASK, blot
from skillproto.reports.escaping import line as safe_line
from skillproto.reports.escaping import plain, value
from skillproto.reports.findings import Checked, Item, Unreadable
from skillproto.violations import Violation

WIDEST_EXCERPT = 120
_AROUND = 2000

_COLOURS = {"error": "31;1", "warning": "33;1", "info": "36;1", "dim": "2", "place": "1"}


class Paint:
    r"""Colours, or none.

    >>> Paint(on=False)("error", "no"), Paint(on=True)("error", "no")
    ('no', '\x1b[31;1mno\x1b[0m')
    """

    def __init__(self, *, on: bool) -> None:
        self.on = on

    def __call__(self, role: str, text: str) -> str:
        return f"\x1b[{_COLOURS[role]}m{text}\x1b[0m" if self.on else text


def render(item: Item, *, detail: str = "text", color: bool = False) -> Iterator[str]:
    """Write one piece of text for each finding of a document.

    Args:
        item: what was checked, or could not be read.
        detail: "concise" for a line each; "text" adds what was expected and found;
            "full" adds the line of source with a caret under the value.
        color: whether to colour.

    >>> v = Violation("/access", "one of: public, private", "all", "Invalid value", "schema/enum", line=3, column=5)
    >>> print("".join(render(Checked("a.json", 0, (v,)))), end="")
    a.json:3:5: error: /access: Invalid value [schema/enum]
      expected: one of: public, private
      found:    "all"
    """
    paint = Paint(on=color)
    if isinstance(item, Unreadable):
        yield f"{paint('place', plain(item.source))}: {paint('error', 'unreadable')}: {plain(item.message)}\n"
        return
    for violation in item.violations:
        yield _finding(item, violation, detail, paint)


def _finding(item: Checked, violation: Violation, detail: str, paint: Paint) -> str:
    lines = [_headline(item, violation, paint, with_hint=detail == "concise")]
    if detail == "full":
        lines += _excerpt(item, violation, paint)
    if detail != "concise":
        lines += _particulars(violation, paint)
    return "".join(text + "\n" for text in lines)


def _headline(item: Checked, violation: Violation, paint: Paint, *, with_hint: bool) -> str:
    place = ":".join(str(part) for part in (plain(item.source), violation.line, violation.column) if part is not None)
    where = f"document {item.nth + 1}: " if item.nth else ""
    field = plain(violation.field) + ": " if violation.field else ""
    severity = paint(violation.severity, violation.severity)
    rule = paint("dim", f"[{violation.rule}]")
    hint = f"; {plain(violation.hint)}" if with_hint and violation.hint else ""
    return f"{paint('place', place)}: {severity}: {where}{field}{plain(violation.message)}{hint} {rule}"


def _particulars(violation: Violation, paint: Paint) -> Iterator[str]:
    rows = [("expected:", plain(violation.expected))]
    if violation.actual is not None:
        rows.append(("found:", value(violation.actual)))
    if violation.hint:
        rows.append(("hint:", plain(violation.hint)))
    return (f"  {paint('dim', f'{label:9}')} {text}" for label, text in rows)


def _excerpt(item: Checked, violation: Violation, paint: Paint) -> list[str]:
    source = item.text_of(violation.line) if violation.line is not None else None
    if source is None or violation.column is None:
        return []
    start = violation.column - 1
    end = violation.end_column - 1 if _on_one_line(violation) and violation.end_column else len(source.rstrip())
    cut = max(0, start - WIDEST_EXCERPT // 2)
    shown = safe_line(_without_secrets(source.rstrip("\r\n"), violation, start, end, cut))
    width = max(1, min(end, cut + len(shown)) - start)
    number = str(violation.line)
    margin = " " * len(number)
    caret = paint(violation.severity, "^" * width)
    return [f" {paint('dim', number + ' |')} {shown}", f" {paint('dim', margin + ' |')} {' ' * (start - cut)}{caret}"]


def _without_secrets(line: str, violation: Violation, start: int, end: int, cut: int) -> str:
    """Cut an excerpt from a line, and hide in it what the finding's own value does not show either."""
    if MASK in str(violation.actual):
        line = line[:start] + "*" * (min(end, len(line)) - start) + line[end:]
    around = max(0, cut - _AROUND)  # a secret that the cut would go through is still known by its whole
    return blot(line[around : cut + WIDEST_EXCERPT + _AROUND])[cut - around :][:WIDEST_EXCERPT]


def _on_one_line(violation: Violation) -> bool:
    return violation.end_line in (None, violation.line)
