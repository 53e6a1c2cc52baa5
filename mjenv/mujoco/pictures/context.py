"""`MjrContext`: a renderer in software, with the fields of MuJoCo's context."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.mujoco.api import facts
from mjenv.mujoco.errors import FatalError
from mjenv.mujoco.pictures.canvas import Canvas, current
from mjenv.mujoco.pictures.fonts import HEIGHTS, Font, font_of
from mjenv.mujoco.structs import MjModel
from mjenv.mujoco.structs.fields import hold_fields
from mjenv.render.renderer import Renderer

OFFSCREEN = 1  # mjtFramebuffer
GL_RGB, GL_BGR = 0x1907, 0x80E0
NAUX = 10
BIG = 2  # mjtFont
# lengths of arrays
_SHAPES = {
    "fogRGBA": 4, "mat_texid": 10000, "mat_texuniform": 1000, "mat_texrepeat": 2000,
    "textureType": 1000, "texture": 1000, "charWidth": 127, "charWidthBig": 127,
    **dict.fromkeys(
        ("auxWidth", "auxHeight", "auxSamples", "auxFBO", "auxFBO_r", "auxColor", "auxColor_r"),
        NAUX,
    ),
}  # fmt: skip


class MjrContext:
    """Buffers that pictures are drawn into, and the fonts and meshes that they are drawn with.

    There is no window buffer, as with OpenGL without a display: every picture goes to the
    off-screen buffer, whose number (`offFBO`) is 1 where there is one. Numbers of other objects of
    OpenGL are 0.

    Args:
        model: whose pictures are drawn; nothing for a context without buffers.
        fontscale: mjtFontScale.
    """

    def __init__(self, model: MjModel | None = None, fontscale: int | None = None):
        if (model is None) != (fontscale is None):
            raise TypeError("MjrContext: found one argument, expected none or (model, fontscale)")
        if model is not None and not isinstance(model, MjModel):
            raise TypeError(f"MjrContext: found {type(model).__name__}, expected an MjModel")
        self._model = model
        self._renderer: Renderer | None = None
        self._off: Canvas | None = None
        self._aux: dict[int, Canvas] = {}
        self._clear()
        if model is not None and fontscale is not None:
            self._make(model, int(fontscale))

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and not hasattr(type(self), name):
            raise AttributeError(f"MjrContext.{name}: no such field")
        object.__setattr__(self, name, value)

    # ------------------------------------------------------------ what it is made of

    def _clear(self) -> None:
        """Give fields the values of a context that holds nothing."""
        fields: dict[str, Any] = {}
        for name, kind in facts()["classes"]["MjrContext"]["fields"].items():
            word = kind.partition("[")[0].partition(" ")[0]
            if name in _SHAPES:
                fields[name] = np.zeros(_SHAPES[name], word)
            else:
                fields[name] = {"int": 0, "float": 0.0}.get(word, ())
        vars(self).update(fields)

    def _make(self, model: MjModel, fontscale: int) -> None:
        """Take the parameters of a model."""
        vis, extent = model.vis, model.stat.extent
        self.shadowClip = extent * vis.map.shadowclip
        self.shadowScale = vis.map.shadowscale
        self.fogStart, self.fogEnd = extent * vis.map.fogstart, extent * vis.map.fogend
        self.fogRGBA[:] = vis.rgba.fog
        self.lineWidth, self.shadowSize = vis.global_.linewidth, vis.quality.shadowsize
        self.offSamples = vis.quality.offsamples
        self.ntexture, self.nskin = model.ntex, model.nskin
        self.textureType[: model.ntex] = model.tex_type
        self.mat_texid[: model.mat_texid.size] = model.mat_texid.ravel()
        self.mat_texuniform[: model.nmat] = model.mat_texuniform
        self.mat_texrepeat[: 2 * model.nmat] = model.mat_texrepeat.ravel()
        for name in ("skinvertVBO", "skinnormalVBO", "skintexcoordVBO", "skinfaceVBO"):
            setattr(self, name, (0,) * model.nskin)
        self.glInitialized, self.readPixelFormat = 1, GL_RGB
        self._set_font(min(max(50 * round(fontscale / 50), 100), 300))
        self._resize(vis.global_.offwidth, vis.global_.offheight)
        self._set_buffer()

    def _set_font(self, fontscale: int) -> None:
        """Have letters of another size."""
        if fontscale not in HEIGHTS:
            raise FatalError("Invalid fontscale")
        self.fontScale, self.rangeFont = fontscale, 128
        self.charHeight, self.charHeightBig = HEIGHTS[fontscale]
        self.charWidth[:] = font_of(self.charHeight).widths
        self.charWidthBig[:] = font_of(self.charHeightBig).widths

    def _resize(self, width: int, height: int) -> None:
        """Have an off-screen buffer of another size."""
        if self._off is not None and (self.offWidth, self.offHeight) == (width, height):
            return
        was_current = self._off is not None and current.canvas is self._off
        self.offWidth, self.offHeight, self.offFBO = width, height, 1
        self._off = Canvas(width, height)
        if was_current:
            current.canvas = self._off

    def free(self) -> None:
        """Let go of everything; the context holds nothing then. Freeing twice is no error."""
        kept = self.glInitialized
        self._renderer = self._off = None
        self._aux.clear()
        self._clear()
        self.glInitialized = kept

    # ------------------------------------------------------------ what functions work with

    def _set_buffer(self) -> None:
        """Draw into the off-screen buffer from now on."""
        current.canvas = self._canvas()
        self.currentBuffer = OFFSCREEN

    def _canvas(self) -> Canvas:
        """The off-screen buffer.

        Raises:
            FatalError: there is none.
        """
        if self._off is None:
            raise FatalError("No OpenGL framebuffer available")
        return self._off

    def _target(self) -> Canvas:
        """The buffer to draw into: an auxiliary one that was set, or the off-screen buffer."""
        own = [self._canvas(), *self._aux.values()]
        return next((canvas for canvas in own if canvas is current.canvas), own[0])

    def _font(self, font: int) -> Font:
        """Letters of a kind (mjtFont)."""
        return font_of(self.charHeightBig if font == BIG else self.charHeight)

    def _pictures(self) -> Renderer:
        """The renderer, which is made for the first picture."""
        if self._renderer is None:
            if self._model is None:
                raise FatalError("No OpenGL framebuffer available")
            self._renderer = Renderer(self._model, 1, 1, max_geom=0, limited=False)
        return self._renderer


hold_fields(MjrContext, "MjrContext")
