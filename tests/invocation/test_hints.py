import json
import time
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillproto.errors import LONGEST_HINT_MS, RetryHint, SkillError
from skillproto.invocation.hints import read_date, read_retry_after
from skillproto.invocation.replies import Reply, read_reply

NOW = datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC).timestamp()
ARABIC_FIVE = "\u0665"
FULLWIDTH_FIVE = "\uff15"


@pytest.mark.parametrize(
    ("value", "expected_ms"),
    [
        ("2", 2000),
        (" 5 ", 5000),
        ("\t5", 5000),
        ("0", 0),
        ("007", 7000),
        ("31536000", LONGEST_HINT_MS),
        ("31536001", None),
        ("-1", None),
        ("+1", None),
        ("-0", None),
        ("1.5", None),
        ("1.0", None),
        ("1e3", None),
        ("1_0", None),
        ("0x5", None),
        ("nan", None),
        ("inf", None),
        ("9" * 10, None),
        ("9" * 400, None),
        ("9" * 5000, None),
        (ARABIC_FIVE, None),
        (FULLWIDTH_FIVE, None),
        ("²", None),
        ("5, 10", None),
        ("5,5", None),
        ("5;", None),
        ("5 s", None),
        ("5\n", None),
        ("\xa05", None),
        ("abc", None),
        ("", None),
        (" ", None),
        # The three forms of a date, 23 seconds on.
        ("Sun, 06 Nov 1994 08:50:00 GMT", 23_000),
        ("Sunday, 06-Nov-94 08:50:00 GMT", 23_000),
        ("Sun Nov  6 08:50:00 1994", 23_000),
        (" Sun, 06 Nov 1994 08:50:00 GMT ", 23_000),
        ("Sun, 06 Nov 1994 08:49:60 GMT", 23_000),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
        ("Sun, 06 Nov 1994 08:49:00 GMT", 0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Mon, 06 Nov 1995 08:49:37 GMT", LONGEST_HINT_MS),
        ("Mon, 06 Nov 1995 08:49:38 GMT", None),
        ("Fri, 31 Dec 9999 23:59:59 GMT", None),
        ("Sun, 06 Nov 99999 08:50:00 GMT", None),
        ("Sun, 06 Nov 0000 08:50:00 GMT", None),
        ("Sun, 06 Nov 1994 08:50:00 +0000", None),
        ("Sun, 06 Nov 1994 08:50:00 UTC", None),
        ("Sun, 06 Nov 1994 08:50:00", None),
        ("Sun, 6 Nov 1994 08:50:00 GMT", None),
        ("06 Nov 1994 08:50:00 GMT", None),
        ("Sun, 06 nov 1994 08:50:00 GMT", None),
        ("Sun, 31 Feb 1994 08:50:00 GMT", None),
        ("Sun, 06 Nov 1994 24:00:00 GMT", None),
        ("Sun, 06 Nov 1994 08:50:61 GMT", None),
        ("1994-11-06T08:50:00Z", None),
        ("Sun, 06 Nov 1994 08:50:00 GMT, 5", None),
    ],
)
def test_retry_after_is_digits_or_a_date_and_nothing_else(value: str, expected_ms: int | None) -> None:
    assert read_retry_after({"retry-after": value}, NOW) == expected_ms
    outcome = read_reply(503, {"Retry-After": value}, b"", now=NOW)
    assert isinstance(outcome, SkillError)
    assert outcome.retry == (None if expected_ms is None else RetryHint(expected_ms))
    reply = read_reply(202, {"Retry-After": value}, b'{"status": "running"}', now=NOW)
    assert isinstance(reply, Reply)
    assert reply.poll_after_ms == expected_ms


def test_no_header_is_no_hint() -> None:
    assert read_retry_after({}, NOW) is None


def test_two_headers_that_disagree_are_no_hint() -> None:
    outcome = read_reply(503, [("Retry-After", "5"), ("retry-after", "10")], b"")
    assert isinstance(outcome, SkillError)
    assert outcome.retry is None


@pytest.mark.parametrize(
    ("date", "expected_ms"),
    [
        pytest.param("Sat, 05 Nov 1994 08:50:00 GMT", 24 * 3600 * 1000, id="a_day_behind"),
        pytest.param("Mon, 07 Nov 1994 08:50:00 GMT", 0, id="a_day_ahead"),
        pytest.param("Sunday, 06-Nov-94 08:49:50 GMT", 10_000, id="in_another_form"),
        pytest.param("yesterday", 23_000, id="unreadable_so_the_own_clock"),
    ],
)
def test_a_date_is_read_against_the_clock_of_its_reply(date: str, expected_ms: int) -> None:
    headers = {"retry-after": "Sun, 06 Nov 1994 08:50:00 GMT", "date": date}
    assert read_retry_after(headers, NOW) == expected_ms


def test_without_a_time_given_the_clock_is_asked() -> None:
    soon = datetime.fromtimestamp(int(time.time()) + 100, UTC)
    delay_ms = read_retry_after({"retry-after": format_datetime(soon, usegmt=True)})
    assert delay_ms is not None
    assert 95_000 <= delay_ms <= 100_000


@pytest.mark.parametrize(
    ("year_now", "digits", "year"),
    [
        (1994, "94", 1994),
        (2026, "94", 1994),
        (2026, "26", 2026),
        (2026, "76", 2076),
        (2026, "77", 1977),
        (1999, "00", 2000),
    ],
)
def test_a_year_of_two_digits_is_at_most_fifty_years_ahead(year_now: int, digits: str, year: int) -> None:
    now = datetime(year_now, 6, 1, tzinfo=UTC).timestamp()
    read = read_date(f"Sunday, 06-Nov-{digits} 08:49:37 GMT", now)
    assert read == datetime(year, 11, 6, 8, 49, 37, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("body_ms", "header_s", "expected_ms"),
    [
        (5000, "2", 5000),
        (1000, "2", 2000),
        (None, "2", 2000),
        (5000, None, 5000),
        (5000, "soon", 5000),
        (-1, None, None),
    ],
)
def test_the_longer_of_both_hints_of_an_error_counts(
    body_ms: int | None, header_s: str | None, expected_ms: int | None
) -> None:
    hint = {"suggested_delay_ms": body_ms}
    body = json.dumps({"error": {"code": "EXECUTION_TIMEOUT", "message": "m", "retry": hint}})
    headers = {} if header_s is None else {"Retry-After": header_s}
    outcome = read_reply(504, headers, body)
    assert isinstance(outcome, SkillError)
    assert outcome.retry == (None if expected_ms is None else RetryHint(expected_ms))


@pytest.mark.parametrize("attempts", [0, 3])
def test_the_attempts_of_a_hint_stay_beside_the_header(attempts: int) -> None:
    body = json.dumps({"error": {"code": "EXECUTION_TIMEOUT", "message": "m", "retry": {"max_attempts": attempts}}})
    outcome = read_reply(504, {"Retry-After": "1"}, body)
    assert isinstance(outcome, SkillError)
    assert outcome.retry == RetryHint(1000, attempts)


@pytest.mark.parametrize("told", ["-1", "1.5", "1e300", '"5"', "true", "null", "[]", "31536000001"])
def test_a_hint_in_a_body_that_makes_no_sense_is_ignored(told: str) -> None:
    hint = f'{{"suggested_delay_ms": {told}, "max_attempts": {told}}}'
    body = '{"error": {"code": "X", "message": "m", "retry": ' + hint + "}}"
    outcome = read_reply(503, {}, body)
    assert isinstance(outcome, SkillError)
    assert outcome.retry is None


_MOMENTS = st.datetimes(datetime(1995, 1, 1), datetime(2040, 1, 1)).map(lambda moment: moment.replace(microsecond=0))


@given(_MOMENTS, st.integers(0, 300 * 24 * 3600))
def test_no_form_of_a_date_comes_back_early(moment: datetime, wait_s: int) -> None:
    start = moment.replace(tzinfo=UTC)
    end = datetime.fromtimestamp(start.timestamp() + wait_s, UTC)
    for form in ("%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"):
        headers = {"retry-after": end.strftime(form), "date": start.strftime("%a, %d %b %Y %H:%M:%S GMT")}
        assert read_retry_after(headers) == wait_s * 1000


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_header_at_all_makes_reading_raise(value: str, date: str) -> None:
    delay_ms = read_retry_after({"retry-after": value, "date": date}, NOW)
    assert delay_ms is None or 0 <= delay_ms <= LONGEST_HINT_MS
