"""What looks like a secret is masked, and nothing else is."""

import base64
import html
import json
import time
from urllib.parse import quote, quote_plus

import pytest

from skillproto.redaction import MASK, blot, find_secret, hide, known_forms, mask, mask_text, safe_url

KEY = "sk-live-abcdefghijklmnopqrst"


@pytest.mark.parametrize(
    "text",
    [
        f"use {KEY} here",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "AKIAABCDEFGHIJKLMNOP",
        "xoxb-123456789012-abcdef",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
        "Authorization: Bearer abcdefghijklmnop",
        "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_a_key_of_a_well_known_form_is_found_and_masked(text: str) -> None:
    secret = find_secret(text)
    assert secret is not None
    assert secret not in mask_text(text)


@pytest.mark.parametrize("text", ["a plain text", "skill-proto", "basic english", "com.example.translate-v1", "sk-1"])
def test_an_ordinary_text_is_left_alone(text: str) -> None:
    assert mask_text(text) == text
    assert blot(text) == text


def test_a_known_secret_goes_wherever_it_stands_keys_included() -> None:
    assert mask({"a s3cret": ["is s3cret"]}, ["s3cret"]) == {f"a {MASK}": [f"is {MASK}"]}


AWKWARD = 'pa&ss/w~rd +"Zq'


@pytest.mark.parametrize(
    "written",
    [
        quote(AWKWARD),
        quote(AWKWARD, safe=""),
        quote(AWKWARD, safe="").lower().replace("zq", "Zq"),
        quote_plus(AWKWARD),
        json.dumps(AWKWARD)[1:-1],
        html.escape(AWKWARD),
        AWKWARD.replace("~", "~0").replace("/", "~1"),
        AWKWARD.capitalize().replace("zq", "Zq"),
        AWKWARD.encode().hex(),
        base64.b64encode(AWKWARD.encode()).decode(),
        base64.urlsafe_b64encode(AWKWARD.encode()).decode(),
    ],
)
def test_a_known_secret_goes_however_it_is_written(written: str) -> None:
    assert mask_text(f"a {written}", [AWKWARD]) == f"a {MASK}"


@pytest.mark.parametrize("user", ["", "a", "ab", "abc", "someone"])
@pytest.mark.parametrize("behind", ["", "x", "xy"])
def test_a_known_secret_goes_inside_longer_base64(user: str, behind: str) -> None:
    secret = "s3cret-0123456789"
    text = base64.b64encode(f"{user}{secret}{behind}".encode()).decode()
    left = mask_text(text, [secret])
    assert MASK in left
    assert len(left.replace(MASK, "")) < len(text) - len(secret)


def test_hiding_changes_nothing_but_the_secret() -> None:
    value = {"password": "x", "n": 1, "t": (True, None), "u": "https://a:b@c/"}
    assert hide(value, known_forms(["s3cret"])) == {**value, "t": [True, None]}
    assert hide(value, ()) == {**value, "t": [True, None]}


def test_a_short_secret_is_not_looked_for_in_base64() -> None:
    assert known_forms(["abcd", "abc"]) == ("Abcd", "abcd")


def test_the_user_part_of_an_address_is_never_shown() -> None:
    assert "pw" not in mask_text("https://ann:pw@host/")
    assert safe_url("https://ann:pw@host:1/a?key=x#y") == "https://host:1/a"


@pytest.mark.parametrize(
    "line",
    [
        "url: https://ann:hunter2@host/",
        'key: "hunter2"',
        "  password: hunter2  # keep",
        '{"client_secret": "hunter2", "a": 1}',
        "https://host/?api_key=hunter2&x=1",
        f"note: {KEY}",
    ],
)
def test_a_line_keeps_its_length_when_secrets_are_blotted_out(line: str) -> None:
    shown = blot(line)
    assert len(shown) == len(line)
    assert KEY not in shown
    if not line.startswith("key:"):
        assert "hunter2" not in shown


def test_blotting_a_long_line_takes_time_in_proportion() -> None:
    line = "a_secret" * 200_000 + " token" + " " * 200_000
    began = time.process_time()
    blot(line)
    assert time.process_time() - began < 5
