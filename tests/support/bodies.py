"""Bodies as providers write them, and short ways to read one."""

import json
from typing import Any

from skillproto.errors import SkillError
from skillproto.invocation.replies import Reply, read_reply

PAGE = "<html><h1>Something</h1></html>"
SYSTEM = {"error": {"error_type": "SYSTEM", "user_message": "Ahora no puedo consultarlo."}}


def asixto(kind: str) -> dict[str, Any]:
    return {"error": {"error_type": kind, "user_message": "No se puede."}}


def tool_result(**meta: Any) -> dict[str, Any]:
    result: dict[str, Any] = {"isError": True, "content": [{"type": "text", "text": "It cannot be done"}]}
    return {**result, "_meta": meta} if meta else result


def json_rpc(code: int, message: str = "m", **data: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": message, **({"data": data} if data else {})}}


def envelope(code: Any, message: Any = "m", **rest: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, **rest}}


FASTAPI = {"detail": [{"loc": ["body", "inputs", "n"], "msg": "too big", "type": "less_than"}]}


def encode(body: Any) -> bytes | str | None:
    return body if isinstance(body, bytes | str | None) else json.dumps(body)


def error_of(status: int, body: Any, headers: Any = ()) -> SkillError:
    outcome = read_reply(status, headers, encode(body))
    assert isinstance(outcome, SkillError)
    return outcome


def reply_of(status: int, body: Any, headers: Any = ()) -> Reply:
    outcome = read_reply(status, headers, encode(body))
    assert isinstance(outcome, Reply)
    return outcome
