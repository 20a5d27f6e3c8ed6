"""The ways in which providers tell a failure, each read by one function.

Pure. A contract is a function from an `Answer` to the `Failure` that it tells, or None
where the answer is not in its form. They are asked in the order of the table below, the
first that recognises its form decides; `register_contract` puts one of yours before all.
What a contract leaves open, the HTTP status decides.

    envelope            {"error": {"code", "message", "details", "retry"}}        SSP 9.3
    asixto              {"error": {"error_type", "user_message"}}                 Asixto 06
    tool_result         {"isError": true, "content", "_meta"}                     MCP
    tool_message        {"type": "tool_result", "is_error": true, "content"}      Anthropic
                        {"role": "tool", "tool_call_id", "content"}               OpenAI
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

from skillproto.errors import ErrorCode, RetryHint, is_envelope_body, known_code
from skillproto.invocation.failures import (
    CATEGORY_OF_TYPE,
    ERROR_TYPES,
    REACTION_OF_CATEGORY,
    REPORTING,
    Answer,
    Failure,
    as_object,
    first_flag,
    words_of,
)
from skillproto.invocation.reported import read_violations
from skillproto.invocation.tool_messages import carried_by, content_text
from skillproto.violations import JSONValue, Violation

Contract = Callable[[Answer], Failure | None]


def envelope(answer: Answer) -> Failure | None:
    """Read the protocol's envelope (SSP 9.3)."""
    error = answer.error
    if not is_envelope_body(error):
        return None
    code = known_code(error["code"])
    if code is None and "error_type" in error:
        return None
    details = as_object(error.get("details"))
    violations = tuple(read_violations(details))
    if code is None:
        details = {"provider_code": error["code"], **details}
        code = ErrorCode.VALIDATION_ERROR if violations and answer.http_status in REPORTING else None
    return Failure(
        code,
        error["message"],
        details,
        RetryHint.read(error.get("retry")),
        first_flag(error.get("retryable"), details.get("retryable"), answer.members.get("retryable")),
        violations=violations if code is ErrorCode.VALIDATION_ERROR else (),
    )


def asixto(answer: Answer) -> Failure | None:
    """Read an Asixto failure: `error_type` says what an agent does about it."""
    nested = "error_type" in answer.error
    told = answer.error if nested else answer.members
    kind = ERROR_TYPES.get(str(told.get("error_type")))
    if kind is None and not nested and not _is_flat(told):
        return None
    kind = kind or "UNKNOWN"
    details = as_object(told.get("details"))
    code = known_code(details.get("code"))
    flag, hint = (details.pop("retryable", None), details.pop("retry", None)) if code else (None, None)
    if code is not None:
        details.pop("code")
    category = _category(details) if code else None
    category = category or CATEGORY_OF_TYPE.get(kind)
    details |= {"error_type": kind, **({"category": category} if category else {})}
    unsure = kind == "UNKNOWN"
    return Failure(
        code or (ErrorCode.UNKNOWN if unsure and answer.succeeded else None),
        words_of(told),
        details,
        RetryHint.read(told.get("retry")) or RetryHint.read(hint),
        first_flag(flag, None if unsure else kind == "SYSTEM"),
        None if unsure else kind,
        _violations(code, details),
    )


def _is_flat(told: Mapping[str, JSONValue]) -> bool:
    """Say whether a body is a failure written without its `error`: a type, whichever, beside words for the user.

    An output that happens to have an `error_type` of its own has no `user_message` beside it.
    """
    has_words = isinstance(told.get("error_type"), str) and isinstance(told.get("user_message"), str)
    return has_words and "output" not in told and "execution_id" not in told


def _category(details: Mapping[str, JSONValue]) -> str | None:
    category = details.get("category")
    return category if isinstance(category, str) and category in REACTION_OF_CATEGORY else None


def _violations(code: ErrorCode | None, details: Mapping[str, JSONValue]) -> tuple[Violation, ...]:
    return tuple(read_violations(details)) if code is ErrorCode.VALIDATION_ERROR else ()


def tool_result(answer: Answer) -> Failure | None:
    """Read a failed MCP tool result, bare or as the `result` of a JSON-RPC answer.

    Under one of our codes the first text says what happened; those behind it are for the model.
    """
    told = answer.members
    if "jsonrpc" in told and isinstance(told.get("result"), Mapping):
        told = told["result"]
    if told.get("isError") is not True:
        return None
    meta = as_object(told.get("_meta"))
    category, code, description = meta.get("errorCategory"), meta.get("errorCode"), meta.get("description")
    category = category if isinstance(category, str) and category in REACTION_OF_CATEGORY else None
    known, content = known_code(code), told.get("content")
    details = as_object(meta.pop("details", None)) if known else {}
    rest = {key: value for key, value in meta.items() if key not in _META_READ}
    details |= {
        "category": category,
        "provider_code": None if known else code,
        "description": description,
        "meta": rest or None,
    }
    return Failure(
        known,
        content_text(content[:1] if known and isinstance(content, list) else content)
        or (description if isinstance(description, str) else None),
        {key: value for key, value in details.items() if value is not None},
        RetryHint.read(meta.get("retry")),
        _tool_retryable(meta.get("isRetryable"), category),
        REACTION_OF_CATEGORY.get(category) if category else None,
        _violations(known, details),
    )


_META_READ = ("errorCategory", "errorCode", "description", "isRetryable", "retry")


def _tool_retryable(flag: JSONValue, category: str | None) -> bool | None:
    if category == "business":
        return False
    if isinstance(flag, bool):
        return flag
    return category == "transient" if category else None


def tool_message(answer: Answer) -> Failure | None:
    """Read a failed tool result as it stands in a conversation with a model (Anthropic, OpenAI)."""
    carried = carried_by(answer.value)
    if carried is None or carried.failed is False:
        return None
    failure = tell_failure(Answer(answer.http_status, {}, carried.value))
    if failure is None and carried.failed:
        text = carried.value if isinstance(carried.value, str) else words_of(as_object(carried.value))
        failure = Failure(message=text)
    return failure


def tell_failure(answer: Answer) -> Failure | None:
    """Ask the contracts whether what a message carries tells a failure, as text alone can tell it.

    >>> tell_failure(Answer(200, {}, {"error": "Nothing is left"})).message
    'Nothing is left'
    """
    return next((failure for contract in _CARRIED if (failure := contract(answer))), None)


_JSON_RPC_CODES: Mapping[int, ErrorCode] = {
    -32602: ErrorCode.VALIDATION_ERROR,
    -32601: ErrorCode.SKILL_NOT_FOUND,
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
    supported = as_object(data).get("supported")
    if isinstance(supported, list | str):
        code = ErrorCode.VERSION_INCOMPATIBLE
        details |= {"provider_supported": supported}
    elif code is ErrorCode.VALIDATION_ERROR and isinstance(message, str) and message.lower().startswith("unknown tool"):
        code = ErrorCode.SKILL_NOT_FOUND
    violations = tuple(read_violations(data)) if code is ErrorCode.VALIDATION_ERROR else ()
    retryable = first_flag(as_object(data).get("retryable"), as_object(data).get("isRetryable"))
    return Failure(code, message if isinstance(message, str) else None, details, None, retryable, None, violations)


def cancelled(answer: Answer) -> Failure | None:
    """Read an execution that was cancelled at the provider."""
    if not answer.succeeded or answer.members.get("status") != "cancelled":
        return None
    return Failure(ErrorCode.CANCELLED, words_of(answer.error))


def validation_report(answer: Answer) -> Failure | None:
    """Read a 400 or 422 whose body says what is wrong with the request."""
    if answer.http_status not in REPORTING:
        return None
    for place in (
        answer.members,
        answer.error,
        as_object(answer.members.get("details")),
        as_object(answer.error.get("details")),
    ):
        violations = read_violations(place)
        if violations:
            message = words_of(answer.error) or words_of(answer.members)
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
        words_of(told),
        {key: value for key, value in details.items() if value},
        RetryHint.read(told.get("retry")),
        first_flag(told.get("retryable")),
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
    return Failure(known_code(code), words_of(told), details, hint, first_flag(told.get("retryable")))


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
    details = {"provider_code": code, **as_object(told.get("details"))}
    return Failure(
        None,
        words_of(told),
        {key: value for key, value in details.items() if value is not None},
        RetryHint.read(told.get("retry")),
        first_flag(told.get("retryable")),
    )


def failed(answer: Answer) -> Failure | None:
    """Read an execution that failed without saying more."""
    if not answer.succeeded or answer.members.get("status") != "failed":
        return None
    return Failure(ErrorCode.EXECUTION_FAILED, words_of(answer.members))


def _is_error(error: JSONValue) -> bool:
    return error is not None and error is not False and error not in ("", 0, [])


_BUILT_IN: tuple[Contract, ...] = (
    envelope,
    asixto,
    tool_result,
    tool_message,
    json_rpc,
    cancelled,
    validation_report,
    problem,
    gateway,
    any_error,
    failed,
)
_CARRIED: tuple[Contract, ...] = (envelope, asixto, tool_result, json_rpc, cancelled, gateway, any_error, failed)
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
