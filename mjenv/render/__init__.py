"""Pictures of worlds without OpenGL, a GPU or a display: a ray caster over packs of pixels.

The names are loaded when they are first used: environments without pictures need none of it.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .renderer import Renderer, tile

__all__ = ["Renderer", "tile"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import renderer

    return getattr(renderer, name)
