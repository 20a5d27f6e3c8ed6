"""The small internet that skills are probed in."""

from tests.discovery.conftest import world

__all__ = ["world"]
