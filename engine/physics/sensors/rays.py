"""Range finders: one ray from a site, or one for each pixel of a camera."""

from ...simd.kernel import kernel, variant
from ...simd.lanes import load3, load9, select, zero_like
from ...simd.spatial import add3, addscl3, dot3, mul_mat3, normalize3, select3, sub3
from ...tables.enums import MAXVAL, PROJ_PERSPECTIVE
from ..rays.cast import ALL_GROUPS, cast, cast_many, meet, search
from .regions import focal_lengths, in_pixels
from .write import put

# what a sensor may ask about a ray, one bit each
DIST, DIR, ORIGIN, POINT, NORMAL, DEPTH = range(6)


@kernel
def from_sites(m, d, sensor):
    """Read a range finder of a site."""
    site = m.sensor_objid[sensor]
    mat, point = load9(d.site_xmat, site), load3(d.site_xpos, site)
    along = (mat[2], mat[5], mat[8])
    x, _, normal = cast(m, d, point, along, m.site_bodyid[site], ALL_GROUPS, True)
    put_ray(m, d, sensor, 0, point, along, x, normal, x)


@kernel
def from_cameras(m, d, sensor):
    """Read a range finder of a camera."""
    cam, at = m.sensor_objid[sensor], 0
    for row in range(m.cam_resolution[2 * cam + 1]):
        for column in range(m.cam_resolution[2 * cam]):
            at = put_pixel(m, d, sensor, at, cam, row, column)


@kernel
def put_pixel(m, d, sensor, at, cam, row, column):
    """Store the values of one pixel from place `at` on; returns the place behind them."""
    zero = zero_like(d.qpos)
    eye, mat, body = load3(d.cam_xpos, cam), load9(d.cam_xmat, cam), m.cam_bodyid[cam]
    back = (mat[2], mat[5], mat[8])
    right, down, extent = pixel_offset(m, cam, row, column)
    if m.cam_projection[cam] == PROJ_PERSPECTIVE:
        origin = eye
        along, _ = normalize3(mul_mat3(mat, (right + zero, zero - down, zero - 1.0)))
        x, _, normal = cast_many(m, d, origin, along, body, ALL_GROUPS, True, MAXVAL)
    else:
        away = (right * extent + zero, zero - down * extent, zero)
        origin = add3(eye, mul_mat3(mat, away))
        along = (-back[0], -back[1], -back[2])
        x, _, normal = cast(m, d, origin, along, body, ALL_GROUPS, True)
    depth = -dot3(sub3(addscl3(origin, along, x), eye), back)
    return put_ray(m, d, sensor, at, origin, along, x, normal, depth)


@kernel
def pixel_offset(m, cam, row, column):
    """Distance of a pixel from the middle of the picture, to the right and downwards, at depth 1.

    Of an orthographic camera in units of the third result, half the height of the picture (m).
    """
    width, height = 1.0 * m.cam_resolution[2 * cam], 1.0 * m.cam_resolution[2 * cam + 1]
    focal_x, focal_y = focal_lengths(m, cam)
    middle_x, middle_y = 0.5 * width, 0.5 * height
    if m.cam_projection[cam] != PROJ_PERSPECTIVE:
        focal_x, focal_y = 0.0 * focal_x + middle_x, 0.0 * focal_y + middle_y
    elif m.cam_sensorsize[2 * cam] != 0.0 and m.cam_sensorsize[2 * cam + 1] != 0.0:
        wide, high = m.cam_sensorsize[2 * cam], m.cam_sensorsize[2 * cam + 1]
        middle_x = in_pixels(m.cam_intrinsic[4 * cam + 2], wide, width)
        middle_y = in_pixels(m.cam_intrinsic[4 * cam + 3], high, height)
    right, down = (column + 0.5 - middle_x) / focal_x, (row + 0.5 - middle_y) / focal_y
    return right, down, 0.5 * m.cam_fovy[cam]


@kernel
def put_ray(m, d, sensor, at, origin, along, x, normal, depth):
    """Store what is wanted of one ray from place `at` on; returns the place behind it."""
    wanted, zero = m.sensor_intprm[3 * sensor], zero_like(d.qpos)
    hit, none = x >= 0.0, (zero, zero, zero)
    if wanted >> DIST & 1:
        put(m, d, sensor, at, x)
        at += 1
    if wanted >> DIR & 1:
        at = put_vector(m, d, sensor, at, select3(hit, along, none))
    if wanted >> ORIGIN & 1:
        at = put_vector(m, d, sensor, at, origin)
    if wanted >> POINT & 1:
        at = put_vector(m, d, sensor, at, select3(hit, addscl3(origin, along, x), none))
    if wanted >> NORMAL & 1:
        at = put_vector(m, d, sensor, at, select3(hit, normal, none))
    if wanted >> DEPTH & 1:
        put(m, d, sensor, at, select(hit, depth, zero - 1.0))
        at += 1
    return at


@kernel
def put_vector(m, d, sensor, at, vector):
    """Store three values of a sensor; returns the place behind them."""
    for k in range(3):
        put(m, d, sensor, at + k, vector[k])
    return at + 3


@kernel
def never_met(m, d, geom, point, direction):
    """Distance and normal of a geom that is not there."""
    none = 0.0 * point[0]
    return none - 1.0, (none, none, none)


# without meshes and height fields, whose triangles take most of the code
_meet = variant(meet, by_lanes_shape=never_met, by_lanes_height_field=never_met)
_search = variant(search, meet=_meet)
_cast, _cast_many = variant(cast, search=_search), variant(cast_many, search=_search)
from_sites_plainly = variant(from_sites, cast=_cast)
put_pixel_plainly = variant(put_pixel, cast=_cast, cast_many=_cast_many)
from_cameras_plainly = variant(from_cameras, put_pixel=put_pixel_plainly)


@kernel
def rangefinder(m, d, sensor):
    """Cast rays along the z axes of sites, and write what is requested of what they meet.

    Reads: site_xpos, site_xmat, xipos, geom_xpos, geom_xmat.
    Writes: sensordata (m), ray_line, ray_plane, ray_near, ray_span, ray_found, ray_stack.
    """
    from_sites(m, d, sensor)


@kernel
def rangefinder_plain(m, d, sensor):
    """As `rangefinder`, where no geom is made of triangles.

    Reads: site_xpos, site_xmat, xipos, geom_xpos, geom_xmat.
    Writes: sensordata (m).
    """
    from_sites_plainly(m, d, sensor)


@kernel
def camera_rays(m, d, sensor):
    """Cast rays through the pixels of cameras, row by row from the upper left corner.

    Reads: cam_xpos, cam_xmat, xipos, geom_xpos, geom_xmat.
    Writes: sensordata (m), ray_line, ray_plane, ray_near, ray_span, ray_found, ray_stack.
    """
    from_cameras(m, d, sensor)


@kernel
def camera_rays_plain(m, d, sensor):
    """As `camera_rays`, where no geom is made of triangles.

    Reads: cam_xpos, cam_xmat, xipos, geom_xpos, geom_xmat.
    Writes: sensordata (m).
    """
    from_cameras_plainly(m, d, sensor)
