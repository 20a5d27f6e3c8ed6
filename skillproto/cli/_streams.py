"""Where results and words go: results to the standard output, words to the standard error.

Colour and progress only on a terminal. A reader that goes away is no error of ours.
"""

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator

import click

_state = {"begun": False}


def prepare() -> None:
    """Make both streams able to write any text: UTF-8 into files and pipes, escapes where a terminal has less."""
    _state["begun"] = False
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the caller closed it before it started us
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 - open to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def begun() -> bool:
    """Say whether something was written to the standard output."""
    return _state["begun"]


def write(text: str) -> None:
    """Write a piece of the result, at once."""
    _state["begun"] = True
    sys.stdout.write(text)
    sys.stdout.flush()


@contextlib.contextmanager
def result(path: str | None) -> Iterator[Callable[[str], object]]:
    """Give a function that writes pieces of the result: to the standard output, or into a file.

    The file is written beside its place and moved there when it is whole.

    Raises:
        click.FileError: the file cannot be written.
    """
    if path is None:
        yield write
        return
    partial = f"{path}.{os.getpid()}.partial"
    try:
        with open(partial, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123 - as in prepare
            yield file.write
        os.replace(partial, path)  # noqa: PTH105
    except OSError as error:
        raise click.FileError(path, error.strerror or type(error).__name__) from None
    finally:
        with contextlib.suppress(OSError):
            os.unlink(partial)  # noqa: PTH108


def flush() -> None:
    """Let what is buffered go, so that a reader that went away is noticed while it can be told."""
    sys.stdout.flush()


def say(words: str) -> None:
    """Say something to the person at the terminal."""
    tell(f"skillproto: {words}")


def tell(words: str) -> None:
    """Write lines to the standard error, made safe to show; what cannot be written is dropped."""
    lines = words.split("\n")
    if not all(line.isascii() and line.isprintable() for line in lines):
        from skillproto.reports.escaping import plain

        lines = [plain(line) for line in lines]
    with contextlib.suppress(OSError):
        click.echo("\n".join(lines), err=True)


def abandon() -> None:
    """Give up the standard output, so that the interpreter does not complain at its end."""
    with contextlib.suppress(OSError, ValueError, io.UnsupportedOperation):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def color_wanted(choice: str = "auto") -> bool:
    """Say whether to colour the standard output: asked for, or on a terminal that does not refuse it."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout.isatty()
