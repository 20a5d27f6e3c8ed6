"""Write JSON values so that they can be compared as JSON compares them. Pure."""

from skillproto.violations import JSONValue


def canonical(value: JSONValue) -> str:
    """Write a value so that equal JSON values, and no others, give the same text.

    The depth of the value does not matter.

    >>> canonical([1.0, True]) == canonical([1, True]), canonical(1) == canonical(True)
    (True, False)
    >>> canonical({"a": 1, "b": [2]}) == canonical({"b": [2.0], "a": 1})
    True
    """
    written: list[str] = []
    waiting: list[JSONValue] = [value]
    while waiting:
        node = waiting.pop()
        match node:
            case list():
                written.append(f"[{len(node)}")
                waiting.extend(reversed(node))
            case dict():
                members = sorted(((_scalar(key), item) for key, item in node.items()), key=lambda member: member[0])
                written.append("{" + ",".join(key for key, _ in members))
                written.append(f"}}{len(members)}")
                waiting.extend(item for _, item in reversed(members))
            case _:
                written.append(_scalar(node))
    return ",".join(written)


def _scalar(value: JSONValue) -> str:
    match value:
        case str():
            return f"{len(value)}:{value}"
        case bool() | None:
            return f"{value}"
        case int():
            return hex(value)
        case float():
            return hex(int(value)) if value.is_integer() else repr(value)
        case _:
            return f"<{id(value)}>"
