"""Lines of OBJ files to numbers, compiled; obj_files.py reads what is unusual.

A number is its digits times a power of ten. Up to 2^53 and 1e22 both are exact, and the result is
the nearest double; beyond that it may be a few units in the last place off, which is noted.
"""

from ...simd.kernel import kernel

TAB, NEWLINE, SPACE, PLUS, MINUS, POINT, SLASH, ZERO, NINE = 9, 10, 32, 43, 45, 46, 47, 48, 57
LARGE_E, SMALL_E = 69, 101
DIGITS = 18  # that are looked at
EXACT = 9007199254740992.0  # 2^53
EXACT_POWER, LARGEST_POWER = 22, 300
LARGEST_PLACE = 1000000000
# states of a line
GOOD, INEXACT, UNUSUAL = 0, 1, 2


@kernel
def read_rows(q):
    """Enter the first `width` numbers of each line, 0 where there are fewer, and its state."""
    for i in range(q.nline):
        at = q.start[i]
        state = GOOD
        for k in range(q.width):
            while q.text[at] == SPACE:
                at += 1
            q.number[q.width * i + k] = 0.0
            if q.text[at] != NEWLINE:
                at, found = read_number(q, at, q.width * i + k)
                state = found if found > state else state
        q.state[i] = state


@kernel
def is_digit(q, at):
    """True if there is a digit at a place of the text."""
    return q.text[at] >= ZERO and q.text[at] <= NINE


@kernel
def read_number(q, at, place):
    """Enter a number; where its word ends, and its state."""
    # sign
    sign = 1.0
    if q.text[at] == PLUS or q.text[at] == MINUS:
        sign = -1.0 if q.text[at] == MINUS else 1.0
        at += 1
    # digits, of which one may stand behind a point
    mantissa, power, known, any_digit, behind = 0.0, 0, 0, 0, 0
    while is_digit(q, at) or (q.text[at] == POINT and behind == 0):
        if q.text[at] == POINT:
            behind = 1
        else:
            any_digit = 1
            if known < DIGITS:
                mantissa = mantissa * 10.0 + (q.text[at] - ZERO)
                known += 1 if mantissa > 0.0 else 0
                power -= behind
            else:
                power += 1 - behind
        at += 1
    if any_digit == 0:
        return at, UNUSUAL
    # exponent
    if q.text[at] == LARGE_E or q.text[at] == SMALL_E:
        at += 1
        down = 1 if q.text[at] == MINUS else 0
        if q.text[at] == PLUS or q.text[at] == MINUS:
            at += 1
        if not is_digit(q, at):
            return at, UNUSUAL
        exponent = 0
        while is_digit(q, at):
            exponent = exponent * 10 + (q.text[at] - ZERO) if exponent < LARGEST_POWER else exponent
            at += 1
        power += -exponent if down == 1 else exponent
    if q.text[at] != SPACE and q.text[at] != NEWLINE:
        return at, UNUSUAL
    # value, exact where both numbers are
    size = power if power >= 0 else -power
    if size > LARGEST_POWER:
        return at, UNUSUAL
    value = mantissa * q.power[size] if power >= 0 else mantissa / q.power[size]
    q.number[place] = sign * value
    return at, GOOD if mantissa < EXACT and known < DIGITS and size <= EXACT_POWER else INEXACT


@kernel
def read_corners(q):
    """Enter the corners of the polygons: places of vertex, coordinates and normal, -1 for none.

    The number of corners of each polygon goes to `count`; -1 in the first one says that some line
    is unusual.
    """
    corner = 0
    for i in range(q.nline):
        at = q.start[i]
        first = corner
        while q.text[at] == SPACE:
            at += 1
        while q.text[at] != NEWLINE:
            at = read_corner(q, at, corner)
            if at < 0:
                q.count[0] = -1
                return
            corner += 1
            while q.text[at] == SPACE:
                at += 1
        q.count[i] = corner - first


@kernel
def read_corner(q, at, corner):
    """Enter a corner; where its word ends, or -1."""
    for k in range(3):
        q.corner[3 * corner + k] = -1
    for k in range(3):
        # the second may be missing: 1//3
        if k == 1 and q.text[at] == SLASH:
            at += 1
            continue
        place, first = 0, at
        while is_digit(q, at) and place < LARGEST_PLACE:
            place = place * 10 + (q.text[at] - ZERO)
            at += 1
        if at == first or place == 0 or place >= LARGEST_PLACE:
            return -1
        q.corner[3 * corner + k] = place - 1
        if q.text[at] == SPACE or q.text[at] == NEWLINE:
            return at
        if q.text[at] != SLASH or k == 2:
            return -1
        at += 1
    return -1
