"""Tool calls of every shape: read, checked, and answered in each style."""

from typing import Any

import pytest
from anthropic.types import ToolUseBlock
from openai.types.chat import ChatCompletionMessageFunctionToolCall

from skillproto import (
    SkillClient,
    SkillNotFound,
    UsageError,
    ValidationFailed,
)
from skillproto.agent.dispatch_calls import ToolCall, read_calls
from skillproto.agent.skill_set import SkillSet
from skillproto.testing import output, reply
from tests.support.agents import Driver, by_path, echo, skill, tool_use

SKILLS = [skill("echo"), skill("find"), skill("buy")]
NAME = "com_example_echo"


# Shapes.

SHAPES: dict[str, Any] = {
    "ours": ToolCall("c1", NAME, {"text": "hi"}),
    "ours, by id": ToolCall("c1", "com.example.echo", {"text": "hi"}),
    "anthropic": {"type": "tool_use", "id": "c1", "name": NAME, "input": {"text": "hi"}},
    "anthropic sdk": ToolUseBlock(type="tool_use", id="c1", name=NAME, input={"text": "hi"}),
    "openai": {"id": "c1", "type": "function", "function": {"name": NAME, "arguments": '{"text": "hi"}'}},
    "openai sdk": ChatCompletionMessageFunctionToolCall.model_validate(
        {"id": "c1", "type": "function", "function": {"name": NAME, "arguments": '{"text": "hi"}'}}
    ),
    "openai responses": {"type": "function_call", "call_id": "c1", "name": NAME, "arguments": '{"text": "hi"}'},
    "mcp request": {
        "jsonrpc": "2.0",
        "id": "c1",
        "method": "tools/call",
        "params": {"name": NAME, "arguments": {"text": "hi"}},
    },
    "mcp params with an id": {"id": "c1", "name": NAME, "arguments": {"text": "hi"}},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_call_of_each_shape_is_made(shape: str) -> None:
    with SkillClient(caller_id="tests", transport=by_path(echo=echo)) as client:
        (answer,) = SkillSet(SKILLS, client).dispatch([SHAPES[shape]])
    assert (answer.call.id, answer.skill_id, answer.output, answer.error) == ("c1", "com.example.echo", "hi", None)


def test_the_params_of_mcp_get_an_id_of_their_place_and_a_number_is_an_id() -> None:
    params = {"name": NAME, "arguments": {"text": "hi"}}
    calls = read_calls([params, {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}])
    assert [call.id for call in calls] == ["call-0", "7"]


def test_no_arguments_are_an_empty_object() -> None:
    calls = [
        {"id": "a", "function": {"name": "x", "arguments": ""}},
        {"id": "b", "function": {"name": "x", "arguments": "null"}},
        {"id": "c", "name": "x"},
    ]
    assert [call.inputs for call in read_calls(calls)] == [{}, {}, {}]


@pytest.mark.parametrize(
    ("calls", "message"),
    [
        ([tool_use("c1", "echo"), tool_use("c2", "echo"), tool_use("c1", "echo")], "given twice: 'c1'"),
        ([{"type": "tool_use", "name": NAME, "input": {}}], "call 0 needs an id"),
        ([{"type": "tool_use", "id": "", "name": NAME, "input": {}}], "call 0 needs an id"),
        ([{"id": None, "function": {"name": NAME, "arguments": "{}"}}], "call 0 needs an id"),
        ([tool_use("c1", "echo"), {"id": "c2", "function": {"arguments": "{}"}}], r"call 1 \(c2\) needs the name"),
        ([{"type": "text", "text": "hello"}], "none of the shapes of a tool call; its members are 'type', 'text'"),
        (["c1"], "is no tool call but a str"),
        (tool_use("c1", "echo"), "give a list"),
    ],
)
def test_calls_that_cannot_be_told_apart_are_refused_before_anything_is_sent(calls: Any, message: str) -> None:
    transport = by_path(echo=echo)
    with (
        SkillClient(caller_id="tests", transport=transport) as client,
        pytest.raises(UsageError, match=message),
    ):
        SkillSet(SKILLS, client).dispatch(calls)
    assert transport.requests == []


# Inputs and outputs.


@pytest.mark.parametrize("arguments", ['{"text": "hi"', "text=hi", '{"text": NaN}', "[" * 20_000])
def test_broken_json_is_an_invalid_input_of_that_call(arguments: str, driver: Driver) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": NAME, "arguments": arguments}}
    (answer,) = driver.dispatch(SKILLS, [call], by_path(), on_error="return-to-model")
    assert isinstance(answer.error, ValidationFailed)
    assert answer.error.details["target"] == "tool_input"
    assert [(v.field, v.message) for v in answer.error.violations] == [("/inputs", "The arguments are not JSON")]
    assert len(str(answer.error.to_dict())) < 1000


@pytest.mark.parametrize(
    ("inputs", "fields"),
    [({}, ["/inputs/text"]), ({"text": 5}, ["/inputs/text"]), ({"txt": "a"}, ["/inputs/text"]), ([1], ["/inputs"])],
)
def test_inputs_are_checked_before_anything_is_sent(inputs: Any, fields: list[str], driver: Driver) -> None:
    transport = by_path(echo=echo)
    with pytest.raises(ValidationFailed) as caught:
        driver.dispatch(SKILLS, [ToolCall("c1", NAME, inputs)], transport)
    assert [violation.field for violation in caught.value.violations] == fields
    assert caught.value.details["target"] == "tool_input"
    assert transport.requests == []


def test_what_the_provider_says_of_the_request_is_about_the_input(driver: Driver) -> None:
    refusal = reply(422, {"detail": [{"loc": ["body", "text"], "msg": "too long", "type": "string_too_long"}]})
    with pytest.raises(ValidationFailed) as caught:
        driver.dispatch(SKILLS, [tool_use("c1", "echo", text="hi")], by_path(echo=refusal))
    assert caught.value.details["target"] == "tool_input"


def test_outputs_are_checked(driver: Driver) -> None:
    with pytest.raises(ValidationFailed) as caught:
        driver.dispatch(SKILLS, [tool_use("c1", "echo", text="hi")], by_path(echo=output({"no": "text"})))
    assert caught.value.details["target"] == "tool_output"
    assert [violation.field for violation in caught.value.violations] == ["/output"]


def test_an_unknown_tool_is_named_with_the_nearest_one(driver: Driver) -> None:
    with pytest.raises(SkillNotFound, match="Unknown tool 'com_example_ehco'; did you mean 'com_example_echo'"):
        driver.dispatch(SKILLS, [tool_use("c1", "ehco", text="hi")], by_path())


def test_a_tool_of_another_scope_is_unknown() -> None:
    with SkillClient(caller_id="tests", transport=by_path(buy=echo)) as client:
        team = SkillSet(SKILLS, client, scopes={"search": ["com.example.find"]})
        with pytest.raises(SkillNotFound):
            team.scope("search").dispatch([tool_use("c1", "buy", text="hi")])


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("anthropic", {"type": "tool_result", "tool_use_id": "c0", "content": "hi", "is_error": False}),
        ("openai", {"role": "tool", "tool_call_id": "c0", "content": "hi"}),
        ("openai-responses", {"type": "function_call_output", "call_id": "c0", "output": "hi"}),
        ("asixto", {"output": "hi"}),
    ],
)
def test_an_answer_is_written_in_each_style(style: Any, expected: Any) -> None:
    with SkillClient(caller_id="tests", transport=by_path(echo=echo)) as client:
        (answer,) = SkillSet(SKILLS, client).dispatch([tool_use("c0", "echo", text="hi")])
    assert answer.to(style) == expected


def test_an_answer_in_an_unknown_style_is_refused() -> None:
    with SkillClient(caller_id="tests", transport=by_path(echo=echo)) as client:
        (answer,) = SkillSet(SKILLS, client).dispatch([tool_use("c0", "echo", text="hi")])
    wrong: Any = "antropic"
    with pytest.raises(UsageError, match="did you mean 'anthropic'"):
        answer.to(wrong)
