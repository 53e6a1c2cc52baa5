"""Colours of textures: linear in the image and between two of its reductions.

Texels lie as four bytes (red, green, blue, alpha) in one array, level after level; see
`textures.py`. Lookups follow OpenGL: texel centres are at half integers, 2d textures repeat, cube
maps have the faces +x, -x, +y, -y, +z, -z. A pack takes one pair of levels, or, where pixels of one
pack cover very different numbers of texels, each lane its own.
"""

from mjenv.engine.simd.elementary import larger, smaller
from mjenv.engine.simd.kernel import kernel
from mjenv.engine.simd.lanes import (
    absolute,
    floor,
    fma,
    gather_ints,
    lane_any,
    select,
    to_ints,
    to_reals,
)
from mjenv.engine.simd.spatial import addscl3, scale3

BYTE = 1.0 / 255.0


@kernel
def mix3(a, b, share):
    """a, moved towards b by a share."""
    return (
        fma(share, b[0] - a[0], a[0]),
        fma(share, b[1] - a[1], a[1]),
        fma(share, b[2] - a[2], a[2]),
    )


@kernel
def texel(m, index):
    """Red, green and blue of texels, 0 to 255."""
    word = gather_ints(m.texels, index)
    return (
        to_reals(word & 255),
        to_reals((word >> 8) & 255),
        to_reals((word >> 16) & 255),
    )


@kernel
def bilinear(m, level, u, v, face, repeats):
    """Colour of one level.

    Args:
        m: the scene.
        level: index of the level.
        u: to the right, 1 is the width.
        v: downwards, 1 is the height.
        face: face of a cube map, per lane; 0 elsewhere.
        repeats: 1 where the image repeats, 0 where its border goes on.
    """
    width, height = m.level_width[level], m.level_height[level]
    w, h = 1.0 * width, 1.0 * height
    if repeats == 1:
        u, v = u - floor(u), v - floor(v)
    x, y = fma(u, w, -0.5), fma(v, h, -0.5)
    left, upper = floor(x), floor(y)
    a, b = x - left, y - upper
    right, lower = left + 1.0, upper + 1.0
    if repeats == 1:
        left, upper = select(left < 0.0, w - 1.0, left), select(upper < 0.0, h - 1.0, upper)
        right, lower = select(right >= w, 0.0, right), select(lower >= h, 0.0, lower)
    # never outside, whatever the coordinates are
    left, upper = larger(smaller(left, w - 1.0), 0.0), larger(smaller(upper, h - 1.0), 0.0)
    right, lower = larger(smaller(right, w - 1.0), 0.0), larger(smaller(lower, h - 1.0), 0.0)
    start = face * (width * height) + m.level_adr[level]
    row0, row1 = start + to_ints(upper) * width, start + to_ints(lower) * width
    column0, column1 = to_ints(left), to_ints(right)
    top = mix3(texel(m, row0 + column0), texel(m, row0 + column1), a)
    bottom = mix3(texel(m, row1 + column0), texel(m, row1 + column1), a)
    return scale3(mix3(top, bottom, b), BYTE)


@kernel
def lookup(m, texture, u, v, face, repeats, spread):
    """Colour of a texture between the two levels that suit a pixel of `spread` texels."""
    level, last = 0, m.texture_levels[texture] - 1
    while spread > 1.0 and level < last:
        spread *= 0.5
        level += 1
    first = m.texture_level0[texture]
    colour = bilinear(m, first + level, u, v, face, repeats)
    if level > 0 and spread < 0.95:
        finer = bilinear(m, first + level - 1, u, v, face, repeats)
        colour = mix3(finer, colour, 2.0 * spread - 1.0 + 0.0 * u)
    return colour


@kernel
def lookup_each(m, texture, u, v, face, spread):
    """Colour of a texture between the two levels that suit each lane's own spread.

    Args:
        m: the scene.
        texture: which one; its border goes on.
        u: to the right, 1 is the width.
        v: downwards, 1 is the height.
        face: face of a cube map; 0 elsewhere.
        spread: texels of the first level that a pixel covers; not above 0 in lanes that want none.
    """
    zero = 0.0 * u
    colour = (zero, zero, zero)
    first, last = m.texture_level0[texture], m.texture_levels[texture] - 1
    scale = 1.0
    for level in range(last + 1):
        # a level counts from half to twice the spread of which a texel is a pixel
        x = spread * scale
        rising, falling = fma(2.0, x, -1.0), 2.0 - x
        if level == 0:
            rising = zero + 1.0
        if level == last:
            falling = zero + 1.0
        weight = larger(smaller(smaller(rising, falling), 1.0), 0.0)
        weight = select(spread > 0.0, weight, 0.0)
        if lane_any(weight > 0.0):
            colour = addscl3(colour, bilinear(m, first + level, u, v, face, 0 * level), weight)
        scale *= 0.5
    return colour


@kernel
def on_cube(x, y, z):
    """Place at which a direction meets a cube map (Khronos, OpenGL 4.6, table 8.19).

    Returns:
        (u, v, number of the face).
    """
    ax, ay, az = absolute(x), absolute(y), absolute(z)
    on_x = (ax >= ay) & (ax >= az)
    on_y = (ay > ax) & (ay >= az)
    major = 1.0 / larger(select(on_x, ax, select(on_y, ay, az)), 1e-20)
    s = select(on_x, select(x > 0.0, -z, z), select(on_y, x, select(z > 0.0, x, -x)))
    t = select(on_y, select(y > 0.0, z, -z), -y)
    # negative faces follow the positive ones
    pair = select(on_x, 0.0, select(on_y, 2.0, 4.0))
    ahead = select(on_x, x, select(on_y, y, z))
    face = to_ints(pair + select(ahead > 0.0, 0.0, 1.0))
    return fma(0.5 * s, major, 0.5), fma(0.5 * t, major, 0.5), face


@kernel
def on_cube_pace(q, pace):
    """Speed of places on a cube map, in halves of a face, as directions change their parts.

    A part beside the largest counts in the largest part's length; the largest itself moves places
    by as much as they are away from the middle of the face.

    Args:
        q: directions.
        pace: of each part.
    """
    x, y, z = absolute(q[0]), absolute(q[1]), absolute(q[2])
    major = larger(larger(x, larger(y, z)), 1e-20)
    aside = larger(smaller(x, y), smaller(larger(x, y), z)) / major
    fastest = larger(
        larger(
            select(x >= major, aside * pace[0], pace[0]),
            select(y >= major, aside * pace[1], pace[1]),
        ),
        select(z >= major, aside * pace[2], pace[2]),
    )
    return fastest / major
