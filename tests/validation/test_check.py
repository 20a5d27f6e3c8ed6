"""What a finding says, for each kind of fault."""

from skillproto.validation import check
from tests.validation.samples import descriptor


def test_the_two_examples_of_the_protocol_come_out_to_the_letter() -> None:
    found = check(descriptor(capability_type="unknown_type", endpoint={}))
    assert [list(violation.to_dict().items())[:4] for violation in found] == [
        [
            ("field", "/capability_type"),
            ("expected", "one of: plugin, api, knowledge, task"),
            ("actual", "unknown_type"),
            ("message", "Invalid enum value"),
        ],
        [
            ("field", "/endpoint/url"),
            ("expected", "string (URI format)"),
            ("actual", None),
            ("message", "Required field is missing"),
        ],
    ]
