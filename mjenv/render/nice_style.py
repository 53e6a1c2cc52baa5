"""The second look: soft shadows, corners that get less light, a sky and a horizon.

Light comes from discs and from the sky, which comes less into corners. Each pixel sends 16 rays
towards both: every sixteenth of a spiral of 256 that the pixels of a pack send together. What they
find is put together, so that flat floors have no grain. Colours end as on film: contrast in the
middle, and a shoulder instead of a cut where it is bright. Pictures depend neither on batches nor
on threads.
"""

from mjenv.engine.simd.elementary import larger, smaller
from mjenv.engine.simd.kernel import kernel, named, replaced, variant
from mjenv.engine.simd.lanes import (
    absolute,
    floor,
    fma,
    get_lane,
    lane_any,
    lane_max,
    lane_min,
    select,
    set_lane,
    sqrt,
    to_ints,
    to_reals,
)
from mjenv.engine.simd.spatial import addscl3, scale3

from .fog_and_haze import fogged, sky
from .layouts import LANES
from .rays import FAR, unit3
from .sampling import mix3
from .shade import (
    around,
    exp2,
    lit,
    paint,
    surface,
    unblocked,
    way_to,
    world_ray,
)
from .tiles import draw, opaque_colour, to_bytes

NRAY = 16  # rays of a pixel towards a light, and out of a corner
ALL = LANES * NRAY  # rays of a pack
SOFTNESS = 0.03  # radius of a light's disc, in its distance
# turns by the golden angle, by four of them, and by sixteen
GOLDEN_X, GOLDEN_Y = -0.7373688780783197, 0.6754902942615238
FOUR_X, FOUR_Y = -0.9847134853154287, -0.17418195037931164
STEP_X, STEP_Y = 0.7646489954560431, 0.6444469828838243
CORNER = 0.85  # largest share of light that a corner takes
CLEARNESS = 0.4  # distance at which air has taken half of a colour, in the far plane's
EVEN = 0.1  # shares of light in a pack that are so near a plane (root mean square) are on it
ALIKE = 0.6  # those in four pixels that differ by less are one
LEVEL = 0.02  # slope of a pack's light from the sky, from pixel to pixel, that is none
SPREAD = 1.25  # mean square of 0 to 3 around their middle

# colours overhead, at the horizon, below it and straight down
ZENITH_R, ZENITH_G, ZENITH_B = 0.25, 0.45, 0.75
STEEP = 0.35  # how soon the sky gets blue: smaller is sooner
HORIZON_R, HORIZON_G, HORIZON_B = 0.82, 0.89, 0.97
NADIR_R, NADIR_G, NADIR_B = 0.66, 0.70, 0.75

TINT_R, TINT_G, TINT_B = 0.93, 1.0, 1.1  # of the sky's light
GROUNDLIGHT = 0.35  # share of it that comes from below
CONTRAST = 0.28  # how much steeper the middle of the colours is
SHOULDER = 0.75  # where bright colours begin to be held back


@kernel
def part_of(d):
    """Return the row of 16 rays that a pixel sends; in a square of two by two, every fourth."""
    column, row = to_ints(d.lane[0]), to_ints(d.lane[1])
    within, square = (column & 1) + 2 * (row & 1), (column >> 1) + 2 * (row >> 1)
    return to_reals(4 * within + square)


@kernel
def start(part):
    """Cosine and sine of none to fifteen golden angles."""
    fours = floor(0.25 * part)
    ax, ay = up_to_three(part - 4.0 * fours, GOLDEN_X, GOLDEN_Y)
    bx, by = up_to_three(fours, FOUR_X, FOUR_Y)
    return ax * bx - ay * by, ax * by + ay * bx


@kernel
def up_to_three(count, x1, y1):
    """Cosine and sine of none to three times an angle with these."""
    x2, y2 = x1 * x1 - y1 * y1, 2.0 * x1 * y1
    x3, y3 = x2 * x1 - y2 * y1, x2 * y1 + y2 * x1
    zero = 0.0 * count
    x = select(count < 0.5, 1.0, select(count < 1.5, x1, select(count < 2.5, x2, x3 + zero)))
    y = select(count < 0.5, 0.0, select(count < 1.5, y1, select(count < 2.5, y2, y3 + zero)))
    return x, y


@kernel
def together(d, share, mine, chance):
    """Combine the shares of light that the pixels of a pack have found.

    Where it lies about on a plane, it is on the plane; else it is the mean in squares of two by two
    pixels, of what is alike.

    Args:
        d: a thread's work.
        share: shares of light.
        mine: lanes that have found some.
        chance: slope (of a share, from pixel to pixel) up to which a plane is level, for rays alone
            may have given it that.
    """
    if lane_max(select(mine, share, 0.0)) - lane_min(select(mine, share, 1.0)) < 0.001:
        return share
    d.paint[5], d.paint[6] = select(mine, 1.0, 0.0) + 0.0 * share, select(mine, share, 0.0)
    # a plane through all
    count, total, across, down, square = 0.0, 0.0, 0.0, 0.0, 0.0
    for lane in range(LANES):
        found = get_lane(d.paint, 6, lane)
        count += get_lane(d.paint, 5, lane)
        total += found
        square += found * found
        across += found * ((lane & 3) - 1.5)
        down += found * ((lane >> 2) - 1.5)
    mean, across, down = total / LANES, across / (LANES * SPREAD), down / (LANES * SPREAD)
    off = square / LANES - mean * mean - SPREAD * (across * across + down * down)
    if count == LANES and off < EVEN * EVEN:
        across *= larger(1.0 - chance * chance / larger(across * across, 1e-12), 0.0)
        down *= larger(1.0 - chance * chance / larger(down * down, 1e-12), 0.0)
        plane = mean + across * (d.lane[0] - 1.5) + down * (d.lane[1] - 1.5)
        return larger(smaller(plane, 1.0), 0.0)
    # or squares
    for lane in range(LANES):
        own, total, count = get_lane(d.paint, 6, lane), 0.0, 0.0
        for k in range(4):
            other = lane ^ ((k & 1) + 4 * (k >> 1))
            found = get_lane(d.paint, 6, other)
            near = get_lane(d.paint, 5, other) > 0.0 and abs(found - own) < ALIKE
            total += found if near else 0.0
            count += 1.0 if near else 0.0
        set_lane(d.paint, 7, lane, total / count if count > 0.0 else own)
    return select(mine, d.paint[7], share)


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
    part = part_of(d)
    x, y = start(part)
    for ray in range(NRAY):
        # a spiral that fills the disc
        wide = SOFTNESS * sqrt((part + (LANES * ray + 0.5)) * (1.0 / ALL))
        aim = addscl3(to_light, first, wide * x)
        aim = unit3(addscl3(aim, second, wide * y))
        total = total + unblocked(m, d, g, point, aim, reach, asking, zero + 1.0, beam)
        x, y = x * STEP_X - y * STEP_Y, x * STEP_Y + y * STEP_X
    return select(asking, together(d, total * (1.0 / NRAY), asking, 0.0), zero)


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
    part = part_of(d)
    x, y = start(part)
    for ray in range(NRAY):
        # as many rays along the normal as light comes from there
        share = (part + (LANES * ray + 0.5)) * (1.0 / ALL)
        wide, up = sqrt(share), sqrt(1.0 - share)
        aim = addscl3(scale3(normal, up), first, wide * x)
        aim = addscl3(aim, second, wide * y)
        total = total + unblocked(m, d, g, point, aim, distance + zero, mine, zero + 1.0, beam)
        x, y = x * STEP_X - y * STEP_Y, x * STEP_Y + y * STEP_X
    return 1.0 - CORNER * (1.0 - together(d, total * (1.0 / NRAY), mine, LEVEL))


@kernel
def nice_skylight(m, d, normal):
    """Light of the sky, and less of it from the ground."""
    up = fma(0.5 - 0.5 * GROUNDLIGHT, normal[2], 0.5 + 0.5 * GROUNDLIGHT)
    return up * TINT_R * m.skylight[0], up * TINT_G * m.skylight[1], up * TINT_B * m.skylight[2]


@kernel
def nice_sky(m, d, a, b):
    """The model's sky, or a blue one that is bright at the horizon."""
    if m.sky >= 0:
        return sky(m, d, a, b)
    _, v = world_ray(m, d, 0 * m.nshape, a, b)
    v = unit3(v)
    high, low = larger(v[2], 0.0), larger(-v[2], 0.0)
    zero = 0.0 * a
    # steep at first
    share = high * (1.0 + STEEP) / (high + STEEP)
    seen = mix3(horizon(a), (ZENITH_R + zero, ZENITH_G + zero, ZENITH_B + zero), share)
    share = low * (1.0 + STEEP) / (low + STEEP)
    seen = mix3(seen, (NADIR_R + zero, NADIR_G + zero, NADIR_B + zero), share)
    if m.fog == 1:
        seen = fogged(m, seen, FAR + zero)
    return seen


@kernel
def horizon(a):
    """Colour of the sky at the horizon, in all lanes."""
    zero = 0.0 * a
    return (HORIZON_R + zero, HORIZON_G + zero, HORIZON_B + zero)


@kernel
def nice_fog_and_haze(m, d, view, seen, t):
    """Colours through the air, where the model has no sky of its own: clear but for what is far."""
    if m.sky >= 0:
        return seen
    far = t * (1.0 / (CLEARNESS * d.lens[3]))
    lost = 1.0 - exp2(-far * far)
    # before a mirror's image there is the mirror's own air
    share = 1.0 - view
    return mix3(seen, scale3(horizon(t), share), lost)


@kernel
def unclamped(c):
    """Colours as bright as they are."""
    return c


@kernel
def film(x):
    """Bytes of colours (1 is 255) with more contrast, and a shoulder where they are bright."""
    x = larger(x * (1.0 / 255.0), 0.0)
    over = larger(x - SHOULDER, 0.0) * (1.0 / (1.0 - SHOULDER))
    x = smaller(x, SHOULDER) + (1.0 - SHOULDER) * (over / (1.0 + absolute(over)))
    x = fma(CONTRAST, x * x * (3.0 - 2.0 * x) - x, x)
    return to_ints(smaller(x * 255.0, 255.0) + 0.5)


paint_nice = named(
    globals(),
    "paint_nice",
    variant(
        paint,
        surface=variant(
            surface,
            NICE=1,
            clamp3=unclamped,
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
        {
            sky: nice_sky,
            opaque_colour: variant(opaque_colour, NICE=1, through_air=nice_fog_and_haze),
            to_bytes: film,
        },
    ),
)
