"""The OpenAPI document of the service, made from the schemas that are shipped. Reads those files, and nothing else."""

import json
from pathlib import Path
from typing import Any

from skillproto import __version__
from skillproto.validation import load_schema

_PACKAGE = Path(__file__).parents[1]
_FOLDERS = (_PACKAGE / "schemas" / "publish" / "1", _PACKAGE.parent / "schemas" / "publish" / "1")
_LEFT_OUT = ("$schema", "$id")


def publish_schema(name: str) -> dict[str, Any]:
    """Give a schema of the exchange: "request", "reply" or "state".

    >>> publish_schema("reply")["title"]
    'Reply of a check before publishing, format 1'
    """
    folder = next((each for each in _FOLDERS if each.is_dir()), _FOLDERS[0])
    schema: dict[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return schema


def openapi_document(base_url: str) -> dict[str, Any]:
    """Describe the service at an address.

    >>> list(openapi_document("http://127.0.0.1:8080")["paths"])
    ['/v1/check', '/health', '/openapi.json']
    """
    request = _component("Request", publish_schema("request"))
    request["properties"]["state"] = {"anyOf": [{"type": "null"}, {"$ref": "#/components/schemas/State"}]}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "skillproto check-service",
            "version": __version__,
            "description": "Asks of a skill descriptor what a registry asks before it publishes it.",
        },
        "servers": [{"url": base_url}],
        "paths": {
            "/v1/check": {"post": _check()},
            "/health": {"get": _get("health", "Whether the service is up, and its versions.", {"type": "object"})},
            "/openapi.json": {"get": _get("openapi", "This document.", {"type": "object"})},
        },
        "components": {
            "schemas": {
                "Request": request,
                "State": _component("State", publish_schema("state")),
                "Reply": _component("Reply", publish_schema("reply")),
                "Error": _component("Error", load_schema("error")),
            }
        },
    }


def _check() -> dict[str, Any]:
    refusals = {
        "400": "The request is not understood.",
        "403": "It asks for what is not turned on here.",
        "408": "It did not come in time.",
        "413": "It is too large.",
        "503": "The check could not be carried out: the state is not there, or too many are under way.",
        "504": "The check took too long.",
    }
    answers = {status: _answer(words, "Error") for status, words in refusals.items()}
    return {
        "operationId": "check",
        "summary": "Check a descriptor. Findings come with 200, whatever the verdict.",
        "requestBody": {"required": True, "content": _content({"$ref": "#/components/schemas/Request"})},
        "responses": {"200": _answer("The verdict and everything that was found.", "Reply"), **answers},
    }


def _get(name: str, words: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"operationId": name, "responses": {"200": {"description": words, "content": _content(schema)}}}


def _answer(words: str, schema: str) -> dict[str, Any]:
    return {"description": words, "content": _content({"$ref": f"#/components/schemas/{schema}"})}


def _content(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _component(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Give a schema as a part of the document, its own references led to where they are now."""
    text = json.dumps({key: value for key, value in schema.items() if key not in _LEFT_OUT})
    component: dict[str, Any] = json.loads(text.replace('"#/$defs/', f'"#/components/schemas/{name}/$defs/'))
    return component
