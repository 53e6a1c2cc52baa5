"""Colours of textures, lane by lane: linear in the image and between its two best reductions.

Textures lie as bytes (red, green, blue) in one array, level after level; see `textures.py`. Lookups
follow OpenGL: pixel centres are at half integers, 2d textures repeat, cube maps have the faces +x,
-x, +y, -y, +z, -z.
"""

from mjenv.engine.simd.kernel import kernel
from mjenv.engine.simd.lanes import get_lane, lane_any, select, set_lane

SLOT_MASK, SLOT_X, SLOT_Y, SLOT_Z, SLOT_SPREAD = 0, 1, 2, 3, 4  # of d.work, inputs
SLOT_RED, SLOT_GREEN, SLOT_BLUE = 5, 6, 7  # of d.work, results
NWORK = 8


@kernel
def texel(m, at):
    """Colour of one pixel, 0 to 1."""
    s = 1.0 / 255.0
    return (m.texels[at] * s, m.texels[at + 1] * s, m.texels[at + 2] * s)


@kernel
def mix3(a, b, s):
    """a where s is 0, b where s is 1."""
    return (a[0] + (b[0] - a[0]) * s, a[1] + (b[1] - a[1]) * s, a[2] + (b[2] - a[2]) * s)


@kernel
def floor_int(x):
    """Largest integer not above a number."""
    i = int(x)
    if i > x:
        i = i - 1
    return i


@kernel
def wrap(i, n, repeat):
    """Index i within 0 to n-1: repeated, or the nearest edge."""
    if repeat:
        i = i % n
    elif i < 0:
        i = 0
    elif i >= n:
        i = n - 1
    return i


@kernel
def bilinear(m, level, face, u, v, repeat):
    """Colour at (u, v), 0 to 1 over the image, of one face of one level."""
    w = m.level_width[level]
    h = m.level_height[level]
    x = u * w - 0.5
    y = v * h - 0.5
    i = floor_int(x)
    j = floor_int(y)
    left = wrap(i, w, repeat)
    right = wrap(i + 1, w, repeat)
    base = m.level_adr[level] + 3 * w * h * face
    top = base + 3 * w * wrap(j, h, repeat)
    bottom = base + 3 * w * wrap(j + 1, h, repeat)
    a = mix3(texel(m, top + 3 * left), texel(m, top + 3 * right), x - i)
    b = mix3(texel(m, bottom + 3 * left), texel(m, bottom + 3 * right), x - i)
    return mix3(a, b, y - j)


@kernel
def trilinear(m, texture, face, u, v, spread, repeat):
    """Colour of an area that is `spread` pixels of the full image wide.

    The logarithm of the spread is taken as linear between powers of two.
    """
    level = 0
    last = m.texture_levels[texture] - 1
    while spread >= 2.0 and level < last:
        spread = 0.5 * spread
        level = level + 1
    at = m.texture_level0[texture] + level
    colour = bilinear(m, at, face, u, v, repeat)
    if spread > 1.0 and level < last:
        blend = spread - 1.0
        colour = mix3(colour, bilinear(m, at + 1, face, u, v, repeat), min(blend, 1.0))
    return colour


@kernel
def cube_lookup(m, texture, x, y, z, spread):
    """Colour of a cube map in direction (x, y, z); spread is the width of a pixel there."""
    ax, ay, az = abs(x), abs(y), abs(z)
    if ax >= ay and ax >= az:
        face, across, down, ahead = (0, -z, -y, ax) if x > 0.0 else (1, z, -y, ax)
    elif ay >= az:
        face, across, down, ahead = (2, x, z, ay) if y > 0.0 else (3, x, -z, ay)
    else:
        face, across, down, ahead = (4, x, -y, az) if z > 0.0 else (5, -x, -y, az)
    scale = 0.5 / max(ahead, 1e-12)
    width = m.level_width[m.texture_level0[texture]]
    if m.texture_faces[texture] == 1:
        face = 0
    return trilinear(
        m, texture, face, across * scale + 0.5, down * scale + 0.5, spread * scale * width, False
    )


@kernel
def lookup(m, texture, x, y, z, spread):
    """Colour of one texture: at (x, y) of a 2d texture, in direction (x, y, z) of a cube."""
    if m.texture_cube[texture] == 1:
        colour = cube_lookup(m, texture, x, y, z, spread)
    else:
        width = m.level_width[m.texture_level0[texture]]
        colour = trilinear(m, texture, 0, x, y, spread * width, True)
    return colour


@kernel
def texture_colour(m, d, texture, mask, at, spread):
    """Colours of a texture in the lanes where the mask holds.

    Args:
        m: the scene.
        d: a thread's work; overwrites d.work.
        texture: which texture.
        mask: lanes that want a colour; the others get garbage.
        at: texture coordinates or directions.
        spread: width of the pixel in the same units.
    """
    d.work[SLOT_MASK] = select(mask, 1.0, 0.0) + 0.0 * d.work[SLOT_MASK]
    d.work[SLOT_X] = at[0]
    d.work[SLOT_Y] = at[1]
    d.work[SLOT_Z] = at[2]
    d.work[SLOT_SPREAD] = spread
    for lane in range(d.width):
        if get_lane(d.work, SLOT_MASK, lane) > 0.0:
            colour = lookup(
                m,
                texture,
                get_lane(d.work, SLOT_X, lane),
                get_lane(d.work, SLOT_Y, lane),
                get_lane(d.work, SLOT_Z, lane),
                get_lane(d.work, SLOT_SPREAD, lane),
            )
            set_lane(d.work, SLOT_RED, lane, colour[0])
            set_lane(d.work, SLOT_GREEN, lane, colour[1])
            set_lane(d.work, SLOT_BLUE, lane, colour[2])
    return (d.work[SLOT_RED], d.work[SLOT_GREEN], d.work[SLOT_BLUE])


@kernel
def sky_colour(m, d, mask, v):
    """Colours of the sky in directions v; its cube map stands on its side, y up becoming z up."""
    black = 0.0 * v[0]
    colour = (black, black, black)
    if m.sky >= 0 and lane_any(mask):
        colour = texture_colour(m, d, m.sky, mask, (v[0], v[2], -v[1]), m.pixel[0] + black)
    return colour
