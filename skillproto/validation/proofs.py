"""Short proofs that a text fits: each says True only where the reference has nothing to say.

The generated checker asks these first; what they do not prove, it asks the same functions
that the reference asks. Nothing heavy is imported before that.
"""

import re

from skillproto.versions import is_version

__all__ = [
    "LONGEST_WEB",
    "has_format",
    "is_date_time",
    "is_execution_address",
    "is_version",
    "is_web_address",
    "looks_dated",
    "looks_web",
]

LONGEST_WEB = 253
"""Characters up to which `looks_web` may be asked: no host in them is too long."""

looks_web = re.compile(
    r"https?://(?:[a-z0-9]{1,31}+(?:-[a-z0-9]{1,15}+){0,2}+\.)++[a-z]{2,63}"
    r"(?:/[A-Za-z0-9._~!$&'()*+,;=:@/-]*+)?+(?:\?[A-Za-z0-9._~!$&'()*+,;=:@/?-]*)?\Z"
).match
"""Matches the usual web addresses, and no other text that is short enough."""

looks_dated = re.compile(
    r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
    r"(?:\.[0-9]+)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])\Z"
).match
"""Matches most dates with a time, and nothing else."""


def is_web_address(text: str) -> bool:
    """Say whether a text is surely an absolute http or https address.

    >>> is_web_address("https://api.example.com/run"), is_web_address("https://host:99999/")
    (True, False)
    """
    return text[:8].lower().startswith(("http://", "https://")) and has_format("uri", text)


def is_execution_address(text: str) -> bool:
    """Say whether a text is surely a web address, perhaps with {execution_id} in it.

    >>> is_execution_address("https://api.example.com/runs/{execution_id}/status")
    True
    """
    is_behind_host = -1 < text.find("/", len("https://")) < text.find("{") or "{" not in text
    if is_behind_host and len(text) <= LONGEST_WEB and looks_web(text.replace("{execution_id}", "x")):
        return True
    return text[:8].lower().startswith(("http://", "https://")) and has_format("uri-template", text)


def is_date_time(text: str) -> bool:
    """Say whether a text is surely a date and time of RFC 3339.

    >>> is_date_time("2026-01-31T08:00:00Z"), is_date_time("2026-01-32T08:00:00Z")
    (True, False)
    """
    return has_format("date-time", text)


def has_format(name: str, text: str) -> bool:
    """Ask the format itself.

    >>> has_format("date-time", "2024-02-29T08:00:00Z")
    True
    """
    from skillproto.validation.formats import refusal

    return refusal(name, text) is None
