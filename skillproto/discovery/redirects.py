"""Follow redirects by hand: bounded, each checked again from the start, never from https to http."""

import re
from urllib.parse import urljoin

from skillproto.discovery.failures import FetchError
from skillproto.discovery.policy import FetchPolicy
from skillproto.discovery.replies import Hop
from skillproto.discovery.targets import LONGEST_URL, Target, read_target
from skillproto.invocation.origins import origin_of
from skillproto.invocation.wire import Replied

STATUSES = frozenset({301, 302, 303, 307, 308})

_NOT_IN_LOCATIONS = re.compile(r"[^\x21-\x7e]|\\")


class Way:
    """The way from an address to its answer.

    Attributes:
        chain: the requests that were made.
        is_at_home: whether all of it lies in the origin where it began; what left it once stays a stranger's.
    """

    def __init__(self, policy: FetchPolicy, url: str, *, follow: bool) -> None:
        self._policy = policy
        self._follow = follow
        self._target = read_target(url, policy)
        self._home = origin_of(self._target.url)
        self.is_at_home = True
        self.chain: tuple[Hop, ...] = ()

    def first(self) -> Target:
        """Give where to begin."""
        return self._target

    def next(self, hop: Hop, reply: Replied) -> Target | None:
        """Take a reply; give where to go from there, or None when it is the answer.

        Raises:
            FetchError: it leads where nobody may be led.
        """
        self.chain = (*self.chain, hop)
        if not self._follow or reply.status not in STATUSES:
            return None
        try:
            self._target = self._redirected(reply)
        except FetchError as error:
            error.chain = self.chain
            raise
        self.is_at_home = self.is_at_home and origin_of(self._target.url) == self._home
        return self._target

    def _redirected(self, reply: Replied) -> Target:
        locations = [value for name, value in reply.headers if name == "location"]
        if len(locations) != 1:
            raise self._refused("location", "The redirect does not say where to")
        if not locations[0] or len(locations[0]) > LONGEST_URL or _NOT_IN_LOCATIONS.search(locations[0]):
            raise self._refused("location", "The redirect's address is malformed")
        if len(self.chain) > self._policy.max_redirects:
            raise self._refused("too_many", f"More than {self._policy.max_redirects} redirects follow each other")
        target = self._checked(locations[0])
        if target.url in [hop.url for hop in self.chain]:
            raise self._refused("loop", "The redirects go round in a circle")
        return target

    def _checked(self, location: str) -> Target:
        try:
            target = read_target(urljoin(self._target.url, location), self._policy)
        except ValueError:
            raise self._refused("location", "The redirect's address is malformed") from None
        except FetchError as error:
            raise self._told(error) from error
        if self._target.is_encrypted and not target.is_encrypted:
            raise self._refused("downgrade", "The redirect leads from https to plain http")
        return target

    def _told(self, error: FetchError) -> FetchError:
        """Say of an address that must not be fetched that a redirect led to it."""
        if error.rule == "descriptor/private-address":
            message = f"A redirect leads there: {error.message[0].lower()}{error.message[1:]}"
            return FetchError("probe/private-address", error.reason, message, url=error.url)
        return self._refused(error.reason, f"The redirect cannot be followed: {error.message}")

    def _refused(self, reason: str, message: str) -> FetchError:
        return FetchError("probe/redirect", reason, message, url=self._target.url)
