"""mujoco.sensor.touch_grid: contact forces on a body, by the direction that a site sees them in.

Documentation of MuJoCo, plugin/sensor/README. The site looks along its negative z axis; cells are
bounded by azimuths and elevations.
"""

from ...simd.elementary import atan2
from ...simd.kernel import kernel
from ...simd.lanes import lane_any, load3, load9, reals_at, select, sqrt, zero_like
from ...simd.spatial import mul_matT3, sub3
from ...tables.enums import CNSTR_CONTACT_FRICTIONLESS, COUNT_BLOCK
from ...tables.plugin_kinds import TOUCH_GRID
from ..collision.contact import side_body
from ..results.body_forces import block_force
from ..sensors.write import put

HEADER = 3  # numbers before the edges: channels, columns, rows


@kernel
def touch_grid(m, d):
    """Sums of contact forces and torques in the cells of each grid, channel by channel.

    Reads: nplugin, plugin, block_*, row_force, con_pos, con_frame, site_xpos, site_xmat, count.
    Writes: sensordata (N, N m).
    """
    zero = zero_like(d.qvel)
    for instance in range(m.nplugin):
        if m.plugin[instance] == TOUCH_GRID and m.plug_first[instance] >= 0:
            sensor = m.plug_first[instance]
            adr, dim = m.sensor_adr[sensor], m.sensor_dim[sensor]
            for k in range(adr, adr + dim):
                d.sensordata[k] = zero
            for b in range(d.count[COUNT_BLOCK]):
                if d.block_type[b] >= CNSTR_CONTACT_FRICTIONLESS:
                    add_contact(m, d, instance, sensor, b)
            for k in range(dim):
                put(m, d, sensor, k, d.sensordata[adr + k])


@kernel
def add_contact(m, d, instance, sensor, b):
    """Add one contact to the cell that it is seen in, if it is one of the body."""
    site, slot = m.sensor_objid[sensor], d.block_id[b]
    pair, own = d.slot_cand[slot], m.body_weldid[m.site_bodyid[site]]
    body1, body2 = side_body(m, d.cand_geom1[pair]), side_body(m, d.cand_geom2[pair])
    on = d.block_D[b] > 0.0
    first = body1 >= 0 and m.body_weldid[body1] == own
    second = body2 >= 0 and m.body_weldid[body2] == own
    if not (first or second) or not lane_any(on):
        return
    # direction in which the site sees it
    mat = load9(d.site_xmat, site)
    x, y, z = mul_matT3(mat, sub3(load3(d.con_pos, slot), load3(d.site_xpos, site)))
    azimuth, elevation = atan2(x, -z), atan2(y, sqrt(x * x + z * z))
    # force and torque along z, x and y of the site; they act on the body with the larger number
    sign = -1.0 if own < max(body1, body2) else 1.0
    push = turned(m, d, slot, b, mat, 0, sign)
    turn = turned(m, d, slot, b, mat, 3, sign)
    channels = (push[2], push[0], push[1], turn[2], turn[0], turn[1])
    # cell by cell
    prm = reals_at(m.plug_address[instance])
    nchannel, columns, rows = int(prm[0]), int(prm[1]), int(prm[2])
    start = m.sensor_adr[sensor]
    for i in range(columns):
        along = on & (azimuth > prm[HEADER + i]) & (azimuth <= prm[HEADER + i + 1])
        if lane_any(along):
            for j in range(rows):
                edge = HEADER + columns + 1 + j
                here = along & (elevation > prm[edge]) & (elevation <= prm[edge + 1])
                if lane_any(here):
                    for k in range(6):
                        if k < nchannel:
                            at = start + k * columns * rows + j * columns + i
                            d.sensordata[at] = select(
                                here, d.sensordata[at] + channels[k], d.sensordata[at]
                            )


@kernel
def turned(m, d, slot, b, mat, first, sign):
    """Force (first 0) or torque (3) of a contact in the frame of a matrix."""
    zero = zero_like(d.qvel)
    x = y = z = zero
    if first < d.block_dim[b]:
        x = sign * block_force(m, d, b, first)
    if first + 1 < d.block_dim[b]:
        y = sign * block_force(m, d, b, first + 1)
    if first + 2 < d.block_dim[b]:
        z = sign * block_force(m, d, b, first + 2)
    return mul_matT3(mat, mul_matT3(load9(d.con_frame, slot), (x, y, z)))
