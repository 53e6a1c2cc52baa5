"""Memory that only kernels of this folder see, and what they are told of a model.

Nothing is imported here, so that the layout of all records is known before any kernel is.
"""

from ...tables.fields import table

# of sensors with histories
PAST_DATA = table("""
sense_now        real  nsensefresh     readings as users see them, while others are taken
past_cacc        real  nbody*6         accelerations of bodies that were known before
past_cfrc_int    real  nbody*6         forces from their parents
past_cfrc_ext    real  nbody*6         external forces
""")

SENSOR_DATA = table("""
sense_momentum   real  nv              M qvel
sense_found      real  1               contacts that match a sensor
sense_rank       real  nsenseslot      order in which they are wanted; infinite: no match
sense_force      real  nsenseslot*6    force and torque in the frame of the contact (N, N m)
sense_fresh      real  nsensefresh     readings before delays
sense_times      real  2               delay and interval of a sensor (s)
sense_dist       real  nsensenear      smallest distance of each sensor (m)
sense_fromto     real  nsensenear*6    points that are so far apart (m)
sense_place      real  nsensenear      place of the pair; -1: none
sense_kept       real  nsensekept      readings of the step before
sense_side       int   nsenseslot      1: match; -1: match the other way round; 0: none
""")

SENSOR_MODEL = table("""
nsensortype      size  -               types of sensors, and the end
sensor_typeadr   int   nsensortype     first entry in sensor_order of each type
sensor_order     int   nsensor         sensors sorted by type
sensor_forces    int   nsensor         1: needs accelerations of bodies and forces on them
nsenseroutine    size  -               routines that measure distances, and the end
nsensepair       size  -               pairs of geoms whose distance is sensed
nsensenear       size  -               sensors, where distances are sensed
sensor_pairadr   int   nsenseroutine   first pair of each routine
sensor_pairgeom1 int   nsensepair      first geom
sensor_pairgeom2 int   nsensepair      second geom
sensor_pairid    int   nsensepair      sensor
sensor_pairplace int   nsensepair      place among the pairs of all sensors
nsenserest       size  -               sensors, where trees sleep
sensor_rests     int   nsenserest      1: keeps its reading while its trees are asleep
sensor_tree      int   nsenserest*4    trees of its things; -1: none
nsensekept       size  -               values of sensordata, where trees sleep
nsensefresh      size  -               values of sensordata, where sensors have histories
history0         real  nhistory        delay buffers at time 0
""")
