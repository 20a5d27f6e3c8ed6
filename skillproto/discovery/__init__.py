"""Find skills where strangers publish them: addresses fetched safely, indexes read, namespaces proven.

Names are imported when they are first used.
"""

from typing import TYPE_CHECKING

from skillproto._lazy import lazy

if TYPE_CHECKING:
    from skillproto.discovery.failures import FetchError as FetchError
    from skillproto.discovery.fetching import Fetcher as Fetcher
    from skillproto.discovery.policy import FetchPolicy as FetchPolicy
    from skillproto.discovery.replies import Fetched as Fetched
    from skillproto.discovery.replies import Hop as Hop

_HOME = {
    "FetchError": "failures",
    "Fetched": "replies",
    "Fetcher": "fetching",
    "FetchPolicy": "policy",
    "Hop": "replies",
}

__all__ = [*_HOME]


__getattr__ = lazy(__name__, _HOME)
