"""Why a method cannot be followed, or has to be followed anew."""

from types import CodeType

from mjenv.tracing.arrays import TraceError


class NotTraced(ValueError):
    """Why a step cannot be followed, with the line."""


class NotThere(NotTraced, KeyError):
    """An attribute is not there at times."""

    __str__ = BaseException.__str__


class TooManyWays(NotTraced):
    """More ways go through a method than are followed."""


class FollowAnew(NotTraced):
    """Something has become known with which a method is to be followed anew."""


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


class HelperFound(FollowAnew):
    """A module that is not followed has been given symbols: it is to be followed, too.

    Attributes:
        module: its name.
    """

    def __init__(self, module: str, why: str):
        self.module = module
        super().__init__(why)


class MissingNumber(TypeError):
    """None where a number is needed: an error of the package's own, in worlds that get there."""


class NoNewEpisode(RuntimeError):
    """A step that would start an episode by itself: an error of worlds that get there."""


class RaisedInside(BaseException):
    """An error of some worlds, in a body that has become a function: nobody may catch it for all.

    The ways through the function around it are followed without that.
    """
