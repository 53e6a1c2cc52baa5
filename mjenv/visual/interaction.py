"""The mouse on what is seen: selecting, pulling and turning bodies, moving the model in a room."""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mjenv import mju
from mjenv.engine.analysis.flex_rays import ray_flex
from mjenv.engine.analysis.inertia import solve_m2
from mjenv.engine.analysis.jacobians import jac
from mjenv.engine.analysis.motion import object_velocity
from mjenv.engine.analysis.rays import ray
from mjenv.engine.data.views import takes_views
from mjenv.engine.mjcf.flex.nodes import basis
from mjenv.engine.tables.enums import JNT_FREE
from mjenv.mju.rays import ray_skin as meet_triangles

from .cameras import (
    ORTHOGRAPHIC_PACE,
    OWN_SHIFTS,
    SHIFTS,
    TURNS,
    UPRIGHT,
    ZOOM,
    mjv_averageCamera,
    mjv_cameraInModel,
    mjv_cameraInRoom,
    mjv_frustumHeight,
    mouse_vector,
    normalized,
)
from .flexes import PARTS, shows_flexes
from .names import MINVAL, PERT, VIS
from .settings import MjvOption, MjvPerturb
from .single_world import SingleWorld, single
from .skins import faces_of

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

    from .scene import MjvScene

TRANSLATE, ROTATE = int(PERT.mjPERT_TRANSLATE), int(PERT.mjPERT_ROTATE)
MOST_TURN = 0.5 * math.pi  # of a reference away from its body
SCALES = (0.01, 100.0)  # of a model in its room


class Selection(NamedTuple):
    """Object at a point of a picture.

    Attributes:
        bodyid: the body; -1 for none.
        point: (3,) where it is seen, m.
        geomid: its geom; -1 where something else is seen.
        flexid: the deformable; -1 where something else is seen. The body is that of its nearest
            vertex, or of the node that this follows most, and the point is there.
        skinid: the skin; -1 where something else is seen.
    """

    bodyid: int
    point: np.ndarray
    geomid: int = -1
    flexid: int = -1
    skinid: int = -1


NOTHING = Selection(-1, np.zeros(3))


@takes_views
def mjv_select(
    model: "Model", data: "Data", vopt: MjvOption, aspectratio: float, relx: float, rely: float,
    scn: "MjvScene", world: int = 0,
) -> Selection:  # fmt: skip
    """Find the object at a point of a picture of one world.

    Args:
        model: the model.
        data: worlds, with what the last call of `forward` or `step` computed.
        vopt: groups of geoms, and whether static bodies, deformables and skins are seen.
        aspectratio: width of the picture over its height.
        relx, rely: the point, from 0 to 1 from the left and from below.
        scn: the scene of the picture.
        world: which world.

    Returns:
        `Selection`.

    Raises:
        ValueError: the scene has no camera yet.
    """
    # the nearest of what the ray meets: geoms
    pos, way = _sight(scn, aspectratio, relx, rely)
    hits = ray(model, data, pos, way, vopt.geomgroup, bool(vopt.flags[VIS.mjVIS_STATIC]))
    distance, geom = float(hits.dist[world]), int(hits.geomid[world])
    best = NOTHING
    if distance >= 0:
        best = Selection(int(model.geom_bodyid[geom]), pos + distance * way, geom)
    # deformables, by what of them is drawn
    for f in range(model.nflex if shows_flexes(vopt.flags) else 0):
        vert, edge, face, skin = (bool(vopt.flags[VIS[f"mjVIS_FLEX{part}"]]) for part in PARTS)
        hit = ray_flex(model, data, vopt.flex_layer, vert, edge, face, skin, f, pos, way)
        far = float(hit.dist[world])
        if far >= 0 and (distance < 0 or far < distance):
            body, point = _of_flex(model, data, f, int(hit.vertid[world]), world)
            distance, best = far, Selection(body, point, flexid=f)
    # skins, as they were drawn
    skins = range(model.nskin) if vopt.flags[VIS.mjVIS_SKIN] else ()
    for skin in skins:
        vertices = scn.skinvert.reshape(-1, 3)[model.skin_vertadr[skin] :]
        vertices = vertices[: model.skin_vertnum[skin]]
        far, vertex = (x.item() for x in meet_triangles(faces_of(model, skin), vertices, pos, way))
        if far >= 0 and (distance < 0 or far < distance):
            body = _heaviest_bone(model, skin, vertex)
            point = vertices[vertex].astype(np.float64)
            distance, best = far, Selection(body, point, skinid=skin)
    return best


def _sight(
    scn: "MjvScene", aspectratio: float, relx: float, rely: float
) -> tuple[np.ndarray, np.ndarray]:
    """Start (m) and direction (3,) of the ray through a point of a picture."""
    eye = mjv_averageCamera(scn.camera[0], scn.camera[1])
    pos, forward, up = mjv_cameraInModel(scn)
    left = normalized(np.cross(up, forward))
    height = eye.frustum_top - eye.frustum_bottom
    above = eye.frustum_bottom + rely * height
    aside = -(eye.frustum_center + (2 * relx - 1) * 0.5 * aspectratio * height)
    shift = above * up + aside * left
    if eye.orthographic:
        return pos + shift, forward
    return pos, normalized(eye.frustum_near * forward + shift)


def _of_flex(
    model: "Model", data: "Data", f: int, vertex: int, world: int
) -> tuple[int, np.ndarray]:
    """Body of a vertex (of the deformable), or of the node that it follows most, and the place."""
    place = int(model.flex_vertadr[f]) + vertex
    order = abs(int(model.flex_interp[f]))
    if not order:
        return int(model.flex_vertbodyid[place]), data.flexvert_xpos[world, place].copy()
    # cell of the vertex, and its place in it
    count = model.flex_cellnum[f]
    local = model.flex_vert0[place] * count
    cell = np.clip(np.floor(local), 0, count - 1)
    inside = np.clip(local - cell, 0, 1)
    nearest = np.argmax([basis(float(s), order) for s in inside], axis=1)
    grid = np.ravel_multi_index((cell * order + nearest).astype(int), tuple(count * order + 1))
    node = int(model.flex_nodeadr[f]) + int(grid)
    body = int(model.flex_nodebodyid[node])
    turn = np.reshape(data.xmat[world, body], (3, 3))
    return body, turn @ model.flex_node[node] + data.xpos[world, body]


def _heaviest_bone(model: "Model", skin: int, vertex: int) -> int:
    """The body that a vertex of a skin follows most."""
    best, body = -1.0, -1
    first = model.skin_boneadr[skin]
    for bone in range(first, first + model.skin_bonenum[skin]):
        adr, num = model.skin_bonevertadr[bone], model.skin_bonevertnum[bone]
        weights = model.skin_bonevertweight[adr : adr + num]
        own = weights[model.skin_bonevertid[adr : adr + num] == vertex]
        if len(own) and own.max() > best:
            best, body = float(own.max()), int(model.skin_bonebodyid[bone])
    return body


# ---------------------------------------------------------------- perturbations


def _inertial_quat(one: SingleWorld, body: int) -> np.ndarray:
    """Orientation (4,) of a body's inertial frame."""
    return mju.mul_quat(one.d.xquat[body], one.m.body_iquat[body])


def _point_of(one: SingleWorld, pert: MjvPerturb) -> np.ndarray:
    """The selected point (3,) in the world, m."""
    body = pert.select
    return np.reshape(one.d.xmat[body], (3, 3)) @ pert.localpos + one.d.xpos[body]


@takes_views
def mjv_initPerturb(
    model: "Model", data: "Data", scn: "MjvScene", pert: MjvPerturb, world: int = 0
) -> None:
    """Start to pull the selected body: references where it is, inertia and pace of the mouse.

    Args:
        model: the model.
        data: worlds, which keep xpos, xquat, qLD and what else the last call computed.
        scn: the scene of the picture.
        pert: with the selected body and point; its references, scale and localmass are set.
        world: which world.

    Raises:
        ValueError: the scene has no camera yet.
    """
    body = pert.select
    if not 0 < body < model.nbody:
        return
    one = SingleWorld(model, data, world, "mjv_initPerturb")
    point = _point_of(one, pert)
    pert.localmass = 1.0
    if model.nv:
        translation, _ = jac(model, data, np.broadcast_to(point, (data.nworld, 3)), body)
        root = solve_m2(model, data, translation)[world]
        inverse = float((root * root).sum())
        pert.localmass = 3 / max(inverse, MINVAL) if inverse else 1.0
    # a vertex of a deformable takes its neighbours along
    f = pert.flexselect
    if f >= 0 and not model.flex_rigid[f]:
        pert.localmass *= 2.0 * model.flex_edgenum[f] / model.flex_vertnum[f]
    pert.refpos, pert.refquat = one.d.xipos[body], _inertial_quat(one, body)
    pert.refselpos = point
    pos, forward, _ = mjv_cameraInModel(scn)
    pert.scale = mjv_frustumHeight(scn) * float((pert.refselpos - pos) @ forward)
    if scn.camera[0].orthographic:
        pert.scale *= ORTHOGRAPHIC_PACE


@takes_views
def mjv_movePerturb(
    model: "Model", data: "Data", action: int, reldx: float, reldy: float, scn: "MjvScene",
    pert: MjvPerturb, world: int = 0,
) -> None:  # fmt: skip
    """Move the references of a perturbation as the mouse says.

    Args:
        model: the model.
        data: worlds, which keep xmat and xquat.
        action: mjtMouse.
        reldx, reldy: way of the mouse, in heights of the picture.
        scn: the scene of the picture.
        pert: what is pulled; `mjv_initPerturb` has set it.
        world: which world.

    Raises:
        ValueError: no such action, or the scene has no camera yet.
    """
    one = SingleWorld(model, data, world, "mjv_movePerturb")
    # the mouse's way in the model's frame
    _, forward, _ = mjv_cameraInModel(scn)
    vector = mouse_vector(action, reldx, reldy, forward)
    if action == ZOOM:
        return
    if action in TURNS:
        _turn_reference(one, pert, vector)
        return
    if action in OWN_SHIFTS:
        axes = np.reshape(one.d.xmat[pert.select], (3, 3)).T
        vector = reldy * axes[2 if action in UPRIGHT else 0] + reldx * axes[1]
    pert.refpos += pert.scale * vector
    pert.refselpos += pert.scale * vector


def _turn_reference(one: SingleWorld, pert: MjvPerturb, vector: np.ndarray) -> None:
    """Turn a reference about a vector (3,), whole turns, up to a right angle from its body."""
    length = math.sqrt(float(vector @ vector))
    turn = mju.axis_angle2quat(normalized(vector), length * math.pi * 2)
    quat = mju.mul_quat(turn, pert.refquat)
    pert.refquat = quat / np.sqrt(quat @ quat)
    body = pert.select
    if not 0 < body < one.model.nbody:
        return
    own = _inertial_quat(one, body)
    away = mju.quat2vel(mju.mul_quat(mju.neg_quat(own), pert.refquat))
    angle = math.sqrt(float(away @ away))
    if angle > MOST_TURN:
        pert.refquat = mju.mul_quat(own, mju.axis_angle2quat(normalized(away), MOST_TURN))


@takes_views
def mjv_applyPerturbPose(
    model: "Model", data: "Data", pert: MjvPerturb, flg_paused: bool, world: int = 0
) -> None:
    """Put the selected body where its reference is, if it is mocap, or paused and free.

    Bodies that hang from a free one take it along.

    Args:
        model: the model.
        data: worlds, whose mocap_pos, mocap_quat or qpos is set.
        pert: what is pulled.
        flg_paused: whether qpos may be set.
        world: which world.
    """
    body = pert.select
    if not (0 < body < model.nbody and pert.active | pert.active2):
        return
    one = SingleWorld(model, data, world, "mjv_applyPerturbPose")
    m, d = one.m, one.d
    inertial = mju.neg_pose(m.body_ipos[body], m.body_iquat[body])
    pos, quat = mju.mul_pose(pert.refpos, pert.refquat, *inertial)
    mocap, root = m.body_mocapid[body], m.body_rootid[body]
    if mocap >= 0:
        data.mocap_pos[world, mocap], data.mocap_quat[world, mocap] = pos, quat
        return
    moved = next((b for b in (body, root) if _is_free(m, b)), None)
    if not flg_paused or moved is None:
        return
    adr = m.jnt_qposadr[m.body_jntadr[moved]]
    if moved != body:
        # the root moves as the selected body does
        start = d.qpos[adr : adr + 3], d.qpos[adr + 3 : adr + 7]
        back = mju.mul_pose(*mju.neg_pose(d.xpos[body], d.xquat[body]), *start)
        pos, quat = mju.mul_pose(pos, quat, *back)
    data.qpos[world, adr : adr + 3], data.qpos[world, adr + 3 : adr + 7] = pos, quat


def _is_free(m: Any, body: int) -> bool:
    """True if a body has a free joint and no other."""
    return m.body_jntnum[body] == 1 and m.jnt_type[m.body_jntadr[body]] == JNT_FREE


@takes_views
def mjv_applyPerturbForce(model: "Model", data: "Data", pert: MjvPerturb, world: int = 0) -> None:
    """Pull the selected body to its reference by a damped spring: sets its xfrc_applied.

    Args:
        model: the model.
        data: worlds, which keep cvel, xpos, xquat and what else the last call computed.
        pert: what is pulled, and whether it is moved or turned.
        world: which world.
    """
    body, active = pert.select, pert.active | pert.active2
    if not (0 <= body < model.nbody and active):
        return
    # velocity of the body, and its effective inertia
    one = SingleWorld(model, data, world, "mjv_applyPerturbForce")
    velocity = object_velocity(model, data, "body", body)[world]
    spin, drift = velocity[:3], velocity[3:]
    weight = one.m.body_invweight0[body, 1]
    inertia = 1 / max(MINVAL, weight) if weight else 1.0
    stiff = single(model.vis.map.stiffness)
    stiff_turn = single(model.vis.map.stiffnessrot)
    wrench = data.xfrc_applied[world, body]
    # a damped spring at the selected point, critically damped
    if active & TRANSLATE:
        point = _point_of(one, pert)
        away, arm = point - pert.refselpos, point - one.d.xipos[body]
        speed = np.cross(spin, arm) + drift
        force = -pert.localmass * (stiff * away + math.sqrt(stiff) * speed)
        wrench[:3], axis = force, normalized(away)
        damping = math.sqrt(stiff_turn) * inertia * float(axis @ spin)
        wrench[3:] = np.cross(arm, force) - damping * axis
    # the same for its orientation
    if active & ROTATE:
        away = mju.mul_quat(pert.refquat, mju.neg_quat(_inertial_quat(one, body)))
        turn = mju.quat2vel(away, 1 / (stiff_turn * inertia))
        wrench[3:] = turn - math.sqrt(stiff_turn) * inertia * spin


# ---------------------------------------------------------------- the model in its room


def mjv_moveModel(
    model: "Model", action: int, reldx: float, reldy: float, roomup: ArrayLike, scn: "MjvScene"
) -> None:
    """Move a model in its room as the mouse says, where the scene's transformation is enabled.

    Args:
        model: the model.
        action: mjtMouse.
        reldx, reldy: way of the mouse, in heights of the picture.
        roomup: (3,) the room's vertical.
        scn: the scene.

    Raises:
        ValueError: no such action, or the scene has no camera yet.
    """
    if not scn.enabletransform:
        # axes of the room
        return
    _, look, _ = mjv_cameraInRoom(scn)
    up = np.array(roomup, np.float64).reshape(3)
    forward = normalized(look - (look @ up) * up)
    right = normalized(np.cross(forward, up))
    # turn, shift or scale
    if action in TURNS:
        vector = (up if action == TURNS[0] else forward) * reldx + right * reldy
        length = math.sqrt(float(vector @ vector))
        turn = mju.axis_angle2quat(normalized(vector), length * math.pi)
        quat = mju.mul_quat(turn, scn.rotate.astype(np.float64))
        scn.rotate = quat / np.sqrt(quat @ quat)
    elif action in SHIFTS or action in OWN_SHIFTS:
        way = right * reldx - (up if action in UPRIGHT else forward) * reldy
        scn.translate = scn.translate + way * model.stat.extent
    elif action == ZOOM:
        scale = scn.scale + math.log(1 + scn.scale / 3) * reldy * 3
        scn.scale = min(max(scale, SCALES[0]), SCALES[1])
    else:
        raise ValueError(
            f"mjv_moveModel: action={action}, expected one of mjenv.mjtMouse but mjMOUSE_NONE"
        )
