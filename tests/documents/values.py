"""Hypothesis strategies for values and for texts that are almost good."""

from hypothesis import strategies as st

from skillproto.violations import JSONValue

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**300), 10**300)
    | st.integers(-9, 99)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
values: st.SearchStrategy[JSONValue] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=12
)


@st.composite
def damaged(draw: st.DrawFn, wholes: st.SearchStrategy[str], pieces: str) -> str:
    """A text with a few characters taken out, put in or exchanged."""
    text = draw(wholes)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        cut = draw(st.integers(0, 2))
        text = text[:at] + draw(st.sampled_from(["", *pieces])) + text[at + cut :]
    return text


def pointers(value: JSONValue, at: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], JSONValue]]:
    """Every value inside a value, with the path to it."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(at, value), *(found for key, item in inner for found in pointers(item, (*at, key)))]
