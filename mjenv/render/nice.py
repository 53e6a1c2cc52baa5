"""The second look: soft shadows, corners that get less light, a sky and a horizon.

Light comes from discs, and what comes from everywhere (ambient light, and lights without shadows)
comes less into corners. Rays towards both are spread over a spiral that every pixel turns by an
angle of its own, so that neighbours share the error. Pictures depend neither on batches nor on
threads.
"""

from mjenv.engine.simd.elementary import larger
from mjenv.engine.simd.kernel import kernel, named, replaced, variant
from mjenv.engine.simd.lanes import floor, fma, lane_any, load3, select, sqrt
from mjenv.engine.simd.spatial import addscl3, dot3, scale3

from .air import fogged, sky
from .rays import FAR, unit3
from .sampling import mix3
from .shade import around, exp2, lit, paint, surface, unblocked, way_to, world_ray
from .tiles import draw, opaque_colour

NRAY = 16  # rays of a pixel towards a light, and out of a corner
SOFTNESS = 0.025  # radius of a light's disc, in its distance
GOLDEN_X, GOLDEN_Y = -0.7373688780783197, 0.6754902942615238  # a turn by the golden angle
CORNER = 0.8  # largest share of light that a corner takes
CLEARNESS = 0.2  # distance at which air has taken half of a colour, in the far plane's

# colours overhead, at the horizon and below it
ZENITH_R, ZENITH_G, ZENITH_B = 0.30, 0.50, 0.80
STEEP = 0.3  # how soon the sky gets blue: smaller is sooner
HORIZON_R, HORIZON_G, HORIZON_B = 0.83, 0.89, 0.95

FILL_R, FILL_G, FILL_B = 0.22, 0.25, 0.29  # light of the sky
GROUNDLIGHT = 0.4  # share of it that comes from below


@kernel
def noise(m, d, point, x, y):
    """A number from 0 to 1 for each pixel, evenly spread among neighbours (Jimenez, 2014)."""
    ahead = dot3(point, load3(d.sight, 3))
    if m.ortho == 1:
        ahead = 0.0 * ahead + 1.0
    scale = 1.0 / (larger(ahead, 1e-6) * d.lens[0])
    across = floor(dot3(point, load3(d.sight, 1)) * scale)
    down = floor(dot3(point, load3(d.sight, 2)) * scale)
    inner = fma(across, x, down * y)
    inner = 52.9829189 * (inner - floor(inner))
    return inner - floor(inner)


@kernel
def turn(m, d, point):
    """Cosine and sine of the angle by which a pixel turns its rays."""
    x = noise(m, d, point, 0.06711056, 0.00583715) - 0.5
    y = noise(m, d, point, 0.00583715, 0.06711056) - 0.5
    v = unit3((x, y, 0.0 * x + 1e-6))
    return v[0], v[1]


@kernel
def beside(n):
    """Two unit vectors that are normal to unit vectors and to each other (Duff et al., 2017)."""
    sign = select(n[2] < 0.0, -1.0, 1.0)
    a = -1.0 / (sign + n[2])
    b = n[0] * n[1] * a
    return (
        (1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]),
        (b, sign + n[1] * n[1] * a, -n[1]),
    )


@kernel
def soft_share(m, d, g, light, point, to_light, reach, asking):
    """Share of a light's disc that is seen from a surface."""
    zero = 0.0 * reach
    total = zero
    middle, radius = around(point, asking)
    way, length = way_to(m, d, light, middle)
    beam = (middle[0], middle[1], middle[2], radius, way[0], way[1], way[2], length, SOFTNESS)
    first, second = beside(to_light)
    ca, sa = turn(m, d, point)
    x, y = 1.0, 0.0
    for ray in range(NRAY):
        # a spiral that fills the disc
        wide = SOFTNESS * sqrt((ray + 0.5) / NRAY)
        x, y = x * GOLDEN_X - y * GOLDEN_Y, x * GOLDEN_Y + y * GOLDEN_X
        aim = addscl3(to_light, first, wide * (x * ca - y * sa))
        aim = unit3(addscl3(aim, second, wide * (x * sa + y * ca)))
        total = total + unblocked(m, d, g, point, aim, reach, asking, zero + 1.0, beam)
    return select(asking, total / NRAY, zero)


@kernel
def soft_openness(m, d, g, point, normal, mine):
    """Share of the half space over a surface in which nothing is near."""
    zero = 0.0 * point[0]
    if not lane_any(mine):
        return zero + 1.0
    distance = m.corner_reach[0]
    total = zero
    middle, radius = around(point, mine)
    beam = (middle[0], middle[1], middle[2], radius + distance, 0.0, 0.0, 0.0, 0.0, 0.0)
    first, second = beside(normal)
    ca, sa = turn(m, d, point)
    x, y = 1.0, 0.0
    for ray in range(NRAY):
        # as many rays along the normal as light comes from there
        share = (ray + 0.5) / NRAY
        wide, up = sqrt(share), sqrt(1.0 - share)
        x, y = x * GOLDEN_X - y * GOLDEN_Y, x * GOLDEN_Y + y * GOLDEN_X
        aim = addscl3(scale3(normal, up), first, wide * (x * ca - y * sa))
        aim = addscl3(aim, second, wide * (x * sa + y * ca))
        total = total + unblocked(m, d, g, point, aim, distance + zero, mine, zero + 1.0, beam)
    return 1.0 - CORNER * (1.0 - total / NRAY)


@kernel
def nice_skylight(m, d, normal):
    """Light of the sky, and less of it from the ground."""
    up = fma(0.5 - 0.5 * GROUNDLIGHT, normal[2], 0.5 + 0.5 * GROUNDLIGHT)
    return up * FILL_R, up * FILL_G, up * FILL_B


@kernel
def nice_sky(m, d, a, b):
    """The model's sky, or a blue one that is bright at the horizon."""
    if m.sky >= 0:
        return sky(m, d, a, b)
    _, v = world_ray(m, d, 0 * m.nshape, a, b)
    v = unit3(v)
    high = larger(v[2], 0.0)
    # steep at first
    share = high * (1.0 + STEEP) / (high + STEEP)
    seen = mix3(horizon(a), (ZENITH_R + 0.0 * a, ZENITH_G + 0.0 * a, ZENITH_B + 0.0 * a), share)
    if m.fog == 1:
        seen = fogged(m, seen, FAR + 0.0 * a)
    return seen


@kernel
def horizon(a):
    """Colour of the sky at the horizon, in all lanes."""
    zero = 0.0 * a
    return (HORIZON_R + zero, HORIZON_G + zero, HORIZON_B + zero)


@kernel
def nice_air(m, d, seen, t):
    """Colours through the air, where the model has no sky of its own."""
    if m.sky >= 0:
        return seen
    lost = 1.0 - exp2(-t / (CLEARNESS * d.lens[3]))
    return mix3(seen, horizon(t), lost)


paint_nice = named(
    globals(),
    "paint_nice",
    variant(
        paint,
        surface=variant(
            surface,
            NICE=1,
            openness=soft_openness,
            skylight=nice_skylight,
            lit=variant(lit, NICE=1, open_share=soft_share),
        ),
    ),
)
draw_nice = named(
    globals(),
    "draw_nice",
    replaced(
        draw,
        {sky: nice_sky, opaque_colour: variant(opaque_colour, NICE=1, through_air=nice_air)},
    ),
)
