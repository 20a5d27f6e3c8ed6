"""Which rules look at which area of a document; `quick` names the areas that are in doubt."""

from collections.abc import Iterator, Mapping

from skillproto.rules import access, addresses, members, parameters, texts, user_messages
from skillproto.rules.model import Rule
from skillproto.rules.subject import Subject
from skillproto.violations import Violation

RULES_OF_AREA: Mapping[str, tuple[Rule, ...]] = {
    "members": (members.unknown_member, members.id_namespace, members.time_order, members.duplicate_skill),
    "parameters": (
        parameters.duplicate_input,
        parameters.default_on_required,
        parameters.default_type,
        parameters.enum_type,
        parameters.example_type,
        parameters.schema_type,
        parameters.optional_refuses_null,
    ),
    "access": (access.auth_missing, access.auth_on_public, access.secret_in_descriptor),
    "addresses": (
        addresses.insecure_url,
        addresses.url_credentials,
        addresses.private_address,
        addresses.foreign_origin,
        addresses.template_variable,
        addresses.no_status_url,
    ),
    "texts": (texts.invisible_characters, texts.instruction_like_text),
    "suppression": (user_messages.user_message,),
}


def embedded_schemas(subject: Subject) -> Iterator[Violation]:
    """Check the schemas that a descriptor carries, each by itself, and the lists of values beside them."""
    from skillproto.validation import check_embedded

    if subject.schema != "descriptor":
        return
    yield from parameters.too_many_values(subject)
    places = [(f"{parameter.field}/schema", parameter.members.get("schema")) for parameter in subject.parameters]
    places.append(("/output/schema", subject.member("output", "schema")))
    for field, schema in places:
        if isinstance(schema, dict | bool):
            yield from check_embedded(schema, at=field)
