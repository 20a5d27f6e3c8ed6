"""What is published at an address: an index or a descriptor, fetched as strangers' addresses are."""

from itertools import islice

import click

from skillproto.cli._publishing import Known
from skillproto.discovery import Fetcher, FetchError, FetchPolicy
from skillproto.documents import read
from skillproto.publishing.loading import state_of_index
from skillproto.publishing.obstacles import NotCarriedOut, Obstacle
from skillproto.publishing.state import RegistryState
from skillproto.redaction import safe_url
from skillproto.violations import JSONValue

_OK = 200


def known_from_web(state: RegistryState | None, url: str, policy: FetchPolicy) -> Known:
    """Fetch what a descriptor is compared with.

    Raises:
        NotCarriedOut: the address does not give an index or a descriptor.
    """
    fetcher = Fetcher(policy)
    click.get_current_context().call_on_close(fetcher.close)
    value = _fetched(fetcher, url)
    if not isinstance(value, dict) or "skills" not in value:
        return Known(state, value)
    try:
        index = state_of_index(value)
    except ValueError as error:
        raise _failed("malformed", f"{safe_url(url)}: {error}") from error

    def load(skill_id: str, version: str) -> JSONValue:
        entries = index.listed(skill_id) or []
        address = next((entry.get("descriptor_url") for entry in entries if entry.get("version") == version), None)
        if not isinstance(address, str):
            raise LookupError(version)  # noqa: TRY004 - it is missing, whatever stands there
        return _fetched(fetcher, address)

    return Known(index if state is None else state, load)


def _fetched(fetcher: Fetcher, url: str) -> JSONValue:
    try:
        reply = fetcher.get(url)
    except FetchError as error:
        raise _failed(error.reason, str(error)) from error
    if reply.status != _OK:
        raise _failed("status", f"{safe_url(url)} answers {reply.status}")
    found = list(islice(read(reply.body, source=url.partition("?")[0]), 2))
    if len(found) != 1 or found[0].violations:
        raise _failed("malformed", f"{safe_url(url)} gives no JSON or YAML document that can be compared with")
    return found[0].value


def _failed(reason: str, message: str) -> NotCarriedOut:
    return NotCarriedOut(Obstacle("comparison", reason, message, is_remote=True))
