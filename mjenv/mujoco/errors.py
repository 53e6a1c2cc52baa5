"""The exceptions of the bindings."""


class FatalError(Exception):
    """What MuJoCo reports as an error of its functions."""

    __module__ = "mujoco"


class UnexpectedError(Exception):
    """What MuJoCo reports as an error inside itself."""

    __module__ = "mujoco"
