"""Velocities and accelerations of one object: rotation, then translation."""

from ..simd.kernel import kernel
from ..simd.lanes import load3, load6, load9
from ..simd.spatial import add3, cross, mul_matT3, sub3

# kinds of objects, `ask[0]`: a body's frame, its inertial frame, a geom, a site
FRAME, INERTIAL, GEOM, SITE = range(4)


@kernel
def body_of(m, kind, place):
    """The body that an object moves with."""
    body = place
    if kind == GEOM:
        body = m.geom_bodyid[place]
    if kind == SITE:
        body = m.site_bodyid[place]
    return body


@kernel
def pose_of(d, kind, place):
    """Position (m) and orientation of an object."""
    pos, mat = load3(d.xpos, 0), load9(d.xmat, 0)
    if kind == FRAME:
        pos, mat = load3(d.xpos, place), load9(d.xmat, place)
    if kind == INERTIAL:
        pos, mat = load3(d.xipos, place), load9(d.ximat, place)
    if kind == GEOM:
        pos, mat = load3(d.geom_xpos, place), load9(d.geom_xmat, place)
    if kind == SITE:
        pos, mat = load3(d.site_xpos, place), load9(d.site_xmat, place)
    return pos, mat


@kernel
def tell_motion(c, mat, local, turn, move):
    """Tell a rotation and a translation, in the frame of the object on request."""
    if local:
        turn, move = mul_matT3(mat, turn), mul_matT3(mat, move)
    for k in range(3):
        c.told[k] = turn[k]
        c.told[3 + k] = move[k]


@kernel
def object_velocity(m, d, c):
    """Velocity of an object: ask is its kind, its number, and whether in its own frame."""
    kind, place, local = c.ask[0], c.ask[1], c.ask[2]
    body = body_of(m, kind, place)
    pos, mat = pose_of(d, kind, place)
    zero = load3(c.given, 0)
    turn, move = zero, zero
    if m.body_weldid[body] > 0:
        vel, lever = load6(d.cvel, body), sub3(pos, load3(d.subtree_com, m.body_rootid[body]))
        turn = (vel[0], vel[1], vel[2])
        move = sub3((vel[3], vel[4], vel[5]), cross(lever, turn))
    tell_motion(c, mat, local, turn, move)


@kernel
def object_acceleration(m, d, c):
    """Acceleration of an object, with the opposite of gravity; ask as for velocities."""
    kind, place, local = c.ask[0], c.ask[1], c.ask[2]
    body = body_of(m, kind, place)
    pos, mat = pose_of(d, kind, place)
    zero = load3(c.given, 0)
    turn, move = zero, zero
    if m.body_weldid[body] > 0:
        vel, acc = load6(d.cvel, body), load6(d.cacc, body)
        lever = sub3(pos, load3(d.subtree_com, m.body_rootid[body]))
        spin, turn = (vel[0], vel[1], vel[2]), (acc[0], acc[1], acc[2])
        speed = sub3((vel[3], vel[4], vel[5]), cross(lever, spin))
        move = sub3((acc[3], acc[4], acc[5]), cross(lever, turn))
        move = add3(move, cross(spin, speed))
    tell_motion(c, mat, local, turn, move)
