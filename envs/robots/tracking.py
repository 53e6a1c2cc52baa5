"""A robot that imitates a reference motion, with the rewards and observations of mjlab."""

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mjenv import terms
from mjenv.envs.robots.clip import Clip, read, squats, turned
from mjenv.envs.robots.g1 import FRICTION, G1
from mjenv.envs.robots.velocity import PUSH, disturbances
from mjenv.functions import exp, lookup
from mjenv.task.task import Fields, Outcome

if TYPE_CHECKING:
    from mjenv.engine.edit.spec import Spec
    from mjenv.task.random_streams import Streams

# parts of observations that the policy sees with noise, and how much
NOISE = {
    "motion_anchor_pos_b": 0.25, "motion_anchor_ori_b": 0.05, "base_lin_vel": 0.5,
    "base_ang_vel": 0.2, "joint_pos": 0.01, "joint_vel": 0.5,
}  # fmt: skip
# half of mjlab's, with which half of the robots fell soon after their starts, after 12 M steps
PUSHES = tuple(0.5 * limit for limit in (*PUSH[:2], 0.2, *PUSH[3:]))
ANCHOR = "torso_link"
BODIES = (
    "pelvis", "left_hip_roll_link", "left_knee_link", "left_ankle_roll_link",
    "right_hip_roll_link", "right_knee_link", "right_ankle_roll_link", ANCHOR,
    "left_shoulder_roll_link", "left_elbow_link", "left_wrist_yaw_link",
    "right_shoulder_roll_link", "right_elbow_link", "right_wrist_yaw_link",
)  # fmt: skip
ENDS = [k for k, name in enumerate(BODIES) if "ankle" in name or "wrist" in name]


class Pose(NamedTuple):
    """Positions, rotations and velocities of bodies in the world.

    Attributes:
        pos: (..., n, 3) in metres.
        quat: (..., n, 4).
        linear: (..., n, 3) in m/s.
        angular: (..., n, 3) in rad/s.
    """

    pos: np.ndarray
    quat: np.ndarray
    linear: np.ndarray
    angular: np.ndarray


class G1Tracking(G1):
    """Unitree's G1 imitates a motion: squats with raised arms, or the motion of a file.

    Rewards, weights, terminations and groups of observations are those of mjlab's tracking task,
    and files have its format; pushes are half as fast. Episodes begin anywhere in the motion.
    Weights are per second.
    """

    frame_skip = 4
    keep = ("xpos", "xquat")

    motion_file = ""  # mjlab's .npz; "" for the motion that comes with the task
    encoder_bias = 0.01  # of the joints that are observed (rad)
    # noise of initial states: places and angles of the trunk, and joints (m, rad), and velocities
    start_pos = (0.05, 0.05, 0.01)
    start_angles = (0.1, 0.1, 0.2)
    start_joints = 0.1
    start_push = PUSHES  # velocities of the trunk: x, y, z (m/s), and about these axes (rad/s)
    # how far off it may be: heights (m), and the vertical part of gravity in the torso's frame
    limit_height = 0.25
    limit_gravity = 0.8
    weights = {
        "motion_global_root_pos": 0.5, "motion_global_root_ori": 0.5, "motion_body_pos": 1.0,
        "motion_body_ori": 1.0, "motion_body_lin_vel": 1.0, "motion_body_ang_vel": 1.0,
        "action_rate_l2": -0.1, "joint_limit": -10.0, "self_collisions": -10.0,
    }  # fmt: skip
    randomization = disturbances(ANCHOR, FRICTION, NOISE, PUSHES)

    _both = ("command", "actions")
    _privileged = ("body_pos", "body_ori")

    @property
    def groups(self):
        true = tuple(f"true_{name}" for name in NOISE)
        return {
            "policy": (*NOISE, *self._both),
            "critic": (*true, *self._both, *self._privileged),
        }

    @property
    def state(self):
        return {"frame": 0, "last_action": np.zeros(self.model.nu), "bias": np.zeros(self.model.nu)}

    def build(self, spec: "Spec"):
        for name in BODIES:
            spec.sensor.add_framelinvel(name=f"{name}_linear", objtype="xbody", objname=name)
            spec.sensor.add_frameangvel(name=f"{name}_angular", objtype="xbody", objname=name)

    @cached_property
    def clip(self) -> Clip:
        """The motion, of all bodies of the model."""
        if self.motion_file:
            return read(self.motion_file, self.model)
        return squats(self.model, self.home)

    @cached_property
    def bodies(self):
        """Numbers of the bodies that are compared, in the order of `BODIES`."""
        return [self.model.body(name).id for name in BODIES]

    @cached_property
    def table(self):
        """Return the motion to imitate, frame after frame, as one vector of read-only numbers."""
        clip, bodies = self.clip, self.bodies
        parts = clip.body_pos, clip.body_quat, clip.body_lin_vel, clip.body_ang_vel
        columns = [part[:, bodies].reshape(len(part), -1) for part in parts]
        rows = np.concatenate([clip.joint_pos, clip.joint_vel, *columns], axis=-1)
        table = rows.reshape(-1)
        table.flags.writeable = False
        return table

    # episodes

    def reset(self, rng: "Streams"):
        clip, nu = self.clip, self.model.nu
        frame = rng.integers(len(clip.joint_pos))
        place, angles, joints = (
            np.asarray(limit) * rng.uniform(-1.0, 1.0, size)
            for limit, size in (
                (self.start_pos, 3),
                (self.start_angles, 3),
                (self.start_joints, nu),
            )
        )
        push = np.asarray(self.start_push) * rng.uniform(-1.0, 1.0, 6)
        pelvis = [part[frame, 1] for part in clip[2:6]]
        # small angles about the three axes, as a rotation
        turn = np.concatenate([np.ones((*place.shape[:-1], 1)), angles / 2], axis=-1)
        turn = turn / np.sqrt(np.square(turn).sum(axis=-1, keepdims=True))
        quat = terms.multiply(turn, pelvis[1])
        about = terms.rotate_back(quat, pelvis[3]) + push[..., 3:]
        low, high = self.soft_limits
        joints = np.minimum(np.maximum(clip.joint_pos[frame] + joints, low), high)
        return {
            "qpos": np.concatenate([pelvis[0] + place, quat, joints], axis=-1),
            "qvel": np.concatenate(
                [pelvis[2] + push[..., :3], about, clip.joint_vel[frame]], axis=-1
            ),
            "frame": frame,
            "bias": self.encoder_bias * rng.uniform(-1.0, 1.0, nu),
        }

    def update(self, data: Fields, action: np.ndarray, before: Fields):
        frame, last = data.state.frame + 1.0, len(self.clip.joint_pos) - 1.0
        beyond = 0.0 if self.clip.loops else last
        return {"last_action": action, "frame": np.where(frame > last, beyond, frame)}

    # what there is to imitate, and what the robot does

    def shown(self, data: Fields):
        """Of the present frame: positions and velocities of joints (..., nu), and the bodies."""
        nu, nbody = self.model.nu, len(BODIES)
        size = 2 * nu + 13 * nbody
        row = lookup(self.table, data.state.frame[..., None] * size + np.arange(size))
        parts, at = [], 2 * nu
        for width in (3, 4, 3, 3):
            part = row[..., at : at + nbody * width]
            parts.append(part.reshape(*part.shape[:-1], nbody, width))
            at += nbody * width
        return row[..., :nu], row[..., nu : 2 * nu], Pose(*parts)

    def done(self, data: Fields):
        """The robot's bodies."""
        velocities = (
            np.stack([data.sensor(f"{name}_{kind}").data for name in BODIES], axis=-2)
            for kind in ("linear", "angular")
        )
        pos, quat = (part[..., self.bodies, :].copy() for part in (data.xpos, data.xquat))
        return Pose(pos, quat, *velocities)

    def moved(self, shown: Pose, done: Pose):
        """Desired positions (..., n, 3) and rotations (..., n, 4), below the robot's torso.

        The motion is put under the torso where it stands, and turned about the vertical as it is.
        """
        anchor = BODIES.index(ANCHOR)
        there, here = shown.pos[..., anchor, :], done.pos[..., anchor, :]
        away = terms.multiply(
            done.quat[..., anchor, :], terms.conjugate(shown.quat[..., anchor, :])
        )
        turn = turned(terms.yaw(away))[..., None, :]
        place = np.concatenate([here[..., :2], there[..., 2:]], axis=-1)
        pos = place[..., None, :] + terms.rotate(turn, shown.pos - there[..., None, :])
        every = np.zeros((len(BODIES), 1))
        return pos, terms.multiply(turn + every, shown.quat)

    def observation(self, data: Fields):
        state, anchor = data.state, BODIES.index(ANCHOR)
        joint_pos, joint_vel, shown = self.shown(data)
        done = self.done(data)
        quat, place = done.quat[..., anchor, :], done.pos[..., anchor, :]
        back = terms.conjugate(quat)
        joints = data.qpos[..., 7:] - self.home[7:]
        # all bodies in the torso's frame
        pos = terms.rotate_back(quat[..., None, :], done.pos - place[..., None, :])
        turn = terms.multiply(back[..., None, :] + np.zeros((len(BODIES), 1)), done.quat)
        true = {
            "motion_anchor_pos_b": terms.rotate_back(quat, shown.pos[..., anchor, :] - place),
            "motion_anchor_ori_b": axes(terms.multiply(back, shown.quat[..., anchor, :])),
            "base_lin_vel": data.sensor("imu_lin_vel").data,
            "base_ang_vel": data.sensor("imu_ang_vel").data,
            "joint_pos": joints,
            "joint_vel": data.qvel[..., 6:],
        }
        return {
            **true,
            "joint_pos": joints + state.bias,
            "command": np.concatenate([joint_pos, joint_vel], axis=-1),
            "actions": state.last_action,
            **{f"true_{name}": value for name, value in true.items()},
            "body_pos": pos.reshape(*pos.shape[:-2], 3 * len(BODIES)),
            "body_ori": axes(turn).reshape(*pos.shape[:-2], 6 * len(BODIES)),
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        anchor, shown, done = BODIES.index(ANCHOR), self.shown(data)[2], self.done(data)
        pos, quat = self.moved(shown, done)
        there, here = (one.pos[..., anchor, :] for one in (shown, done))
        off = terms.angle(shown.quat[..., anchor, :], done.quat[..., anchor, :])
        reward = {
            "motion_global_root_pos": terms.track(here, there, 0.3),
            "motion_global_root_ori": terms.near(off, 0.4),
            "motion_body_pos": alike(terms.squares(pos - done.pos), 0.3),
            "motion_body_ori": alike(np.square(terms.angle(quat, done.quat)), 0.4),
            "motion_body_lin_vel": alike(terms.squares(shown.linear - done.linear), 1.0),
            "motion_body_ang_vel": alike(terms.squares(shown.angular - done.angular), 3.14),
            "action_rate_l2": terms.change(action, data.state.last_action),
            "joint_limit": terms.beyond(data.qpos[..., 7:], *self.soft_limits),
            "self_collisions": self.self_collision(data),
        }
        reward = terms.weighed(reward, self.weights)
        down = (terms.down(one.quat[..., anchor, :])[..., 2] for one in (shown, done))
        lost = np.abs(next(down) - next(down)) > self.limit_gravity
        lost = lost | (np.abs(there[..., 2] - here[..., 2]) > self.limit_height)
        heights = np.abs(pos - done.pos)[..., ENDS, 2].copy()
        lost = lost | (heights > self.limit_height).any(axis=-1)
        return Outcome({name: self.dt * term for name, term in reward.items()}, lost)

    def info(self, data: Fields):
        return {"frame": data.state.frame}


def alike(errors: np.ndarray, width: float):
    """1 where squared errors (..., n) are 0, exp(-1) where their mean is the width's square."""
    return exp(-errors.mean(axis=-1) / width**2)


def axes(quat: np.ndarray):
    """The first two axes of a frame as seen from outside, (..., 6), row by row of its matrix."""
    x, y = (terms.rotate(quat, axis) for axis in np.eye(3)[:2])
    both = np.stack([x, y], axis=-1)
    return both.reshape(*both.shape[:-2], 6)
