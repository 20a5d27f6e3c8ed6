"""Failures that come as a model's reply: with status 200, or as a response that says of itself that it failed.

Pure. Known are a member "error" at the top (OpenAI's Responses, gateways, JSON-RPC, Anthropic's error object) or in
the first choice of a completion, and the status of OpenAI's Responses.
"""

import json
from typing import Any

from skillproto.agent.run_messages import as_json
from skillproto.errors import ErrorCode, SkillError
from skillproto.violations import JSONValue

_FAILED = ("failed", "cancelled")


def failure_in(reply: Any) -> SkillError | None:
    """Give the failure that a reply of a model tells; None for one that tells none.

    >>> failure_in({"content": "hola", "error": None}) is None
    True
    >>> failure_in({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}).code
    <ErrorCode.ENDPOINT_UNREACHABLE: 'ENDPOINT_UNREACHABLE'>
    """
    try:
        told = as_json(reply)
    except ValueError:
        return None
    if not isinstance(told, dict):
        return None
    error = told.get("error") or _of_first_choice(told.get("choices"))
    if not error and told.get("status") in _FAILED and isinstance(told.get("output"), list):
        error = {"message": f"The response has the status {told['status']}"}
    return _read(error) if error and isinstance(error, dict | str) else None


def _of_first_choice(choices: JSONValue) -> JSONValue:
    first = choices[0] if isinstance(choices, list) and choices else None
    return first.get("error") if isinstance(first, dict) else None


def _read(error: JSONValue) -> SkillError:
    from skillproto.agent.gateway import read_gateway

    outcome = read_gateway(200, {}, json.dumps({"error": error}))
    if isinstance(outcome, SkillError):
        return outcome
    return SkillError(ErrorCode.UNKNOWN, "The model's reply is an error that does not say what happened")
