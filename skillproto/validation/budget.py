"""Count the work of a check against a bound. Pure."""


class BudgetSpent(Exception):
    """A check took all the work that it may; the value is neither valid nor invalid."""


class Budget:
    """Work that a check may still do; spending more than there is raises.

    Args:
        amount: how much; None means no limit, for schemas that come with this package.

    >>> budget = Budget(10)
    >>> budget.spend(7)
    >>> budget.left
    3
    """

    __slots__ = ("left",)

    def __init__(self, amount: int | None = None) -> None:
        self.left: float = float("inf") if amount is None else amount

    def spend(self, amount: int = 1) -> None:
        """Count some work.

        Raises:
            BudgetSpent: there was less left.
        """
        self.left -= amount
        if self.left < 0:
            raise BudgetSpent
