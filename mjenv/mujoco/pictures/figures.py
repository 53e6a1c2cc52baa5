"""Plots of lines (`MjvFigure`), laid out as MuJoCo lays them out."""

import math
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from mjenv.mujoco.pictures.canvas import Canvas, Rect, current
from mjenv.mujoco.pictures.context import MjrContext
from mjenv.mujoco.pictures.fonts import Font
from mjenv.mujoco.pictures.texts import SHADOW, write
from mjenv.mujoco.structs import MjvFigure

SMALLEST = 1e-5  # range of an axis
MOST_TICKS = 20
DULL = 0.4  # how bright titles of other plots are
WHITE, SELECTION_WIDTH, HIGHLIGHT = (1.0, 1.0, 1.0), 3, 5
EDGE = 0.001  # of the pane, outside of the ranges


def draw_figure(viewport: Rect, figure: MjvFigure, context: MjrContext) -> None:
    """Draw a plot.

    Args:
        viewport: where.
        figure: the plot; where its axes lie is written into it.
        context: what it is drawn into, and with what letters.
    """
    if viewport.empty:
        return
    _Plot(viewport, figure, context).draw()


def ranges(figure: MjvFigure) -> np.ndarray:
    """Ranges of both axes, (2, 2): those of the figure, or of its points."""
    found = np.array(figure.range, np.float64)
    counts = np.array(figure.linepnt)
    points = np.asarray(figure.linedata, np.float64).reshape(len(counts), -1, 2)
    used = np.arange(points.shape[1]) < counts[:, None]
    for axis in range(2):
        low, high = found[axis]
        values = points[..., axis][used]
        values = values[np.isfinite(values)]
        given = low < high
        if (not given or figure.flg_extend) and len(values):
            low, high = values.min(), values.max()
            if given:
                low, high = min(low, found[axis, 0]), max(high, found[axis, 1])
        needed = max(SMALLEST - (high - low), 0.0)
        found[axis] = low - 0.5 * needed, high + 0.5 * needed
    found[1] = _rounded(*found[1])
    if figure.flg_symmetric:
        found[1] = np.array([-1.0, 1.0]) * np.abs(found[1]).max()
    return found.astype(np.float32).astype(np.float64)


def _rounded(low: float, high: float) -> tuple[float, float]:
    """The nearest round numbers around a range."""
    power = 10.0 ** math.floor(math.log10(np.float32(high - low)))
    low, high = (float(np.float32(bound / power)) for bound in (low, high))
    return math.floor(low) * power, math.ceil(high) * power


def tick_text(form: str, number: float) -> str:
    """A number in a form of C, without zeros at the end of a fraction."""
    text = form % number
    digits = text.rstrip("0123456789")
    return text.rstrip("0").removesuffix(".") if digits.endswith(".") else text


class _Plot:
    """A plot that is being drawn: its view becomes smaller with each thing at the edges."""

    def __init__(self, viewport: Rect, figure: MjvFigure, context: MjrContext):
        self.view, self.figure, self.context = viewport, figure, context
        self.canvas: Canvas = context._target()
        self.font: Font = context._font(0)
        self.pad = self.font.height // 2
        self.ranges = ranges(figure)

    def draw(self) -> None:
        """Draw everything, from the ground to the legend."""
        figure = self.figure
        current.viewport = self.view
        self.canvas.blend(self.view, figure.figurergba[:3], figure.figurergba[3])
        figure.xaxisdata, figure.yaxisdata = self.ranges
        # texts take their room from the edges of the view before the pane is drawn
        above, below = self._title(), self._xlabel()
        if above or below:
            below = below + self.pad // 2 if below else 0
            above = above + self.pad if above else 0
            self._shrink(0, below, 0, above)
        if not self.view.empty and (figure.gridsize > 1).all():
            self._ticks()
        self._shrink(self.pad, self.pad, self.pad, self.pad)
        if self.view.empty:
            return
        # what is left is the pane; programs are told where it lies
        view = current.viewport = self.view
        figure.xaxispixel = view.left, view.left + view.width - 1
        figure.yaxispixel = view.bottom, view.bottom + view.height - 1
        self.canvas.blend(view, figure.panergba[:3], figure.panergba[3])
        lines = _Lines(self.canvas, view, self.ranges)
        self._grid(lines)
        # the first line is drawn last, above the others
        for n in reversed(range(len(figure.linepnt))):
            lines.data(figure, n, figure.linewidth)
        if figure.flg_selection:
            ends = [[figure.selection, level] for level in self.ranges[1]]
            lines.strip(np.array(ends), WHITE, SELECTION_WIDTH)
        lines.done()
        highlighted = self._legend() if figure.flg_legend else figure.highlightid
        if 0 <= highlighted < len(figure.linepnt):
            self._highlight(highlighted)

    def _shrink(self, left: int, bottom: int, right: int, top: int) -> None:
        """Take something off the view at its edges."""
        view = self.view
        self.view = Rect(
            view.left + left, view.bottom + bottom,
            view.width - left - right, view.height - bottom - top,
        )  # fmt: skip

    def _write(self, text: str, x: float, y: float, colour: Any, kind: int = 0) -> None:
        """Write a line at a place in the view."""
        place = (self.view.left + x, self.view.bottom + y)
        write(self.canvas, self.font, kind, text, place, colour)

    # ------------------------------------------------------------ around the pane

    def _title(self) -> int:
        """Write the title of the plot, and dull ones of its neighbours; its height."""
        figure, text = self.figure, self.figure.title
        start, length = subtitle(text, figure.subplot)
        if not length:
            return 0
        widths = [self.font.width(letter) for letter in text]
        left = max(0, self.view.width // 2 - sum(widths[start : start + length]) // 2)
        first, outer = start, left
        while first > 0 and outer >= widths[first - 1]:
            first -= 1
            outer -= widths[first]
        last, right = first, outer
        while last < len(text) and right + widths[last] < self.view.width:
            right += widths[last]
            last += 1
        y = self.view.height - self.pad - self.font.height
        dull = DULL * figure.textrgb + (1 - DULL) * figure.figurergba[:3]
        # the neighbours alone, so that no letter is written twice
        self._write(text[first:start], outer, y, dull)
        after = start + length
        self._write(text[after:last], left + sum(widths[start:after]), y, dull)
        self._write(text[start:after], left, y, figure.textrgb)
        return self.font.height

    def _xlabel(self) -> int:
        """Write what the horizontal axis shows; its height."""
        text = self.figure.xlabel
        if not text:
            return 0
        left = max(0, self.view.width // 2 - self.font.width(text) // 2)
        self._write(text, left, self.pad, self.figure.textrgb)
        return self.font.height

    def _ticks(self) -> None:
        """Write numbers along the axes, and take their room off the view."""
        figure, pad, height = self.figure, self.pad, self.font.height
        across, up = (
            [
                tick_text(form, low + (high - low) * part)
                for part in np.linspace(0, 1, min(MOST_TICKS, size))
            ]
            for form, size, (low, high) in zip(
                (figure.xformat, figure.yformat), figure.gridsize, self.ranges, strict=True
            )
        )
        # labels below and beside the pane narrow it
        shows_x, shows_y = figure.flg_ticklabel
        colour = np.full(3, figure.textrgb[0])
        below = height + pad if shows_x else 0
        beside = 0
        if shows_y:
            beside = pad + max(self.font.width(text) for text in (figure.minwidth, *up))
        # those at the ends stay inside the pane, the others are centred
        for i, text in enumerate(across if shows_x else ()):
            width, last = self.font.width(text), len(across) - 1
            shift = {0: 0, last: -width}.get(i, -(width // 2))
            room = self.view.width - 2 * pad - beside
            self._write(text, pad + beside + shift + room * i / last, pad, colour)
        for i, text in enumerate(up if shows_y else ()):
            room = self.view.height - 2 * pad - below
            y = pad + below - height // 2 + room * i / (len(up) - 1)
            self._write(text, beside - self.font.width(text), y, colour)
        self._shrink(beside, below, 0, 0)

    # ------------------------------------------------------------ inside the pane

    def _grid(self, lines: "_Lines") -> None:
        """Draw lines at the ticks."""
        figure = self.figure
        if not (figure.gridsize > 1).all():
            return
        for axis in range(2):
            low, high = self.ranges[axis]
            for level in np.linspace(low, high, min(MOST_TICKS, int(figure.gridsize[axis]))):
                ends = np.array(self.ranges.T)
                ends[:, axis] = level
                lines.strip(ends, figure.gridrgb, figure.gridwidth)

    def _legend(self) -> int:
        """Write the names of lines; which of them is to stand out, -1 for none."""
        figure, view, pad, height = self.figure, self.view, self.pad, self.font.height
        names = [name.decode(errors="replace") for name in figure.linename]
        named = [n for n in range(figure.legendoffset, len(names)) if names[n]]
        named = named[: max((view.height - 2 * pad - 1) // height, 0)]
        found = figure.highlightid
        if not named:
            return found
        width, tall = max(self.font.width(names[n]) for n in named), len(named) * height
        ground = Rect(
            view.left + view.width - 2 * pad - width, view.bottom + view.height - 2 * pad - tall,
            width + 2 * pad, tall + 2 * pad,
        )  # fmt: skip
        self.canvas.blend(ground, figure.legendrgba[:3], figure.legendrgba[3])
        x, y = figure.highlight - np.array([view.left, view.bottom])
        right, top = view.width - pad, view.height - pad
        inside = right - width <= x <= right and top - tall <= y <= top
        for k, n in enumerate(named):
            place = (right - self.font.width(names[n]), top - (k + 1) * height)
            self._write(names[n], *place, figure.linergb[n], SHADOW)
            if inside and (top - y) // height == k:
                found = n
        return found

    def _highlight(self, n: int) -> None:
        """Draw a line broad, and write the point of it that is selected."""
        figure = self.figure
        lines = _Lines(self.canvas, self.view, self.ranges)
        lines.data(figure, n, HIGHLIGHT * figure.linewidth)
        lines.done()
        count = int(figure.linepnt[n])
        if figure.flg_selection and count:
            points = figure.linedata[n][: 2 * count].reshape(-1, 2)
            x, y = points[np.argmin(np.abs(points[:, 0] - figure.selection))]
            text = f"( {x:.4g} : {y:.4g} )"
            place = 0.1 * self.view.width, 0.1 * self.view.height
            self._write(text, *place, figure.textrgb, SHADOW)


class _Lines:
    """Lines in the pane, smooth and cut off at its edges."""

    FINE = 2  # samples of a pixel along an edge

    def __init__(self, canvas: Canvas, view: Rect, limits: np.ndarray):
        self.canvas, self.view, self.limits = canvas, view, limits
        here, there = canvas.common(view)
        below = np.zeros((view.height, view.width, 3), np.uint8)
        below[there] = canvas.rgb[here]
        size = (self.FINE * view.width, self.FINE * view.height)
        self._image = Image.fromarray(below[::-1].copy()).resize(size, Image.Resampling.NEAREST)
        self._pen = ImageDraw.Draw(self._image)

    def data(self, figure: MjvFigure, n: int, width: float) -> None:
        """Draw line n of a figure, or its pieces where it is a bar plot."""
        count = int(figure.linepnt[n])
        points = figure.linedata[n][: 2 * count].reshape(-1, 2)
        if figure.flg_barplot:
            for k in range(0, count - 1, 2):
                self.strip(points[k : k + 2], figure.linergb[n], width)
        else:
            self.strip(points, figure.linergb[n], width)

    def strip(self, points: np.ndarray, colour: Any, width: float) -> None:
        """Draw a line through points (n, 2), in units of the axes; width in pixels."""
        points = np.asarray(points, np.float64)
        low, spread = self.limits[:, 0], self.limits[:, 1] - self.limits[:, 0]
        part = (points - low) / spread
        part = (part + EDGE) / (1 + 2 * EDGE)
        x = part[:, 0] * self.view.width * self.FINE
        y = (1.0 - part[:, 1]) * self.view.height * self.FINE
        ends = np.stack([x, y], -1)
        paint = tuple(int(c) for c in np.rint(255 * np.clip(colour, 0, 1)))
        # points that are no numbers interrupt a line
        breaks = np.flatnonzero(~np.isfinite(ends).all(-1))
        for piece in np.split(ends, breaks):
            piece = np.clip(piece[np.isfinite(piece).all(-1)], -1e6, 1e6)
            if len(piece) > 1:
                broad = max(round(width * self.FINE), 1)
                self._pen.line([tuple(p) for p in piece], fill=paint, width=broad, joint="curve")

    def done(self) -> None:
        """Put the lines onto the canvas."""
        size = (self.view.width, self.view.height)
        drawn = np.asarray(self._image.resize(size, Image.Resampling.BOX))[::-1]
        here, there = self.canvas.common(self.view)
        self.canvas.rgb[here] = drawn[there]


def subtitle(text: str, number: int) -> tuple[int, int]:
    """Start and length of a plot's title among titles that two spaces or more separate."""
    start, count = 0, 0
    while count < number and start < len(text):
        while start < len(text) and text[start] != " ":
            start += 1
        gap = start
        while start < len(text) and text[start] == " ":
            start += 1
        count += start - gap > 1
    rest = text[start:]
    return start, len(rest.split("  ")[0].rstrip(" ")) if rest else 0
