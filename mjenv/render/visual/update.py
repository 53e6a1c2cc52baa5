"""`mjv_updateScene`: everything that a picture of a model's state shows, in MuJoCo's order."""

from typing import TYPE_CHECKING

from mjenv.engine.views import takes_views

from .cameras import mjv_updateCamera
from .lights import mjv_makeLights
from .model_geoms import STATIC, geom_rows, site_rows
from .names import CAT, VIS
from .one_world import OneWorld
from .settings import MjvCamera, MjvOption, MjvPerturb
from .skins import mjv_updateSkin, skin_rows

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

    from .scene import MjvScene

DECOR = int(CAT.mjCAT_DECOR)


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
    one = OneWorld(model, data, world, "mjv_addGeoms")
    pert = pert if pert is not None else MjvPerturb()
    if not opt.flags[VIS.mjVIS_STATIC]:
        catmask &= ~STATIC
    scn.add(skin_rows(one, opt, pert, catmask))
    scn.add(geom_rows(one, opt, pert, catmask, scn))
    scn.add(site_rows(one, opt, pert, catmask))


@takes_views
def mjv_updateScene(
    model: "Model", data: "Data", opt: MjvOption, pert: MjvPerturb | None, cam: MjvCamera | None,
    catmask: int, scn: "MjvScene", world: int = 0,
) -> None:  # fmt: skip
    """Make a scene of what the state of one world looks like: geoms, cameras, lights, skins.

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
    if opt.flags[VIS.mjVIS_SKIN]:
        mjv_updateSkin(model, data, scn, opt, world=world)
