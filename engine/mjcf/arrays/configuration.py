"""World poses of a model in one configuration, and Jacobians of points."""

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...products import applied
from ...tables.enums import JNT_BALL, JNT_FREE, JNT_SLIDE, MINVAL
from ..geometry import pose

if TYPE_CHECKING:
    from ...model.model import Model

BODY, INERTIA, BODYROT = 1, 2, 3  # mjtSameFrame


class Configuration:
    """World poses at qpos0, where joints do not displace bodies, or at another configuration.

    Attributes:
        qpos: the configuration (nq,).
        xpos, xmat: bodies (nbody, 3), (nbody, 3, 3).
        xipos, ximat: their inertial frames.
        xanchor, xaxis: joints (njnt, 3).
        com: centres of mass of subtrees (nbody, 3).
        xquat, xiquat: orientations of bodies and of their inertial frames, tuples.
        turn, move: rotation and translation axis of every dof (nv, 3), zero if it has none.
    """

    def __init__(self, model: "Model", qpos: np.ndarray | None = None):
        """Poses of all bodies.

        Args:
            model: the model.
            qpos: configuration (nq,); None: qpos0.
        """
        self.model = model
        self.qpos = model.qpos0 if qpos is None else qpos
        joints: dict[int, tuple] = {}
        poses, inner = [(pose.ZERO, pose.IDENTITY)], [(pose.ZERO, pose.IDENTITY)]
        # lists and tuples: on three numbers Python's own arithmetic is faster than numpy
        position, orientation = model.body_pos.tolist(), model.body_quat.tolist()
        ipos, iquat, parent = (
            model.body_ipos.tolist(),
            model.body_iquat.tolist(),
            model.body_parentid,
        )
        for i in range(1, model.nbody):
            quat = pose.normalize(tuple(orientation[i]))[0]
            poses.append(pose.compose(poses[parent[i]], (position[i], quat)))
            if qpos is not None:
                poses[i] = _moved(model, i, poses[i], qpos, joints)
            # inertial frames that coincide with the body's are copied, not composed: the same bits
            at, turned = pose.compose(poses[i], (ipos[i], tuple(iquat[i])))
            same = model.body_sameframe[i]
            inner.append((poses[i][0] if same == BODY else at, poses[i][1] if same else turned))
        self.xquat, self.xiquat = ([quat for _, quat in frames] for frames in (poses, inner))
        self.xpos = np.array([p for p, _ in poses])
        self.xmat = np.array([pose.matrix(q) for q in self.xquat]).reshape(-1, 3, 3)
        self.xipos = np.array([p for p, _ in inner])
        self.ximat = np.array([pose.matrix(q) for q in self.xiquat]).reshape(-1, 3, 3)
        self.xanchor = self.place(model.jnt_bodyid, model.jnt_pos)
        # free joints are anchored at their body, whatever their `pos` says
        free = model.jnt_type == JNT_FREE
        self.xanchor[free] = self.xpos[model.jnt_bodyid[free]]
        self.xaxis = applied(self.xmat[model.jnt_bodyid], model.jnt_axis)
        for j, (anchor, axis) in joints.items():
            self.xanchor[j], self.xaxis[j] = anchor, axis
        self.com = self._centres(model)
        self.turn, self.move = self._dof_axes(model)

    def place(self, bodies: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Points given in bodies, in the world."""
        return self.xpos[bodies] + applied(self.xmat[bodies], points)

    @cached_property
    def site_xpos(self) -> np.ndarray:
        """Positions of sites in the world (nsite, 3)."""
        return self._positions("site")

    @cached_property
    def geom_xpos(self) -> np.ndarray:
        """Positions of geoms in the world (ngeom, 3)."""
        return self._positions("geom")

    def site_xmat(self, site: int) -> np.ndarray:
        """Orientation of a site in the world (3, 3)."""
        return self._orientation("site", site)

    def geom_xmat(self, geom: int) -> np.ndarray:
        """Orientation of a geom in the world (3, 3)."""
        return self._orientation("geom", geom)

    def _positions(self, kind: str) -> np.ndarray:
        bodies, local, same = (
            getattr(self.model, f"{kind}_{name}") for name in ("bodyid", "pos", "sameframe")
        )
        points = self.place(bodies, local)
        for frame, origins in ((BODY, self.xpos), (INERTIA, self.xipos)):
            points[same == frame] = origins[bodies[same == frame]]
        return points

    def _orientation(self, kind: str, i: int) -> np.ndarray:
        bodies, local, same = (
            getattr(self.model, f"{kind}_{name}") for name in ("bodyid", "quat", "sameframe")
        )
        body = bodies[i]
        if same[i]:
            return (self.xmat if same[i] in (BODY, BODYROT) else self.ximat)[body]
        quat = pose.multiply(self.xquat[body], tuple(local[i].tolist()))
        return np.array(pose.matrix(quat)).reshape(3, 3)

    def jacobian(self, body: int, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Jacobian of a point that is fixed in a body: translation and rotation, each (3, nv)."""
        position, rotation = np.zeros((3, self.model.nv)), np.zeros((3, self.model.nv))
        dofs = chain(self.model, body)
        if dofs:
            turn = self.turn[dofs]
            lever = point - self.xanchor[self.model.dof_jntid[dofs]]
            position[:, dofs] = (self.move[dofs] + np.cross(turn, lever)).T
            rotation[:, dofs] = turn.T
        return position, rotation

    @cached_property
    def last_dofs(self) -> np.ndarray:
        """The last dof that moves each body, (nbody,); -1: none."""
        return last_dofs(self.model)

    def centre_jacobians(self, bodies: np.ndarray, dofs: np.ndarray, moved: np.ndarray):
        """Jacobians of centres of mass of n trees of one shape.

        Args:
            bodies: of each tree, (n, bodies).
            dofs: of each tree, (n, dofs).
            moved: which dofs of a tree move which of its bodies, (bodies, dofs).

        Returns:
            Translation and rotation, each (n, bodies, 3, dofs).
        """
        turn, move = self.turn[dofs][:, None], self.move[dofs][:, None]
        anchor = self.xanchor[self.model.dof_jntid[dofs]]
        moves = moved[..., None].astype(float)
        lever = self.xipos[bodies][:, :, None, :] - anchor[:, None]
        position = (move + np.cross(turn, lever)) * moves
        rotation = turn * moves
        return position.swapaxes(2, 3), rotation.swapaxes(2, 3)

    def _centres(self, model: "Model") -> np.ndarray:
        moment = self.xipos * model.body_mass[:, None]
        for i in range(model.nbody - 1, 0, -1):
            moment[model.body_parentid[i]] += moment[i]
        mass = model.body_subtreemass[:, None]
        light = mass < MINVAL
        return np.where(light, self.xipos, moment / np.where(light, 1.0, mass))

    def _dof_axes(self, model: "Model") -> tuple[np.ndarray, np.ndarray]:
        turn, move = np.zeros((model.nv, 3)), np.zeros((model.nv, 3))
        for j in range(model.njnt):
            kind, adr, body = model.jnt_type[j], model.jnt_dofadr[j], model.jnt_bodyid[j]
            if kind == JNT_FREE:
                move[adr : adr + 3] = np.eye(3)
                turn[adr + 3 : adr + 6] = self.xmat[body].T
            elif kind == JNT_BALL:
                turn[adr : adr + 3] = self.xmat[body].T
            elif kind == JNT_SLIDE:
                move[adr] = self.xaxis[j]
            else:
                turn[adr] = self.xaxis[j]
        return turn, move


def last_dofs(model: "Model") -> np.ndarray:
    """The last dof that moves each body, (nbody,); -1: none."""
    last = [-1] * model.nbody
    first, count = model.body_dofadr.tolist(), model.body_dofnum.tolist()
    parents = model.body_parentid.tolist()
    for body in range(1, model.nbody):
        last[body] = first[body] + count[body] - 1 if count[body] else last[parents[body]]
    return np.array(last)


def chain(model: "Model", body: int) -> list[int]:
    """Dofs that move a body, the nearest first."""
    while body > 0 and model.body_dofnum[body] == 0:
        body = model.body_parentid[body]
    dofs = []
    dof = model.body_dofadr[body] + model.body_dofnum[body] - 1 if body > 0 else -1
    while dof >= 0:
        dofs.append(int(dof))
        dof = model.dof_parentid[dof]
    return dofs


def _moved(model: "Model", body: int, at_rest: tuple, qpos: np.ndarray, joints: dict) -> tuple:
    """Pose of a body that its joints displace from where its parent holds it.

    Anchors and axes of its joints go to `joints`: each is displaced by those before it.
    """
    pos, quat = at_rest
    first = model.body_jntadr[body]
    # joints act one after the other: each turns and shifts the frame that the next one is given in
    for j in range(first, first + model.body_jntnum[body]):
        kind, adr = model.jnt_type[j], model.jnt_qposadr[j]
        if kind == JNT_FREE:
            given = qpos[adr : adr + 7].tolist()
            return tuple(given[:3]), pose.normalize(tuple(given[3:]))[0]
        local, axis = tuple(model.jnt_pos[j].tolist()), tuple(model.jnt_axis[j].tolist())
        change = float(qpos[adr] - model.qpos0[adr])
        anchor = pose.add(pos, pose.rotate(local, quat))
        joints[j] = anchor, pose.rotate(axis, quat)
        if kind == JNT_SLIDE:
            pos = pose.add(pos, tuple(change * x for x in joints[j][1]))
            continue
        if kind == JNT_BALL:
            turned = pose.normalize(tuple(qpos[adr : adr + 4].tolist()))[0]
        else:
            c, s = pose.half_turn(change)
            turned = (c, *(s * x for x in axis))
        # a rotation about an anchor that is not the origin also moves the origin
        quat = pose.multiply(quat, turned)
        pos = pose.sub(anchor, pose.rotate(local, quat))
    return pos, quat
