"""Proof that a document is valid against the schema index. Written by generate.py from the schema; do not edit."""

# ruff: noqa
# fmt: off
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from skillproto.validation.proofs import LONGEST_WEB, is_version, is_web_address, looks_web


def _prepare(name: str, pattern: str, text: str) -> object:
    search = globals()[name] = re.compile(pattern, re.ASCII).search
    return search(text)


_search1: Callable[[str], object] = partial(_prepare, '_search1', '[\\U00000000-\\U00000008\\U0000000b-\\U0000000c\\U0000000e-\\U0000001f!-\\U0010ffff]')
_search2: Callable[[str], object] = partial(_prepare, '_search2', '\\A(?:[0-9A-Za-z])+(?:(?:[\\--\\._])+(?:[0-9A-Za-z])+)*\\Z')


def is_surely_valid(v0: Any) -> bool:
    if type(v0) is not dict: return False
    n0 = 3
    v1 = v0['protocol']
    if type(v1) is not dict: return False
    n1 = 1
    v2 = v1['version']
    if type(v2) is not str: return False
    if len(v2) > 256: return False
    if not is_version(v2): return False
    if 'changelog_url' in v1:
        n1 += 1
        v3 = v1['changelog_url']
        if type(v3) is not str: return False
        if len(v3) > 2048: return False
        if (len(v3) > LONGEST_WEB or not looks_web(v3)) and not is_web_address(v3): return False
    if len(v1) > n1:
        for key in v1:
            if type(key) is not str: return False
    v4 = v0['provider']
    if type(v4) is not dict: return False
    n4 = 1
    v5 = v4['name']
    if type(v5) is not str: return False
    if not 1 <= len(v5) <= 100: return False
    if v5[0] in '\t\n\r ' and not _search1(v5): return False
    if 'url' in v4:
        n4 += 1
        v6 = v4['url']
        if type(v6) is not str: return False
        if len(v6) > 2048: return False
        if (len(v6) > LONGEST_WEB or not looks_web(v6)) and not is_web_address(v6): return False
    if len(v4) > n4:
        for key in v4:
            if type(key) is not str: return False
    v7 = v0['skills']
    if type(v7) is not list: return False
    for v8 in v7:
        if type(v8) is not dict: return False
        n8 = 7
        v9 = v8['id']
        if type(v9) is not str: return False
        if not 1 <= len(v9) <= 200: return False
        if not _search2(v9): return False
        v10 = v8['name']
        if type(v10) is not str: return False
        if not 1 <= len(v10) <= 100: return False
        if v10[0] in '\t\n\r ' and not _search1(v10): return False
        v11 = v8['capability_type']
        if type(v11) is not str or v11 not in {'plugin', 'api', 'knowledge', 'task'}: return False
        v12 = v8['description']
        if type(v12) is not str: return False
        if not 1 <= len(v12) <= 2000: return False
        if v12[0] in '\t\n\r ' and not _search1(v12): return False
        v13 = v8['descriptor_url']
        if type(v13) is not str: return False
        if len(v13) > 2048: return False
        if (len(v13) > LONGEST_WEB or not looks_web(v13)) and not is_web_address(v13): return False
        v14 = v8['access']
        if type(v14) is not str or v14 not in {'public', 'restricted', 'private'}: return False
        v15 = v8['version']
        if type(v15) is not str: return False
        if len(v15) > 256: return False
        if not is_version(v15): return False
        if len(v8) > n8:
            for key in v8:
                if type(key) is not str: return False
    if len(v0) > n0:
        for key in v0:
            if type(key) is not str: return False
    return True
