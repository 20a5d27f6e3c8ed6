"""Ask a skill at its own addresses, politely, and judge how it answers.

`judging` is pure; `prober` goes on the network, and only when it is called.
"""

from typing import TYPE_CHECKING

from skillproto._lazy import lazy

if TYPE_CHECKING:
    from skillproto.publishing.probing.judging import Exchange as Exchange
    from skillproto.publishing.probing.judging import judge as judge
    from skillproto.publishing.probing.prober import Prober as Prober

_HOME = {"Exchange": "judging", "Prober": "prober", "judge": "judging"}

__all__ = [*_HOME]


__getattr__ = lazy(__name__, _HOME)
