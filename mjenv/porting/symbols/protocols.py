"""What numpy's functions do on symbols: the modules that know it enter it here."""

from collections.abc import Callable
from typing import Any, ClassVar


class Protocols:
    """Answers to numpy.

    Attributes:
        call_ufunc: of a ufunc, the name of its method, arguments and options.
        call_function: of another function, its arguments and options.
        is_known: whether a function is one of these.
    """

    call_ufunc: ClassVar[Callable[..., Any]]
    call_function: ClassVar[Callable[..., Any]]
    is_known: ClassVar[Callable[[Any], bool]]
