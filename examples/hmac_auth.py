"""Sign every request with a shared secret, for a skill whose `auth.type` is custom.

    python examples/hmac_auth.py

The provider below wants an HMAC over the time, the method, the path and the body, so that nobody
on the way can change a request or send an old one again. The secret itself never travels.
Nothing leaves this machine.
"""

import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from skillproto import SkillClient, SkillError
from skillproto.invocation.auth import AuthRequest

LONGEST_AGE_S = 300


def signature(secret: bytes, signed_at: str, method: str, path: str, body: bytes) -> str:
    """Give the HMAC of what must not be changed on the way."""
    digest = hashlib.sha256(body).hexdigest()
    return hmac.new(secret, f"{signed_at}\n{method}\n{path}\n{digest}".encode(), hashlib.sha256).hexdigest()


class Signer:
    """The consumer's side: given as `credentials=`, it is asked anew for each request, retries included."""

    def __init__(self, key_id: str, secret: bytes, clock: Callable[[], float] = time.time) -> None:
        self._key_id = key_id
        self._secret = secret
        self._clock = clock

    def __call__(self, request: AuthRequest) -> dict[str, str]:
        address = urlsplit(request.url)
        path = address.path + (f"?{address.query}" if address.query else "")
        now = str(int(self._clock()))
        signed = signature(self._secret, now, request.method, path, request.body or b"")
        return {"X-Key-Id": self._key_id, "X-Signed-At": now, "X-Signature": signed}


def refusal(secrets: Mapping[str, bytes], headers: Mapping[str, str], method: str, path: str, body: bytes) -> str:
    """The provider's side: say what is wrong with the signature of a request; "" when it is right."""
    secret = secrets.get(headers.get("X-Key-Id", ""))
    signed_at = headers.get("X-Signed-At", "")
    if secret is None:
        return "The key is not known"
    if not signed_at.isascii() or not signed_at.isdigit() or abs(time.time() - int(signed_at)) > LONGEST_AGE_S:
        return "The signature is too old"
    right = signature(secret, signed_at, method, path, body)
    return "" if hmac.compare_digest(right.encode(), headers.get("X-Signature", "").encode()) else "It is not signed so"


class Provider(BaseHTTPRequestHandler):
    """A skill that counts the words of a text, for those who sign."""

    secrets: Mapping[str, bytes] = {}

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.title(): value for name, value in self.headers.items()}
        wrong = refusal(self.secrets, headers, "POST", self.path, body)
        if wrong:
            return self._answer(401, {"error": {"code": "AUTH_REQUIRED", "message": wrong}})
        return self._answer(200, {"output": len(json.loads(body)["inputs"]["text"].split())})

    def _answer(self, status: int, value: Any) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        if status == 401:
            self.send_header("WWW-Authenticate", "Hmac")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
        """Say nothing."""


@contextmanager
def running_provider(secrets: Mapping[str, bytes]) -> Iterator[dict[str, Any]]:
    """Run the provider on a free port, and give its descriptor."""
    handler = type("Handler", (Provider,), {"secrets": secrets})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield descriptor(f"http://127.0.0.1:{server.server_port}/count")
        finally:
            server.shutdown()


def descriptor(url: str) -> dict[str, Any]:
    """Describe the skill; the instructions tell people what the code above does."""
    instructions = "HMAC-SHA-256 over time, method, path and SHA-256 of the body, each on a line, in hex"
    names = ("X-Key-Id", "X-Signed-At", "X-Signature")
    return {
        "protocol": {"version": "1.0.0"},
        "id": "com.example.count-words",
        "name": "Count words",
        "version": "1.0.0",
        "capability_type": "api",
        "description": "Counts the words of a text.",
        "provider": {"name": "Example"},
        "endpoint": {"url": url},
        "inputs": [{"name": "text", "type": "string", "required": True}],
        "output": {"type": "integer"},
        "auth": {
            "type": "custom",
            "custom": {"instructions": instructions, "parameters": [{"name": name} for name in names]},
        },
        "access": "restricted",
    }


def main() -> None:
    """Call once with the right secret, and once with another."""
    with running_provider({"agent-1": b"shared by both sides"}) as skill:
        with SkillClient(caller_id="example", credentials=Signer("agent-1", b"shared by both sides")) as client:
            print(client.invoke(skill, {"text": "uno dos tres"}).output)
        with SkillClient(caller_id="example", credentials=Signer("agent-1", b"a guess")) as client:
            try:
                client.invoke(skill, {"text": "uno dos tres"})
            except SkillError as error:
                print(f"{error.code}: {error.message}")


if __name__ == "__main__":
    main()
