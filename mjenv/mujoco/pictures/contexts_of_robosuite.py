"""`robosuite`'s contexts of OpenGL, for pictures in software, which need none.

`installing` puts this module in the place of those that make contexts with EGL, OSMesa or GLFW.
"""

from mjenv.mujoco.gl_context import GLContext


class SoftwareContext(GLContext):
    """A context in which nothing has to be made current.

    Args:
        max_width, max_height: of pictures (pixels); they have no effect.
        device_id: number of a graphics card; it has no effect.
    """

    def __init__(self, max_width: int, max_height: int, device_id: int = 0):
        super().__init__(max_width, max_height)


EGLGLContext = GLFWGLContext = OSMesaGLContext = SoftwareContext
