"""MuJoCo's enumerations and limits that pictures need."""

from typing import Any

from mjenv.engine.tables.enum_tables import enumeration

CAMERA: Any = enumeration("mjtCamera")
CAT: Any = enumeration("mjtCatBit")
FRAME: Any = enumeration("mjtFrame")
GEOM: Any = enumeration("mjtGeom")
JOINT: Any = enumeration("mjtJoint")
LABEL: Any = enumeration("mjtLabel")
LIGHT: Any = enumeration("mjtLightType")
MOUSE: Any = enumeration("mjtMouse")
OBJ: Any = enumeration("mjtObj")
PERT: Any = enumeration("mjtPertBit")
RND: Any = enumeration("mjtRndFlag")
SENS: Any = enumeration("mjtSensor")
TRN: Any = enumeration("mjtTrn")
VIS: Any = enumeration("mjtVisFlag")

NGROUP = 6  # groups of geoms, sites, ...
NVISFLAG = int(VIS.mjNVISFLAG)
NRNDFLAG = int(RND.mjNRNDFLAG)
MAXLIGHT = 100  # lights of a scene
MAXPLANEGRID = 200  # squares of the grid that infinite planes are drawn with
MINVAL = 1e-15
