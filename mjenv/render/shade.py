"""Light on the surfaces that rays meet.

Light follows MuJoCo's classic renderer: emission, then for every light ambient, diffuse (Lambert)
and specular (Blinn) parts, in the texture's colour; lights with shadows give nothing in them.
Every pixel is lit, not only the corners of triangles.
"""

from mjenv.engine.simd.elementary import larger, smaller
from mjenv.engine.simd.kernel import kernel
from mjenv.engine.simd.lanes import (
    absolute,
    bits_of,
    call_stage,
    floor,
    fma,
    from_bits,
    gather_reals,
    lane_any,
    lane_max,
    lane_min,
    load3,
    load9,
    lowest_bit,
    mask_bits,
    select,
    sqrt,
    to_ints,
    to_reals,
)
from mjenv.engine.simd.spatial import (
    add3,
    addscl3,
    cross,
    dot3,
    mul_mat3,
    mul_matT3,
    scale3,
    select3,
    sub3,
)
from mjenv.engine.tables.enums import GEOM_CAPSULE, GEOM_PLANE

from .layouts import AT_MODE, AT_SHAPE, AT_VIEW, LANES, LIGHT
from .rays import FAR, KIND_TRIANGLES, enter, leave, local_normal, unit3
from .sampling import lookup, lookup_each, on_cube, on_cube_pace
from .triangles import ANY, enter_triangles

# kinds of light, and of what a texture is laid on
LIGHT_SPOT, LIGHT_DIRECTIONAL, LIGHT_POINT = range(3)
MAP_NONE, MAP_PLANE, MAP_CUBE, MAP_CORNERS = range(4)
# what light does to a surface
WITH_SHADOWS, IN_MIRROR, CLEAR = range(3)
AT_CORNER = 3  # pack of `out` that holds how much light from everywhere comes to points
NICE = 0  # 1 in the second look, see nice_style.py
FAINT = 7.0  # exponent of e from which a gloss is not seen
BLUR = 0.05  # least cosine with which a surface's pixels are taken to be seen


# ---------------------------------------------------------------- powers


@kernel
def log2(x):
    """Binary logarithm of a positive number, to 1e-6."""
    bits = bits_of(x)
    e = to_reals((bits >> 23) - 127)
    y = from_bits((bits & 8388607) | 1065353216) - 1.0
    # a fit of log2(1 + y) for y in 0..1 that is exact at both ends
    p = fma(y, -0.0094931, 0.0523069)
    p = fma(y, p, -0.1370250)
    p = fma(y, p, 0.2486410)
    p = fma(y, p, -0.3546430)
    p = fma(y, p, 0.4798240)
    p = fma(y, p, -0.7213050)
    p = fma(y, p, 1.4426942)
    return e + y * p


@kernel
def exp2(x):
    """2 to the power of x, to 2e-6 of it."""
    x = larger(smaller(x, 126.0), -126.0)
    whole = floor(x)
    y = x - whole
    p = fma(y, 0.0018775767, 0.0089893397)
    p = fma(y, p, 0.0558263180)
    p = fma(y, p, 0.2401536000)
    p = fma(y, p, 0.6931530700)
    p = fma(y, p, 0.9999999400)
    return p * from_bits((to_ints(whole) + 127) << 23)


@kernel
def power(x, exponent):
    """x to a power, for x from 0 to 1."""
    return select(x > 1e-9, exp2(exponent * log2(larger(x, 1e-9))), 0.0)


# ---------------------------------------------------------------- rays of a view


@kernel
def rays_through(m, o, right, up, ahead, a, b):
    """Origins and directions of rays from an eye through points (a, b) of its picture."""
    zero = 0.0 * a
    start, way = (o[0] + zero, o[1] + zero, o[2] + zero), (ahead[0] + zero, ahead[1] + zero,
                                                           ahead[2] + zero)  # fmt: skip
    if m.ortho == 1:
        start = addscl3(addscl3(start, right, a), up, b)
    else:
        way = addscl3(addscl3(way, right, a), up, b)
    return start, way


@kernel
def local_ray(m, d, view, g, a, b):
    """Origin and direction of a view's rays in the frame of shape g."""
    row = 4 * (view * m.nshape + g)
    eye, right = load3(d.ray, row), load3(d.ray, row + 1)
    up, ahead = load3(d.ray, row + 2), load3(d.ray, row + 3)
    return rays_through(m, eye, right, up, ahead, a, b)


@kernel
def world_ray(m, d, view, a, b):
    """Origin and direction of a view's rays, from the eye."""
    row = 4 * view
    eye, right = load3(d.sight, row), load3(d.sight, row + 1)
    up, ahead = load3(d.sight, row + 2), load3(d.sight, row + 3)
    return rays_through(m, eye, right, up, ahead, a, b)


@kernel
def meet(m, d, g, o, v, tmin, tmax, back, which):
    """Distance at which rays enter shape g, in its frame, and the triangle they meet.

    Of shapes with triangles the first beyond tmin, or any before tmax; see `enter_triangles`.
    `back`: shapes are met from within as well.

    Returns:
        (distance, triangle); FAR where they do not, -1 in shapes without triangles.
    """
    face = -1.0 + 0.0 * v[0]
    if m.kind[g] == KIND_TRIANGLES:
        t, face = enter_triangles(m, d, m.shape_mesh[g], o, v, tmin, tmax, back, which)
    else:
        size = load3(d.extent, g)
        t = enter(m.kind[g], size, o, v, tmin)
        if back == 1:
            # where it is left, it would be entered the other way
            t = select(t < FAR, t, leave(m.kind[g], size, o, v, tmin))
    return t, face


# ---------------------------------------------------------------- surfaces


@kernel
def corners(m, face, p):
    """Weights of the second and third corner of triangles at points in their planes."""
    at = to_ints(face) * 9
    q = (
        p[0] - gather_reals(m.triangle, at),
        p[1] - gather_reals(m.triangle, at + 1),
        p[2] - gather_reals(m.triangle, at + 2),
    )
    e1 = (
        gather_reals(m.triangle, at + 3),
        gather_reals(m.triangle, at + 4),
        gather_reals(m.triangle, at + 5),
    )
    e2 = (
        gather_reals(m.triangle, at + 6),
        gather_reals(m.triangle, at + 7),
        gather_reals(m.triangle, at + 8),
    )
    n = cross(e1, e2)
    s = 1.0 / larger(dot3(n, n), 1e-37)
    return dot3(cross(q, e2), n) * s, dot3(cross(e1, q), n) * s


@kernel
def corner_mean(f, at, n, x, y):
    """A value between those at three corners, which lie n numbers apart."""
    first, second, third = gather_reals(f, at), gather_reals(f, at + n), gather_reals(f, at + 2 * n)
    return fma(y, third - first, fma(x, second - first, first))


@kernel
def texture_colour(m, d, g, p, x, y, face, cosine, t, mine):
    """Colour of the texture of shape g at points p of its frame; x and y weigh corners."""
    texture, mapping = m.texture[g], m.mapping[g]
    zero = 0.0 * t
    s = load3(m.texscale, g)
    # width of a pixel on the surface (m)
    spread = t / larger(absolute(cosine), BLUR) * d.lens[0]
    width = 1.0 * m.level_width[m.texture_level0[texture]]
    if mapping == MAP_CUBE:
        q, along = (p[0] * s[0], p[1] * s[1], p[2] * s[2]), s[2] + zero
        if m.kind[g] == GEOM_CAPSULE:
            # the ends have maps of their own, as long as the half of the capsule's middle
            half, radius = d.extent[3 * g + 2], d.extent[3 * g]
            beyond, pace = absolute(p[2]) - half, s[2] * half / radius
            end = select(p[2] > 0.0, beyond, -beyond) * pace
            q = (q[0], q[1], select(beyond > 0.0, end, q[2]))
            along = select(beyond > 0.0, pace, along)
        u, v, side = on_cube(q[0], q[1], q[2])
        side = side * m.texture_cube[texture]
        spread = spread * (0.5 * width) * on_cube_pace(q, (s[0] + zero, s[1] + zero, along))
        return lookup_each(m, texture, u, v, side, select(mine, spread, 0.0))
    if mapping == MAP_CORNERS:
        at = to_ints(face) * 6
        u, v = corner_mean(m.corner_uv, at, 2, x, y), corner_mean(m.corner_uv, at + 1, 2, x, y)
        scale = s[2]
    else:
        u, v = fma(p[0], s[0], -0.5), fma(p[1], s[1], -0.5)
        scale = larger(absolute(s[0]), absolute(s[1]))
    # where it is least
    spread = lane_min(select(mine, spread, FAR))
    return lookup(m, texture, u, v, to_ints(zero), 1, spread * width * scale)


@kernel
def surface(m, d, view, g, a, b, t, face, mine, mode):
    """Colour of lit points of shape g.

    Args:
        m: the scene.
        d: a thread's work.
        view: from where it is seen.
        g: the shape.
        a: to the right in the image plane.
        b: upwards in it.
        t: distances.
        face: triangles met, where the shape has some.
        mine: lanes that want a colour; the others get garbage.
        mode: whether there are shadows, and whether it is seen in the mirror.
    """
    kind, zero = m.kind[g], 0.0 * t
    size, R = load3(d.extent, g), load9(d.turn, g)
    o, v = local_ray(m, d, view, g, a, b)
    t = select(mine, t, 0.0)
    p = addscl3(o, v, t)
    # normal
    n = local_normal(kind, size, p)
    x, y = zero, zero
    if kind == KIND_TRIANGLES:
        face = select(mine, face, 0.0)
        x, y = corners(m, face, p)
        at = to_ints(face) * 9
        n = unit3((
            corner_mean(m.corner_normal, at, 3, x, y),
            corner_mean(m.corner_normal, at + 1, 3, x, y),
            corner_mean(m.corner_normal, at + 2, 3, x, y),
        ))  # fmt: skip
    # rays may be parallel; light is seen from where the camera is
    home = load3(d.ray, 4 * (view * m.nshape + g))
    to_eye = unit3((home[0] - p[0], home[1] - p[1], home[2] - p[2]))
    cosine = dot3(n, to_eye)
    if m.glows[g] == 2:
        # seen from both sides
        n = select3(cosine < 0.0, scale3(n, -1.0), n)
        cosine = absolute(cosine)
    if kind == GEOM_PLANE and d.clear[g] == 1:
        cosine = absolute(cosine)
    # colour of the material
    share = 1.0
    if mode == IN_MIRROR:
        share = d.matter[4 * m.mirror_shape + 3]
    rgb = (d.colour[4 * g] * share, d.colour[4 * g + 1] * share, d.colour[4 * g + 2] * share)
    paint = (zero + 1.0, zero + 1.0, zero + 1.0)
    if m.texture[g] >= 0 and m.texture_on == 1:
        away, lean = t, cosine
        if m.ortho == 1:
            away, lean = zero + 1.0, dot3(n, v)
        paint = texture_colour(m, d, g, p, x, y, face, lean, away, mine)
    if m.glows[g] == 1 or m.light_on == 0:
        # lines: no light
        return (rgb[0] * paint[0], rgb[1] * paint[1], rgb[2] * paint[2])
    normal, eye = mul_mat3(R, n), mul_mat3(R, to_eye)
    point = add3(mul_mat3(R, p), load3(d.centre, g))
    # what shines without shadows comes first
    glow = d.matter[4 * g]
    if m.nlight == 0:
        glow += 0.3
    colour = (zero + rgb[0] * glow, zero + rgb[1] * glow, zero + rgb[2] * glow)
    if NICE == 1:
        corner = openness(m, d, g, point, normal, mine)
        d.out[AT_CORNER] = corner
        fill = scale3(skylight(m, d, normal), corner)
        colour = (
            fma(fill[0], rgb[0], colour[0]),
            fma(fill[1], rgb[1], colour[1]),
            fma(fill[2], rgb[2], colour[2]),
        )
    total = (zero, zero, zero)
    for light in range(m.nlight):
        shadow = m.light_shadow[light] == 1 and m.shadows == 1 and mode == WITH_SHADOWS
        part, open_ = lit(m, d, g, light, point, normal, eye, rgb, mine, shadow)
        if shadow:
            total = addscl3(total, clamp3(part), open_)
        else:
            colour = add3(colour, part)
    total = add3(total, clamp3(colour))
    return (total[0] * paint[0], total[1] * paint[1], total[2] * paint[2])


@kernel
def painted(m, d, view, g, a, b, t, face, mine, mode):
    """Colour of lit points, as `surface` returns it, by the entry that computes it."""
    d.at[AT_VIEW], d.at[AT_SHAPE], d.at[AT_MODE] = view, g, mode
    d.paint[0], d.paint[1], d.paint[2], d.paint[3] = a, b, t, face
    d.paint[4] = select(mine, 1.0, 0.0)
    call_stage(m.paint, m, d)
    return d.paint[5], d.paint[6], d.paint[7]


@kernel
def paint(m, d):
    """Light the points that stand in `paint`: an entry of its own, compiled beside the other.

    Reads: what `painted` wrote.
    Writes: colours, into `paint`.
    """
    view, g, mode = d.at[AT_VIEW], d.at[AT_SHAPE], d.at[AT_MODE]
    a, b, t, face = d.paint[0], d.paint[1], d.paint[2], d.paint[3]
    mine = d.paint[4] > 0.0
    d.paint[5], d.paint[6], d.paint[7] = surface(m, d, view, g, a, b, t, face, mine, mode)


@kernel
def clamp3(c):
    """Colours up to 1."""
    return (smaller(c[0], 1.0), smaller(c[1], 1.0), smaller(c[2], 1.0))


# ---------------------------------------------------------------- lights


@kernel
def lit(m, d, g, light, point, normal, eye, rgb, mine, shadow):
    """Contribution of one light to a surface, and the share of it that no shadow takes.

    Args:
        m: the scene.
        d: a thread's work.
        g: shape of the surface.
        light: which light.
        point: points of the surface, from the eye (m).
        normal: unit normals.
        eye: unit vectors towards the eye.
        rgb: colour of the material.
        mine: lanes that want to know.
        shadow: whether the light throws shadows here.
    """
    row, zero = light * (LIGHT // 3), 0.0 * point[0]
    place, aim = load3(d.lamp, row), load3(d.lamp, row + 1)
    ambient, diffuse, specular = (
        load3(d.lamp, row + 2),
        load3(d.lamp, row + 3),
        load3(d.lamp, row + 4),
    )
    # direction of the light, and how much of it arrives
    strength, reach = zero + 1.0, FAR + zero
    to_light = (zero - aim[0], zero - aim[1], zero - aim[2])
    if m.light_kind[light] != LIGHT_DIRECTIONAL:
        to_light = (place[0] - point[0], place[1] - point[1], place[2] - point[2])
        reach = sqrt(larger(dot3(to_light, to_light), 1e-18))
        to_light = scale3(to_light, 1.0 / reach)
        fade = load3(d.lamp, row + 5)
        strength = 1.0 / (fade[0] + reach * (fade[1] + reach * fade[2]))
        if m.light_kind[light] == LIGHT_SPOT and d.lamp[3 * row + 18] > -1.0:
            along = -dot3(to_light, aim)
            cone = zero + 1.0
            if d.lamp[3 * row + 19] > 0.0:
                cone = power(larger(along, 0.0), d.lamp[3 * row + 19] + zero)
            strength = select(along > d.lamp[3 * row + 18], strength * cone, 0.0)
    facing = dot3(normal, to_light)
    shining = mine & (facing > 0.0) & (strength > 0.0)
    open_ = zero + 1.0
    if shadow:
        open_ = select(facing > 0.0, 1.0, 0.0)
        if lane_any(shining):
            # what is next to the light or behind it throws no shadows
            away = dot3(sub3(point, place), aim)
            if m.light_kind[light] == LIGHT_DIRECTIONAL:
                reach = larger(away - d.lens[2], 0.0)
            else:
                reach = reach * larger(1.0 - d.lens[2] / larger(away, 1e-12), 0.0)
            open_ = open_share(m, d, g, light, point, to_light, reach, shining)
    # parts
    lambert = larger(facing, 0.0)
    if NICE == 1:
        corner = d.out[AT_CORNER]
        ambient = (ambient[0] * corner, ambient[1] * corner, ambient[2] * corner)
        if not shadow:
            lambert = lambert * corner
    gloss = zero
    shine = d.matter[4 * g + 1]
    bright = specular[0] + specular[1] + specular[2]
    if shine * bright > 0.0 and lane_any(shining):
        half = select(shining, dot3(normal, unit3(add3(to_light, eye))), 0.0)
        sharp = 128.0 * d.matter[4 * g + 2]
        # nothing to see where it is below a thousandth: log(x) <= x - 1
        if sharp * (1.0 - lane_max(half)) < FAINT:
            gloss = select(half > 0.0, shine * power(larger(half, 0.0), sharp + zero), 0.0)
    return (
        strength * (rgb[0] * (ambient[0] + diffuse[0] * lambert) + specular[0] * gloss),
        strength * (rgb[1] * (ambient[1] + diffuse[1] * lambert) + specular[1] * gloss),
        strength * (rgb[2] * (ambient[2] + diffuse[2] * lambert) + specular[2] * gloss),
    ), open_


@kernel
def openness(m, d, g, point, normal, mine):
    """Share of the light from everywhere that comes to a surface: all of it, see nice_style.py."""
    return 1.0 + 0.0 * point[0]


@kernel
def skylight(m, d, normal):
    """Light of the sky on surfaces: none, see nice_style.py."""
    zero = 0.0 * normal[0]
    return zero, zero, zero


@kernel
def open_share(m, d, g, light, point, to_light, reach, asking):
    """1 where light arrives, 0 in the shadow of another shape or of the shape itself."""
    open_ = select(asking, 1.0, 0.0) + 0.0 * reach
    asking = asking & in_frame(m, d, light, point)
    if not lane_any(asking):
        return open_
    middle, radius = around(point, asking)
    way, length = way_to(m, d, light, middle)
    beam = (middle[0], middle[1], middle[2], radius, way[0], way[1], way[2], length, 0.0)
    return unblocked(m, d, g, point, to_light, reach, asking, open_, beam)


@kernel
def in_frame(m, d, light, point):
    """Points in the frame before a light into which it throws shadows."""
    row, zero = light * (LIGHT // 3), 0.0 * point[0]
    wide = d.lamp[3 * row + 20]
    inside = zero > -1.0
    if wide > 0.0:
        up, across, aim, place = (
            load3(d.lamp, row + 8),
            load3(d.lamp, row + 9),
            load3(d.lamp, row + 1),
            load3(d.lamp, row),
        )
        w = (point[0] - place[0], point[1] - place[1], point[2] - place[2])
        limit = wide + zero
        if d.lamp[3 * row + 21] > 0.0:
            limit = wide * dot3(w, aim)
        inside = (absolute(dot3(w, up)) < limit) & (absolute(dot3(w, across)) < limit)
    return inside


@kernel
def around(point, asking):
    """Middle and radius of a ball around the points of some lanes."""
    box_lo = (
        lane_min(select(asking, point[0], FAR)),
        lane_min(select(asking, point[1], FAR)),
        lane_min(select(asking, point[2], FAR)),
    )
    box_hi = (
        lane_max(select(asking, point[0], -FAR)),
        lane_max(select(asking, point[1], -FAR)),
        lane_max(select(asking, point[2], -FAR)),
    )
    half = scale3(sub3(box_hi, box_lo), 0.5)
    return scale3(add3(box_lo, box_hi), 0.5), sqrt(dot3(half, half))


@kernel
def way_to(m, d, light, middle):
    """Direction and distance of a light."""
    row = light * (LIGHT // 3)
    if m.light_kind[light] == LIGHT_DIRECTIONAL:
        length = FAR
        way = scale3(load3(d.lamp, row + 1), -1.0)
    else:
        way = sub3(load3(d.lamp, row), middle)
        length = sqrt(dot3(way, way))
        way = scale3(way, 1.0 / larger(length, 1e-12))
    return way, length


@kernel
def unblocked(m, d, g, point, to_light, reach, asking, open_, beam):
    """Return `open_` where nothing lies on the way, else 0.

    Args:
        m: the scene.
        d: a thread's work.
        g: shape of the surface.
        point: where rays begin.
        to_light: their directions, unit vectors.
        reach: how far they go.
        asking: lanes that want to know.
        open_: what the others get.
        beam: what holds all rays: middle and radius of a ball around the points, direction and
            length of the way, and by how much the beam widens for each metre.
    """
    middle, radius = (beam[0], beam[1], beam[2]), beam[3]
    way, length, widening = (beam[4], beam[5], beam[6]), beam[7], beam[8]
    # shapes near that way, 16 at a time
    step = 1e-4 * larger(radius, 0.05) + 1e-5 * lane_max(select(asking, absolute(point[0]), 0.0))
    for pack in range(m.npack):
        c = (
            d.caster_ball[4 * pack] - middle[0],
            d.caster_ball[4 * pack + 1] - middle[1],
            d.caster_ball[4 * pack + 2] - middle[2],
        )
        ball = d.caster_ball[4 * pack + 3]
        along = smaller(larger(dot3(c, way), 0.0), length)
        off = (c[0] - way[0] * along, c[1] - way[1] * along, c[2] - way[2] * along)
        room = ball + radius + widening * along
        bits = mask_bits((ball >= 0.0) & (dot3(off, off) <= room * room))
        while bits != 0:
            other = LANES * pack + lowest_bit(bits)
            bits = bits & (bits - 1)
            if other != g or m.convex[g] == 0:
                R = load9(d.turn, other)
                centre = load3(d.centre, other)
                o = mul_matT3(R, (point[0] - centre[0], point[1] - centre[1], point[2] - centre[2]))
                v = mul_matT3(R, to_light)
                end = select(asking & (open_ > 0.0), reach, 0.0)
                # of what is seen from within, light meets the far side
                t, _ = meet(m, d, other, o, v, step + 0.0 * reach, end, d.around[other], ANY)
                open_ = select(asking & (t < reach), 0.0, open_)
                if not lane_any(asking & (open_ > 0.0)):
                    return open_
    return open_
