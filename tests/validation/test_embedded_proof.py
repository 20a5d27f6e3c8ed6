"""The quick proof for schemas that a descriptor carries: never wrong."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillproto.validation.budget import Budget
from skillproto.validation.embedded_proof import proof_of
from skillproto.validation.reference import check_value
from skillproto.validation.schema_scan import Scan

DEFS = {"s": {"type": "string"}, "o": {"type": "object", "properties": {"a": {"type": "integer"}}}}
TYPES = ["string", "integer", "number", "object", "array", "boolean", "null"]
KEYWORDS = st.one_of(
    st.fixed_dictionaries({"type": st.sampled_from(TYPES)}),
    st.fixed_dictionaries({"type": st.just(["string", "null"])}),
    st.fixed_dictionaries({"enum": st.lists(st.sampled_from(["a", "b", "abc"]), min_size=1)}),
    st.fixed_dictionaries({"const": st.sampled_from(["a", 1])}),
    st.fixed_dictionaries({"minLength": st.integers(0, 3), "maxLength": st.integers(0, 3)}),
    st.fixed_dictionaries({"minimum": st.integers(-1, 2), "exclusiveMaximum": st.integers(0, 3)}),
    st.fixed_dictionaries({"pattern": st.sampled_from(["^a", "b$", "^[a-c]*$", "\\d"])}),
    st.fixed_dictionaries({"format": st.sampled_from(["uri", "email", "date"])}),
    st.fixed_dictionaries({"required": st.lists(st.sampled_from(["a", "b"]), unique=True)}),
    st.fixed_dictionaries({"uniqueItems": st.booleans(), "maxItems": st.integers(0, 3)}),
    st.fixed_dictionaries({"$ref": st.sampled_from(["#/$defs/s", "#/$defs/o"])}),
)
SCHEMAS = st.recursive(
    KEYWORDS,
    lambda inner: st.one_of(
        st.builds(lambda a, b: {**a, **b}, inner, inner),
        st.fixed_dictionaries(
            {
                "properties": st.dictionaries(st.sampled_from(["a", "b"]), inner),
                "additionalProperties": st.one_of(inner, st.booleans()),
            }
        ),
        st.fixed_dictionaries({"items": st.one_of(inner, st.booleans())}),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"allOf": st.lists(inner, min_size=1, max_size=2)}),
    ),
    max_leaves=5,
).map(lambda schema: {**schema, "$defs": DEFS})
SCALARS = st.sampled_from(
    [
        None,
        True,
        0,
        1,
        2,
        1.0,
        1.5,
        float("inf"),
        float("nan"),
        "",
        "a",
        "abc",
        "b\n",
        "\u0661",
        "a@b.example",
        (),
        (1,),
    ]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c", 1]), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(SCHEMAS, VALUES)
def test_what_is_quickly_proven_to_fit_has_no_finding_in_the_reference(schema: Any, value: Any) -> None:
    scan = Scan(schema, "")
    assert scan.findings == []
    normal = scan.normalised()
    proof = proof_of(normal)
    if proof is not None and proof(value):
        assert check_value(value, normal, Budget()) == []
