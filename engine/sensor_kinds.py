"""Kinds of sensors: what each is attached to, what it delivers, and when it can be read."""

from typing import NamedTuple

from .enums import (
    SENS_ACCELEROMETER,
    SENS_ACTUATORFRC,
    SENS_ACTUATORPOS,
    SENS_ACTUATORVEL,
    SENS_BALLANGVEL,
    SENS_BALLQUAT,
    SENS_CAMPROJECTION,
    SENS_CLOCK,
    SENS_CONTACT,
    SENS_E_KINETIC,
    SENS_E_POTENTIAL,
    SENS_FORCE,
    SENS_FRAMEANGACC,
    SENS_FRAMEANGVEL,
    SENS_FRAMELINACC,
    SENS_FRAMELINVEL,
    SENS_FRAMEPOS,
    SENS_FRAMEQUAT,
    SENS_FRAMEXAXIS,
    SENS_FRAMEYAXIS,
    SENS_FRAMEZAXIS,
    SENS_GEOMDIST,
    SENS_GEOMFROMTO,
    SENS_GEOMNORMAL,
    SENS_GYRO,
    SENS_INSIDESITE,
    SENS_JOINTACTFRC,
    SENS_JOINTLIMITFRC,
    SENS_JOINTLIMITPOS,
    SENS_JOINTLIMITVEL,
    SENS_JOINTPOS,
    SENS_JOINTVEL,
    SENS_MAGNETOMETER,
    SENS_RANGEFINDER,
    SENS_SUBTREEANGMOM,
    SENS_SUBTREECOM,
    SENS_SUBTREELINVEL,
    SENS_TACTILE,
    SENS_TENDONACTFRC,
    SENS_TENDONLIMITFRC,
    SENS_TENDONLIMITPOS,
    SENS_TENDONLIMITVEL,
    SENS_TENDONPOS,
    SENS_TENDONVEL,
    SENS_TORQUE,
    SENS_TOUCH,
    SENS_USER,
    SENS_VELOCIMETER,
)

# mjtObj by place
OBJECTS = (
    "unknown", "body", "xbody", "joint", "dof", "geom", "site", "camera", "light", "flex", "mesh",
    "skin", "hfield", "texture", "material", "pair", "exclude", "equality", "tendon", "actuator",
    "sensor", "numeric", "text", "tuple", "key", "plugin",
)  # fmt: skip
FRAMES = ("body", "xbody", "geom", "site", "camera")  # what can be a frame of reference


class SensorKind(NamedTuple):
    """What one kind of sensor is.

    Attributes:
        type: mjtSensor.
        object: attributes that can name what it is attached to: one of them, `?`: or none.
            `subtree1` is the body above a subtree, `objname` is of the kind in `objtype`.
        reference: the same for its frame of reference or its counterpart.
        dim: number of values, or the name of what counts them (mjcf/parts/sensors.py).
        datatype: "real", "positive", "axis" or "quaternion"; "": as given.
        needstage: "pos", "vel" or "acc"; "": as given.
        check: name of what refuses things that it cannot be attached to; "": nothing does.
    """

    type: int
    object: str
    reference: str
    dim: int | str
    datatype: str
    needstage: str
    check: str = ""


GEOMS = "geom1|body1", "geom2|body2"
TOUCHING = "geom1|body1|subtree1|site?", "geom2|body2|subtree2?"
RAY = {"dist": 1, "dir": 3, "origin": 3, "point": 3, "normal": 3, "depth": 1}
CONTACT = {"found": 1, "force": 3, "torque": 3, "dist": 1, "pos": 3, "normal": 3, "tangent": 3}
REDUCE = ("none", "mindist", "maxforce", "netforce")

SENSORS = {
    # tag                           type                 object         reference   dim         datatype      stage  check
    "touch":             SensorKind(SENS_TOUCH,          "site",        "",         1,          "positive",   "acc"),
    "accelerometer":     SensorKind(SENS_ACCELEROMETER,  "site",        "",         3,          "real",       "acc"),
    "velocimeter":       SensorKind(SENS_VELOCIMETER,    "site",        "",         3,          "real",       "vel"),
    "gyro":              SensorKind(SENS_GYRO,           "site",        "",         3,          "real",       "vel"),
    "force":             SensorKind(SENS_FORCE,          "site",        "",         3,          "real",       "acc"),
    "torque":            SensorKind(SENS_TORQUE,         "site",        "",         3,          "real",       "acc"),
    "magnetometer":      SensorKind(SENS_MAGNETOMETER,   "site",        "",         3,          "real",       "pos"),
    "rangefinder":       SensorKind(SENS_RANGEFINDER,    "site|camera", "",         "rays",     "real",       "pos"),
    "camprojection":     SensorKind(SENS_CAMPROJECTION,  "site",        "camera",   2,          "real",       "pos", "pixels"),
    "jointpos":          SensorKind(SENS_JOINTPOS,       "joint",       "",         1,          "real",       "pos", "scalar"),
    "jointvel":          SensorKind(SENS_JOINTVEL,       "joint",       "",         1,          "real",       "vel", "scalar"),
    "tendonpos":         SensorKind(SENS_TENDONPOS,      "tendon",      "",         1,          "real",       "pos"),
    "tendonvel":         SensorKind(SENS_TENDONVEL,      "tendon",      "",         1,          "real",       "vel"),
    "actuatorpos":       SensorKind(SENS_ACTUATORPOS,    "actuator",    "",         1,          "real",       "pos"),
    "actuatorvel":       SensorKind(SENS_ACTUATORVEL,    "actuator",    "",         1,          "real",       "vel"),
    "actuatorfrc":       SensorKind(SENS_ACTUATORFRC,    "actuator",    "",         1,          "real",       "acc"),
    "jointactuatorfrc":  SensorKind(SENS_JOINTACTFRC,    "joint",       "",         1,          "real",       "acc", "scalar"),
    "tendonactuatorfrc": SensorKind(SENS_TENDONACTFRC,   "tendon",      "",         1,          "real",       "acc"),
    "ballquat":          SensorKind(SENS_BALLQUAT,       "joint",       "",         4,          "quaternion", "pos", "ball"),
    "ballangvel":        SensorKind(SENS_BALLANGVEL,     "joint",       "",         3,          "real",       "vel", "ball"),
    "jointlimitpos":     SensorKind(SENS_JOINTLIMITPOS,  "joint",       "",         1,          "real",       "pos", "limit"),
    "jointlimitvel":     SensorKind(SENS_JOINTLIMITVEL,  "joint",       "",         1,          "real",       "vel", "limit"),
    "jointlimitfrc":     SensorKind(SENS_JOINTLIMITFRC,  "joint",       "",         1,          "real",       "acc", "limit"),
    "tendonlimitpos":    SensorKind(SENS_TENDONLIMITPOS, "tendon",      "",         1,          "real",       "pos", "limit"),
    "tendonlimitvel":    SensorKind(SENS_TENDONLIMITVEL, "tendon",      "",         1,          "real",       "vel", "limit"),
    "tendonlimitfrc":    SensorKind(SENS_TENDONLIMITFRC, "tendon",      "",         1,          "real",       "acc", "limit"),
    "framepos":          SensorKind(SENS_FRAMEPOS,       "objname",     "refname?", 3,          "real",       "pos"),
    "framequat":         SensorKind(SENS_FRAMEQUAT,      "objname",     "refname?", 4,          "quaternion", "pos"),
    "framexaxis":        SensorKind(SENS_FRAMEXAXIS,     "objname",     "refname?", 3,          "axis",       "pos"),
    "frameyaxis":        SensorKind(SENS_FRAMEYAXIS,     "objname",     "refname?", 3,          "axis",       "pos"),
    "framezaxis":        SensorKind(SENS_FRAMEZAXIS,     "objname",     "refname?", 3,          "axis",       "pos"),
    "framelinvel":       SensorKind(SENS_FRAMELINVEL,    "objname",     "refname?", 3,          "real",       "vel"),
    "frameangvel":       SensorKind(SENS_FRAMEANGVEL,    "objname",     "refname?", 3,          "real",       "vel"),
    "framelinacc":       SensorKind(SENS_FRAMELINACC,    "objname",     "",         3,          "real",       "acc"),
    "frameangacc":       SensorKind(SENS_FRAMEANGACC,    "objname",     "",         3,          "real",       "acc"),
    "subtreecom":        SensorKind(SENS_SUBTREECOM,     "body",        "",         3,          "real",       "pos"),
    "subtreelinvel":     SensorKind(SENS_SUBTREELINVEL,  "body",        "",         3,          "real",       "vel"),
    "subtreeangmom":     SensorKind(SENS_SUBTREEANGMOM,  "body",        "",         3,          "real",       "vel"),
    "insidesite":        SensorKind(SENS_INSIDESITE,     "objname",     "site",     1,          "positive",   "pos"),
    "distance":          SensorKind(SENS_GEOMDIST,       *GEOMS,                    1,          "real",       "pos", "two"),
    "normal":            SensorKind(SENS_GEOMNORMAL,     *GEOMS,                    3,          "axis",       "pos", "two"),
    "fromto":            SensorKind(SENS_GEOMFROMTO,     *GEOMS,                    6,          "real",       "pos", "two"),
    "contact":           SensorKind(SENS_CONTACT,        *TOUCHING,                 "contacts", "real",       "acc"),
    "e_potential":       SensorKind(SENS_E_POTENTIAL,    "",            "",         1,          "real",       "pos"),
    "e_kinetic":         SensorKind(SENS_E_KINETIC,      "",            "",         1,          "real",       "pos"),
    "clock":             SensorKind(SENS_CLOCK,          "",            "",         1,          "real",       "pos"),
    "tactile":           SensorKind(SENS_TACTILE,        "mesh",        "geom",     "touched",  "real",       "acc"),
    "user":              SensorKind(SENS_USER,           "objname?",    "",         "given",    "",           "",    "user"),
}  # fmt: skip
