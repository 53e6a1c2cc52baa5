"""The abstract visualizer: from a model and its state to lists of geoms, lights and cameras.

Names are MuJoCo's. What differs: functions of data have a `world`, and results are returned where
MuJoCo's functions fill arrays.
"""

from .cameras import (
    default_camera,
    mjv_alignToCamera,
    mjv_averageCamera,
    mjv_cameraFrame,
    mjv_cameraFrustum,
    mjv_cameraInModel,
    mjv_cameraInRoom,
    mjv_frustumHeight,
    mjv_model2room,
    mjv_moveCamera,
    mjv_room2model,
    mjv_updateCamera,
)
from .flexes import mjv_updateActiveFlex
from .interaction import (
    Selection,
    mjv_applyPerturbForce,
    mjv_applyPerturbPose,
    mjv_initPerturb,
    mjv_moveModel,
    mjv_movePerturb,
    mjv_select,
)
from .lights import mjv_makeLights
from .model_geoms import Shapes, model_shapes
from .scene import MjvScene
from .settings import (
    MjvCamera,
    MjvGeom,
    MjvGLCamera,
    MjvLight,
    MjvOption,
    MjvPerturb,
    mjv_defaultCamera,
    mjv_defaultFreeCamera,
    mjv_defaultOption,
    mjv_defaultPerturb,
)
from .shapes import mjv_connector, mjv_initGeom
from .skins import mjv_updateSkin
from .update import mjv_addGeoms, mjv_updateScene

__all__ = [
    "MjvCamera",
    "MjvGLCamera",
    "MjvGeom",
    "MjvLight",
    "MjvOption",
    "MjvPerturb",
    "MjvScene",
    "Selection",
    "Shapes",
    "default_camera",
    "mjv_addGeoms",
    "mjv_alignToCamera",
    "mjv_applyPerturbForce",
    "mjv_applyPerturbPose",
    "mjv_averageCamera",
    "mjv_cameraFrame",
    "mjv_cameraFrustum",
    "mjv_cameraInModel",
    "mjv_cameraInRoom",
    "mjv_connector",
    "mjv_defaultCamera",
    "mjv_defaultFreeCamera",
    "mjv_defaultOption",
    "mjv_defaultPerturb",
    "mjv_frustumHeight",
    "mjv_initGeom",
    "mjv_initPerturb",
    "mjv_makeLights",
    "mjv_model2room",
    "mjv_moveCamera",
    "mjv_moveModel",
    "mjv_movePerturb",
    "mjv_room2model",
    "mjv_select",
    "mjv_updateActiveFlex",
    "mjv_updateCamera",
    "mjv_updateScene",
    "mjv_updateSkin",
    "model_shapes",
]
