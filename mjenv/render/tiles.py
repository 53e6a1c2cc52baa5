"""The picture, tile by tile: what each pixel's rays meet, how it is lit, what is mirrored there.

A tile has 16 packs of 4 by 4 pixels and a short list of the shapes that its rays may meet. First
every pack looks once through the middle of its pixels. Where neighbours see different things, four
rays a pixel make the edge smooth.
"""

from mjenv.engine.simd.elementary import larger, smaller
from mjenv.engine.simd.kernel import kernel
from mjenv.engine.simd.lanes import (
    call_stage,
    fma,
    get_lane,
    lane_all,
    lane_any,
    lane_max,
    lane_min,
    load3,
    lowest_bit,
    mask_bits,
    next_pack,
    select,
    set_lane,
    sqrt,
    store_ints,
    to_ints,
)
from mjenv.engine.simd.spatial import add3, addscl3, dot3, scale3, select3
from mjenv.engine.tables.enums import GEOM_BOX

from .fog_and_haze import before_sky, fogged, hazed, sky
from .layouts import (
    AT_CLEAR,
    AT_LOOK,
    AT_MIRROR,
    AT_WORLD,
    HALO,
    KEY_SIDE,
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
from .triangles import FIRST

# packs of a slot
AT_A, AT_B, AT_T, AT_CODE, AT_FACE, AT_T1, AT_CODE1, AT_FACE1, AT_KEY = range(9)
PARTS = 9
NOTHING = -1.0  # code of a ray that meets nothing
EMPTY_GLASS = -2.0  # and of one that meets the mirror, but nothing in it
NICE = 0  # 1 in the second look, see nice_style.py
# lanes of packs: a square, a row, a column
SQUARE, ROW, COLUMN = range(3)


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


# ---------------------------------------------------------------- lists


@kernel
def list_shapes(m, d, view, x, y):
    """Find the shapes that the rays of a tile may meet: opaque ones, and clear ones by distance."""
    # the cone around the tile, one pixel wider
    side = 0.5 * TILE + 1.0
    left, top = 1.0 * x, 1.0 * y
    px, py = left + 0.5 * TILE, top + 0.5 * TILE
    a = d.lens[4] + d.lens[0] * px
    b = d.lens[5] - d.lens[1] * py
    wide = side * sqrt(d.lens[0] * d.lens[0] + d.lens[1] * d.lens[1])
    eye, right, up, ahead = (
        load3(d.sight, 4 * view),
        load3(d.sight, 4 * view + 1),
        load3(d.sight, 4 * view + 2),
        load3(d.sight, 4 * view + 3),
    )
    across = addscl3(scale3(right, a), up, b)
    cosine, sine = 1.0, 0.0
    axis = ahead
    if m.ortho == 1:
        eye = add3(eye, across)
    else:
        axis = add3(ahead, across)
        length = sqrt(dot3(axis, axis))
        axis = scale3(axis, 1.0 / length)
        tangent = wide / length
        cosine = 1.0 / sqrt(1.0 + tangent * tangent)
        sine = tangent * cosine
        wide = 0.0
    # 16 shapes at a time
    opaque, clear = 0, 0
    start = 2 * view * m.nshape
    for pack in range(m.npack):
        c = (
            d.ball[4 * pack] - eye[0],
            d.ball[4 * pack + 1] - eye[1],
            d.ball[4 * pack + 2] - eye[2],
        )
        radius = d.ball[4 * pack + 3]
        along = dot3(c, axis)
        off = sqrt(larger(dot3(c, c) - along * along, 0.0))
        near = (off * cosine - along * sine <= radius * 1.0001 + wide) & (along >= -radius)
        frame = 4 * (view * m.npack + pack)
        near = near & overlaps(d.frame, frame, left - 1.0, top - 1.0, left + TILE + 1.0,
                               top + TILE + 1.0)  # fmt: skip
        bits = mask_bits(near & (radius >= 0.0))
        d.listed[4 * m.nshape + pack] = bits
        while bits != 0:
            lane = lowest_bit(bits)
            g = LANES * pack + lane
            bits = bits & (bits - 1)
            if d.clear[g] == 0:
                d.listed[start + opaque] = g
                row = 4 * (view * m.npack + opaque // LANES)
                for k in range(4):
                    set_lane(d.fence, row + k, opaque % LANES, get_lane(d.frame, frame + k, lane))
                opaque += 1
    # nobody meets the lanes after the last one
    for k in range(opaque, min(LANES * (opaque // LANES + 1), LANES * m.npack)):
        set_lane(d.fence, 4 * (view * m.npack + k // LANES), k % LANES, FAR)
    # clear ones in the order of their distance
    for k in range(d.at[AT_CLEAR]):
        g = d.order[k]
        if (d.listed[4 * m.nshape + g // LANES] >> (g % LANES)) & 1 == 1:
            d.listed[start + m.nshape + clear] = g
            clear += 1
    d.count[2 * view] = opaque
    d.count[2 * view + 1] = clear


@kernel
def overlaps(frames, row, left, top, right, bottom):
    """Mask of the 16 rectangles that share a point with one."""
    across = (frames[row] <= right) & (frames[row + 2] >= left)
    return across & (frames[row + 1] <= bottom) & (frames[row + 3] >= top)


# ---------------------------------------------------------------- what rays meet


@kernel
def trace(m, d, view, a, b, tmin, asking, area):
    """The first opaque shape along the rays of a view, beyond tmin.

    Returns:
        (distance, code, triangle): the code is the shape's number, NOTHING where there is none.
    """
    t, code = FAR + 0.0 * a, NOTHING + 0.0 * a
    face = NOTHING + 0.0 * a
    start = 2 * view * m.nshape
    # those whose rectangle the rays pass, of 16 at a time
    for first in range(0, d.count[2 * view], LANES):
        row = 4 * (view * m.npack + first // LANES)
        bits = mask_bits(overlaps(d.fence, row, area[0], area[1], area[2], area[3]))
        while bits != 0:
            g = d.listed[start + first + lowest_bit(bits)]
            bits = bits & (bits - 1)
            if view == 0 or g != m.mirror_shape:
                o, v = local_ray(m, d, view, g, a, b)
                s, triangle = meet(m, d, g, o, v, tmin, t, 1 - m.cull, FIRST)
                closer = (s < t) & asking
                t, code = select(closer, s, t), select(closer, 1.0 * g, code)
                face = select(closer, triangle, face)
    beyond = t > d.lens[3]
    return select(beyond, FAR, t), select(beyond, NOTHING, code), face


@kernel
def see(m, d, slot, shape, x, y, dx, dy):
    """Find what rays through points of the picture meet, in the mirror too.

    Args:
        m: the scene.
        d: a thread's work.
        slot: where to keep what is seen.
        shape: how the 16 pixels lie.
        x: the first pixel's column.
        y: its row.
        dx: where in a pixel its ray is, to the right.
        dy: downwards.

    Writes: the packs of a slot.
    """
    left, top = 1.0 * x, 1.0 * y
    px, py = d.lane[2 * shape] + (left + dx), d.lane[2 * shape + 1] + (top + dy)
    wide = 4.0 if shape == SQUARE else 16.0 if shape == ROW else 1.0
    area = (left, top, left + wide, top + 16.0 / wide)
    row = PARTS * slot
    a = fma(px, d.lens[0], d.lens[4])
    b = fma(py, -d.lens[1], d.lens[5])
    zero = 0.0 * a
    d.pack[row + AT_A], d.pack[row + AT_B] = a, b
    d.pack[row + AT_T1], d.pack[row + AT_CODE1] = FAR + zero, NOTHING + zero
    asking, t, code = a > -FAR, zero + d.lens[2], zero
    key = zero
    # what the camera sees, then what it sees in the mirror
    for view in range(1 + d.at[AT_MIRROR]):
        if view == 1:
            asking = mirror_lanes(m, d, a, b, t, code)
        if view == 0 or (lane_any(asking) and d.count[2] + d.count[3] > 0):
            at = row + 3 * view
            near = t
            t, code, face = trace(m, d, view, a, b, near, asking, area)
            if view == 1:
                # there is a mirror, even where it shows nothing
                code = select(asking & (code < 0.0), EMPTY_GLASS, code)
            d.pack[at + AT_T], d.pack[at + AT_CODE], d.pack[at + AT_FACE] = t, code, face
            key = key + select(code == NOTHING, 0.0, (1.0 - 0.63 * view) * (code + 1.0))
    view = 0 * m.nshape
    for k in range(d.count[1]):
        g = d.listed[m.nshape + k]
        o, v = local_ray(m, d, view, g, a, b)
        s, _ = meet(m, d, g, o, v, zero + d.lens[2], FAR + zero, 1 - m.cull, FIRST)
        key = key + select(s < d.pack[row + AT_T], 0.173 * (g + 1.0), 0.0)
    d.pack[row + AT_KEY] = key


@kernel
def mirror_lanes(m, d, a, b, t, code):
    """Lanes that see the side of the mirror that mirrors: of a box, its top."""
    g, view = m.mirror_shape, 0 * m.nshape
    mine = code == 1.0 * g
    if m.kind[g] == GEOM_BOX and lane_any(mine):
        o, v = local_ray(m, d, view, g, a, b)
        top = d.extent[3 * g + 2]
        mine = mine & (fma(v[2], select(mine, t, 0.0), o[2]) > 0.999 * top)
    return mine


# ---------------------------------------------------------------- edges


@kernel
def keep_key(d, slot, column, row, shape):
    """Put the keys of a pack into the tile's table."""
    for lane in range(LANES):
        x, y = column + lane % 4, row + lane // 4
        if shape == ROW:
            x, y = column + lane, row
        elif shape == COLUMN:
            x, y = column, row + lane
        d.key[y * KEY_SIDE + x] = get_lane(d.pack, PARTS * slot + AT_KEY, lane)


@kernel
def is_edge(d, column, row):
    """True if pixels of a pack, or their neighbours outside, see different things."""
    first = d.key[row * KEY_SIDE + column]
    for y in range(row - 1, row + 5):
        for x in range(column - 1, column + 5):
            corner = (y == row - 1 or y == row + 4) and (x == column - 1 or x == column + 4)
            if not corner and d.key[y * KEY_SIDE + x] != first:
                return 1
    return 0


@kernel
def look_around(m, d, x, y):
    """See the pixels around a tile, as far as they are in the picture.

    Returns:
        1 if they, and all of the tile, see the same, else 0.
    """
    for side in range(HALO):
        slot = LANES + side
        if side == 0 and y > 0:
            see(m, d, slot, ROW, x, y - 1, 0.5, 0.5)
        elif side == 1 and y + TILE < m.height:
            see(m, d, slot, ROW, x, y + TILE, 0.5, 0.5)
        elif side == 2 and x > 0:
            see(m, d, slot, COLUMN, x - 1, y, 0.5, 0.5)
        elif side == 3 and x + TILE < m.width:
            see(m, d, slot, COLUMN, x + TILE, y, 0.5, 0.5)
        else:
            # as the tile begins
            d.pack[PARTS * slot + AT_KEY] = d.pack[AT_KEY]
    low = d.pack[AT_KEY]
    high = low
    for slot in range(1, LANES + HALO):
        key = d.pack[PARTS * slot + AT_KEY]
        low, high = smaller(low, key), larger(high, key)
    return 1 if lane_min(low) == lane_max(high) else 0


@kernel
def keep_keys(m, d, x, y):
    """Put the keys of a tile and of the pixels around it into one table.

    At the border of the picture, those around it are as the tile ends.
    """
    for slot in range(LANES):
        keep_key(d, slot, 1 + 4 * (slot % 4), 1 + 4 * (slot // 4), SQUARE)
    for side in range(HALO):
        slot = LANES + side
        if side < 2:
            row, there = 0, 1 if y > 0 else 0
            if side == 1:
                row, there = TILE + 1, 1 if y + TILE < m.height else 0
            inside = TILE if side == 1 else 1
            # without a neighbour, the tile's own border stands for it: no edge is found there
            if there == 1:
                keep_key(d, slot, 1, row, ROW)
            else:
                for k in range(TILE):
                    d.key[row * KEY_SIDE + 1 + k] = d.key[inside * KEY_SIDE + 1 + k]
        else:
            column, there = 0, 1 if x > 0 else 0
            if side == 3:
                column, there = TILE + 1, 1 if x + TILE < m.width else 0
            inside = TILE if side == 3 else 1
            if there == 1:
                keep_key(d, slot, column, 1, COLUMN)
            else:
                for k in range(TILE):
                    d.key[(1 + k) * KEY_SIDE + column] = d.key[(1 + k) * KEY_SIDE + inside]


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
