"""The exceptions of the bindings."""

from collections.abc import Iterator
from contextlib import contextmanager

from mjenv.engine.errors import MjcfError


class FatalError(Exception):
    """An error of one of MuJoCo's functions."""

    __module__ = "mujoco"


class UnexpectedError(Exception):
    """An error inside MuJoCo."""

    __module__ = "mujoco"


@contextmanager
def files_in_words() -> Iterator[None]:
    """Within it, a file that a document names and that is not there is reported as MuJoCo does.

    Programs look for these words in messages.
    """
    try:
        yield
    except MjcfError as error:
        if not error.missing:
            raise
        raise ValueError(f"Error: Error opening file '{error.missing}'\n{error}") from None
