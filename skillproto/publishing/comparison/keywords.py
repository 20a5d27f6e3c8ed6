"""What each keyword asks, compared with what is known of a value: the reasons why it may refuse one.

A keyword that is not here asks nothing. Pure.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from skillproto.publishing.comparison.containment import Check, Containment, Reason
from skillproto.publishing.comparison.facts import Facts
from skillproto.publishing.comparison.parts import Node
from skillproto.publishing.comparison.phrases import counted, plain_value, quoted, value_phrase
from skillproto.publishing.comparison.regexes import LONGEST, Answer
from skillproto.publishing.comparison.structure import STRUCTURE
from skillproto.validation.canonical import canonical
from skillproto.validation.formats import FORMATS

_MANY_KINDS = 3
_NAMES = {"number": "numbers", "string": "texts", "array": "arrays", "object": "objects", "null": "null",
          "boolean": "true and false"}  # fmt: skip


def _type(engine: Containment, facts: Facts, node: Node, names: Any) -> Iterator[Reason]:
    listed = {names} if isinstance(names, str) else set(names)
    refused = [kind for kind in facts.kinds if kind not in listed and not facts.empty_kind(kind)]
    if "number" in refused and "integer" in listed:
        refused.remove("number")
        if not facts.is_whole:
            yield engine.reason(node, "type", "numbers that are not whole", certain=facts.is_plain)
    if len(refused) >= _MANY_KINDS:
        what = f"values of another type than {' or '.join(sorted(listed))}"
        yield engine.reason(node, "type", what, certain=facts.is_plain)
        return
    for kind in refused:
        yield engine.reason(node, "type", _NAMES[kind], certain=facts.is_plain)


def _enum(engine: Containment, facts: Facts, node: Node, values: Any) -> Iterator[Reason]:
    if facts.listed is None:
        yield engine.reason(node, "enum", "values that are not listed", certain=facts.is_plain)
        return
    wanted = {canonical(value) for value in values}
    engine.budget.spend((len(values) + len(facts.listed)) // 16)
    for value in facts.listed:
        if canonical(value) not in wanted:
            yield engine.reason(node, "enum", value_phrase(value), certain=facts.is_plain)


def _const(engine: Containment, facts: Facts, node: Node, value: Any) -> Iterator[Reason]:
    for reason in _enum(engine, facts, node, [value]):
        yield engine.reason(node, "const", reason.what, certain=reason.is_certain)


def _low(is_open: bool) -> Check:
    def check(engine: Containment, facts: Facts, node: Node, bound: Any) -> Iterator[Reason]:
        low = facts.lowest
        is_implied = low is not None and (low.value > bound or (low.value == bound and (low.is_open or not is_open)))
        if "number" in facts.kinds and not is_implied:
            word = "not above" if is_open else "below"
            keyword = "exclusiveMinimum" if is_open else "minimum"
            yield engine.reason(node, keyword, f"numbers {word} {plain_value(bound)}", certain=facts.is_plain)

    return check


def _high(is_open: bool) -> Check:
    def check(engine: Containment, facts: Facts, node: Node, bound: Any) -> Iterator[Reason]:
        high = facts.highest
        is_implied = high is not None and (
            high.value < bound or (high.value == bound and (high.is_open or not is_open))
        )
        if "number" in facts.kinds and not is_implied:
            word = "not below" if is_open else "above"
            keyword = "exclusiveMaximum" if is_open else "maximum"
            yield engine.reason(node, keyword, f"numbers {word} {plain_value(bound)}", certain=facts.is_plain)

    return check


def _multiple(engine: Containment, facts: Facts, node: Node, divisor: Any) -> Iterator[Reason]:
    """Fractions are decimals here and binary numbers elsewhere, so that only equal ones surely are multiples."""
    if "number" not in facts.kinds or any(own == divisor for own in facts.each("multipleOf")):
        return
    is_whole = divisor == int(divisor)
    owns = [own for own in facts.each("multipleOf") if own == int(own)]
    if is_whole and (any(int(own) % int(divisor) == 0 for own in owns) or (facts.is_whole and divisor == 1)):
        return
    certain = facts.is_plain and is_whole and len(owns) == len(facts.each("multipleOf"))
    yield engine.reason(node, "multipleOf", f"numbers that are no multiple of {plain_value(divisor)}", certain=certain)


def _least(keyword: str, kind: str, phrase: Callable[[float], str]) -> Check:
    def check(engine: Containment, facts: Facts, node: Node, bound: Any) -> Iterator[Reason]:
        if kind in facts.kinds and facts.least(keyword) < bound and not facts.empty_kind(kind):
            certain = facts.is_plain
            if kind == "string" and facts.each("pattern"):
                answer = _of_length(engine, facts, rf"^[\s\S]{{{int(min(bound, LONGEST + 1))},}}$")
                if answer.is_contained and bound <= LONGEST:
                    return
                certain = answer.text is not None and engine.tells_apart(answer.text, facts, node, keyword)
            yield engine.reason(node, keyword, phrase(bound), certain=certain)

    return check


def _most(keyword: str, kind: str, phrase: Callable[[float], str]) -> Check:
    def check(engine: Containment, facts: Facts, node: Node, bound: Any) -> Iterator[Reason]:
        if kind in facts.kinds and facts.most(keyword) > bound and not facts.empty_kind(kind):
            certain = facts.is_plain
            if kind == "string" and facts.each("pattern") and bound <= LONGEST:
                answer = _of_length(engine, facts, rf"^[\s\S]{{0,{int(bound)}}}$")
                if answer.is_contained:
                    return
                certain = answer.text is not None and engine.tells_apart(answer.text, facts, node, keyword)
            yield engine.reason(node, keyword, phrase(bound), certain=certain)

    return check


def _of_length(engine: Containment, facts: Facts, length: str) -> Answer:
    """Ask whether the patterns that hold bound the length by themselves."""
    lengths = (facts.least("minLength"), facts.most("maxLength"))
    return engine.machines.compare(facts.each("pattern"), length, lengths, is_length=True)


def _pattern(engine: Containment, facts: Facts, node: Node, source: Any) -> Iterator[Reason]:
    owns = facts.each("pattern")
    if "string" not in facts.kinds or source in owns:
        return
    answer = engine.machines.compare(owns, source, (facts.least("minLength"), facts.most("maxLength")))
    if not answer.is_contained:
        certain = answer.text is not None and engine.tells_apart(answer.text, facts, node, "pattern")
        what = f"texts that do not match {quoted(source)}"
        yield engine.reason(node, "pattern", what, certain=certain, example=answer.text if certain else None)


def _format(engine: Containment, facts: Facts, node: Node, name: Any) -> Iterator[Reason]:
    if "string" in facts.kinds and name not in facts.each("format"):
        certain = facts.is_plain and name in FORMATS
        yield engine.reason(node, "format", f"texts that have not the format {quoted(name)}", certain=certain)


CHECKS: Mapping[str, Check] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "minimum": _low(is_open=False),
    "exclusiveMinimum": _low(is_open=True),
    "maximum": _high(is_open=False),
    "exclusiveMaximum": _high(is_open=True),
    "multipleOf": _multiple,
    "minLength": _least("minLength", "string", lambda n: f"texts of fewer than {counted(n, 'character')}"),
    "maxLength": _most("maxLength", "string", lambda n: f"texts of more than {counted(n, 'character')}"),
    "minItems": _least("minItems", "array", lambda n: f"arrays of fewer than {counted(n, 'item')}"),
    "maxItems": _most("maxItems", "array", lambda n: f"arrays of more than {counted(n, 'item')}"),
    "minProperties": _least("minProperties", "object", lambda n: f"objects of fewer than {counted(n, 'member')}"),
    "maxProperties": _most("maxProperties", "object", lambda n: f"objects of more than {counted(n, 'member')}"),
    "pattern": _pattern,
    "format": _format,
    **STRUCTURE,
}
"""Every keyword that asks something of a value, but those that only speak for another."""
