"""Forces of a medium (air, water) on the bodies that move through it.

Two models of MuJoCo's documentation, Computation, "Fluid forces": a body drags the medium along as
the box with its inertia would; or each of its geoms does as an ellipsoid, which is also lifted.
Motions and wrenches are (rotation, translation) in the frame of the body's inertia or of the geom.
"""

from ...simd.elementary import larger
from ...simd.kernel import kernel
from ...simd.lanes import absolute, lane_any, load3, load9, select, sqrt, zero_like
from ...simd.spatial import PI, add3, addscl3, cross, dot3, mul_mat3, mul_matT3, scale3, sub3
from ...tables.enums import (
    DSBL_DAMPER,
    DSBL_SPRING,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_SPHERE,
    MINVAL,
)
from .forces import apply_ft
from .objects import object_velocity

NFLUID = 12  # coefficients of a geom: interaction, drags (3), lifts (2), virtual mass and inertia


@kernel
def box_fluid(m, d):
    """Drag of the bodies that are taken as boxes.

    Reads: xipos, ximat, subtree_com, cvel, cdof.
    Writes: qfrc_fluid (N, N m).
    """
    zero = zero_like(d.qvel)
    for dof in range(m.nv):
        d.qfrc_fluid[dof] = zero
    if without_passive(m):
        return
    for body in range(1, m.nbody):
        if drags_as_box(m, body):
            point, mat = load3(d.xipos, body), load9(d.ximat, body)
            wrench = box_wrench(m, body, motion_through(m, d, body, point, mat))
            put_wrench(m, d, body, point, mat, wrench)


@kernel
def ellipsoid_fluid(m, d):
    """Drag and lift of the geoms that are taken as ellipsoids.

    Reads: geom_xpos, geom_xmat, subtree_com, cvel, cdof.
    Writes: qfrc_fluid (N, N m).
    """
    if without_passive(m):
        return
    for geom in range(m.ngeom):
        if drags_as_ellipsoid(m, geom):
            body = m.geom_bodyid[geom]
            point, mat = load3(d.geom_xpos, geom), load9(d.geom_xmat, geom)
            wrench = ellipsoid_wrench(m, geom, motion_through(m, d, body, point, mat))
            put_wrench(m, d, body, point, mat, wrench)


@kernel
def add_fluid(m, d):
    """Count what the medium does among the passive forces.

    Reads: qfrc_fluid.
    Writes: qfrc_passive (N, N m).
    """
    for dof in range(m.nv):
        d.qfrc_passive[dof] = d.qfrc_passive[dof] + d.qfrc_fluid[dof]


@kernel
def without_passive(m):
    """True if the medium is empty, or passive forces are switched off altogether."""
    both = DSBL_SPRING | DSBL_DAMPER
    present = (m.opt_density[0] != 0.0) | (m.opt_viscosity[0] != 0.0)
    return m.opt_disableflags[0] & both == both or not lane_any(present)


@kernel
def drags_as_box(m, body):
    """True if a body is taken as a box in some world."""
    return lane_any(box_share(m, body) > 0.0)


@kernel
def box_share(m, body):
    """1 for a body with mass, and no geom that is an ellipsoid to the medium; else 0."""
    share = select(m.body_mass[body] >= MINVAL, zero_like(m.body_mass) + 1.0, 0.0)
    start = m.body_geomadr[body]
    for geom in range(start, start + m.body_geomnum[body]):
        share = select(m.geom_fluid[NFLUID * geom] <= 0.0, share, 0.0)
    return share


@kernel
def drags_as_ellipsoid(m, geom):
    """True if a geom is an ellipsoid to the medium, on a body that can move."""
    body = m.geom_bodyid[geom]
    return (
        body > 0
        and lane_any(m.geom_fluid[NFLUID * geom] > 0.0)
        and lane_any(m.body_mass[body] >= MINVAL)
    )


@kernel
def motion_through(m, d, body, point, mat):
    """Motion of a frame on a body relative to the medium (rad/s, m/s), in this frame.

    Args:
        point, mat: pose of the frame.
    """
    vel = object_velocity(m, d, body, point)
    move = sub3((vel[3], vel[4], vel[5]), load3(m.opt_wind, 0))
    a, b = mul_matT3(mat, (vel[0], vel[1], vel[2])), mul_matT3(mat, move)
    return (a[0], a[1], a[2], b[0], b[1], b[2])


@kernel
def put_wrench(m, d, body, point, mat, wrench):
    """Add what a wrench in a frame does to the dofs that move the body."""
    torque = mul_mat3(mat, (wrench[0], wrench[1], wrench[2]))
    force = mul_mat3(mat, (wrench[3], wrench[4], wrench[5]))
    apply_ft(m, d, d.qfrc_fluid, body, point, force, torque)


@kernel
def inertia_box(m, body):
    """Edges of the box with the inertia of a body (m)."""
    i, mass = load3(m.body_inertia, body), larger(m.body_mass[body], MINVAL)
    return (
        sqrt(larger(i[1] + i[2] - i[0], MINVAL) / mass * 6.0),
        sqrt(larger(i[0] + i[2] - i[1], MINVAL) / mass * 6.0),
        sqrt(larger(i[0] + i[1] - i[2], MINVAL) / mass * 6.0),
    )


@kernel
def box_coefficients(m, body):
    """Resistance of a body's box: parts linear and quadratic in the motion.

    A negative density or viscosity counts as none, as in MuJoCo; ellipsoids feel it.

    Returns:
        Linear ones of rotation and translation, and six quadratic ones.
    """
    a, b, c = inertia_box(m, body)
    density, viscosity = larger(m.opt_density[0], 0.0), larger(m.opt_viscosity[0], 0.0)
    diameter = (a + b + c) / 3.0
    # worlds may differ in what is a box
    share = box_share(m, body)
    density, viscosity = share * density, share * viscosity
    turn, area = density / 64.0, 0.5 * density
    a4, b4, c4 = a * a * a * a, b * b * b * b, c * c * c * c
    quadratic = (
        turn * a * (b4 + c4), turn * b * (a4 + c4), turn * c * (a4 + b4),
        area * b * c, area * a * c, area * a * b,
    )  # fmt: skip
    return (
        PI * diameter * diameter * diameter * viscosity,
        3.0 * PI * diameter * viscosity,
        quadratic,
    )


@kernel
def box_wrench(m, body, motion):
    """Drag of a body's box."""
    turning, moving, quadratic = box_coefficients(m, body)
    return (
        -motion[0] * (turning + quadratic[0] * absolute(motion[0])),
        -motion[1] * (turning + quadratic[1] * absolute(motion[1])),
        -motion[2] * (turning + quadratic[2] * absolute(motion[2])),
        -motion[3] * (moving + quadratic[3] * absolute(motion[3])),
        -motion[4] * (moving + quadratic[4] * absolute(motion[4])),
        -motion[5] * (moving + quadratic[5] * absolute(motion[5])),
    )


@kernel
def semi_axes(m, geom):
    """Semi-axes of the ellipsoid that stands for a geom (m)."""
    size, kind = load3(m.geom_size, geom), m.geom_type[geom]
    if kind == GEOM_SPHERE:
        return (size[0], size[0], size[0])
    if kind == GEOM_CAPSULE:
        return (size[0], size[0], size[1] + size[0])
    if kind == GEOM_CYLINDER:
        return (size[0], size[0], size[1])
    return size


@kernel
def ordered(axes):
    """The largest, the middle and the smallest of three lengths."""
    a, b, c = axes
    high, low = larger(larger(a, b), c), -larger(larger(-a, -b), -c)
    return high, a + b + c - high - low, low


@kernel
def largest_moment(a, b, c):
    """Moment of the medium that an ellipsoid displaces per angular speed^2 about its axis a."""
    wide = larger(b, c)
    return 8.0 / 15.0 * PI * a * (wide * wide * wide * wide)


@kernel
def angular_resistance(m, geom, axes):
    """Coefficients of quadratic angular drag about the three axes, per density."""
    high, middle, _ = ordered(axes)
    most = 8.0 / 15.0 * PI * middle * (high * high * high * high)
    slender, angular = m.geom_fluid[NFLUID * geom + 2], m.geom_fluid[NFLUID * geom + 3]
    a, b, c = axes
    i, j, k = largest_moment(a, b, c), largest_moment(b, c, a), largest_moment(c, a, b)
    return (
        angular * i + slender * (most - i),
        angular * j + slender * (most - j),
        angular * k + slender * (most - k),
    )


@kernel
def stokes(axes, viscosity):
    """Viscous resistance to rotation and translation of the sphere of the same mean size."""
    diameter = 2.0 / 3.0 * (axes[0] + axes[1] + axes[2])
    return PI * diameter * diameter * diameter * viscosity, 3.0 * PI * diameter * viscosity


@kernel
def face_areas(axes):
    """Squared products of two semi-axes each: squared areas of the sections, per pi^2."""
    a, b, c = axes[1] * axes[2], axes[2] * axes[0], axes[0] * axes[1]
    return (a * a, b * b, c * c)


@kernel
def shadow(areas, v):
    """Sums that give the area which an ellipsoid shows to its translation v.

    Returns:
        sum of areas^2 v^2, sum of areas v^2, and the area (m^2).
    """
    x, y, z = v[0] * v[0], v[1] * v[1], v[2] * v[2]
    a, b, c = areas
    steep, flat = a * a * x + b * b * y + c * c * z, a * x + b * y + c * z
    return steep, flat, PI * sqrt(steep / larger(flat, MINVAL))


@kernel
def ellipsoid_drag(m, geom, axes, area):
    """Quadratic drag per density of an ellipsoid that shows an area to its translation (m^2)."""
    blunt, slender = m.geom_fluid[NFLUID * geom + 1], m.geom_fluid[NFLUID * geom + 2]
    high, middle, _ = ordered(axes)
    return area * blunt + slender * (PI * high * middle - area)


@kernel
def ellipsoid_wrench(m, geom, motion):
    """Added mass, Magnus force, Kutta lift and drag of a geom's ellipsoid."""
    g = NFLUID * geom
    axes, areas = semi_axes(m, geom), face_areas(semi_axes(m, geom))
    density = m.opt_density[0]
    turn, move = (motion[0], motion[1], motion[2]), (motion[3], motion[4], motion[5])
    steep, flat, area = shadow(areas, move)
    speed = sqrt(dot3(move, move))
    # lift: circulation about the section, times the translation
    cosine = flat / larger(speed * steep, MINVAL)
    section = (areas[0] * move[0], areas[1] * move[1], areas[2] * move[2])
    lift = m.geom_fluid[g + 4] * density * cosine * area
    force = scale3(cross(cross(section, move), move), lift)
    volume = 4.0 / 3.0 * PI * axes[0] * axes[1] * axes[2]
    force = addscl3(force, cross(turn, move), m.geom_fluid[g + 5] * density * volume)
    # drag
    turning, moving = stokes(axes, m.opt_viscosity[0])
    moving = moving + density * speed * ellipsoid_drag(m, geom, axes, area)
    coef = angular_resistance(m, geom, axes)
    spin = (turn[0] * coef[0], turn[1] * coef[1], turn[2] * coef[2])
    turning = turning + density * sqrt(dot3(spin, spin))
    force, torque = addscl3(force, move, -moving), scale3(turn, -turning)
    # momentum of the medium that is carried along
    linear, angular = carried_momentum(m, geom, turn, move)
    force = add3(force, cross(linear, turn))
    torque = add3(torque, add3(cross(linear, move), cross(angular, turn)))
    on = select(m.geom_fluid[g] > 0.0, m.geom_fluid[g], 0.0)
    return (
        on * torque[0], on * torque[1], on * torque[2],
        on * force[0], on * force[1], on * force[2],
    )  # fmt: skip


@kernel
def virtual_inertia(m, geom):
    """Masses (kg) and moments (kg m^2) of the medium that moves with a geom's ellipsoid."""
    density = m.opt_density[0]
    mass, moment = load3(m.geom_fluid, 4 * geom + 2), load3(m.geom_fluid, 4 * geom + 3)
    return scale3(mass, density), scale3(moment, density)


@kernel
def carried_momentum(m, geom, turn, move):
    """Linear and angular momentum of the medium that moves with a geom's ellipsoid."""
    mass, moment = virtual_inertia(m, geom)
    return (
        (mass[0] * move[0], mass[1] * move[1], mass[2] * move[2]),
        (moment[0] * turn[0], moment[1] * turn[1], moment[2] * turn[2]),
    )
