"""Text on canvases: lines, overlays in corners, labels."""

from typing import Any

from mjenv.mujoco import enumerations
from mjenv.mujoco.pictures.canvas import Canvas, Rect, current
from mjenv.mujoco.pictures.context import MjrContext
from mjenv.mujoco.pictures.fonts import Font

SHADOW = int(enumerations.mjtFont.mjFONT_SHADOW)
SHADE = 0.5  # how dark the shadows of letters and the ground of overlays are
PAD, MARGIN, INDENT = 5, 8, 3  # around the text of overlays (pixels)
LONGEST = 500  # letters of an overlay (mjMAXOVERLAY)
GREY, WHITE, BLACK = (0.7,) * 3, (1.0,) * 3, (0.0,) * 3
_GRID: Any = enumerations.mjtGridPos
# places of overlays: at the left, in the middle or at the right, and so from below
_ACROSS = {
    **dict.fromkeys(("TOPLEFT", "BOTTOMLEFT", "LEFT"), 0),
    **dict.fromkeys(("TOP", "BOTTOM"), 1),
    **dict.fromkeys(("TOPRIGHT", "BOTTOMRIGHT", "RIGHT"), 2),
}
_UP = {
    **dict.fromkeys(("BOTTOMLEFT", "BOTTOM", "BOTTOMRIGHT"), 0),
    **dict.fromkeys(("LEFT", "RIGHT"), 1),
    **dict.fromkeys(("TOPLEFT", "TOP", "TOPRIGHT"), 2),
}


def write(canvas: Canvas, font: Font, kind: int, text: str, place: Any, colour: Any) -> None:
    """Write a line.

    Args:
        canvas: where.
        font: its letters.
        kind: mjtFont, for their shadow.
        text: the line.
        place: (left, bottom), pixels.
        colour: red, green and blue, 0 to 1.
    """
    letters = font.line(text)
    rect = Rect(round(place[0]), round(place[1]), letters.shape[1], letters.shape[0])
    if kind == SHADOW:
        for left, bottom in ((-1, 0), (1, 0), (0, -1), (0, 1), (1, -1)):
            moved = rect.moved(rect.left + left, rect.bottom + bottom)
            canvas.blend(moved, BLACK, SHADE * letters)
    canvas.blend(rect, colour, letters)


def overlay(
    context: MjrContext, font: int, gridpos: int, viewport: Rect, left: str, right: str
) -> None:
    """Write one or two columns of lines into a corner, on a dark ground.

    Args:
        context: where, and with what letters.
        font: mjtFont.
        gridpos: mjtGridPos.
        viewport: whose corner it is.
        left, right: the columns; there is one where the second is empty.
    """
    if viewport.empty:
        return
    if not right:
        _column(context, font, gridpos, viewport, 0, left, WHITE)
        return
    columns = [(left, GREY), (right, WHITE)]
    if gridpos not in (int(_GRID.mjGRID_TOPLEFT), int(_GRID.mjGRID_BOTTOMLEFT)):
        columns.reverse()
    skip = 0
    for text, colour in columns:
        skip = _column(context, font, gridpos, viewport, skip, text, colour)


def _column(
    context: MjrContext, font: int, gridpos: int, viewport: Rect, skip: int, text: str, colour: Any
) -> int:
    """Write a column a number of pixels away from the edge: what the next one is to skip."""
    letters, canvas = context._font(font), context._target()
    lines = text[:LONGEST].split("\n")
    step = PAD + letters.height
    width = PAD + max(letters.width(line) for line in lines) + MARGIN
    height = len(lines) * step
    name = _GRID(gridpos).name.removeprefix("mjGRID_")
    # which of the nine places of the grid it is
    across = (
        skip + PAD,
        (viewport.width - skip - width) // 2 - 1 - PAD,
        viewport.width - skip - 1 - PAD - width,
    )[_ACROSS[name]]
    up = (
        PAD, (viewport.height - height) // 2 - 1 - PAD, viewport.height - 1 - PAD - height,
    )[_UP[name]]  # fmt: skip
    rect = Rect(viewport.left + across, viewport.bottom + up, width, height)
    current.viewport = rect
    canvas.blend(rect, BLACK, SHADE)
    # the first line is the uppermost
    bottom = rect.bottom + height - letters.height
    for line in lines:
        write(canvas, letters, font, line, (rect.left + INDENT, bottom), colour)
        bottom -= step
    return width - 2


def label(
    context: MjrContext, font: int, viewport: Rect, text: str, ground: Any, colour: Any
) -> None:
    """Fill a rectangle, and write a line into its middle.

    Args:
        context: where, and with what letters.
        font: mjtFont.
        viewport: the rectangle.
        text: the line.
        ground: red, green, blue and alpha of the rectangle.
        colour: red, green and blue of the line.
    """
    if viewport.empty:
        return
    letters, canvas = context._font(font), context._target()
    current.viewport = viewport
    canvas.blend(viewport, ground[:3], ground[3])
    left = max(0, (viewport.width - letters.width(text)) // 2)
    bottom = (viewport.height - letters.height) // 2
    place = (viewport.left + left, viewport.bottom + bottom)
    write(canvas, letters, 0, text, place, colour)
