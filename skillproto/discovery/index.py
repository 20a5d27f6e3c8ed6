"""Fetch the index of a domain, with and without credentials, and judge it.

Source: SSP, discovery; RFC 8615 for the well-known address.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from skillproto import documents, rules
from skillproto.discovery import findings
from skillproto.discovery.failures import FetchError
from skillproto.discovery.fetching import Fetcher
from skillproto.discovery.replies import Fetched
from skillproto.errors import UsageError
from skillproto.invocation.origins import same_origin
from skillproto.violations import JSONValue, Violation

WELL_KNOWN = "/.well-known/skill-sharing"

Credentials = Mapping[str, str] | str
"""A bearer token, or headers by name."""

_DOMAIN = re.compile(r"(?=.{1,260}\Z)[A-Za-z0-9_.-]+(?::[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](?::[0-9]{1,5})?")


def _no_text(line: int) -> str | None:
    return None


class Entry(NamedTuple):
    """One skill of an index.

    Attributes:
        field: JSON Pointer to it in its index.
        members: as the index says them.
        url: of its descriptor.
        needs_credentials: whether it is listed for those alone who show credentials.
    """

    field: str
    members: dict[str, JSONValue]
    url: str
    needs_credentials: bool = False

    def member(self, name: str) -> str | None:
        """Give a member that is a text; None for any other."""
        value = self.members.get(name)
        return value if isinstance(value, str) else None


class Listing(NamedTuple):
    """An index as it was answered.

    Attributes:
        url: that was asked for.
        with_credentials: whether credentials were shown.
        findings: what is wrong with it.
        failure: why it could not be had; then nothing is known about it. None when it was answered.
        value: the index as JSON; None where there is none.
        final_url: where it came from, behind all redirects.
        text_of: gives a line of its text.
    """

    url: str
    with_credentials: bool
    findings: tuple[Violation, ...] = ()
    failure: FetchError | None = None
    value: JSONValue = None
    final_url: str = ""
    text_of: Callable[[int], str | None] = _no_text

    @property
    def skills(self) -> list[dict[str, JSONValue]]:
        """What it lists; what is no object stands there as an empty one."""
        skills = self.value.get("skills") if isinstance(self.value, dict) else None
        return [each if isinstance(each, dict) else {} for each in (skills if isinstance(skills, list) else [])]

    @property
    def entries(self) -> list[Entry]:
        """What it lists, as far as it can be read; an entry without an address is left out."""
        return [
            Entry(f"/skills/{i}", skill, skill["descriptor_url"], self.with_credentials)
            for i, skill in enumerate(self.skills)
            if isinstance(skill.get("descriptor_url"), str)
        ]


def index_url(domain_or_url: str) -> str:
    """Give the address of an index.

    Args:
        domain_or_url: a domain, or an address: one without a path is completed, any other taken as it is.

    Raises:
        UsageError: the text is neither.

    >>> index_url("example.com"), index_url("http://127.0.0.1:8000/")
    ('https://example.com/.well-known/skill-sharing', 'http://127.0.0.1:8000/.well-known/skill-sharing')
    >>> index_url("https://example.com/skills.json")
    'https://example.com/skills.json'
    """
    if "://" in domain_or_url:
        try:
            is_bare = urlsplit(domain_or_url).path in ("", "/")
        except ValueError:
            is_bare = False
        return domain_or_url.rstrip("/") + WELL_KNOWN if is_bare else domain_or_url
    if not _DOMAIN.fullmatch(domain_or_url):
        raise UsageError(
            "give a domain in ASCII, such as example.com or xn--..., or an address that begins with https://"
        )
    return f"https://{domain_or_url}{WELL_KNOWN}"


def fetch_index(domain_or_url: str, *, fetcher: Fetcher, credentials: Credentials | None = None) -> Listing:
    """Fetch an index and check it.

    Args:
        domain_or_url: as for `index_url`.
        fetcher: what fetches.
        credentials: to show, or None to ask as everybody may.

    Returns:
        The listing; an index that is missing is a finding, a host that does not answer a failure.

    Raises:
        UsageError: an address that can never work, or credentials that cannot be sent there.
    """
    url = index_url(domain_or_url)
    shows = credentials is not None
    try:
        fetched = fetcher.get(url, credentials=credentials)
    except FetchError as error:
        if error.was_refused:
            return Listing(url, shows, (error.violation(""),))
        return Listing(url, shows, failure=error)
    return read_listing(url, fetched, with_credentials=shows)


def read_listing(url: str, fetched: Fetched, *, with_credentials: bool = False) -> Listing:
    """Judge what was answered when an index was asked for."""
    about: dict[str, Any] = {"final_url": fetched.final_url}
    verdict = findings.judge_status(fetched, "index", showed_credentials=with_credentials)
    finding = verdict.finding or findings.judge_page(fetched, "index")
    if finding is not None or verdict.failure is not None:
        return Listing(url, with_credentials, (finding,) if finding else (), verdict.failure, **about)
    document = next(documents.read(fetched.body, source=url, kind="json"))
    found = [each for each in (_moved(url, fetched), findings.judge_type(fetched, "index")) if each is not None]
    if document.readable and not with_credentials and isinstance(document.value, dict):
        found += findings.judge_listed(document.value.get("skills"))
    whole = documents.locate(document, [*found, *rules.check_document(document, "index")])
    value = document.value if document.readable else None
    return Listing(url, with_credentials, tuple(whole), value=value, text_of=document.text_of, **about)


def _moved(url: str, fetched: Fetched) -> Violation | None:
    """Find an index that another origin answers: clients ask that one without credentials."""
    if same_origin(url, fetched.final_url):
        return None
    message = "The index is answered by another host, which is asked without credentials and proves no namespace"
    return Violation(
        "", "an answer without a redirect to elsewhere", fetched.final_url, message, "probe/redirect", "warning"
    )
