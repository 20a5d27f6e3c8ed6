"""Say what an exception of the HTTP library means, and whether a request may be sent once more unseen."""

import socket
import ssl
from collections.abc import Iterator

from skillproto.invocation._deadline import Exchange
from skillproto.invocation.wire import Lost, Replied


def is_stale(event: Replied | Lost, exchange: Exchange) -> bool:
    """Say whether a kept connection turned out closed: nothing was heard, so it is sent once more."""
    if exchange.connected or exchange.heard or exchange.aborted or exchange.left_s <= 0 or not exchange.is_watched:
        return False
    return isinstance(event, Lost) and event.reason == "reset"


def meaning(error: Exception, exchange: Exchange) -> Lost:
    """Say what an exception of the library means."""
    name = type(error).__name__
    sent = exchange.wrote or name in ("ReadTimeout", "ReadError", "RemoteProtocolError")
    if name.endswith("Timeout"):
        return Lost("timeout", sent)
    reason, again = _connect_reason(error)
    if reason is not None:
        return Lost(reason, False, again)
    match name:
        case "ReadError" | "WriteError" | "CloseError":
            return Lost("reset", sent)
        case "RemoteProtocolError":
            return Lost("protocol" if exchange.heard else "reset", sent)
        case "ConnectError" | "ProxyError":
            was_reset = any(isinstance(cause, ConnectionError) for cause in _causes(error))
            return Lost("reset" if was_reset else "unreachable", False)
        case "UnsupportedProtocol" | "InvalidURL" | "LocalProtocolError":
            return Lost("unsupported", False, again=False)
        case _:
            if not isinstance(error, OSError) and not _is_of_family(error):
                raise error
            return Lost("reset", sent)


_BASES = ("HTTPError", "TransportError", "StreamError", "NetworkError", "ProtocolError", "ConnectionNotAvailable")


def _is_of_family(error: Exception) -> bool:
    return any(cls.__name__ in _BASES for cls in type(error).__mro__)


def is_cut_short(error: Exception) -> bool:
    """Say whether a body ended before it was whole, or is framed wrongly (seen while it is read)."""
    return type(error).__name__ == "RemoteProtocolError"


def _connect_reason(error: BaseException) -> tuple[str | None, bool]:
    """Look through the causes for the one that tells why no connection came about."""
    for cause in _causes(error):
        match cause:
            case socket.gaierror():
                return "dns", cause.errno == socket.EAI_AGAIN
            case ssl.SSLEOFError() | ssl.SSLZeroReturnError():
                return "reset", True
            case ssl.SSLError():
                return "tls", False
            case ConnectionRefusedError():
                return "refused", True
            case UnicodeError():
                return "dns", False
    return None, True


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Give an exception, what it came from, and so on; of a group the first."""
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.exceptions[0] if isinstance(seen, BaseExceptionGroup) else seen.__cause__ or seen.__context__
