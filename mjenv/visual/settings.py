"""`MjvCamera`, `MjvOption`, `MjvPerturb`: what users choose; `MjvGeom`, ...: what is made of it."""

from typing import TYPE_CHECKING

import numpy as np

from .names import CAMERA, GEOM, VIS
from .records import CAMERA as CAMERA_ROW
from .records import GEOM as GEOM_ROW
from .records import GLCAMERA, LIGHT, OPTION, PERTURB, Record, row_of

if TYPE_CHECKING:
    from mjenv.engine.model.model import Model

GRAY = (0.5, 0.5, 0.5, 1.0)
GRAY_ROW = np.array(GRAY, np.float32)
SHOWN_GROUPS = (1, 1, 1, 0, 0, 0)
# flags that are on at the start
SHOWN = (
    VIS.mjVIS_TEXTURE, VIS.mjVIS_TENDON, VIS.mjVIS_RANGEFINDER, VIS.mjVIS_PERTOBJ,
    VIS.mjVIS_STATIC, VIS.mjVIS_SKIN, VIS.mjVIS_FLEXEDGE, VIS.mjVIS_FLEXSKIN,
)  # fmt: skip


class MjvCamera(Record):
    """Camera of a picture.

    Attributes:
        type: mjtCamera: free, tracking, fixed.
        fixedcamid: camera of the model, where the type is fixed; -1 for none.
        trackbodyid: body whose subtree's centre of mass a tracking camera looks at; -1 for none.
        lookat: (3,) the point that a free camera looks at, m.
        distance: from that point, m.
        azimuth, elevation: direction of the look, degrees.
        orthographic: 1 where there is no perspective. It matters to the mouse alone; what is drawn
            obeys the model's `vis.global_.orthographic`, as in MuJoCo.
    """

    __slots__ = ()
    DTYPE = CAMERA_ROW
    DEFAULT = row_of(
        CAMERA_ROW, type=CAMERA.mjCAMERA_FREE, fixedcamid=-1, trackbodyid=-1,
        distance=2.0, azimuth=90.0, elevation=-45.0,
    )  # fmt: skip


class MjvOption(Record):
    """Options: the elements that are drawn.

    Attributes:
        label: mjtLabel, what has labels.
        frame: mjtFrame, whose frames are drawn.
        geomgroup, sitegroup, jointgroup, tendongroup, actuatorgroup, flexgroup, skingroup: (6,)
            which groups are drawn.
        flags: (mjNVISFLAG,) what else is drawn, by mjtVisFlag.
        bvh_depth: level of the bounding volumes that are drawn.
        flex_layer: layer of the elements of 3D flexes.
    """

    __slots__ = ()
    DTYPE = OPTION
    DEFAULT = row_of(
        OPTION,
        **{name: SHOWN_GROUPS for name in OPTION.names or () if name.endswith("group")},
        flags=np.isin(np.arange(int(VIS.mjNVISFLAG)), [int(flag) for flag in SHOWN]),
        bvh_depth=1,
    )


class MjvPerturb(Record):
    """Selected body, and how it is pulled.

    Attributes:
        select: the selected body; 0 or less for none.
        flexselect, skinselect: the selected flex and skin; -1 for none.
        active, active2: mjtPertBit, what is pulled or turned.
        refpos: (3,) where the body's inertial frame is to be, m.
        refquat: (4,) its orientation.
        refselpos: (3,) where the selected point is to be, m.
        localpos: (3,) the selected point in the body's frame, m.
        localmass: inertia that a force on the point meets, kg.
        scale: way of the point (m) for a way of the mouse across the picture's height.
    """

    __slots__ = ()
    DTYPE = PERTURB
    DEFAULT = row_of(PERTURB, flexselect=-1, skinselect=-1, refquat=(1.0, 0, 0, 0), scale=1.0)


class MjvGeom(Record):
    """An abstract geom.

    Attributes:
        type: mjtGeom, with the types of decor.
        dataid: number of the height field or plane, twice that of the mesh, and 1 more for its
            convex hull; -1 for none.
        objtype, objid: what it shows: mjtObj and number.
        category: mjtCatBit.
        matid: material whose textures it has; -1 for none.
        texcoord: whether its mesh has texture coordinates.
        segid: its number in the scene.
        size: (3,), m.
        pos: (3,), m.
        mat: (3, 3) orientation.
        rgba: (4,).
        emission, specular, shininess, reflectance: as of materials.
        label: text.
        camdist: distance from the camera, m, where a renderer sorted geoms.
        modelrbound: bounding radius of a geom of the model, m; 0 for others.
        transparent: whether a renderer blends it.
    """

    __slots__ = ()
    DTYPE = GEOM_ROW
    DEFAULT = row_of(
        GEOM_ROW, type=GEOM.mjGEOM_NONE, dataid=-1, matid=-1, size=0.1, mat=np.eye(3), rgba=GRAY,
        specular=0.5, shininess=0.5,
    )  # fmt: skip


class MjvLight(Record):
    """A light: MuJoCo's fields; `id` is the light's number in the model, -1 for the headlight."""

    __slots__ = ()
    DTYPE = LIGHT
    DEFAULT = row_of(LIGHT)


class MjvGLCamera(Record):
    """One eye: frame (pos, forward, up) and opening; frustum sizes (m) are of the near plane."""

    __slots__ = ()
    DTYPE = GLCAMERA
    DEFAULT = row_of(GLCAMERA)


def _default(record: Record, kind: type[Record], where: str) -> None:
    """Give a record the values of a new one."""
    if not isinstance(record, kind):
        raise TypeError(f"{where}: found {type(record).__name__}, expected mjenv.{kind.__name__}()")
    for name in kind.DTYPE.names or ():
        record._row[name] = kind.DEFAULT[0][name]


def mjv_defaultCamera(cam: MjvCamera) -> None:
    """Give a camera the values of a new one."""
    _default(cam, MjvCamera, "mjv_defaultCamera")


def mjv_defaultOption(opt: MjvOption) -> None:
    """Give options the values of new ones."""
    _default(opt, MjvOption, "mjv_defaultOption")


def mjv_defaultPerturb(pert: MjvPerturb) -> None:
    """Give a perturbation the values of a new one: nothing is selected."""
    _default(pert, MjvPerturb, "mjv_defaultPerturb")


def mjv_defaultFreeCamera(model: "Model", cam: MjvCamera) -> None:
    """Make a camera the free one of a model: around `stat.center`, as `vis.global_` says."""
    mjv_defaultCamera(cam)
    settings = model.vis.global_
    cam.lookat = model.stat.center
    cam.distance = 1.5 * model.stat.extent
    cam.azimuth, cam.elevation = settings.azimuth, settings.elevation
    cam.orthographic = settings.orthographic
