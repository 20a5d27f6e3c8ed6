"""Write JSON values so that they can be compared as JSON compares them. Pure."""

from skillproto.violations import JSONValue


def canonical(value: JSONValue) -> str:
    """Write a value so that equal JSON values, and no others, give the same text.

    >>> canonical([1.0, True]) == canonical([1, True]), canonical(1) == canonical(True)
    (True, False)
    """
    match value:
        case str():
            return f"{len(value)}:{value}"
        case bool() | None:
            return f"{value}"
        case int():
            return hex(value)
        case float():
            return hex(int(value)) if value.is_integer() else repr(value)
        case list():
            return "[" + ",".join(map(canonical, value)) + "]"
        case dict():
            return "{" + ",".join(sorted(f"{canonical(key)}={canonical(item)}" for key, item in value.items())) + "}"
        case _:
            return f"<{id(value)}>"
