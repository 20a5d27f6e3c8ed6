"""Formats: what each takes, and the reason that it gives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillproto.validation.formats import FORMAT_NAMES, FORMATS, refusal


@pytest.mark.parametrize(
    "text",
    [
        "http://a", "https://example.com", "HTTPS://EXAMPLE.COM:443/a?b=c#d", "https://127.0.0.1/", "https://[::1]:8080/",
        "https://u:p@example.com/", "https://a_b.example.com/", "https://example.com./", "https://2130706433/",
        "https://xn--exmple-cua.com/", "urn:isbn:0451450523", "mailto:a@b.c", "https://example.com/%E2%82%AC",
    ],
)  # fmt: skip
def test_an_absolute_address_is_taken(text: str) -> None:
    assert refusal("uri", text) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "The address is empty"),
        ("example.com", "The address has no scheme"),
        ("//host/x", "The address has no scheme"),
        ("https:example.com", "The address has no host"),
        ("https:///path", "The address has no host"),
        ("https://:80/", "The address has no host"),
        ("https://u@/", "The address has no host"),
        ("https://host:0/", "Port 0 is not between 1 and 65535"),
        ("https://host:65536/", "Port 65536 is not between 1 and 65535"),
        ("https://host:8o/", "The port is no number"),
        ("https://host:\u0664/", "The port is no number"),
        ("https://a..b/", "The host name has an empty part"),
        ("https://-a.com/", "'-a' is no part of a host name"),
        (f"https://{'a' * 64}.com/", "A part of the host name is longer than 63 characters"),
        (f"https://{'a.' * 127}com/", "The host name is longer than 253 characters"),
        ("https://1.2.3.400/", "Not an IPv4 address"),
        ("https://[::g]/", "Not an IPv6 address"),
        ("https://[::1]x/", "Something stands between the IPv6 address and the path"),
        ("https://a[b]/", "Brackets stand only around an IPv6 address"),
        ("https://a%41.com/", "'a%41' is no part of a host name"),
        ("https://example.com/a b", "The address holds a space"),
        ("https://example.com/\u00e9", "The address holds '\u00e9'"),
        ("https://example.com/\n", "The address holds a character that cannot be seen"),
        ("https://example.com/\u202e", "The address holds a character that cannot be seen"),
        ("https://example.com/%zz", "A % is not followed by two hex digits"),
        ("https://example.com/#a#b", "The address has two #"),
        ("https://example.com/a|b", "The address holds '|'"),
        ("https://example.com\\@evil.com/", "The address holds '\\\\'"),
    ],
)
def test_an_address_is_refused_with_its_reason(text: str, reason: str) -> None:
    refused = refusal("uri", text)
    assert refused is not None
    assert refused.reason == reason


def test_a_host_outside_ascii_is_shown_in_its_ascii_form() -> None:
    refused = refusal("uri", "https://ex\u00e4mple.com/")
    assert refused is not None
    assert refused.hint == "Write it in its ASCII form: xn--exmple-cua.com"


@pytest.mark.parametrize(
    ("text", "is_taken"),
    [
        ("https://e.com/runs/{execution_id}", True),
        ("https://e.com/runs", True),
        ("https://e.com/{?a,b*}{#c:3}", True),
        ("https://e.com/{", False),
        ("https://e.com/{}", False),
        ("https://e.com/}x{", False),
        ("https://{execution_id}.e.com/", False),
        ("https://e.com:{port}/", False),
        ("https://e.com/a b/{x}", False),
    ],
)
def test_a_template_is_checked_around_and_inside_its_braces(text: str, is_taken: bool) -> None:
    assert (refusal("uri-template", text) is None) == is_taken


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2026-02-29T00:00:00Z", "February 2026 has no day 29"),
        ("1900-02-29T00:00:00Z", "February 1900 has no day 29"),
        ("2026-04-31T00:00:00Z", "April 2026 has no day 31"),
        ("2026-13-01T00:00:00Z", "There is no month 13"),
        ("2026-01-00T00:00:00Z", "January 2026 has no day 0"),
        ("2026-01-31T24:00:00Z", "There is no hour 24"),
        ("2026-01-31T08:60:00Z", "There is no minute 60"),
        ("2026-01-31T08:00:61Z", "There is no second 61"),
        ("2026-01-31T12:00:60Z", "A leap second only ends a day in UTC"),
        ("2026-01-31T08:00:00", "The time has no offset"),
        ("2026-01-31T08:00", "The time has no offset"),
        ("2026-01-31", "The time is missing"),
        ("2026-01-31 08:00:00Z", "Date and time are not joined by T"),
        ("2026-01-31T08:00:00+24:00", "There is no offset +24:00"),
        ("2026-01-31T08:00:00+0200", "Not a time with an offset"),
        ("2026-01-31T08:00:00Z\n", "Not a time with an offset"),
        ("\u0662026-01-31T08:00:00Z", "Not a date and time"),
        ("yesterday", "Not a date and time"),
    ],
)
def test_a_date_and_time_is_refused_with_its_reason(text: str, reason: str) -> None:
    refused = refusal("date-time", text)
    assert refused is not None
    assert refused.reason == reason


@pytest.mark.parametrize(
    "text",
    ["2016-12-31T23:59:60Z", "2016-12-31T15:59:60.5-08:00", "2024-02-29t00:00:00z", "2000-02-29T00:00:00-00:00"],
)
def test_a_leap_second_and_a_leap_day_are_taken(text: str) -> None:
    assert refusal("date-time", text) is None


@pytest.mark.parametrize("text", ["a@", "@b", "a", "a@b@c", "a b@c.d", "a@-b", "a@[1.2.3]", ".a@b.c"])
def test_what_is_no_mail_address_is_refused(text: str) -> None:
    assert refusal("email", text) is not None


def test_the_regular_expressions_of_ecma_are_taken_and_those_of_python_are_not() -> None:
    assert refusal("regex", "(?<n>a)\\k<n>") is None
    assert refusal("regex", "(?P<n>a)") is not None
    assert refusal("regex", "\\Aa\\Z") is not None


def test_every_format_has_a_name_for_findings() -> None:
    assert set(FORMATS) - set(FORMAT_NAMES) <= {"relative-json-pointer"}


@pytest.mark.parametrize("name", FORMATS)
def test_any_text_is_answered_with_short_words(name: str) -> None:
    @given(st.text(max_size=40) | st.from_regex(r"(https?|urn)?:?/?/?[a-z\[\]:@%.{}0-9 \x00é-]{0,30}"))
    def holds(text: str) -> None:
        refused = refusal(name, text)
        assert refused is None or len(refused.reason) < 200

    holds()


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("part", ["a", "1", "[", ":", "-", ".", "~0", "/", "%41", "{x}", "é", "(", "a@", '"'])
def test_a_long_text_is_answered_at_once(name: str, part: str) -> None:
    import time

    start = time.process_time()
    for text in (part * 100_000, "https://" + part * 100_000, "https://e.com/" + part * 100_000):
        refusal(name, text)
    assert time.process_time() - start < 2
