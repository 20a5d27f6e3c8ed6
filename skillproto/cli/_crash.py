"""Say what went wrong inside, shortly enough for a person and exactly enough for a report."""

from pathlib import Path


def describe(error: BaseException) -> str:
    """Name an unexpected exception and where it came from; never its text, which may hold values.

    >>> describe(KeyError("secret"))
    'Unexpected KeyError; this is a fault of skillproto, please report it'
    """
    return f"Unexpected {type(error).__name__}{_place(error)}; this is a fault of skillproto, please report it"


def _place(error: BaseException) -> str:
    traceback = error.__traceback__
    if traceback is None:
        return ""
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    return f" at {Path(traceback.tb_frame.f_code.co_filename).name}:{traceback.tb_lineno}"
