"""Conversations that were interrupted come back into the order that providers demand, and lose nothing else."""

import copy
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from anthropic.types import MessageParam, TextBlock, ToolUseBlock
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionMessage, ChatCompletionMessageParam
from openai.types.responses import ResponseInputItemParam
from pydantic import TypeAdapter

from skillproto import ErrorCode, Result, SkillError, UsageError, read_reply
from skillproto.agent import repair_history
from skillproto.agent.history import RepairedCall
from skillproto.invocation.journal import Beginning, Journal

STYLES = ("anthropic", "openai", "responses")
TYPES: dict[str, TypeAdapter[Any]] = {
    "anthropic": TypeAdapter(list[MessageParam]),
    "openai": TypeAdapter(list[ChatCompletionMessageParam]),
    "responses": TypeAdapter(list[ResponseInputItemParam]),
}


def use(call_id: str, name: str = "pay") -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": {}}


def result(call_id: str, content: str = "done") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def model(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def asks(*call_ids: str) -> dict[str, Any]:
    calls = [{"id": id_, "type": "function", "function": {"name": "pay", "arguments": "{}"}} for id_ in call_ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def tool(call_id: str, content: str = "done") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def item(call_id: str, kind: str = "function_call") -> dict[str, Any]:
    what = {"input": "x"} if kind == "custom_tool_call" else {"arguments": "{}"}
    return {"type": kind, "call_id": call_id, "name": "pay", **what}


def output(call_id: str, kind: str = "function_call_output", content: str = "done") -> dict[str, Any]:
    return {"type": kind, "call_id": call_id, "output": content}


HELLO: dict[str, Any] = {"role": "user", "content": "hello"}
NEXT: dict[str, Any] = {"role": "user", "content": "next"}
SAID: dict[str, Any] = {"role": "assistant", "content": "well"}
THOUGHT: dict[str, Any] = {"type": "reasoning", "id": "r", "summary": []}
CUSTOM: dict[str, Any] = item("a", "custom_tool_call")
UNKNOWN = object()
"""Stands for an answer that was written in place of a missing one."""

CASES: dict[str, tuple[list[Any], list[Any], list[str]]] = {
    "anthropic: open at the end": ([HELLO, model(use("a"))], [HELLO, model(use("a")), user((UNKNOWN, "a"))], ["a"]),
    "anthropic: open before a text": (
        [model(use("a")), NEXT],
        [model(use("a")), user((UNKNOWN, "a"), text("next"))],
        ["a"],
    ),
    "anthropic: open before the model speaks again": (
        [model(use("a")), SAID],
        [model(use("a")), user((UNKNOWN, "a")), SAID],
        ["a"],
    ),
    "anthropic: one of two answered": (
        [model(text("hm"), use("a"), use("b")), user(result("b"))],
        [model(text("hm"), use("a"), use("b")), user(result("b"), (UNKNOWN, "a"))],
        ["a"],
    ),
    "anthropic: text before the answer": (
        [model(use("a")), user(text("so"), result("a"))],
        [model(use("a")), user(result("a"), text("so"))],
        ["a"],
    ),
    "anthropic: answered a message too late": (
        [model(use("a")), NEXT, SAID, user(result("a"), text("late"))],
        [model(use("a")), user(result("a"), text("next")), SAID, user(text("late"))],
        ["a"],
    ),
    "anthropic: answers in two messages": (
        [model(use("a"), use("b")), user(result("a")), user(result("b"))],
        [model(use("a"), use("b")), user(result("a"), result("b"))],
        ["b"],
    ),
    "anthropic: answered twice": (
        [model(use("a")), user(result("a", "1"), result("a", "2"))],
        [model(use("a")), user(result("a", "1"))],
        ["a"],
    ),
    "anthropic: an answer to nothing": (
        [HELLO, SAID, user(result("z"), text("so"))],
        [HELLO, SAID, user(text("so"))],
        ["z"],
    ),
    "anthropic: nothing but an answer to nothing": ([HELLO, SAID, user(result("z")), SAID], [HELLO, SAID, SAID], ["z"]),
    "anthropic: the answer before the call": (
        [HELLO, SAID, user(result("a")), model(use("a"))],
        [HELLO, SAID, model(use("a")), user((UNKNOWN, "a"))],
        ["a", "a"],
    ),
    "anthropic: one id used again": (
        [model(use("a")), NEXT, model(use("a")), user(result("a"))],
        [model(use("a")), user((UNKNOWN, "a"), text("next")), model(use("a")), user(result("a"))],
        ["a"],
    ),
    "openai: open at the end": (
        [HELLO, asks("a", "b")],
        [HELLO, asks("a", "b"), (UNKNOWN, "a"), (UNKNOWN, "b")],
        ["a", "b"],
    ),
    "openai: one of two answered": (
        [asks("a", "b"), tool("b"), NEXT],
        [asks("a", "b"), tool("b"), (UNKNOWN, "a"), NEXT],
        ["a"],
    ),
    "openai: answered behind a text": ([asks("a"), NEXT, tool("a")], [asks("a"), tool("a"), NEXT], ["a"]),
    "openai: answered twice": ([asks("a"), tool("a", "1"), tool("a", "2")], [asks("a"), tool("a", "1")], ["a"]),
    "openai: an answer to nothing": ([HELLO, tool("z"), SAID], [HELLO, SAID], ["z"]),
    "openai: the answer before the call": ([tool("a"), asks("a")], [asks("a"), (UNKNOWN, "a")], ["a", "a"]),
    "openai: one id used again": (
        [asks("0"), tool("0", "1"), asks("0"), tool("0", "2"), asks("0")],
        [asks("0"), tool("0", "1"), asks("0"), tool("0", "2"), asks("0"), (UNKNOWN, "0")],
        ["0"],
    ),
    "responses: open in the middle": ([item("a"), NEXT], [item("a"), (UNKNOWN, "a"), NEXT], ["a"]),
    "responses: parallel calls, one answered": (
        [item("a"), item("b"), output("b")],
        [item("a"), item("b"), output("b"), (UNKNOWN, "a")],
        ["a"],
    ),
    "responses: something in between": (
        [item("a"), THOUGHT, output("a")],
        [item("a"), output("a"), THOUGHT],
        ["a"],
    ),
    "responses: a custom tool": (
        [item("a", "custom_tool_call")],
        [item("a", "custom_tool_call"), (UNKNOWN, "a")],
        ["a"],
    ),
    "responses: a custom tool with an answer of the other kind": (
        [CUSTOM, output("a"), NEXT],
        [CUSTOM, (UNKNOWN, "a"), NEXT],
        ["a", "a"],
    ),
    "responses: a function with an answer of the other kind, and one of its own": (
        [item("a"), output("a", "custom_tool_call_output", "1"), output("a", content="2")],
        [item("a"), output("a", content="2")],
        ["a"],
    ),
    "responses: an answer to nothing": ([HELLO, output("z")], [HELLO], ["z"]),
}


def written(style: str, call_id: str, found: Any) -> bool:
    """Whether an answer is one that was written for an open call, and says that the skill may have run."""
    told = {"anthropic": "tool_use_id", "openai": "tool_call_id", "responses": "call_id"}[style]
    content = found["output" if style == "responses" else "content"]
    error = json.loads(content)["error"]
    assert (error["code"], error["details"]) == ("CANCELLED", {"reason": "interrupted", "may_have_run": True})
    assert "It is unknown whether the skill ran" in error["message"]
    return bool(found[told] == call_id) and (style != "anthropic" or found["is_error"] is True)


def same(style: str, found: Any, expected: Any) -> bool:
    if isinstance(expected, tuple) and expected[0] is UNKNOWN:
        return written(style, expected[1], found)
    if isinstance(expected, dict) and isinstance(expected.get("content"), list):
        pairs = zip(found["content"], expected["content"], strict=True)
        return found["role"] == expected["role"] and all(same(style, *pair) for pair in pairs)
    return bool(found == expected)


@pytest.mark.parametrize(("given_", "expected", "ids"), CASES.values(), ids=CASES)
def test_a_history_is_repaired(given_: list[Any], expected: list[Any], ids: list[str], request: Any) -> None:
    style = request.node.callspec.id.partition(":")[0]
    before = copy.deepcopy(given_)
    repaired = repair_history(given_)
    assert given_ == before
    pairs = zip(repaired.messages, expected, strict=True)
    assert all(same(style, *pair) for pair in pairs), repaired.messages
    assert [call.call_id for call in repaired.repaired_calls] == ids
    again = repair_history(repaired.messages)
    assert (again.messages, again.repaired_calls) == (repaired.messages, ())
    TYPES[style].validate_python(repaired.messages)


def test_a_first_message_of_nothing_but_lost_answers_stays_a_user_message() -> None:
    """Anthropic wants the user to begin; a history that was cut at its start begins with an answer."""
    repaired = repair_history([user(result("z")), SAID])
    assert [message["role"] for message in repaired.messages] == ["user", "assistant"]
    assert "is not in this conversation" in repaired.messages[0]["content"]
    assert repaired.repaired_calls == (RepairedCall("z", "", "removed"),)


@pytest.mark.parametrize(
    "history",
    [
        [],
        [HELLO, SAID],
        [HELLO, model(text("hm"), use("a"), use("b")), user(result("b"), result("a"), text("so")), SAID],
        [HELLO, asks("a", "b"), tool("b"), tool("a"), SAID],
        [HELLO, THOUGHT, item("a"), item("b"), output("b"), output("a"), SAID],
        [model({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}), NEXT],
        [{"type": "web_search_call", "id": "w", "status": "completed"}, NEXT],
    ],
)
def test_a_history_in_order_comes_back_with_the_same_objects(history: list[Any]) -> None:
    repaired = repair_history(history)
    assert all(new is old for new, old in zip(repaired.messages, history, strict=True))
    assert repaired.repaired_calls == ()
    assert repaired.messages is not history


def test_objects_of_the_sdks_are_read_as_they_are() -> None:
    blocks = [TextBlock(type="text", text="hm"), ToolUseBlock(type="tool_use", id="a", name="pay", input={})]
    repaired = repair_history([HELLO, {"role": "assistant", "content": blocks}])
    assert repaired.messages[2]["content"][0]["tool_use_id"] == "a"
    said = ChatCompletionMessage.model_validate(asks("a") | {"role": "assistant"})
    repaired = repair_history([said, tool("a"), tool("a")])
    assert repaired.messages == [said, tool("a")]


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ("hello", "as a list"),
        ({"role": "user"}, "as a list"),
        ([asks("a"), model(use("b"))], "several shapes"),
        (
            [model({"type": "tool_use", "name": "pay", "input": {}})],
            "message 0 has .* without id,",
        ),
        ([HELLO, {"role": "tool", "content": "x"}], "message 1 has .* without tool_call_id,"),
    ],
)
def test_what_cannot_be_matched_is_refused(messages: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        repair_history(messages)


def test_a_style_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UsageError, match="there are: anthropic, openai, responses"):
        repair_history([], style="mcp")  # type: ignore[arg-type]


# What the journal knows.


@pytest.fixture
def journal(tmp_path: Path) -> Any:
    with Journal(tmp_path / "calls.db") as journal:
        for key in ("sent", "accepted", "completed", "failed", "refused"):
            journal.begin(Beginning("skill", key, "digest", {"id": "skill"}, b"{}", 1000, is_claimed=False))
        journal.accepted("skill", "accepted", "e1")
        journal.ended("skill", "completed", Result([], "e2", 1, 5), may_have_run=True)
        error = SkillError(
            "EXECUTION_FAILED", "The card was refused", details={"execution_id": "e3", "state": "failed"}
        )
        journal.ended("skill", "failed", error, may_have_run=True)
        journal.ended("skill", "refused", SkillError("AUTH_REQUIRED", "Sign in"), may_have_run=False)
        yield journal


@pytest.mark.parametrize(
    ("key", "has_run", "code", "may_have_run"),
    [
        ("sent", "unknown", "CANCELLED", True),
        ("accepted", "yes", "CANCELLED", True),
        ("completed", "yes", None, None),
        ("failed", "yes", "EXECUTION_FAILED", None),
        ("refused", "no", "AUTH_REQUIRED", None),
        ("never", "no", "CANCELLED", False),
    ],
)
@pytest.mark.parametrize("style", STYLES)
def test_an_answer_says_what_the_journal_knows(
    journal: Journal, style: str, key: str, has_run: str, code: str | None, may_have_run: bool | None
) -> None:
    call = {"anthropic": model(use("c1")), "openai": asks("c1"), "responses": item("c1")}[style]
    repaired = repair_history([call], journal=journal, key_of={"c1": key}.get)
    assert repaired.repaired_calls == (RepairedCall("c1", "pay", "answered", has_run),)  # type: ignore[arg-type]
    answer = repaired.messages[1]["content"][0] if style == "anthropic" else repaired.messages[1]
    content = answer["output" if style == "responses" else "content"]
    assert answer.get("is_error", code is not None) is (code is not None)
    if code is None:
        assert content == "[]"
        return
    read = read_reply(200, [], content.encode())
    assert isinstance(read, SkillError)
    assert read.code is ErrorCode(code)
    if may_have_run is not None:
        assert read.details["may_have_run"] is may_have_run


def test_without_the_key_a_call_is_looked_for_by_its_id_and_what_is_not_found_stays_unknown(journal: Journal) -> None:
    repaired = repair_history([asks("accepted", "c9")], journal=journal)
    assert [call.has_run for call in repaired.repaired_calls] == ["yes", "unknown"]


# Any history at all.


@st.composite
def histories(draw: st.DrawFn) -> tuple[str, list[Any]]:
    style = draw(st.sampled_from(STYLES))
    ids = st.sampled_from(["a", "b", "c"])
    some = st.lists(ids, min_size=1, max_size=3, unique=True)
    if style == "anthropic":
        blocks = st.lists(st.one_of(ids.map(result), st.just(text("so"))), min_size=1, max_size=3)
        uses = some.map(lambda found: model(*map(use, found)))
        parts = st.one_of(uses, blocks.map(lambda found: user(*found)), st.sampled_from([NEXT, SAID]))
    elif style == "openai":
        parts = st.one_of(some.map(lambda found: asks(*found)), ids.map(tool), st.sampled_from([NEXT, SAID]))
    else:
        parts = st.one_of(ids.map(item), ids.map(output), st.sampled_from([NEXT, SAID]))
    return style, draw(st.lists(parts, max_size=8))


def faults(style: str, messages: Sequence[Any]) -> list[str]:
    """What a provider would refuse."""
    return {"anthropic": _anthropic_faults, "openai": _openai_faults, "responses": _responses_faults}[style](messages)


def _anthropic_faults(messages: Sequence[Any]) -> list[str]:
    found, due = [], list[str]()
    for message in [*messages, SAID]:
        content = message["content"] if isinstance(message["content"], list) else []
        kinds = [block["type"] for block in content]
        answers = [block["tool_use_id"] for block in content if block["type"] == "tool_result"]
        found += [f"{message} does not answer {due}"] if sorted(answers) != sorted(due) else []
        found += ["text first"] if "tool_result" in kinds[len(answers) :] else []
        found += ["empty"] if content == [] and message["content"] == [] else []
        due = [block["id"] for block in content if block["type"] == "tool_use"]
    return found


def _openai_faults(messages: Sequence[Any]) -> list[str]:
    found, due = [], set[str]()
    for message in [*messages, SAID]:
        if message["role"] == "tool":
            found += [] if message["tool_call_id"] in due else ["an answer to nothing"]
            due.discard(message["tool_call_id"])
        else:
            found += [f"open: {due}"] if due else []
            due = {call["id"] for call in message.get("tool_calls", [])}
    return found


def _responses_faults(items: Sequence[Any]) -> list[str]:
    found, due = [], set[str]()
    for place, each in enumerate([*items, SAID]):
        if each.get("type") == "function_call":
            after_call = place > 0 and items[place - 1].get("type") == "function_call"
            found += [f"open: {due}"] if due and not after_call else []
            due.add(each["call_id"])
        elif each.get("type") == "function_call_output":
            found += [] if each["call_id"] in due else ["an answer to nothing"]
            due.discard(each["call_id"])
        else:
            found += [f"open: {due}"] if due else []
    return found


def kept(style: str, messages: Sequence[Any]) -> list[Any]:
    """Everything but answers, in order."""
    if style != "anthropic":
        return [m for m in messages if m.get("role") != "tool" and m.get("type") != "function_call_output"]
    flat = []
    for message in messages:
        content = message["content"]
        blocks = [text(content)] if isinstance(content, str) else content
        flat += [(message["role"], block) for block in blocks if block["type"] != "tool_result"]
    return [each for each in flat if "is not in this conversation" not in str(each)]


@given(histories())
def test_any_history_is_in_order_after_one_repair_and_has_lost_nothing(drawn: tuple[str, list[Any]]) -> None:
    style, messages = drawn
    before = copy.deepcopy(messages)
    repaired = repair_history(messages, style=style)  # type: ignore[arg-type]
    assert messages == before
    assert faults(style, repaired.messages) == []
    assert kept(style, repaired.messages) == kept(style, messages)
    assert (repaired.repaired_calls == ()) is (faults(style, messages) == [] or repaired.messages == messages)
    again = repair_history(repaired.messages, style=style)  # type: ignore[arg-type]
    assert (again.messages, again.repaired_calls) == (repaired.messages, ())


@given(st.integers(), st.sampled_from(STYLES))
def test_answers_that_are_there_are_kept_whatever_their_order(seed: int, style: str) -> None:
    ids = ["a", "b", "c", "d"]
    random = Random(seed)
    shuffled = random.sample(ids, random.randint(0, 4))
    match style:
        case "anthropic":
            history = [model(*map(use, ids)), user(*[result(id_, f"of {id_}") for id_ in shuffled])]
        case "openai":
            history = [asks(*ids), *[tool(id_, f"of {id_}") for id_ in shuffled]]
        case _:
            history = [*map(item, ids), *[output(id_, content=f"of {id_}") for id_ in shuffled]]
    repaired = repair_history(history)
    found = json.dumps(repaired.messages)
    assert all(found.count(f"of {id_}") == 1 for id_ in shuffled)
    assert [call.call_id for call in repaired.repaired_calls] == [id_ for id_ in ids if id_ not in shuffled]
