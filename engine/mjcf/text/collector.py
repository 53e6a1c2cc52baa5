"""Python's collector of cycles waits while a document is compiled.

It looks at all objects again and again while their number grows, and those of a document stay until
the model is made: a fifth of the time that a scene of 100 humanoids takes.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Let no cycles be collected meanwhile, by any thread; afterwards as before."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
