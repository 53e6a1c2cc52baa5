"""The picture, tile by tile: what each pixel's rays meet, how it is lit, what is mirrored there.

A tile has 16 packs of 4 by 4 pixels and a short list of the shapes that its rays may meet. First
every pack looks once through the middle of its pixels. Where neighbours see different things, four
rays a pixel make the edge smooth.
"""

from mjenv.engine.simd.elementary import larger, smaller
from mjenv.engine.simd.kernel import kernel
from mjenv.engine.simd.lanes import (
    call_stage,
    get_lane,
    lane_all,
    lane_any,
    lane_max,
    lane_min,
    next_pack,
    select,
    store_ints,
    to_ints,
)
from mjenv.engine.simd.spatial import add3, addscl3, scale3, select3

from .fog_and_haze import before_sky, fogged, hazed, sky
from .layouts import (
    AT_LOOK,
    AT_MIRROR,
    AT_WORLD,
    LANES,
    NSAMPLE,
    SAMPLES,
    STOPPED,
    TILE,
)
from .prepare import prepare
from .rays import FAR
from .sampling import mix3
from .shade import CLEAR, IN_MIRROR, local_ray, meet, painted
from .tile_rays import (
    AT_A,
    AT_B,
    AT_CODE,
    AT_CODE1,
    AT_FACE,
    AT_T,
    AT_T1,
    EMPTY_GLASS,
    PARTS,
    SQUARE,
    is_edge,
    keep_keys,
    list_shapes,
    look_around,
    see,
)
from .triangles import FIRST

NICE = 0  # 1 in the second look, see nice_style.py


@kernel
def draw(m, d):
    """Draw bands of tiles until none is left, or all is to stop.

    Reads: the scene.
    Writes: rgb, depth and ids of the pictures.
    """
    total = m.nworld * m.nband
    d.at[AT_WORLD] = -1
    item = next_pack(m.counter)
    while item < total:
        world, band = item // m.nband, item % m.nband
        if d.at[AT_WORLD] != world:
            prepare(m, d, world)
            d.at[AT_WORLD] = world
        y0 = band * m.band
        for y in range(y0, min(y0 + m.band, m.height), TILE):
            for x in range(0, m.width, TILE):
                if d.at[AT_LOOK]:
                    call_stage(m.look, m, d)
                if m.counter[0] >= STOPPED:
                    return
                draw_tile(m, d, world, x, y)
        item = next_pack(m.counter)


@kernel
def draw_tile(m, d, world, x, y):
    """Colours, distances and numbers of the pixels of a tile."""
    for view in range(1 + d.at[AT_MIRROR]):
        list_shapes(m, d, view, x, y)
    for slot in range(LANES):
        see(m, d, slot, SQUARE, x + 4 * (slot % 4), y + 4 * (slot // 4), 0.5, 0.5)
    # edges need something that differs
    several = 0
    if m.smooth == 1 and m.want_rgb == 1 and d.count[0] + d.count[1] + d.count[2] + d.count[3] > 0:
        several = 1 - look_around(m, d, x, y)
        if several == 1:
            keep_keys(m, d, x, y)
    for slot in range(LANES):
        column, row = 4 * (slot % 4), 4 * (slot // 4)
        if x + column < m.width and y + row < m.height:
            if m.want_rgb == 1:
                colour_pack(m, d, slot, x, y, several)
            store_pack(m, d, world, slot, x + column, y + row)


@kernel
def colour_pack(m, d, slot, x, y, several):
    """Colours of a pack: of one sample a pixel, or the mean of four."""
    column, row = 4 * (slot % 4), 4 * (slot // 4)
    zero = 0.0 * d.lane[0]
    colour = (zero, zero, zero)
    edge = several == 1 and is_edge(d, 1 + column, 1 + row) == 1
    if edge:
        for sample in range(NSAMPLE):
            # a square that is turned, so that no two samples share a row or a column
            dx = 0.125 if sample == 0 else 0.375 if sample == 1 else 0.625
            dy = 0.375 if sample == 0 else 0.875 if sample == 1 else 0.125
            if sample == 3:
                dx, dy = 0.875, 0.625
            see(m, d, SAMPLES + sample, SQUARE, x + column, y + row, dx, dy)
    # what is clear is looked through in each sample
    first, count, each = slot, 1, 1
    if edge:
        first, count, each = SAMPLES, NSAMPLE, 1
        if d.count[1] + d.count[3] > 0:
            count, each = 1, NSAMPLE
    for k in range(each):
        colour = add3(colour, shade(m, d, first + k, count, slot if count > 1 else first + k))
    colour = scale3(colour, 255.0 / each)
    for k in range(3):
        d.out[k] = colour[k]


# ---------------------------------------------------------------- colours


@kernel
def shade(m, d, slot, nsample, middle):
    """Colours of what the packs of some slots see, one slot for each sample of a pixel.

    A shape is lit once in a pixel, and counts as often as it is seen there: in the pixel's middle,
    which is a slot too, or in the last sample that sees it.
    """
    zero = 0.0 * d.lane[0]
    seen = (zero, zero, zero)
    # first what the mirror shows, then what is before it
    for back in range(1 + d.at[AT_MIRROR]):
        view = d.at[AT_MIRROR] - back
        seen = add3(seen, opaque_colours(m, d, slot, nsample, middle, view))
        if d.count[2 * view + 1] > 0:
            seen = through_clear(m, d, slot, seen, view)
    return seen


@kernel
def opaque_colours(m, d, slot, nsample, middle, view):
    """Colours of opaque shapes and of the sky, or of opaque shapes in the mirror."""
    zero = 0.0 * d.lane[0]
    colour = (zero, zero, zero)
    share = 1.0 / nsample
    layer = 3 * view
    if nsample == 1:
        # often all see the same
        row = PARTS * slot
        code = d.pack[row + layer + AT_CODE]
        alike = lane_min(code)
        if alike >= 0.0 and alike == lane_max(code):
            a, b = d.pack[row + AT_A], d.pack[row + AT_B]
            t, face = d.pack[row + layer + AT_T], d.pack[row + layer + AT_FACE]
            first = d.pack[row + AT_T]
            return opaque_colour(m, d, view, int(alike), a, b, t, face, first, code >= 0.0)
    if view == 0:
        # the sky where nothing is met
        weight, a, b = zero, zero, zero
        for sample in range(nsample):
            row = PARTS * (slot + sample)
            free = d.pack[row + AT_CODE] < 0.0
            weight = weight + select(free, share, 0.0)
            a, b = select(free, d.pack[row + AT_A], a), select(free, d.pack[row + AT_B], b)
        if lane_any(weight > 0.0):
            seen = sky(m, d, a, b)
            if m.haze_shape >= 0:
                seen = hazed(m, d, a, b, FAR + zero, seen)
            colour = scale3(seen, weight)
    last = -1.0
    while True:
        # the next shape in the order of numbers
        low = FAR + zero
        for sample in range(nsample):
            code = d.pack[PARTS * (slot + sample) + layer + AT_CODE]
            low = smaller(low, select(code > last, code, FAR))
        last = lane_min(low)
        if last >= FAR:
            break
        # where and how often it is seen
        g = int(last)
        weight, a, b, t, face = zero, zero, zero, zero + 1.0, zero
        first = zero
        for sample in range(nsample + 1):
            row = PARTS * (slot + sample)
            if sample == nsample:
                row = PARTS * middle
            mine = d.pack[row + layer + AT_CODE] == last
            if sample < nsample:
                weight = weight + select(mine, share, 0.0)
            a, b = select(mine, d.pack[row + AT_A], a), select(mine, d.pack[row + AT_B], b)
            t = select(mine, d.pack[row + layer + AT_T], t)
            face = select(mine, d.pack[row + layer + AT_FACE], face)
            first = select(mine, d.pack[row + AT_T], first)
        # its colour there
        covered = weight > 0.0
        seen = opaque_colour(m, d, view, g, a, b, t, face, first, covered)
        colour = select3(covered, addscl3(colour, seen, weight), colour)
    return colour


@kernel
def opaque_colour(m, d, view, g, a, b, t, face, first, covered):
    """Colour of one opaque shape, through fog and haze; `first`: distance of what is in front."""
    seen = painted(m, d, view, g, a, b, t, face, covered, view)
    if m.fog == 1:
        seen = fogged(m, seen, t)
    before = before_sky(m, d, a, b, first)
    if not lane_all(before):
        behind = scale3(sky(m, d, a, b), 1.0 - view)
        seen = select3(before, seen, behind)
    if m.haze_shape >= 0:
        seen = hazed(m, d, a, b, first, seen)
    if NICE == 1:
        seen = through_air(m, d, view, seen, t)
    return seen


@kernel
def through_air(m, d, view, seen, t):
    """Colours as air lets them through: all of them, see nice_style.py."""
    return seen


@kernel
def through_clear(m, d, slot, colour, view):
    """Colours seen through the clear shapes of a tile.

    They are drawn twice: all from the nearest on, then all back. Where colours add up, once.
    """
    row, zero = PARTS * slot, 0.0 * d.lane[0]
    a, b = d.pack[row + AT_A], d.pack[row + AT_B]
    limit, start = d.pack[row + AT_T], zero
    asking = a > -FAR
    # in the mirror, between the mirror and what it shows
    if view == 1:
        start, limit = limit, d.pack[row + AT_T1]
        asking = mask_mirror(d.pack[row + AT_CODE1])
    # forth, and back
    n = d.count[2 * view + 1]
    for k in range(2 * n - m.additive * n):
        place = k if k < n else 2 * n - 1 - k
        g = d.listed[(2 * view + 1) * m.nshape + place]
        if g != m.mirror_shape or view == 0:
            o, v = local_ray(m, d, view, g, a, b)
            t, face = meet(m, d, g, o, v, larger(start, d.lens[2]), FAR + zero, 1 - m.cull, FIRST)
            mine = (t < limit) & (t < d.lens[3]) & asking
            if view == 0:
                mine = mine & before_sky(m, d, a, b, t)
            # light on what is seen of it, over what is behind
            if lane_any(mine):
                mode = IN_MIRROR if view == 1 else CLEAR
                seen = painted(m, d, view, g, a, b, t, face, mine, mode)
                if m.fog == 1:
                    seen = fogged(m, seen, t)
                alpha = d.colour[4 * g + 3] + zero
                mixed = mix3(colour, seen, alpha)
                if m.additive == 1:
                    mixed = addscl3(colour, seen, alpha)
                colour = select3(mine, mixed, colour)
    return colour


@kernel
def mask_mirror(code1):
    """Lanes that look into the mirror."""
    return (code1 >= 0.0) | (code1 == EMPTY_GLASS)


# ---------------------------------------------------------------- pixels


@kernel
def store_pack(m, d, world, slot, x, y):
    """Put a pack into the pictures."""
    first = (world * m.height + y) * m.width + x
    columns, rows = min(4, m.width - x), min(4, m.height - y)
    if m.want_rgb == 1:
        store_colours(m, d, first, columns, rows)
    if m.want_depth + m.want_ids > 0:
        nearest(m, d, slot)
    if m.want_depth == 1:
        for y in range(rows):
            for x in range(columns):
                m.depth[first + y * m.width + x] = get_lane(d.out, 3, 4 * y + x)
    if m.want_ids == 1:
        for y in range(rows):
            for x in range(columns):
                g = int(get_lane(d.out, 4, 4 * y + x))
                pixel = first + y * m.width + x
                m.ids[2 * pixel] = m.object_id[g] if g >= 0 else -1
                m.ids[2 * pixel + 1] = m.object_type[g] if g >= 0 else -1


@kernel
def nearest(m, d, slot):
    """Find distances and numbers of what is first along the rays of a pack, clear shapes too.

    Writes: the packs 3 and 4 of `out`.
    """
    row, view = PARTS * slot, 0 * m.nshape
    a, b = d.pack[row + AT_A], d.pack[row + AT_B]
    t, code = d.pack[row + AT_T], d.pack[row + AT_CODE]
    for k in range(d.count[1]):
        g = d.listed[m.nshape + k]
        o, v = local_ray(m, d, view, g, a, b)
        s, _ = meet(m, d, g, o, v, d.lens[2] + 0.0 * a, FAR + 0.0 * a, 1 - m.cull, FIRST)
        closer = (s < t) & (s < d.lens[3])
        t, code = select(closer, s, t), select(closer, 1.0 * g, code)
    d.out[3], d.out[4] = smaller(t, d.lens[3]), code


@kernel
def store_colours(m, d, first, columns, rows):
    """Round the colours in `out` to bytes, and put them into the pictures."""
    red, green, blue = to_bytes(d.out[0]), to_bytes(d.out[1]), to_bytes(d.out[2])
    store_ints(d.word, 0, red | (green << 8) | (blue << 16))
    if columns == 4 and m.words == 1:
        # four pixels are three words
        for y in range(rows):
            at = 3 * (first + y * m.width) // 4
            a, b = d.word[4 * y], d.word[4 * y + 1]
            c, e = d.word[4 * y + 2], d.word[4 * y + 3]
            m.rgb_word[at] = a | (b << 24)
            m.rgb_word[at + 1] = (b >> 8) | (c << 16)
            m.rgb_word[at + 2] = (c >> 16) | (e << 8)
        return
    for y in range(rows):
        for x in range(columns):
            word, at = d.word[4 * y + x], 3 * (first + y * m.width + x)
            m.rgb[at] = word & 255
            m.rgb[at + 1] = (word >> 8) & 255
            m.rgb[at + 2] = (word >> 16) & 255


@kernel
def to_bytes(x):
    """Numbers rounded to 0 to 255."""
    return to_ints(smaller(larger(x, 0.0), 255.0) + 0.5)
