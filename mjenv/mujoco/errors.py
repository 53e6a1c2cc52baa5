"""The exceptions of the bindings."""


class FatalError(Exception):
    """An error of one of MuJoCo's functions."""

    __module__ = "mujoco"


class UnexpectedError(Exception):
    """An error inside MuJoCo."""

    __module__ = "mujoco"
