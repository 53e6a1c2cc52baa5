"""Distance of two convex geoms: the Gilbert-Johnson-Keerthi algorithm.

The point of the difference of the geoms that lies nearest to the origin is found by simplices of
up to four support points. Sub-distances are those of signed volumes (Montanari, Petrinic and
Barbieri: Improving the GJK algorithm for faster and more reliable distance queries between convex
objects, 2017).
"""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, load3, sqrt, store
from ...simd.spatial import add3, cross, sub3
from ...tables.enums import MINVAL
from .simplex import (
    FAR,
    LARGE2,
    combine3,
    parts_of_tetrahedron,
    same_sign,
    weights2,
    weights3,
)
from .support import SMALL2, copy_vertex, discrete, inner, support, times, vertex

TRIAL = 4  # vertices 0 to 3 are the simplex, 4 to 7 a trial simplex, those from 8 on the polytope
# corners of the faces of a simplex, each opposite to the vertex of its row, normals outward
OPPOSITE = (2, 1, 3, 0, 2, 3, 1, 0, 3, 0, 1, 2)
COUNTS = 8  # numbers of each polytope in ccd_count; those of searches stand with the first
# indices into ccd_count
SIMPLEX, POINTS, ITERATIONS, NVERT, NFACE, NMAP, NEDGE = range(7)


@kernel
def weights4(a, b, c, e):
    """Weights of the point of a tetrahedron that is nearest to the origin."""
    # signed volumes of the tetrahedron, and of its parts with the origin
    part0, part1, part2, part3 = parts_of_tetrahedron(a, b, c, e)
    whole = part0 + part1 + part2 + part3
    in0, in1 = same_sign(whole, part0), same_sign(whole, part1)
    in2, in3 = same_sign(whole, part2), same_sign(whole, part3)
    if in0 and in1 and in2 and in3:
        return (part0 / whole, part1 / whole, part2 / whole, part3 / whole)
    # the best of the faces that the origin lies beyond
    least, best = FAR, (0.0, 0.0, 0.0, 0.0)
    if not in0:
        w = weights3(b, c, e)
        x = combine3(w, b, c, e)
        least, best = inner(x, x), (0.0, w[0], w[1], w[2])
    if not in1:
        w = weights3(a, c, e)
        x = combine3(w, a, c, e)
        if inner(x, x) < least:
            least, best = inner(x, x), (w[0], 0.0, w[1], w[2])
    if not in2:
        w = weights3(a, b, e)
        x = combine3(w, a, b, e)
        if inner(x, x) < least:
            least, best = inner(x, x), (w[0], w[1], 0.0, w[2])
    if not in3:
        w = weights3(a, b, c)
        x = combine3(w, a, b, c)
        if inner(x, x) < least:
            # as in MuJoCo, the weight of the last vertex stays what another face has made it
            best = (w[0], w[1], w[2], best[3])
    return best


@kernel
def reduce_simplex(d, n):
    """Keep the vertices of the simplex that its point nearest to the origin needs.

    Returns:
        Number of vertices kept; their weights are stored.
    """
    a, b, c = vertex(d, 0), vertex(d, 1), vertex(d, 2)
    w = (1.0, 0.0, 0.0, 0.0)
    if n == 4:
        w = weights4(a, b, c, vertex(d, 3))
    elif n == 3:
        w0, w1, w2 = weights3(a, b, c)
        w = (w0, w1, w2, 0.0)
    elif n == 2:
        w0, w1 = weights2(a, b)
        w = (w0, w1, 0.0, 0.0)
    kept = 0
    for k in range(4):
        if w[k] != 0.0:
            copy_vertex(d, kept, k)
            d.ccd_weight[kept] = w[k]
            kept += 1
    return kept


@kernel
def simplex_point(d, part, n):
    """Weighted sum of the first n vertices of the simplex, n > 0.

    Args:
        d: data.
        part: 0: of the difference; 1, 2: of the first, second geom.
        n: vertices.
    """
    total = times(load3(d.ccd_vertex, part), d.ccd_weight[0])
    for k in range(1, n):
        total = add3(total, times(load3(d.ccd_vertex, 3 * k + part), d.ccd_weight[k]))
    return total


@kernel
def finish(d, nsimplex, npoint, dist):
    """Note how many vertices and witness points there are; returns the distance."""
    d.ccd_count[SIMPLEX] = nsimplex
    d.ccd_count[POINTS] = npoint
    return dist


@kernel
def gjk(m, d, cutoff):
    """Distance of the two geoms; about zero when they penetrate.

    Args:
        m: model.
        d: data; the witness points `ccd_point1`, `ccd_point2` are the first guess.
        cutoff: distance from which on none is needed (m); 0: only whether they are apart matters.

    Returns:
        Distance (m); `FAR` when they are farther apart than the cutoff.
    """
    # polyhedra need no tolerance: their search ends by itself
    tolerance = d.ccd_tolerance[0]
    epsilon, smallest = 0.5 * (tolerance * tolerance), tolerance * tolerance
    if discrete(d):
        epsilon, smallest = 0.0, SMALL2
    # first point of the difference: the guess
    point = sub3(load3(d.ccd_point1, 0), load3(d.ccd_point2, 0))
    store(d.ccd_weight, 0, (1.0, 0.0, 0.0, 0.0))
    enclosing = not cutoff > 0.0
    n, k, length = 0, 0, 0.0
    while k < d.ccd_count[ITERATIONS]:
        length = inner(point, point)
        if length < smallest:
            break
        square = length
        length = sqrt(length)
        # support point towards the origin
        support(m, d, n, times(times(point, 1.0 / length), -1.0))
        candidate = vertex(d, n)
        # bound of the distance that is left, by Frank and Wolfe
        if inner(point, sub3(point, candidate)) < epsilon:
            if k == 0:
                n = 1
            break
        # support plane that separates the geoms, or proves the cutoff
        along = inner(point, candidate)
        if along > 0.0 and (not cutoff > 0.0 or along * along / square >= cutoff * cutoff):
            store(d.ccd_separating, 0, times(point, 1.0 / length))
            return finish(d, 0, 0, FAR)
        # overlap: look for a tetrahedron around the origin
        if n == 3 and enclosing:
            found, k = enclose(m, d, k)
            if found > 0:
                return finish(d, 4, 0, 0.0)
            if found == 0:
                return finish(d, 0, 0, FAR)
            enclosing = False
        # nearest point of the simplex
        n = reduce_simplex(d, n + 1)
        if n < 1:
            # no vertex counts: taken for far, without proof
            return finish(d, -1, 0, FAR)
        after = simplex_point(d, 0, n)
        change = sub3(after, point)
        if (
            absolute(change[0]) < MINVAL
            and absolute(change[1]) < MINVAL
            and absolute(change[2]) < MINVAL
        ):
            break
        point = after
        # the simplex contains the origin
        if n == 4:
            length = 0.0
            break
        k += 1
    # witness points
    if n > 0:
        store(d.ccd_point1, 0, simplex_point(d, 1, n))
        store(d.ccd_point2, 0, simplex_point(d, 2, n))
    return finish(d, n, 1, length)


@kernel
def face_height(d, v1, v2, v3):
    """Unit normal of a face of the simplex, its distance from the origin (`FAR` if degenerate)."""
    a = vertex(d, v1)
    normal = cross(sub3(vertex(d, v3), a), sub3(vertex(d, v2), a))
    square = inner(normal, normal)
    if square > SMALL2 and square < LARGE2:
        normal = times(normal, 1.0 / sqrt(square))
        return normal, inner(normal, a)
    return normal, FAR


@kernel
def enclose(m, d, k):
    """Look for a tetrahedron that contains the origin, from the simplex of four vertices.

    Returns:
        1: it is the simplex now; 0: the geoms are apart; -1: undecided; and the iteration.
    """
    for i in range(4):
        copy_vertex(d, TRIAL + i, i)
        d.ccd_order[i] = TRIAL + i
    while k < d.ccd_count[ITERATIONS]:
        # heights and outward normals of the four faces
        lowest = 0
        for i in range(4):
            normal, height = face_height(
                d,
                d.ccd_order[OPPOSITE[3 * i]],
                d.ccd_order[OPPOSITE[3 * i + 1]],
                d.ccd_order[OPPOSITE[3 * i + 2]],
            )
            if height == 0.0:
                return -1, k
            d.ccd_height[i] = height
            store(d.ccd_normal, i, normal)
        # of equal ones the last of a pair, the pairs alike
        low = 0 if d.ccd_height[0] < d.ccd_height[1] else 1
        high = 2 if d.ccd_height[2] < d.ccd_height[3] else 3
        lowest = low if d.ccd_height[low] < d.ccd_height[high] else high
        # the origin is within all faces
        if d.ccd_height[lowest] > 0.0:
            for i in range(4):
                copy_vertex(d, i, d.ccd_order[i])
            return 1, k
        # a vertex beyond that face replaces the opposite one
        normal, v = load3(d.ccd_normal, lowest), d.ccd_order[lowest]
        support(m, d, v, normal)
        if inner(normal, vertex(d, v)) < 0.0:
            store(d.ccd_separating, 0, times(normal, -1.0))
            return 0, k
        # exchange two others, so that normals stay outward
        i, j = (lowest + 1) & 3, (lowest + 2) & 3
        kept = d.ccd_order[i]
        d.ccd_order[i] = d.ccd_order[j]
        d.ccd_order[j] = kept
        k += 1
    return -1, k
