"""Which process is at work on a call, and whether it still lives.

A process that was killed cannot say so. On its own machine it is missed at once; from
elsewhere a claim is believed until its lease is over.
"""

import os
import secrets
import socket
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc")


class Owner(NamedTuple):
    """A holder of claims: one `Journal` of one process.

    Attributes:
        token: tells two journals of one process apart.
        host: the machine, and there the space of process numbers (containers have their own).
        pid: the process.
        born: when it began, as the system counts it, since numbers are given again; "" where unknown.
    """

    token: str
    host: str
    pid: int
    born: str

    @classmethod
    def myself(cls) -> "Owner":
        """Make an owner for this process.

        >>> Owner.myself().is_gone()
        False
        """
        return cls(secrets.token_hex(8), _host(), os.getpid(), _born(os.getpid()) or "")

    def is_gone(self) -> bool:
        """Say whether the process has surely ended; False where that cannot be known from here."""
        if self.host != _host() or os.name == "nt":
            return False
        if (_PROC / "self" / "stat").exists():
            return _born(self.pid) != self.born
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except OSError:
            return False
        return False


def _host() -> str:
    try:
        space = os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - the text is no path
    except OSError:
        space = ""
    return f"{socket.gethostname()} {space}".strip()


def _born(pid: int) -> str | None:
    """Give when a process began; None for none, or one that has ended and was not waited for."""
    try:
        text = (_PROC / str(pid) / "stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    state, *facts = text.rpartition(")")[2].split()
    return None if state in "ZX" else facts[18]
