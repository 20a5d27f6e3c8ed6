"""Find skills where strangers publish them: addresses fetched safely, indexes read, namespaces proven.

Names are imported when they are first used.
"""

from typing import TYPE_CHECKING

from skillproto._lazy import lazy

if TYPE_CHECKING:
    from skillproto.discovery.descriptors import Examined as Examined
    from skillproto.discovery.discovering import Discovery as Discovery
    from skillproto.discovery.discovering import Survey as Survey
    from skillproto.discovery.discovering import discover as discover
    from skillproto.discovery.failures import FetchError as FetchError
    from skillproto.discovery.fetching import Fetcher as Fetcher
    from skillproto.discovery.index import Entry as Entry
    from skillproto.discovery.index import Listing as Listing
    from skillproto.discovery.index import fetch_index as fetch_index
    from skillproto.discovery.namespaces import Proof as Proof
    from skillproto.discovery.namespaces import prove_namespace as prove_namespace
    from skillproto.discovery.policy import FetchPolicy as FetchPolicy
    from skillproto.discovery.replies import Fetched as Fetched
    from skillproto.discovery.replies import Hop as Hop
    from skillproto.discovery.txt import TxtResolver as TxtResolver

_HOME = {
    "Discovery": "discovering",
    "Entry": "index",
    "Examined": "descriptors",
    "FetchError": "failures",
    "Fetched": "replies",
    "Fetcher": "fetching",
    "FetchPolicy": "policy",
    "Hop": "replies",
    "Listing": "index",
    "Proof": "namespaces",
    "Survey": "discovering",
    "TxtResolver": "txt",
    "discover": "discovering",
    "fetch_index": "index",
    "prove_namespace": "namespaces",
}

__all__ = [*_HOME]


__getattr__ = lazy(__name__, _HOME)
