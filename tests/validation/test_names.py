"""Which name was meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillproto.validation.names import misspelt, nearest, version_hint
from skillproto.versions import is_version

MEMBERS = (
    "protocol", "id", "name", "version", "capability_type", "description", "provider", "endpoint", "inputs", "output",
    "auth", "access", "tags", "documentation_url", "created_at", "updated_at",
)  # fmt: skip


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("descripton", "description"),
        ("desciption", "description"),
        ("Description", "description"),
        ("capabilityType", "capability_type"),
        ("documentation-url", "documentation_url"),
        ("verison", "version"),
        ("input", "inputs"),
        ("outputs", "output"),
        ("acess", "access"),
        ("createdAt", "created_at"),
        ("tag", "tags"),
        ("nmae", "name"),
    ],
)
def test_a_slip_is_recognised(word: str, name: str) -> None:
    assert nearest(word, MEMBERS) == name


@pytest.mark.parametrize("word", ["", "x", "colour", "x-note", "homepage", "license", "d" * 100, "\ud800"])
def test_another_word_is_not_taken_for_a_slip(word: str) -> None:
    assert nearest(word, MEMBERS) is None


def test_each_member_stands_for_one_missing_name() -> None:
    assert misspelt(["name", "game"], ["nam"]) == {"name": "nam"}
    assert misspelt(["description", "version"], ["verison", "descripton", 5]) == {
        "description": "descripton",
        "version": "verison",
    }
    assert misspelt([], ["nam"]) == {}


@given(st.text(max_size=30), st.lists(st.text(max_size=30), max_size=10))
def test_the_nearest_is_one_of_the_names(word: str, names: list[str]) -> None:
    assert nearest(word, names) in (None, *names)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("V1.2.3", "Write 1.2.3"),
        ("1", "Write 1.0.0"),
        ("1.2.3.4", "Name one version, such as 1.2.3"),
        ("=1.2.3", "Write 1.2.3"),
        ("~1.2", "This is a range of versions; name one, such as 1.2.0"),
        ("*", "Name one version, such as 1.2.0"),
        ("1.*", "This is a range of versions; name one, such as 1.0.0"),
        ("1.2.x", "This is a range of versions; name one, such as 1.2.0"),
        ("1.2-beta", "Write 1.2.0-beta"),
        ("1.2.3-rc.01", "Write 1.2.3-rc.1"),
        ("1.2.3+", "Write 1.2.3"),
        ("1.2.3_1", "Name one version, such as 1.2.3"),
        ("", "Name one version, such as 1.2.0"),
        ("\u0661.\u0662.\u0663", "Name one version, such as 1.2.0"),
        ("1" * 1000, "Name one version, such as 1.2.0"),
    ],
)
def test_the_version_that_was_meant_is_named(text: str, hint: str) -> None:
    assert version_hint(text) == hint


@given(st.text(alphabet="vV^~<>=*x0123456789.-+ab ", max_size=20))
def test_a_version_in_a_hint_is_one(text: str) -> None:
    hint = version_hint(text)
    assert hint is not None
    assert is_version(hint.rsplit(" ", 1)[-1])
