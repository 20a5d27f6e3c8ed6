"""Indexes and descriptors for the small internet, and sites that serve them."""

import json
import socket
from collections.abc import Iterable
from typing import Any

from skillproto.provider import skill
from tests.discovery.world import Answer, Asked, Site, World, reply

WELL_KNOWN = "/.well-known/skill-sharing"
KEY = "s3cret-s3cret-s3cret"
SHOWN = {"X-API-Key": KEY}


def descriptor(name: str = "a", host: str = "api.example", **members: Any) -> dict[str, Any]:
    """Give a descriptor without findings."""
    is_open = members.get("access", "public") == "public"
    made = skill.descriptor(f"https://{host}", api_key=not is_open, skill_id=f"com.example.{name}")
    return made | {"provider": {"name": "Example"}} | members


def entry(of: dict[str, Any], url: str, **members: Any) -> dict[str, Any]:
    compared = ("id", "name", "version", "capability_type", "description", "access")
    return {name: of[name] for name in compared} | {"descriptor_url": url} | members


def index(entries: Iterable[dict[str, Any]]) -> bytes:
    value = {"protocol": {"version": "1.0.0"}, "provider": {"name": "Example"}, "skills": list(entries)}
    return json.dumps(value, indent=1).encode()


def gated(inside: bytes, outside: bytes | None = None) -> Answer:
    """Answer those who show the key, and the others with something else or a 401."""

    def answer(connection: socket.socket, asked: Asked) -> bytes:
        if asked.headers.get("x-api-key") == KEY:
            return inside
        return outside or reply(b"{}", "WWW-Authenticate: ApiKey", status=401)

    return answer


def offering(world: World, *descriptors: dict[str, Any], host: str = "example.com") -> Site:
    """Put up a site whose index lists these descriptors, all of them open to everybody."""
    entries = [entry(each, f"https://{host}/{i}.json") for i, each in enumerate(descriptors)]
    site = world.site(host, {WELL_KNOWN: reply(index(entries))})
    for i, each in enumerate(descriptors):
        site.answers[f"/{i}.json"] = reply(json.dumps(each).encode())
    return site
