"""Proof that a document is valid against the schema error. Written by generate.py from the schema; do not edit."""

# ruff: noqa
# fmt: off
from typing import Any


def is_surely_valid(v0: Any) -> bool:
    if type(v0) is not dict: return False
    n0 = 1
    v1 = v0['error']
    if type(v1) is not dict: return False
    n1 = 2
    v2 = v1['code']
    if type(v2) is not str: return False
    if not 1 <= len(v2) <= 100: return False
    v3 = v1['message']
    if type(v3) is not str: return False
    if not v3: return False
    if 'details' in v1:
        n1 += 1
        v4 = v1['details']
        if type(v4) is not dict: return False
        for key in v4:
            if type(key) is not str: return False
    if 'retry' in v1:
        n1 += 1
        v5 = v1['retry']
        if type(v5) is not dict: return False
        n5 = 0
        if 'suggested_delay_ms' in v5:
            n5 += 1
            v6 = v5['suggested_delay_ms']
            if (type(v6) is not int and (type(v6) is not float or v6 - v6 != 0)): return False
            if v6 < 0: return False
        if 'max_attempts' in v5:
            n5 += 1
            v7 = v5['max_attempts']
            if (type(v7) is not int and (type(v7) is not float or v7 - v7 != 0)): return False
            if v7 < 0: return False
        if len(v5) > n5:
            for key in v5:
                if type(key) is not str: return False
    if len(v1) > n1:
        for key in v1:
            if type(key) is not str: return False
    if len(v0) > n0:
        for key in v0:
            if type(key) is not str: return False
    return True
