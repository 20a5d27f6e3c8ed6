"""The ways in which providers tell a failure, each read by one function.

Pure. A contract is a function from an `Answer` to the `Failure` that it tells, or None
where the answer is not in its form. They are asked in the order of the table below, the
first that recognises its form decides; `register_contract` puts one of yours before all.
What a contract leaves open, the HTTP status decides.

    envelope            {"error": {"code", "message", "details", "retry"}}        SSP 9.3
    asixto              {"error": {"error_type", "user_message"}}                 Asixto 06
    tool_result         {"isError": true, "content", "_meta"}                     MCP
    json_rpc            {"jsonrpc", "error": {"code": -32602, "message"}}         JSON-RPC 2.0
    cancelled           {"status": "cancelled"}                                   SSP, executions
    validation_report   400 or 422 with a list of what is wrong                   RFC 9457, FastAPI
    problem             {"type", "title", "detail"}                               RFC 9457
    gateway             {"status": 502, "code", "message", "retryable"}           agent gateways
    any_error           {"error": ...} in any other form
    failed              {"status": "failed"}                                      SSP, executions
"""

from collections.abc import Callable, Mapping
from threading import Lock
from typing import NamedTuple

from skillproto.errors import Category, ErrorCode, Reaction, RetryHint, is_envelope_body, known_code
from skillproto.invocation.reported import read_violations
from skillproto.violations import JSONValue, Violation


class Answer(NamedTuple):
    """A reply as a contract sees it.

    Attributes:
        http_status: of the reply.
        headers: with names in lower case.
        value: the parsed body; None also where it was empty or no JSON.
    """

    http_status: int
    headers: Mapping[str, str]
    value: JSONValue

    @property
    def succeeded(self) -> bool:
        """Whether HTTP calls it a success."""
        return 200 <= self.http_status < 300

    @property
    def members(self) -> Mapping[str, JSONValue]:
        """The body's members; none where it is no object."""
        return self.value if isinstance(self.value, Mapping) else {}

    @property
    def error(self) -> Mapping[str, JSONValue]:
        """The members of the body's `error`; none where it is no object."""
        error = self.members.get("error")
        return error if isinstance(error, Mapping) else {}


class Failure(NamedTuple):
    """A failure as a reply tells it. What is None is left to the HTTP status.

    Attributes:
        code: where the reply is certain of it.
        message: for people; masked and cut later.
        details: as JSON; masked and cut later.
        retry: the reply's hint, or None.
        retryable: whether the reply says that trying again can help.
        reaction: what kind of failure the reply says it is; the status may name the code
            only where it agrees.
        violations: what is wrong with the request, one by one.
    """

    code: ErrorCode | None = None
    message: str | None = None
    details: Mapping[str, JSONValue] = {}
    retry: RetryHint | None = None
    retryable: bool | None = None
    reaction: Reaction | None = None
    violations: tuple[Violation, ...] = ()


Contract = Callable[[Answer], Failure | None]

_REPORTING = (400, 422)

_AGREEING: Mapping[Reaction, Mapping[int, ErrorCode]] = {
    "PERMISSION": {401: ErrorCode.AUTH_REQUIRED, 403: ErrorCode.PERMISSION_DENIED},
    "NOT_FOUND": {404: ErrorCode.SKILL_NOT_FOUND},
    "VALIDATION": dict.fromkeys(_REPORTING, ErrorCode.VALIDATION_ERROR),
    "SYSTEM": {
        408: ErrorCode.EXECUTION_TIMEOUT,
        504: ErrorCode.EXECUTION_TIMEOUT,
        429: ErrorCode.ENDPOINT_UNREACHABLE,
        502: ErrorCode.ENDPOINT_UNREACHABLE,
        503: ErrorCode.ENDPOINT_UNREACHABLE,
    },
}

_CATEGORY_OF_TYPE: Mapping[Reaction, Category] = {
    "NOT_FOUND": "validation",
    "VALIDATION": "validation",
    "PERMISSION": "permission",
    "SYSTEM": "transient",
    "BLOCKER": "business",
}
_TYPES: Mapping[str, Reaction] = {kind: kind for kind in (*_CATEGORY_OF_TYPE, "UNKNOWN")}
_REACTION_OF_CATEGORY: Mapping[str, Reaction] = {
    "transient": "SYSTEM",
    "validation": "VALIDATION",
    "business": "BLOCKER",
    "permission": "PERMISSION",
}


def code_where_agreeing(reaction: Reaction, http_status: int) -> ErrorCode:
    """Give the code of a status that says the same as the body, else EXECUTION_FAILED.

    So a body that blames the input is never retried because it came under a 503.

    >>> code_where_agreeing("SYSTEM", 503).value, code_where_agreeing("VALIDATION", 503).value
    ('ENDPOINT_UNREACHABLE', 'EXECUTION_FAILED')
    """
    return _AGREEING.get(reaction, {}).get(http_status, ErrorCode.EXECUTION_FAILED)


def envelope(answer: Answer) -> Failure | None:
    """Read the protocol's envelope (SSP 9.3)."""
    error = answer.error
    if not is_envelope_body(error):
        return None
    code = known_code(error["code"])
    if code is None and "error_type" in error:
        return None
    details = _object(error.get("details"))
    violations = tuple(read_violations(details))
    if code is None:
        details = {"provider_code": error["code"], **details}
        code = ErrorCode.VALIDATION_ERROR if violations and answer.http_status in _REPORTING else None
    return Failure(
        code,
        error["message"],
        details,
        RetryHint.read(error.get("retry")),
        _first_flag(error.get("retryable"), details.get("retryable"), answer.members.get("retryable")),
        violations=violations if code is ErrorCode.VALIDATION_ERROR else (),
    )


def asixto(answer: Answer) -> Failure | None:
    """Read an Asixto failure: `error_type` says what an agent does about it."""
    nested = "error_type" in answer.error
    told = answer.error if nested else answer.members
    kind = _TYPES.get(str(told.get("error_type")))
    if kind is None and not nested:
        return None
    kind = kind or "UNKNOWN"
    details = _object(told.get("details"))
    code = known_code(details.get("code"))
    if code is not None:
        details.pop("code")
    category = _CATEGORY_OF_TYPE.get(kind)
    details |= {"error_type": kind, **({"category": category} if category else {})}
    unsure = kind == "UNKNOWN"
    return Failure(
        code or (ErrorCode.UNKNOWN if unsure and answer.succeeded else None),
        _words(told),
        details,
        RetryHint.read(told.get("retry")),
        None if unsure else kind == "SYSTEM",
        None if unsure else kind,
    )


def tool_result(answer: Answer) -> Failure | None:
    """Read a failed MCP tool result, bare or as the `result` of a JSON-RPC answer."""
    told = answer.members
    if "jsonrpc" in told and isinstance(told.get("result"), Mapping):
        told = told["result"]
    if told.get("isError") is not True:
        return None
    meta = _object(told.get("_meta"))
    category, code, description = meta.get("errorCategory"), meta.get("errorCode"), meta.get("description")
    category = category if isinstance(category, str) and category in _REACTION_OF_CATEGORY else None
    rest = {key: value for key, value in meta.items() if key not in _META_READ}
    details = {"category": category, "provider_code": code, "description": description, "meta": rest or None}
    return Failure(
        known_code(code),
        _content_text(told.get("content")) or (description if isinstance(description, str) else None),
        {key: value for key, value in details.items() if value is not None},
        RetryHint.read(meta.get("retry")),
        _tool_retryable(meta.get("isRetryable"), category),
        _REACTION_OF_CATEGORY.get(category) if category else None,
    )


_META_READ = ("errorCategory", "errorCode", "description", "isRetryable", "retry")


def _tool_retryable(flag: JSONValue, category: str | None) -> bool | None:
    if category == "business":
        return False
    if isinstance(flag, bool):
        return flag
    return category == "transient" if category else None


def _content_text(content: JSONValue) -> str | None:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [block["text"] for block in blocks if isinstance(block, Mapping) and isinstance(block.get("text"), str)]
    return "\n".join(texts) or None


_JSON_RPC_CODES: Mapping[int, ErrorCode] = {
    -32602: ErrorCode.VALIDATION_ERROR,
    -32601: ErrorCode.SKILL_NOT_FOUND,
    -32603: ErrorCode.EXECUTION_FAILED,
}


def json_rpc(answer: Answer) -> Failure | None:
    """Read a JSON-RPC 2.0 error object: invalid params, no such method, versions that do not fit."""
    error = answer.error
    number = error.get("code")
    if "jsonrpc" not in answer.members or isinstance(number, bool) or not isinstance(number, int):
        return None
    message = error.get("message")
    data = error.get("data")
    details: dict[str, JSONValue] = {"provider_code": number, **({} if data is None else {"data": data})}
    code = _JSON_RPC_CODES.get(number)
    supported = _object(data).get("supported")
    if isinstance(supported, list | str):
        code = ErrorCode.VERSION_INCOMPATIBLE
        details |= {"provider_supported": supported}
    elif code is ErrorCode.VALIDATION_ERROR and isinstance(message, str) and message.lower().startswith("unknown tool"):
        code = ErrorCode.SKILL_NOT_FOUND
    violations = tuple(read_violations(data)) if code is ErrorCode.VALIDATION_ERROR else ()
    retryable = _first_flag(_object(data).get("retryable"), _object(data).get("isRetryable"))
    return Failure(code, message if isinstance(message, str) else None, details, None, retryable, None, violations)


def cancelled(answer: Answer) -> Failure | None:
    """Read an execution that was cancelled at the provider."""
    if not answer.succeeded or answer.members.get("status") != "cancelled":
        return None
    return Failure(ErrorCode.CANCELLED, _words(answer.error))


def validation_report(answer: Answer) -> Failure | None:
    """Read a 400 or 422 whose body says what is wrong with the request."""
    if answer.http_status not in _REPORTING:
        return None
    for place in (
        answer.members,
        answer.error,
        _object(answer.members.get("details")),
        _object(answer.error.get("details")),
    ):
        violations = read_violations(place)
        if violations:
            message = _words(answer.error) or _words(answer.members)
            return Failure(ErrorCode.VALIDATION_ERROR, message, violations=tuple(violations))
    return None


def problem(answer: Answer) -> Failure | None:
    """Read problem details. The HTTP status counts, not the body's copy of it (RFC 9457 3.1.2)."""
    told = answer.members
    declared = answer.headers.get("content-type", "").lower().startswith("application/problem+json")
    alike = isinstance(told.get("title"), str) and isinstance(told.get("type") or told.get("detail"), str)
    if not told or not (declared or (alike and not answer.succeeded)):
        return None
    details = {"provider_code": told.get("code"), "problem": {key: told[key] for key in _PROBLEM if key in told}}
    return Failure(
        known_code(told.get("code")),
        _words(told),
        {key: value for key, value in details.items() if value},
        RetryHint.read(told.get("retry")),
        _first_flag(told.get("retryable")),
    )


_PROBLEM = ("type", "title", "status", "instance")


def gateway(answer: Answer) -> Failure | None:
    """Read what agent gateways write at the top of a body: status, code, whether to try again."""
    told = answer.members
    status, code = told.get("status"), told.get("code")
    bad_status = isinstance(status, int) and status >= 400
    marked = bad_status or isinstance(told.get("retryable"), bool)
    if not isinstance(code, str) or _is_error(told.get("error")) or "output" in told:
        return None
    if answer.succeeded and not (marked and isinstance(told.get("message"), str)):
        return None
    details: dict[str, JSONValue] = {} if known_code(code) else {"provider_code": code}
    if bad_status and status != answer.http_status:
        details["provider_status"] = status
    hint = RetryHint.read(told.get("retry"))
    return Failure(known_code(code), _words(told), details, hint, _first_flag(told.get("retryable")))


def any_error(answer: Answer) -> Failure | None:
    """Read an `error` in a form that nobody agreed on; null, false and what is empty text are none."""
    error = answer.members.get("error")
    if not _is_error(error):
        return None
    if isinstance(error, str):
        description = answer.members.get("error_description")
        if isinstance(description, str):
            return Failure(known_code(error), description, {"provider_code": error})
        return Failure(None, error)
    told = answer.error
    code = told.get("code", told.get("type"))
    details = {"provider_code": code, **_object(told.get("details"))}
    return Failure(
        None,
        _words(told),
        {key: value for key, value in details.items() if value is not None},
        RetryHint.read(told.get("retry")),
        _first_flag(told.get("retryable")),
    )


def failed(answer: Answer) -> Failure | None:
    """Read an execution that failed without saying more."""
    if not answer.succeeded or answer.members.get("status") != "failed":
        return None
    return Failure(ErrorCode.EXECUTION_FAILED, _words(answer.members))


def _is_error(error: JSONValue) -> bool:
    return error is not None and error is not False and error not in ("", 0, [])


def _object(value: JSONValue) -> dict[str, JSONValue]:
    return dict(value) if isinstance(value, Mapping) else {}


def _first_flag(*values: JSONValue) -> bool | None:
    return next((value for value in values if isinstance(value, bool)), None)


_SPEAKING = ("user_message", "message", "detail", "error_description", "description", "msg", "title")


def _words(told: Mapping[str, JSONValue]) -> str | None:
    """Give the first member that usually holds words for people."""
    return next((told[name] for name in _SPEAKING if isinstance(told.get(name), str) and told[name].strip()), None)


_BUILT_IN: tuple[Contract, ...] = (
    envelope,
    asixto,
    tool_result,
    json_rpc,
    cancelled,
    validation_report,
    problem,
    gateway,
    any_error,
    failed,
)
_registered: tuple[Contract, ...] = ()
_lock = Lock()


def register_contract(contract: Contract) -> Callable[[], None]:
    """Let a function read replies before the built-in contracts do.

    Args:
        contract: gives a `Failure`, or None where the reply is not in its form. It is
            also asked about successes. One that raises counts as having given None.

    Returns:
        A function that takes the contract out again; a second call does nothing.

    >>> def sold_out(answer):
    ...     if answer.members.get("soldOut") is True:
    ...         return Failure(ErrorCode.EXECUTION_FAILED, "Nothing is left", retryable=False)
    >>> undo = register_contract(sold_out)
    >>> read_failure(Answer(200, {}, {"soldOut": True})).message
    'Nothing is left'
    >>> undo()
    """
    global _registered
    entry: Contract = lambda answer: _contained(contract, answer)  # noqa: E731 - its identity is the registration
    with _lock:
        _registered = (entry, *_registered)

    def undo() -> None:
        global _registered
        with _lock:
            _registered = tuple(other for other in _registered if other is not entry)

    return undo


def _contained(contract: Contract, answer: Answer) -> Failure | None:
    try:
        failure = contract(answer)
    except Exception:
        from logging import getLogger

        getLogger("skillproto").exception("A registered contract raised; the reply is read without it")
        return None
    return failure if isinstance(failure, Failure) else None


def read_failure(answer: Answer) -> Failure | None:
    """Ask the contracts, in their order, whether a reply tells a failure.

    >>> read_failure(Answer(200, {}, {"results": [], "total": 0})) is None
    True
    """
    return next((failure for contract in (*_registered, *_BUILT_IN) if (failure := contract(answer))), None)
