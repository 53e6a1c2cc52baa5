"""Sensors of places in the volume of a site or in the picture of a camera."""

from ...simd.elementary import sincos
from ...simd.kernel import kernel
from ...simd.lanes import absolute, load3, load9, select, zero_like
from ...simd.spatial import PI, dot3, mul_matT3, select3, sub3
from ...tables.enums import (
    GEOM_BOX,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_ELLIPSOID,
    GEOM_PLANE,
    GEOM_SPHERE,
    MINVAL,
    OBJ_BODY,
)
from ..smooth.objects import object_pos
from .write import put


@kernel
def inside_site(m, d, site, point):
    """1 where a point (m) lies in the volume of a site, else 0."""
    kind = m.site_type[site]
    size = load3(m.site_size, site)
    away = sub3(point, load3(d.site_xpos, site))
    zero = zero_like(d.qpos)
    one = zero + 1.0
    # a sphere needs no frame; all others are tested in the site's own
    if kind == GEOM_SPHERE:
        return select(dot3(away, away) < size[0] * size[0], one, zero)
    x, y, z = mul_matT3(load9(d.site_xmat, site), away)
    across, wide = x * x + y * y, size[0] * size[0]
    if kind == GEOM_CAPSULE:
        beyond = absolute(z) - size[1]
        beyond = select(beyond > 0.0, beyond, zero)
        return select(across + beyond * beyond < wide, one, zero)
    if kind == GEOM_ELLIPSOID:
        s = x * x / wide + y * y / (size[1] * size[1]) + z * z / (size[2] * size[2])
        return select(s < 1.0, one, zero)
    if kind == GEOM_CYLINDER:
        return select((absolute(z) < size[1]) & (across < wide), one, zero)
    if kind == GEOM_BOX:
        flat = (absolute(x) < size[0]) & (absolute(y) < size[1])
        return select(flat & (absolute(z) < size[2]), one, zero)
    if kind == GEOM_PLANE:
        return select(z < 0.0, one, zero)
    return zero


@kernel
def insidesite(m, d, sensor):
    """1: the thing is in the volume of the site.

    Reads: xpos, xipos, geom_xpos, site_xpos, cam_xpos, subtree_com, site_xmat.
    Writes: sensordata.
    """
    kind, ident = m.sensor_objtype[sensor], m.sensor_objid[sensor]
    point = object_pos(d, kind, ident)
    if kind == OBJ_BODY and ident > 0:
        # a body without mass is where its subtree is
        hollow = (m.body_mass[ident] < MINVAL) & (m.body_subtreemass[ident] >= MINVAL)
        point = select3(hollow, load3(d.subtree_com, ident), point)
    put(m, d, sensor, 0, inside_site(m, d, m.sensor_refid[sensor], point))


@kernel
def camprojection(m, d, sensor):
    """Places of sites in the pictures of cameras, from the upper left corner.

    Reads: site_xpos, cam_xpos, cam_xmat.
    Writes: sensordata (pixels).
    """
    cam = m.sensor_refid[sensor]
    width, height = m.cam_resolution[2 * cam], m.cam_resolution[2 * cam + 1]
    away = sub3(load3(d.site_xpos, m.sensor_objid[sensor]), load3(d.cam_xpos, cam))
    x, y, z = mul_matT3(load9(d.cam_xmat, cam), away)
    focal_x, focal_y = focal_lengths(m, cam)
    sign = select(z < 0.0, -1.0, 1.0)
    depth = select(absolute(z) < MINVAL, sign * MINVAL, z)
    put(m, d, sensor, 0, (0.5 * width * z - focal_x * x) / depth)
    put(m, d, sensor, 1, (0.5 * height * z + focal_y * y) / depth)


@kernel
def focal_lengths(m, cam):
    """Focal lengths of a perspective camera, across and along its picture (pixels)."""
    wide, high = m.cam_sensorsize[2 * cam], m.cam_sensorsize[2 * cam + 1]
    s, c = sincos(m.cam_fovy[cam] * PI / 360.0)
    focal = 0.5 * c / s * m.cam_resolution[2 * cam + 1]
    other = focal
    if wide != 0.0 and high != 0.0:
        focal = 0.0 * focal + in_pixels(m.cam_intrinsic[4 * cam], wide, m.cam_resolution[2 * cam])
        other = 0.0 * other + in_pixels(
            m.cam_intrinsic[4 * cam + 1], high, m.cam_resolution[2 * cam + 1]
        )
    return focal, other


@kernel
def in_pixels(length, size, resolution):
    """length / size * resolution in single precision, as MuJoCo computes it."""
    return to_single(to_single(length / size) * resolution)


@kernel
def to_single(x):
    """The nearest number of 24 bits (Veltkamp's splitting)."""
    wide = x * 536870913.0
    return wide - (wide - x)
