"""Compare what only people read, and members that nobody here knows. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any

from skillproto.publishing.comparison.changes import Change, change
from skillproto.publishing.comparison.parts import is_equal
from skillproto.publishing.comparison.phrases import quoted
from skillproto.rules.members import IGNORE_MEMBER
from skillproto.validation.shown import shown
from skillproto.violations import pointer

_MOST_OTHERS = 50

Document = dict[str, Any]


def text(old: Document, new: Document, name: str, at: str = "", *, called: str = "") -> Iterator[Change]:
    """Compare one member that only people read."""
    before, after = old.get(name), new.get(name)
    if not _differs(old, new, name):
        return
    way = "is new" if name not in old else "is gone" if name not in new else "changed"
    here = name in new
    yield change(
        "text-changed",
        f"{at}/{name}",
        f"The {called or name.replace('_', ' ')} {way}",
        side="new" if here else "old",
        before=shown(before),
        after=shown(after),
    )


def other_members(old: Document, new: Document, known: Sequence[str], at: str = "") -> Iterator[Change]:
    """Compare members that the protocol does not name; excuses are no change of the skill."""
    names = [name for name in dict.fromkeys([*old, *new]) if name not in known and name != IGNORE_MEMBER]
    changed = [name for name in names if _differs(old, new, name)]
    for name in changed[:_MOST_OTHERS]:
        message = f"The member {quoted(name)}, which the protocol does not know, changed"
        yield change("own-member-changed", at + pointer([name]), message, side="new" if name in new else "old")
    if len(changed) > _MOST_OTHERS:
        message = f"{len(changed) - _MOST_OTHERS} more members that the protocol does not know changed"
        yield change("own-member-changed", at, message)


def _differs(old: Document, new: Document, name: str) -> bool:
    return (name in old) != (name in new) or not is_equal(old.get(name), new.get(name))
