"""The picture: what each pixel's rays meet, how it is lit, and what is mirrored there.

Lanes are neighbouring pixels of a row. Two rays through each pixel, four where they meet different
things, give smooth edges. Light follows
MuJoCo's classic model: emission, then for every light ambient, diffuse (Lambert) and specular
(Blinn) parts, with hard shadows.
"""

from mjenv.engine.simd.elementary import power
from mjenv.engine.simd.kernel import kernel
from mjenv.engine.simd.lanes import (
    absolute,
    get_lane,
    lane_any,
    load3,
    next_pack,
    select,
    sqrt,
    zero_like,
)
from mjenv.engine.simd.spatial import add3, addscl3, dot3, scale3, select3, sub3

from .rays import (
    FAR,
    enter,
    local_normal,
    near_bound,
    open_share,
    to_local,
    to_world_direction,
    unit3,
)
from .sampling import sky_colour, texture_colour

EPSILON = 1e-6  # distance by which rays leave a surface (m)
LIGHT_DIRECTIONAL = 1


@kernel
def draw(m, d):
    """Draw packs of pixels until none is left.

    Reads: the scene.
    Writes: rgb, depth of the picture.
    """
    npack = m.across * m.height
    pack = next_pack(m.counter)
    while pack < npack:
        draw_pack(m, d, pack // m.across, (pack % m.across) * m.width)
        pack = next_pack(m.counter)


@kernel
def draw_pack(m, d, row, column):
    """Colour and depth of the pixels of one pack."""
    x, y = d.lane[0] + 1.0 * column, 1.0 * row + zero_like(d.lane)
    first, hit1, depth = sample(m, d, x + 0.25, y + 0.25)
    second, hit2, _ = sample(m, d, x + 0.75, y + 0.75)
    colour, weight = add3(first, second), 0.5
    neighbour = get_lane_value(d, hit1)
    if lane_any((hit1 != hit2) | (hit1 != neighbour)):
        third, _, _ = sample(m, d, x + 0.75, y + 0.25)
        fourth, _, _ = sample(m, d, x + 0.25, y + 0.75)
        colour, weight = add3(colour, add3(third, fourth)), 0.25
    for k in range(3):
        value = colour[k] * (255.0 * weight)
        value = select(value < 0.0, 0.0, select(value > 255.0, 255.0, value)) + 0.5
        d.out[k] = value
    d.out[3] = depth
    for lane in range(m.width):
        if column + lane < m.columns:
            pixel = row * m.columns + column + lane
            for k in range(3):
                m.rgb[3 * pixel + k] = int(get_lane(d.out, k, lane))
            m.depth[pixel] = get_lane(d.out, 3, lane)


@kernel
def get_lane_value(d, x):
    """The value of the first lane, in all lanes."""
    d.out[0] = x
    return get_lane(d.out, 0, 0) + 0.0 * x


@kernel
def sample(m, d, x, y):
    """Colour, shape and depth along the rays through points of the image plane."""
    a, b = (x - m.centre[0]) * m.scale[0], (m.centre[1] - y) * m.scale[0]
    right, up, forward, eye = (
        load3(m.frame, 0),
        load3(m.frame, 1),
        load3(m.frame, 2),
        load3(m.frame, 3),
    )
    direction = addscl3(addscl3(forward, right, a), up, b)
    length = sqrt(dot3(direction, direction))
    v = scale3(direction, 1.0 / length)
    zero = 0.0 * x
    o = (eye[0] + zero, eye[1] + zero, eye[2] + zero)
    everywhere = x >= -1.0
    colour, t, hit, mirror, normal = look(m, d, o, v, everywhere, m.near[0])
    if lane_any(mirror > 0.0):
        point = addscl3(o, v, t)
        out = addscl3(v, normal, -2.0 * dot3(v, normal))
        seen, _, _, _, _ = look(m, d, addscl3(point, normal, EPSILON), out, mirror > 0.0, 0.0)
        for_mirror = select3(mirror > 0.0, seen, colour)
        colour = add3(scale3(colour, 1.0 - mirror), scale3(for_mirror, mirror))
    # depth along the optical axis
    far = m.far[0]
    deep = t / length
    return colour, hit, select(deep < far, deep, far)


@kernel
def look(m, d, o, v, asking, tmin):
    """What rays see: colour, distance, shape, share that is mirrored, and the normal."""
    zero = 0.0 * v[0]
    t, hit = FAR + zero, zero - 1.0
    for g in range(m.nshape):
        if lane_any(near_bound(m, g, o, v) & asking):
            s = enter(m, g, o, v, tmin)
            closer = s < t
            t, hit = select(closer, s, t), select(closer, 1.0 * g, hit)
    sky = hit < 0.0
    colour, mirror, normal = (zero, zero, zero), zero, (zero, zero, zero + 1.0)
    if lane_any(sky & asking):
        colour = sky_colour(m, d, sky, v)
    point = addscl3(o, v, select(sky, 0.0, t))
    for g in range(m.nshape):
        mine = hit == 1.0 * g
        if lane_any(mine & asking):
            local = to_local(m, g, point)
            n = to_world_direction(m, g, local_normal(m, g, local))
            n = select3(dot3(n, v) > 0.0, scale3(n, -1.0), n)
            shade = lit(m, d, g, point, local, n, v, t, mine & asking)
            colour = select3(mine, shade, colour)
            normal = select3(mine, n, normal)
            mirror = select(mine, m.shape_mirror[g], mirror)
    return colour, t, hit, mirror, normal


@kernel
def surface(m, d, g, local, t, mask):
    """Colour of the material at points of a shape."""
    zero = 0.0 * t
    colour = (
        m.shape_rgba[4 * g] + zero,
        m.shape_rgba[4 * g + 1] + zero,
        m.shape_rgba[4 * g + 2] + zero,
    )
    texture = m.shape_texture[g]
    if texture >= 0:
        s, shift = load3(m.shape_texscale, g), load3(m.shape_texshift, g)
        at = (local[0] * s[0] + shift[0], local[1] * s[1] + shift[1], local[2] * s[2] + shift[2])
        spread = absolute(t * m.scale[0] * s[0])
        paint = texture_colour(m, d, texture, mask, at, spread)
        colour = (colour[0] * paint[0], colour[1] * paint[1], colour[2] * paint[2])
    return colour


@kernel
def lit(m, d, g, point, local, normal, v, t, mask):
    """Colour of lit points of a shape."""
    # surface, and the light that it gives itself
    base = surface(m, d, g, local, t, mask)
    colour = scale3(base, m.shape_emission[g])
    start = addscl3(point, normal, EPSILON)
    for light in range(m.nlight):
        # direction and distance of the light
        pos, aim = load3(m.light_pos, light), load3(m.light_dir, light)
        if m.light_kind[light] == LIGHT_DIRECTIONAL:
            zero = 0.0 * t
            to_light, reach = (zero - aim[0], zero - aim[1], zero - aim[2]), FAR + zero
        else:
            to_light = sub3(pos, point)
            reach = sqrt(dot3(to_light, to_light))
            to_light = unit3(to_light)
        # how much of it arrives: cone, shadow
        share = cone_share(m, light, to_light, reach)
        facing = dot3(normal, to_light)
        shining = mask & (facing > 0.0) & (share > 0.0)
        open_ = select(shining, 1.0, 0.0)
        if m.light_shadow[light] and lane_any(shining):
            open_ = open_share(m, start, to_light, 0.0, reach, shining)
        strength = share * open_
        # diffuse and specular parts
        diffuse = select(shining, facing * strength, 0.0)
        gloss = select(shining, strength, 0.0) * glint(m, g, normal, to_light, v, shining)
        ambient, bright, shine = (
            load3(m.light_ambient, light),
            load3(m.light_diffuse, light),
            load3(m.light_specular, light),
        )
        colour = (
            colour[0] + base[0] * (ambient[0] * share + bright[0] * diffuse) + shine[0] * gloss,
            colour[1] + base[1] * (ambient[1] * share + bright[1] * diffuse) + shine[1] * gloss,
            colour[2] + base[2] * (ambient[2] * share + bright[2] * diffuse) + shine[2] * gloss,
        )
    return colour


@kernel
def glint(m, g, normal, to_light, v, mask):
    """Specular part of a surface: Blinn's half-way vector."""
    specular = m.shape_specular[g]
    zero = 0.0 * v[0]
    if specular <= 0.0 or not lane_any(mask):
        return zero
    half = unit3(sub3(to_light, v))
    facing = dot3(normal, half)
    facing = select(facing > 0.0, facing, 0.0)
    return specular * power(facing, m.shape_shininess[g] + zero)


@kernel
def cone_share(m, light, to_light, reach):
    """Light that arrives at a distance: attenuation, and the cone of a spot light."""
    zero = 0.0 * reach
    if m.light_kind[light] == LIGHT_DIRECTIONAL:
        return zero + 1.0
    a = load3(m.light_attenuation, light)
    share = 1.0 / (a[0] + reach * (a[1] + reach * a[2]))
    if m.light_cutoff[light] > -1.0:
        aim = load3(m.light_dir, light)
        along = -dot3(to_light, aim)
        inside = along > m.light_cutoff[light]
        cone = select(inside, along, 1.0)
        share = select(inside, share * power(cone, m.light_exponent[light] + zero), 0.0)
    return share
