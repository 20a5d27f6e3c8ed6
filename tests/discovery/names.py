"""A DNS server on loopback that answers for TXT records, or misbehaves as asked."""

import socket
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Self

import dns.flags
import dns.message
import dns.rcode
import dns.rrset

Records = Sequence[str]
"""The texts of a name, quoted as in a zone file; or one word for a misbehaviour."""


class NameServer:
    """Answers over UDP; names that it does not know do not exist.

    Args:
        records: by name, without the dot at the end; "silent", "servfail" and "none" stand for themselves.
    """

    def __init__(self, records: Mapping[str, Records | str]) -> None:
        self._records = records
        self.asked: list[str] = []
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.settimeout(10)
        self.port: int = self._socket.getsockname()[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._socket.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                data, sender = self._socket.recvfrom(4096)
                answer = self._answer(dns.message.from_wire(data))
                if answer is not None:
                    self._socket.sendto(answer.to_wire(), sender)

    def _answer(self, query: dns.message.Message) -> dns.message.Message | None:
        name = query.question[0].name
        text = name.to_text(omit_final_dot=True)
        self.asked.append(text)
        records = self._records.get(text)
        answer = dns.message.make_response(query)
        answer.flags |= dns.flags.RA
        match records:
            case "silent":
                return None
            case None:
                answer.set_rcode(dns.rcode.NXDOMAIN)
            case "servfail":
                answer.set_rcode(dns.rcode.SERVFAIL)
            case "none":
                pass
            case _:
                answer.answer.append(dns.rrset.from_text(name, 60, "IN", "TXT", *records))
        return answer
