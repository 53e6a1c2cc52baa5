"""Letters as pictures, in the heights of MuJoCo's fonts."""

from functools import cache
from typing import Any

import numpy as np
from PIL import ImageFont

# scales of fonts (mjtFontScale) -> heights of a line (pixels): plain letters, and large ones
HEIGHTS = {
    50: (11, 18), 100: (18, 37), 150: (28, 54), 200: (37, 71), 250: (45, 89), 300: (54, 106),
}  # fmt: skip
PRINTABLE = range(32, 127)


class Font:
    """Letters of one size.

    Args:
        height: of a line (pixels).

    Attributes:
        height: of a line (pixels).
        widths: (127,) way from each letter to the next (pixels); 0 where there is none.
    """

    def __init__(self, height: int):
        size = height
        font: Any = ImageFont.load_default(size)
        while size > 1 and sum(font.getmetrics()) > height:
            size -= 1
            font = ImageFont.load_default(size)
        self._font, self.height = font, height
        self.widths = np.zeros(127, np.int32)
        self.widths[PRINTABLE] = [round(font.getlength(chr(code))) for code in PRINTABLE]
        self._letters: dict[int, np.ndarray] = {}

    def width(self, text: str) -> int:
        """Width of a line (pixels)."""
        return int(sum(self.widths[code] for code in codes(text)))

    def line(self, text: str) -> np.ndarray:
        """A line as a picture: float (height, width), from 0 for nothing to 1, lowest row first."""
        drawn = np.zeros((self.height, self.width(text) + self.height))
        x = 0
        for code in codes(text):
            letter = self._letter(code)
            part = drawn[:, x : x + letter.shape[1]]
            np.maximum(part, letter[:, : part.shape[1]], out=part)
            x += int(self.widths[code])
        return drawn

    def _letter(self, code: int) -> np.ndarray:
        """A letter as a picture: (height, width), lowest row first."""
        if code not in self._letters:
            mask, (left, top) = self._font.getmask2(chr(code), "L", anchor="la")
            picture = np.zeros((self.height, max(mask.size[0] + max(left, 0), 1)))
            if mask.size[0] and mask.size[1]:
                shape = np.asarray(mask, np.float64).reshape(mask.size[::-1]) / 255.0
                rows = shape[: max(self.height - top, 0)]
                picture[top : top + len(rows), max(left, 0) :] = rows
            self._letters[code] = picture[::-1]
        return self._letters[code]


def codes(text: str) -> list[int]:
    """Numbers of the letters of a text that fonts have; a question mark stands for others."""
    return [code if code in PRINTABLE else ord("?") for code in map(ord, text)]


@cache
def font_of(height: int) -> Font:
    """The font of a height (pixels)."""
    return Font(height)
