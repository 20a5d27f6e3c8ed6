"""The formats that a schema may name, each checked here and always.

Own functions, so that a verdict does not depend on what else is installed. Each takes a
text and gives None when it fits, or a `Refusal` with the reason in a sentence. Pure.
"""

import re
from collections.abc import Callable, Mapping

from skillproto.validation.addresses import (
    Refusal,
    email,
    hostname,
    ipv4,
    ipv6,
    uri,
    uri_reference,
    uri_template,
)

__all__ = ["FORMATS", "FORMAT_NAMES", "Refusal", "refusal"]

_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_TIME = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))")
_NO_OFFSET = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,20})?)?")
_DURATION = re.compile(
    r"P(?:[0-9]+W|(?=[0-9T])(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)?"
    r"(?:T(?=[0-9])(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S))?)"
)
_UUID = re.compile(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")
_JSON_POINTER = re.compile(r"(?:/(?:[^~/]|~[01])*)*")
_RELATIVE_JSON_POINTER = re.compile(r"(?:0|[1-9][0-9]*)(?:#|(?:/(?:[^~/]|~[01])*)*)")
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MONTHS = "January February March April May June July August September October November December".split()  # noqa: SIM905 - shorter so


def date(text: str) -> Refusal | None:
    """Check a calendar date.

    Source: RFC 3339, full-date.

    >>> date("2026-02-29").reason
    'February 2026 has no day 29'
    """
    match = _DATE.fullmatch(text)
    if match is None:
        return Refusal("Not a date", "Write year, month and day, such as 2026-01-31")
    year, month, day = map(int, match.groups())
    if not 1 <= month <= len(_DAYS):
        return Refusal(f"There is no month {month}", "Write year, month and day, such as 2026-01-31")
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= day <= _DAYS[month - 1] or (
        month == _MONTHS.index("February") + 1 and day == max(_DAYS) - 2 and not leap
    ):
        return Refusal(f"{_MONTHS[month - 1]} {year:04} has no day {day}")
    return None


def time(text: str) -> Refusal | None:
    """Check a time of day with its offset; second 60 only where UTC has its leap seconds.

    Source: RFC 3339, full-time and appendix D.

    >>> time("23:59:60Z"), time("12:59:60Z").reason
    (None, 'A leap second only ends a day in UTC')
    """
    match = _TIME.fullmatch(text)
    if match is None:
        return Refusal("Not a time with an offset", "Write it such as 08:00:00Z or 08:00:00+02:00")
    hour, minute, second, offset_hour, offset_minute = (int(match[i] or 0) for i in (1, 2, 3, 5, 6))
    for name, value, last in (("hour", hour, 23), ("minute", minute, 59), ("second", second, 60)):
        if value > last:
            return Refusal(f"There is no {name} {value}")
    if offset_hour > 23 or offset_minute > 59:
        return Refusal(f"There is no offset {text[-6:]}")
    offset = (offset_hour * 60 + offset_minute) * (-1 if match[4] == "-" else 1)
    if second == 60 and (hour * 60 + minute - offset) % 1440 != 1439:
        return Refusal("A leap second only ends a day in UTC")
    return None


def date_time(text: str) -> Refusal | None:
    """Check a date and time with an offset, on a day that the calendar has.

    Source: RFC 3339 section 5.6.

    >>> date_time("2026-01-31T08:00:00Z"), date_time("2026-01-31T08:00:00").reason
    (None, 'The time has no offset')
    """
    day, separator, clock = text[:10], text[10:11], text[11:]
    if _DATE.fullmatch(day) is None:
        return Refusal("Not a date and time", "Write it such as 2026-01-31T08:00:00Z")
    if (refused := date(day)) is not None:
        return refused
    if not separator:
        return Refusal("The time is missing", f"Add it: {day}T00:00:00Z")
    if _NO_OFFSET.fullmatch(text):
        return Refusal("The time has no offset", "End it in Z for UTC, or in an offset such as +02:00")
    if separator not in "Tt":
        return Refusal("Date and time are not joined by T", "Write it such as 2026-01-31T08:00:00Z")
    return time(clock)


def regex(text: str) -> Refusal | None:
    """Check a regular expression of ECMA-262.

    >>> regex("(?<n>a)"), regex("^(abc]").reason
    (None, 'a group is not closed')
    """
    from skillproto.validation.patterns import PatternError, parse

    try:
        parse(text)
    except PatternError as error:
        return Refusal(error.reason, f"Look at character {error.position + 1}")
    return None


def _form(pattern: re.Pattern[str], reason: str, hint: str) -> Callable[[str], Refusal | None]:
    def check(text: str) -> Refusal | None:
        return None if pattern.fullmatch(text) else Refusal(reason, hint)

    return check


FORMATS: Mapping[str, Callable[[str], Refusal | None]] = {
    "uri": uri,
    "uri-reference": uri_reference,
    "uri-template": uri_template,
    "date-time": date_time,
    "date": date,
    "time": time,
    "duration": _form(_DURATION, "Not a duration", "Write it such as P1DT2H or PT30S"),
    "email": email,
    "hostname": hostname,
    "ipv4": ipv4,
    "ipv6": ipv6,
    "uuid": _form(_UUID, "Not a UUID", "Write it such as 123e4567-e89b-12d3-a456-426614174000"),
    "json-pointer": _form(_JSON_POINTER, "Not a JSON Pointer", "Start it with /, and write ~ as ~0 and / as ~1"),
    "relative-json-pointer": _form(_RELATIVE_JSON_POINTER, "Not a relative JSON Pointer", "Write it such as 1/name"),
    "regex": regex,
}
"""Every format that is checked. A schema that names another one is not checked for it."""

FORMAT_NAMES: Mapping[str, str] = (
    {"uri": "URI", "uri-reference": "URI reference", "uri-template": "URI template"}
    | {name: name for name in ("date-time", "date", "time", "duration", "email", "hostname")}
    | {"ipv4": "IPv4", "ipv6": "IPv6", "uuid": "UUID", "json-pointer": "JSON Pointer", "regex": "regular expression"}
)
"""How a finding names a format."""


def refusal(name: str, text: object) -> Refusal | None:
    """Say why a value does not have a format; None when it does.

    What is no text, and a format that is not known here, is not refused.

    >>> refusal("date", "2026-13-01").reason, refusal("date", 5), refusal("colour", "red")
    ('There is no month 13', None, None)
    """
    check = FORMATS.get(name)
    return check(text) if check is not None and isinstance(text, str) else None
