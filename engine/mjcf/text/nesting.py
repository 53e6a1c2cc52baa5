"""Errors of models that need more memory, stack or larger numbers than there are."""

from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import MjcfError, UnsupportedFeature


@contextmanager
def limited(where: str) -> Iterator[None]:
    """Refuse a document that needs more stack or memory than there is, or too large numbers.

    Elements may nest as they like; only models that attach each other take stack.

    Args:
        where: the document, or an element of it, as messages show it.

    Raises:
        UnsupportedFeature, MjcfError: instead of RecursionError, MemoryError, OverflowError.
    """
    try:
        yield
    except RecursionError:
        what = "a model whose files attach each other so deeply"
    except MemoryError:
        what = "a model that needs more memory than there is"
    except OverflowError:
        raise MjcfError(f"{where}: numbers are too large to compile the model") from None
    else:
        return
    raise UnsupportedFeature(f"{where}: {what} is valid, but not supported")
