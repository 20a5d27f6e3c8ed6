"""Write skills as the tool definitions that models and their hosts take, and say which tool to use.

Pure. The name of a tool follows from the skill's id alone, so it stays the same whatever other
skills an agent has, and from one release to the next.
"""

import re
from copy import deepcopy
from hashlib import sha256
from typing import Any, Literal, get_args
from urllib.parse import quote

from skillproto.descriptor import Descriptor, Parameter
from skillproto.errors import UsageError
from skillproto.rules.texts import _invisible_at
from skillproto.validation.names import nearest
from skillproto.validation.schema_scan import Scan
from skillproto.violations import JSONValue, pointer, resolve

DefinitionStyle = Literal["mcp", "anthropic", "openai", "openai-responses", "asixto"]
"""Who reads a definition; "openai" is the chat form, "openai-responses" that of the Responses API."""

LONGEST_NAME = 64
"""OpenAI's limit; Anthropic and MCP allow 128 characters."""

LONGEST_DESCRIPTION = {"openai": 1024, "openai-responses": 1024}
"""Characters, for those that have a limit."""

TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What every vendor takes as the name of a tool."""

MODES = ("auto", "any", "none")
_ANNOTATIONS = ("description", "title", "default", "examples")


def check_style(style: str, styles: tuple[str, ...] = get_args(DefinitionStyle)) -> None:
    """Refuse a style that does not exist.

    Raises:
        UsageError: it names the styles, and the nearest one.

    >>> check_style("openia")
    Traceback (most recent call last):
    skillproto.errors.UsageError: style must be one of mcp, anthropic, openai, openai-responses, asixto, not
    'openia'; did you mean 'openai'?
    """
    if style not in styles:
        raise UsageError(f"style must be one of {', '.join(styles)}, not {style!r}{did_you_mean(style, styles)}")


def did_you_mean(word: object, names: Any) -> str:
    """Give the end of a sentence that suggests the nearest name; "" where none is near.

    >>> did_you_mean("serach", ["search", "buy"])
    "; did you mean 'search'?"
    """
    close = nearest(word, names) if isinstance(word, str) else None
    return f"; did you mean {close!r}?" if close else ""


def tool_name(skill_id: str) -> str:
    """Give the tool name of a skill: its id with `_` for `.`.

    An id from which that name would not lead back to the id, since it has `_` itself or is too
    long, gets the first digits of its SHA-256 behind it.

    >>> tool_name("com.example.translate-v1"), tool_name("com.example.to_text")
    ('com_example_translate-v1', 'com_example_to_text-157a7fe1')
    """
    name = skill_id.replace(".", "_")
    if "_" not in skill_id and len(name) <= LONGEST_NAME:
        return name
    digits = sha256(skill_id.encode()).hexdigest()[:8]
    return f"{name[: LONGEST_NAME - len(digits) - 1]}-{digits}"


def input_schema(skill: Descriptor) -> dict[str, JSONValue]:
    """Write the parameters of a skill as one JSON Schema, draft 2020-12.

    What it accepts, the client's own check of the inputs accepts too, formats apart. References inside a
    parameter's schema are written anew, so that they lead to the same place from here.

    >>> from skillproto.testing import sample_descriptor
    >>> input_schema(Descriptor.load(sample_descriptor()))["required"]
    ['text']
    """
    properties = {one.name: _property(one, pointer(["properties", one.name])) for one in skill.inputs}
    required = [one.name for one in skill.inputs if one.required]
    schema: dict[str, JSONValue] = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | {"required": required} if required else schema


def _property(parameter: Parameter, at: str) -> dict[str, JSONValue]:
    own: dict[str, JSONValue] = {"type": _type(parameter)}
    if parameter.description is not None:
        own["description"] = shown_text(parameter.description)
    if parameter.enum is not None:
        own["enum"] = deepcopy(list(parameter.enum))
    if parameter.has_default:
        own["default"] = deepcopy(parameter.default)
    if parameter.examples:
        own["examples"] = deepcopy(list(parameter.examples))
    return own if parameter.schema is None else _joined(own, parameter.schema, at)


def _type(parameter: Parameter) -> JSONValue:
    """Models send null for what they leave out; it may stand where an optional parameter names it."""
    inner = parameter.schema.get("type") if isinstance(parameter.schema, dict) else None
    names_null = None in parameter.enum if parameter.enum is not None else isinstance(inner, list) and "null" in inner
    return [parameter.type, "null"] if names_null and not parameter.required else parameter.type


def _joined(own: dict[str, JSONValue], schema: JSONValue, at: str) -> dict[str, JSONValue]:
    """Join what a parameter says itself with the schema that it carries.

    Flat, or under `allOf` where both speak of the same, or where the schema refers to itself as a whole.
    """
    scan = Scan(schema, "")
    inner: dict[str, Any] = scan.normalised()
    is_flat = _says_no_less(inner.get("type"), own["type"]) and not ("enum" in own and "enum" in inner)
    is_flat = is_flat and "" not in scan.targets.values()
    base = at if is_flat else f"{at}/allOf/0"
    for place, target in scan.targets.items():
        resolve(inner, place)["$ref"] = "#" + quote(base + target, safe="/~")
    if not is_flat:
        return own | {"allOf": [inner]}
    return {key: value for key, value in inner.items() if key not in own or key not in (*_ANNOTATIONS, "type")} | own


def _says_no_less(inner: JSONValue, own: JSONValue) -> bool:
    """Say whether every value of the parameter's own type is of the schema's type."""
    if inner is None:
        return True
    allowed = {inner} if isinstance(inner, str) else set(inner)
    if "number" in allowed:
        allowed.add("integer")
    return allowed >= ({own} if isinstance(own, str) else set(own))


def shown_text(text: str, limit_chars: int | None = None) -> str:
    r"""Give a provider's text as a model may read it: without what a person would not see, and not too long.

    >>> shown_text("Trans\u200blates\u202e texts"), shown_text("abcdef", 4)
    ('Translates texts', 'abc…')
    """
    hidden = set(_invisible_at(text))
    seen = "".join(char for place, char in enumerate(text) if place not in hidden) if hidden else text
    return seen if limit_chars is None or len(seen) <= limit_chars else seen[: limit_chars - 1] + "…"


def _description(skill: Descriptor, style: str) -> str:
    text = skill.description.strip()
    if skill.output.description:
        text += f"\n\nGives: {skill.output.description.strip()}"
    return shown_text(text, LONGEST_DESCRIPTION.get(style))


def definition(skill: Descriptor, name: str, style: DefinitionStyle) -> dict[str, JSONValue]:
    """Write one skill as a tool definition.

    Args:
        skill: the typed descriptor.
        name: of the tool.
        style: "mcp" and "asixto" (which speaks MCP), "anthropic", "openai" for chat completions
            and "openai-responses".

    Raises:
        UsageError: there is no such style.

    Source: MCP, tools; the tool parameters of Anthropic's Messages and OpenAI's two APIs.

    >>> from skillproto.testing import sample_descriptor
    >>> definition(Descriptor.load(sample_descriptor()), "echo", "anthropic")["input_schema"]["required"]
    ['text']
    """
    check_style(style)
    text, schema = _description(skill, style), input_schema(skill)
    match style:
        case "anthropic":
            return {"name": name, "description": text, "input_schema": schema}
        case "openai":
            function = {"name": name, "description": text, "parameters": schema, "strict": False}
            return {"type": "function", "function": function}
        case "openai-responses":
            return {"type": "function", "name": name, "description": text, "parameters": schema, "strict": False}
        case _:
            return {"name": name, "title": shown_text(skill.name), "description": text, "inputSchema": schema}


def choice(mode: str, name: str | None, style: DefinitionStyle) -> JSONValue:
    """Write which tool a model is to use.

    Args:
        mode: "auto", "any" or "none"; not looked at where `name` is given.
        name: of the one tool that must be used.
        style: as in `definition`. MCP's own choice (of its sampling) knows the mode alone, so the
            `name` is an addition there: offer that one tool only to a host that ignores it.

    >>> choice("any", None, "openai"), choice("any", None, "mcp"), choice("", "search", "anthropic")
    ('required', {'mode': 'required'}, {'type': 'tool', 'name': 'search'})
    """
    check_style(style)
    word = "required" if mode == "any" or name is not None else mode
    match style:
        case "anthropic":
            return {"type": mode} if name is None else {"type": "tool", "name": name}
        case "openai":
            return word if name is None else {"type": "function", "function": {"name": name}}
        case "openai-responses":
            return word if name is None else {"type": "function", "name": name}
        case _:
            return {"mode": word} if name is None else {"mode": word, "name": name}
