"""Proof that a document is valid against the schema invocation-request. Written by generate.py from the schema; do not edit."""

# ruff: noqa
# fmt: off
import re
from collections.abc import Callable
from functools import partial
from typing import Any


def _prepare(name: str, pattern: str, text: str) -> object:
    search = globals()[name] = re.compile(pattern, re.ASCII).search
    return search(text)


_search1: Callable[[str], object] = partial(_prepare, '_search1', '\\A(?:[0-9A-Za-z])+(?:(?:[\\--\\._])+(?:[0-9A-Za-z])+)*\\Z')


def is_surely_valid(v0: Any) -> bool:
    if type(v0) is not dict: return False
    n0 = 3
    v1 = v0['caller']
    if type(v1) is not dict: return False
    n1 = 2
    v2 = v1['id']
    if type(v2) is not str: return False
    if not 1 <= len(v2) <= 200: return False
    v3 = v1['type']
    if type(v3) is not str or v3 not in {'ifay', 'service', 'user'}: return False
    if 'credentials' in v1:
        n1 += 1
        v4 = v1['credentials']
        if type(v4) is not dict: return False
        for key in v4:
            if type(key) is not str: return False
    if len(v1) > n1:
        for key in v1:
            if type(key) is not str: return False
    v5 = v0['skill_id']
    if type(v5) is not str: return False
    if not 1 <= len(v5) <= 200: return False
    if not _search1(v5): return False
    v6 = v0['inputs']
    if type(v6) is not dict: return False
    for key in v6:
        if type(key) is not str: return False
    if 'context' in v0:
        n0 += 1
        v7 = v0['context']
        if type(v7) is not dict: return False
        n7 = 0
        if 'trace_id' in v7:
            n7 += 1
            v8 = v7['trace_id']
            if type(v8) is not str: return False
            if not 1 <= len(v8) <= 200: return False
        if 'priority' in v7:
            n7 += 1
            v9 = v7['priority']
            if type(v9) is not str and type(v9) is not int: return False
        if 'timeout_ms' in v7:
            n7 += 1
            v10 = v7['timeout_ms']
            if type(v10) is not int: return False
            if v10 < 1: return False
            if v10 > 86400000: return False
        if len(v7) > n7:
            for key in v7:
                if type(key) is not str: return False
    if len(v0) > n0:
        for key in v0:
            if type(key) is not str: return False
    return True
