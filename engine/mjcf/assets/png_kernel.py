"""Rows of PNG pictures of eight bits, unfiltered by compiled code; see png.py.

Reference: ISO/IEC 15948, chapter 9 (filtering).
"""

from ...simd.kernel import kernel

NONE, LEFT, UP, MEAN, PAETH = 0, 1, 2, 3, 4
BYTE = 255


@kernel
def unfilter(q):
    """Undo the filters of the rows in `data`, in place, and copy the first channels to `pixel`.

    A row is the number of its filter and `width` pixels of `sample` bytes. `bad` becomes 1 where
    that number is unknown. Without `channel`, nothing is copied.
    """
    length = q.width * q.sample
    for row in range(q.height):
        first = row * (length + 1) + 1
        kind = q.data[first - 1]
        if kind > PAETH:
            q.bad[0] = 1
            return
        # above the first row there are zeros
        if row == 0 and kind == UP:
            kind = NONE
        if row == 0 and kind == PAETH:
            kind = LEFT
        unfilter_row(q, kind, first, length, 0 if row == 0 else first - length - 1)
        for x in range(q.width):
            for k in range(q.channel):
                q.pixel[(row * q.width + x) * q.channel + k] = q.data[first + x * q.sample + k]


@kernel
def unfilter_row(q, kind, first, length, above):
    """Undo the filter of a row of `length` bytes; the row above it starts at `above`, 0: none."""
    step = q.sample
    if kind == LEFT:
        for k in range(first + step, first + length):
            q.data[k] = (q.data[k] + q.data[k - step]) & BYTE
    elif kind == UP:
        for k in range(length):
            q.data[first + k] = (q.data[first + k] + q.data[above + k]) & BYTE
    elif kind == MEAN:
        for k in range(length):
            left = q.data[first + k - step] if k >= step else 0
            up = q.data[above + k] if above > 0 else 0
            q.data[first + k] = (q.data[first + k] + ((left + up) >> 1)) & BYTE
    elif kind == PAETH:
        # the first pixel has zeros to its left
        for k in range(step):
            q.data[first + k] = (q.data[first + k] + q.data[above + k]) & BYTE
        for k in range(step, length):
            left, up, corner = q.data[first + k - step], q.data[above + k], q.data[above + k - step]
            q.data[first + k] = (q.data[first + k] + nearest(left, up, corner)) & BYTE


@kernel
def nearest(left, up, corner):
    """Which of three bytes is nearest to left + up - corner; of equally near ones the first."""
    to_left, to_up = up - corner, left - corner
    to_corner = to_left + to_up
    to_left = to_left if to_left >= 0 else -to_left
    to_up = to_up if to_up >= 0 else -to_up
    to_corner = to_corner if to_corner >= 0 else -to_corner
    best = left if to_left <= to_up else up
    near = to_left if to_left <= to_up else to_up
    return best if near <= to_corner else corner
