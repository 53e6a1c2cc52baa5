"""Kinds of sensors: what each is attached to, what it delivers, when it is read and by which kernel.

A new kind is a row at the end, its kernel and its element in the schema. The table stands below the
compiler of models and below the physics, and so names the things that are theirs.
"""

from typing import NamedTuple

# mjtObj by place
OBJECTS = (
    "unknown", "body", "xbody", "joint", "dof", "geom", "site", "camera", "light", "flex", "mesh",
    "skin", "hfield", "texture", "material", "pair", "exclude", "equality", "tendon", "actuator",
    "sensor", "numeric", "text", "tuple", "key", "plugin",
)  # fmt: skip
FRAMES = ("body", "xbody", "geom", "site", "camera")  # what can be a frame of reference


class SensorKind(NamedTuple):
    """One kind of sensor: a row of the table.

    Attributes:
        name: the tag in MJCF, which is also the name of its kernel.
        type: mjtSensor: the row's place.
        object: attributes that can name what it is attached to: one of them, `?`: or none.
            `subtree1` is the body above a subtree, `objname` is of the kind in `objtype`.
        reference: the same for its frame of reference or its counterpart.
        dim: number of values, or the name of what counts them (mjcf/parts/sensors.py).
        datatype: "real", "positive", "axis" or "quaternion"; "": as given.
        needstage: "pos", "vel" or "acc"; "": as given.
        file: the file of physics/sensors/ that has the kernel, which takes (m, d, sensor) and
            stores what one sensor reads; "": it cannot be simulated.
        check: name of what refuses things that it cannot be attached to (mjcf/parts/sensors.py);
            "": nothing does.
        needs: names of the stages of `PREPARE` (pipeline/sensors.py) that its kernel needs; those
            of sensors of plugins and users follow from their stage.
    """

    name: str
    type: int
    object: str
    reference: str
    dim: int | str
    datatype: str
    needstage: str
    file: str
    check: str
    needs: tuple[str, ...]


def kinds(text: str) -> dict[str, SensorKind]:
    """Parse the rows of the table, by tag; `-` stands for nothing."""
    found = {}
    for place, line in enumerate(text.strip().splitlines()):
        words = ["" if word == "-" else word for word in line.split()]
        tag, thing, reference, dim, datatype, stage, file, check, needs = words
        if tag:
            size = int(dim) if dim.isdigit() else dim
            found[tag] = SensorKind(
                tag, place, thing, reference, size, datatype, stage, file, check,
                tuple(filter(None, needs.split("+"))),
            )  # fmt: skip
    return found


RAY = {"dist": 1, "dir": 3, "origin": 3, "point": 3, "normal": 3, "depth": 1}
CONTACT = {"found": 1, "force": 3, "torque": 3, "dist": 1, "pos": 3, "normal": 3, "tangent": 3}
REDUCE = ("none", "mindist", "maxforce", "netforce")

# tag             object                     reference             dim      datatype   stage file      check  needs
SENSORS = kinds("""
touch             site                       -                     1        positive   acc   contacts  -      -
accelerometer     site                       -                     3        real       acc   inertial  -      rne_postconstraint
velocimeter       site                       -                     3        real       vel   inertial  -      -
gyro              site                       -                     3        real       vel   inertial  -      -
force             site                       -                     3        real       acc   inertial  -      rne_postconstraint
torque            site                       -                     3        real       acc   inertial  -      rne_postconstraint
magnetometer      site                       -                     3        real       pos   inertial  -      -
rangefinder       site|camera                -                     rays     real       pos   rays      -      -
camprojection     site                       camera                2        real       pos   regions   pixels camlight
jointpos          joint                      -                     1        real       pos   joints    scalar -
jointvel          joint                      -                     1        real       vel   joints    scalar -
tendonpos         tendon                     -                     1        real       pos   joints    -      -
tendonvel         tendon                     -                     1        real       vel   joints    -      -
actuatorpos       actuator                   -                     1        real       pos   joints    -      -
actuatorvel       actuator                   -                     1        real       vel   joints    -      -
actuatorfrc       actuator                   -                     1        real       acc   joints    -      -
jointactuatorfrc  joint                      -                     1        real       acc   joints    scalar -
tendonactuatorfrc tendon                     -                     1        real       acc   joints    -      -
ballquat          joint                      -                     4        quaternion pos   joints    ball   -
ballangvel        joint                      -                     3        real       vel   joints    ball   -
jointlimitpos     joint                      -                     1        real       pos   joints    limit  -
jointlimitvel     joint                      -                     1        real       vel   joints    limit  -
jointlimitfrc     joint                      -                     1        real       acc   joints    limit  -
tendonlimitpos    tendon                     -                     1        real       pos   joints    limit  -
tendonlimitvel    tendon                     -                     1        real       vel   joints    limit  -
tendonlimitfrc    tendon                     -                     1        real       acc   joints    limit  -
framepos          objname                    refname?              3        real       pos   frames    -      -
framequat         objname                    refname?              4        quaternion pos   frames    -      -
framexaxis        objname                    refname?              3        axis       pos   frames    -      -
frameyaxis        objname                    refname?              3        axis       pos   frames    -      -
framezaxis        objname                    refname?              3        axis       pos   frames    -      -
framelinvel       objname                    refname?              3        real       vel   frames    -      -
frameangvel       objname                    refname?              3        real       vel   frames    -      -
framelinacc       objname                    -                     3        real       acc   frames    -      rne_postconstraint
frameangacc       objname                    -                     3        real       acc   frames    -      rne_postconstraint
subtreecom        body                       -                     3        real       pos   subtrees  -      -
subtreelinvel     body                       -                     3        real       vel   subtrees  -      subtree_vel
subtreeangmom     body                       -                     3        real       vel   subtrees  -      subtree_vel
insidesite        objname                    site                  1        positive   pos   regions   -      -
distance          geom1|body1                geom2|body2           1        real       pos   distances two    start_near
normal            geom1|body1                geom2|body2           3        axis       pos   distances two    start_near
fromto            geom1|body1                geom2|body2           6        real       pos   distances two    start_near
contact           geom1|body1|subtree1|site? geom2|body2|subtree2? contacts real       acc   contacts  -      -
e_potential       -                          -                     1        real       pos   subtrees  -      energy_pos
e_kinetic         -                          -                     1        real       pos   subtrees  -      energy_vel
clock             -                          -                     1        real       pos   subtrees  -      -
tactile           mesh                       geom                  touched  real       acc   tactile   -      -
plugin            objname?                   refname?              plugin   real       -     -         -      -
user              objname?                   -                     given    -          -     subtrees  user   -
""")
NSENS = 1 + max(row.type for row in SENSORS.values())
# range finders of cameras, which have a kernel of their own
CAMERA_RAYS = SENSORS["rangefinder"]._replace(name="camera_rays", type=NSENS, needs=("camlight",))
