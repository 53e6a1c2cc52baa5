"""`dm_control`'s contexts of OpenGL, for pictures in software, which need none.

`installing` puts this module in the place of those that make contexts with EGL, OSMesa or GLFW.
"""

from importlib import import_module
from typing import Any

# dm_control asks for this module, so that it is there
_base: Any = import_module("dm_control._render.base")
_executor: Any = import_module("dm_control._render.executor")


class SoftwareContext(_base.ContextBase):
    """A context in which nothing has to be made current."""

    def __init__(self, max_width: int, max_height: int):
        self._context: Any = None
        super().__init__(max_width, max_height, _executor.PassthroughRenderExecutor)

    def _platform_init(self, max_width: int, max_height: int) -> None:
        """Nothing: an `MjrContext` draws without a context."""

    def _platform_make_current(self) -> None:
        """Make the window of a class derived from this one current, if it has made one."""
        if self._context is not None:
            import_module("glfw").make_context_current(self._context)

    def _platform_free(self) -> None:
        """Close the window of a class derived from this one, if it has made one."""
        if self._context is not None:
            import_module("glfw").destroy_window(self._context)
            self._context = None


EGLContext = GLFWContext = OSMesaContext = SoftwareContext
