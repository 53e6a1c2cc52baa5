"""Pictures of worlds without OpenGL, a GPU or a display: a ray caster over packs of pixels."""

from .renderer import Renderer, tile

__all__ = ["Renderer", "tile"]
