"""Signed distance fields in one lane: what asks for distances, and where rays meet surfaces."""

from ...simd.kernel import kernel
from ...simd.lanes import call_stage, get_lane, load3, set_lane, sqrt, store

STEPS = 40  # of a ray, each as long as the distance at its start
MET = 1e-7  # distance from which on a surface is met (m)
STRIPS = 2  # added to what is asked: of a strip of points
LOST = 1e6  # distance from which on it is not (m)


@kernel
def signed_distance(m, d, geom, lane, x):
    """Distance of a point from the surface of a geom, negative inside (m)."""
    ask(m, d, geom, lane, x, 0)
    return d.sdf_answer[0]


@kernel
def gradient(m, d, geom, lane, x):
    """Direction in which the distance from a geom grows, as MuJoCo has it for each shape."""
    ask(m, d, geom, lane, x, 1)
    return (d.sdf_answer[0], d.sdf_answer[1], d.sdf_answer[2])


@kernel
def ask(m, d, geom, lane, x, wanted):
    """Have `evaluate_field` answer; it is compiled once, and not into all that asks."""
    for k in range(3):
        d.sdf_point[k] = x[k]
    d.sdf_asked[0] = geom
    d.sdf_asked[1] = lane
    d.sdf_asked[2] = wanted
    call_stage(d.sdf_call[0], m, d)


@kernel
def strip_distance(m, d, geom, lane, x):
    """Distances of a strip of points, those where `sdf_wanted` says so."""
    ask_strip(m, d, geom, lane, x, 0)
    return d.sdf_answers[0]


@kernel
def strip_gradient(m, d, geom, lane, x):
    """Gradients at a strip of points."""
    ask_strip(m, d, geom, lane, x, 1)
    return load3(d.sdf_answers, 0)


@kernel
def ask_strip(m, d, geom, lane, x, wanted):
    """As `ask`, for a strip of points."""
    store(d.sdf_points, 0, x)
    d.sdf_asked[0] = geom
    d.sdf_asked[1] = lane
    d.sdf_asked[2] = STRIPS + wanted
    call_stage(d.sdf_call[0], m, d)


@kernel
def meet_field(m, d, geom, lane):
    """Go along a ray by the distance of the surface until it is met.

    Documentation of MuJoCo, chapter Computation, signed distance functions. As there, the distance
    is in metres, not in units of the ray's direction.
    """
    p = line_part(d, 0, lane)
    v = line_part(d, 3, lane)
    length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    s = 1.0 / length
    v = (v[0] * s, v[1] * s, v[2] * s)
    # steps of the distance cannot pass through the surface (sphere tracing)
    total, going = 0.0, True
    for _ in range(STEPS):
        if going:
            x = (p[0] + v[0] * total, p[1] + v[1] * total, p[2] + v[2] * total)
            dist = signed_distance(m, d, geom, lane, x)
            dist = dist if dist > 0.0 else -dist
            total += dist
            if dist < MET:
                going = False
                x = (p[0] + v[0] * total, p[1] + v[1] * total, p[2] + v[2] * total)
                normal = gradient(m, d, geom, lane, x)
                set_lane(d.ray_found, 0, lane, total)
                for k in range(3):
                    set_lane(d.ray_found, 1 + k, lane, normal[k])
            elif dist > LOST:
                going = False


@kernel
def line_part(d, first, lane):
    """Start (first 0) or direction (3) of a ray."""
    return (
        get_lane(d.ray_line, first, lane),
        get_lane(d.ray_line, first + 1, lane),
        get_lane(d.ray_line, first + 2, lane),
    )
