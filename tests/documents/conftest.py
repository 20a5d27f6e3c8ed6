from collections.abc import Callable

import pytest
import yaml

from skillproto.documents import yaml_events

PARSERS: dict[str, Callable[[str], yaml_events.EventSource]] = {
    "libyaml": yaml_events.parser_of,
    "pure-python": yaml_events.PurePythonParser,
}


@pytest.fixture(params=PARSERS)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Read YAML with each of the two parsers."""
    name: str = request.param
    if name == "libyaml" and not yaml.__with_libyaml__:
        pytest.skip("this PyYAML was built without libyaml")
    monkeypatch.setattr(yaml_events, "parser_of", PARSERS[name])
    return name
