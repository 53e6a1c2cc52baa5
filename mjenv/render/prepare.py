"""One world as a thread draws it: places relative to the eye, lists of balls, the mirror's view."""

from mjenv.engine.simd.elementary import larger, smaller
from mjenv.engine.simd.kernel import kernel
from mjenv.engine.simd.lanes import load3, set_lane, sqrt, store
from mjenv.engine.simd.spatial import (
    add3,
    addscl3,
    cross,
    dot3,
    mul_mat3,
    mul_matT3,
    normalize3,
    scale3,
    sub3,
)
from mjenv.engine.tables.enums import (
    GEOM_BOX,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_ELLIPSOID,
    GEOM_PLANE,
    GEOM_SPHERE,
)

from .layouts import AT_CLEAR, AT_MIRROR, LANES, LIGHT, RAY
from .rays import FAR, KIND_CONE, KIND_TRIANGLE, KIND_TRIANGLES, within

ENDLESS = 1e15  # radius of a ball around something infinite (m)
CAMERA = 18  # numbers of a camera: right, up, forward, eye, and its lens: see `tiles.see`
OPAQUE = 0.995  # alpha from which a shape hides what is behind it
MARGIN = 0.05  # pixels around the rectangle that holds a shape, for what rounding takes
BEHIND = 0.3  # share of its alpha that a plane keeps when seen from behind


@kernel
def bounding_radius(kind, size, triangles):
    """Radius of a ball around the origin of a shape's frame (m)."""
    radius = triangles
    if kind == GEOM_PLANE:
        endless = size[0] <= 0.0 or size[1] <= 0.0
        radius = ENDLESS if endless else sqrt(size[0] * size[0] + size[1] * size[1])
    elif kind == GEOM_SPHERE:
        radius = size[0]
    elif kind == GEOM_CAPSULE:
        radius = size[0] + size[2]
    elif kind == GEOM_CYLINDER or kind == KIND_CONE:
        radius = sqrt(size[0] * size[0] + size[2] * size[2])
    elif kind == GEOM_ELLIPSOID:
        radius = larger(size[0], larger(size[1], size[2]))
    elif kind == GEOM_BOX:
        radius = sqrt(dot3(size, size))
    elif kind == KIND_TRIANGLE:
        radius = larger(size[0], size[1])
    return radius


@kernel
def mirrored(x, normal):
    """A direction as it is seen in a mirror."""
    return addscl3(x, normal, -2.0 * dot3(x, normal))


@kernel
def prepare(m, d, world):
    """Make a world ready to be drawn.

    Reads: shapes, lights and camera of the world.
    Writes: the world's tables of the thread.
    """
    camera = world * m.step_camera
    eye = load_at(m.camera, camera + 9)
    for k in range(6):
        d.lens[k] = m.camera[camera + 12 + k]
    # the camera, from where it stands
    zero = (0.0, 0.0, 0.0)
    store(d.sight, 0, zero)
    for k in range(3):
        store(d.sight, 1 + k, load_at(m.camera, camera + 3 * k))
    # a mirror shows what stands behind its back; only the side it faces has one
    d.at[AT_MIRROR] = 0
    if m.mirror_shape >= 0:
        g = m.mirror_shape
        R = load_at9(m.mat, world * m.step_pose * 9 + 9 * g)
        normal = (R[2], R[5], R[8])
        point = sub3(load_at(m.pos, world * m.step_pose * 3 + 3 * g), eye)
        if m.kind[g] == GEOM_BOX:
            point = addscl3(point, normal, 1.0 * m.size[world * m.step_size + 3 * g + 2])
        height = -dot3(point, normal)
        shown = m.shown[world * m.step_shown + g]
        alpha = m.rgba[world * m.step_rgba + 4 * g + 3]
        reflects = m.matter[world * m.step_matter + 4 * g + 3]
        if height > 0.0 and shown == 1 and alpha >= OPAQUE and reflects > 0.0:
            d.at[AT_MIRROR] = 1
            store(d.sight, 4, scale3(normal, -2.0 * height))
            for k in range(3):
                store(d.sight, 5 + k, mirrored(load_at(m.camera, camera + 3 * k), normal))
    for g in range(m.nshape):
        prepare_shape(m, d, world, g, eye)
    # lanes after the last shape hold what was there before
    for g in range(m.nshape, LANES * m.npack):
        set_lane(d.ball, 4 * (g // LANES) + 3, g % LANES, -1.0)
        set_lane(d.caster_ball, 4 * (g // LANES) + 3, g % LANES, -1.0)
    sort_clear(m, d)
    for light in range(m.nlight):
        prepare_light(m, d, world, light, eye)


@kernel
def load_at(f, start):
    """Three numbers from a place on."""
    return (f[start], f[start + 1], f[start + 2])


@kernel
def load_at9(f, start):
    """Nine numbers from a place on."""
    a, b, c = load_at(f, start), load_at(f, start + 3), load_at(f, start + 6)
    return (a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2])


@kernel
def prepare_shape(m, d, world, g, eye):
    """Frame, size and colour of one shape."""
    kind = m.kind[g]
    centre = sub3(load_at(m.pos, world * m.step_pose * 3 + 3 * g), eye)
    R = load_at9(m.mat, world * m.step_pose * 9 + 9 * g)
    size = load_at(m.size, world * m.step_size + 3 * g)
    store(d.centre, g, centre)
    store(d.turn, g, R)
    store(d.extent, g, size)
    for k in range(4):
        d.colour[4 * g + k] = m.rgba[world * m.step_rgba + 4 * g + k]
        d.matter[4 * g + k] = m.matter[world * m.step_matter + 4 * g + k]
    # a plane hides nothing from who is behind it
    alpha = d.colour[4 * g + 3]
    behind = kind == GEOM_PLANE and dot3(centre, (R[2], R[5], R[8])) > 0.0
    if behind:
        d.colour[4 * g + 3] = BEHIND * alpha
    d.clear[g] = 1 if behind or alpha < OPAQUE else 0
    # whether light is seen within it: the eye may be there, or look through its surface
    home = mul_matT3(R, (-centre[0], -centre[1], -centre[2]))
    looked_into = kind == KIND_TRIANGLES or m.cull == 0 or alpha < OPAQUE
    d.around[g] = 1 if looked_into or within(kind, size, home) else 0
    # rays of both views, in the shape's frame
    for view in range(1 + d.at[AT_MIRROR]):
        row = (view * m.nshape + g) * (RAY // 3)
        store(d.ray, row, mul_matT3(R, sub3(load3(d.sight, 4 * view), centre)))
        for k in range(3):
            store(d.ray, row + 1 + k, mul_matT3(R, load3(d.sight, 4 * view + 1 + k)))
        frame_shape(m, d, view, g, centre, R, size)
    # balls; nobody meets one of negative radius
    radius = bounding_radius(kind, size, m.bound[g])
    if m.shown[world * m.step_shown + g] == 0:
        radius = -1.0
    pack, lane = g // LANES, g % LANES
    for k in range(3):
        set_lane(d.ball, 4 * pack + k, lane, centre[k])
        set_lane(d.caster_ball, 4 * pack + k, lane, centre[k])
    set_lane(d.ball, 4 * pack + 3, lane, radius)
    set_lane(d.caster_ball, 4 * pack + 3, lane, radius if m.caster[g] == 1 else -1.0)


@kernel
def frame_shape(m, d, view, g, centre, R, size):
    """Keep the rectangle of the picture that holds a shape, in pixels: left, top, right, bottom."""
    kind = m.kind[g]
    low, high = (FAR, FAR), (-FAR, -FAR)
    if kind == GEOM_SPHERE or kind == GEOM_CAPSULE or kind == KIND_CONE:
        # balls at both ends
        half = size[2] if kind == GEOM_CAPSULE else 0.0
        radius = bounding_radius(kind, size, m.bound[g]) - half
        for side in range(2):
            end = addscl3(centre, (R[2], R[5], R[8]), half if side == 0 else -half)
            low, high = around_ball(m, d, view, end, radius, low, high)
    elif kind == GEOM_PLANE and (size[0] <= 0.0 or size[1] <= 0.0):
        low, high = (-FAR, -FAR), (FAR, FAR)
    else:
        # corners of a box
        first, last = (-size[0], -size[1], -size[2]), size
        if kind == GEOM_PLANE:
            first, last = (-size[0], -size[1], 0.0), (size[0], size[1], 0.0)
        elif kind == GEOM_CYLINDER:
            first, last = (-size[0], -size[0], -size[2]), (size[0], size[0], size[2])
        elif kind == KIND_TRIANGLE:
            first, last = (0.0, 0.0, 0.0), (size[0], size[1], 0.0)
        elif kind == KIND_TRIANGLES:
            root = 6 * (m.mesh_tree[m.shape_mesh[g]] + 1)
            first, last = load_at(m.tree_box, root), load_at(m.tree_box, root + 3)
        for corner in range(8):
            p = (
                first[0] if (corner & 1) == 0 else last[0],
                first[1] if (corner & 2) == 0 else last[1],
                first[2] if (corner & 4) == 0 else last[2],
            )
            low, high = around_ball(m, d, view, add3(centre, mul_mat3(R, p)), 0.0, low, high)
    # pixels grow to the right and downwards
    pack, lane = 4 * (view * m.npack + g // LANES), g % LANES
    set_lane(d.frame, pack, lane, (low[0] - d.lens[4]) / d.lens[0] - MARGIN)
    set_lane(d.frame, pack + 1, lane, (d.lens[5] - high[1]) / d.lens[1] - MARGIN)
    set_lane(d.frame, pack + 2, lane, (high[0] - d.lens[4]) / d.lens[0] + MARGIN)
    set_lane(d.frame, pack + 3, lane, (d.lens[5] - low[1]) / d.lens[1] + MARGIN)


@kernel
def around_ball(m, d, view, centre, radius, low, high):
    """A rectangle of the image plane at distance 1, widened to hold a ball too.

    It is endless where the ball reaches behind the plane through the eye.
    """
    p = sub3(centre, load3(d.sight, 4 * view))
    ahead = dot3(p, load3(d.sight, 4 * view + 3))
    for k in range(2):
        x = dot3(p, load3(d.sight, 4 * view + 1 + k))
        a, b = x - radius, x + radius
        if m.ortho == 0:
            # between the tangents from the eye
            square = ahead * ahead - radius * radius
            if ahead <= 1.001 * radius + 1e-6:
                a, b = -FAR, FAR
            else:
                reach = radius * sqrt(larger(x * x + square, 0.0))
                a, b = (x * ahead - reach) / square, (x * ahead + reach) / square
        if k == 0:
            low, high = (smaller(low[0], a), low[1]), (larger(high[0], b), high[1])
        else:
            low, high = (low[0], smaller(low[1], a)), (high[0], larger(high[1], b))
    return low, high


@kernel
def sort_clear(m, d):
    """List transparent shapes by distance, the nearest first; planes are always last."""
    count = 0
    for g in range(m.nshape):
        if d.clear[g] == 1:
            here = clear_distance(m, d, g)
            place = count
            while place > 0 and clear_distance(m, d, d.order[place - 1]) > here:
                d.order[place] = d.order[place - 1]
                place -= 1
            d.order[place] = g
            count += 1
    d.at[AT_CLEAR] = count


@kernel
def clear_distance(m, d, g):
    """Distance of a shape's ball, by which transparent shapes are sorted (m)."""
    if m.kind[g] == GEOM_PLANE:
        return 1e10
    centre = load3(d.centre, g)
    radius = bounding_radius(m.kind[g], load3(d.extent, g), m.bound[g])
    return sqrt(dot3(centre, centre)) - radius


@kernel
def prepare_light(m, d, world, light, eye):
    """Place and colours of one light, and the frame of what it throws shadows into."""
    row = (world * m.step_light + light) * LIGHT
    start = light * LIGHT
    for k in range(LIGHT):
        d.lamp[start + k] = m.light[row + k]
    for k in range(3):
        d.lamp[start + k] = m.light[row + k] - eye[k]
    aim = normalize3(load_at(m.light, row + 3))[0]
    side = cross(aim, (-1.0, 0.0, 0.0))
    if dot3(side, side) <= 0.01:
        side = cross(aim, (0.0, 1.0, 0.0))
    up = normalize3(side)[0]
    across = cross(aim, up)
    for k in range(3):
        d.lamp[start + 3 + k] = aim[k]
        d.lamp[start + 24 + k] = up[k]
        d.lamp[start + 27 + k] = across[k]
