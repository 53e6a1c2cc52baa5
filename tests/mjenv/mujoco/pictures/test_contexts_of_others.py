"""Packages that make contexts of OpenGL get contexts that need none."""

import os
import subprocess
import sys

import pytest

BASE = """
class ContextBase:
    def __init__(self, max_width, max_height, executor):
        self.executor = executor
        self._platform_init(max_width, max_height)
"""
EXECUTOR = "class PassthroughRenderExecutor: ..."


@pytest.fixture
def packages(tmp_path):
    """The folder of packages with the modules of dm_control and robosuite that count."""
    contexts = {
        "dm_control/_render": ("glfw_renderer",),
        "dm_control/_render/pyopengl": ("egl_renderer", "osmesa_renderer"),
        "robosuite/renderers/context": ("egl_context", "glfw_context", "osmesa_context"),
    }
    for folder, modules in contexts.items():
        place = tmp_path / folder
        place.mkdir(parents=True, exist_ok=True)
        for parent in (place, *place.parents):
            if parent == tmp_path:
                break
            (parent / "__init__.py").touch()
        for module in modules:
            (place / f"{module}.py").write_text("raise ImportError('no OpenGL')")
    (tmp_path / "dm_control/_render/base.py").write_text(BASE)
    (tmp_path / "dm_control/_render/executor.py").write_text(EXECUTOR)
    (tmp_path / "glfw.py").write_text(
        "said = []\n"
        "def make_context_current(window): said.append(('current', window))\n"
        "def destroy_window(window): said.append(('destroyed', window))\n"
    )
    return tmp_path


def run(folder, code):
    start = "import mjenv.mujoco\nmjenv.mujoco.install()\n"
    done = subprocess.run(
        [sys.executable, "-c", start + code], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_dm_control(packages):
    code = """
from dm_control._render.glfw_renderer import GLFWContext
from dm_control._render.pyopengl.egl_renderer import EGLContext
from dm_control._render.pyopengl.osmesa_renderer import OSMesaContext
from dm_control._render import base, executor
import sys
for kind in (GLFWContext, EGLContext, OSMesaContext):
    context = kind(640, 480)
    assert isinstance(context, base.ContextBase)
    assert context.executor is executor.PassthroughRenderExecutor
    context._platform_make_current()
    context._platform_free()
assert "glfw" not in sys.modules

class WithWindow(GLFWContext):
    def _platform_init(self, width, height):
        self._context = "window"

window = WithWindow(640, 480)
window._platform_make_current()
window._platform_free()
window._platform_free()
import glfw
print(glfw.said)
"""
    assert run(packages, code) == "[('current', 'window'), ('destroyed', 'window')]\n"


def test_robosuite(packages):
    code = """
from robosuite.renderers.context.egl_context import EGLGLContext
from robosuite.renderers.context.glfw_context import GLFWGLContext
from robosuite.renderers.context.osmesa_context import OSMesaGLContext
for kind in (EGLGLContext, GLFWGLContext, OSMesaGLContext):
    context = kind(max_width=640, max_height=480, device_id=-1)
    context.make_current()
    context.free()
print("drawn")
"""
    assert run(packages, code) == "drawn\n"


def test_without_installing_they_are_their_own(packages):
    code = "import dm_control._render.glfw_renderer"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(packages)},
    )  # fmt: skip
    assert "no OpenGL" in done.stderr
