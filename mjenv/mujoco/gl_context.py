"""`GLContext` in software: pictures need no OpenGL, so that there is nothing to make current."""


class GLContext:
    """Stands where programs make a context of OpenGL before an `MjrContext`.

    Args:
        max_width, max_height: of pictures (pixels); they have no effect.
    """

    def __init__(self, max_width: int, max_height: int):
        self._size = max_width, max_height

    def make_current(self) -> None:
        """Nothing: an `MjrContext` draws in any thread."""

    def free(self) -> None:
        """Nothing: there is nothing to let go of. Freeing twice is no error."""
