"""Prove that an id belongs to who publishes it: its reverse domain says so.

An id such as `com.example.translate` speaks for example.com. Two things prove it:

- the index at https://example.com/.well-known/skill-sharing, answered by that very host, names the id;
- a TXT record of _skillproto.example.com says `id=com.example.translate`, or `namespace=com.example`
  for everything below.

A longer id may be proven by a longer domain as well: `com.example.team.x` by team.example.com or by
example.com, since who holds a domain decides on what is below it. No list of public suffixes is
consulted: the host itself must answer, so that a customer of example.net at ann.example.net
proves `net.example.ann.*` and nothing else.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from skillproto.discovery.failures import FetchError
from skillproto.discovery.fetching import Fetcher
from skillproto.discovery.index import Credentials, Listing, fetch_index
from skillproto.discovery.policy import FetchPolicy
from skillproto.discovery.txt import LookupFailed, TxtResolver
from skillproto.errors import UsageError
from skillproto.invocation.excerpts import excerpt
from skillproto.invocation.origins import origin_of

Method = Literal["index", "dns"]
State = Literal["proven", "unproven", "unknown"]
Txt = Callable[[str], Sequence[str]]
"""Gives the TXT records of a name; raises a `LookupFailed` where that could not be found out."""

RECORD = "_skillproto"
MOST_DOMAINS = 4
"""So many domains of a long id are asked, those nearest to the top."""

_SKILL_ID = re.compile(r"[A-Za-z0-9]+(?:[._-]+[A-Za-z0-9]+)*")
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_TOP = re.compile(r"[a-z]{2,63}|xn--[a-z0-9-]{1,59}")
_LONGEST_ID = 200


class Asked(NamedTuple):
    """One domain that was asked in one way.

    Attributes:
        domain: that was asked.
        method: "index" or "dns".
        state: "unknown" where it could not be found out.
        why: in words.
    """

    domain: str
    method: Method
    state: State
    why: str


class Proof(NamedTuple):
    """Whether an id was proven.

    Attributes:
        skill_id: that it is about.
        state: "proven" by one domain; "unknown" where none proved it and one could not be asked, so
            that another try may end differently; else "unproven".
        how: by which method; None where it is not proven.
        why: in words.
        domain: that proved it; None where it is not proven.
        asked: every domain and method that was tried, in their order.
    """

    skill_id: str
    state: State
    how: Method | None
    why: str
    domain: str | None = None
    asked: tuple[Asked, ...] = ()

    @property
    def namespace(self) -> str | None:
        """The reverse of the domain that proved it; None where it is not proven."""
        return None if self.domain is None else ".".join(reversed(self.domain.split(".")))


def domains_of(skill_id: str) -> list[str]:
    """Give the domains that can prove an id, the longest first; none where it begins with no domain.

    >>> domains_of("com.example.team.translate"), domains_of("com.example"), domains_of("1.0.0.127.x")
    (['team.example.com', 'example.com'], [], [])
    """
    labels = skill_id.lower().split(".")[:-1]
    if not labels or not _TOP.fullmatch(labels[0]):
        return []
    usable = []
    for count in range(2, min(len(labels), MOST_DOMAINS + 1) + 1):
        if not all(_LABEL.fullmatch(label) for label in labels[:count]):
            break
        usable.append(".".join(reversed(labels[:count])))
    return usable[::-1]


def prove_namespace(
    skill_id: str,
    *,
    methods: Sequence[Method] = ("index",),
    policy: FetchPolicy | None = None,
    fetcher: Fetcher | None = None,
    credentials: Credentials | None = None,
    txt: Txt | None = None,
) -> Proof:
    """Find out whether the domain that an id begins with says that the id is its own.

    Args:
        skill_id: such as "com.example.translate".
        methods: what to try, in this order: "index", "dns" (with the extra `dns`). The first proof ends it.
        policy: what may be fetched; None means public https addresses only.
        fetcher: to use instead of a new one; it stays the caller's to close.
        credentials: for the index, where the skill is private.
        txt: looks up TXT records; None means a `TxtResolver` of the operating system's servers.

    Returns:
        The proof; what could not be asked is "unknown", never "unproven".

    Raises:
        UsageError: no id, no known method, or "dns" without the extra.

    >>> prove_namespace("translate").why
    'The id begins with no domain, such as com.example'
    """
    if len(skill_id) > _LONGEST_ID or not _SKILL_ID.fullmatch(skill_id):
        raise UsageError(f"{excerpt(skill_id, 80)!r} is no skill id, such as com.example.translate")
    if not methods or not set(methods) <= {"index", "dns"}:
        raise UsageError("methods are 'index' and 'dns'")
    if not domains_of(skill_id):
        return Proof(skill_id, "unproven", None, "The id begins with no domain, such as com.example")
    if "dns" in methods:
        txt = txt or TxtResolver()
    if fetcher is not None:
        return _proven(skill_id, _ask_all(skill_id, methods, fetcher, credentials, txt))
    with Fetcher(policy) as own:
        return _proven(skill_id, _ask_all(skill_id, methods, own, credentials, txt))


def _ask_all(
    skill_id: str, methods: Sequence[Method], fetcher: Fetcher, credentials: Credentials | None, txt: Txt | None
) -> Iterator[Asked]:
    for method in methods:
        for domain in domains_of(skill_id):
            if method == "index":
                yield _by_index(skill_id, domain, fetch_index(domain, fetcher=fetcher, credentials=credentials))
            elif txt is not None:
                yield _by_record(skill_id, domain, txt)


def _proven(skill_id: str, answers: Iterator[Asked]) -> Proof:
    asked: list[Asked] = []
    for answer in answers:
        asked.append(answer)
        if answer.state == "proven":
            return Proof(skill_id, "proven", answer.method, answer.why, answer.domain, tuple(asked))
    state: State = "unknown" if any(each.state == "unknown" for each in asked) else "unproven"
    why = "; ".join(f"{each.domain}: {each.why}" for each in asked if each.state == state)
    return Proof(skill_id, state, None, why, None, tuple(asked))


def _by_index(skill_id: str, domain: str, listing: Listing) -> Asked:
    if listing.failure is not None:
        state: State = "unproven" if _has_no_host(listing.failure) else "unknown"
        return Asked(domain, "index", state, listing.failure.message)
    if listing.value is None:
        return Asked(domain, "index", "unproven", listing.findings[0].message)
    if origin_of(listing.final_url) != f"https://{domain}":
        return Asked(domain, "index", "unproven", "its index is answered by another host")
    if any(entry.get("id") == skill_id for entry in listing.skills):
        return Asked(domain, "index", "proven", f"the index of {domain} names the id")
    return Asked(domain, "index", "unproven", "its index does not name the id")


def _has_no_host(failure: FetchError) -> bool:
    """Say whether DNS knows that there is no such host, which answers the question."""
    return failure.reason == "dns"


def _by_record(skill_id: str, domain: str, txt: Txt) -> Asked:
    name = f"{RECORD}.{domain}"
    try:
        records = txt(name)
    except LookupFailed as error:
        return Asked(domain, "dns", "unknown", str(error))
    claims = [claim for record in records for claim in record.replace(";", " ").split()]
    if any(_covers(claim, skill_id, domain) for claim in claims):
        return Asked(domain, "dns", "proven", f"a TXT record of {name} names it")
    return Asked(domain, "dns", "unproven", f"no TXT record of {name} names the id or its namespace")


def _covers(claim: str, skill_id: str, domain: str) -> bool:
    """Say whether a record of a domain speaks for an id; it can only speak for what is below the domain.

    >>> _covers("namespace=com.example", "com.example.a.b", "example.com")
    True
    >>> _covers("namespace=com", "com.example.a.b", "example.com")
    False
    """
    key, _, value = claim.partition("=")
    if key == "id":
        return value == skill_id
    if key != "namespace":
        return False
    own = ".".join(reversed(domain.split(".")))
    value = value.lower()
    return (value == own or value.startswith(f"{own}.")) and skill_id.lower().startswith(f"{value}.")
