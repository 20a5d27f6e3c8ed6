"""Look up TXT records with dnspython, which the extra `dns` brings."""

from collections.abc import Iterable, Sequence
from typing import Any

from skillproto.errors import SkillprotoError, UsageError

MOST_RECORDS = 100
_LONGEST_CHARS = 1_000


class LookupFailed(SkillprotoError):
    """DNS gave no answer, so that nothing is known about the name; that it has no record would be one."""


class TxtResolver:
    """Asks for TXT records.

    Args:
        nameservers: addresses of the servers to ask; None means those of the operating system.
        port: that they answer at.
        timeout_ms: for one name, all servers and tries included.

    Raises:
        UsageError: dnspython is not installed, or no server is known.
    """

    def __init__(self, nameservers: Sequence[str] | None = None, *, port: int = 53, timeout_ms: int = 5_000) -> None:
        self._library = _dnspython()
        self._resolver = self._made(nameservers)
        self._resolver.port = port
        self._timeout_s = timeout_ms / 1000

    def _made(self, nameservers: Sequence[str] | None) -> Any:
        if nameservers is None:
            try:
                return self._library.Resolver()
            except self._library.NoResolverConfiguration:
                raise UsageError("this machine names no DNS server; give nameservers") from None
        resolver = self._library.Resolver(configure=False)
        try:
            resolver.nameservers = list(nameservers)
        except ValueError:
            raise UsageError("nameservers are IP addresses, such as 9.9.9.9") from None
        return resolver

    def __call__(self, name: str) -> list[str]:
        """Give the texts of a name, each whole; none where the name or the record does not exist.

        Raises:
            LookupFailed: no server answered in time, or none that answered works.
        """
        from dns.exception import DNSException

        try:
            answer = self._resolver.resolve(f"{name}.", "TXT", lifetime=self._timeout_s, search=False)
        except (self._library.NXDOMAIN, self._library.NoAnswer):
            return []
        except (DNSException, OSError):
            raise LookupFailed(f"the TXT records of {name} cannot be looked up") from None
        return [_text(record.strings) for record in list(answer)[:MOST_RECORDS]]


def _text(pieces: Iterable[bytes]) -> str:
    return b"".join(pieces)[:_LONGEST_CHARS].decode("ascii", "replace")


def _dnspython() -> Any:
    try:
        import dns.resolver
    except ImportError:
        raise UsageError("TXT records need dnspython: pip install 'skillproto[dns]'") from None
    return dns.resolver
