"""What kept a check from being carried out: never a finding about the descriptor, and never a pass."""

from typing import Literal, NamedTuple, Self

from skillproto.errors import SkillprotoError
from skillproto.violations import JSONValue

Step = Literal["state", "comparison", "namespace-proof", "probe"]


class Obstacle(NamedTuple):
    """A step of a check that could not be carried out.

    Attributes:
        step: which one.
        reason: a short word, such as "unreadable" or "no-descriptor".
        message: what happened and what to do about it.
        is_remote: whether the other side of a network is where it failed.

    >>> Obstacle("comparison", "no-descriptor", "There is nothing to compare with").to_dict()["step"]
    'comparison'
    """

    step: Step
    reason: str
    message: str
    is_remote: bool = False

    def to_dict(self) -> dict[str, JSONValue]:
        """Give it as JSON."""
        return dict(self._asdict())


class NotCarriedOut(SkillprotoError):
    """A check could not be made, so that nothing is known: a state that cannot be read, an index out of reach.

    Attributes:
        obstacle: what happened.

    >>> NotCarriedOut(Obstacle("state", "unreadable", "No such file")).obstacle.reason
    'unreadable'
    """

    def __init__(self, obstacle: Obstacle) -> None:
        super().__init__(obstacle.message)
        self.obstacle = obstacle

    @classmethod
    def of(cls, reason: str, message: str, *, is_remote: bool = False) -> Self:
        """Make the error that says why a state is not there."""
        return cls(Obstacle("state", reason, message, is_remote))

    def __reduce__(self) -> tuple[type["NotCarriedOut"], tuple[Obstacle]]:
        return type(self), (self.obstacle,)
