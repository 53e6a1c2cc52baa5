"""Sensors of frames: poses and motions of bodies, geoms, sites and cameras.

A frame of reference (`sensor_refid`, -1: the world) turns what is measured into its axes;
velocities are then those that an observer sees who moves along with it.
"""

from typing import TYPE_CHECKING

from ...simd.kernel import entry, kernel
from ...simd.spatial import add3, cross, mul_matT3, mul_quat, sub3
from ..smooth.objects import (
    object_acceleration,
    object_body,
    object_mat,
    object_pos,
    object_quat,
    object_velocity,
)
from .write import put3, put4

if TYPE_CHECKING:
    # set in each variant
    AXIS = 0


@kernel
def framepos(m, d, sensor):
    """Positions of frames.

    Reads: xpos, xipos, geom_xpos, site_xpos, cam_xpos, xmat, ximat, geom_xmat, site_xmat, cam_xmat.
    Writes: sensordata (m).
    """
    pos = object_pos(d, m.sensor_objtype[sensor], m.sensor_objid[sensor])
    reftype, refid = m.sensor_reftype[sensor], m.sensor_refid[sensor]
    if refid >= 0:
        away = sub3(pos, object_pos(d, reftype, refid))
        pos = mul_matT3(object_mat(d, reftype, refid), away)
    put3(m, d, sensor, pos)


@kernel
def framequat(m, d, sensor):
    """Orientations of frames.

    Reads: xquat.
    Writes: sensordata.
    """
    quat = object_quat(m, d, m.sensor_objtype[sensor], m.sensor_objid[sensor])
    refid = m.sensor_refid[sensor]
    if refid >= 0:
        ref = object_quat(m, d, m.sensor_reftype[sensor], refid)
        quat = mul_quat((ref[0], -ref[1], -ref[2], -ref[3]), quat)
    put4(m, d, sensor, quat)


@kernel
def frameaxis(m, d, sensor):
    """An axis of a frame.

    Reads: xmat, ximat, geom_xmat, site_xmat, cam_xmat.
    Writes: sensordata.
    """
    mat = object_mat(d, m.sensor_objtype[sensor], m.sensor_objid[sensor])
    axis = (mat[AXIS], mat[AXIS + 3], mat[AXIS + 6])
    refid = m.sensor_refid[sensor]
    if refid >= 0:
        axis = mul_matT3(object_mat(d, m.sensor_reftype[sensor], refid), axis)
    put3(m, d, sensor, axis)


framexaxis = entry(globals(), "framexaxis", frameaxis, AXIS=0)
frameyaxis = entry(globals(), "frameyaxis", frameaxis, AXIS=1)
framezaxis = entry(globals(), "framezaxis", frameaxis, AXIS=2)


@kernel
def frame_velocity(m, d, kind, ident):
    """Velocities of frames at their origins, turning first, and the origins."""
    pos = object_pos(d, kind, ident)
    return object_velocity(m, d, object_body(m, kind, ident), pos), pos


@kernel
def framelinvel(m, d, sensor):
    """Linear velocities of frames.

    Reads: cvel, subtree_com, xpos, xipos, geom_xpos, site_xpos, cam_xpos, xmat, ximat, geom_xmat,
        site_xmat, cam_xmat.
    Writes: sensordata (m/s).
    """
    vel, pos = frame_velocity(m, d, m.sensor_objtype[sensor], m.sensor_objid[sensor])
    linear = (vel[3], vel[4], vel[5])
    reftype, refid = m.sensor_reftype[sensor], m.sensor_refid[sensor]
    if refid >= 0:
        ref, origin = frame_velocity(m, d, reftype, refid)
        linear = sub3(linear, (ref[3], ref[4], ref[5]))
        # the turning of the reference makes everything at a distance go the other way
        linear = add3(linear, cross(sub3(pos, origin), (ref[0], ref[1], ref[2])))
        linear = mul_matT3(object_mat(d, reftype, refid), linear)
    put3(m, d, sensor, linear)


@kernel
def frameangvel(m, d, sensor):
    """Angular velocities of frames.

    Reads: cvel, subtree_com, xpos, xipos, geom_xpos, site_xpos, cam_xpos, xmat, ximat, geom_xmat,
        site_xmat, cam_xmat.
    Writes: sensordata (rad/s).
    """
    vel, _ = frame_velocity(m, d, m.sensor_objtype[sensor], m.sensor_objid[sensor])
    turn = (vel[0], vel[1], vel[2])
    reftype, refid = m.sensor_reftype[sensor], m.sensor_refid[sensor]
    if refid >= 0:
        ref, _ = frame_velocity(m, d, reftype, refid)
        turn = sub3(turn, (ref[0], ref[1], ref[2]))
        turn = mul_matT3(object_mat(d, reftype, refid), turn)
    put3(m, d, sensor, turn)


@kernel
def framelinacc(m, d, sensor):
    """Linear accelerations of frames, gravity included as a push upwards.

    Reads: cacc, cvel, subtree_com, xpos, xipos, geom_xpos, site_xpos, cam_xpos.
    Writes: sensordata (m/s^2).
    """
    kind, ident = m.sensor_objtype[sensor], m.sensor_objid[sensor]
    acc = object_acceleration(m, d, object_body(m, kind, ident), object_pos(d, kind, ident))
    put3(m, d, sensor, (acc[3], acc[4], acc[5]))


@kernel
def frameangacc(m, d, sensor):
    """Angular accelerations of frames.

    Reads: cacc, cvel, subtree_com, xpos, xipos, geom_xpos, site_xpos, cam_xpos.
    Writes: sensordata (rad/s^2).
    """
    kind, ident = m.sensor_objtype[sensor], m.sensor_objid[sensor]
    acc = object_acceleration(m, d, object_body(m, kind, ident), object_pos(d, kind, ident))
    put3(m, d, sensor, (acc[0], acc[1], acc[2]))
