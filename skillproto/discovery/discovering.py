"""List what a domain offers, and check all of it: the index, each descriptor, and whether they agree."""

from collections.abc import Callable, Generator
from contextlib import nullcontext
from dataclasses import dataclass, field

from skillproto.discovery.descriptors import Examined, Examiner, examine_all
from skillproto.discovery.failures import FetchError
from skillproto.discovery.fetching import Fetcher
from skillproto.discovery.index import Credentials, Entry, Listing, fetch_index
from skillproto.discovery.policy import FetchPolicy
from skillproto.discovery.targets import LONGEST_URL
from skillproto.invocation.excerpts import excerpt
from skillproto.violations import JSONValue

MOST_SKILLS = 1_000


@dataclass(slots=True)
class Discovery:
    """What a domain offers.

    Attributes:
        listings: the index as everybody sees it, and with credentials where some were given.
        skills: what it lists, in its order, each with its descriptor.
        not_examined: entries beyond the bound, or not come to before an interruption.

    >>> Discovery((Listing("https://a.example/.well-known/skill-sharing", False),)).is_complete
    True
    """

    listings: tuple[Listing, ...]
    skills: list[Examined] = field(default_factory=list)
    not_examined: tuple[Entry, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether everything could be had, so that what is not found is not there."""
        return not self.failures and not self.not_examined

    @property
    def failures(self) -> list[FetchError]:
        """Why some of it could not be had."""
        failures = [*(each.failure for each in self.listings), *(each.failure for each in self.skills)]
        return [failure for failure in failures if failure is not None]

    @property
    def is_valid(self) -> bool | None:
        """True where nothing is wrong, False where something is, None where that is not known.

        Warnings do not count.
        """
        lists = [*(each.findings for each in self.listings), *(each.findings for each in self.skills)]
        found = [finding for findings in lists for finding in findings]
        if any(finding.severity == "error" for finding in found):
            return False
        return True if self.is_complete else None

    def to_dict(self) -> dict[str, JSONValue]:
        """Give all of it as JSON."""
        return {
            "valid": self.is_valid,
            "complete": self.is_complete,
            "indexes": [_listing(each) for each in self.listings],
            "skills": [_skill(each) for each in self.skills],
            "not_examined": [entry.field for entry in self.not_examined],
        }


def _listing(listing: Listing) -> dict[str, JSONValue]:
    return {
        "url": listing.url,
        "with_credentials": listing.with_credentials,
        "skills": len(listing.entries),
        "failure": None if listing.failure is None else listing.failure.to_dict(),
        "findings": [finding.to_dict() for finding in listing.findings],
    }


def _skill(examined: Examined) -> dict[str, JSONValue]:
    return facts(examined.entry) | {
        "failure": None if examined.failure is None else examined.failure.to_dict(),
        "findings": [finding.to_dict() for finding in examined.findings],
    }


def facts(entry: Entry) -> dict[str, JSONValue]:
    """Say of an entry what it is, as JSON."""
    members: dict[str, JSONValue] = {name: entry.member(name) for name in ("id", "version", "access")}
    return members | {
        "descriptor_url": excerpt(entry.url, LONGEST_URL),
        "entry": entry.field,
        "needs_credentials": entry.needs_credentials,
    }


class Survey:
    """A discovery under way, for those who want to see it grow; `discover` does all of it at once.

    Args:
        domain_or_url: whose index.
        fetcher: what fetches; it stays the caller's to close.
        credentials: to show to the index's own origin; None for none.
        concurrency: so many hosts are asked at a time.
        max_skills: so many descriptors are fetched at most.
    """

    def __init__(
        self,
        domain_or_url: str,
        fetcher: Fetcher,
        credentials: Credentials | None = None,
        *,
        concurrency: int = 8,
        max_skills: int = MOST_SKILLS,
    ) -> None:
        self._domain_or_url = domain_or_url
        self._fetcher = fetcher
        self._credentials = credentials
        self._concurrency = concurrency
        self._max_skills = max_skills
        self._listings: list[Listing] = []
        self._entries: list[Entry] = []
        self._examined: dict[int, Examined] = {}

    def list(self) -> int:
        """Fetch the index, and give how many descriptors are to be fetched."""
        self._listings.append(self._listed(None))
        if self._credentials is not None:
            self._listings.append(self._listed(self._credentials))
        self._entries = merged(self._listings)
        return min(len(self._entries), self._max_skills)

    def _listed(self, credentials: Credentials | None) -> Listing:
        return fetch_index(self._domain_or_url, fetcher=self._fetcher, credentials=credentials)

    def examine(self) -> Generator[Examined, None, None]:
        """Fetch the descriptors; each is given as it is finished."""
        places = {id(entry): i for i, entry in enumerate(self._entries)}
        examiner = Examiner(self._fetcher, self._listings[0].url, self._credentials)

        def note(examined: Examined) -> None:
            self._examined[places[id(examined.entry)]] = examined

        yield from examine_all(self._entries[: self._max_skills], examiner, self._concurrency, note)

    @property
    def so_far(self) -> Discovery:
        """What was found until now, in the order of the index."""
        done = dict(self._examined)
        left = [entry for i, entry in enumerate(self._entries) if i not in done]
        return Discovery(tuple(self._listings), [done[i] for i in sorted(done)], tuple(left))


def merged(listings: list[Listing]) -> list[Entry]:
    """Give the entries of several listings, each once; what everybody sees needs no credentials."""
    known: dict[tuple[str | None, str | None, str], Entry] = {}
    for entry in (entry for listing in listings for entry in listing.entries):
        known.setdefault((entry.member("id"), entry.member("version"), entry.url), entry)
    return list(known.values())


def discover(
    domain_or_url: str,
    *,
    policy: FetchPolicy | None = None,
    credentials: Credentials | None = None,
    concurrency: int = 8,
    max_skills: int = MOST_SKILLS,
    fetcher: Fetcher | None = None,
    on_progress: Callable[[Examined], object] | None = None,
) -> Discovery:
    """List what a domain offers, and check all of it.

    The index is asked for without credentials, and with them where some are given; each
    descriptor is fetched once, checked as `validate` does, and compared with its entry. Nothing
    is raised for what a domain publishes.

    Args:
        domain_or_url: a domain, asked at its well-known address, or the address of an index.
        policy: what may be fetched, and how much; None means public https addresses only.
        credentials: a bearer token or headers by name, for the index's own origin.
        concurrency: so many hosts are asked at a time; each host is asked one thing at a time.
        max_skills: so many descriptors are fetched at most.
        fetcher: to use instead of a new one; it stays the caller's to close.
        on_progress: is called with each skill as it is finished.

    Returns:
        The index, the skills in its order, their findings, and what could not be had.

    Raises:
        UsageError: an argument that can never work.

    Source: SSP, discovery.

    >>> discover("localhost").listings[0].findings[0].rule
    'descriptor/private-address'
    """
    with nullcontext(fetcher) if fetcher is not None else Fetcher(policy) as chosen:
        survey = Survey(domain_or_url, chosen, credentials, concurrency=concurrency, max_skills=max_skills)
        survey.list()
        for examined in survey.examine():
            if on_progress is not None:
                on_progress(examined)
        return survey.so_far
