"""Every vendor's own objects as replies, and rubbish in their place."""

import json
from typing import Any

import pytest
from anthropic.types import Message
from mcp.types import CreateMessageResultWithTools
from openai.types.chat import ChatCompletion
from openai.types.responses import Response

from skillproto import RetryPolicy, SkillError
from skillproto.testing import FakeTime
from tests.support.agents import (
    Driver,
    by_path,
    echo,
    tool_use,
)

ECHO = tool_use("c1", "echo", text="hi")
FIND = tool_use("c2", "find", text="hi")
BUY = tool_use("c3", "buy", text="hi")
ALL = by_path(echo=echo, find=echo, buy=echo)


# Vendors.

USAGE = {"input_tokens": 1, "output_tokens": 1}
NAME = "com_example_echo"
CHAT = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
OPENAI_CALL = {"id": "c1", "type": "function", "function": {"name": NAME, "arguments": '{"text": "hi"}'}}
RESPONSE = {
    "id": "r",
    "object": "response",
    "created_at": 1,
    "model": "m",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
}
SAID = {"type": "output_text", "text": "fine", "annotations": []}


def anthropic_message(*content: Any) -> Message:
    return Message.model_validate(
        {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": list(content), "usage": USAGE}
        | {"stop_reason": "end_turn", "stop_sequence": None}
    )


def completion(**message: Any) -> ChatCompletion:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": None, **message}}
    return ChatCompletion.model_validate({**CHAT, "choices": [choice]})


def response(*items: Any) -> Response:
    return Response.model_validate({**RESPONSE, "output": list(items)})


def sampled(content: Any) -> CreateMessageResultWithTools:
    return CreateMessageResultWithTools.model_validate({"role": "assistant", "model": "m", "content": content})


VENDORS: dict[str, tuple[list[Any], Any]] = {
    "anthropic": (
        [anthropic_message(ECHO), anthropic_message({"type": "text", "text": "fine"})],
        [
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "hi", "is_error": False}],
            }
        ],
    ),
    "openai": (
        [completion(tool_calls=[OPENAI_CALL]), completion(content="fine")],
        [{"role": "tool", "tool_call_id": "c1", "content": "hi"}],
    ),
    "openai-responses": (
        [
            response({"type": "function_call", "call_id": "c1", "name": NAME, "arguments": '{"text": "hi"}'}),
            response({"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [SAID]}),
        ],
        [{"type": "function_call_output", "call_id": "c1", "output": "hi"}],
    ),
    "mcp": (
        [sampled([ECHO]), sampled({"type": "text", "text": "fine"})],
        None,
    ),
    "asixto": (
        [
            {"role": "assistant", "tool_calls": [{"id": "c1", "name": NAME, "arguments": {"text": "hi"}}]},
            {"role": "assistant", "content": "fine"},
        ],
        [{"role": "tool", "tool_call_id": "c1", "content": {"output": "hi"}}],
    ),
}


@pytest.mark.parametrize("style", VENDORS)
def test_each_vendors_own_objects_are_read_and_answered_in_its_messages(style: str, driver: Driver) -> None:
    replies, answer = VENDORS[style]
    ran = driver.run(replies, style=style)
    assert (ran.given.state, ran.given.output) == ("completed", "fine")
    asked = ran.asked[1]
    assert asked[0]["role"] == "user"
    assert asked[1].get("role", "assistant") == "assistant"
    if answer is not None:
        assert asked[2:] == answer
    else:
        (block,) = asked[2]["content"]
        assert (block["type"], block["toolUseId"], block["isError"]) == ("tool_result", "c1", False)
    assert json.loads(json.dumps(ran.given.messages)) == ran.given.messages


def test_what_the_model_does_to_its_arguments_does_not_reach_the_run(driver: Driver) -> None:
    def model(messages: Any, tools: Any) -> Any:
        messages.clear()
        tools.clear()
        return {"content": "fine"}

    ran = driver.run([], model=model)
    assert [message["role"] for message in ran.given.messages] == ["user", "assistant"]


REPLIES_THAT_ARE_NONE: dict[str, Any] = {
    "None": None,
    "text": "fine",
    "number": 5,
    "list": [{"content": "fine"}],
    "empty": {},
    "user": {"role": "user", "content": "fine"},
    "content of numbers": {"content": [5]},
    "no choices": {"choices": []},
    "choices without a message": {"choices": [{"index": 0}]},
    "calls that are no list": {"tool_calls": {"a": 1}},
    "calls without an id": {"tool_calls": [{"type": "function", "function": {"name": "x", "arguments": "{}"}}]},
    "content of a dict": {"content": {"a": 1}},
    "not a number": {"content": "x", "score": float("nan")},
}


WITH_CALLS_OF_THEIR_OWN = ("openai", "asixto")
RUBBISH = [
    (style, kind)
    for style in ("anthropic", "openai", "openai-responses", "asixto", "mcp")
    for kind in REPLIES_THAT_ARE_NONE
    if "calls" not in kind or style in WITH_CALLS_OF_THEIR_OWN
]


@pytest.mark.parametrize(("style", "kind"), RUBBISH)
def test_rubbish_from_a_model_is_one_kind_of_failure(style: str, kind: str) -> None:
    ran = Driver("sync").run([REPLIES_THAT_ARE_NONE[kind]], style=style)
    assert ran.failed.code == "VALIDATION_ERROR", ran.error
    assert ran.failed.details["target"] == "agent_output"
    assert str(ran.error).startswith("VALIDATION_ERROR: Invalid agent output: ")
    assert ran.final == ["run.failed"]


CUT: dict[str, Any] = {
    "anthropic": {"content": [{"type": "text", "text": "Once upon"}], "stop_reason": "max_tokens"},
    "openai": {"choices": [{"finish_reason": "length", "message": {"role": "assistant", "content": "Once upon"}}]},
    "openai-responses": {
        "status": "incomplete",
        "output": [{"type": "message", "role": "assistant", "content": [SAID | {"text": "Once upon"}]}],
    },
    "mcp": {"role": "assistant", "content": {"type": "text", "text": "Once upon"}, "stopReason": "maxTokens"},
}


@pytest.mark.parametrize("style", CUT)
def test_a_text_that_was_cut_off_is_no_last_word(style: str, driver: Driver) -> None:
    ran = driver.run([CUT[style]], style=style, output_schema={"type": "integer"})
    assert (ran.given.state, ran.given.stop_reason, ran.given.output) == ("stopped", "length", "Once upon")
    assert ran.final == ["run.stopped"]


def test_a_model_that_pauses_is_asked_again(driver: Driver) -> None:
    paused = {"content": [{"type": "text", "text": "Searching"}], "stop_reason": "pause_turn"}
    ran = driver.run([paused, {"content": "fine"}])
    assert (ran.given.output, ran.given.steps) == ("fine", 2)
    assert [message["role"] for message in ran.asked[1]] == ["user", "assistant"]


# Replies that tell of a failure.

OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
FAILED = {**RESPONSE, "output": [], "status": "failed", "error": {"code": "server_error", "message": "It broke"}}
BROKE_OFF = {"finish_reason": "error", "message": {"content": "Half a"}, "error": {"code": 502, "message": "Lost it"}}


@pytest.mark.parametrize(
    ("style", "reply", "code"),
    [
        ("anthropic", OVERLOADED, "ENDPOINT_UNREACHABLE"),
        ("openai", {"error": {"message": "None left", "code": 503}}, "ENDPOINT_UNREACHABLE"),
        ("openai", {"choices": [BROKE_OFF]}, "ENDPOINT_UNREACHABLE"),
        ("openai-responses", FAILED, "UNKNOWN"),
        ("openai-responses", Response.model_validate(FAILED), "UNKNOWN"),
    ],
    ids=["anthropic", "gateway", "in a choice", "response", "response of the SDK"],
)
def test_a_reply_that_tells_a_failure_is_one_and_the_model_is_asked_again(style: Any, reply: Any, code: str) -> None:
    good = {"output": [{"type": "message", "content": [SAID]}]} if style == "openai-responses" else {"content": "fine"}
    ran = Driver("sync").run([reply, good], ALL, style=style, client={"timing": FakeTime()})
    assert ran.given.output == "fine"
    ran = Driver("sync").run([reply], ALL, style=style, model_policy=RetryPolicy(max_attempts=1))
    assert isinstance(ran.error, SkillError)
    assert (ran.error.code.value, ran.final) == (code, ["run.failed"])


def test_a_response_that_was_cancelled_is_a_failure() -> None:
    ran = Driver("sync").run([{**RESPONSE, "output": [], "status": "cancelled"}], ALL, style="openai-responses")
    assert ran.final == ["run.failed"]


@pytest.mark.parametrize(
    ("style", "reply"),
    [
        ("anthropic", {"content": [{"type": "text", "text": "Half"}], "stop_reason": "refusal"}),
        ("openai", {"choices": [{"finish_reason": "content_filter", "message": {"content": "Half"}}]}),
        (
            "openai-responses",
            {"output": [{"type": "message", "content": [SAID]}], "status": "incomplete"}
            | {"incomplete_details": {"reason": "content_filter"}},
        ),
    ],
    ids=["anthropic", "openai", "responses"],
)
def test_a_text_that_a_filter_kept_back_is_no_last_word(style: Any, reply: Any) -> None:
    ran = Driver("sync").run([reply], ALL, style=style)
    assert (ran.given.state, ran.given.stop_reason) == ("stopped", "content_filter")


def test_a_custom_call_that_no_skill_can_answer_does_not_stay_open() -> None:
    custom = {"type": "custom_tool_call", "call_id": "c1", "name": NAME, "input": "hi"}
    ran = Driver("sync").run([{"output": [custom]}], ALL, style="openai-responses")
    assert ran.final == ["run.failed"]
    assert custom not in ran.saved["messages"]


@pytest.mark.parametrize("style", ["anthropic", "mcp"])
def test_a_call_that_was_cut_off_is_not_made_with_half_of_its_inputs(style: Any) -> None:
    transport = by_path(echo=echo)
    reply: dict[str, Any] = {"content": [ECHO, tool_use("c2", "echo", text="Dear Ann, I am wri")]}
    reply |= {"stop_reason": "max_tokens"} if style == "anthropic" else {"stopReason": "maxTokens"}
    ran = Driver("sync").run([reply, {"content": "fine"}], transport, style=style, on_error="return-to-model")
    assert ran.given.output == "fine"
    assert len(transport.requests) == 1
    assert "cut off at the model's limit" in json.dumps(ran.given.messages)
