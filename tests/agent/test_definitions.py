"""Tool definitions: every vendor takes them, and they accept what the client accepts."""

import json
import re
from typing import Any, get_args

import pytest
from anthropic.types import ToolChoiceParam, ToolParam
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from mcp.types import Tool, ToolChoice
from openai.types.chat import ChatCompletionFunctionToolParam, ChatCompletionToolChoiceOptionParam
from openai.types.responses import FunctionToolParam
from pydantic import TypeAdapter

from skillproto import Descriptor, Run, SkillClient, UsageError, ValidationFailed
from skillproto.agent.definitions import DefinitionStyle, definition, input_schema, tool_name
from skillproto.agent.skill_set import SkillSet, TooManyTools
from skillproto.provider.skill import descriptor as text_statistics
from skillproto.testing import sample_descriptor
from skillproto.validation import check_inputs
from skillproto.validation.embedded import check_embedded
from tests.support.agents import skill

STYLES = get_args(DefinitionStyle)
CLIENT = SkillClient(caller_id="tests")
RICH = sample_descriptor(
    id="com.example.rich",
    output={"type": "string", "description": "What was found."},
    inputs=[
        {"name": "text", "type": "string", "required": True, "description": "What to look for.", "examples": ["a"]},
        {"name": "lang", "type": "string", "enum": ["en", "es"], "default": "en"},
        {"name": "top", "type": "integer", "schema": {"type": "number", "minimum": 0, "maximum": 20}},
        {"name": "tree", "type": "object", "schema": {"$ref": "#/$defs/n~1ode", "$defs": {"n/ode": {"properties": {
            "down": {"$ref": "#/$defs/n~1ode"}, "name": {"type": "string"}}, "additionalProperties": False}}}},
        {"name": "marks", "type": "array", "schema": {"$id": "https://example.com/x", "items": {"$ref": "#mark"},
            "$defs": {"m": {"$anchor": "mark", "enum": ["a", "b"]}}}},
        {"name": "either", "type": "string", "enum": ["a", "b"], "schema": {"enum": ["b", "c"], "$defs": {"x": True},
            "allOf": [{"$ref": "#/$defs/x"}]}},
        {"name": "maybe", "type": "string", "schema": {"type": ["string", "null"]}},
        {"name": "data", "type": "object", "schema": {"const": {"$ref": "#/not/a/reference"}}},
        {"name": "never", "type": "string", "schema": False},
        {"name": "nest", "type": "array", "schema": {"items": {"$ref": "#"}, "maxItems": 2}},
    ],
)  # fmt: skip
SKILLS = SkillSet([RICH, text_statistics("https://example.org")], CLIENT)

VENDOR_TYPES: dict[str, tuple[Any, Any]] = {
    "mcp": (Tool, ToolChoice),
    "anthropic": (ToolParam, ToolChoiceParam),
    "openai": (ChatCompletionFunctionToolParam, ChatCompletionToolChoiceOptionParam),
    "openai-responses": (FunctionToolParam, None),
    "asixto": (Tool, ToolChoice),
}
EXPECTED_TEXT = "Gives back the text that it gets."
EXPECTED_SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "additionalProperties": False,
    "required": ["text"],
}


def schema_of(tool: dict[str, Any]) -> dict[str, Any]:
    holder = tool.get("function", tool)
    found: dict[str, Any] = next(holder[key] for key in ("input_schema", "inputSchema", "parameters") if key in holder)
    return found


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("mcp", {"name": "e", "title": "Echo", "description": EXPECTED_TEXT, "inputSchema": EXPECTED_SCHEMA}),
        ("asixto", {"name": "e", "title": "Echo", "description": EXPECTED_TEXT, "inputSchema": EXPECTED_SCHEMA}),
        ("anthropic", {"name": "e", "description": EXPECTED_TEXT, "input_schema": EXPECTED_SCHEMA}),
        (
            "openai",
            {
                "type": "function",
                "function": {"name": "e", "description": EXPECTED_TEXT, "parameters": EXPECTED_SCHEMA, "strict": False},
            },
        ),
        (
            "openai-responses",
            {
                "type": "function",
                "name": "e",
                "description": EXPECTED_TEXT,
                "parameters": EXPECTED_SCHEMA,
                "strict": False,
            },
        ),
    ],
)
def test_each_style_has_its_own_shape(style: DefinitionStyle, expected: dict[str, Any]) -> None:
    assert definition(Descriptor.load(sample_descriptor()), "e", style) == expected


@pytest.mark.parametrize("style", STYLES)
def test_the_vendors_own_types_accept_every_definition(style: DefinitionStyle) -> None:
    adapter = TypeAdapter(VENDOR_TYPES[style][0])
    for tool in SKILLS.definitions(style):
        adapter.validate_python(tool)
        Draft202012Validator.check_schema(schema_of(tool))
        assert json.loads(json.dumps(tool)) == tool


@pytest.mark.parametrize("style", ["mcp", "anthropic", "openai", "asixto"])
@pytest.mark.parametrize("mode", ["auto", "any", "none", "com.example.rich"])
def test_the_vendors_own_types_accept_every_choice(style: DefinitionStyle, mode: str) -> None:
    TypeAdapter(VENDOR_TYPES[style][1]).validate_python(SKILLS.tool_choice(mode, style))


RICH_NAME = "com_example_rich"
CHOICES: list[tuple[DefinitionStyle, str, Any]] = [
    ("anthropic", "auto", {"type": "auto"}),
    ("anthropic", "any", {"type": "any"}),
    ("anthropic", "none", {"type": "none"}),
    ("anthropic", "com.example.rich", {"type": "tool", "name": RICH_NAME}),
    ("openai", "auto", "auto"),
    ("openai", "any", "required"),
    ("openai", "none", "none"),
    ("openai", RICH_NAME, {"type": "function", "function": {"name": RICH_NAME}}),
    ("openai-responses", "any", "required"),
    ("openai-responses", "com.example.rich", {"type": "function", "name": RICH_NAME}),
    ("mcp", "auto", {"mode": "auto"}),
    ("mcp", "any", {"mode": "required"}),
    ("mcp", "none", {"mode": "none"}),
    ("mcp", "com.example.rich", {"mode": "required", "name": RICH_NAME}),
    ("asixto", "any", {"mode": "required"}),
]


@pytest.mark.parametrize(("style", "mode", "expected"), CHOICES, ids=[f"{style}-{mode}" for style, mode, _ in CHOICES])
def test_a_choice_is_written_as_the_vendor_takes_it(style: DefinitionStyle, mode: str, expected: Any) -> None:
    assert SKILLS.tool_choice(mode, style) == expected


@pytest.mark.parametrize(
    ("mode", "style", "message"),
    [
        ("com.example.rihc", "mcp", "did you mean 'com.example.rich'"),
        ("atuo", "anthropic", "did you mean 'auto'"),
        ("auto", "antropic", "did you mean 'anthropic'"),
        ("com_example_rick", "openai", "did you mean 'com_example_rich'"),
    ],
)
def test_what_is_misspelt_is_refused_with_the_nearest_name(mode: str, style: Any, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        SKILLS.tool_choice(mode, style)


# Names.

ID = st.from_regex(r"[A-Za-z0-9]{1,8}([._-]{1,2}[A-Za-z0-9]{1,30}){0,6}", fullmatch=True).filter(
    lambda text: len(text) <= 200
)


@settings(max_examples=40)
@given(st.sets(ID, min_size=2, max_size=6))
def test_names_are_valid_and_differ_where_the_ids_do(ids: set[str]) -> None:
    names = {tool_name(id_) for id_ in ids}
    assert len(names) == len(ids)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names)


def test_ids_that_differ_in_a_dot_and_an_underscore_alone_have_different_names() -> None:
    assert tool_name("a.b_c") != tool_name("a.b.c") != tool_name("a_b.c")


@pytest.mark.parametrize("name", ["com_example_rich", "com.example.rich"])
def test_a_name_leads_back_to_its_skill(name: str) -> None:
    found = SKILLS.find(name)
    assert found is not None
    assert found.id == "com.example.rich"


def test_a_name_stays_the_same_in_every_set() -> None:
    assert list(SKILLS.only("com.example.rich").skills) == ["com_example_rich"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"com.example.one": "a b"}, "a tool name is 1 to 64"),
        ({"com.example.noe": "a"}, "did you mean 'com.example.one'"),
        ({"com.example.one": "x", "com.example.two": "x"}, "would both be the tool 'x'"),
    ],
)
def test_given_names_must_work(names: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        SkillSet([skill("one"), skill("two")], CLIENT, names=names)


def test_the_same_skill_twice_is_refused() -> None:
    with pytest.raises(UsageError, match=r"1\.0\.0 and com\.example\.one 2\.0\.0 are the same skill"):
        SkillSet([skill("one"), skill("one", version="2.0.0")], CLIENT)


def test_a_broken_descriptor_is_refused_at_once() -> None:
    with pytest.raises(ValidationFailed):
        SkillSet([{"id": "x"}], CLIENT)


# Schemas.

ACCEPTED: list[dict[str, Any]] = [
    {"text": "x"},
    {"text": "x", "lang": "es", "top": 3, "marks": ["a"], "maybe": None},
    {"text": "x", "tree": {"down": {"down": {"name": "leaf"}}}, "either": "b"},
    {"text": "x", "data": {"$ref": "#/not/a/reference"}},
    {"text": "x", "nest": ["not a list, which the schema itself allows", [1, [2]]]},
]
REFUSED: list[dict[str, Any]] = [
    {},
    {"text": "x", "txet": "y"},
    {"text": 5},
    {"text": "x", "lang": "fr"},
    {"text": "x", "top": 1.5},
    {"text": "x", "top": 21},
    {"text": "x", "tree": {"down": {"nmae": "leaf"}}},
    {"text": "x", "marks": ["c"]},
    {"text": "x", "either": "a"},
    {"text": "x", "either": "c"},
    {"text": "x", "lang": None},
    {"text": "x", "never": "a"},
    {"text": "x", "nest": "a"},
    {"text": "x", "nest": [[1, 2, 3]]},
]


@pytest.mark.parametrize("inputs", ACCEPTED, ids=str)
def test_the_schema_accepts_what_the_client_accepts(inputs: dict[str, Any]) -> None:
    validator = Draft202012Validator(input_schema(Descriptor.load(RICH)))
    assert validator.is_valid(inputs)
    assert check_inputs(RICH["inputs"], inputs) == []


@pytest.mark.parametrize("inputs", REFUSED, ids=str)
def test_the_schema_refuses_what_the_client_refuses(inputs: dict[str, Any]) -> None:
    assert not Draft202012Validator(input_schema(Descriptor.load(RICH))).is_valid(inputs)
    assert check_inputs(RICH["inputs"], inputs)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 22) | st.sampled_from(["a", "b", "c", "es", "x", 1.5, 2.0]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["down", "name", "x"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@settings(max_examples=150)
@given(st.dictionaries(st.sampled_from([one["name"] for one in RICH["inputs"]] + ["other"]), VALUES, max_size=4))
def test_what_the_schema_accepts_the_client_accepts_too(inputs: dict[str, Any]) -> None:
    if Draft202012Validator(input_schema(Descriptor.load(RICH))).is_valid({"text": "x"} | inputs):
        assert check_inputs(RICH["inputs"], {"text": "x"} | inputs) == []


LEAF = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer", "minimum": 0},
        {"enum": ["a", 1, None]},
        {"const": {"$ref": "#/x"}},
        {"type": ["string", "null"]},
        {"$ref": "#/$defs/d"},
        {"$ref": "#anchor"},
        {"$ref": "#"},
        True,
        False,
    ]
)
SCHEMA = st.recursive(
    LEAF,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"items": inner}),
        st.fixed_dictionaries({"properties": st.dictionaries(st.sampled_from(["down", "$ref"]), inner, max_size=2)}),
        st.fixed_dictionaries({"allOf": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"not": inner}),
    ),
    max_leaves=4,
)
TYPE = st.sampled_from(["string", "integer", "number", "object", "array", "boolean"])


@settings(max_examples=150)
@given(SCHEMA, TYPE, st.booleans(), st.lists(VALUES, min_size=1, max_size=4))
def test_a_schema_says_the_same_where_it_was_moved_to(
    schema: Any, kind: str, required: bool, values: list[Any]
) -> None:
    if isinstance(schema, dict):
        schema = schema | {"$defs": {"d": {"type": "integer"}, "e": {"$anchor": "anchor", "type": "string"}}}
    assume(not check_embedded(schema, at=""))
    parameter = {"name": "p", "type": kind, "required": required, "schema": schema}
    moved = input_schema(Descriptor.load(sample_descriptor(inputs=[parameter])))
    Draft202012Validator.check_schema(moved)
    for value in values:
        accepts = Draft202012Validator(moved).is_valid({"p": value})
        assert accepts is (check_inputs([parameter], {"p": value}) == []) or value is None


def test_the_description_has_what_the_skill_gives_and_nothing_that_nobody_sees() -> None:
    hidden = sample_descriptor(description="Finds\u200b texts. " + "x" * 1500)
    tool = definition(Descriptor.load(hidden), "e", "openai")["function"]
    assert tool["description"].startswith("Finds texts. ")
    assert (len(tool["description"]), tool["description"][-1]) == (1024, "…")
    assert definition(Descriptor.load(RICH), "e", "mcp")["description"].endswith("\n\nGives: What was found.")


def test_definitions_are_new_each_time() -> None:
    schema_of(SKILLS.definitions("mcp")[0])["properties"]["lang"]["enum"].append("fr")
    assert schema_of(SKILLS.definitions("mcp")[0])["properties"]["lang"]["enum"] == ["en", "es"]


# How many, and whose.


@pytest.mark.parametrize(
    ("count", "words"),
    [(5, None), (6, "best among 5"), (9, "best among 5"), (10, "mistakes in choosing"), (15, "often call the wrong")],
)
def test_too_many_tools_are_warned_about(count: int, words: str | None, recwarn: pytest.WarningsRecorder) -> None:
    SkillSet([skill(f"s{n}") for n in range(count)], CLIENT).definitions("mcp")
    told = [str(one.message) for one in recwarn if one.category is TooManyTools]
    assert len(told) == (0 if words is None else 1)
    assert words is None or (words in told[0] and f"{count} tools" in told[0])


@pytest.mark.parametrize(
    "use",
    [lambda many: many.definitions("mcp"), lambda many: Run(many, lambda messages, tools: {}, style="mcp")],
    ids=["definitions", "run"],
)
def test_the_warning_points_at_the_line_that_has_too_many(use: Any) -> None:
    many = SkillSet([skill(f"s{n}") for n in range(6)], CLIENT)
    with pytest.warns(TooManyTools) as caught:
        use(many)
    assert [one.filename for one in caught] == [__file__]


def test_a_scope_has_its_own_few_and_those_that_all_share() -> None:
    team = SkillSet(
        [skill(name) for name in ("find", "sort", "buy", "pay", "who")],
        CLIENT,
        scopes={"search": ["com.example.find", "com_example_sort"], "purchase": ["com.example.buy", "com.example.pay"]},
        shared=["com.example.who"],
        on_error={"com.example.pay": "return-to-model", "com.example.find": "recover"},
    )
    assert [one.id for one in team.scope("search").skills.values()] == [
        "com.example.find",
        "com.example.sort",
        "com.example.who",
    ]
    assert len(team.scope("purchase")) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scopes": {"a": ["com.example.oen"]}}, "scope 'a' names a skill .* did you mean 'com.example.one'"),
        ({"shared": ["com.example.oen"]}, "shared names a skill .* did you mean 'com.example.one'"),
        ({"on_error": "return-to-modle"}, "did you mean 'return-to-model'"),
        ({"on_error": {"com.example.oen": "recover"}}, "did you mean 'com.example.one'"),
        ({"on_error": {"com.example.one": "fail"}}, "must be one of fail-run"),
        ({"concurrency": 0}, "concurrency must be"),
        ({"scopes": 5}, "scopes must be a mapping, not a int"),
        ({"scopes": {"a": 5}}, "scope 'a' must be a list of skill ids, not a int"),
        ({"shared": 5}, "shared must be a list of skill ids, not a int"),
        ({"names": ["echo"]}, "names must be a mapping, not a list"),
    ],
)
def test_what_can_never_work_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        SkillSet([skill("one")], CLIENT, **options)


def test_a_misspelt_scope_is_refused_with_the_nearest_name() -> None:
    team = SkillSet([skill("one")], CLIENT, scopes={"search": ["com.example.one"]})
    with pytest.raises(UsageError, match=r"did you mean 'search'.*there are: search"):
        team.scope("serach")


@pytest.mark.parametrize(("descriptors", "client"), [(skill("one"), CLIENT), ([skill("one")], None), (None, CLIENT)])
def test_the_wrong_kind_of_argument_is_refused(descriptors: Any, client: Any) -> None:
    with pytest.raises(UsageError, match=r"give a list|client must be|must be a list of descriptors"):
        SkillSet(descriptors, client)
