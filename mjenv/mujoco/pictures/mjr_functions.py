"""The functions `mjr_`: what they do to the buffers of a context in software."""

import sys
import warnings
from typing import Any

import numpy as np

from mjenv.engine.errors import UnsupportedFeature
from mjenv.mujoco.errors import FatalError
from mjenv.mujoco.pictures import drawing, texts
from mjenv.mujoco.pictures.canvas import Canvas, Rect, current
from mjenv.mujoco.pictures.context import GL_BGR, NAUX, MjrContext
from mjenv.mujoco.pictures.figures import draw_figure
from mjenv.mujoco.structs import MjModel, MjrRect, MjvFigure, MjvScene

NEAR_IS_ZERO = 0  # mjtDepthMap
WINDOW = 0  # mjtFramebuffer

# ---------------------------------------------------------------- buffers


def mjr_setBuffer(framebuffer: int, con: MjrContext) -> None:
    """Draw into a buffer of the context from now on: the off-screen one, as there is no other."""
    if framebuffer == WINDOW and _has_window():
        raise UnsupportedFeature(
            "mjr_setBuffer: found a window of GLFW, in which pictures in software are not seen; "
            "expected mujoco.viewer.launch_passive, or render_mode='rgb_array' of environments"
        )
    con._set_buffer()


def _has_window() -> bool:
    """True if the program draws into a window with OpenGL."""
    glfw: Any = sys.modules.get("glfw")
    if glfw is None:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where it has not been started
        try:
            return bool(glfw.get_current_context())
        except glfw.GLFWError:
            return False


def mjr_restoreBuffer(con: MjrContext) -> None:
    """Draw into the off-screen buffer again."""
    current.canvas = con._canvas()


def mjr_resizeOffscreen(width: int, height: int, con: MjrContext) -> None:
    """Have an off-screen buffer of another size; what is in it is lost."""
    if width < 0 or height < 0:
        raise ValueError(f"mjr_resizeOffscreen: found {width} x {height}, expected 0 or more")
    con._resize(width, height)


def mjr_maxViewport(con: MjrContext) -> MjrRect:
    """All of the off-screen buffer."""
    return MjrRect(0, 0, con.offWidth, con.offHeight)


def mjr_readPixels(rgb: Any, depth: Any, viewport: MjrRect, con: MjrContext) -> None:
    """Copy colours and depths of a part of the buffer into arrays, the lowest row first.

    What lies outside of the buffer stays as it is.
    """
    rect, canvas = Rect.of(viewport), con._canvas()
    here, there = canvas.common(rect)
    if rgb is not None:
        colours = canvas.rgb[here]
        if con.readPixelFormat == GL_BGR:
            colours = colours[..., ::-1]
        _filled(rgb, (rect.height, rect.width, 3), "rgb")[there] = colours
    if depth is not None:
        values = canvas.depth[here]
        if con.readDepthMap == NEAR_IS_ZERO:
            values = np.float32(1) - values
        _filled(depth, (rect.height, rect.width), "depth")[there] = values


def _filled(array: Any, shape: tuple[int, ...], name: str) -> np.ndarray:
    """An array that is written into, in a shape."""
    if isinstance(array, np.ndarray) and array.shape == shape:
        return array
    size = int(np.prod(shape))
    if not isinstance(array, np.ndarray) or not array.flags.c_contiguous or array.size < size:
        found = array.shape if isinstance(array, np.ndarray) else type(array).__name__
        raise TypeError(
            f"mjr_readPixels(): {name} is {found}, expected a C-contiguous array of at least "
            f"{size} elements"
        )
    return array.reshape(-1)[:size].reshape(shape)


def mjr_drawPixels(rgb: Any, depth: Any, viewport: MjrRect, con: MjrContext) -> None:
    """Copy colours and depths from arrays into a part of the buffer, the lowest row first."""
    rect, canvas = Rect.of(viewport), con._target()
    here, there = canvas.common(rect)
    pairs = ((rgb, canvas.rgb, (3,)), (depth, canvas.depth, ()))
    for array, buffer, last in pairs:
        if array is not None:
            shape = (rect.height, rect.width, *last)
            if array.size < np.prod(shape):
                raise ValueError(
                    f"mjr_drawPixels: found {array.size} elements, expected {np.prod(shape)}"
                )
            buffer[here] = array[: np.prod(shape)].reshape(shape)[there]


def mjr_blitBuffer(
    src: MjrRect, dst: MjrRect, flg_color: int, flg_depth: int, con: MjrContext
) -> None:
    """Copy from one buffer to the other: nothing, as there is no window buffer."""
    con._canvas()


def mjr_addAux(index: int, width: int, height: int, samples: int, con: MjrContext) -> None:
    """Have an auxiliary buffer of a size; none where the size is not positive."""
    _check_aux(index)
    con._aux.pop(index, None)
    con.auxFBO[index] = con.auxFBO_r[index] = con.auxColor[index] = con.auxColor_r[index] = 0
    if width < 1 or height < 1:
        return
    con._aux[index] = Canvas(width, height)
    con.auxWidth[index], con.auxHeight[index], con.auxSamples[index] = width, height, samples
    con.auxFBO[index] = con.auxFBO_r[index] = con.auxColor[index] = con.auxColor_r[index] = 1
    mjr_restoreBuffer(con)


def mjr_setAux(index: int, con: MjrContext) -> None:
    """Draw into an auxiliary buffer until `mjr_restoreBuffer`."""
    _check_aux(index)
    if index not in con._aux:
        raise FatalError(f"auxFBO {index} does not exist")
    current.canvas = con._aux[index]


def mjr_blitAux(index: int, src: MjrRect, left: int, bottom: int, con: MjrContext) -> None:
    """Copy colours of a part of an auxiliary buffer into the off-screen buffer."""
    _check_aux(index)
    source = con._aux.get(index)
    if source is not None:
        rect, canvas = Rect.of(src), con._canvas()
        part = np.zeros((max(rect.height, 0), max(rect.width, 0), 3), np.uint8)
        here, there = source.common(rect)
        part[there] = source.rgb[here]
        # only what is in the source arrives
        inside = Rect(left + there[1].start, bottom + there[0].start,
                      there[1].stop - there[1].start, there[0].stop - there[0].start)  # fmt: skip
        here, within = canvas.common(inside)
        canvas.rgb[here] = part[there][within]
    mjr_restoreBuffer(con)


def _check_aux(index: int) -> None:
    if not 0 <= index < NAUX:
        raise FatalError("Invalid aux buffer index")


# ---------------------------------------------------------------- drawing


def mjr_render(viewport: MjrRect, scn: MjvScene, con: MjrContext) -> None:
    """Draw a scene into a part of the buffer."""
    current.viewport = Rect.of(viewport)
    drawing.render(current.viewport, scn, con)


def mjr_rectangle(viewport: MjrRect, r: float, g: float, b: float, a: float) -> None:
    """Lay a colour over a part of the buffer that is drawn into."""
    rect = Rect.of(viewport)
    if current.canvas is not None and not rect.empty:
        current.viewport = rect
        current.canvas.blend(rect, (r, g, b), a)


def mjr_text(
    font: int, txt: str, con: MjrContext, x: float, y: float, r: float, g: float, b: float
) -> None:
    """Write a line, at a place relative to what was drawn into last: 0 to 1 from left and below."""
    view = current.viewport
    place = (view.left + x * view.width, view.bottom + y * view.height)
    if 0 <= x <= 1 and 0 <= y <= 1:
        texts.write(con._target(), con._font(font), font, txt, place, (r, g, b))


def mjr_overlay(
    font: int, gridpos: int, viewport: MjrRect, overlay: str, overlay2: str, con: MjrContext
) -> None:
    """Write one or two columns of lines into a corner, on a dark ground."""
    texts.overlay(con, font, gridpos, Rect.of(viewport), overlay, overlay2)


def mjr_label(
    viewport: MjrRect, font: int, txt: str, r: float, g: float, b: float, a: float, rt: float,
    gt: float, bt: float, con: MjrContext,
) -> None:  # fmt: skip
    """Fill a rectangle, and write a line into its middle."""
    texts.label(con, font, Rect.of(viewport), txt, (r, g, b, a), (rt, gt, bt))


def mjr_figure(viewport: MjrRect, fig: MjvFigure, con: MjrContext) -> None:
    """Draw a plot of lines into a part of the buffer."""
    draw_figure(Rect.of(viewport), fig, con)


def mjr_changeFont(fontscale: int, con: MjrContext) -> None:
    """Have letters of another size (mjtFontScale)."""
    con._set_font(fontscale)


# ---------------------------------------------------------------- what pictures are made of


def mjr_uploadTexture(m: MjModel, con: MjrContext, texid: int) -> None:
    """Draw a texture of the model as it is now."""
    con._pictures().upload_texture(texid)


def mjr_uploadMesh(m: MjModel, con: MjrContext, meshid: int) -> None:
    """Draw a mesh of the model as it is now."""
    con._pictures().upload_mesh(meshid)


def mjr_uploadHField(m: MjModel, con: MjrContext, hfieldid: int) -> None:
    """Draw a height field of the model as it is now."""
    con._pictures().upload_hfield(hfieldid)


# ---------------------------------------------------------------- the rest


def mjr_finish() -> None:
    """Wait until everything is drawn, as it is already."""


def mjr_getError() -> int:
    """The last error of OpenGL: none."""
    return 0


def mjr_findRect(x: int, y: int, nrect: int, rect: MjrRect) -> int:
    """0 where a point lies in the rectangle, else -1; the bindings have no way to pass several."""
    if nrect > 1:
        raise ValueError(f"mjr_findRect: nrect={nrect}, expected 1: one rectangle is passed")
    one = Rect.of(rect)
    across, up = x - one.left, y - one.bottom
    return 0 if nrect and 0 <= across < one.width and 0 <= up < one.height else -1
