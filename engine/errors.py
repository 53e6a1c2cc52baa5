"""Errors that users can get. Every message reads `where: what was found, what was expected, what to do`."""


class MjcfError(ValueError):
    """A model that MuJoCo would reject too."""


class UnsupportedFeature(MjcfError):
    """Something valid that this version does not build yet."""
