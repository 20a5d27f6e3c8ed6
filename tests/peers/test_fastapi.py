"""A FastAPI application as a provider: its 422 says what is wrong, field by field, and is never retried."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, Field

from skillproto import ErrorCode, RetryPolicy, SkillError, ValidationFailed
from tests.support.asgi import serving
from tests.support.drivers import Invoke, descriptor


class Inputs(BaseModel):
    text: str = Field(min_length=3)
    times: int = Field(default=1, le=5)


class Body(BaseModel):
    skill_id: str
    inputs: Inputs


def _app() -> FastAPI:
    app = FastAPI()
    app.state.asked = 0

    @app.post("/invoke")
    def run(body: Body) -> dict[str, Any]:
        app.state.asked += 1
        return {"output": body.inputs.text * body.inputs.times}

    @app.post("/refuse/{status}")
    def refuse(status: int) -> None:
        app.state.asked += 1
        headers = {"Retry-After": "1"} if status in (429, 503) else None
        raise HTTPException(status, "These are the words of the provider", headers)

    @app.post("/crash")
    def crash() -> None:
        app.state.asked += 1
        raise RuntimeError("internals")

    return app


@pytest.fixture(scope="module")
def app() -> FastAPI:
    return _app()


@pytest.fixture(scope="module")
def origin(app: FastAPI) -> Iterator[str]:
    with serving(app) as origin:
        yield origin


def test_a_call_goes_well(invoke: Invoke, origin: str) -> None:
    assert invoke(descriptor(f"{origin}/invoke"), {"text": "abc", "times": 2}).output == "abcabc"


def test_its_422_is_a_list_of_violations(invoke: Invoke, origin: str) -> None:
    with pytest.raises(ValidationFailed) as caught:
        invoke(descriptor(f"{origin}/invoke"), {"text": "a", "times": 9})
    error = caught.value
    assert (error.code, error.http_status, error.attempts) == (ErrorCode.VALIDATION_ERROR, 422, 1)
    assert [violation.field for violation in error.violations] == ["/inputs/text", "/inputs/times"]
    assert "at least 3 characters" in error.violations[0].message


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (401, ErrorCode.AUTH_REQUIRED),
        (403, ErrorCode.PERMISSION_DENIED),
        (404, ErrorCode.SKILL_NOT_FOUND),
        (409, ErrorCode.UNKNOWN),
        (422, ErrorCode.VERSION_INCOMPATIBLE),
        (429, ErrorCode.ENDPOINT_UNREACHABLE),
        (503, ErrorCode.ENDPOINT_UNREACHABLE),
    ],
)
def test_an_exception_of_it_is_read_by_its_status_and_its_detail(
    invoke: Invoke, origin: str, status: int, code: ErrorCode
) -> None:
    with pytest.raises(SkillError) as caught:
        invoke(descriptor(f"{origin}/refuse/{status}"), policy=RetryPolicy(max_attempts=1))
    assert (caught.value.code, caught.value.http_status) == (code, status)
    assert caught.value.message == "These are the words of the provider"
    hint = caught.value.retry
    assert (hint.suggested_delay_ms if hint else None) == (1000 if status in (429, 503) else None)


def test_a_crash_of_it_is_unknown_and_not_retried(invoke: Invoke, app: FastAPI, origin: str) -> None:
    before = app.state.asked
    with pytest.raises(SkillError) as caught:
        invoke(descriptor(f"{origin}/crash"))
    assert (caught.value.code, caught.value.http_status) == (ErrorCode.UNKNOWN, 500)
    assert app.state.asked - before == caught.value.attempts == 1
