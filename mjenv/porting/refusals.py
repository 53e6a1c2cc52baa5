"""Why a method cannot be followed, or has to be followed anew."""


class NotTraced(ValueError):
    """Why a step cannot be followed, with the line."""


class FollowAnew(NotTraced):
    """Something has become known with which a method is to be followed anew."""


class MissingNumber(TypeError):
    """None where a number is needed: an error of the package's own, in worlds that get there."""
