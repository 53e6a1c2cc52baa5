"""The functions `mjv_`: the engine's visualizer, with MuJoCo's order of arguments and outputs."""

import numpy as np

from mjenv.mujoco.structs import (
    MjData,
    MjModel,
    MjvCamera,
    MjvFigure,
    MjvGeom,
    MjvGLCamera,
    MjvOption,
    MjvPerturb,
    MjvScene,
)
from mjenv.visual import cameras, interaction, lights, settings, shapes, skins, update
from mjenv.visual.records import Record

# ---------------------------------------------------------------- settings


def mjv_defaultCamera(cam: MjvCamera) -> None:
    """Give a camera the values of a new one."""
    settings.mjv_defaultCamera(cam)


def mjv_defaultFreeCamera(m: MjModel, cam: MjvCamera) -> None:
    """Make a camera the free one of a model."""
    settings.mjv_defaultFreeCamera(m, cam)


def mjv_defaultOption(opt: MjvOption) -> None:
    """Give options the values of new ones."""
    settings.mjv_defaultOption(opt)


def mjv_defaultPerturb(pert: MjvPerturb) -> None:
    """Give a perturbation the values of a new one: nothing is selected."""
    settings.mjv_defaultPerturb(pert)


def mjv_defaultFigure(fig: MjvFigure) -> None:
    """Give a plot the values of a new one."""
    _copy(MjvFigure(), fig)


def _copy(source: Record, target: Record) -> None:
    """Give a record the values of another one."""
    for name in source.DTYPE.names or ():
        target._row[name] = source._row[name]


# ---------------------------------------------------------------- scenes


def mjv_updateScene(
    m: MjModel, d: MjData, opt: MjvOption, pert: MjvPerturb | None, cam: MjvCamera, catmask: int,
    scn: MjvScene,
) -> None:  # fmt: skip
    """Make a scene of a state: geoms, cameras, lights, deformables, skins."""
    update.mjv_updateScene(m, d, opt, pert, cam, catmask, scn)


def mjv_addGeoms(
    m: MjModel, d: MjData, opt: MjvOption, pert: MjvPerturb, catmask: int, scn: MjvScene
) -> None:
    """Add the geoms of some categories to a scene."""
    update.mjv_addGeoms(m, d, opt, pert, catmask, scn)


def mjv_makeLights(m: MjModel, d: MjData, scn: MjvScene) -> None:
    """Make the lights of a scene."""
    lights.mjv_makeLights(m, d, scn)


def mjv_updateCamera(m: MjModel, d: MjData, cam: MjvCamera, scn: MjvScene) -> None:
    """Make the cameras of a scene."""
    cameras.mjv_updateCamera(m, d, cam, scn)


def mjv_updateSkin(m: MjModel, d: MjData, scn: MjvScene) -> None:
    """Move the skins of a scene to where bones are."""
    skins.mjv_updateSkin(m, d, scn)


def mjv_initGeom(
    geom: MjvGeom,
    type: int,
    size: np.ndarray | None,
    pos: np.ndarray | None,
    mat: np.ndarray | None,
    rgba: np.ndarray | None,
) -> None:
    """Set a geom; what is not given gets default values."""
    shapes.mjv_initGeom(geom, type, size, pos, mat, rgba)


def mjv_connector(
    geom: MjvGeom, type: int, width: float, from_: np.ndarray, to: np.ndarray
) -> None:
    """Make a geom a capsule, cylinder, arrow or line between two points."""
    shapes.mjv_connector(geom, type, width, from_, to)


# ---------------------------------------------------------------- cameras


def mjv_cameraFrame(
    headpos: np.ndarray, forward: np.ndarray, up: np.ndarray, right: np.ndarray, d: MjData,
    cam: MjvCamera,
) -> None:  # fmt: skip
    """Position and axes of a camera."""
    frame = cameras.mjv_cameraFrame(d.model, d, cam)
    headpos[:], forward[:], up[:], right[:] = frame.pos, frame.forward, frame.up, frame.right


def mjv_cameraFrustum(
    zver: np.ndarray, zhor: np.ndarray, zclip: np.ndarray, m: MjModel, cam: MjvCamera
) -> None:
    """Opening of a camera: vertical, horizontal, near and far."""
    zver[:], zhor[:], zclip[:] = cameras.mjv_cameraFrustum(m, cam)


def mjv_cameraInModel(
    headpos: np.ndarray, forward: np.ndarray, up: np.ndarray, scn: MjvScene
) -> None:
    """Position, forward and up of a scene's camera in the model's space."""
    headpos[:], forward[:], up[:] = cameras.mjv_cameraInModel(scn)


def mjv_cameraInRoom(
    headpos: np.ndarray, forward: np.ndarray, up: np.ndarray, scn: MjvScene
) -> None:
    """Position, forward and up of a scene's camera in the room."""
    headpos[:], forward[:], up[:] = cameras.mjv_cameraInRoom(scn)


def mjv_averageCamera(cam1: MjvGLCamera, cam2: MjvGLCamera) -> MjvGLCamera:
    """The camera midway between two."""
    return MjvGLCamera.at(cameras.mjv_averageCamera(cam1, cam2)._row)


def mjv_frustumHeight(scn: MjvScene) -> float:
    """Height of what a scene's camera sees at a distance of 1 m."""
    return cameras.mjv_frustumHeight(scn)


def mjv_alignToCamera(res: np.ndarray, vec: np.ndarray, forward: np.ndarray) -> None:
    """A vector turned about the vertical so that y becomes the camera's horizontal forward."""
    res[:] = cameras.mjv_alignToCamera(vec, forward)


def mjv_room2model(
    modelpos: np.ndarray,
    modelquat: np.ndarray,
    roompos: np.ndarray,
    roomquat: np.ndarray,
    scn: MjvScene,
) -> None:
    """A pose of the room in the model's space."""
    modelpos[:], modelquat[:] = cameras.mjv_room2model(roompos, roomquat, scn)


def mjv_model2room(
    roompos: np.ndarray,
    roomquat: np.ndarray,
    modelpos: np.ndarray,
    modelquat: np.ndarray,
    scn: MjvScene,
) -> None:
    """A pose of the model's space in the room."""
    roompos[:], roomquat[:] = cameras.mjv_model2room(modelpos, modelquat, scn)


# ---------------------------------------------------------------- the mouse


def mjv_moveCamera(
    m: MjModel, action: int, reldx: float, reldy: float, scn: MjvScene, cam: MjvCamera
) -> None:
    """Move a free or tracking camera as the mouse says."""
    cameras.mjv_moveCamera(m, action, reldx, reldy, scn, cam)


def mjv_moveModel(
    m: MjModel, action: int, reldx: float, reldy: float, roomup: np.ndarray, scn: MjvScene
) -> None:
    """Move a model in its room as the mouse says."""
    interaction.mjv_moveModel(m, action, reldx, reldy, roomup, scn)


def mjv_initPerturb(m: MjModel, d: MjData, scn: MjvScene, pert: MjvPerturb) -> None:
    """Start to pull the selected body."""
    interaction.mjv_initPerturb(d.batch.model, d, scn, pert)


def mjv_movePerturb(
    m: MjModel, d: MjData, action: int, reldx: float, reldy: float, scn: MjvScene,
    pert: MjvPerturb,
) -> None:  # fmt: skip
    """Move the references of a perturbation as the mouse says."""
    interaction.mjv_movePerturb(d.batch.model, d, action, reldx, reldy, scn, pert)


def mjv_applyPerturbPose(m: MjModel, d: MjData, pert: MjvPerturb, flg_paused: int) -> None:
    """Put the selected body where its reference is, if it is mocap, or paused and free."""
    interaction.mjv_applyPerturbPose(d.batch.model, d, pert, bool(flg_paused))


def mjv_applyPerturbForce(m: MjModel, d: MjData, pert: MjvPerturb) -> None:
    """Pull the selected body to its reference by a damped spring: sets its xfrc_applied."""
    interaction.mjv_applyPerturbForce(d.batch.model, d, pert)


def mjv_select(
    m: MjModel, d: MjData, vopt: MjvOption, aspectratio: float, relx: float, rely: float,
    scn: MjvScene, selpnt: np.ndarray, geomid: np.ndarray, flexid: np.ndarray, skinid: np.ndarray,
) -> int:  # fmt: skip
    """The body that is seen at a point of a picture; -1 for none."""
    found = interaction.mjv_select(d.batch.model, d, vopt, aspectratio, relx, rely, scn)
    selpnt[:], geomid[:], flexid[:], skinid[:] = (
        found.point, found.geomid, found.flexid, found.skinid,
    )  # fmt: skip
    return found.bodyid
