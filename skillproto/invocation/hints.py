"""Read when a reply wants to be asked again.

Pure but for one look at the clock where a date has nothing else to be read against. A hint
that is not exactly in one of the allowed forms is treated as absent: never obeyed in part.

Source: RFC 9110 sections 5.6.7 (dates) and 10.2.3 (Retry-After); SSP 9.3.
"""

import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from skillproto.errors import LONGEST_HINT_MS, RetryHint
from skillproto.violations import JSONValue

_DELAY_S = re.compile(r"[0-9]{1,15}")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})"
_DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_LONG_DAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_TIME = r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})"
_DATE_FORMS = (
    re.compile(rf"{_DAY}, (?P<day>[0-9]{{2}}) {_MONTH} (?P<year>[0-9]{{4}}) {_TIME} GMT"),
    re.compile(rf"{_LONG_DAY}, (?P<day>[0-9]{{2}})-{_MONTH}-(?P<year>[0-9]{{2}}) {_TIME} GMT"),
    re.compile(rf"{_DAY} {_MONTH} (?P<day>[ 0-9][0-9]) {_TIME} (?P<year>[0-9]{{4}})"),
)


def read_retry_after(headers: Mapping[str, str], now: float | None = None) -> int | None:
    """Give the wait that `Retry-After` asks for.

    Args:
        headers: with names in lower case.
        now: seconds since 1970, for a date in a reply without a readable `Date`; None
            looks at the clock.

    Returns:
        Milliseconds; 0 for a date that has passed; None when there is no usable header.

    >>> read_retry_after({"retry-after": "2"}), read_retry_after({"retry-after": "1.5"})
    (2000, None)
    >>> day = "Sun, 06 Nov 1994 08:49:"
    >>> read_retry_after({"retry-after": day + "39 GMT", "date": day + "37 GMT"})
    2000
    """
    value = headers.get("retry-after", "").strip(" \t")
    if _DELAY_S.fullmatch(value):
        delay_ms = int(value) * 1000
        return delay_ms if delay_ms <= LONGEST_HINT_MS else None
    if not value:
        return None
    reference = read_date(headers.get("date", "").strip(" \t"), now)
    if reference is None:
        reference = time.time() if now is None else now
    date = read_date(value, reference)
    if date is None:
        return None
    delay_ms = max(0, round((date - reference) * 1000))
    return delay_ms if delay_ms <= LONGEST_HINT_MS else None


def read_date(text: str, now: float | None = None) -> float | None:
    """Read a date in one of HTTP's three forms; None for anything else.

    Args:
        text: exactly the date.
        now: seconds since 1970; settles the century of a two-digit year.

    Returns:
        Seconds since 1970.

    >>> forms = "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"
    >>> [read_date(form) for form in forms]
    [784111777.0, 784111777.0, 784111777.0]
    """
    match = next(filter(None, (form.fullmatch(text) for form in _DATE_FORMS)), None)
    if match is None:
        return None
    second = int(match["second"])
    try:
        moment = datetime(
            _year(match["year"], now),
            _MONTHS.index(match["month"]) + 1,
            int(match["day"]),
            int(match["hour"]),
            int(match["minute"]),
            min(second, 59),
            tzinfo=UTC,
        )
        return (moment + timedelta(seconds=1 if second == 60 else 0)).timestamp() if second <= 60 else None
    except (ValueError, OverflowError):
        return None


def _year(digits: str, now: float | None) -> int:
    """Of the years that two digits can mean, the one within fifty of this one (RFC 9110 5.6.7)."""
    if len(digits) == 4:
        return int(digits)
    this_year = datetime.fromtimestamp(time.time() if now is None else now, UTC).year
    ahead = (int(digits) - this_year) % 100
    return this_year + (ahead if ahead <= 50 else ahead - 100)


def whole_ms(value: JSONValue) -> int | None:
    """Give a number of milliseconds from a body, or None where it makes no sense.

    >>> whole_ms(250), whole_ms(-1), whole_ms("250")
    (250, None, None)
    """
    hint = RetryHint.read({"suggested_delay_ms": value})
    return hint.suggested_delay_ms if hint else None


def later(*delays_ms: int | None) -> int | None:
    """Give the longest of some waits; None when no one says anything.

    >>> later(None, 250, 1000), later(None)
    (1000, None)
    """
    return max((delay for delay in delays_ms if delay is not None), default=None)
