"""MuJoCo's enumerations, with its names and values: `mjenv.mjtGeom.mjGEOM_BOX`.

They are whole numbers, and may stand wherever these may. Options that choose among things take
their names too: `model.opt.integrator = "RK4"`.
"""

from collections.abc import Iterable
from enum import IntEnum, IntFlag
from functools import cache
from typing import Any

import numpy as np

from ..errors import nearest_or_all

# name, beginning of its members' names; then the members, counted from 0, or in `bits` from bit 0
TABLE = """
mjtAlignFree            mjALIGNFREE_
    FALSE TRUE AUTO
mjtBias                 mjBIAS_
    NONE AFFINE MUSCLE DCMOTOR USER
mjtBuiltin              mjBUILTIN_
    NONE GRADIENT CHECKER FLAT
mjtCamLight             mjCAMLIGHT_
    FIXED TRACK TRACKCOM TARGETBODY TARGETBODYCOM
mjtCamOutBit            mjCAMOUT_           bits
    RGB DEPTH DIST mjNCAMOUT=5 NORMAL SEG
mjtCamera               mjCAMERA_
    FREE TRACKING FIXED USER
mjtCatBit               mjCAT_              bits
    STATIC DYNAMIC DECOR ALL=7
mjtColorSpace           mjCOLORSPACE_
    AUTO LINEAR SRGB
mjtConDataField         mjCONDATA_
    FOUND FORCE TORQUE DIST POS NORMAL TANGENT mjNCONDATA
mjtCone                 mjCONE_
    PYRAMIDAL ELLIPTIC
mjtConstraint           mjCNSTR_
    EQUALITY FRICTION_DOF FRICTION_TENDON LIMIT_JOINT LIMIT_TENDON CONTACT_FRICTIONLESS
    CONTACT_PYRAMIDAL CONTACT_ELLIPTIC
mjtConstraintState      mjCNSTRSTATE_
    SATISFIED QUADRATIC LINEARNEG LINEARPOS CONE
mjtDataType             mjDATATYPE_
    REAL POSITIVE AXIS QUATERNION
mjtDisableBit           mjDSBL_             bits
    CONSTRAINT EQUALITY FRICTIONLOSS LIMIT CONTACT mjNDISABLE=20 SPRING DAMPER GRAVITY CLAMPCTRL
    WARMSTART FILTERPARENT ACTUATION REFSAFE SENSOR MIDPHASE EULERDAMP AUTORESET NATIVECCD
    ISLAND MULTICCD
mjtDyn                  mjDYN_
    NONE INTEGRATOR FILTER FILTEREXACT MUSCLE DCMOTOR USER
mjtEnableBit            mjENBL_             bits
    OVERRIDE ENERGY FWDINV mjNENABLE=5 INVDISCRETE SLEEP
mjtEq                   mjEQ_
    CONNECT WELD JOINT TENDON FLEX FLEXVERT FLEXSTRAIN DISTANCE
mjtFlexSelf             mjFLEXSELF_
    NONE NARROW BVH SAP AUTO
mjtFrame                mjFRAME_
    NONE BODY GEOM SITE CAMERA LIGHT CONTACT WORLD mjNFRAME
mjtGain                 mjGAIN_
    FIXED AFFINE MUSCLE DCMOTOR USER
mjtGeom                 mjGEOM_
    PLANE HFIELD SPHERE CAPSULE ELLIPSOID CYLINDER BOX MESH SDF mjNGEOMTYPES ARROW=100 ARROW1
    ARROW2 LINE LINEBOX FLEX SKIN LABEL TRIANGLE NONE=1001
mjtGeomInertia          mjINERTIA_
    VOLUME SHELL
mjtInertiaFromGeom      mjINERTIAFROMGEOM_
    FALSE TRUE AUTO
mjtIntegrator           mjINT_
    EULER RK4 IMPLICIT IMPLICITFAST
mjtJacobian             mjJAC_
    DENSE SPARSE AUTO
mjtJoint                mjJNT_
    FREE BALL SLIDE HINGE
mjtLRMode               mjLRMODE_
    NONE MUSCLE MUSCLEUSER ALL
mjtLabel                mjLABEL_
    NONE BODY JOINT GEOM SITE CAMERA LIGHT TENDON ACTUATOR CONSTRAINT FLEX SKIN SELECTION SELPNT
    CONTACTPOINT CONTACTFORCE ISLAND mjNLABEL
mjtLightType            mjLIGHT_
    SPOT DIRECTIONAL POINT IMAGE
mjtLimited              mjLIMITED_
    FALSE TRUE AUTO
mjtMark                 mjMARK_
    NONE EDGE CROSS RANDOM
mjtMeshBuiltin          mjMESH_BUILTIN_
    NONE SPHERE HEMISPHERE CONE SUPERSPHERE SUPERTORUS WEDGE PLATE
mjtMeshInertia          mjMESH_INERTIA_
    CONVEX EXACT LEGACY SHELL
mjtMouse                mjMOUSE_
    NONE ROTATE_V ROTATE_H MOVE_V MOVE_H ZOOM MOVE_V_REL MOVE_H_REL
mjtObj                  mjOBJ_
    UNKNOWN BODY XBODY JOINT DOF GEOM SITE CAMERA LIGHT FLEX MESH SKIN HFIELD TEXTURE MATERIAL
    PAIR EXCLUDE EQUALITY TENDON ACTUATOR SENSOR NUMERIC TEXT TUPLE KEY PLUGIN mjNOBJECT
    FRAME=100 DEFAULT MODEL
mjtOrientation          mjORIENTATION_
    QUAT AXISANGLE XYAXES ZAXIS EULER
mjtPertBit              mjPERT_             bits
    TRANSLATE ROTATE
mjtPluginCapabilityBit  mjPLUGIN_           bits
    ACTUATOR SENSOR PASSIVE SDF
mjtProjection           mjPROJ_
    PERSPECTIVE ORTHOGRAPHIC
mjtRayDataField         mjRAYDATA_
    DIST DIR ORIGIN POINT NORMAL DEPTH mjNRAYDATA
mjtRndFlag              mjRND_
    SHADOW WIREFRAME REFLECTION ADDITIVE SKYBOX FOG HAZE DEPTH SEGMENT IDCOLOR CULL_FACE
    mjNRNDFLAG
mjtSDFType              mjSDFTYPE_
    SINGLE INTERSECTION MIDSURFACE COLLISION
mjtSameFrame            mjSAMEFRAME_
    NONE BODY INERTIA BODYROT INERTIAROT
mjtSensor               mjSENS_
    TOUCH ACCELEROMETER VELOCIMETER GYRO FORCE TORQUE MAGNETOMETER RANGEFINDER CAMPROJECTION
    JOINTPOS JOINTVEL TENDONPOS TENDONVEL ACTUATORPOS ACTUATORVEL ACTUATORFRC JOINTACTFRC
    TENDONACTFRC BALLQUAT BALLANGVEL JOINTLIMITPOS JOINTLIMITVEL JOINTLIMITFRC TENDONLIMITPOS
    TENDONLIMITVEL TENDONLIMITFRC FRAMEPOS FRAMEQUAT FRAMEXAXIS FRAMEYAXIS FRAMEZAXIS
    FRAMELINVEL FRAMEANGVEL FRAMELINACC FRAMEANGACC SUBTREECOM SUBTREELINVEL SUBTREEANGMOM
    INSIDESITE GEOMDIST GEOMNORMAL GEOMFROMTO CONTACT E_POTENTIAL E_KINETIC CLOCK TACTILE PLUGIN
    USER
mjtSleepPolicy          mjSLEEP_
    AUTO AUTO_NEVER AUTO_ALLOWED NEVER ALLOWED INIT
mjtSleepState           mjS_
    STATIC=-1 ASLEEP AWAKE
mjtSolver               mjSOL_
    PGS CG NEWTON
mjtStage                mjSTAGE_
    NONE POS VEL ACC
mjtState                mjSTATE_            bits
    TIME QPOS QVEL ACT mjNSTATE=14 HISTORY PHYSICS=30 WARMSTART CTRL QFRC_APPLIED XFRC_APPLIED
    EQ_ACTIVE MOCAP_POS MOCAP_QUAT USERDATA USER=8128 PLUGIN FULLPHYSICS=8223 INTEGRATION=16383
mjtStereo               mjSTEREO_
    NONE QUADBUFFERED SIDEBYSIDE
mjtTexture              mjTEXTURE_
    2D CUBE SKYBOX
mjtTextureRole          mjTEXROLE_
    USER RGB OCCLUSION ROUGHNESS METALLIC NORMAL OPACITY EMISSIVE RGBA ORM mjNTEXROLE
mjtTimer                mjTIMER_
    STEP FORWARD INVERSE POSITION VELOCITY ACTUATION CONSTRAINT ADVANCE POS_KINEMATICS
    POS_INERTIA POS_COLLISION POS_MAKE POS_PROJECT COL_BROAD COL_NARROW mjNTIMER
mjtTrn                  mjTRN_
    JOINT JOINTINPARENT SLIDERCRANK TENDON SITE BODY UNDEFINED=1000
mjtVisFlag              mjVIS_
    CONVEXHULL TEXTURE JOINT CAMERA ACTUATOR ACTIVATION LIGHT TENDON RANGEFINDER CONSTRAINT
    INERTIA SCLINERTIA PERTFORCE PERTOBJ CONTACTPOINT ISLAND CONTACTFORCE CONTACTSPLIT
    TRANSPARENT AUTOCONNECT COM SELECT STATIC SKIN FLEXVERT FLEXEDGE FLEXFACE FLEXSKIN BODYBVH
    MESHBVH SDFITER mjNVISFLAG
mjtWarning              mjWARN_
    INERTIA CONTACTFULL CNSTRFULL BADQPOS BADQVEL BADQACC BADCTRL mjNWARNING
mjtWrap                 mjWRAP_
    NONE JOINT PULLEY SITE SPHERE CYLINDER
"""


def _rows() -> dict[str, tuple[str, bool, tuple[str, ...]]]:
    """ResetContext of the members' names, whether they are bits, and the members, by name."""
    rows, last = {}, ""
    for line in TABLE.strip().splitlines():
        if line[0] != " ":
            last, prefix, *kind = line.split()
            rows[last] = (prefix, kind == ["bits"], ())
        else:
            prefix, bits, words = rows[last]
            rows[last] = (prefix, bits, (*words, *line.split()))
    return rows


ROWS = _rows()
NAMES = tuple(ROWS)
# fields of structures that choose among the members of an enumeration, or have their bits
CHOICES = {
    "integrator": "mjtIntegrator",
    "cone": "mjtCone",
    "jacobian": "mjtJacobian",
    "solver": "mjtSolver",
    "disableflags": "mjtDisableBit",
    "enableflags": "mjtEnableBit",
}


def quick(made: Any) -> Any:
    """An enumeration whose members numpy compares as fast as plain numbers.

    numpy asks the class of a number for `__array_ufunc__`, which classes of enumerations look for
    in Python. That of arrays says what its absence says: nothing is overridden.
    """
    made.__array_ufunc__ = np.ndarray.__array_ufunc__
    return made


@cache
def enumeration(name: str) -> Any:
    """An enumeration by its name: a class of `IntEnum`, or `IntFlag` where its members are bits."""
    prefix, bits, words = ROWS[name]
    members, following = {}, 0
    for word in words:
        member, _, value = word.partition("=")
        full = member if member.startswith("mjN") else prefix + member
        number = int(value) if value else 1 << following if bits else following
        members[full] = number
        if not bits:
            following = number + 1
        elif not value:
            following += 1
    made = (IntFlag if bits else IntEnum)(name, members, module=f"{__package__}.enumerations")
    made.__doc__ = f"MuJoCo's {name}."
    return quick(made)


def short_names(name: str) -> dict[str, int]:
    """Members of an enumeration, by their names without its beginning, in lower case."""
    prefix = ROWS[name][0]
    members = enumeration(name).__members__
    return {
        member.removeprefix(prefix).lower(): int(value)
        for member, value in members.items()
        if not member.startswith("mjN")
    }


def number_of(value: Any, field: str) -> Any:
    """The number that the name of a member stands for; for bits also several names; else `value`.

    Args:
        value: a number, or the name of a member of the field's enumeration, short as in MJCF or
            in full. Bits may be named together: "contact gravity", or as a list.
        field: a key of `CHOICES`.

    Raises:
        ValueError: no such name; the message has those there are.
    """
    kind = CHOICES[field]
    prefix, bits, _ = ROWS[kind]
    if isinstance(value, str):
        names = value.replace("|", " ").replace(",", " ").split() if bits else [value.strip()]
    elif bits and isinstance(value, Iterable) and all(isinstance(x, str) for x in value):
        names = list(value)
    else:
        return value
    known, number = short_names(kind), 0
    for name in names:
        short = name.lower().removeprefix(prefix.lower())
        if short not in known:
            words = [x for x in ROWS[kind][2] if "=" not in x and not x.startswith("mjN")]
            hint = nearest_or_all(short, words, len(words))
            raise ValueError(f"{field}: '{name}': no such {kind}{hint}")
        number |= known[short]
    return number


def word_of(member: IntEnum, words: Iterable[str]) -> str | None:
    """The word of MJCF that a member of an enumeration stands for, None if it is none of them."""
    prefix = ROWS.get(type(member).__name__, ("",))[0]
    short = member.name.removeprefix(prefix).lower()
    return next((word for word in words if word.lower() == short), None)
