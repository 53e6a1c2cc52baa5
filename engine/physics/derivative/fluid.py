"""Derivatives of the forces of a medium on bodies (see the module `fluid` for the forces)."""

from ...simd.elementary import larger
from ...simd.kernel import kernel
from ...simd.lanes import absolute, lane_any, load3, load9, select, sqrt
from ...simd.spatial import PI, add3, cross, dot3, mul_mat3, mul_matT3, scale3, sub3
from ...tables.enums import MINVAL
from ..smooth.fluid import (
    NFLUID,
    angular_resistance,
    box_coefficients,
    drags_as_box,
    drags_as_ellipsoid,
    ellipsoid_drag,
    face_areas,
    motion_through,
    semi_axes,
    shadow,
    stokes,
    virtual_inertia,
    without_passive,
)
from .bodies import add_column, basis


@kernel
def box_derivative(m, d):
    """Add what the medium does to the bodies that are taken as boxes.

    Reads: xipos, ximat, subtree_com, cvel.
    Writes: der_body.
    """
    if without_passive(m):
        return
    for body in range(1, m.nbody):
        if drags_as_box(m, body):
            point, mat = load3(d.xipos, body), load9(d.ximat, body)
            motion = motion_through(m, d, body, point, mat)
            for k in range(6):
                change = seen_from(m, d, body, point, mat, k)
                put_change(m, d, body, point, mat, k, box_change(m, body, motion, change))


@kernel
def ellipsoid_derivative(m, d):
    """Add what the medium does to the geoms that are taken as ellipsoids.

    As in MuJoCo, nothing where neither density nor viscosity is positive.

    Reads: geom_xpos, geom_xmat, subtree_com, cvel.
    Writes: der_body.
    """
    positive = (m.opt_density[0] > 0.0) | (m.opt_viscosity[0] > 0.0)
    if without_passive(m) or not lane_any(positive):
        return
    for geom in range(m.ngeom):
        if drags_as_ellipsoid(m, geom):
            body = m.geom_bodyid[geom]
            point, mat = load3(d.geom_xpos, geom), load9(d.geom_xmat, geom)
            motion = motion_through(m, d, body, point, mat)
            for k in range(6):
                change = seen_from(m, d, body, point, mat, k)
                a, b, c, x, y, z = ellipsoid_change(m, geom, motion, change)
                wrench = (
                    select(positive, a, 0.0), select(positive, b, 0.0), select(positive, c, 0.0),
                    select(positive, x, 0.0), select(positive, y, 0.0), select(positive, z, 0.0),
                )  # fmt: skip
                put_change(m, d, body, point, mat, k, wrench)


@kernel
def seen_from(m, d, body, point, mat, k):
    """Motion of a frame on a body when the body moves along axis k, in the frame."""
    v = basis(k)
    turn = (v[0], v[1], v[2])
    offset = sub3(point, load3(d.subtree_com, m.body_rootid[body]))
    a = mul_matT3(mat, turn)
    b = mul_matT3(mat, add3((v[3], v[4], v[5]), cross(turn, offset)))
    return (a[0], a[1], a[2], b[0], b[1], b[2])


@kernel
def put_change(m, d, body, point, mat, k, wrench):
    """Add a wrench in a frame on a body to column k of the body's matrix."""
    force = mul_mat3(mat, (wrench[3], wrench[4], wrench[5]))
    offset = sub3(point, load3(d.subtree_com, m.body_rootid[body]))
    torque = add3(mul_mat3(mat, (wrench[0], wrench[1], wrench[2])), cross(offset, force))
    add_column(d, body, k, (torque[0], torque[1], torque[2], force[0], force[1], force[2]))


@kernel
def box_change(m, body, motion, change):
    """Change of the drag of a body's box."""
    turning, moving, quadratic = box_coefficients(m, body)
    return (
        -change[0] * (turning + 2.0 * quadratic[0] * absolute(motion[0])),
        -change[1] * (turning + 2.0 * quadratic[1] * absolute(motion[1])),
        -change[2] * (turning + 2.0 * quadratic[2] * absolute(motion[2])),
        -change[3] * (moving + 2.0 * quadratic[3] * absolute(motion[3])),
        -change[4] * (moving + 2.0 * quadratic[4] * absolute(motion[4])),
        -change[5] * (moving + 2.0 * quadratic[5] * absolute(motion[5])),
    )


@kernel
def ellipsoid_change(m, geom, motion, change):
    """Change of the forces of the medium on a geom's ellipsoid."""
    g, density = NFLUID * geom, m.opt_density[0]
    axes = semi_axes(m, geom)
    turn, move = (motion[0], motion[1], motion[2]), (motion[3], motion[4], motion[5])
    turns, moves = (change[0], change[1], change[2]), (change[3], change[4], change[5])
    volume = 4.0 / 3.0 * PI * axes[0] * axes[1] * axes[2]
    magnus = m.geom_fluid[g + 5] * density * volume
    force = scale3(add3(cross(turns, move), cross(turn, moves)), magnus)
    force = add3(force, lift_change(m, geom, move, moves))
    force = add3(force, drag_change(m, geom, move, moves))
    torque = spin_change(m, geom, turn, turns)
    # momentum of the medium that is carried along
    mass, moment = virtual_inertia(m, geom)
    force = add3(force, cross_change(mass, move, moves, turn, turns))
    torque = add3(torque, cross_change(mass, move, moves, move, moves))
    torque = add3(torque, cross_change(moment, turn, turns, turn, turns))
    return (torque[0], torque[1], torque[2], force[0], force[1], force[2])


@kernel
def cross_change(s, a, da, b, db):
    """Change of (s a) x b, where s multiplies element by element."""
    first = (s[0] * a[0], s[1] * a[1], s[2] * a[2])
    change = (s[0] * da[0], s[1] * da[1], s[2] * da[2])
    return add3(cross(change, b), cross(first, db))


@kernel
def lift_change(m, geom, v, dv):
    """Change of the Kutta lift: of -s f v_i g_i with g_i = sum over j of v_j^2 (a_i - a_j).

    The coefficient s f falls as the inverse of sqrt(steep / flat) and of the speed.
    """
    areas = face_areas(semi_axes(m, geom))
    steep, flat, _ = shadow(areas, v)
    square = dot3(v, v)
    scale = m.geom_fluid[NFLUID * geom + 4] * m.opt_density[0] * PI
    scale = scale / larger(sqrt(steep * flat * square), MINVAL)
    by_steep, by_square = flat / larger(steep, MINVAL), flat / larger(square, MINVAL)
    x = (v[0] * v[0], v[1] * v[1], v[2] * v[2])
    y = (v[0] * dv[0], v[1] * dv[1], v[2] * dv[2])
    total, turned = x[0] + x[1] + x[2], y[0] + y[1] + y[2]
    along = areas[0] * y[0] + areas[1] * y[1] + areas[2] * y[2]
    across = areas[0] * areas[0] * y[0] + areas[1] * areas[1] * y[1] + areas[2] * areas[2] * y[2]
    fall = across * by_steep - along + turned * by_square
    return (
        lift_part(areas[0], total, flat, turned, along, fall, v[0], dv[0], scale),
        lift_part(areas[1], total, flat, turned, along, fall, v[1], dv[1], scale),
        lift_part(areas[2], total, flat, turned, along, fall, v[2], dv[2], scale),
    )


@kernel
def lift_part(area, total, flat, turned, along, fall, v, dv, scale):
    """One component of the change of lift."""
    g = area * total - flat
    change = 2.0 * (area * turned - along)
    return scale * (v * (g * fall - flat * change) - dv * (g * flat))


@kernel
def drag_change(m, geom, v, dv):
    """Change of the drag against translation, also through the area that the geom shows."""
    axes = semi_axes(m, geom)
    areas, density = face_areas(axes), m.opt_density[0]
    steep, flat, area = shadow(areas, v)
    speed = sqrt(dot3(v, v))
    _, moving = stokes(axes, m.opt_viscosity[0])
    quadratic = density * ellipsoid_drag(m, geom, axes, area)
    grow = PI / larger(sqrt(flat * flat * flat * steep), MINVAL)
    shown = grow * (
        areas[0] * v[0] * dv[0] * (areas[0] * flat - steep)
        + areas[1] * v[1] * dv[1] * (areas[1] * flat - steep)
        + areas[2] * v[2] * dv[2] * (areas[2] * flat - steep)
    )
    blunt, slender = m.geom_fluid[NFLUID * geom + 1], m.geom_fluid[NFLUID * geom + 2]
    along = quadratic * dot3(v, dv) / larger(speed, MINVAL)
    along = along + density * speed * (blunt - slender) * shown
    return add3(scale3(dv, -(moving + quadratic * speed)), scale3(v, -along))


@kernel
def spin_change(m, geom, turn, turns):
    """Change of the drag against rotation."""
    axes = semi_axes(m, geom)
    coef = angular_resistance(m, geom, axes)
    turning, _ = stokes(axes, m.opt_viscosity[0])
    spin = (turn[0] * coef[0], turn[1] * coef[1], turn[2] * coef[2])
    spins = (turns[0] * coef[0], turns[1] * coef[1], turns[2] * coef[2])
    density = m.opt_density[0] / larger(sqrt(dot3(spin, spin)), MINVAL)
    even = turning + density * dot3(spin, spin)
    return add3(scale3(turns, -even), scale3(turn, -density * dot3(spin, spins)))
