"""Room on Python's stack for documents that nest deeply, and what is said where there is none."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import MjcfError, UnsupportedFeature

FRAMES = 10  # calls inside each other per level of a document, at most
ALWAYS = 1000  # for what calls and is called


@contextmanager
def limited(where: str) -> Iterator[None]:
    """Refuse a document that needs more stack or memory than there is, or too large numbers.

    Args:
        where: the document, or an element of it, as messages show it.

    Raises:
        UnsupportedFeature, MjcfError: instead of RecursionError, MemoryError, OverflowError.
    """
    try:
        yield
    except RecursionError:
        what = "a model that nests so deeply"
    except MemoryError:
        what = "a model that needs more memory than there is"
    except OverflowError:
        raise MjcfError(f"{where}: numbers are too large to compile the model") from None
    else:
        return
    raise UnsupportedFeature(f"{where}: {what} is valid, but not built yet")


def make_room(depth: int) -> None:
    """Raise Python's limit of recursion where a document needs it; it is never lowered.

    Args:
        depth: elements inside each other.
    """
    needed = ALWAYS + FRAMES * depth
    if depth > 50 and sys.getrecursionlimit() < needed:
        sys.setrecursionlimit(needed)
