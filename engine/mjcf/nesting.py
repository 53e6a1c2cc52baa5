"""Room on Python's stack for documents that nest deeply."""

import sys

FRAMES = 10  # calls inside each other per level of a document, at most
ALWAYS = 1000  # for what calls and is called


def make_room(depth: int) -> None:
    """Raise Python's limit of recursion where a document needs it; it is never lowered.

    Args:
        depth: elements inside each other.
    """
    needed = ALWAYS + FRAMES * depth
    if depth > 50 and sys.getrecursionlimit() < needed:
        sys.setrecursionlimit(needed)
