"""Reference motions: a clip of our own for the G1, and files of mjlab's format."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mjenv import terms
from mjenv.functions import cos, sin

if TYPE_CHECKING:
    from mjenv.engine.model.model import Model

FPS = 50
SECONDS = 4.0  # of the clip of our own, which begins again where it ends
SOLE = 0.002  # how far the soles are above the sites of the feet (m)


class Clip(NamedTuple):
    """A motion, frame by frame, `FPS` in a second.

    Attributes:
        joint_pos: (nframe, nu) angles of the joints (rad).
        joint_vel: (nframe, nu) their velocities (rad/s).
        body_pos: (nframe, nbody, 3) where bodies are (m).
        body_quat: (nframe, nbody, 4) their orientations.
        body_lin_vel: (nframe, nbody, 3) velocities (m/s), in the world.
        body_ang_vel: (nframe, nbody, 3) velocities of turning (rad/s), in the world.
        loops: whether the first frame follows the last one; else the last one stays.
    """

    joint_pos: np.ndarray
    joint_vel: np.ndarray
    body_pos: np.ndarray
    body_quat: np.ndarray
    body_lin_vel: np.ndarray
    body_ang_vel: np.ndarray
    loops: bool


def turned(angle: Any) -> Any:
    """Rotation (..., 4) about the vertical by an angle (...)."""
    zero = np.zeros_like(angle)
    return np.stack([cos(angle / 2), zero, zero, sin(angle / 2)], axis=-1)


def squats(model: "Model", home: np.ndarray) -> Clip:
    """Two squats with raised arms, while the hips sway to both sides.

    The soles stay flat and where they are: hips and ankles turn as far as the knees do, and all
    roll joints together.

    Args:
        model: of the G1.
        home: positions (nq,) to stand in.
    """
    phase = 2 * np.pi * np.arange(round(SECONDS * FPS)) / round(SECONDS * FPS)
    bend, sway = 0.25 * (1.0 - cos(2 * phase)), 0.1 * sin(phase)
    raised, swing = 1.0 - cos(2 * phase), 0.5 * (1.0 - cos(phase))
    moves = {
        "hip_pitch": -bend, "knee": 2 * bend, "ankle_pitch": -bend, "hip_roll": sway,
        "ankle_roll": -sway, "waist_yaw": 0.3 * sin(phase), "shoulder_pitch": -0.7 * raised,
        "elbow": 0.3 * raised, "left_shoulder_roll": 0.6 * swing,
        "right_shoulder_roll": -0.6 * (1.0 - swing),
    }  # fmt: skip
    names = [model.joint(k).name for k in range(1, model.njnt)]
    joints = home[7:] + np.zeros((len(phase), 1))
    for name, move in moves.items():
        for k, joint in enumerate(names):
            if name in joint:
                joints[:, k] += move
    return of_joints(model, joints)


def of_joints(model: "Model", joints: np.ndarray) -> Clip:
    """The clip of angles (nframe, nu) that begin again, of a trunk upright over still feet."""
    pos, quat = forward_kinematics(model, joints)
    feet = [model.site(name) for name in ("left_foot", "right_foot")]
    places = [
        pos[:, foot.bodyid[0]] + terms.rotate(quat[:, foot.bodyid[0]], np.array(foot.pos))
        for foot in feet
    ]
    pos = pos - (0.5 * (places[0] + places[1]) + [0.0, 0.0, SOLE])[:, None]
    # halfway between the frames before and after
    after, before = np.roll(quat, -1, axis=0), np.roll(quat, 1, axis=0)
    turn = terms.multiply(after, terms.conjugate(before))
    sign = np.where(turn[..., :1] < 0.0, -1.0, 1.0)
    return Clip(
        joints, _rate(joints), pos, quat, _rate(pos), sign * turn[..., 1:] * FPS, loops=True
    )


def _rate(values: np.ndarray) -> np.ndarray:
    return (np.roll(values, -1, axis=0) - np.roll(values, 1, axis=0)) * (FPS / 2)


def forward_kinematics(model: "Model", joints: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions (n, nbody, 3) and orientations (n, nbody, 4) of the bodies of a robot.

    Args:
        model: whose first joint is free, and whose others are hinges.
        joints: angles of the hinges, (n, nu); the trunk is at the origin, not turned.
    """
    pos = np.zeros((len(joints), model.nbody, 3))
    quat = np.zeros((len(joints), model.nbody, 4))
    quat[..., 0] = 1.0
    for body in range(2, model.nbody):
        parent = int(model.body_parentid[body])
        if parent == 0:
            continue
        pos[:, body] = pos[:, parent] + terms.rotate(quat[:, parent], model.body_pos[body])
        own = terms.multiply(quat[:, parent], model.body_quat[body])
        for joint in np.flatnonzero(model.jnt_bodyid == body):
            half = joints[:, joint - 1, None] / 2
            own = terms.multiply(
                own, np.concatenate([cos(half), sin(half) * model.jnt_axis[joint]], axis=-1)
            )
        quat[:, body] = own
    return pos, quat


def read(path: str, model: "Model") -> Clip:
    """A clip from a file of mjlab's format, `.npz`, with all bodies of the robot.

    Args:
        path: the file, with `joint_pos`, `joint_vel`, `body_pos_w`, `body_quat_w`,
            `body_lin_vel_w` and `body_ang_vel_w`.
        model: of the robot.

    Raises:
        ValueError: it lacks an array, or has one of the wrong shape.
    """
    names = ("joint_pos", "joint_vel", "body_pos_w", "body_quat_w", "body_lin_vel_w")
    names += ("body_ang_vel_w",)
    with np.load(Path(path).expanduser(), allow_pickle=False) as file:
        absent = [name for name in names if name not in file.files]
        if absent:
            raise ValueError(f"{path}: found no {', '.join(absent)}, expected {', '.join(names)}")
        arrays = [np.asarray(file[name], np.float64) for name in names]
    nframe, nbody = len(arrays[0]), model.nbody - 1
    shapes = [(nframe, model.nu)] * 2 + [(nframe, nbody, n) for n in (3, 4, 3, 3)]
    for name, array, shape in zip(names, arrays, shapes, strict=True):
        if array.shape != shape:
            raise ValueError(f"{path}: {name} has shape {array.shape}, expected {shape}")
    # the world is the first body of a model
    bodies = [np.concatenate([one[:, :1], one], axis=1) for one in arrays[2:]]
    return Clip(arrays[0], arrays[1], *bodies, loops=False)
