"""What a registry asks before it accepts a descriptor, and how two versions of one differ.

Names are imported when they are first used.
"""

from typing import TYPE_CHECKING

from skillproto._lazy import lazy

if TYPE_CHECKING:
    from skillproto.publishing.check import publish_check as publish_check
    from skillproto.publishing.obstacles import NotCarriedOut as NotCarriedOut
    from skillproto.publishing.obstacles import Obstacle as Obstacle
    from skillproto.publishing.published import Published as Published
    from skillproto.publishing.report import PublishReport as PublishReport
    from skillproto.publishing.state import RegistryState as RegistryState
    from skillproto.publishing.state import Taken as Taken

_HOME = {
    "publish_check": "check",
    "NotCarriedOut": "obstacles",
    "Obstacle": "obstacles",
    "Published": "published",
    "PublishReport": "report",
    "RegistryState": "state",
    "Taken": "state",
}

__all__ = [*_HOME]


__getattr__ = lazy(__name__, _HOME)
