"""`mjv_updateScene`: everything that a picture of a model's state shows, in MuJoCo's order."""

from typing import TYPE_CHECKING

from mjenv.engine.data.views import takes_views

from .actuators import actuator_rows, crank_rows, joint_rows
from .bodies import (
    applied_force_rows,
    body_frame_rows,
    body_label_rows,
    com_rows,
    connection_rows,
    constraint_rows,
    geom_frame_rows,
    inertia_rows,
    island_label_rows,
    site_frame_rows,
)
from .camera_and_light_geoms import camera_rows, light_rows
from .cameras import mjv_updateCamera
from .contacts import contact_rows
from .flexes import flex_rows, mjv_updateActiveFlex, shows_flexes
from .lights import mjv_makeLights
from .model_geoms import STATIC, geom_rows, site_rows
from .names import CAT, VIS
from .scene_context import SceneContext
from .selection import perturb_rows, selection_point_rows
from .sensors import sensor_rows, tactile_rows
from .settings import MjvCamera, MjvOption, MjvPerturb
from .single_world import SingleWorld
from .skins import mjv_updateSkin, skin_rows
from .tendons import tendon_rows
from .trees import body_tree_rows, flex_tree_rows, mesh_tree_rows, octree_rows

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

    from .scene import MjvScene

DECOR = int(CAT.mjCAT_DECOR)

# what draws the things of the model, and what draws decor, in the order of scenes
MODEL = (flex_rows, skin_rows, geom_rows, site_rows, tendon_rows, crank_rows)
DECORATION = (
    geom_frame_rows,       # MjvOption.frame: geoms
    site_frame_rows,       # frame: sites
    body_tree_rows,        # flag BODYBVH
    flex_tree_rows,        # flag MESHBVH
    mesh_tree_rows,        # flag MESHBVH
    octree_rows,           # flag MESHBVH
    tactile_rows,          # flag CONTACTPOINT
    inertia_rows,          # flags INERTIA, SCLINERTIA
    perturb_rows,          # flag PERTOBJ
    body_frame_rows,       # frame: bodies, world
    selection_point_rows,  # flag SELECT
    body_label_rows,       # label: bodies, selection
    joint_rows,            # flag JOINT
    actuator_rows,         # flags ACTUATOR, ACTIVATION
    island_label_rows,     # label: islands
    camera_rows,           # flag CAMERA
    light_rows,            # flag LIGHT
    com_rows,              # flag COM
    connection_rows,       # flag AUTOCONNECT
    sensor_rows,           # flag RANGEFINDER
    applied_force_rows,    # flag PERTFORCE
    constraint_rows,       # flag CONSTRAINT
    contact_rows,          # flags CONTACTPOINT, CONTACTFORCE, CONTACTSPLIT; frame: contacts
)  # fmt: skip


@takes_views
def mjv_addGeoms(
    model: "Model", data: "Data", opt: MjvOption, pert: MjvPerturb | None, catmask: int,
    scn: "MjvScene", world: int = 0,
) -> None:  # fmt: skip
    """Add the geoms of some categories to a scene.

    Args:
        model: the model.
        data: worlds, with what the last call of `forward` or `step` computed.
        opt: what is drawn.
        pert: what is selected and pulled; None for nothing.
        catmask: mjtCatBit, categories that are added.
        scn: the scene.
        world: which world.
    """
    one = SingleWorld(model, data, world, "mjv_addGeoms")
    pert = pert if pert is not None else MjvPerturb()
    if not opt.flags[VIS.mjVIS_STATIC]:
        catmask &= ~STATIC
    context = SceneContext(one, opt, pert, catmask, scn)
    for rows_of in MODEL + DECORATION if catmask & DECOR else MODEL:
        scn.add(rows_of(context))


@takes_views
def mjv_updateScene(
    model: "Model", data: "Data", opt: MjvOption, pert: MjvPerturb | None, cam: MjvCamera | None,
    catmask: int, scn: "MjvScene", world: int = 0,
) -> None:  # fmt: skip
    """Make a scene of a state of one world: geoms, cameras, lights, deformables, skins.

    As in MuJoCo, infinite planes are centred below the camera that the scene had before.

    Args:
        model: the model.
        data: worlds, with what the last call of `forward` or `step` computed.
        opt: what is drawn.
        pert: what is selected and pulled; None for nothing.
        cam: the camera; None leaves the scene's cameras as they are.
        catmask: mjtCatBit, categories that are shown.
        scn: the scene.
        world: which world.

    Raises:
        ValueError: no such camera, body or world.
    """
    scn.ngeom = 0
    mjv_addGeoms(model, data, opt, pert, catmask, scn, world=world)
    if cam is not None:
        mjv_updateCamera(model, data, cam, scn, world=world)
    mjv_makeLights(model, data, scn, world=world)
    if shows_flexes(opt.flags):
        mjv_updateActiveFlex(model, data, scn, opt, world=world)
    if opt.flags[VIS.mjVIS_SKIN]:
        mjv_updateSkin(model, data, scn, opt, world=world)
