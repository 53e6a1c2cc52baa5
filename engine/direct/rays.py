"""Rays against the geoms of one world."""

from ..physics.rays.cast import search
from ..simd.kernel import kernel
from ..simd.lanes import load3

# places in `ask`
NRAY, GROUPS, STATIC, EXCLUDE, CULLED, FIRST, LAST = range(7)
TOLD = 5  # numbers of a ray: distance, geom, normal


@kernel
def cast_rays(m, d, c):
    """Nearest hits of rays: given are the cutoff, the start (from the 4th number), directions."""
    point, cutoff = load3(c.given, 1), c.given[0]
    groups, static, exclude = c.ask[GROUPS], c.ask[STATIC], c.ask[EXCLUDE]
    culled, first, last = c.ask[CULLED], c.ask[FIRST], c.ask[LAST]
    for k in range(c.ask[NRAY]):
        direction = load3(c.given, 2 + k)
        x, geom, normal = search(
            m, d, point, direction, exclude, groups, static, culled, cutoff, first, last
        )
        c.told[TOLD * k] = x
        c.told[TOLD * k + 1] = geom
        for axis in range(3):
            c.told[TOLD * k + 2 + axis] = normal[axis]
