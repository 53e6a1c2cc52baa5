"""Fields as type checkers see them, written by tests/typed_fields.py from the tables."""

from collections.abc import Iterable
from typing import Any, Generic, SupportsIndex, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..data.named_data import NamedData
from ..data.on_demand import Contacts
from ..model.model import Option, Statistic, Visual
from ..model.named import Named

_Number = TypeVar("_Number", bound=np.generic)

class Array(Generic[_Number]):
    """An array; what is assigned is copied into it."""

    @overload
    def __get__(self, instance: None, owner: Any) -> Array[_Number]: ...
    @overload
    def __get__(self, instance: object, owner: Any) -> NDArray[_Number]: ...
    def __set__(self, instance: object, value: ArrayLike) -> None: ...

class Choice:
    """A member of an enumeration, or bits: a number, which may be set by name too."""

    @overload
    def __get__(self, instance: None, owner: Any) -> Choice: ...
    @overload
    def __get__(self, instance: object, owner: Any) -> int: ...
    def __set__(self, instance: object, value: SupportsIndex | str | Iterable[str]) -> None: ...

class OptionFields:
    """Options of the simulation."""

    timestep: float
    """Length of a step (s)."""
    impratio: float
    """Impedance of friction relative to that of the normal."""
    tolerance: float
    """The solver stops below this improvement or gradient, scaled."""
    ls_tolerance: float
    """The line search stops below this slope, relative to the gradient."""
    noslip_tolerance: float
    """The noslip solver stops below this improvement, scaled."""
    ccd_tolerance: float
    """Accuracy of convex collision (m)."""
    sleep_tolerance: float
    """Largest velocity of a tree that falls asleep (m/s)."""
    gravity: Array[np.float64]
    """(3,): acceleration of free fall (m/s^2)."""
    wind: Array[np.float64]
    """(3,): velocity of the surrounding fluid (m/s)."""
    magnetic: Array[np.float64]
    """(3,): flux density of the world's magnetic field (T)."""
    density: float
    """Density of the surrounding fluid (kg/m^3)."""
    viscosity: float
    """Viscosity of the surrounding fluid (Pa s)."""
    o_margin: float
    """Margin of every contact, when overridden (m)."""
    o_solref: Array[np.float64]
    """(2,): solref of every contact, when overridden."""
    o_solimp: Array[np.float64]
    """(5,): solimp of every contact, when overridden."""
    o_friction: Array[np.float64]
    """(5,): friction of every contact, when overridden."""
    integrator: Choice
    """MjtIntegrator: Euler, RK4, implicit, implicitfast."""
    cone: Choice
    """MjtCone: pyramidal or elliptic friction."""
    jacobian: Choice
    """MjtJacobian: dense, sparse or automatic."""
    solver: Choice
    """MjtSolver: PGS, CG, Newton."""
    iterations: int
    """Most iterations of the solver."""
    ls_iterations: int
    """Most iterations of one line search."""
    noslip_iterations: int
    """Most iterations of the noslip solver."""
    ccd_iterations: int
    """Most iterations of convex collision."""
    disableflags: Choice
    """Standard features that are off (bits of mjtDisableBit)."""
    enableflags: Choice
    """Optional features that are on (bits of mjtEnableBit)."""
    disableactuator: int
    """Actuator groups that are off (bits)."""
    sdf_initpoints: int
    """Points from which a signed-distance search starts."""
    sdf_iterations: int
    """Most descent steps of a signed-distance search."""

class StatisticFields:
    """What the compiler finds out about a model."""

    meaninertia: float
    """Mean of the diagonal of M at qpos0 (kg, kg m^2)."""
    meanmass: float
    """Mean mass of bodies (kg)."""
    meansize: float
    """Typical size of a body (m)."""
    extent: float
    """Size of the whole model (m)."""
    center: Array[np.float64]
    """(3,): middle of the model in the world (m)."""

class VisualGlobal:
    """Settings `vis.global_`."""

    cameraid: int
    """Camera at the start; -1: the free one."""
    orthographic: int
    """1: the free camera has no perspective."""
    fovy: float
    """Vertical view of the free camera (deg; m if orthographic)."""
    ipd: float
    """Distance between the free camera's eyes (m)."""
    azimuth: float
    """First heading of the free camera (deg)."""
    elevation: float
    """First pitch of the free camera (deg)."""
    linewidth: float
    """Width of lines (pixels)."""
    glow: float
    """Brightness added to the selected body."""
    realtime: float
    """First speed of playback; 1: real time."""
    offwidth: int
    """Widest image that is rendered off screen (pixels)."""
    offheight: int
    """Highest image that is rendered off screen (pixels)."""
    ellipsoidinertia: int
    """Inertia is drawn as 0: a box, 1: an ellipsoid."""
    bvactive: int
    """1: bounding volumes show whether they were tested."""

class VisualQuality:
    """Settings `vis.quality`."""

    shadowsize: int
    """Side of the shadow map (pixels)."""
    offsamples: int
    """Samples per pixel off screen."""
    numslices: int
    """Divisions of round shapes around their axis."""
    numstacks: int
    """Divisions of round shapes along their axis."""
    numquads: int
    """Divisions of a box's faces along each side."""

class VisualHeadlight:
    """Settings `vis.headlight`."""

    ambient: Array[np.float32]
    """(3,): ambient colour."""
    diffuse: Array[np.float32]
    """(3,): diffuse colour."""
    specular: Array[np.float32]
    """(3,): specular colour."""
    active: int
    """1: on."""

class VisualMap:
    """Settings `vis.map`."""

    stiffness: float
    """Force of a mouse pull per distance (1/s^2, times mass)."""
    stiffnessrot: float
    """Torque of a mouse turn per angle (1/s^2, times inertia)."""
    force: float
    """Length of an arrow per force (m/N)."""
    torque: float
    """Length of an arrow per torque (m/(N m))."""
    alpha: float
    """Opacity of geoms in transparent mode."""
    fogstart: float
    """Distance where fog begins, in extents."""
    fogend: float
    """Distance where fog is full, in extents."""
    znear: float
    """Nearest distance that is drawn, in extents."""
    zfar: float
    """Farthest distance that is drawn, in extents."""
    haze: float
    """Share of the way to the horizon that fades into haze."""
    shadowclip: float
    """Half width of a directional light's shadows, in extents."""
    shadowscale: float
    """Share of a spot light's cone that has shadows."""
    actuatortendon: float
    """Width of a driven tendon relative to a free one."""

class VisualScale:
    """Settings `vis.scale`."""

    forcewidth: float
    """Width of force arrows, in mean sizes."""
    contactwidth: float
    """Radius of contact discs, in mean sizes."""
    contactheight: float
    """Thickness of contact discs, in mean sizes."""
    connect: float
    """Radius of lines between bodies, in mean sizes."""
    com: float
    """Radius of mass centres, in mean sizes."""
    camera: float
    """Size of cameras, in mean sizes."""
    light: float
    """Size of lights, in mean sizes."""
    selectpoint: float
    """Radius of the picked point, in mean sizes."""
    jointlength: float
    """Length of joint axes, in mean sizes."""
    jointwidth: float
    """Width of joint axes, in mean sizes."""
    actuatorlength: float
    """Length of actuators, in mean sizes."""
    actuatorwidth: float
    """Width of actuators, in mean sizes."""
    framelength: float
    """Length of frame axes, in mean sizes."""
    framewidth: float
    """Width of frame axes, in mean sizes."""
    constraint: float
    """Width of constraint lines, in mean sizes."""
    slidercrank: float
    """Width of slider-cranks, in mean sizes."""
    frustum: float
    """Distance of the far end of a drawn view cone, in mean sizes."""

class VisualRgba:
    """Settings `vis.rgba`."""

    fog: Array[np.float32]
    """(4,): fog."""
    haze: Array[np.float32]
    """(4,): haze at the horizon."""
    force: Array[np.float32]
    """(4,): forces from outside."""
    inertia: Array[np.float32]
    """(4,): inertia shapes."""
    joint: Array[np.float32]
    """(4,): joints."""
    actuator: Array[np.float32]
    """(4,): actuators at rest."""
    actuatornegative: Array[np.float32]
    """(4,): actuators at their lower bound."""
    actuatorpositive: Array[np.float32]
    """(4,): actuators at their upper bound."""
    com: Array[np.float32]
    """(4,): mass centres."""
    camera: Array[np.float32]
    """(4,): cameras."""
    light: Array[np.float32]
    """(4,): lights."""
    selectpoint: Array[np.float32]
    """(4,): the picked point."""
    connect: Array[np.float32]
    """(4,): lines between bodies."""
    contactpoint: Array[np.float32]
    """(4,): contacts."""
    contactforce: Array[np.float32]
    """(4,): contact forces."""
    contactfriction: Array[np.float32]
    """(4,): friction parts of contact forces."""
    contacttorque: Array[np.float32]
    """(4,): contact torques."""
    contactgap: Array[np.float32]
    """(4,): contacts without force, in the gap."""
    rangefinder: Array[np.float32]
    """(4,): rangefinder rays."""
    constraint: Array[np.float32]
    """(4,): violated equality constraints."""
    slidercrank: Array[np.float32]
    """(4,): slider-cranks."""
    crankbroken: Array[np.float32]
    """(4,): slider-cranks whose rod is too short."""
    frustum: Array[np.float32]
    """(4,): view cones of cameras."""
    bv: Array[np.float32]
    """(4,): bounding volumes."""
    bvactive: Array[np.float32]
    """(4,): bounding volumes that were tested."""

class VisualFields:
    """Settings of the picture, in groups."""

    @property
    def global_(self) -> VisualGlobal:
        """Settings `global_`."""

    @property
    def quality(self) -> VisualQuality:
        """Settings `quality`."""

    @property
    def headlight(self) -> VisualHeadlight:
        """Settings `headlight`."""

    @property
    def map(self) -> VisualMap:
        """Settings `map`."""

    @property
    def scale(self) -> VisualScale:
        """Settings `scale`."""

    @property
    def rgba(self) -> VisualRgba:
        """Settings `rgba`."""

class BodyOfModel(Named):
    """What a model has of a body."""

    parentid: Array[np.int32]
    """(1,): parent body."""
    rootid: Array[np.int32]
    """(1,): ancestor whose parent is the world."""
    weldid: Array[np.int32]
    """(1,): ancestor that this body moves rigidly with."""
    mocapid: Array[np.int32]
    """(1,): row in mocap_pos; -1: not motion capture."""
    jntnum: Array[np.int32]
    """(1,): joints of the body."""
    jntadr: Array[np.int32]
    """(1,): first joint; -1: none."""
    dofnum: Array[np.int32]
    """(1,): degrees of freedom of the body."""
    dofadr: Array[np.int32]
    """(1,): first degree of freedom; -1: none."""
    treeid: Array[np.int32]
    """(1,): kinematic tree; -1: fixed to the world."""
    geomnum: Array[np.int32]
    """(1,): geoms of the body."""
    geomadr: Array[np.int32]
    """(1,): first geom; -1: none."""
    simple: Array[np.uint8]
    """(1,): 1: its block of M is diagonal; 2: slides only."""
    sameframe: Array[np.uint8]
    """(1,): which frames coincide with the inertia's."""
    pos: Array[np.float64]
    """(3,): position in the parent's frame (m)."""
    quat: Array[np.float64]
    """(4,): orientation in the parent's frame."""
    ipos: Array[np.float64]
    """(3,): centre of mass in the body frame (m)."""
    iquat: Array[np.float64]
    """(4,): principal axes of inertia in the body frame."""
    mass: Array[np.float64]
    """(1,): mass (kg)."""
    subtreemass: Array[np.float64]
    """(1,): mass of the body and all below it (kg)."""
    inertia: Array[np.float64]
    """(3,): principal moments of inertia (kg m^2)."""
    invweight0: Array[np.float64]
    """(2,): mean inverse inertia at qpos0 (1/kg, 1/(kg m^2))."""
    gravcomp: Array[np.float64]
    """(1,): share of its weight lifted by a force."""
    margin: Array[np.float64]
    """(1,): largest margin of its geoms (m)."""
    user: Array[np.float64]
    """(nuser_body,): values for the user."""
    plugin: Array[np.int32]
    """(1,): plugin instance; -1: none."""
    contype: Array[np.int32]
    """(1,): union of its geoms' contact types (bits)."""
    conaffinity: Array[np.int32]
    """(1,): union of its geoms' affinities (bits)."""
    bvhadr: Array[np.int32]
    """(1,): root of its bounding volume tree; -1: none."""
    bvhnum: Array[np.int32]
    """(1,): nodes of its bounding volume tree."""
    name_bodyadr: Array[np.int32]
    """(1,): first byte of each body's name in names."""
    B_rownnz: Array[np.int32]
    """(1,): dofs that move each body."""
    B_rowadr: Array[np.int32]
    """(1,): first entry of each body's row."""

class JointOfModel(Named):
    """What a model has of a joint."""

    qpos0: Array[np.float64]
    """(n,): reference configuration (m, rad, quaternions)."""
    qpos_spring: Array[np.float64]
    """(n,): configuration where springs rest (m, rad)."""
    type: Array[np.int32]
    """(1,): mjtJoint: free, ball, slide, hinge."""
    qposadr: Array[np.int32]
    """(1,): first of its values in qpos."""
    dofadr: Array[np.int32]
    """(1,): first of its values in qvel."""
    bodyid: Array[np.int32]
    """(1,): body that it moves."""
    actuatorid: Array[np.int32]
    """(1,): actuator that adds damping, armature; -1: none."""
    group: Array[np.int32]
    """(1,): visibility group."""
    limited: Array[np.uint8]
    """(1,): 1: jnt_range is enforced."""
    actfrclimited: Array[np.uint8]
    """(1,): 1: jnt_actfrcrange is enforced."""
    actgravcomp: Array[np.uint8]
    """(1,): 1: gravity compensation counts as actuation."""
    solref: Array[np.float64]
    """(2,): limit: time constant (s) and damping ratio."""
    solimp: Array[np.float64]
    """(5,): limit: impedance curve."""
    pos: Array[np.float64]
    """(3,): anchor in the body frame (m)."""
    axis: Array[np.float64]
    """(3,): unit axis in the body frame."""
    stiffness: Array[np.float64]
    """(1,): spring constant (N/m, N m/rad)."""
    stiffnesspoly: Array[np.float64]
    """(2,): spring terms of second and third order."""
    range: Array[np.float64]
    """(2,): lower and upper limit (m, rad)."""
    actfrcrange: Array[np.float64]
    """(2,): bounds on the summed actuator force (N, N m)."""
    margin: Array[np.float64]
    """(1,): distance where the limit starts to act (m, rad)."""
    user: Array[np.float64]
    """(nuser_jnt,): values for the user."""
    jntid: Array[np.int32]
    """(n,): joint that it belongs to."""
    parentid: Array[np.int32]
    """(n,): next dof towards the root; -1: none."""
    treeid: Array[np.int32]
    """(n,): kinematic tree."""
    Madr: Array[np.int32]
    """(n,): its diagonal entry in qM."""
    simplenum: Array[np.int32]
    """(n,): simple dofs in a row from this one on."""
    frictionloss: Array[np.float64]
    """(n,): dry friction (N, N m)."""
    armature: Array[np.float64]
    """(n,): rotor inertia on the diagonal of M (kg, kg m^2)."""
    damping: Array[np.float64]
    """(n,): viscous damping (N s/m, N m s/rad)."""
    dampingpoly: Array[np.float64]
    """(n, 2): damping terms of second and third order."""
    invweight0: Array[np.float64]
    """(n,): inverse inertia at qpos0 (1/kg, 1/(kg m^2))."""
    M0: Array[np.float64]
    """(n,): diagonal of M at qpos0 (kg, kg m^2)."""
    length: Array[np.float64]
    """(n,): 1 if linear, else the typical lever arm (m)."""
    name_jntadr: Array[np.int32]
    """(1,): first byte of each joint's name in names."""
    M_rownnz: Array[np.int32]
    """(n,): entries in each row of M."""
    M_rowadr: Array[np.int32]
    """(n,): first entry of each row of M."""
    D_rownnz: Array[np.int32]
    """(n,): entries in each row of the two-sided pattern."""
    D_rowadr: Array[np.int32]
    """(n,): first entry of each row of the two-sided pattern."""
    D_diag: Array[np.int32]
    """(n,): place of the diagonal within each row."""

class GeomOfModel(Named):
    """What a model has of a geom."""

    type: Array[np.int32]
    """(1,): mjtGeom: plane, sphere, capsule, box, ...."""
    contype: Array[np.int32]
    """(1,): contact type (bits)."""
    conaffinity: Array[np.int32]
    """(1,): contact types that it meets (bits)."""
    condim: Array[np.int32]
    """(1,): directions of contact forces: 1, 3, 4 or 6."""
    bodyid: Array[np.int32]
    """(1,): body that carries it."""
    dataid: Array[np.int32]
    """(1,): mesh or height field of its shape; -1: none."""
    matid: Array[np.int32]
    """(1,): material; -1: none."""
    group: Array[np.int32]
    """(1,): visibility group."""
    priority: Array[np.int32]
    """(1,): the geom of higher priority sets the contact."""
    plugin: Array[np.int32]
    """(1,): plugin instance; -1: none."""
    sameframe: Array[np.uint8]
    """(1,): which frame of the body it coincides with."""
    solmix: Array[np.float64]
    """(1,): weight of its solver parameters in a contact."""
    solref: Array[np.float64]
    """(2,): contact: time constant (s) and damping ratio."""
    solimp: Array[np.float64]
    """(5,): contact: impedance curve."""
    size: Array[np.float64]
    """(3,): radii, half lengths, as the type needs (m)."""
    aabb: Array[np.float64]
    """(6,): box in its own frame: centre, half sizes (m)."""
    rbound: Array[np.float64]
    """(1,): radius of a sphere around it (m); 0: infinite."""
    pos: Array[np.float64]
    """(3,): position in the body frame (m)."""
    quat: Array[np.float64]
    """(4,): orientation in the body frame."""
    friction: Array[np.float64]
    """(3,): sliding (1), torsional (m), rolling (m)."""
    margin: Array[np.float64]
    """(1,): distance where contacts start to exist (m)."""
    gap: Array[np.float64]
    """(1,): part of the margin without force (m)."""
    fluid: Array[np.float64]
    """(12,): ellipsoid model: flag, drag, lift, added mass."""
    user: Array[np.float64]
    """(nuser_geom,): values for the user."""
    rgba: Array[np.float32]
    """(4,): colour and opacity, where no material is set."""
    name_geomadr: Array[np.int32]
    """(1,): first byte of each geom's name in names."""

class SiteOfModel(Named):
    """What a model has of a site."""

    type: Array[np.int32]
    """(1,): mjtGeom: shape that is drawn."""
    bodyid: Array[np.int32]
    """(1,): body that carries it."""
    matid: Array[np.int32]
    """(1,): material; -1: none."""
    group: Array[np.int32]
    """(1,): visibility group."""
    sameframe: Array[np.uint8]
    """(1,): which frame of the body it coincides with."""
    size: Array[np.float64]
    """(3,): radii, half lengths of the shape (m)."""
    pos: Array[np.float64]
    """(3,): position in the body frame (m)."""
    quat: Array[np.float64]
    """(4,): orientation in the body frame."""
    user: Array[np.float64]
    """(nuser_site,): values for the user."""
    rgba: Array[np.float32]
    """(4,): colour and opacity, where no material is set."""
    name_siteadr: Array[np.int32]
    """(1,): first byte of each site's name in names."""

class CameraOfModel(Named):
    """What a model has of a camera."""

    mode: Array[np.int32]
    """(1,): mjtCamLight: fixed, tracking or targeting."""
    bodyid: Array[np.int32]
    """(1,): body that carries it."""
    targetbodyid: Array[np.int32]
    """(1,): body that it looks at; -1: none."""
    pos: Array[np.float64]
    """(3,): position in the body frame (m)."""
    quat: Array[np.float64]
    """(4,): orientation in the body frame."""
    poscom0: Array[np.float64]
    """(3,): offset from the subtree's centre at qpos0 (m)."""
    pos0: Array[np.float64]
    """(3,): offset from the body, world axes, at qpos0 (m)."""
    mat0: Array[np.float64]
    """(9,): orientation in the world at qpos0."""
    projection: Array[np.int32]
    """(1,): mjtProjection: perspective or orthographic."""
    fovy: Array[np.float64]
    """(1,): vertical view: angle (deg) or, orthographic, m."""
    ipd: Array[np.float64]
    """(1,): distance between the eyes (m)."""
    resolution: Array[np.int32]
    """(2,): width, height (pixels)."""
    output: Array[np.int32]
    """(1,): images that it delivers (bits of mjtCamOut)."""
    sensorsize: Array[np.float32]
    """(2,): width, height of the sensor (m)."""
    intrinsic: Array[np.float32]
    """(4,): focal lengths x, y; principal point x, y (m)."""
    user: Array[np.float64]
    """(nuser_cam,): values for the user."""
    name_camadr: Array[np.int32]
    """(1,): first byte of each camera's name in names."""

class LightOfModel(Named):
    """What a model has of a light."""

    mode: Array[np.int32]
    """(1,): mjtCamLight: fixed, tracking or targeting."""
    bodyid: Array[np.int32]
    """(1,): body that carries it."""
    targetbodyid: Array[np.int32]
    """(1,): body that it points at; -1: none."""
    type: Array[np.int32]
    """(1,): mjtLightType: spot, directional, point, image."""
    texid: Array[np.int32]
    """(1,): texture of an image light; -1: none."""
    castshadow: Array[np.uint8]
    """(1,): 1: casts shadows."""
    bulbradius: Array[np.float32]
    """(1,): radius of the bulb, for soft shadows (m)."""
    intensity: Array[np.float32]
    """(1,): luminous intensity (cd)."""
    range: Array[np.float32]
    """(1,): reach (m)."""
    active: Array[np.uint8]
    """(1,): 1: on."""
    pos: Array[np.float64]
    """(3,): position in the body frame (m)."""
    dir: Array[np.float64]
    """(3,): direction in the body frame."""
    poscom0: Array[np.float64]
    """(3,): offset from the subtree's centre at qpos0 (m)."""
    pos0: Array[np.float64]
    """(3,): offset from the body, world axes, at qpos0 (m)."""
    dir0: Array[np.float64]
    """(3,): direction in the world at qpos0."""
    attenuation: Array[np.float32]
    """(3,): constant, linear (1/m), quadratic (1/m^2) decay."""
    cutoff: Array[np.float32]
    """(1,): half angle of the cone (deg)."""
    exponent: Array[np.float32]
    """(1,): how sharply the cone fades from its axis."""
    ambient: Array[np.float32]
    """(3,): ambient colour."""
    diffuse: Array[np.float32]
    """(3,): diffuse colour."""
    specular: Array[np.float32]
    """(3,): specular colour."""
    name_lightadr: Array[np.int32]
    """(1,): first byte of each light's name in names."""

class FlexOfModel(Named):
    """What a model has of a flex."""

    contype: Array[np.int32]
    """(1,): contact type (bits)."""
    conaffinity: Array[np.int32]
    """(1,): contact types that it meets (bits)."""
    condim: Array[np.int32]
    """(1,): directions of contact forces: 1, 3, 4 or 6."""
    priority: Array[np.int32]
    """(1,): the object of higher priority sets the contact."""
    solmix: Array[np.float64]
    """(1,): weight of its solver parameters in a contact."""
    solref: Array[np.float64]
    """(2,): contact: time constant (s) and damping ratio."""
    solimp: Array[np.float64]
    """(5,): contact: impedance curve."""
    friction: Array[np.float64]
    """(3,): sliding (1), torsional (m), rolling (m)."""
    margin: Array[np.float64]
    """(1,): distance where contacts start to exist (m)."""
    gap: Array[np.float64]
    """(1,): part of the margin without force (m)."""
    internal: Array[np.uint8]
    """(1,): 1: vertices collide with own elements."""
    selfcollide: Array[np.int32]
    """(1,): mjtFlexSelf: how elements collide."""
    activelayers: Array[np.int32]
    """(1,): element layers from the surface that collide."""
    passive: Array[np.int32]
    """(1,): 1: contacts act as passive forces."""
    dim: Array[np.int32]
    """(1,): 1: cable, 2: cloth, 3: solid."""
    matid: Array[np.int32]
    """(1,): material; -1: none."""
    group: Array[np.int32]
    """(1,): visibility group."""
    interp: Array[np.int32]
    """(1,): order of node interpolation; 0: free vertices."""
    bandwidth: Array[np.int32]
    """(1,): half bandwidth of the stiffness system."""
    cellnum: Array[np.int32]
    """(3,): interpolation cells along each axis."""
    nodeadr: Array[np.int32]
    """(1,): first node."""
    nodenum: Array[np.int32]
    """(1,): nodes."""
    vertadr: Array[np.int32]
    """(1,): first vertex."""
    vertnum: Array[np.int32]
    """(1,): vertices."""
    edgeadr: Array[np.int32]
    """(1,): first edge."""
    edgenum: Array[np.int32]
    """(1,): edges."""
    elemadr: Array[np.int32]
    """(1,): first element."""
    elemnum: Array[np.int32]
    """(1,): elements."""
    elemdataadr: Array[np.int32]
    """(1,): first of its values in flex_elem."""
    stiffnessadr: Array[np.int32]
    """(1,): first of its values in flex_stiffness; -1: none."""
    elemedgeadr: Array[np.int32]
    """(1,): first of its values in flex_elemedge."""
    bendingadr: Array[np.int32]
    """(1,): first of its values in flex_bending; -1: none."""
    shellnum: Array[np.int32]
    """(1,): pieces of its shell."""
    shelldataadr: Array[np.int32]
    """(1,): first of its values in flex_shell."""
    evpairadr: Array[np.int32]
    """(1,): first element-vertex candidate."""
    evpairnum: Array[np.int32]
    """(1,): element-vertex candidates."""
    texcoordadr: Array[np.int32]
    """(1,): first texture coordinate; -1: none."""
    radius: Array[np.float64]
    """(1,): thickness around its elements (m)."""
    size: Array[np.float64]
    """(3,): half sizes of its box at qpos0 (m)."""
    damping: Array[np.float64]
    """(1,): damping per stiffness, after Rayleigh (s)."""
    edgestiffness: Array[np.float64]
    """(1,): spring constant of edges (N/m)."""
    edgedamping: Array[np.float64]
    """(1,): viscous damping of edges (N s/m)."""
    edgeequality: Array[np.int32]
    """(1,): constrained: 0 none, 1 edges, 2 vertices, 3 strain."""
    rigid: Array[np.uint8]
    """(1,): 1: all vertices in one body."""
    centered: Array[np.uint8]
    """(1,): 1: every vertex at its body's origin."""
    flatskin: Array[np.uint8]
    """(1,): 1: drawn without smoothing."""
    bvhadr: Array[np.int32]
    """(1,): root of its bounding volume tree; -1: none."""
    bvhnum: Array[np.int32]
    """(1,): nodes of its bounding volume tree."""
    rgba: Array[np.float32]
    """(4,): colour and opacity, where no material is set."""
    name_flexadr: Array[np.int32]
    """(1,): first byte of each flex's name in names."""

class MeshOfModel(Named):
    """What a model has of a mesh."""

    vertadr: Array[np.int32]
    """(1,): first vertex."""
    vertnum: Array[np.int32]
    """(1,): vertices."""
    faceadr: Array[np.int32]
    """(1,): first triangle."""
    facenum: Array[np.int32]
    """(1,): triangles."""
    bvhadr: Array[np.int32]
    """(1,): root of its bounding volume tree."""
    bvhnum: Array[np.int32]
    """(1,): nodes of its bounding volume tree."""
    octadr: Array[np.int32]
    """(1,): root of its octree; -1: none."""
    octnum: Array[np.int32]
    """(1,): cells of its octree."""
    normaladr: Array[np.int32]
    """(1,): first normal."""
    normalnum: Array[np.int32]
    """(1,): normals."""
    texcoordadr: Array[np.int32]
    """(1,): first texture coordinate; -1: none."""
    texcoordnum: Array[np.int32]
    """(1,): texture coordinates."""
    graphadr: Array[np.int32]
    """(1,): first int of its hull graph; -1: none."""
    scale: Array[np.float64]
    """(3,): scale that was applied to the file's vertices."""
    pos: Array[np.float64]
    """(3,): shift that was applied to the vertices (m)."""
    quat: Array[np.float64]
    """(4,): rotation that was applied to the vertices."""
    pathadr: Array[np.int32]
    """(1,): start of the file's path in paths; -1: none."""
    polynum: Array[np.int32]
    """(1,): polygons."""
    polyadr: Array[np.int32]
    """(1,): first polygon."""
    name_meshadr: Array[np.int32]
    """(1,): first byte of each mesh's name in names."""

class SkinOfModel(Named):
    """What a model has of a skin."""

    matid: Array[np.int32]
    """(1,): material; -1: none."""
    group: Array[np.int32]
    """(1,): visibility group."""
    rgba: Array[np.float32]
    """(4,): colour and opacity."""
    inflate: Array[np.float32]
    """(1,): shift of the vertices along their normals (m)."""
    vertadr: Array[np.int32]
    """(1,): first vertex."""
    vertnum: Array[np.int32]
    """(1,): vertices."""
    texcoordadr: Array[np.int32]
    """(1,): first texture coordinate; -1: none."""
    faceadr: Array[np.int32]
    """(1,): first triangle."""
    facenum: Array[np.int32]
    """(1,): triangles."""
    boneadr: Array[np.int32]
    """(1,): first bone."""
    bonenum: Array[np.int32]
    """(1,): bones."""
    pathadr: Array[np.int32]
    """(1,): start of the file's path in paths; -1: none."""
    name_skinadr: Array[np.int32]
    """(1,): first byte of each skin's name in names."""

class HfieldOfModel(Named):
    """What a model has of a hfield."""

    size: Array[np.float64]
    """(4,): half size x, y; top height; depth of the base (m)."""
    nrow: Array[np.int32]
    """(1,): rows, along y."""
    ncol: Array[np.int32]
    """(1,): columns, along x."""
    adr: Array[np.int32]
    """(1,): first sample."""
    data: Array[np.float32]
    """(n,): heights as shares of the top height, 0 to 1."""
    pathadr: Array[np.int32]
    """(1,): start of the file's path in paths; -1: none."""
    name_hfieldadr: Array[np.int32]
    """(1,): first byte of each height field's name in names."""

class TextureOfModel(Named):
    """What a model has of a texture."""

    type: Array[np.int32]
    """(1,): mjtTexture: 2d, cube, skybox."""
    colorspace: Array[np.int32]
    """(1,): mjtColorSpace: automatic, linear, sRGB."""
    height: Array[np.int32]
    """(1,): rows (pixels)."""
    width: Array[np.int32]
    """(1,): columns (pixels)."""
    nchannel: Array[np.int32]
    """(1,): bytes per pixel."""
    adr: Array[np.int64]
    """(1,): first byte."""
    data: Array[np.uint8]
    """(n,): pixels, 0 to 255."""
    pathadr: Array[np.int32]
    """(1,): start of the file's path in paths; -1: none."""
    name_texadr: Array[np.int32]
    """(1,): first byte of each texture's name in names."""

class MaterialOfModel(Named):
    """What a model has of a material."""

    texid: Array[np.int32]
    """(10,): texture of each role (mjtTextureRole); -1: none."""
    texuniform: Array[np.uint8]
    """(1,): 1: cube textures keep their scale."""
    texrepeat: Array[np.float32]
    """(2,): repetitions of a 2d texture along x, y."""
    emission: Array[np.float32]
    """(1,): own light, times the colour."""
    specular: Array[np.float32]
    """(1,): strength of the highlight."""
    shininess: Array[np.float32]
    """(1,): sharpness of the highlight, 0 to 1."""
    reflectance: Array[np.float32]
    """(1,): share of light that is mirrored."""
    metallic: Array[np.float32]
    """(1,): 0: dielectric, 1: metal."""
    roughness: Array[np.float32]
    """(1,): 0: mirror, 1: matt."""
    rgba: Array[np.float32]
    """(4,): colour and opacity."""
    name_matadr: Array[np.int32]
    """(1,): first byte of each material's name in names."""

class PairOfModel(Named):
    """What a model has of a pair."""

    dim: Array[np.int32]
    """(1,): directions of contact forces: 1, 3, 4 or 6."""
    geom1: Array[np.int32]
    """(1,): first geom."""
    geom2: Array[np.int32]
    """(1,): second geom."""
    signature: Array[np.int32]
    """(1,): both bodies in one int, the first in the high half."""
    solref: Array[np.float64]
    """(2,): normal force: time constant (s), damping ratio."""
    solreffriction: Array[np.float64]
    """(2,): the same for friction; zeros: as the normal."""
    solimp: Array[np.float64]
    """(5,): impedance curve."""
    margin: Array[np.float64]
    """(1,): distance where contacts start to exist (m)."""
    gap: Array[np.float64]
    """(1,): part of the margin without force (m)."""
    friction: Array[np.float64]
    """(5,): sliding x, y (1); torsional, rolling x, y (m)."""
    name_pairadr: Array[np.int32]
    """(1,): first byte of each pair's name in names."""

class ExcludeOfModel(Named):
    """What a model has of an exclude."""

    signature: Array[np.int32]
    """(1,): both bodies in one int, the first in the high half."""
    name_excludeadr: Array[np.int32]
    """(1,): first byte of each exclusion's name in names."""

class EqualityOfModel(Named):
    """What a model has of an equality."""

    type: Array[np.int32]
    """(1,): mjtEq: connect, weld, joint, tendon, flex, ...."""
    obj1id: Array[np.int32]
    """(1,): first object."""
    obj2id: Array[np.int32]
    """(1,): second object; -1: none."""
    objtype: Array[np.int32]
    """(1,): mjtObj of both objects."""
    active0: Array[np.uint8]
    """(1,): 1: on after a reset."""
    solref: Array[np.float64]
    """(2,): time constant (s) and damping ratio."""
    solimp: Array[np.float64]
    """(5,): impedance curve."""
    data: Array[np.float64]
    """(11,): anchors (m), relative pose, polynomial, ...."""
    name_eqadr: Array[np.int32]
    """(1,): first byte of each equality's name in names."""

class TendonOfModel(Named):
    """What a model has of a tendon."""

    adr: Array[np.int32]
    """(1,): first object of the path."""
    num: Array[np.int32]
    """(1,): objects of the path."""
    matid: Array[np.int32]
    """(1,): material; -1: none."""
    actuatorid: Array[np.int32]
    """(1,): actuator that adds damping, armature; -1: none."""
    group: Array[np.int32]
    """(1,): visibility group."""
    treenum: Array[np.int32]
    """(1,): kinematic trees that the path touches."""
    treeid: Array[np.int32]
    """(2,): the first two of these trees; -1: none."""
    J_rownnz: Array[np.int32]
    """(1,): entries in each row of ten_J."""
    J_rowadr: Array[np.int32]
    """(1,): first entry of each row of ten_J."""
    J_colind: Array[np.int32]
    """(n,): dof of each entry of ten_J."""
    limited: Array[np.uint8]
    """(1,): 1: tendon_range is enforced."""
    actfrclimited: Array[np.uint8]
    """(1,): 1: tendon_actfrcrange is enforced."""
    width: Array[np.float64]
    """(1,): radius that is drawn (m)."""
    solref_lim: Array[np.float64]
    """(2,): limit: time constant (s) and damping ratio."""
    solimp_lim: Array[np.float64]
    """(5,): limit: impedance curve."""
    solref_fri: Array[np.float64]
    """(2,): friction loss: time constant (s), damping ratio."""
    solimp_fri: Array[np.float64]
    """(5,): friction loss: impedance curve."""
    range: Array[np.float64]
    """(2,): shortest and longest length (m)."""
    actfrcrange: Array[np.float64]
    """(2,): bounds on the summed actuator force (N)."""
    margin: Array[np.float64]
    """(1,): distance where the limit starts to act (m)."""
    stiffness: Array[np.float64]
    """(1,): spring constant (N/m)."""
    stiffnesspoly: Array[np.float64]
    """(2,): spring terms of second and third order."""
    damping: Array[np.float64]
    """(1,): viscous damping (N s/m)."""
    dampingpoly: Array[np.float64]
    """(2,): damping terms of second and third order."""
    armature: Array[np.float64]
    """(1,): inertia against change of length (kg)."""
    frictionloss: Array[np.float64]
    """(1,): dry friction (N)."""
    lengthspring: Array[np.float64]
    """(2,): lengths between which the spring rests (m)."""
    length0: Array[np.float64]
    """(1,): length at qpos0 (m)."""
    invweight0: Array[np.float64]
    """(1,): inverse inertia at qpos0 (1/kg)."""
    user: Array[np.float64]
    """(nuser_tendon,): values for the user."""
    rgba: Array[np.float32]
    """(4,): colour and opacity, where no material is set."""
    name_tendonadr: Array[np.int32]
    """(1,): first byte of each tendon's name in names."""

class ActuatorOfModel(Named):
    """What a model has of an actuator."""

    trntype: Array[np.int32]
    """(1,): mjtTrn: what the force acts through."""
    dyntype: Array[np.int32]
    """(1,): mjtDyn: how ctrl drives act."""
    gaintype: Array[np.int32]
    """(1,): mjtGain: how the gain is computed."""
    biastype: Array[np.int32]
    """(1,): mjtBias: how the bias is computed."""
    trnid: Array[np.int32]
    """(2,): joint, tendon, site or body; -1: none."""
    damping: Array[np.float64]
    """(1,): viscous damping of the target (N s/m, N m s/rad)."""
    dampingpoly: Array[np.float64]
    """(2,): damping terms of second and third order."""
    armature: Array[np.float64]
    """(1,): rotor inertia added to the target (kg, kg m^2)."""
    actadr: Array[np.int32]
    """(1,): first of its values in act; -1: none."""
    actnum: Array[np.int32]
    """(1,): activation variables."""
    group: Array[np.int32]
    """(1,): group, for visibility and disabling."""
    history: Array[np.int32]
    """(2,): samples in the delay buffer, interpolation order."""
    historyadr: Array[np.int32]
    """(1,): first of its values in history; -1: none."""
    delay: Array[np.float64]
    """(1,): delay of the control (s)."""
    ctrllimited: Array[np.uint8]
    """(1,): 1: actuator_ctrlrange is enforced."""
    forcelimited: Array[np.uint8]
    """(1,): 1: actuator_forcerange is enforced."""
    actlimited: Array[np.uint8]
    """(1,): 1: actuator_actrange is enforced."""
    dynprm: Array[np.float64]
    """(10,): dynamics: time constants (s), ...."""
    gainprm: Array[np.float64]
    """(10,): gain: constant, per length, per velocity, ...."""
    biasprm: Array[np.float64]
    """(10,): bias: constant, per length, per velocity, ...."""
    actearly: Array[np.uint8]
    """(1,): 1: the force sees the next activation."""
    ctrlrange: Array[np.float64]
    """(2,): bounds of the control."""
    forcerange: Array[np.float64]
    """(2,): bounds of the force (N, N m)."""
    actrange: Array[np.float64]
    """(2,): bounds of the activation."""
    gear: Array[np.float64]
    """(6,): lever arm from force to target (1 or m)."""
    cranklength: Array[np.float64]
    """(1,): rod of a slider-crank (m)."""
    acc0: Array[np.float64]
    """(1,): acceleration by a unit force at qpos0."""
    length0: Array[np.float64]
    """(1,): length at qpos0 (m, rad)."""
    lengthrange: Array[np.float64]
    """(2,): shortest and longest length in reach (m, rad)."""
    user: Array[np.float64]
    """(nuser_actuator,): values for the user."""
    plugin: Array[np.int32]
    """(1,): plugin instance; -1: none."""
    name_actuatoradr: Array[np.int32]
    """(1,): first byte of each actuator's name in names."""

class SensorOfModel(Named):
    """What a model has of a sensor."""

    type: Array[np.int32]
    """(1,): mjtSensor: what is measured."""
    datatype: Array[np.int32]
    """(1,): mjtDataType: real, positive, axis, quaternion."""
    needstage: Array[np.int32]
    """(1,): mjtStage after which it can be read."""
    objtype: Array[np.int32]
    """(1,): mjtObj of what it is attached to."""
    objid: Array[np.int32]
    """(1,): what it is attached to."""
    reftype: Array[np.int32]
    """(1,): mjtObj of the frame of reference."""
    refid: Array[np.int32]
    """(1,): frame of reference; -1: the world."""
    intprm: Array[np.int32]
    """(3,): whole-number settings."""
    dim: Array[np.int32]
    """(1,): values that it delivers."""
    adr: Array[np.int32]
    """(1,): first of its values in sensordata."""
    cutoff: Array[np.float64]
    """(1,): largest absolute value; 0: no bound."""
    noise: Array[np.float64]
    """(1,): standard deviation, for the user to apply."""
    history: Array[np.int32]
    """(2,): samples in the delay buffer, interpolation order."""
    historyadr: Array[np.int32]
    """(1,): first of its values in history; -1: none."""
    delay: Array[np.float64]
    """(1,): delay of the reading (s)."""
    interval: Array[np.float64]
    """(2,): period and phase of the readings (s)."""
    user: Array[np.float64]
    """(nuser_sensor,): values for the user."""
    plugin: Array[np.int32]
    """(1,): plugin instance; -1: none."""
    name_sensoradr: Array[np.int32]
    """(1,): first byte of each sensor's name in names."""

class NumericOfModel(Named):
    """What a model has of a numeric."""

    adr: Array[np.int32]
    """(1,): first value."""
    size: Array[np.int32]
    """(1,): values."""
    data: Array[np.float64]
    """(n,): values of all custom number fields."""
    name_numericadr: Array[np.int32]
    """(1,): first byte of each number field's name in names."""

class TextOfModel(Named):
    """What a model has of a text."""

    adr: Array[np.int32]
    """(1,): first byte."""
    size: Array[np.int32]
    """(1,): bytes, with the zero at the end."""
    name_textadr: Array[np.int32]
    """(1,): first byte of each text field's name in names."""

class TupleOfModel(Named):
    """What a model has of a tuple."""

    adr: Array[np.int32]
    """(1,): first member."""
    size: Array[np.int32]
    """(1,): members."""
    objtype: Array[np.int32]
    """(n,): mjtObj of each member."""
    objid: Array[np.int32]
    """(n,): id of each member."""
    objprm: Array[np.float64]
    """(n,): number that goes with each member."""
    name_tupleadr: Array[np.int32]
    """(1,): first byte of each tuple's name in names."""

class KeyOfModel(Named):
    """What a model has of a key."""

    time: Array[np.float64]
    """(1,): time (s)."""
    qpos: Array[np.float64]
    """(nq,): configuration (m, rad, quaternions)."""
    qvel: Array[np.float64]
    """(nv,): velocity (m/s, rad/s)."""
    act: Array[np.float64]
    """(na,): activations."""
    mpos: Array[np.float64]
    """(nmocap, 3): positions of motion capture bodies (m)."""
    mquat: Array[np.float64]
    """(nmocap, 4): orientations of motion capture bodies."""
    ctrl: Array[np.float64]
    """(nu,): controls."""
    name_keyadr: Array[np.int32]
    """(1,): first byte of each keyframe's name in names."""

class PluginOfModel(Named):
    """What a model has of a plugin."""

    plugin: Array[np.int32]
    """(1,): slot among the registered plugins."""
    stateadr: Array[np.int32]
    """(1,): first of its values in plugin_state."""
    statenum: Array[np.int32]
    """(1,): values in plugin_state."""
    attradr: Array[np.int32]
    """(1,): first byte of its settings."""
    name_pluginadr: Array[np.int32]
    """(1,): first byte of each plugin instance's name in names."""

class BodyOfData(NamedData):
    """What data have of a body."""

    xfrc_applied: Array[np.float64]
    """(nworld, 6): force, torque at the mass centre, world axes (N, N m)."""
    xpos: Array[np.float64]
    """(nworld, 3): origin of the body frame in the world (m)."""
    xquat: Array[np.float64]
    """(nworld, 4): orientation of the body frame in the world."""
    xmat: Array[np.float64]
    """(nworld, 9): the same as a rotation matrix."""
    xipos: Array[np.float64]
    """(nworld, 3): centre of mass in the world (m)."""
    ximat: Array[np.float64]
    """(nworld, 9): principal axes of inertia in the world."""
    subtree_com: Array[np.float64]
    """(nworld, 3): centre of mass of the body and all below it (m)."""
    cinert: Array[np.float64]
    """(nworld, 10): inertia about the tree's centre: 6 moments, m*offset, m."""
    crb: Array[np.float64]
    """(nworld, 10): cinert summed over the body and all below it."""
    awake: Array[np.int32]
    """(nworld, 1): mjtSleepState: asleep, awake or static."""
    awake_ind: Array[np.int32]
    """(nworld, 1): bodies that are awake or static."""
    parent_awake_ind: Array[np.int32]
    """(nworld, 1): bodies whose parent is awake or static."""
    cvel: Array[np.float64]
    """(nworld, 6): velocity at the tree's centre: rad/s, m/s."""
    subtree_linvel: Array[np.float64]
    """(nworld, 3): velocity of the subtree's centre of mass (m/s)."""
    subtree_angmom: Array[np.float64]
    """(nworld, 3): angular momentum about that centre (kg m^2/s)."""
    cacc: Array[np.float64]
    """(nworld, 6): acceleration at the tree's centre: rad/s^2, m/s^2."""
    cfrc_int: Array[np.float64]
    """(nworld, 6): force from the parent: torque, force (N m, N)."""
    cfrc_ext: Array[np.float64]
    """(nworld, 6): force from outside: torque, force (N m, N)."""

class JointOfData(NamedData):
    """What data have of a joint."""

    qpos: Array[np.float64]
    """(nworld, n): configuration (m, rad, quaternions)."""
    qvel: Array[np.float64]
    """(nworld, n): velocity (m/s, rad/s)."""
    qacc_warmstart: Array[np.float64]
    """(nworld, n): acceleration that the solver starts from."""
    qfrc_applied: Array[np.float64]
    """(nworld, n): force that the user adds (N, N m)."""
    qacc: Array[np.float64]
    """(nworld, n): acceleration (m/s^2, rad/s^2)."""
    xanchor: Array[np.float64]
    """(nworld, 3): anchor of each joint in the world (m)."""
    xaxis: Array[np.float64]
    """(nworld, 3): axis of each joint in the world."""
    cdof: Array[np.float64]
    """(nworld, n, 6): motion by a unit dof velocity: rotation, translation."""
    qLDiagInv: Array[np.float64]
    """(nworld, n): 1 / D."""
    awake_ind: Array[np.int32]
    """(nworld, n): dofs that are awake."""
    cdof_dot: Array[np.float64]
    """(nworld, n, 6): rate of cdof."""
    qfrc_bias: Array[np.float64]
    """(nworld, n): Coriolis, centrifugal, gravity forces (N, N m)."""
    qfrc_spring: Array[np.float64]
    """(nworld, n): force of springs (N, N m)."""
    qfrc_damper: Array[np.float64]
    """(nworld, n): force of dampers (N, N m)."""
    qfrc_gravcomp: Array[np.float64]
    """(nworld, n): force that compensates gravity (N, N m)."""
    qfrc_fluid: Array[np.float64]
    """(nworld, n): force of the surrounding fluid (N, N m)."""
    qfrc_passive: Array[np.float64]
    """(nworld, n): sum of these passive forces (N, N m)."""
    qHDiagInv: Array[np.float64]
    """(nworld, n): 1 / D of these factors."""
    qfrc_actuator: Array[np.float64]
    """(nworld, n): force of all actuators (N, N m)."""
    qfrc_smooth: Array[np.float64]
    """(nworld, n): sum of all forces but constraints (N, N m)."""
    qacc_smooth: Array[np.float64]
    """(nworld, n): acceleration without constraints (m/s^2, rad/s^2)."""
    qfrc_constraint: Array[np.float64]
    """(nworld, n): force of all constraints (N, N m)."""
    qfrc_inverse: Array[np.float64]
    """(nworld, n): force that explains qacc (N, N m)."""
    island: Array[np.int32]
    """(nworld, n): island of each dof; -1: none."""
    map_dof2idof: Array[np.int32]
    """(nworld, n): place of each dof in island order."""
    map_idof2dof: Array[np.int32]
    """(nworld, n): dof at each place in island order."""

class GeomOfData(NamedData):
    """What data have of a geom."""

    xpos: Array[np.float64]
    """(nworld, 3): centre in the world (m)."""
    xmat: Array[np.float64]
    """(nworld, 9): orientation in the world."""

class SiteOfData(NamedData):
    """What data have of a site."""

    xpos: Array[np.float64]
    """(nworld, 3): position in the world (m)."""
    xmat: Array[np.float64]
    """(nworld, 9): orientation in the world."""

class CameraOfData(NamedData):
    """What data have of a camera."""

    xpos: Array[np.float64]
    """(nworld, 3): position in the world (m)."""
    xmat: Array[np.float64]
    """(nworld, 9): orientation in the world; looks along -z."""

class LightOfData(NamedData):
    """What data have of a light."""

    xpos: Array[np.float64]
    """(nworld, 3): position in the world (m)."""
    xdir: Array[np.float64]
    """(nworld, 3): direction in the world."""

class TendonOfData(NamedData):
    """What data have of a tendon."""

    wrapadr: Array[np.int32]
    """(nworld, 1): first path point of each tendon."""
    wrapnum: Array[np.int32]
    """(nworld, 1): path points of each tendon."""
    J: Array[np.float64]
    """(nworld, n): derivative of the tendon length."""
    length: Array[np.float64]
    """(nworld, 1): length of each tendon (m)."""
    velocity: Array[np.float64]
    """(nworld, 1): rate of the tendon length (m/s)."""
    efcadr: Array[np.int32]
    """(nworld, 1): first row of each tendon; -1: none."""

class ActuatorOfData(NamedData):
    """What data have of an actuator."""

    act: Array[np.float64]
    """(nworld, n): activations of actuators."""
    ctrl: Array[np.float64]
    """(nworld, 1): control signal of each actuator."""
    act_dot: Array[np.float64]
    """(nworld, n): rate of act (1/s)."""
    length: Array[np.float64]
    """(nworld, 1): length of each actuator (m, rad)."""
    moment_rownnz: Array[np.int32]
    """(nworld, 1): entries in each row of actuator_moment."""
    moment_rowadr: Array[np.int32]
    """(nworld, 1): first entry of each row of actuator_moment."""
    velocity: Array[np.float64]
    """(nworld, 1): rate of the actuator length (m/s, rad/s)."""
    force: Array[np.float64]
    """(nworld, 1): force of each actuator (N, N m)."""

class SensorOfData(NamedData):
    """What data have of a sensor."""

    data: Array[np.float64]
    """(nworld, n): readings of all sensors."""

class EqualityOfData(NamedData):
    """What data have of an equality."""

    active: Array[np.int32]
    """(nworld, 1): 1: the equality constraint is on."""

class ModelFields:
    """Sizes, arrays and elements of a model."""

    @property
    def nq(self) -> int:
        """Length of the configuration qpos."""

    @property
    def nv(self) -> int:
        """Degrees of freedom, the length of qvel."""

    @property
    def nu(self) -> int:
        """Actuators, the length of ctrl."""

    @property
    def na(self) -> int:
        """Activation variables, the length of act."""

    @property
    def nbody(self) -> int:
        """Bodies, the world being body 0."""

    @property
    def nbvh(self) -> int:
        """Nodes in all bounding volume trees."""

    @property
    def nbvhstatic(self) -> int:
        """Tree nodes whose box is fixed in a body."""

    @property
    def nbvhdynamic(self) -> int:
        """Tree nodes whose box moves (flexes)."""

    @property
    def noct(self) -> int:
        """Cells in all mesh octrees."""

    @property
    def njnt(self) -> int:
        """Joints."""

    @property
    def ntree(self) -> int:
        """Kinematic trees that hang from the world."""

    @property
    def nM(self) -> int:
        """Entries of qM, the ancestor-list inertia."""

    @property
    def nB(self) -> int:
        """Entries of the body-to-dof pattern."""

    @property
    def nC(self) -> int:
        """Entries of M and its factors (lower triangle)."""

    @property
    def nD(self) -> int:
        """Entries of the full (two-sided) dof pattern."""

    @property
    def ngeom(self) -> int:
        """Geoms."""

    @property
    def nsite(self) -> int:
        """Sites."""

    @property
    def ncam(self) -> int:
        """Cameras."""

    @property
    def nlight(self) -> int:
        """Lights."""

    @property
    def nflex(self) -> int:
        """Flexes (deformable objects)."""

    @property
    def nflexnode(self) -> int:
        """Control nodes of all flexes."""

    @property
    def nflexvert(self) -> int:
        """Vertices of all flexes."""

    @property
    def nflexedge(self) -> int:
        """Edges of all flexes."""

    @property
    def nflexelem(self) -> int:
        """Elements of all flexes."""

    @property
    def nflexelemdata(self) -> int:
        """Vertex ids of all flex elements."""

    @property
    def nflexstiffness(self) -> int:
        """Entries of all flex stiffness matrices."""

    @property
    def nflexbending(self) -> int:
        """Entries of all flex bending terms."""

    @property
    def nflexelemedge(self) -> int:
        """Edge ids of all flex elements."""

    @property
    def nflexshelldata(self) -> int:
        """Vertex ids of all flex shell pieces."""

    @property
    def nflexevpair(self) -> int:
        """Element-vertex candidates for self-collision."""

    @property
    def nflextexcoord(self) -> int:
        """Flex vertices that have texture coordinates."""

    @property
    def nJfe(self) -> int:
        """Entries of the edge length Jacobian."""

    @property
    def nJfv(self) -> int:
        """Entries of the vertex strain Jacobian."""

    @property
    def nmesh(self) -> int:
        """Meshes."""

    @property
    def nmeshvert(self) -> int:
        """Vertices of all meshes."""

    @property
    def nmeshnormal(self) -> int:
        """Normals of all meshes."""

    @property
    def nmeshtexcoord(self) -> int:
        """Texture coordinates of all meshes."""

    @property
    def nmeshface(self) -> int:
        """Triangles of all meshes."""

    @property
    def nmeshgraph(self) -> int:
        """Ints in all convex hull graphs."""

    @property
    def nmeshpoly(self) -> int:
        """Polygons of all meshes."""

    @property
    def nmeshpolyvert(self) -> int:
        """Vertex ids of all mesh polygons."""

    @property
    def nmeshpolymap(self) -> int:
        """Polygon ids listed per mesh vertex."""

    @property
    def nskin(self) -> int:
        """Skins."""

    @property
    def nskinvert(self) -> int:
        """Vertices of all skins."""

    @property
    def nskintexvert(self) -> int:
        """Skin vertices that have texture coordinates."""

    @property
    def nskinface(self) -> int:
        """Triangles of all skins."""

    @property
    def nskinbone(self) -> int:
        """Bones of all skins."""

    @property
    def nskinbonevert(self) -> int:
        """Vertex-weight pairs of all bones."""

    @property
    def nhfield(self) -> int:
        """Height fields."""

    @property
    def nhfielddata(self) -> int:
        """Samples of all height fields."""

    @property
    def ntex(self) -> int:
        """Textures."""

    @property
    def ntexdata(self) -> int:
        """Bytes of all textures."""

    @property
    def nmat(self) -> int:
        """Materials."""

    @property
    def npair(self) -> int:
        """Geom pairs listed for collision."""

    @property
    def nexclude(self) -> int:
        """Body pairs that never collide."""

    @property
    def neq(self) -> int:
        """Equality constraints."""

    @property
    def ntendon(self) -> int:
        """Tendons."""

    @property
    def nJten(self) -> int:
        """Entries of the tendon Jacobian."""

    @property
    def nwrap(self) -> int:
        """Objects along all tendon paths."""

    @property
    def nsensor(self) -> int:
        """Sensors."""

    @property
    def nnumeric(self) -> int:
        """Custom number fields."""

    @property
    def nnumericdata(self) -> int:
        """Values in all custom number fields."""

    @property
    def ntext(self) -> int:
        """Custom text fields."""

    @property
    def ntextdata(self) -> int:
        """Bytes in all custom text fields."""

    @property
    def ntuple(self) -> int:
        """Custom tuples."""

    @property
    def ntupledata(self) -> int:
        """Members of all custom tuples."""

    @property
    def nkey(self) -> int:
        """Keyframes."""

    @property
    def nmocap(self) -> int:
        """Bodies moved by motion capture."""

    @property
    def nplugin(self) -> int:
        """Plugin instances."""

    @property
    def npluginattr(self) -> int:
        """Bytes of all plugin settings."""

    @property
    def nuser_body(self) -> int:
        """User values per body."""

    @property
    def nuser_jnt(self) -> int:
        """User values per joint."""

    @property
    def nuser_geom(self) -> int:
        """User values per geom."""

    @property
    def nuser_site(self) -> int:
        """User values per site."""

    @property
    def nuser_cam(self) -> int:
        """User values per camera."""

    @property
    def nuser_tendon(self) -> int:
        """User values per tendon."""

    @property
    def nuser_actuator(self) -> int:
        """User values per actuator."""

    @property
    def nuser_sensor(self) -> int:
        """User values per sensor."""

    @property
    def nnames(self) -> int:
        """Bytes of all names."""

    @property
    def npaths(self) -> int:
        """Bytes of all asset paths."""

    @property
    def nnames_map(self) -> int:
        """Slots of the name hash table."""

    @property
    def nJmom(self) -> int:
        """Entries of the actuator moment matrix."""

    @property
    def ngravcomp(self) -> int:
        """Bodies that compensate gravity."""

    @property
    def nemax(self) -> int:
        """Most rows that equalities can make."""

    @property
    def njmax(self) -> int:
        """Row limit from old files; -1: no limit."""

    @property
    def nconmax(self) -> int:
        """Contact limit from old files; -1: no limit."""

    @property
    def nuserdata(self) -> int:
        """Values of userdata."""

    @property
    def nsensordata(self) -> int:
        """Values of sensordata."""

    @property
    def npluginstate(self) -> int:
        """Values of plugin_state."""

    @property
    def nhistory(self) -> int:
        """Values of the delay buffer."""

    @property
    def narena(self) -> int:
        """Bytes of the arena that MuJoCo would allocate."""

    @property
    def nbuffer(self) -> int:
        """Bytes of all model arrays in MuJoCo."""

    @property
    def text_data(self) -> bytes:
        """(ntextdata,): bytes of all custom text fields."""

    @property
    def names(self) -> bytes:
        """(nnames,): model name, then all names, each ended by a zero."""

    @property
    def paths(self) -> bytes:
        """(npaths,): paths of asset files, each ended by a zero."""

    @property
    def signature(self) -> int:
        """Number that names this compilation."""

    @property
    def opt(self) -> Option:
        """See `Option`."""

    @property
    def stat(self) -> Statistic:
        """See `Statistic`."""

    @property
    def vis(self) -> Visual:
        """See `Visual`."""

    qpos0: Array[np.float64]
    """(nq,): reference configuration (m, rad, quaternions)."""
    qpos_spring: Array[np.float64]
    """(nq,): configuration where springs rest (m, rad)."""
    body_parentid: Array[np.int32]
    """(nbody,): parent body."""
    body_rootid: Array[np.int32]
    """(nbody,): ancestor whose parent is the world."""
    body_weldid: Array[np.int32]
    """(nbody,): ancestor that this body moves rigidly with."""
    body_mocapid: Array[np.int32]
    """(nbody,): row in mocap_pos; -1: not motion capture."""
    body_jntnum: Array[np.int32]
    """(nbody,): joints of the body."""
    body_jntadr: Array[np.int32]
    """(nbody,): first joint; -1: none."""
    body_dofnum: Array[np.int32]
    """(nbody,): degrees of freedom of the body."""
    body_dofadr: Array[np.int32]
    """(nbody,): first degree of freedom; -1: none."""
    body_treeid: Array[np.int32]
    """(nbody,): kinematic tree; -1: fixed to the world."""
    body_geomnum: Array[np.int32]
    """(nbody,): geoms of the body."""
    body_geomadr: Array[np.int32]
    """(nbody,): first geom; -1: none."""
    body_simple: Array[np.uint8]
    """(nbody,): 1: its block of M is diagonal; 2: slides only."""
    body_sameframe: Array[np.uint8]
    """(nbody,): which frames coincide with the inertia's."""
    body_pos: Array[np.float64]
    """(nbody, 3): position in the parent's frame (m)."""
    body_quat: Array[np.float64]
    """(nbody, 4): orientation in the parent's frame."""
    body_ipos: Array[np.float64]
    """(nbody, 3): centre of mass in the body frame (m)."""
    body_iquat: Array[np.float64]
    """(nbody, 4): principal axes of inertia in the body frame."""
    body_mass: Array[np.float64]
    """(nbody,): mass (kg)."""
    body_subtreemass: Array[np.float64]
    """(nbody,): mass of the body and all below it (kg)."""
    body_inertia: Array[np.float64]
    """(nbody, 3): principal moments of inertia (kg m^2)."""
    body_invweight0: Array[np.float64]
    """(nbody, 2): mean inverse inertia at qpos0 (1/kg, 1/(kg m^2))."""
    body_gravcomp: Array[np.float64]
    """(nbody,): share of its weight lifted by a force."""
    body_margin: Array[np.float64]
    """(nbody,): largest margin of its geoms (m)."""
    body_user: Array[np.float64]
    """(nbody, nuser_body): values for the user."""
    body_plugin: Array[np.int32]
    """(nbody,): plugin instance; -1: none."""
    body_contype: Array[np.int32]
    """(nbody,): union of its geoms' contact types (bits)."""
    body_conaffinity: Array[np.int32]
    """(nbody,): union of its geoms' affinities (bits)."""
    body_bvhadr: Array[np.int32]
    """(nbody,): root of its bounding volume tree; -1: none."""
    body_bvhnum: Array[np.int32]
    """(nbody,): nodes of its bounding volume tree."""
    bvh_depth: Array[np.int32]
    """(nbvh,): levels below the root."""
    bvh_child: Array[np.int32]
    """(nbvh, 2): the two child nodes; -1: leaf."""
    bvh_nodeid: Array[np.int32]
    """(nbvh,): geom or element in a leaf; -1: inner node."""
    bvh_aabb: Array[np.float64]
    """(nbvhstatic, 6): box in the inertial frame: centre, half sizes (m)."""
    oct_depth: Array[np.int32]
    """(noct,): levels below the root."""
    oct_child: Array[np.int32]
    """(noct, 8): the eight child cells; -1: none."""
    oct_aabb: Array[np.float64]
    """(noct, 6): box of the cell: centre, half sizes (m)."""
    oct_coeff: Array[np.float64]
    """(noct, 8): signed distance at the cell's corners (m)."""
    jnt_type: Array[np.int32]
    """(njnt,): mjtJoint: free, ball, slide, hinge."""
    jnt_qposadr: Array[np.int32]
    """(njnt,): first of its values in qpos."""
    jnt_dofadr: Array[np.int32]
    """(njnt,): first of its values in qvel."""
    jnt_bodyid: Array[np.int32]
    """(njnt,): body that it moves."""
    jnt_actuatorid: Array[np.int32]
    """(njnt,): actuator that adds damping, armature; -1: none."""
    jnt_group: Array[np.int32]
    """(njnt,): visibility group."""
    jnt_limited: Array[np.uint8]
    """(njnt,): 1: jnt_range is enforced."""
    jnt_actfrclimited: Array[np.uint8]
    """(njnt,): 1: jnt_actfrcrange is enforced."""
    jnt_actgravcomp: Array[np.uint8]
    """(njnt,): 1: gravity compensation counts as actuation."""
    jnt_solref: Array[np.float64]
    """(njnt, 2): limit: time constant (s) and damping ratio."""
    jnt_solimp: Array[np.float64]
    """(njnt, 5): limit: impedance curve."""
    jnt_pos: Array[np.float64]
    """(njnt, 3): anchor in the body frame (m)."""
    jnt_axis: Array[np.float64]
    """(njnt, 3): unit axis in the body frame."""
    jnt_stiffness: Array[np.float64]
    """(njnt,): spring constant (N/m, N m/rad)."""
    jnt_stiffnesspoly: Array[np.float64]
    """(njnt, 2): spring terms of second and third order."""
    jnt_range: Array[np.float64]
    """(njnt, 2): lower and upper limit (m, rad)."""
    jnt_actfrcrange: Array[np.float64]
    """(njnt, 2): bounds on the summed actuator force (N, N m)."""
    jnt_margin: Array[np.float64]
    """(njnt,): distance where the limit starts to act (m, rad)."""
    jnt_user: Array[np.float64]
    """(njnt, nuser_jnt): values for the user."""
    dof_bodyid: Array[np.int32]
    """(nv,): body that it moves."""
    dof_jntid: Array[np.int32]
    """(nv,): joint that it belongs to."""
    dof_parentid: Array[np.int32]
    """(nv,): next dof towards the root; -1: none."""
    dof_treeid: Array[np.int32]
    """(nv,): kinematic tree."""
    dof_Madr: Array[np.int32]
    """(nv,): its diagonal entry in qM."""
    dof_simplenum: Array[np.int32]
    """(nv,): simple dofs in a row from this one on."""
    dof_solref: Array[np.float64]
    """(nv, 2): friction loss: time constant (s), damping ratio."""
    dof_solimp: Array[np.float64]
    """(nv, 5): friction loss: impedance curve."""
    dof_frictionloss: Array[np.float64]
    """(nv,): dry friction (N, N m)."""
    dof_armature: Array[np.float64]
    """(nv,): rotor inertia on the diagonal of M (kg, kg m^2)."""
    dof_damping: Array[np.float64]
    """(nv,): viscous damping (N s/m, N m s/rad)."""
    dof_dampingpoly: Array[np.float64]
    """(nv, 2): damping terms of second and third order."""
    dof_invweight0: Array[np.float64]
    """(nv,): inverse inertia at qpos0 (1/kg, 1/(kg m^2))."""
    dof_M0: Array[np.float64]
    """(nv,): diagonal of M at qpos0 (kg, kg m^2)."""
    dof_length: Array[np.float64]
    """(nv,): 1 if linear, else the typical lever arm (m)."""
    tree_bodyadr: Array[np.int32]
    """(ntree,): first body of the tree."""
    tree_bodynum: Array[np.int32]
    """(ntree,): bodies of the tree."""
    tree_dofadr: Array[np.int32]
    """(ntree,): first degree of freedom of the tree."""
    tree_dofnum: Array[np.int32]
    """(ntree,): degrees of freedom of the tree."""
    tree_sleep_policy: Array[np.int32]
    """(ntree,): mjtSleepPolicy: whether the tree may sleep."""
    geom_type: Array[np.int32]
    """(ngeom,): mjtGeom: plane, sphere, capsule, box, ...."""
    geom_contype: Array[np.int32]
    """(ngeom,): contact type (bits)."""
    geom_conaffinity: Array[np.int32]
    """(ngeom,): contact types that it meets (bits)."""
    geom_condim: Array[np.int32]
    """(ngeom,): directions of contact forces: 1, 3, 4 or 6."""
    geom_bodyid: Array[np.int32]
    """(ngeom,): body that carries it."""
    geom_dataid: Array[np.int32]
    """(ngeom,): mesh or height field of its shape; -1: none."""
    geom_matid: Array[np.int32]
    """(ngeom,): material; -1: none."""
    geom_group: Array[np.int32]
    """(ngeom,): visibility group."""
    geom_priority: Array[np.int32]
    """(ngeom,): the geom of higher priority sets the contact."""
    geom_plugin: Array[np.int32]
    """(ngeom,): plugin instance; -1: none."""
    geom_sameframe: Array[np.uint8]
    """(ngeom,): which frame of the body it coincides with."""
    geom_solmix: Array[np.float64]
    """(ngeom,): weight of its solver parameters in a contact."""
    geom_solref: Array[np.float64]
    """(ngeom, 2): contact: time constant (s) and damping ratio."""
    geom_solimp: Array[np.float64]
    """(ngeom, 5): contact: impedance curve."""
    geom_size: Array[np.float64]
    """(ngeom, 3): radii, half lengths, as the type needs (m)."""
    geom_aabb: Array[np.float64]
    """(ngeom, 6): box in its own frame: centre, half sizes (m)."""
    geom_rbound: Array[np.float64]
    """(ngeom,): radius of a sphere around it (m); 0: infinite."""
    geom_pos: Array[np.float64]
    """(ngeom, 3): position in the body frame (m)."""
    geom_quat: Array[np.float64]
    """(ngeom, 4): orientation in the body frame."""
    geom_friction: Array[np.float64]
    """(ngeom, 3): sliding (1), torsional (m), rolling (m)."""
    geom_margin: Array[np.float64]
    """(ngeom,): distance where contacts start to exist (m)."""
    geom_gap: Array[np.float64]
    """(ngeom,): part of the margin without force (m)."""
    geom_fluid: Array[np.float64]
    """(ngeom, 12): ellipsoid model: flag, drag, lift, added mass."""
    geom_user: Array[np.float64]
    """(ngeom, nuser_geom): values for the user."""
    geom_rgba: Array[np.float32]
    """(ngeom, 4): colour and opacity, where no material is set."""
    site_type: Array[np.int32]
    """(nsite,): mjtGeom: shape that is drawn."""
    site_bodyid: Array[np.int32]
    """(nsite,): body that carries it."""
    site_matid: Array[np.int32]
    """(nsite,): material; -1: none."""
    site_group: Array[np.int32]
    """(nsite,): visibility group."""
    site_sameframe: Array[np.uint8]
    """(nsite,): which frame of the body it coincides with."""
    site_size: Array[np.float64]
    """(nsite, 3): radii, half lengths of the shape (m)."""
    site_pos: Array[np.float64]
    """(nsite, 3): position in the body frame (m)."""
    site_quat: Array[np.float64]
    """(nsite, 4): orientation in the body frame."""
    site_user: Array[np.float64]
    """(nsite, nuser_site): values for the user."""
    site_rgba: Array[np.float32]
    """(nsite, 4): colour and opacity, where no material is set."""
    cam_mode: Array[np.int32]
    """(ncam,): mjtCamLight: fixed, tracking or targeting."""
    cam_bodyid: Array[np.int32]
    """(ncam,): body that carries it."""
    cam_targetbodyid: Array[np.int32]
    """(ncam,): body that it looks at; -1: none."""
    cam_pos: Array[np.float64]
    """(ncam, 3): position in the body frame (m)."""
    cam_quat: Array[np.float64]
    """(ncam, 4): orientation in the body frame."""
    cam_poscom0: Array[np.float64]
    """(ncam, 3): offset from the subtree's centre at qpos0 (m)."""
    cam_pos0: Array[np.float64]
    """(ncam, 3): offset from the body, world axes, at qpos0 (m)."""
    cam_mat0: Array[np.float64]
    """(ncam, 9): orientation in the world at qpos0."""
    cam_projection: Array[np.int32]
    """(ncam,): mjtProjection: perspective or orthographic."""
    cam_fovy: Array[np.float64]
    """(ncam,): vertical view: angle (deg) or, orthographic, m."""
    cam_ipd: Array[np.float64]
    """(ncam,): distance between the eyes (m)."""
    cam_resolution: Array[np.int32]
    """(ncam, 2): width, height (pixels)."""
    cam_output: Array[np.int32]
    """(ncam,): images that it delivers (bits of mjtCamOut)."""
    cam_sensorsize: Array[np.float32]
    """(ncam, 2): width, height of the sensor (m)."""
    cam_intrinsic: Array[np.float32]
    """(ncam, 4): focal lengths x, y; principal point x, y (m)."""
    cam_user: Array[np.float64]
    """(ncam, nuser_cam): values for the user."""
    light_mode: Array[np.int32]
    """(nlight,): mjtCamLight: fixed, tracking or targeting."""
    light_bodyid: Array[np.int32]
    """(nlight,): body that carries it."""
    light_targetbodyid: Array[np.int32]
    """(nlight,): body that it points at; -1: none."""
    light_type: Array[np.int32]
    """(nlight,): mjtLightType: spot, directional, point, image."""
    light_texid: Array[np.int32]
    """(nlight,): texture of an image light; -1: none."""
    light_castshadow: Array[np.uint8]
    """(nlight,): 1: casts shadows."""
    light_bulbradius: Array[np.float32]
    """(nlight,): radius of the bulb, for soft shadows (m)."""
    light_intensity: Array[np.float32]
    """(nlight,): luminous intensity (cd)."""
    light_range: Array[np.float32]
    """(nlight,): reach (m)."""
    light_active: Array[np.uint8]
    """(nlight,): 1: on."""
    light_pos: Array[np.float64]
    """(nlight, 3): position in the body frame (m)."""
    light_dir: Array[np.float64]
    """(nlight, 3): direction in the body frame."""
    light_poscom0: Array[np.float64]
    """(nlight, 3): offset from the subtree's centre at qpos0 (m)."""
    light_pos0: Array[np.float64]
    """(nlight, 3): offset from the body, world axes, at qpos0 (m)."""
    light_dir0: Array[np.float64]
    """(nlight, 3): direction in the world at qpos0."""
    light_attenuation: Array[np.float32]
    """(nlight, 3): constant, linear (1/m), quadratic (1/m^2) decay."""
    light_cutoff: Array[np.float32]
    """(nlight,): half angle of the cone (deg)."""
    light_exponent: Array[np.float32]
    """(nlight,): how sharply the cone fades from its axis."""
    light_ambient: Array[np.float32]
    """(nlight, 3): ambient colour."""
    light_diffuse: Array[np.float32]
    """(nlight, 3): diffuse colour."""
    light_specular: Array[np.float32]
    """(nlight, 3): specular colour."""
    flex_contype: Array[np.int32]
    """(nflex,): contact type (bits)."""
    flex_conaffinity: Array[np.int32]
    """(nflex,): contact types that it meets (bits)."""
    flex_condim: Array[np.int32]
    """(nflex,): directions of contact forces: 1, 3, 4 or 6."""
    flex_priority: Array[np.int32]
    """(nflex,): the object of higher priority sets the contact."""
    flex_solmix: Array[np.float64]
    """(nflex,): weight of its solver parameters in a contact."""
    flex_solref: Array[np.float64]
    """(nflex, 2): contact: time constant (s) and damping ratio."""
    flex_solimp: Array[np.float64]
    """(nflex, 5): contact: impedance curve."""
    flex_friction: Array[np.float64]
    """(nflex, 3): sliding (1), torsional (m), rolling (m)."""
    flex_margin: Array[np.float64]
    """(nflex,): distance where contacts start to exist (m)."""
    flex_gap: Array[np.float64]
    """(nflex,): part of the margin without force (m)."""
    flex_internal: Array[np.uint8]
    """(nflex,): 1: vertices collide with own elements."""
    flex_selfcollide: Array[np.int32]
    """(nflex,): mjtFlexSelf: how elements collide."""
    flex_activelayers: Array[np.int32]
    """(nflex,): element layers from the surface that collide."""
    flex_passive: Array[np.int32]
    """(nflex,): 1: contacts act as passive forces."""
    flex_dim: Array[np.int32]
    """(nflex,): 1: cable, 2: cloth, 3: solid."""
    flex_matid: Array[np.int32]
    """(nflex,): material; -1: none."""
    flex_group: Array[np.int32]
    """(nflex,): visibility group."""
    flex_interp: Array[np.int32]
    """(nflex,): order of node interpolation; 0: free vertices."""
    flex_bandwidth: Array[np.int32]
    """(nflex,): half bandwidth of the stiffness system."""
    flex_cellnum: Array[np.int32]
    """(nflex, 3): interpolation cells along each axis."""
    flex_nodeadr: Array[np.int32]
    """(nflex,): first node."""
    flex_nodenum: Array[np.int32]
    """(nflex,): nodes."""
    flex_vertadr: Array[np.int32]
    """(nflex,): first vertex."""
    flex_vertnum: Array[np.int32]
    """(nflex,): vertices."""
    flex_edgeadr: Array[np.int32]
    """(nflex,): first edge."""
    flex_edgenum: Array[np.int32]
    """(nflex,): edges."""
    flex_elemadr: Array[np.int32]
    """(nflex,): first element."""
    flex_elemnum: Array[np.int32]
    """(nflex,): elements."""
    flex_elemdataadr: Array[np.int32]
    """(nflex,): first of its values in flex_elem."""
    flex_stiffnessadr: Array[np.int32]
    """(nflex,): first of its values in flex_stiffness; -1: none."""
    flex_elemedgeadr: Array[np.int32]
    """(nflex,): first of its values in flex_elemedge."""
    flex_bendingadr: Array[np.int32]
    """(nflex,): first of its values in flex_bending; -1: none."""
    flex_shellnum: Array[np.int32]
    """(nflex,): pieces of its shell."""
    flex_shelldataadr: Array[np.int32]
    """(nflex,): first of its values in flex_shell."""
    flex_evpairadr: Array[np.int32]
    """(nflex,): first element-vertex candidate."""
    flex_evpairnum: Array[np.int32]
    """(nflex,): element-vertex candidates."""
    flex_texcoordadr: Array[np.int32]
    """(nflex,): first texture coordinate; -1: none."""
    flex_nodebodyid: Array[np.int32]
    """(nflexnode,): body of each node."""
    flex_vertbodyid: Array[np.int32]
    """(nflexvert,): body of each vertex."""
    flex_vertedgeadr: Array[np.int32]
    """(nflexvert,): first edge at each vertex."""
    flex_vertedgenum: Array[np.int32]
    """(nflexvert,): edges at each vertex."""
    flex_vertedge: Array[np.int32]
    """(nflexedge, 2): edges listed vertex by vertex."""
    flex_edge: Array[np.int32]
    """(nflexedge, 2): the two vertices of each edge."""
    flex_edgeflap: Array[np.int32]
    """(nflexedge, 2): vertices opposite to the edge; -1: boundary."""
    flex_elem: Array[np.int32]
    """(nflexelemdata,): vertices of each element (dim+1)."""
    flex_elemtexcoord: Array[np.int32]
    """(nflexelemdata,): texture coordinates of each element (dim+1)."""
    flex_elemedge: Array[np.int32]
    """(nflexelemedge,): edges of each element."""
    flex_elemlayer: Array[np.int32]
    """(nflexelem,): layers between the element and the surface."""
    flex_shell: Array[np.int32]
    """(nflexshelldata,): vertices of each shell piece (dim)."""
    flex_evpair: Array[np.int32]
    """(nflexevpair, 2): element and vertex that may collide."""
    flex_vert: Array[np.float64]
    """(nflexvert, 3): vertex in its body's frame (m)."""
    flex_vert0: Array[np.float64]
    """(nflexvert, 3): vertex at qpos0 in the unit box."""
    flex_vertmetric: Array[np.float64]
    """(nflexvert, 4): inverse of the 2x2 rest shape at a vertex."""
    flex_node: Array[np.float64]
    """(nflexnode, 3): node in its body's frame (m)."""
    flex_node0: Array[np.float64]
    """(nflexnode, 3): node in the world at qpos0 (m)."""
    flexedge_length0: Array[np.float64]
    """(nflexedge,): length at qpos0 (m)."""
    flexedge_invweight0: Array[np.float64]
    """(nflexedge,): inverse inertia along the edge at qpos0 (1/kg)."""
    flex_radius: Array[np.float64]
    """(nflex,): thickness around its elements (m)."""
    flex_size: Array[np.float64]
    """(nflex, 3): half sizes of its box at qpos0 (m)."""
    flex_stiffness: Array[np.float64]
    """(nflexstiffness,): element stiffness matrices (N/m)."""
    flex_bending: Array[np.float64]
    """(nflexbending,): bending energy coefficients per edge."""
    flex_damping: Array[np.float64]
    """(nflex,): damping per stiffness, after Rayleigh (s)."""
    flex_edgestiffness: Array[np.float64]
    """(nflex,): spring constant of edges (N/m)."""
    flex_edgedamping: Array[np.float64]
    """(nflex,): viscous damping of edges (N s/m)."""
    flex_edgeequality: Array[np.int32]
    """(nflex,): constrained: 0 none, 1 edges, 2 vertices, 3 strain."""
    flex_rigid: Array[np.uint8]
    """(nflex,): 1: all vertices in one body."""
    flexedge_rigid: Array[np.uint8]
    """(nflexedge,): 1: both vertices in one body."""
    flex_centered: Array[np.uint8]
    """(nflex,): 1: every vertex at its body's origin."""
    flex_flatskin: Array[np.uint8]
    """(nflex,): 1: drawn without smoothing."""
    flex_bvhadr: Array[np.int32]
    """(nflex,): root of its bounding volume tree; -1: none."""
    flex_bvhnum: Array[np.int32]
    """(nflex,): nodes of its bounding volume tree."""
    flexedge_J_rownnz: Array[np.int32]
    """(nflexedge,): entries in each row of flexedge_J."""
    flexedge_J_rowadr: Array[np.int32]
    """(nflexedge,): first entry of each row of flexedge_J."""
    flexedge_J_colind: Array[np.int32]
    """(nJfe,): dof of each entry of flexedge_J."""
    flexvert_J_rownnz: Array[np.int32]
    """(nflexvert, 2): entries in each row of flexvert_J."""
    flexvert_J_rowadr: Array[np.int32]
    """(nflexvert, 2): first entry of each row of flexvert_J."""
    flexvert_J_colind: Array[np.int32]
    """(nJfv, 2): dof of each entry of flexvert_J."""
    flex_rgba: Array[np.float32]
    """(nflex, 4): colour and opacity, where no material is set."""
    flex_texcoord: Array[np.float32]
    """(nflextexcoord, 2): texture coordinates of vertices."""
    mesh_vertadr: Array[np.int32]
    """(nmesh,): first vertex."""
    mesh_vertnum: Array[np.int32]
    """(nmesh,): vertices."""
    mesh_faceadr: Array[np.int32]
    """(nmesh,): first triangle."""
    mesh_facenum: Array[np.int32]
    """(nmesh,): triangles."""
    mesh_bvhadr: Array[np.int32]
    """(nmesh,): root of its bounding volume tree."""
    mesh_bvhnum: Array[np.int32]
    """(nmesh,): nodes of its bounding volume tree."""
    mesh_octadr: Array[np.int32]
    """(nmesh,): root of its octree; -1: none."""
    mesh_octnum: Array[np.int32]
    """(nmesh,): cells of its octree."""
    mesh_normaladr: Array[np.int32]
    """(nmesh,): first normal."""
    mesh_normalnum: Array[np.int32]
    """(nmesh,): normals."""
    mesh_texcoordadr: Array[np.int32]
    """(nmesh,): first texture coordinate; -1: none."""
    mesh_texcoordnum: Array[np.int32]
    """(nmesh,): texture coordinates."""
    mesh_graphadr: Array[np.int32]
    """(nmesh,): first int of its hull graph; -1: none."""
    mesh_vert: Array[np.float32]
    """(nmeshvert, 3): vertices in the inertial frame (m)."""
    mesh_normal: Array[np.float32]
    """(nmeshnormal, 3): unit normals in the inertial frame."""
    mesh_texcoord: Array[np.float32]
    """(nmeshtexcoord, 2): texture coordinates."""
    mesh_face: Array[np.int32]
    """(nmeshface, 3): the three vertices of each triangle."""
    mesh_facenormal: Array[np.int32]
    """(nmeshface, 3): the three normals of each triangle."""
    mesh_facetexcoord: Array[np.int32]
    """(nmeshface, 3): the three texture coordinates of each triangle."""
    mesh_graph: Array[np.int32]
    """(nmeshgraph,): convex hull: its vertices, neighbours, triangles."""
    mesh_scale: Array[np.float64]
    """(nmesh, 3): scale that was applied to the file's vertices."""
    mesh_pos: Array[np.float64]
    """(nmesh, 3): shift that was applied to the vertices (m)."""
    mesh_quat: Array[np.float64]
    """(nmesh, 4): rotation that was applied to the vertices."""
    mesh_pathadr: Array[np.int32]
    """(nmesh,): start of the file's path in paths; -1: none."""
    mesh_polynum: Array[np.int32]
    """(nmesh,): polygons."""
    mesh_polyadr: Array[np.int32]
    """(nmesh,): first polygon."""
    mesh_polynormal: Array[np.float64]
    """(nmeshpoly, 3): unit normal of each polygon."""
    mesh_polyvertadr: Array[np.int32]
    """(nmeshpoly,): first of the polygon's values in mesh_polyvert."""
    mesh_polyvertnum: Array[np.int32]
    """(nmeshpoly,): vertices of each polygon."""
    mesh_polyvert: Array[np.int32]
    """(nmeshpolyvert,): vertices, polygon by polygon."""
    mesh_polymapadr: Array[np.int32]
    """(nmeshvert,): first of the vertex's values in mesh_polymap."""
    mesh_polymapnum: Array[np.int32]
    """(nmeshvert,): polygons at each vertex."""
    mesh_polymap: Array[np.int32]
    """(nmeshpolymap,): polygons, vertex by vertex."""
    skin_matid: Array[np.int32]
    """(nskin,): material; -1: none."""
    skin_group: Array[np.int32]
    """(nskin,): visibility group."""
    skin_rgba: Array[np.float32]
    """(nskin, 4): colour and opacity."""
    skin_inflate: Array[np.float32]
    """(nskin,): shift of the vertices along their normals (m)."""
    skin_vertadr: Array[np.int32]
    """(nskin,): first vertex."""
    skin_vertnum: Array[np.int32]
    """(nskin,): vertices."""
    skin_texcoordadr: Array[np.int32]
    """(nskin,): first texture coordinate; -1: none."""
    skin_faceadr: Array[np.int32]
    """(nskin,): first triangle."""
    skin_facenum: Array[np.int32]
    """(nskin,): triangles."""
    skin_boneadr: Array[np.int32]
    """(nskin,): first bone."""
    skin_bonenum: Array[np.int32]
    """(nskin,): bones."""
    skin_vert: Array[np.float32]
    """(nskinvert, 3): vertices in the bind pose (m)."""
    skin_texcoord: Array[np.float32]
    """(nskintexvert, 2): texture coordinates."""
    skin_face: Array[np.int32]
    """(nskinface, 3): the three vertices of each triangle."""
    skin_bonevertadr: Array[np.int32]
    """(nskinbone,): first vertex-weight pair of each bone."""
    skin_bonevertnum: Array[np.int32]
    """(nskinbone,): vertex-weight pairs of each bone."""
    skin_bonebindpos: Array[np.float32]
    """(nskinbone, 3): position of each bone in the bind pose (m)."""
    skin_bonebindquat: Array[np.float32]
    """(nskinbone, 4): orientation of each bone in the bind pose."""
    skin_bonebodyid: Array[np.int32]
    """(nskinbone,): body that moves each bone."""
    skin_bonevertid: Array[np.int32]
    """(nskinbonevert,): vertex of each pair."""
    skin_bonevertweight: Array[np.float32]
    """(nskinbonevert,): weight of each pair."""
    skin_pathadr: Array[np.int32]
    """(nskin,): start of the file's path in paths; -1: none."""
    hfield_size: Array[np.float64]
    """(nhfield, 4): half size x, y; top height; depth of the base (m)."""
    hfield_nrow: Array[np.int32]
    """(nhfield,): rows, along y."""
    hfield_ncol: Array[np.int32]
    """(nhfield,): columns, along x."""
    hfield_adr: Array[np.int32]
    """(nhfield,): first sample."""
    hfield_data: Array[np.float32]
    """(nhfielddata,): heights as shares of the top height, 0 to 1."""
    hfield_pathadr: Array[np.int32]
    """(nhfield,): start of the file's path in paths; -1: none."""
    tex_type: Array[np.int32]
    """(ntex,): mjtTexture: 2d, cube, skybox."""
    tex_colorspace: Array[np.int32]
    """(ntex,): mjtColorSpace: automatic, linear, sRGB."""
    tex_height: Array[np.int32]
    """(ntex,): rows (pixels)."""
    tex_width: Array[np.int32]
    """(ntex,): columns (pixels)."""
    tex_nchannel: Array[np.int32]
    """(ntex,): bytes per pixel."""
    tex_adr: Array[np.int64]
    """(ntex,): first byte."""
    tex_data: Array[np.uint8]
    """(ntexdata,): pixels, 0 to 255."""
    tex_pathadr: Array[np.int32]
    """(ntex,): start of the file's path in paths; -1: none."""
    mat_texid: Array[np.int32]
    """(nmat, 10): texture of each role (mjtTextureRole); -1: none."""
    mat_texuniform: Array[np.uint8]
    """(nmat,): 1: cube textures keep their scale."""
    mat_texrepeat: Array[np.float32]
    """(nmat, 2): repetitions of a 2d texture along x, y."""
    mat_emission: Array[np.float32]
    """(nmat,): own light, times the colour."""
    mat_specular: Array[np.float32]
    """(nmat,): strength of the highlight."""
    mat_shininess: Array[np.float32]
    """(nmat,): sharpness of the highlight, 0 to 1."""
    mat_reflectance: Array[np.float32]
    """(nmat,): share of light that is mirrored."""
    mat_metallic: Array[np.float32]
    """(nmat,): 0: dielectric, 1: metal."""
    mat_roughness: Array[np.float32]
    """(nmat,): 0: mirror, 1: matt."""
    mat_rgba: Array[np.float32]
    """(nmat, 4): colour and opacity."""
    pair_dim: Array[np.int32]
    """(npair,): directions of contact forces: 1, 3, 4 or 6."""
    pair_geom1: Array[np.int32]
    """(npair,): first geom."""
    pair_geom2: Array[np.int32]
    """(npair,): second geom."""
    pair_signature: Array[np.int32]
    """(npair,): both bodies in one int, the first in the high half."""
    pair_solref: Array[np.float64]
    """(npair, 2): normal force: time constant (s), damping ratio."""
    pair_solreffriction: Array[np.float64]
    """(npair, 2): the same for friction; zeros: as the normal."""
    pair_solimp: Array[np.float64]
    """(npair, 5): impedance curve."""
    pair_margin: Array[np.float64]
    """(npair,): distance where contacts start to exist (m)."""
    pair_gap: Array[np.float64]
    """(npair,): part of the margin without force (m)."""
    pair_friction: Array[np.float64]
    """(npair, 5): sliding x, y (1); torsional, rolling x, y (m)."""
    exclude_signature: Array[np.int32]
    """(nexclude,): both bodies in one int, the first in the high half."""
    eq_type: Array[np.int32]
    """(neq,): mjtEq: connect, weld, joint, tendon, flex, ...."""
    eq_obj1id: Array[np.int32]
    """(neq,): first object."""
    eq_obj2id: Array[np.int32]
    """(neq,): second object; -1: none."""
    eq_objtype: Array[np.int32]
    """(neq,): mjtObj of both objects."""
    eq_active0: Array[np.uint8]
    """(neq,): 1: on after a reset."""
    eq_solref: Array[np.float64]
    """(neq, 2): time constant (s) and damping ratio."""
    eq_solimp: Array[np.float64]
    """(neq, 5): impedance curve."""
    eq_data: Array[np.float64]
    """(neq, 11): anchors (m), relative pose, polynomial, ...."""
    tendon_adr: Array[np.int32]
    """(ntendon,): first object of the path."""
    tendon_num: Array[np.int32]
    """(ntendon,): objects of the path."""
    tendon_matid: Array[np.int32]
    """(ntendon,): material; -1: none."""
    tendon_actuatorid: Array[np.int32]
    """(ntendon,): actuator that adds damping, armature; -1: none."""
    tendon_group: Array[np.int32]
    """(ntendon,): visibility group."""
    tendon_treenum: Array[np.int32]
    """(ntendon,): kinematic trees that the path touches."""
    tendon_treeid: Array[np.int32]
    """(ntendon, 2): the first two of these trees; -1: none."""
    ten_J_rownnz: Array[np.int32]
    """(ntendon,): entries in each row of ten_J."""
    ten_J_rowadr: Array[np.int32]
    """(ntendon,): first entry of each row of ten_J."""
    ten_J_colind: Array[np.int32]
    """(nJten,): dof of each entry of ten_J."""
    tendon_limited: Array[np.uint8]
    """(ntendon,): 1: tendon_range is enforced."""
    tendon_actfrclimited: Array[np.uint8]
    """(ntendon,): 1: tendon_actfrcrange is enforced."""
    tendon_width: Array[np.float64]
    """(ntendon,): radius that is drawn (m)."""
    tendon_solref_lim: Array[np.float64]
    """(ntendon, 2): limit: time constant (s) and damping ratio."""
    tendon_solimp_lim: Array[np.float64]
    """(ntendon, 5): limit: impedance curve."""
    tendon_solref_fri: Array[np.float64]
    """(ntendon, 2): friction loss: time constant (s), damping ratio."""
    tendon_solimp_fri: Array[np.float64]
    """(ntendon, 5): friction loss: impedance curve."""
    tendon_range: Array[np.float64]
    """(ntendon, 2): shortest and longest length (m)."""
    tendon_actfrcrange: Array[np.float64]
    """(ntendon, 2): bounds on the summed actuator force (N)."""
    tendon_margin: Array[np.float64]
    """(ntendon,): distance where the limit starts to act (m)."""
    tendon_stiffness: Array[np.float64]
    """(ntendon,): spring constant (N/m)."""
    tendon_stiffnesspoly: Array[np.float64]
    """(ntendon, 2): spring terms of second and third order."""
    tendon_damping: Array[np.float64]
    """(ntendon,): viscous damping (N s/m)."""
    tendon_dampingpoly: Array[np.float64]
    """(ntendon, 2): damping terms of second and third order."""
    tendon_armature: Array[np.float64]
    """(ntendon,): inertia against change of length (kg)."""
    tendon_frictionloss: Array[np.float64]
    """(ntendon,): dry friction (N)."""
    tendon_lengthspring: Array[np.float64]
    """(ntendon, 2): lengths between which the spring rests (m)."""
    tendon_length0: Array[np.float64]
    """(ntendon,): length at qpos0 (m)."""
    tendon_invweight0: Array[np.float64]
    """(ntendon,): inverse inertia at qpos0 (1/kg)."""
    tendon_user: Array[np.float64]
    """(ntendon, nuser_tendon): values for the user."""
    tendon_rgba: Array[np.float32]
    """(ntendon, 4): colour and opacity, where no material is set."""
    wrap_type: Array[np.int32]
    """(nwrap,): mjtWrap: joint, pulley, site, sphere, cylinder."""
    wrap_objid: Array[np.int32]
    """(nwrap,): joint, site or geom; -1: pulley."""
    wrap_prm: Array[np.float64]
    """(nwrap,): coefficient, divisor or side site."""
    actuator_trntype: Array[np.int32]
    """(nu,): mjtTrn: what the force acts through."""
    actuator_dyntype: Array[np.int32]
    """(nu,): mjtDyn: how ctrl drives act."""
    actuator_gaintype: Array[np.int32]
    """(nu,): mjtGain: how the gain is computed."""
    actuator_biastype: Array[np.int32]
    """(nu,): mjtBias: how the bias is computed."""
    actuator_trnid: Array[np.int32]
    """(nu, 2): joint, tendon, site or body; -1: none."""
    actuator_damping: Array[np.float64]
    """(nu,): viscous damping of the target (N s/m, N m s/rad)."""
    actuator_dampingpoly: Array[np.float64]
    """(nu, 2): damping terms of second and third order."""
    actuator_armature: Array[np.float64]
    """(nu,): rotor inertia added to the target (kg, kg m^2)."""
    actuator_actadr: Array[np.int32]
    """(nu,): first of its values in act; -1: none."""
    actuator_actnum: Array[np.int32]
    """(nu,): activation variables."""
    actuator_group: Array[np.int32]
    """(nu,): group, for visibility and disabling."""
    actuator_history: Array[np.int32]
    """(nu, 2): samples in the delay buffer, interpolation order."""
    actuator_historyadr: Array[np.int32]
    """(nu,): first of its values in history; -1: none."""
    actuator_delay: Array[np.float64]
    """(nu,): delay of the control (s)."""
    actuator_ctrllimited: Array[np.uint8]
    """(nu,): 1: actuator_ctrlrange is enforced."""
    actuator_forcelimited: Array[np.uint8]
    """(nu,): 1: actuator_forcerange is enforced."""
    actuator_actlimited: Array[np.uint8]
    """(nu,): 1: actuator_actrange is enforced."""
    actuator_dynprm: Array[np.float64]
    """(nu, 10): dynamics: time constants (s), ...."""
    actuator_gainprm: Array[np.float64]
    """(nu, 10): gain: constant, per length, per velocity, ...."""
    actuator_biasprm: Array[np.float64]
    """(nu, 10): bias: constant, per length, per velocity, ...."""
    actuator_actearly: Array[np.uint8]
    """(nu,): 1: the force sees the next activation."""
    actuator_ctrlrange: Array[np.float64]
    """(nu, 2): bounds of the control."""
    actuator_forcerange: Array[np.float64]
    """(nu, 2): bounds of the force (N, N m)."""
    actuator_actrange: Array[np.float64]
    """(nu, 2): bounds of the activation."""
    actuator_gear: Array[np.float64]
    """(nu, 6): lever arm from force to target (1 or m)."""
    actuator_cranklength: Array[np.float64]
    """(nu,): rod of a slider-crank (m)."""
    actuator_acc0: Array[np.float64]
    """(nu,): acceleration by a unit force at qpos0."""
    actuator_length0: Array[np.float64]
    """(nu,): length at qpos0 (m, rad)."""
    actuator_lengthrange: Array[np.float64]
    """(nu, 2): shortest and longest length in reach (m, rad)."""
    actuator_user: Array[np.float64]
    """(nu, nuser_actuator): values for the user."""
    actuator_plugin: Array[np.int32]
    """(nu,): plugin instance; -1: none."""
    sensor_type: Array[np.int32]
    """(nsensor,): mjtSensor: what is measured."""
    sensor_datatype: Array[np.int32]
    """(nsensor,): mjtDataType: real, positive, axis, quaternion."""
    sensor_needstage: Array[np.int32]
    """(nsensor,): mjtStage after which it can be read."""
    sensor_objtype: Array[np.int32]
    """(nsensor,): mjtObj of what it is attached to."""
    sensor_objid: Array[np.int32]
    """(nsensor,): what it is attached to."""
    sensor_reftype: Array[np.int32]
    """(nsensor,): mjtObj of the frame of reference."""
    sensor_refid: Array[np.int32]
    """(nsensor,): frame of reference; -1: the world."""
    sensor_intprm: Array[np.int32]
    """(nsensor, 3): whole-number settings."""
    sensor_dim: Array[np.int32]
    """(nsensor,): values that it delivers."""
    sensor_adr: Array[np.int32]
    """(nsensor,): first of its values in sensordata."""
    sensor_cutoff: Array[np.float64]
    """(nsensor,): largest absolute value; 0: no bound."""
    sensor_noise: Array[np.float64]
    """(nsensor,): standard deviation, for the user to apply."""
    sensor_history: Array[np.int32]
    """(nsensor, 2): samples in the delay buffer, interpolation order."""
    sensor_historyadr: Array[np.int32]
    """(nsensor,): first of its values in history; -1: none."""
    sensor_delay: Array[np.float64]
    """(nsensor,): delay of the reading (s)."""
    sensor_interval: Array[np.float64]
    """(nsensor, 2): period and phase of the readings (s)."""
    sensor_user: Array[np.float64]
    """(nsensor, nuser_sensor): values for the user."""
    sensor_plugin: Array[np.int32]
    """(nsensor,): plugin instance; -1: none."""
    plugin: Array[np.int32]
    """(nplugin,): slot among the registered plugins."""
    plugin_stateadr: Array[np.int32]
    """(nplugin,): first of its values in plugin_state."""
    plugin_statenum: Array[np.int32]
    """(nplugin,): values in plugin_state."""
    plugin_attr: Array[np.int8]
    """(npluginattr,): settings of all instances, ended by zeros."""
    plugin_attradr: Array[np.int32]
    """(nplugin,): first byte of its settings."""
    numeric_adr: Array[np.int32]
    """(nnumeric,): first value."""
    numeric_size: Array[np.int32]
    """(nnumeric,): values."""
    numeric_data: Array[np.float64]
    """(nnumericdata,): values of all custom number fields."""
    text_adr: Array[np.int32]
    """(ntext,): first byte."""
    text_size: Array[np.int32]
    """(ntext,): bytes, with the zero at the end."""
    tuple_adr: Array[np.int32]
    """(ntuple,): first member."""
    tuple_size: Array[np.int32]
    """(ntuple,): members."""
    tuple_objtype: Array[np.int32]
    """(ntupledata,): mjtObj of each member."""
    tuple_objid: Array[np.int32]
    """(ntupledata,): id of each member."""
    tuple_objprm: Array[np.float64]
    """(ntupledata,): number that goes with each member."""
    key_time: Array[np.float64]
    """(nkey,): time (s)."""
    key_qpos: Array[np.float64]
    """(nkey, nq): configuration (m, rad, quaternions)."""
    key_qvel: Array[np.float64]
    """(nkey, nv): velocity (m/s, rad/s)."""
    key_act: Array[np.float64]
    """(nkey, na): activations."""
    key_mpos: Array[np.float64]
    """(nkey, nmocap, 3): positions of motion capture bodies (m)."""
    key_mquat: Array[np.float64]
    """(nkey, nmocap, 4): orientations of motion capture bodies."""
    key_ctrl: Array[np.float64]
    """(nkey, nu): controls."""
    name_bodyadr: Array[np.int32]
    """(nbody,): first byte of each body's name in names."""
    name_jntadr: Array[np.int32]
    """(njnt,): first byte of each joint's name in names."""
    name_geomadr: Array[np.int32]
    """(ngeom,): first byte of each geom's name in names."""
    name_siteadr: Array[np.int32]
    """(nsite,): first byte of each site's name in names."""
    name_camadr: Array[np.int32]
    """(ncam,): first byte of each camera's name in names."""
    name_lightadr: Array[np.int32]
    """(nlight,): first byte of each light's name in names."""
    name_flexadr: Array[np.int32]
    """(nflex,): first byte of each flex's name in names."""
    name_meshadr: Array[np.int32]
    """(nmesh,): first byte of each mesh's name in names."""
    name_skinadr: Array[np.int32]
    """(nskin,): first byte of each skin's name in names."""
    name_hfieldadr: Array[np.int32]
    """(nhfield,): first byte of each height field's name in names."""
    name_texadr: Array[np.int32]
    """(ntex,): first byte of each texture's name in names."""
    name_matadr: Array[np.int32]
    """(nmat,): first byte of each material's name in names."""
    name_pairadr: Array[np.int32]
    """(npair,): first byte of each pair's name in names."""
    name_excludeadr: Array[np.int32]
    """(nexclude,): first byte of each exclusion's name in names."""
    name_eqadr: Array[np.int32]
    """(neq,): first byte of each equality's name in names."""
    name_tendonadr: Array[np.int32]
    """(ntendon,): first byte of each tendon's name in names."""
    name_actuatoradr: Array[np.int32]
    """(nu,): first byte of each actuator's name in names."""
    name_sensoradr: Array[np.int32]
    """(nsensor,): first byte of each sensor's name in names."""
    name_numericadr: Array[np.int32]
    """(nnumeric,): first byte of each number field's name in names."""
    name_textadr: Array[np.int32]
    """(ntext,): first byte of each text field's name in names."""
    name_tupleadr: Array[np.int32]
    """(ntuple,): first byte of each tuple's name in names."""
    name_keyadr: Array[np.int32]
    """(nkey,): first byte of each keyframe's name in names."""
    name_pluginadr: Array[np.int32]
    """(nplugin,): first byte of each plugin instance's name in names."""
    names_map: Array[np.int32]
    """(nnames_map,): hash table from names to ids; -1: empty slot."""
    B_rownnz: Array[np.int32]
    """(nbody,): dofs that move each body."""
    B_rowadr: Array[np.int32]
    """(nbody,): first entry of each body's row."""
    B_colind: Array[np.int32]
    """(nB,): dof of each entry."""
    M_rownnz: Array[np.int32]
    """(nv,): entries in each row of M."""
    M_rowadr: Array[np.int32]
    """(nv,): first entry of each row of M."""
    M_colind: Array[np.int32]
    """(nC,): column of each entry of M."""
    mapM2M: Array[np.int32]
    """(nC,): entry of qM behind each entry of M."""
    D_rownnz: Array[np.int32]
    """(nv,): entries in each row of the two-sided pattern."""
    D_rowadr: Array[np.int32]
    """(nv,): first entry of each row of the two-sided pattern."""
    D_diag: Array[np.int32]
    """(nv,): place of the diagonal within each row."""
    D_colind: Array[np.int32]
    """(nD,): column of each entry of the two-sided pattern."""
    mapM2D: Array[np.int32]
    """(nD,): entry of M behind each two-sided entry."""
    mapD2M: Array[np.int32]
    """(nC,): two-sided entry behind each entry of M."""
    def body(self, key: int | str = ...) -> BodyOfModel:
        """The body with this name or id."""

    def joint(self, key: int | str = ...) -> JointOfModel:
        """The joint with this name or id."""

    def geom(self, key: int | str = ...) -> GeomOfModel:
        """The geom with this name or id."""

    def site(self, key: int | str = ...) -> SiteOfModel:
        """The site with this name or id."""

    def camera(self, key: int | str = ...) -> CameraOfModel:
        """The camera with this name or id."""

    def light(self, key: int | str = ...) -> LightOfModel:
        """The light with this name or id."""

    def flex(self, key: int | str = ...) -> FlexOfModel:
        """The flex with this name or id."""

    def mesh(self, key: int | str = ...) -> MeshOfModel:
        """The mesh with this name or id."""

    def skin(self, key: int | str = ...) -> SkinOfModel:
        """The skin with this name or id."""

    def hfield(self, key: int | str = ...) -> HfieldOfModel:
        """The hfield with this name or id."""

    def texture(self, key: int | str = ...) -> TextureOfModel:
        """The texture with this name or id."""

    def material(self, key: int | str = ...) -> MaterialOfModel:
        """The material with this name or id."""

    def pair(self, key: int | str = ...) -> PairOfModel:
        """The pair with this name or id."""

    def exclude(self, key: int | str = ...) -> ExcludeOfModel:
        """The exclude with this name or id."""

    def equality(self, key: int | str = ...) -> EqualityOfModel:
        """The equality with this name or id."""

    def tendon(self, key: int | str = ...) -> TendonOfModel:
        """The tendon with this name or id."""

    def actuator(self, key: int | str = ...) -> ActuatorOfModel:
        """The actuator with this name or id."""

    def sensor(self, key: int | str = ...) -> SensorOfModel:
        """The sensor with this name or id."""

    def numeric(self, key: int | str = ...) -> NumericOfModel:
        """The numeric with this name or id."""

    def text(self, key: int | str = ...) -> TextOfModel:
        """The text with this name or id."""

    def tuple(self, key: int | str = ...) -> TupleOfModel:
        """The tuple with this name or id."""

    def key(self, key: int | str = ...) -> KeyOfModel:
        """The key with this name or id."""

    def jnt(self, key: int | str = ...) -> JointOfModel:
        """The joint with this name or id."""

    def cam(self, key: int | str = ...) -> CameraOfModel:
        """The camera with this name or id."""

    def tex(self, key: int | str = ...) -> TextureOfModel:
        """The texture with this name or id."""

    def mat(self, key: int | str = ...) -> MaterialOfModel:
        """The material with this name or id."""

    def eq(self, key: int | str = ...) -> EqualityOfModel:
        """The equality with this name or id."""

    def keyframe(self, key: int | str = ...) -> KeyOfModel:
        """The key with this name or id."""

class DataFields:
    """Fields and elements of the data of N worlds."""

    narena: Array[np.int64]
    """(nworld,): bytes of MuJoCo's arena; 0: there is none."""
    nbuffer: Array[np.int64]
    """(nworld,): bytes of the arrays of a world."""
    pstack: Array[np.int64]
    """(nworld,): top of MuJoCo's stack; 0: there is none."""
    pbase: Array[np.int64]
    """(nworld,): its top at the last mark; 0."""
    parena: Array[np.int64]
    """(nworld,): end of what MuJoCo's arena holds; 0."""
    maxuse_stack: Array[np.int64]
    """(nworld,): most stack that was used (bytes); 0."""
    maxuse_threadstack: Array[np.int64]
    """(nworld, 128): most stack that each thread used (bytes); 0."""
    maxuse_arena: Array[np.int64]
    """(nworld,): most arena that was used (bytes); 0."""
    maxuse_con: Array[np.int32]
    """(nworld,): most contacts of a step so far."""
    maxuse_efc: Array[np.int32]
    """(nworld,): most constraint rows of a step so far."""
    solver_niter: Array[np.int32]
    """(nworld, 20): iterations, per island."""
    solver_nnz: Array[np.int32]
    """(nworld, 20): entries of the matrix that was factored, per island."""
    solver_fwdinv: Array[np.float64]
    """(nworld, 2): forward minus inverse dynamics: forces, constraints (N)."""
    ncon: Array[np.int32]
    """(nworld,): contacts."""
    ne: Array[np.int32]
    """(nworld,): rows of equality constraints."""
    nf: Array[np.int32]
    """(nworld,): rows of friction loss."""
    nl: Array[np.int32]
    """(nworld,): rows of limits."""
    nefc: Array[np.int32]
    """(nworld,): rows of all constraints, contacts included."""
    nJ: Array[np.int32]
    """(nworld,): entries of efc_J."""
    nA: Array[np.int32]
    """(nworld,): entries of efc_AR."""
    nisland: Array[np.int32]
    """(nworld,): islands: groups that constraints tie together."""
    nidof: Array[np.int32]
    """(nworld,): dofs that lie in islands."""
    ntree_awake: Array[np.int32]
    """(nworld,): trees that are awake."""
    nbody_awake: Array[np.int32]
    """(nworld,): bodies that are awake or static."""
    nparent_awake: Array[np.int32]
    """(nworld,): bodies whose parent is awake or static."""
    nv_awake: Array[np.int32]
    """(nworld,): dofs that are awake."""
    time: Array[np.float64]
    """(nworld,): simulated time (s)."""
    energy: Array[np.float64]
    """(nworld, 2): potential, kinetic (J)."""
    qpos: Array[np.float64]
    """(nworld, nq): configuration (m, rad, quaternions)."""
    qvel: Array[np.float64]
    """(nworld, nv): velocity (m/s, rad/s)."""
    act: Array[np.float64]
    """(nworld, na): activations of actuators."""
    history: Array[np.float64]
    """(nworld, nhistory): past controls and readings, for delays."""
    qacc_warmstart: Array[np.float64]
    """(nworld, nv): acceleration that the solver starts from."""
    plugin_state: Array[np.float64]
    """(nworld, npluginstate): state of plugins."""
    ctrl: Array[np.float64]
    """(nworld, nu): control signal of each actuator."""
    qfrc_applied: Array[np.float64]
    """(nworld, nv): force that the user adds (N, N m)."""
    xfrc_applied: Array[np.float64]
    """(nworld, nbody, 6): force, torque at the mass centre, world axes (N, N m)."""
    eq_active: Array[np.int32]
    """(nworld, neq): 1: the equality constraint is on."""
    mocap_pos: Array[np.float64]
    """(nworld, nmocap, 3): position of each motion capture body (m)."""
    mocap_quat: Array[np.float64]
    """(nworld, nmocap, 4): orientation of each motion capture body."""
    qacc: Array[np.float64]
    """(nworld, nv): acceleration (m/s^2, rad/s^2)."""
    act_dot: Array[np.float64]
    """(nworld, na): rate of act (1/s)."""
    userdata: Array[np.float64]
    """(nworld, nuserdata): values for the user."""
    sensordata: Array[np.float64]
    """(nworld, nsensordata): readings of all sensors."""
    tree_asleep: Array[np.int32]
    """(nworld, ntree): < 0: awake; else the next tree of its sleeping group."""
    plugin: Array[np.int32]
    """(nworld, nplugin): slot of each plugin instance."""
    xpos: Array[np.float64]
    """(nworld, nbody, 3): origin of the body frame in the world (m)."""
    xquat: Array[np.float64]
    """(nworld, nbody, 4): orientation of the body frame in the world."""
    xmat: Array[np.float64]
    """(nworld, nbody, 9): the same as a rotation matrix."""
    xipos: Array[np.float64]
    """(nworld, nbody, 3): centre of mass in the world (m)."""
    ximat: Array[np.float64]
    """(nworld, nbody, 9): principal axes of inertia in the world."""
    xanchor: Array[np.float64]
    """(nworld, njnt, 3): anchor of each joint in the world (m)."""
    xaxis: Array[np.float64]
    """(nworld, njnt, 3): axis of each joint in the world."""
    geom_xpos: Array[np.float64]
    """(nworld, ngeom, 3): centre in the world (m)."""
    geom_xmat: Array[np.float64]
    """(nworld, ngeom, 9): orientation in the world."""
    site_xpos: Array[np.float64]
    """(nworld, nsite, 3): position in the world (m)."""
    site_xmat: Array[np.float64]
    """(nworld, nsite, 9): orientation in the world."""
    cam_xpos: Array[np.float64]
    """(nworld, ncam, 3): position in the world (m)."""
    cam_xmat: Array[np.float64]
    """(nworld, ncam, 9): orientation in the world; looks along -z."""
    light_xpos: Array[np.float64]
    """(nworld, nlight, 3): position in the world (m)."""
    light_xdir: Array[np.float64]
    """(nworld, nlight, 3): direction in the world."""
    subtree_com: Array[np.float64]
    """(nworld, nbody, 3): centre of mass of the body and all below it (m)."""
    cdof: Array[np.float64]
    """(nworld, nv, 6): motion by a unit dof velocity: rotation, translation."""
    cinert: Array[np.float64]
    """(nworld, nbody, 10): inertia about the tree's centre: 6 moments, m*offset, m."""
    flexvert_xpos: Array[np.float64]
    """(nworld, nflexvert, 3): vertex in the world (m)."""
    flexelem_aabb: Array[np.float64]
    """(nworld, nflexelem, 6): box of each element: centre, half sizes (m)."""
    flexedge_J: Array[np.float64]
    """(nworld, nJfe): derivative of the edge length."""
    flexedge_length: Array[np.float64]
    """(nworld, nflexedge): length of each edge (m)."""
    flexvert_J: Array[np.float64]
    """(nworld, nJfv, 2): derivative of the vertex strain."""
    flexvert_length: Array[np.float64]
    """(nworld, nflexvert, 2): strain of each vertex, two invariants."""
    bvh_aabb_dyn: Array[np.float64]
    """(nworld, nbvhdynamic, 6): moving boxes in the world: centre, half sizes (m)."""
    ten_wrapadr: Array[np.int32]
    """(nworld, ntendon): first path point of each tendon."""
    ten_wrapnum: Array[np.int32]
    """(nworld, ntendon): path points of each tendon."""
    ten_J: Array[np.float64]
    """(nworld, nJten): derivative of the tendon length."""
    ten_length: Array[np.float64]
    """(nworld, ntendon): length of each tendon (m)."""
    wrap_obj: Array[np.int32]
    """(nworld, nwrap, 2): geom behind a path point; -1: site, -2: pulley."""
    wrap_xpos: Array[np.float64]
    """(nworld, nwrap, 6): path points in the world (m)."""
    actuator_length: Array[np.float64]
    """(nworld, nu): length of each actuator (m, rad)."""
    moment_rownnz: Array[np.int32]
    """(nworld, nu): entries in each row of actuator_moment."""
    moment_rowadr: Array[np.int32]
    """(nworld, nu): first entry of each row of actuator_moment."""
    moment_colind: Array[np.int32]
    """(nworld, nJmom): dof of each entry of actuator_moment."""
    actuator_moment: Array[np.float64]
    """(nworld, nJmom): derivative of the actuator length."""
    crb: Array[np.float64]
    """(nworld, nbody, 10): cinert summed over the body and all below it."""
    qM: Array[np.float64]
    """(nworld, nM): inertia matrix, a list of ancestors per dof."""
    M: Array[np.float64]
    """(nworld, nC): inertia matrix, lower triangle by rows."""
    qLD: Array[np.float64]
    """(nworld, nC): factors L and D with M = L' D L."""
    qLDiagInv: Array[np.float64]
    """(nworld, nv): 1 / D."""
    tree_awake: Array[np.int32]
    """(nworld, ntree): 1: awake."""
    body_awake: Array[np.int32]
    """(nworld, nbody): mjtSleepState: asleep, awake or static."""
    body_awake_ind: Array[np.int32]
    """(nworld, nbody): bodies that are awake or static."""
    parent_awake_ind: Array[np.int32]
    """(nworld, nbody): bodies whose parent is awake or static."""
    dof_awake_ind: Array[np.int32]
    """(nworld, nv): dofs that are awake."""
    flexedge_velocity: Array[np.float64]
    """(nworld, nflexedge): rate of the edge length (m/s)."""
    ten_velocity: Array[np.float64]
    """(nworld, ntendon): rate of the tendon length (m/s)."""
    actuator_velocity: Array[np.float64]
    """(nworld, nu): rate of the actuator length (m/s, rad/s)."""
    cvel: Array[np.float64]
    """(nworld, nbody, 6): velocity at the tree's centre: rad/s, m/s."""
    cdof_dot: Array[np.float64]
    """(nworld, nv, 6): rate of cdof."""
    qfrc_bias: Array[np.float64]
    """(nworld, nv): Coriolis, centrifugal, gravity forces (N, N m)."""
    qfrc_spring: Array[np.float64]
    """(nworld, nv): force of springs (N, N m)."""
    qfrc_damper: Array[np.float64]
    """(nworld, nv): force of dampers (N, N m)."""
    qfrc_gravcomp: Array[np.float64]
    """(nworld, nv): force that compensates gravity (N, N m)."""
    qfrc_fluid: Array[np.float64]
    """(nworld, nv): force of the surrounding fluid (N, N m)."""
    qfrc_passive: Array[np.float64]
    """(nworld, nv): sum of these passive forces (N, N m)."""
    subtree_linvel: Array[np.float64]
    """(nworld, nbody, 3): velocity of the subtree's centre of mass (m/s)."""
    subtree_angmom: Array[np.float64]
    """(nworld, nbody, 3): angular momentum about that centre (kg m^2/s)."""
    qH: Array[np.float64]
    """(nworld, nC): factors of M with implicit damping, as qLD."""
    qHDiagInv: Array[np.float64]
    """(nworld, nv): 1 / D of these factors."""
    qDeriv: Array[np.float64]
    """(nworld, nD): derivative of smooth forces by qvel (N s/m, N m s)."""
    qLU: Array[np.float64]
    """(nworld, nD): LU factors of M - timestep * qDeriv."""
    actuator_force: Array[np.float64]
    """(nworld, nu): force of each actuator (N, N m)."""
    qfrc_actuator: Array[np.float64]
    """(nworld, nv): force of all actuators (N, N m)."""
    qfrc_smooth: Array[np.float64]
    """(nworld, nv): sum of all forces but constraints (N, N m)."""
    qacc_smooth: Array[np.float64]
    """(nworld, nv): acceleration without constraints (m/s^2, rad/s^2)."""
    qfrc_constraint: Array[np.float64]
    """(nworld, nv): force of all constraints (N, N m)."""
    qfrc_inverse: Array[np.float64]
    """(nworld, nv): force that explains qacc (N, N m)."""
    cacc: Array[np.float64]
    """(nworld, nbody, 6): acceleration at the tree's centre: rad/s^2, m/s^2."""
    cfrc_int: Array[np.float64]
    """(nworld, nbody, 6): force from the parent: torque, force (N m, N)."""
    cfrc_ext: Array[np.float64]
    """(nworld, nbody, 6): force from outside: torque, force (N m, N)."""
    efc_type: Array[np.int32]
    """(nworld, nefc): mjtConstraint: what made the row."""
    efc_id: Array[np.int32]
    """(nworld, nefc): equality, dof, joint, tendon or contact of the row."""
    efc_J_rownnz: Array[np.int32]
    """(nworld, nefc): entries in each row of efc_J."""
    efc_J_rowadr: Array[np.int32]
    """(nworld, nefc): first entry of each row of efc_J."""
    efc_J_rowsuper: Array[np.int32]
    """(nworld, nefc): rows after this one with the same columns."""
    efc_J_colind: Array[np.int32]
    """(nworld, nJ): dof of each entry of efc_J."""
    efc_J: Array[np.float64]
    """(nworld, nJ): derivative of the row's position."""
    efc_pos: Array[np.float64]
    """(nworld, nefc): violation or distance (m, rad)."""
    efc_margin: Array[np.float64]
    """(nworld, nefc): distance where the row starts to act (m, rad)."""
    efc_frictionloss: Array[np.float64]
    """(nworld, nefc): bound of the friction force (N, N m)."""
    efc_diagApprox: Array[np.float64]
    """(nworld, nefc): estimate of the diagonal of J M^-1 J'."""
    efc_KBIP: Array[np.float64]
    """(nworld, nefc, 4): stiffness, damping, impedance, its slope."""
    efc_D: Array[np.float64]
    """(nworld, nefc): 1 / R."""
    efc_R: Array[np.float64]
    """(nworld, nefc): regularizer of the row (1/kg, 1/(kg m^2))."""
    tendon_efcadr: Array[np.int32]
    """(nworld, ntendon): first row of each tendon; -1: none."""
    tree_island: Array[np.int32]
    """(nworld, ntree): island of each tree; -1: none."""
    island_ntree: Array[np.int32]
    """(nworld, nisland): trees of each island."""
    island_itreeadr: Array[np.int32]
    """(nworld, nisland): first tree of each island, in island order."""
    map_itree2tree: Array[np.int32]
    """(nworld, ntree): tree at each place in island order."""
    dof_island: Array[np.int32]
    """(nworld, nv): island of each dof; -1: none."""
    island_nv: Array[np.int32]
    """(nworld, nisland): dofs of each island."""
    island_idofadr: Array[np.int32]
    """(nworld, nisland): first dof of each island, in island order."""
    island_dofadr: Array[np.int32]
    """(nworld, nisland): smallest dof of each island."""
    map_dof2idof: Array[np.int32]
    """(nworld, nv): place of each dof in island order."""
    map_idof2dof: Array[np.int32]
    """(nworld, nv): dof at each place in island order."""
    ifrc_smooth: Array[np.float64]
    """(nworld, nidof): qfrc_smooth in island order."""
    iacc_smooth: Array[np.float64]
    """(nworld, nidof): qacc_smooth in island order."""
    iM_rownnz: Array[np.int32]
    """(nworld, nidof): entries in each row of iM."""
    iM_rowadr: Array[np.int32]
    """(nworld, nidof): first entry of each row of iM."""
    iM_colind: Array[np.int32]
    """(nworld, nC): column of each entry of iM."""
    iM: Array[np.float64]
    """(nworld, nC): M in island order."""
    iLD: Array[np.float64]
    """(nworld, nC): qLD in island order."""
    iLDiagInv: Array[np.float64]
    """(nworld, nidof): qLDiagInv in island order."""
    iacc: Array[np.float64]
    """(nworld, nidof): qacc in island order."""
    efc_island: Array[np.int32]
    """(nworld, nefc): island of each row."""
    island_ne: Array[np.int32]
    """(nworld, nisland): equality rows of each island."""
    island_nf: Array[np.int32]
    """(nworld, nisland): friction loss rows of each island."""
    island_nefc: Array[np.int32]
    """(nworld, nisland): rows of each island."""
    island_iefcadr: Array[np.int32]
    """(nworld, nisland): first row of each island, in island order."""
    map_efc2iefc: Array[np.int32]
    """(nworld, nefc): place of each row in island order."""
    map_iefc2efc: Array[np.int32]
    """(nworld, nefc): row at each place in island order."""
    iefc_type: Array[np.int32]
    """(nworld, nefc): efc_type in island order."""
    iefc_id: Array[np.int32]
    """(nworld, nefc): efc_id in island order."""
    iefc_J_rownnz: Array[np.int32]
    """(nworld, nefc): efc_J_rownnz in island order."""
    iefc_J_rowadr: Array[np.int32]
    """(nworld, nefc): first entry of each row of iefc_J."""
    iefc_J_rowsuper: Array[np.int32]
    """(nworld, nefc): efc_J_rowsuper in island order."""
    iefc_J_colind: Array[np.int32]
    """(nworld, nJ): efc_J_colind in island order."""
    iefc_J: Array[np.float64]
    """(nworld, nJ): efc_J in island order."""
    iefc_frictionloss: Array[np.float64]
    """(nworld, nefc): efc_frictionloss in island order."""
    iefc_D: Array[np.float64]
    """(nworld, nefc): efc_D in island order."""
    iefc_R: Array[np.float64]
    """(nworld, nefc): efc_R in island order."""
    efc_AR_rownnz: Array[np.int32]
    """(nworld, nefc): entries in each row of efc_AR."""
    efc_AR_rowadr: Array[np.int32]
    """(nworld, nefc): first entry of each row of efc_AR."""
    efc_AR_colind: Array[np.int32]
    """(nworld, nA): column of each entry of efc_AR."""
    efc_AR: Array[np.float64]
    """(nworld, nA): J M^-1 J' + R."""
    efc_vel: Array[np.float64]
    """(nworld, nefc): J qvel (m/s, rad/s)."""
    efc_aref: Array[np.float64]
    """(nworld, nefc): acceleration that the row asks for."""
    efc_b: Array[np.float64]
    """(nworld, nefc): J qacc_smooth - aref."""
    iefc_aref: Array[np.float64]
    """(nworld, nefc): efc_aref in island order."""
    iefc_state: Array[np.int32]
    """(nworld, nefc): efc_state in island order."""
    iefc_force: Array[np.float64]
    """(nworld, nefc): efc_force in island order."""
    efc_state: Array[np.int32]
    """(nworld, nefc): mjtConstraintState: satisfied, quadratic, ...."""
    efc_force: Array[np.float64]
    """(nworld, nefc): force of the row (N, N m)."""
    ifrc_constraint: Array[np.float64]
    """(nworld, nidof): qfrc_constraint in island order."""
    @property
    def contact(self) -> Contacts:
        """Contacts of every world, see `Contacts`."""

    def body(self, key: int | str = ...) -> BodyOfData:
        """The body with this name or id."""

    def joint(self, key: int | str = ...) -> JointOfData:
        """The joint with this name or id."""

    def geom(self, key: int | str = ...) -> GeomOfData:
        """The geom with this name or id."""

    def site(self, key: int | str = ...) -> SiteOfData:
        """The site with this name or id."""

    def camera(self, key: int | str = ...) -> CameraOfData:
        """The camera with this name or id."""

    def light(self, key: int | str = ...) -> LightOfData:
        """The light with this name or id."""

    def tendon(self, key: int | str = ...) -> TendonOfData:
        """The tendon with this name or id."""

    def actuator(self, key: int | str = ...) -> ActuatorOfData:
        """The actuator with this name or id."""

    def sensor(self, key: int | str = ...) -> SensorOfData:
        """The sensor with this name or id."""

    def equality(self, key: int | str = ...) -> EqualityOfData:
        """The equality with this name or id."""

    def jnt(self, key: int | str = ...) -> JointOfData:
        """The joint with this name or id."""

    def cam(self, key: int | str = ...) -> CameraOfData:
        """The camera with this name or id."""

    def ten(self, key: int | str = ...) -> TendonOfData:
        """The tendon with this name or id."""

class WorldFields:
    """Fields of one of many worlds."""

    narena: int
    """Bytes of MuJoCo's arena; 0: there is none."""
    nbuffer: int
    """Bytes of the arrays of a world."""
    pstack: int
    """Top of MuJoCo's stack; 0: there is none."""
    pbase: int
    """Its top at the last mark; 0."""
    parena: int
    """End of what MuJoCo's arena holds; 0."""
    maxuse_stack: int
    """Most stack that was used (bytes); 0."""
    maxuse_threadstack: Array[np.int64]
    """(128,): most stack that each thread used (bytes); 0."""
    maxuse_arena: int
    """Most arena that was used (bytes); 0."""
    maxuse_con: int
    """Most contacts of a step so far."""
    maxuse_efc: int
    """Most constraint rows of a step so far."""
    solver_niter: Array[np.int32]
    """(20,): iterations, per island."""
    solver_nnz: Array[np.int32]
    """(20,): entries of the matrix that was factored, per island."""
    solver_fwdinv: Array[np.float64]
    """(2,): forward minus inverse dynamics: forces, constraints (N)."""
    ncon: int
    """Contacts."""
    ne: int
    """Rows of equality constraints."""
    nf: int
    """Rows of friction loss."""
    nl: int
    """Rows of limits."""
    nefc: int
    """Rows of all constraints, contacts included."""
    nJ: int
    """Entries of efc_J."""
    nA: int
    """Entries of efc_AR."""
    nisland: int
    """Islands: groups that constraints tie together."""
    nidof: int
    """Dofs that lie in islands."""
    ntree_awake: int
    """Trees that are awake."""
    nbody_awake: int
    """Bodies that are awake or static."""
    nparent_awake: int
    """Bodies whose parent is awake or static."""
    nv_awake: int
    """Dofs that are awake."""
    time: float
    """Simulated time (s)."""
    energy: Array[np.float64]
    """(2,): potential, kinetic (J)."""
    qpos: Array[np.float64]
    """(nq,): configuration (m, rad, quaternions)."""
    qvel: Array[np.float64]
    """(nv,): velocity (m/s, rad/s)."""
    act: Array[np.float64]
    """(na,): activations of actuators."""
    history: Array[np.float64]
    """(nhistory,): past controls and readings, for delays."""
    qacc_warmstart: Array[np.float64]
    """(nv,): acceleration that the solver starts from."""
    plugin_state: Array[np.float64]
    """(npluginstate,): state of plugins."""
    ctrl: Array[np.float64]
    """(nu,): control signal of each actuator."""
    qfrc_applied: Array[np.float64]
    """(nv,): force that the user adds (N, N m)."""
    xfrc_applied: Array[np.float64]
    """(nbody, 6): force, torque at the mass centre, world axes (N, N m)."""
    eq_active: Array[np.int32]
    """(neq,): 1: the equality constraint is on."""
    mocap_pos: Array[np.float64]
    """(nmocap, 3): position of each motion capture body (m)."""
    mocap_quat: Array[np.float64]
    """(nmocap, 4): orientation of each motion capture body."""
    qacc: Array[np.float64]
    """(nv,): acceleration (m/s^2, rad/s^2)."""
    act_dot: Array[np.float64]
    """(na,): rate of act (1/s)."""
    userdata: Array[np.float64]
    """(nuserdata,): values for the user."""
    sensordata: Array[np.float64]
    """(nsensordata,): readings of all sensors."""
    tree_asleep: Array[np.int32]
    """(ntree,): < 0: awake; else the next tree of its sleeping group."""
    plugin: Array[np.int32]
    """(nplugin,): slot of each plugin instance."""
    xpos: Array[np.float64]
    """(nbody, 3): origin of the body frame in the world (m)."""
    xquat: Array[np.float64]
    """(nbody, 4): orientation of the body frame in the world."""
    xmat: Array[np.float64]
    """(nbody, 9): the same as a rotation matrix."""
    xipos: Array[np.float64]
    """(nbody, 3): centre of mass in the world (m)."""
    ximat: Array[np.float64]
    """(nbody, 9): principal axes of inertia in the world."""
    xanchor: Array[np.float64]
    """(njnt, 3): anchor of each joint in the world (m)."""
    xaxis: Array[np.float64]
    """(njnt, 3): axis of each joint in the world."""
    geom_xpos: Array[np.float64]
    """(ngeom, 3): centre in the world (m)."""
    geom_xmat: Array[np.float64]
    """(ngeom, 9): orientation in the world."""
    site_xpos: Array[np.float64]
    """(nsite, 3): position in the world (m)."""
    site_xmat: Array[np.float64]
    """(nsite, 9): orientation in the world."""
    cam_xpos: Array[np.float64]
    """(ncam, 3): position in the world (m)."""
    cam_xmat: Array[np.float64]
    """(ncam, 9): orientation in the world; looks along -z."""
    light_xpos: Array[np.float64]
    """(nlight, 3): position in the world (m)."""
    light_xdir: Array[np.float64]
    """(nlight, 3): direction in the world."""
    subtree_com: Array[np.float64]
    """(nbody, 3): centre of mass of the body and all below it (m)."""
    cdof: Array[np.float64]
    """(nv, 6): motion by a unit dof velocity: rotation, translation."""
    cinert: Array[np.float64]
    """(nbody, 10): inertia about the tree's centre: 6 moments, m*offset, m."""
    flexvert_xpos: Array[np.float64]
    """(nflexvert, 3): vertex in the world (m)."""
    flexelem_aabb: Array[np.float64]
    """(nflexelem, 6): box of each element: centre, half sizes (m)."""
    flexedge_J: Array[np.float64]
    """(nJfe,): derivative of the edge length."""
    flexedge_length: Array[np.float64]
    """(nflexedge,): length of each edge (m)."""
    flexvert_J: Array[np.float64]
    """(nJfv, 2): derivative of the vertex strain."""
    flexvert_length: Array[np.float64]
    """(nflexvert, 2): strain of each vertex, two invariants."""
    bvh_aabb_dyn: Array[np.float64]
    """(nbvhdynamic, 6): moving boxes in the world: centre, half sizes (m)."""
    ten_wrapadr: Array[np.int32]
    """(ntendon,): first path point of each tendon."""
    ten_wrapnum: Array[np.int32]
    """(ntendon,): path points of each tendon."""
    ten_J: Array[np.float64]
    """(nJten,): derivative of the tendon length."""
    ten_length: Array[np.float64]
    """(ntendon,): length of each tendon (m)."""
    wrap_obj: Array[np.int32]
    """(nwrap, 2): geom behind a path point; -1: site, -2: pulley."""
    wrap_xpos: Array[np.float64]
    """(nwrap, 6): path points in the world (m)."""
    actuator_length: Array[np.float64]
    """(nu,): length of each actuator (m, rad)."""
    moment_rownnz: Array[np.int32]
    """(nu,): entries in each row of actuator_moment."""
    moment_rowadr: Array[np.int32]
    """(nu,): first entry of each row of actuator_moment."""
    moment_colind: Array[np.int32]
    """(nJmom,): dof of each entry of actuator_moment."""
    actuator_moment: Array[np.float64]
    """(nJmom,): derivative of the actuator length."""
    crb: Array[np.float64]
    """(nbody, 10): cinert summed over the body and all below it."""
    qM: Array[np.float64]
    """(nM,): inertia matrix, a list of ancestors per dof."""
    M: Array[np.float64]
    """(nC,): inertia matrix, lower triangle by rows."""
    qLD: Array[np.float64]
    """(nC,): factors L and D with M = L' D L."""
    qLDiagInv: Array[np.float64]
    """(nv,): 1 / D."""
    tree_awake: Array[np.int32]
    """(ntree,): 1: awake."""
    body_awake: Array[np.int32]
    """(nbody,): mjtSleepState: asleep, awake or static."""
    body_awake_ind: Array[np.int32]
    """(nbody,): bodies that are awake or static."""
    parent_awake_ind: Array[np.int32]
    """(nbody,): bodies whose parent is awake or static."""
    dof_awake_ind: Array[np.int32]
    """(nv,): dofs that are awake."""
    flexedge_velocity: Array[np.float64]
    """(nflexedge,): rate of the edge length (m/s)."""
    ten_velocity: Array[np.float64]
    """(ntendon,): rate of the tendon length (m/s)."""
    actuator_velocity: Array[np.float64]
    """(nu,): rate of the actuator length (m/s, rad/s)."""
    cvel: Array[np.float64]
    """(nbody, 6): velocity at the tree's centre: rad/s, m/s."""
    cdof_dot: Array[np.float64]
    """(nv, 6): rate of cdof."""
    qfrc_bias: Array[np.float64]
    """(nv,): Coriolis, centrifugal, gravity forces (N, N m)."""
    qfrc_spring: Array[np.float64]
    """(nv,): force of springs (N, N m)."""
    qfrc_damper: Array[np.float64]
    """(nv,): force of dampers (N, N m)."""
    qfrc_gravcomp: Array[np.float64]
    """(nv,): force that compensates gravity (N, N m)."""
    qfrc_fluid: Array[np.float64]
    """(nv,): force of the surrounding fluid (N, N m)."""
    qfrc_passive: Array[np.float64]
    """(nv,): sum of these passive forces (N, N m)."""
    subtree_linvel: Array[np.float64]
    """(nbody, 3): velocity of the subtree's centre of mass (m/s)."""
    subtree_angmom: Array[np.float64]
    """(nbody, 3): angular momentum about that centre (kg m^2/s)."""
    qH: Array[np.float64]
    """(nC,): factors of M with implicit damping, as qLD."""
    qHDiagInv: Array[np.float64]
    """(nv,): 1 / D of these factors."""
    qDeriv: Array[np.float64]
    """(nD,): derivative of smooth forces by qvel (N s/m, N m s)."""
    qLU: Array[np.float64]
    """(nD,): LU factors of M - timestep * qDeriv."""
    actuator_force: Array[np.float64]
    """(nu,): force of each actuator (N, N m)."""
    qfrc_actuator: Array[np.float64]
    """(nv,): force of all actuators (N, N m)."""
    qfrc_smooth: Array[np.float64]
    """(nv,): sum of all forces but constraints (N, N m)."""
    qacc_smooth: Array[np.float64]
    """(nv,): acceleration without constraints (m/s^2, rad/s^2)."""
    qfrc_constraint: Array[np.float64]
    """(nv,): force of all constraints (N, N m)."""
    qfrc_inverse: Array[np.float64]
    """(nv,): force that explains qacc (N, N m)."""
    cacc: Array[np.float64]
    """(nbody, 6): acceleration at the tree's centre: rad/s^2, m/s^2."""
    cfrc_int: Array[np.float64]
    """(nbody, 6): force from the parent: torque, force (N m, N)."""
    cfrc_ext: Array[np.float64]
    """(nbody, 6): force from outside: torque, force (N m, N)."""
    efc_type: Array[np.int32]
    """(nefc,): mjtConstraint: what made the row."""
    efc_id: Array[np.int32]
    """(nefc,): equality, dof, joint, tendon or contact of the row."""
    efc_J_rownnz: Array[np.int32]
    """(nefc,): entries in each row of efc_J."""
    efc_J_rowadr: Array[np.int32]
    """(nefc,): first entry of each row of efc_J."""
    efc_J_rowsuper: Array[np.int32]
    """(nefc,): rows after this one with the same columns."""
    efc_J_colind: Array[np.int32]
    """(nJ,): dof of each entry of efc_J."""
    efc_J: Array[np.float64]
    """(nJ,): derivative of the row's position."""
    efc_pos: Array[np.float64]
    """(nefc,): violation or distance (m, rad)."""
    efc_margin: Array[np.float64]
    """(nefc,): distance where the row starts to act (m, rad)."""
    efc_frictionloss: Array[np.float64]
    """(nefc,): bound of the friction force (N, N m)."""
    efc_diagApprox: Array[np.float64]
    """(nefc,): estimate of the diagonal of J M^-1 J'."""
    efc_KBIP: Array[np.float64]
    """(nefc, 4): stiffness, damping, impedance, its slope."""
    efc_D: Array[np.float64]
    """(nefc,): 1 / R."""
    efc_R: Array[np.float64]
    """(nefc,): regularizer of the row (1/kg, 1/(kg m^2))."""
    tendon_efcadr: Array[np.int32]
    """(ntendon,): first row of each tendon; -1: none."""
    tree_island: Array[np.int32]
    """(ntree,): island of each tree; -1: none."""
    island_ntree: Array[np.int32]
    """(nisland,): trees of each island."""
    island_itreeadr: Array[np.int32]
    """(nisland,): first tree of each island, in island order."""
    map_itree2tree: Array[np.int32]
    """(ntree,): tree at each place in island order."""
    dof_island: Array[np.int32]
    """(nv,): island of each dof; -1: none."""
    island_nv: Array[np.int32]
    """(nisland,): dofs of each island."""
    island_idofadr: Array[np.int32]
    """(nisland,): first dof of each island, in island order."""
    island_dofadr: Array[np.int32]
    """(nisland,): smallest dof of each island."""
    map_dof2idof: Array[np.int32]
    """(nv,): place of each dof in island order."""
    map_idof2dof: Array[np.int32]
    """(nv,): dof at each place in island order."""
    ifrc_smooth: Array[np.float64]
    """(nidof,): qfrc_smooth in island order."""
    iacc_smooth: Array[np.float64]
    """(nidof,): qacc_smooth in island order."""
    iM_rownnz: Array[np.int32]
    """(nidof,): entries in each row of iM."""
    iM_rowadr: Array[np.int32]
    """(nidof,): first entry of each row of iM."""
    iM_colind: Array[np.int32]
    """(nC,): column of each entry of iM."""
    iM: Array[np.float64]
    """(nC,): M in island order."""
    iLD: Array[np.float64]
    """(nC,): qLD in island order."""
    iLDiagInv: Array[np.float64]
    """(nidof,): qLDiagInv in island order."""
    iacc: Array[np.float64]
    """(nidof,): qacc in island order."""
    efc_island: Array[np.int32]
    """(nefc,): island of each row."""
    island_ne: Array[np.int32]
    """(nisland,): equality rows of each island."""
    island_nf: Array[np.int32]
    """(nisland,): friction loss rows of each island."""
    island_nefc: Array[np.int32]
    """(nisland,): rows of each island."""
    island_iefcadr: Array[np.int32]
    """(nisland,): first row of each island, in island order."""
    map_efc2iefc: Array[np.int32]
    """(nefc,): place of each row in island order."""
    map_iefc2efc: Array[np.int32]
    """(nefc,): row at each place in island order."""
    iefc_type: Array[np.int32]
    """(nefc,): efc_type in island order."""
    iefc_id: Array[np.int32]
    """(nefc,): efc_id in island order."""
    iefc_J_rownnz: Array[np.int32]
    """(nefc,): efc_J_rownnz in island order."""
    iefc_J_rowadr: Array[np.int32]
    """(nefc,): first entry of each row of iefc_J."""
    iefc_J_rowsuper: Array[np.int32]
    """(nefc,): efc_J_rowsuper in island order."""
    iefc_J_colind: Array[np.int32]
    """(nJ,): efc_J_colind in island order."""
    iefc_J: Array[np.float64]
    """(nJ,): efc_J in island order."""
    iefc_frictionloss: Array[np.float64]
    """(nefc,): efc_frictionloss in island order."""
    iefc_D: Array[np.float64]
    """(nefc,): efc_D in island order."""
    iefc_R: Array[np.float64]
    """(nefc,): efc_R in island order."""
    efc_AR_rownnz: Array[np.int32]
    """(nefc,): entries in each row of efc_AR."""
    efc_AR_rowadr: Array[np.int32]
    """(nefc,): first entry of each row of efc_AR."""
    efc_AR_colind: Array[np.int32]
    """(nA,): column of each entry of efc_AR."""
    efc_AR: Array[np.float64]
    """(nA,): J M^-1 J' + R."""
    efc_vel: Array[np.float64]
    """(nefc,): J qvel (m/s, rad/s)."""
    efc_aref: Array[np.float64]
    """(nefc,): acceleration that the row asks for."""
    efc_b: Array[np.float64]
    """(nefc,): J qacc_smooth - aref."""
    iefc_aref: Array[np.float64]
    """(nefc,): efc_aref in island order."""
    iefc_state: Array[np.int32]
    """(nefc,): efc_state in island order."""
    iefc_force: Array[np.float64]
    """(nefc,): efc_force in island order."""
    efc_state: Array[np.int32]
    """(nefc,): mjtConstraintState: satisfied, quadratic, ...."""
    efc_force: Array[np.float64]
    """(nefc,): force of the row (N, N m)."""
    ifrc_constraint: Array[np.float64]
    """(nidof,): qfrc_constraint in island order."""

class ContactsFields:
    """Fields of the contacts of every world."""

    dist: Array[np.float64]
    """(nworld, n): distance of the surfaces (m); negative: they overlap."""
    pos: Array[np.float64]
    """(nworld, n, 3): point half-way between the surfaces, in the world (m)."""
    frame: Array[np.float64]
    """(nworld, n, 9): axes as rows; the first points from geom[0] to geom[1]."""
    includemargin: Array[np.float64]
    """(nworld, n): distance below which the contact makes force (m)."""
    friction: Array[np.float64]
    """(nworld, n, 5): sliding x, y (1); torsional, rolling x, y (m)."""
    solref: Array[np.float64]
    """(nworld, n, 2): normal force: time constant (s), damping ratio."""
    solreffriction: Array[np.float64]
    """(nworld, n, 2): the same for friction; zeros: as the normal."""
    solimp: Array[np.float64]
    """(nworld, n, 5): impedance curve."""
    mu: Array[np.float64]
    """(nworld, n): friction coefficient of the regularized elliptic cone."""
    H: Array[np.float64]
    """(nworld, n, 36): second derivative of the elliptic cone's cost."""
    dim: Array[np.int32]
    """(nworld, n): directions of contact forces: 1, 3, 4 or 6."""
    geom1: Array[np.int32]
    """(nworld, n): geom[0], its old name."""
    geom2: Array[np.int32]
    """(nworld, n): geom[1], its old name."""
    geom: Array[np.int32]
    """(nworld, n, 2): the two geoms; -1: a flex."""
    flex: Array[np.int32]
    """(nworld, n, 2): the two flexes; -1: a geom."""
    elem: Array[np.int32]
    """(nworld, n, 2): elements of the flexes; -1: none."""
    vert: Array[np.int32]
    """(nworld, n, 2): vertices of the flexes; -1: none."""
    exclude: Array[np.int32]
    """(nworld, n): why it makes no force; 0: it does, 1: in the gap."""
    efc_address: Array[np.int32]
    """(nworld, n): its first row; -1: none."""

class ContactFields:
    """Fields of one contact."""

    dist: float
    """Distance of the surfaces (m); negative: they overlap."""
    pos: Array[np.float64]
    """(3,): point half-way between the surfaces, in the world (m)."""
    frame: Array[np.float64]
    """(9,): axes as rows; the first points from geom[0] to geom[1]."""
    includemargin: float
    """Distance below which the contact makes force (m)."""
    friction: Array[np.float64]
    """(5,): sliding x, y (1); torsional, rolling x, y (m)."""
    solref: Array[np.float64]
    """(2,): normal force: time constant (s), damping ratio."""
    solreffriction: Array[np.float64]
    """(2,): the same for friction; zeros: as the normal."""
    solimp: Array[np.float64]
    """(5,): impedance curve."""
    mu: float
    """Friction coefficient of the regularized elliptic cone."""
    H: Array[np.float64]
    """(36,): second derivative of the elliptic cone's cost."""
    dim: int
    """Directions of contact forces: 1, 3, 4 or 6."""
    geom1: int
    """Geom[0], its old name."""
    geom2: int
    """Geom[1], its old name."""
    geom: Array[np.int32]
    """(2,): the two geoms; -1: a flex."""
    flex: Array[np.int32]
    """(2,): the two flexes; -1: a geom."""
    elem: Array[np.int32]
    """(2,): elements of the flexes; -1: none."""
    vert: Array[np.int32]
    """(2,): vertices of the flexes; -1: none."""
    exclude: int
    """Why it makes no force; 0: it does, 1: in the gap."""
    efc_address: int
    """Its first row; -1: none."""
