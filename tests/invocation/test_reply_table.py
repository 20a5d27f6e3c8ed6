from typing import Any

import pytest

from skillproto.errors import ErrorCode
from skillproto.invocation.replies import Reply, read_reply
from tests.support.bodies import FASTAPI, PAGE, asixto, encode, envelope, json_rpc, tool_result

LETTERS = {
    "V": "VALIDATION_ERROR",
    "A": "AUTH_REQUIRED",
    "P": "PERMISSION_DENIED",
    "N": "SKILL_NOT_FOUND",
    "T": "EXECUTION_TIMEOUT",
    "U": "ENDPOINT_UNREACHABLE",
    "I": "VERSION_INCOMPATIBLE",
    "F": "EXECUTION_FAILED",
    "C": "CANCELLED",
    "?": "UNKNOWN",
    "-": "a reply",
}
COLUMNS = ["2xx", "204", "3xx", "400", "401", "403", "404", "408", "422", "429", "502", "503", "504", "other"]
BY_STATUS = "?   ?   A   P   N   T   I   U   U   U   T   ?"

# What a body means under each status. "2xx" is every success but 204 and 205.
TABLE: list[tuple[str, Any, str]] = [
    #                                                                  2xx 204
    ("nothing", None, "?   -   " + BY_STATUS),
    ("a page", PAGE, "?   ?   " + BY_STATUS),
    ("a success", {"output": {"total": 0}}, "-   -   " + BY_STATUS),
    ("an empty object", {}, "-   -   " + BY_STATUS),
    ("an envelope of an unknown code", envelope("QUOTA"), "F   F   " + BY_STATUS),
    ("an envelope without message", {"error": {"code": "AUTH_REQUIRED"}}, "F   F   " + BY_STATUS),
    ("an envelope without code", {"error": {"message": "m"}}, "F   F   " + BY_STATUS),
    ("an error text", {"error": "it broke"}, "F   F   " + BY_STATUS),
    ("an empty error", {"error": {}}, "F   F   " + BY_STATUS),
    ("an error of null", {"error": None}, "-   -   " + BY_STATUS),
    ("asixto UNKNOWN", asixto("UNKNOWN"), "?   ?   " + BY_STATUS),
    ("asixto of a strange type", asixto("OOPS"), "?   ?   " + BY_STATUS),
    #                                                 2xx 204 3xx 400 401 403 404 408 422 429 502 503 504 other
    ("asixto SYSTEM", asixto("SYSTEM"), "             F   F   ?   F   F   F   F   T   F   U   U   U   T   F"),
    ("asixto VALIDATION", asixto("VALIDATION"), "     F   F   ?   V   F   F   F   F   V   F   F   F   F   F"),
    ("asixto PERMISSION", asixto("PERMISSION"), "     F   F   ?   F   A   P   F   F   F   F   F   F   F   F"),
    ("asixto NOT_FOUND", asixto("NOT_FOUND"), "       F   F   ?   F   F   F   N   F   F   F   F   F   F   F"),
    ("asixto BLOCKER", asixto("BLOCKER"), "           F   F   ?   F   F   F   F   F   F   F   F   F   F   F"),
    ("mcp transient", tool_result(errorCategory="transient"), "F  F   ?   F   F   F   F   T   F   U   U   U   T   F"),
    ("mcp validation", tool_result(errorCategory="validation"), "F F  ?   V   F   F   F   F   V   F   F   F   F   F"),
    ("mcp permission", tool_result(errorCategory="permission"), "F F  ?   F   A   P   F   F   F   F   F   F   F   F"),
    ("mcp business", tool_result(errorCategory="business"), "F   F   ?   F   F   F   F   F   F   F   F   F   F   F"),
    ("mcp without meta", tool_result(), "F   F   " + BY_STATUS),
    ("json-rpc invalid params", json_rpc(-32602), "   V   V   ?   V   V   V   V   V   V   V   V   V   V   V"),
    ("json-rpc no such method", json_rpc(-32601), "   N   N   ?   N   N   N   N   N   N   N   N   N   N   N"),
    ("json-rpc versions", json_rpc(-1, supported=["1"]), "I I  ?   I   I   I   I   I   I   I   I   I   I   I"),
    ("json-rpc internal error", json_rpc(-32603), "F   F   " + BY_STATUS),
    ("a validation report", FASTAPI, "                 -   -   ?   V   A   P   N   T   V   U   U   U   T   ?"),
    ("problem details", {"type": "about:blank", "title": "Busy", "status": 503}, "-   -   " + BY_STATUS),
    ("a gateway's error", {"status": 502, "code": "upstream", "message": "m"}, "F   F   " + BY_STATUS),
    ("a failed execution", {"execution_id": "e", "status": "failed"}, "F   F   " + BY_STATUS),
    ("a cancelled execution", {"execution_id": "e", "status": "cancelled"}, "C   C   " + BY_STATUS),
    *(
        (f"an envelope of {code}", envelope(code), f"{letter} {letter} ? " + f"{letter} " * 11)
        for letter, code in LETTERS.items()
        if code in ErrorCode.__members__
    ),
]


def _column(status: int) -> str:
    if status in (204, 205):
        return "204"
    if 200 <= status < 400:
        return f"{status // 100}xx"
    return str(status) if str(status) in COLUMNS else "other"


@pytest.mark.parametrize(("body", "row"), [pytest.param(body, row, id=name) for name, body, row in TABLE])
def test_every_body_under_every_status_has_its_code(body: Any, row: str) -> None:
    expected = dict(zip(COLUMNS, (LETTERS[letter] for letter in row.split()), strict=True))
    for status in range(200, 600):
        outcome = read_reply(status, {}, encode(body))
        got = "a reply" if isinstance(outcome, Reply) else outcome.code.value
        assert (status, got) == (status, expected[_column(status)])
        assert outcome.http_status == status
