"""Why a method cannot be followed, or has to be followed anew."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType

from mjenv.tracing.arrays import Refusal, TraceError


class NotTraced(Refusal, ValueError):
    """Why a step cannot be followed, with the line."""


class NotThere(NotTraced, KeyError):
    """An attribute is not there at times."""

    __str__ = BaseException.__str__


class FollowAnew(NotTraced):
    """Something has become known with which a method is to be followed anew."""


@contextmanager
def uncaught(is_ours: Callable[[str], bool]) -> Iterator[None]:
    """Refuse code that catches refusals and goes on with something else.

    Args:
        is_ours: whether code of a file may catch them.

    Raises:
        NotTraced: other code has caught one.
    """
    before, Refusal.made = Refusal.made, []
    try:
        yield
        for one in Refusal.made:
            # the first frame of its trace is where it was caught
            trace = one.__traceback__
            if trace is not None and not is_ours(trace.tb_frame.f_code.co_filename):
                raise NotTraced(f"found code that catches an error, and goes on: {one}")
    finally:
        Refusal.made = before


class ValueAsIndex(TraceError):
    """An index is a value, which a list cannot know before the program runs."""


class IndexFound(FollowAnew):
    """A function has a value as an index: its indices become calls, which choose.

    Attributes:
        code: the function's.
        line: file and number of the line.
    """

    def __init__(self, code: CodeType, line: tuple[str, int]):
        self.code, self.line = code, line
        super().__init__(f"found an index made of values in {code.co_name}")


class MissingNumber(TypeError):
    """None where a number is needed: an error of the package's own, in worlds that get there."""


class RaisedInside(BaseException):
    """An error of some worlds, in a body that has become a function: nobody may catch it for all.

    The ways through the function around it are followed without that.
    """
