"""What the core is given of a call, and of what calls share: values and a few functions."""

from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple, Protocol

from skillproto.errors import SkillError
from skillproto.invocation.faults import lost_sight
from skillproto.invocation.places import Places
from skillproto.invocation.retry import Circuit, RetryBudget
from skillproto.invocation.wire import Action, Incoming
from skillproto.violations import JSONValue


class Shared(NamedTuple):
    """What all calls to one origin share; None switches a part off."""

    budget: RetryBudget | None = None
    circuit: Circuit | None = None
    places: Places | None = None


NOTHING_SHARED = Shared()


class TokenSource(Protocol):
    """What gets the token that requests of a call carry."""

    def obtain(
        self, url: str, clock: Callable[[], float], limit_s: float
    ) -> Generator[Action, Incoming, SkillError | None]:
        """Have a token for a request to this address, or say why there is none."""

    def heard(self, event: Incoming) -> bool:
        """Look at what came, and say whether the same request should be sent again with another token."""


class Prepared(NamedTuple):
    """A call that may be sent: the descriptor fits, the inputs are right, the body is written.

    Attributes:
        headers: makes the headers of a request, credentials included where they may go.
        check_output: raises `ValidationFailed` when an output breaks the descriptor.
        timeout_ms: everything together may take so long.
        secrets: texts to mask in whatever comes back.
        tokens: gets a token before each request; None where credentials are at hand, or none are sent.
    """

    url: str
    body: bytes
    status_url: Callable[[str], str | None]
    result_url: Callable[[str], str | None]
    headers: Callable[[str, str, bytes | None], tuple[tuple[str, str], ...]]
    check_output: Callable[[JSONValue], None]
    timeout_ms: int = 30_000
    shared: Shared = NOTHING_SHARED
    secrets: Sequence[str] = ()
    tokens: TokenSource | None = None

    def without_body(self) -> "Prepared":
        """Give the same without what only a start sends."""
        return self._replace(body=b"")

    def where_to_look(self, execution_id: str) -> str:
        """Give the address to ask for an execution's state, which may be that of its result.

        Raises:
            SkillError: the descriptor names neither.
        """
        url = self.status_url(execution_id) or self.result_url(execution_id)
        if url is None:
            raise lost_sight("the descriptor names neither status_url nor result_url", "no_status_url")
        return url

    def where_the_result_is(self, execution_id: str) -> str:
        """Give the address of an execution's result.

        Raises:
            SkillError: the descriptor names none.
        """
        url = self.result_url(execution_id)
        if url is None:
            raise lost_sight("the descriptor names no result_url, and the status holds no output", "no_result_url")
        return url
