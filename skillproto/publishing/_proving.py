"""Whether the namespace of an id is proven: by what the registry knows, by proofs that were given, or by asking."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from skillproto.publishing.likeness import namespaces_of
from skillproto.publishing.obstacles import Obstacle
from skillproto.publishing.state import RegistryState
from skillproto.rules import publishing as rules
from skillproto.validation.shown import short_text
from skillproto.violations import Violation

if TYPE_CHECKING:
    from skillproto.discovery import Proof
    from skillproto.publishing.check import Probe


class Proven(NamedTuple):
    """What is to be told about the proof of a namespace; nothing where it is proven or nobody asks."""

    findings: tuple[Violation, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()


_NOTHING = Proven()


def proof_of(
    skill_id: str, state: RegistryState | None, proofs: "Iterable[str | Proof]", probe: "Probe | None"
) -> Proven:
    """Find out whether a namespace is proven."""
    is_asked = probe is not None or (state is not None and state.knows_namespaces)
    given = list(proofs)
    if (not is_asked and not given) or (state is not None and state.is_proven(skill_id)):
        return _NOTHING
    namespaces = namespaces_of(skill_id)
    if any(isinstance(proof, str) and proof.casefold() in namespaces for proof in given):
        return _NOTHING
    found = [proof for proof in given if not isinstance(proof, str) and proof.skill_id == skill_id]
    if probe is not None and not found:
        try:
            found = [probe.prove(skill_id)]
        except Exception as error:  # a fault of ours, or of a library, is no word about the id
            message = f"The namespace could not be proven ({type(error).__name__})"
            return Proven((), (Obstacle("namespace-proof", "failed", message, is_remote=True),))
    if any(proof.state == "proven" for proof in found):
        return _NOTHING
    unknown = next((proof for proof in found if proof.state == "unknown"), None)
    if unknown is not None:
        message = f"Whether the namespace is proven could not be found out: {unknown.why}"
        return Proven((), (Obstacle("namespace-proof", "unknown", message, is_remote=True),))
    if not found and not is_asked:
        return _NOTHING
    return Proven((_unproven(skill_id, namespaces, found[0].why if found else None),))


def _unproven(skill_id: str, namespaces: list[str], why: str | None) -> Violation:
    domain = ".".join(reversed(namespaces[0].split("."))) if namespaces else None
    where = f"https://{domain}/.well-known/skill-sharing" if domain else None
    words = f"Nobody proved that {domain} is theirs" if domain else "The id begins with no domain to be proven"
    return rules.NAMESPACE_UNPROVEN.found(
        "/id",
        "an id in a namespace that is proven",
        skill_id,
        f"{words}: {short_text(why, 200)}" if why and domain else words,
        hint=f"Name the id in the index at {where}" if where else "Begin the id with a domain of yours, reversed",
        details={"namespaces": namespaces},
    )
