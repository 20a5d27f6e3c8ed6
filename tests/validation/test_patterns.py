"""Patterns: the meaning of ECMA-262, in bounded time."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillproto.validation import check_embedded
from skillproto.validation.budget import Budget, BudgetSpent
from skillproto.validation.patterns import PatternError, UnsafePattern, compile_pattern, parse, to_python
from skillproto.validation.regex_machine import Machine, TooLarge, build


@pytest.mark.parametrize(
    ("pattern", "text", "is_match"),
    [
        ("^abc$", "abc", True),
        ("^abc$", "abc\n", False),
        ("b", "abc", True),
        ("^\\d$", "\u0661", False),
        ("^\\D$", "\u0661", True),
        ("^\\w$", "é", False),
        ("\\bcaf\\b", "café", True),
        ("^\\s$", "\ufeff", True),
        ("^\\s$", "\x1c", False),
        ("^.$", "\u2028", False),
        ("^.$", "\x85", True),
        ("^.$", "\U0001f432", True),
        ("^[^]$", "\n", True),
        ("[]", "x", False),
        ("^\\u0041\\x42\\cJ\\0$", "AB\n\0", True),
        ("^\\ud83d\\udc32$", "\U0001f432", True),
        ("^\\u{1F432}$", "\U0001f432", True),
        ("^\\p{Letter}+$", "é", True),
        ("^\\P{L}$", "é", False),
        ("^a{,2}$", "a{,2}", True),
        ("^a{2}$", "aa", True),
        ("^[a-]$", "-", True),
        ("^[\\w-]+$", "a-b", True),
        ("^[\\b]$", "\b", True),
        ("^(?<n>a)$", "a", True),
        ("^(?=.*[A-Z])(?!.*x).{3,}$", "aBc", True),
        ("^(?=.*[A-Z])(?!.*x).{3,}$", "aBx", False),
        ("^(?=.*[A-Z])(?!.*x).{3,}$", "abc", False),
        ("", "", True),
        ("^$", "\n", False),
        ("a|", "b", True),
        ("^(?:a|b)*?c$", "abac", True),
        ("(^a)+", "aa", True),
        ("x$|^y", "yz", True),
        ("\\Bb", "ab", True),
    ],
)
def test_a_pattern_means_what_ecma_says(pattern: str, text: str, is_match: bool) -> None:
    assert compile_pattern(pattern).search(text) == is_match


@pytest.mark.parametrize(
    "pattern",
    [
        "(", ")", "a)", "[", "a**", "*", "+a", "{2}", "a{2}{3}", "a{3,2}", "[b-a]", "\\", "(?i)a", "(?P<n>a)", "(?P=n)",
        "\\A", "\\Z", "\\a", "\\k<n>", "\\2(a)", "(?<n>a)(?<n>b)", "(?<1>a)", "\\u{110000}", "\\x1", "\\p{Nope}",
        "\\p", "^*", "a*+", "(" * 500, "(" * 500 + ")" * 500,
    ],
)  # fmt: skip
def test_what_is_no_expression_of_ecma_is_refused_with_a_reason(pattern: str) -> None:
    with pytest.raises(PatternError) as raised:
        compile_pattern(pattern)
    assert raised.value.reason
    assert 0 <= raised.value.position <= len(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "a{99999999}",
        "(a)\\1",
        "(?<n>a)\\k<n>",
        "(?<=a)b",
        "(?<!a)b",
        "a(?=b)c",
        "(a(?!b))*",
        "a{1,100000}",
        "(a{1,999}){1,999}",
    ],
)
def test_what_cannot_be_bounded_is_told(pattern: str) -> None:
    parse(pattern)
    with pytest.raises(UnsafePattern):
        compile_pattern(pattern)


@pytest.mark.parametrize(
    "pattern",
    ["^(a+)+$", "(a*)*", "^(\\w+\\s?)*$", "(a|a)*", "(a|aa)+$", "([a-z]+)*@", "(.*)*x", "^(([a-z])+.)+[A-Z]([a-z])+$"],
)
def test_what_makes_other_engines_hang_is_dangerous_and_ends_here(pattern: str) -> None:
    compiled = compile_pattern(pattern)
    assert compiled.danger
    assert not compiled.on_re
    start = time.process_time()
    for text in ("a" * 30, "a" * 30 + "!", "a" * 20_000 + "!"):
        compiled.search(text)
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    "pattern",
    [
        "^[a-z]+$", "^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$", "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)$", "(ab)*",
        "^(a|b)+$", "^[\\w.+-]+@[\\w-]+\\.[\\w.-]+$", "^.{0,10000}$", "^(\\d{1,3}\\.){3}\\d{1,3}$", "(a|ab)(c|bcd)(d*)",
        "^\\s*$",
        "^(a|ab)*$", "^([a-z]+-)*[a-z]+$",
    ],
)  # fmt: skip
def test_an_everyday_pattern_is_no_danger(pattern: str) -> None:
    assert compile_pattern(pattern).danger is None


@pytest.mark.parametrize("pattern", ["^.*.*.*.*.*x$", "a.*b.*c.*d", "^(a?){30}a{30}$", "(.*a){12}", "[a-z]+-"])
def test_the_time_grows_with_the_text_alone(pattern: str) -> None:
    compiled = compile_pattern(pattern)
    start = time.process_time()
    compiled.search("a" * 100_000)
    assert time.process_time() - start < 2


def test_a_budget_that_ends_is_no_answer() -> None:
    with pytest.raises(BudgetSpent):
        compile_pattern("(.*a){12}z").search("ab" * 10_000, Budget(50))


ATOMS = st.sampled_from(["a", "b", "[ab]", "[^a]", ".", "\\d", "\\w", "(?:ab|b)", "a", "\\b", "^", "$"])
PIECES = st.builds(str.__add__, ATOMS, st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,3}", "{0,2}"]))
MARKS = st.sampled_from(["", "*", "?"])
EXPRESSIONS = st.recursive(
    st.lists(PIECES, min_size=1, max_size=4).map("".join),
    lambda inner: st.builds("({}){}".format, st.lists(inner, min_size=1, max_size=2).map("|".join), MARKS),
    max_leaves=4,
)


@settings(max_examples=600, deadline=None)
@given(EXPRESSIONS, st.lists(st.text("ab1\n", max_size=7), min_size=1, max_size=5))
def test_the_machine_and_the_matcher_of_python_agree(pattern: str, texts: list[str]) -> None:
    try:
        node = parse(pattern)
        machine = Machine(build(node))
    except (PatternError, TooLarge):
        return
    search = re.compile(to_python(node), re.ASCII).search
    for text in texts:
        expected = search(text) is not None
        assert machine.search(text, Budget()) == expected
        assert compile_pattern(pattern).search(text) == expected


@given(st.text(alphabet="ab^$.*+?()[]{}|\\-,:=!<>0129duwkpPx", max_size=25))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        compiled = compile_pattern(text)
    except (PatternError, UnsafePattern):
        return
    assert compiled.search("ab" * 20) in (True, False)


def test_a_pattern_of_many_parts_is_analysed_at_once() -> None:
    start = time.process_time()
    for pattern in (
        "(a|b?)" * 400,
        "(" * 55 + "a" + ")*" * 55,
        "(a*b*c*d*e*)*" * 50,
        "[a-z]*" * 900,
        "(a|b|c|d)*" * 300,
    ):
        try:
            compile_pattern(pattern)
        except (PatternError, UnsafePattern):
            continue
    assert time.process_time() - start < 5


def test_a_schema_with_very_many_patterns_is_looked_through_at_once() -> None:
    start = time.process_time()
    for source in ("\\p{L}" * 30, "[\\p{L}1]" * 40, "[a-z]*" * 95, "(a|b?)" * 30):
        found = check_embedded({"patternProperties": {source + str(i): {} for i in range(1500)}}, at="")
        assert "descriptor/schema-too-complex" in {violation.rule for violation in found}
    assert time.process_time() - start < 8


def test_letters_of_all_languages_are_matched_at_once() -> None:
    start = time.process_time()
    assert compile_pattern("^[\\p{L}\\p{N} ]+$").search("Grüße 東京 ٣" * 1000)
    assert not compile_pattern("^[\\p{L}\\p{N} ]+$").search("Grüße!")
    assert time.process_time() - start < 3
