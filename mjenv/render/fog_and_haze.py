"""The background and the air: the sky, fog, haze over the horizon."""

from mjenv.engine.simd.elementary import larger, smaller
from mjenv.engine.simd.kernel import kernel
from mjenv.engine.simd.lanes import fma, select, sqrt

from .rays import FAR
from .sampling import lookup, mix3, on_cube
from .shade import local_ray, world_ray

DOME = 0.7  # radius of the sky, and half its height, in the far plane's distance


@kernel
def sky(m, d, a, b):
    """Colours of the sky; its cube map stands on its side, y up becoming z up."""
    zero = 0.0 * a
    colour = (zero, zero, zero)
    if m.sky >= 0:
        _, v = world_ray(m, d, 0 * m.nshape, a, b)
        spread = 0.5 * m.level_width[m.texture_level0[m.sky]] * d.lens[0]
        x, y, face = on_cube(v[0], v[2], -v[1])
        repeats = 0 * m.sky
        colour = lookup(m, m.sky, x, y, face * m.texture_cube[m.sky], repeats, spread)
        if m.fog == 1:
            wide, high = flat_and_steep(v)
            colour = fogged(m, colour, DOME * d.lens[3] / sqrt(larger(larger(wide, high), 1e-18)))
    return colour


@kernel
def flat_and_steep(v):
    """Squares of the horizontal and of the vertical part of directions."""
    return fma(v[0], v[0], v[1] * v[1]), v[2] * v[2]


@kernel
def before_sky(m, d, a, b, t):
    """Lanes that see something before the sky, which is an upright cylinder around the eye."""
    _, v = world_ray(m, d, 0 * m.nshape, a, b)
    wide, high = flat_and_steep(v)
    far = DOME * d.lens[3]
    before = t * t * larger(wide, high) < far * far
    if m.sky < 0 or m.ortho == 1:
        before = t < FAR
    return before


@kernel
def fogged(m, colour, t):
    """Colours through fog, which begins and ends at a distance."""
    share = (t - m.fog_range[0]) / (m.fog_range[1] - m.fog_range[0])
    share = larger(smaller(share, 1.0), 0.0)
    return mix3(colour, (m.fog_range[2] + 0.0 * t, m.fog_range[3] + 0.0 * t,
                         m.fog_range[4] + 0.0 * t), share)  # fmt: skip


@kernel
def hazed(m, d, a, b, t, colour):
    """Colours through the haze over the horizon of an endless plane.

    Haze is a ring around the eye, between 0.7 of the far plane's distance at the horizon and less
    below it: clear at both rims, dense where its width says.
    """
    g = m.haze_shape
    far = DOME * d.lens[3]
    view = 0 * m.nshape
    _, v = local_ray(m, d, view, g, a, b)
    level = d.centre[3 * g] * d.turn[9 * g + 2] + d.centre[3 * g + 1] * d.turn[9 * g + 5]
    level = -(level + d.centre[3 * g + 2] * d.turn[9 * g + 8]) / far
    width = m.haze[0]
    if level < 0.0 or width <= 0.0:
        return colour
    flat = sqrt(larger(fma(v[0], v[0], v[1] * v[1]), 1e-18))
    slope = -v[2] / flat
    depth = slope / larger(level + width * slope, 1e-12)
    dense = m.haze[4]
    share = select(depth < 1.0 - dense, depth / (1.0 - dense), (1.0 - depth) / dense)
    share = larger(smaller(share, 1.0), 0.0)
    # of things in front of it nothing is lost
    distance = far * (1.0 - width * depth) / flat
    share = select((slope > 0.0) & (depth < 1.0) & (t > distance), share, 0.0)
    zero = 0.0 * a
    haze = (m.haze[1] + zero, m.haze[2] + zero, m.haze[3] + zero)
    if m.fog == 1:
        haze = fogged(m, haze, distance)
    return mix3(colour, haze, share)
