"""Rays of the pixels of a tile: lists of the shapes that they may meet, what they meet, edges."""

from mjenv.engine.simd.elementary import larger, smaller
from mjenv.engine.simd.kernel import kernel
from mjenv.engine.simd.lanes import (
    fma,
    get_lane,
    lane_any,
    lane_max,
    lane_min,
    load3,
    lowest_bit,
    mask_bits,
    select,
    set_lane,
    sqrt,
)
from mjenv.engine.simd.spatial import add3, addscl3, dot3, scale3
from mjenv.engine.tables.enums import GEOM_BOX

from .layouts import (
    AT_CLEAR,
    AT_MIRROR,
    HALO,
    KEY_SIDE,
    LANES,
    TILE,
)
from .rays import FAR
from .shade import local_ray, meet
from .triangles import FIRST

# packs of a slot
AT_A, AT_B, AT_T, AT_CODE, AT_FACE, AT_T1, AT_CODE1, AT_FACE1, AT_KEY = range(9)
PARTS = 9
NOTHING = -1.0  # code of a ray that meets nothing
EMPTY_GLASS = -2.0  # and of one that meets the mirror, but nothing in it
# lanes of packs: a square, a row, a column
SQUARE, ROW, COLUMN = range(3)


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
