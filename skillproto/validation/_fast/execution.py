"""Proof that a document is valid against the schema execution. Written by generate.py from the schema; do not edit."""

# ruff: noqa
# fmt: off
from typing import Any


def is_surely_valid(v0: Any) -> bool:
    if type(v0) is not dict: return False
    n0 = 0
    if 'execution_id' in v0:
        n0 += 1
        v1 = v0['execution_id']
        if type(v1) is not str: return False
        if not 1 <= len(v1) <= 200: return False
    if 'status' in v0:
        n0 += 1
        v2 = v0['status']
        if type(v2) is not str: return False
        if not 1 <= len(v2) <= 100: return False
    if 'output' in v0:
        n0 += 1
        v3 = v0['output']
    if 'poll_interval_ms' in v0:
        n0 += 1
        v4 = v0['poll_interval_ms']
        if type(v4) is not int: return False
        if v4 < 0: return False
    if 'error' in v0:
        n0 += 1
        v5 = v0['error']
        if type(v5) is not dict and v5 is not None: return False
        if type(v5) is dict:
            for key in v5:
                if type(key) is not str: return False
    if not ('status' in v0 or 'output' in v0 or 'error' in v0): return False
    if len(v0) > n0:
        for key in v0:
            if type(key) is not str: return False
    return True
