"""Proof that a document is valid against the schema descriptor. Written by generate.py from the schema; do not edit."""

# ruff: noqa
# fmt: off
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from skillproto.validation.proofs import LONGEST_WEB, is_date_time, is_execution_address, is_version, is_web_address, looks_dated, looks_web


def _prepare(name: str, pattern: str, text: str) -> object:
    search = globals()[name] = re.compile(pattern, re.ASCII).search
    return search(text)


_search1: Callable[[str], object] = partial(_prepare, '_search1', '\\A(?:[0-9A-Za-z])+(?:(?:[\\--\\._])+(?:[0-9A-Za-z])+)*\\Z')
_search2: Callable[[str], object] = partial(_prepare, '_search2', '[\\U00000000-\\U00000008\\U0000000b-\\U0000000c\\U0000000e-\\U0000001f!-\\U0010ffff]')
_search3: Callable[[str], object] = partial(_prepare, '_search3', '\\A(?:[!\\#-\\$\\&\\+\\--\\.0-9A-Z\\^-_a-z])+/(?:[!\\#-\\$\\&\\+\\--\\.0-9A-Z\\^-_a-z])+(?:(?:\\ )*;(?:[\\ -\\~])*)?\\Z')
_search4: Callable[[str], object] = partial(_prepare, '_search4', '\\A[A-Z_a-z](?:[\\-0-9A-Z_a-z])*\\Z')
_search5: Callable[[str], object] = partial(_prepare, '_search5', "\\A(?:[!\\#-'\\*-\\+\\--\\.0-9A-Z\\^-z\\|\\~])+\\Z")


def is_surely_valid(v0: Any) -> bool:
    if type(v0) is not dict: return False
    n0 = 12
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
    v4 = v0['id']
    if type(v4) is not str: return False
    if not 1 <= len(v4) <= 200: return False
    if not _search1(v4): return False
    v5 = v0['name']
    if type(v5) is not str: return False
    if not 1 <= len(v5) <= 100: return False
    if v5[0] in '\t\n\r ' and not _search2(v5): return False
    v6 = v0['version']
    if type(v6) is not str: return False
    if len(v6) > 256: return False
    if not is_version(v6): return False
    v7 = v0['capability_type']
    if type(v7) is not str or v7 not in {'plugin', 'api', 'knowledge', 'task'}: return False
    v8 = v0['description']
    if type(v8) is not str: return False
    if not 1 <= len(v8) <= 2000: return False
    if v8[0] in '\t\n\r ' and not _search2(v8): return False
    v9 = v0['provider']
    if type(v9) is not dict: return False
    n9 = 1
    v10 = v9['name']
    if type(v10) is not str: return False
    if not 1 <= len(v10) <= 100: return False
    if v10[0] in '\t\n\r ' and not _search2(v10): return False
    if 'url' in v9:
        n9 += 1
        v11 = v9['url']
        if type(v11) is not str: return False
        if len(v11) > 2048: return False
        if (len(v11) > LONGEST_WEB or not looks_web(v11)) and not is_web_address(v11): return False
    if 'contact' in v9:
        n9 += 1
        v12 = v9['contact']
        if type(v12) is not str: return False
        if not 1 <= len(v12) <= 100: return False
        if v12[0] in '\t\n\r ' and not _search2(v12): return False
    if len(v9) > n9:
        for key in v9:
            if type(key) is not str: return False
    v13 = v0['endpoint']
    if type(v13) is not dict: return False
    n13 = 1
    v14 = v13['url']
    if type(v14) is not str: return False
    if len(v14) > 2048: return False
    if (len(v14) > LONGEST_WEB or not looks_web(v14)) and not is_web_address(v14): return False
    if 'method' in v13:
        n13 += 1
        v15 = v13['method']
        if type(v15) is not str or v15 != 'POST': return False
    if 'content_type' in v13:
        n13 += 1
        v16 = v13['content_type']
        if type(v16) is not str: return False
        if len(v16) > 200: return False
        if v16 != 'application/json' and not _search3(v16): return False
    if 'status_url' in v13:
        n13 += 1
        v17 = v13['status_url']
        if type(v17) is not str: return False
        if len(v17) > 2048: return False
        if not is_execution_address(v17): return False
    if 'result_url' in v13:
        n13 += 1
        v18 = v13['result_url']
        if type(v18) is not str: return False
        if len(v18) > 2048: return False
        if not is_execution_address(v18): return False
    if 'timeout_ms' in v13:
        n13 += 1
        v19 = v13['timeout_ms']
        if type(v19) is not int: return False
        if v19 < 1: return False
        if v19 > 86400000: return False
    if len(v13) > n13:
        for key in v13:
            if type(key) is not str: return False
    v20 = v0['inputs']
    if type(v20) is not list: return False
    for v21 in v20:
        if type(v21) is not dict: return False
        n21 = 2
        v22 = v21['name']
        if type(v22) is not str: return False
        if not 1 <= len(v22) <= 64: return False
        if not _search4(v22): return False
        v23 = v21['type']
        if type(v23) is not str or v23 not in {'string', 'number', 'integer', 'boolean', 'object', 'array'}: return False
        if 'description' in v21:
            n21 += 1
            v24 = v21['description']
            if type(v24) is not str: return False
            if not 1 <= len(v24) <= 2000: return False
            if v24[0] in '\t\n\r ' and not _search2(v24): return False
        if 'required' in v21:
            n21 += 1
            v25 = v21['required']
            if type(v25) is not bool: return False
        if 'default' in v21:
            n21 += 1
            v26 = v21['default']
        if 'enum' in v21:
            n21 += 1
            v27 = v21['enum']
            if type(v27) is not list: return False
            if not v27: return False
        if 'schema' in v21:
            n21 += 1
            v28 = v21['schema']
            if type(v28) is not dict and type(v28) is not bool: return False
            if type(v28) is dict:
                for key in v28:
                    if type(key) is not str: return False
        if 'examples' in v21:
            n21 += 1
            v29 = v21['examples']
            if type(v29) is not list: return False
        if len(v21) > n21:
            for key in v21:
                if type(key) is not str: return False
    v30 = v0['output']
    if type(v30) is not dict: return False
    n30 = 1
    v31 = v30['type']
    if type(v31) is not str or v31 not in {'string', 'number', 'integer', 'boolean', 'object', 'array'}: return False
    if 'description' in v30:
        n30 += 1
        v32 = v30['description']
        if type(v32) is not str: return False
        if not 1 <= len(v32) <= 2000: return False
        if v32[0] in '\t\n\r ' and not _search2(v32): return False
    if 'content_type' in v30:
        n30 += 1
        v33 = v30['content_type']
        if type(v33) is not str: return False
        if len(v33) > 200: return False
        if not _search3(v33): return False
    if 'schema' in v30:
        n30 += 1
        v34 = v30['schema']
        if type(v34) is not dict and type(v34) is not bool: return False
        if type(v34) is dict:
            for key in v34:
                if type(key) is not str: return False
    if len(v30) > n30:
        for key in v30:
            if type(key) is not str: return False
    v35 = v0['auth']
    if type(v35) is not dict: return False
    n35 = 1
    v36 = v35['type']
    if type(v36) is not str or v36 not in {'api_key', 'oauth2', 'custom', 'none'}: return False
    if 'description' in v35:
        n35 += 1
        v37 = v35['description']
        if type(v37) is not str: return False
        if not 1 <= len(v37) <= 2000: return False
        if v37[0] in '\t\n\r ' and not _search2(v37): return False
    if v35['type'] == 'api_key':
        if 'header' in v35:
            n35 += 1
            v38 = v35['header']
            if type(v38) is not str: return False
            if not 1 <= len(v38) <= 100: return False
            if v38 != 'X-API-Key' and not _search5(v38): return False
    if v35['type'] == 'oauth2':
        if 'oauth2' not in v35: return False
        if 'oauth2' in v35:
            n35 += 1
            v39 = v35['oauth2']
            if type(v39) is not dict: return False
            n39 = 1
            v40 = v39['token_url']
            if type(v40) is not str: return False
            if len(v40) > 2048: return False
            if (len(v40) > LONGEST_WEB or not looks_web(v40)) and not is_web_address(v40): return False
            if 'authorization_url' in v39:
                n39 += 1
                v41 = v39['authorization_url']
                if type(v41) is not str: return False
                if len(v41) > 2048: return False
                if (len(v41) > LONGEST_WEB or not looks_web(v41)) and not is_web_address(v41): return False
            if 'scopes' in v39:
                n39 += 1
                v42 = v39['scopes']
                if type(v42) is not dict: return False
                for v43 in v42.values():
                    if type(v43) is not str: return False
                    if len(v43) > 2000: return False
                for key in v42:
                    if type(key) is not str: return False
            if len(v39) > n39:
                for key in v39:
                    if type(key) is not str: return False
    if v35['type'] == 'custom':
        if 'custom' not in v35: return False
        if 'custom' in v35:
            n35 += 1
            v44 = v35['custom']
            if type(v44) is not dict: return False
            n44 = 1
            v45 = v44['instructions']
            if type(v45) is not str: return False
            if not 1 <= len(v45) <= 2000: return False
            if v45[0] in '\t\n\r ' and not _search2(v45): return False
            if 'parameters' in v44:
                n44 += 1
                v46 = v44['parameters']
                if type(v46) is not list: return False
                for v47 in v46:
                    if type(v47) is not dict: return False
                    n47 = 1
                    v48 = v47['name']
                    if type(v48) is not str: return False
                    if not 1 <= len(v48) <= 100: return False
                    if v48[0] in '\t\n\r ' and not _search2(v48): return False
                    if 'description' in v47:
                        n47 += 1
                        v49 = v47['description']
                        if type(v49) is not str: return False
                        if not 1 <= len(v49) <= 2000: return False
                        if v49[0] in '\t\n\r ' and not _search2(v49): return False
                    if len(v47) > n47:
                        for key in v47:
                            if type(key) is not str: return False
            if len(v44) > n44:
                for key in v44:
                    if type(key) is not str: return False
    if len(v35) > n35:
        for key in v35:
            if type(key) is not str: return False
    v50 = v0['access']
    if type(v50) is not str or v50 not in {'public', 'restricted', 'private'}: return False
    if 'tags' in v0:
        n0 += 1
        v51 = v0['tags']
        if type(v51) is not list: return False
        if len(v51) > 50: return False
        for v52 in v51:
            if type(v52) is not str: return False
            if not 1 <= len(v52) <= 50: return False
        if len(v51) > 1 and len({*v51}) < len(v51): return False
    if 'documentation_url' in v0:
        n0 += 1
        v53 = v0['documentation_url']
        if type(v53) is not str: return False
        if len(v53) > 2048: return False
        if (len(v53) > LONGEST_WEB or not looks_web(v53)) and not is_web_address(v53): return False
    if 'created_at' in v0:
        n0 += 1
        v54 = v0['created_at']
        if type(v54) is not str: return False
        if not looks_dated(v54) and not is_date_time(v54): return False
    if 'updated_at' in v0:
        n0 += 1
        v55 = v0['updated_at']
        if type(v55) is not str: return False
        if not looks_dated(v55) and not is_date_time(v55): return False
    if len(v0) > n0:
        for key in v0:
            if type(key) is not str: return False
    return True
