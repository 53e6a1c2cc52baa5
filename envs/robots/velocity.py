"""A walking robot's velocity task, with the rewards, observations and disturbances of mjlab."""

import re
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv import terms
from mjenv.envs.robots.unitree import Unitree
from mjenv.functions import cos, exp, log, sin
from mjenv.joystick import Joystick
from mjenv.randomization.channels import Channel
from mjenv.randomization.distributions import Every, Uniform
from mjenv.randomization.events import Kick
from mjenv.task.task import Fields, Outcome, clip

if TYPE_CHECKING:
    from mjenv.task.random_streams import Streams

# parts of observations that the policy sees with noise, and how much
NOISE = {
    "base_lin_vel": 0.5, "base_ang_vel": 0.2, "projected_gravity": 0.05, "joint_pos": 0.01,
    "joint_vel": 1.5,
}  # fmt: skip
# velocity that is added to the trunk: x, y, z (m/s), and about these axes (rad/s)
PUSH = (0.5, 0.5, 0.4, 0.52, 0.52, 0.78)


def symmetric(limit: float, **arguments: Any) -> Uniform:
    """Uniform numbers from -limit to limit."""
    return Uniform(-limit, limit, **arguments)


def disturbances(
    trunk: str,
    friction: Any,
    noise: dict[str, float],
    push: tuple[float, ...] = PUSH,
    where: Callable[[Any], Any] | None = None,
) -> dict[str, Any]:
    """Differences between worlds, and events in them: domain randomization.

    Args:
        trunk: name of the body with the batteries and the payload.
        friction: distribution of the friction of the feet.
        noise: parts of the observation, and the limit of their noise.
        push: limits of the velocity that pushes add to the trunk.
        where: in which worlds they do so, see `Kick`; None for all.
    """
    return {
        "geom_friction": friction,
        "body_ipos": Uniform(
            (-0.025, -0.025, -0.03), (0.025, 0.025, 0.03), "add", of=(trunk,), when="start"
        ),
        "body_mass": Uniform(0.9, 1.1, when="start"),
        "actuator_kp": Uniform(0.9, 1.1, when="start"),
        "actuator_kv": Uniform(0.9, 1.1, when="start"),
        "push_robot": Kick(
            of=("floating_base_joint",),
            velocity=tuple(symmetric(limit) for limit in push),
            every=Every(1.0, 3.0),
            where=where,
        ),
        "observation": Channel(noise={name: symmetric(limit) for name, limit in noise.items()}),
        "action": Channel(delay=(0, 1)),
    }


# mjlab's weights, of robots with four legs
MJLAB = {
    "track_linear_velocity": 2.0, "track_angular_velocity": 2.0, "upright": 1.0, "pose": 1.0,
    "body_ang_vel": 0.0, "dof_pos_limits": -1.0, "action_rate_l2": -0.1, "air_time": 0.0,
    "foot_clearance": -2.0, "foot_swing_height": -0.25, "foot_slip": -0.1, "soft_landing": -1e-5,
    "feet": 0.0, "stance": 0.0, "bounce": 0.0,
}  # fmt: skip


class Velocity(Unitree, Joystick):
    """Follow velocity commands: forward, sideways (m/s) and turning (rad/s).

    Terms of the reward and groups of observations have the names that mjlab gives them, and three
    terms are our own: `feet` and `stance` follow a gait clock, `bounce` is motion that leads
    nowhere. With `convention="mjlab"` commands and weights are those of mjlab, without a clock.
    Weights are per second: a term is multiplied by its weight and by the duration of a step.
    Actions are in units of the force: 1 moves a joint's target so far that its servo pushes with a
    quarter of its maximum force; 0 is the standing pose.
    """

    frame_skip = 4

    convention = "mjenv"  # or "mjlab", whose values other arguments may replace

    fastest = (1.0, 0.6, 1.0)
    seconds = (3.0, 8.0)  # shortest and longest time between commands
    # shares of commands to stand, to turn towards a direction, and to go straight ahead
    still = 0.1
    heading = 0.3
    forward = 0.2
    stiffness = 0.5  # how fast to turn towards a direction (rad/s for each rad)
    encoder_bias = 0.015  # of the joints that are observed (rad)
    clearance = 0.1  # how high feet should go (m)
    air_times = (0.05, 0.5)  # between which feet in the air are rewarded (s)
    limit_angle = 70.0  # of the trunk, beyond which it has fallen (degrees)
    # widths of the reward for the pose (rad), by patterns of joints, at three speeds
    walking = 0.05, 1.5  # speeds (m/s + rad/s) from which it walks, and runs
    pose_standing: Any = {}
    pose_walking: Any = {}
    pose_running: Any = {}
    # widths of the reward for following the command (m/s, rad/s), and the share in it of the
    # squared speeds of rolling and pitching
    tracking = 0.5, 0.5
    rocking = 0.1
    # gait clock: strides of each leg in a second, 0 for none, and how high feet go with it (m)
    pace = 2.0
    lift = 0.08
    weights = {
        "track_linear_velocity": 2.5, "track_angular_velocity": 1.25, "upright": 0.5, "pose": 0.4,
        "body_ang_vel": 0.0, "dof_pos_limits": -1.0, "action_rate_l2": -0.01, "air_time": 0.0,
        "foot_clearance": 0.0, "foot_swing_height": 0.0, "foot_slip": -0.1, "soft_landing": 0.0,
        "feet": 2.0, "stance": 1.0, "bounce": -0.3,
    }  # fmt: skip

    _sole = 0.0  # height of a foot's site where it stands (m)
    _turn: tuple[float, ...]  # 1 for feet that step first, -1 for those that step second
    # what differs in mjlab
    _mjlab: Any = {
        "fastest": (1.0, 1.0, 0.5), "tracking": (0.5, 0.5**0.5), "rocking": 1.0, "pace": 0.0,
        "weights": MJLAB,
    }  # fmt: skip
    _policy = ("base_lin_vel", "base_ang_vel", "projected_gravity", "joint_pos", "joint_vel")
    _privileged = ("foot_height", "foot_air_time", "foot_contact", "foot_contact_forces")

    def __init__(self, *values: Any, **parameters: Any):
        """Set the parameters; `convention` chooses the values of those that are not given.

        Raises:
            ValueError: there is no such convention; and what `Task` raises.
        """
        convention = parameters.get("convention", self.convention)
        if convention not in ("mjenv", "mjlab"):
            raise ValueError(
                f"{type(self).__name__}: convention={convention!r}, expected 'mjenv' or 'mjlab'"
            )
        super().__init__(*values, **(self._mjlab if convention == "mjlab" else {}) | parameters)

    @property
    def groups(self):
        true = tuple(f"true_{name}" for name in self._policy)
        both = ("actions", "clock", "command") if self.pace else ("actions", "command")
        return {"policy": (*self._policy, *both), "critic": (*true, *both, *self._privileged)}

    @property
    def state(self):
        feet = np.zeros(len(self._feet))
        return {
            **super().state,
            "wait": self.seconds[0],  # until the next command (s)
            "heading": 0.0,  # the direction to turn to (rad), where `steered` is 1
            "steered": 0.0,
            "air": feet,  # how long feet have been in the air (s)
            "peak": feet,  # how high they have been since (m)
            "bias": np.zeros(self.model.nu),
            "phase": 0.0,  # of the gait clock
        }

    @cached_property
    def pose_widths(self):
        """Widths (3, nu) of the reward for the pose, where it stands, walks and runs."""
        names = [self.model.joint(k).name for k in range(1, self.model.njnt)]
        tables = self.pose_standing, self.pose_walking, self.pose_running
        return np.array([[_matching(table, name) for name in names] for table in tables])

    # episodes and commands

    def reset(self, rng: "Streams"):
        place, turn = self.start(rng), rng.uniform(-np.pi, np.pi) / 2
        still = np.zeros((*np.shape(turn), 2))
        quat = np.concatenate([np.cos(turn)[..., None], still, np.sin(turn)[..., None]], axis=-1)
        joints = self.home[7:] + np.zeros((*np.shape(turn), 1))
        bias = symmetric_draw(rng, self.encoder_bias, self.model.nu)
        qpos = np.concatenate([place, quat, joints], axis=-1)
        phase = rng.uniform(0.0, 2 * np.pi)
        return {"qpos": qpos, "bias": bias, "phase": phase, **self.draw(rng)}

    def start(self, rng: "Streams"):
        """Position of the trunk at the start of an episode (m), (..., 3)."""
        return self.home[:3] + rng.uniform([-0.5, -0.5, 0.01], [0.5, 0.5, 0.05])

    def draw(self, rng: "Streams"):
        high = np.asarray(self.fastest)
        command, share = rng.uniform(-high, high), rng.uniform(0.0, 1.0, 3)
        standing, steered = share[..., 0] <= self.still, share[..., 1] <= self.heading
        ahead = np.maximum(np.abs(command), 0.3) * np.array([1.0, 0.0, 0.0])
        command = np.where((share[..., 2] <= self.forward)[..., None], ahead, command)
        return {
            "command": np.where(standing[..., None], 0.0, command),
            "heading": rng.uniform(-np.pi, np.pi),
            "steered": np.where(steered & ~standing, 1.0, 0.0),
            "wait": rng.uniform(*self.seconds),
            "steps": 0,
        }

    def take(self, state: Any, command: np.ndarray) -> None:
        super().take(state, command)
        state.steered = 0.0

    def due(self, data: Fields):
        return data.state.steps * self.dt >= data.state.wait

    def update(self, data: Fields, action: np.ndarray, before: Fields):
        state, touch = data.state, self.touch(data)
        # those that are to turn to a direction do so at a speed that depends on how far it is
        away = state.heading - terms.yaw(data.qpos[..., 3:7])
        away = np.where(away > np.pi, away - 2 * np.pi, away)
        away = np.where(away < -np.pi, away + 2 * np.pi, away)
        turn = clip(self.stiffness * away, -self.fastest[2], self.fastest[2])
        command, height = state.command, self.foot_height(data)
        turn = np.where(state.steered > 0.0, turn, command[..., 2])
        return {
            **super().update(data, action, before),
            "command": np.concatenate([command[..., :2], turn[..., None]], axis=-1),
            "air": terms.air_time(state.air, touch, self.dt),
            "peak": np.where(touch, 0.0, np.maximum(state.peak, height)),
            "phase": terms.clock(state.phase, self.pace, self.dt),
        }

    # what is sensed

    def touch(self, data: Fields):
        """Feet that touch the ground: bool (..., nfoot)."""
        return self.of_feet(data, "ground")[..., 0] > 0.0

    def foot_height(self, data: Fields):
        """Heights of the feet above the ground (m), (..., nfoot)."""
        return self.of_feet(data, "pos")[..., 2]

    def observation(self, data: Fields):
        state, force = data.state, self.of_feet(data, "ground")[..., 1:]
        force = force.reshape(*force.shape[:-2], 3 * len(self._feet))
        joint_pos = data.qpos[..., 7:] - self.home[7:]
        true = {
            "base_lin_vel": data.sensor("imu_lin_vel").data,
            "base_ang_vel": data.sensor("imu_ang_vel").data,
            "projected_gravity": terms.down(data.qpos[..., 3:7]),
            "joint_pos": joint_pos,
            "joint_vel": data.qvel[..., 6:],
        }
        return {
            **true,
            "joint_pos": joint_pos + state.bias,
            "actions": state.last_action,
            "command": state.command,
            "clock": np.stack([sin(state.phase), cos(state.phase)], axis=-1),
            **{f"true_{name}": value for name, value in true.items()},
            "foot_height": self.foot_height(data),
            "foot_air_time": state.air,
            "foot_contact": np.where(self.touch(data), 1.0, 0.0),
            "foot_contact_forces": np.sign(force) * log(1.0 + np.abs(force)),
        }

    def body(self, data: Fields):
        """Orientation of the body that is to be upright (..., 4), its velocity of turning (..., 3).

        The velocity is in the world's frame (rad/s).
        """
        quat = data.qpos[..., 3:7]
        return quat, terms.rotate(quat, data.qvel[..., 3:6])

    def tilt(self, data: Fields, quat: np.ndarray):
        """Lean of the body: the horizontal part of gravity in its frame, (..., 2)."""
        return terms.down(quat)[..., :2]

    # what is rewarded

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        quat = data.qpos[..., 3:7]
        reward = terms.weighed(self.terms(data, action), self.weights)
        fallen = terms.upright(quat) < np.cos(np.deg2rad(self.limit_angle))
        return Outcome({name: self.dt * term for name, term in reward.items()}, fallen)

    def terms(self, data: Fields, action: np.ndarray):
        """Terms of the reward, by name."""
        state, quat_turn = data.state, self.body(data)
        command, velocity, turn = state.command, self.velocity(data), data.qvel[..., 3:6]
        joints = data.qpos[..., 7:]
        ahead = np.concatenate([command[..., :2] - velocity[..., :2], velocity[..., 2:]], axis=-1)
        about = np.square(turn[..., 2] - command[..., 2])
        about = about + self.rocking * terms.squares(turn[..., :2])
        return {
            "track_linear_velocity": exp(-terms.squares(ahead) / self.tracking[0] ** 2),
            "track_angular_velocity": exp(-about / self.tracking[1] ** 2),
            "upright": exp(-terms.squares(self.tilt(data, quat_turn[0])) / 0.2),
            "pose": self.pose(joints, self.speed(command)),
            "body_ang_vel": terms.squares(quat_turn[1][..., :2]),
            "dof_pos_limits": terms.beyond(joints, *self.soft_limits),
            "action_rate_l2": terms.change(action, state.last_action),
            "bounce": np.square(velocity[..., 2]) + 0.04 * terms.squares(turn[..., :2]),
            **self.steps(data),
        }

    def speed(self, command: np.ndarray):
        """Of a command, in the plane (m/s) and turning (rad/s) together, (...)."""
        plane = np.square(command[..., :2]).sum(axis=-1)
        return np.sqrt(plane) + np.abs(command[..., 2])

    def pose(self, joints: np.ndarray, speed: np.ndarray):
        """Nearness of the joints (..., nu) to the pose to stand in: 0 to 1, (...)."""
        standing, walking, running = self.pose_widths
        slow, fast = (speed[..., None] < limit for limit in self.walking)
        width = np.where(slow, standing, np.where(fast, walking, running))
        return exp(-np.square((joints - self.home[7:]) / width).mean(axis=-1))

    def steps(self, data: Fields):
        """Terms of the feet, which count where the robot is asked to move."""
        state, touch, velocity = data.state, self.touch(data), self.of_feet(data, "vel")
        height, speed = self.foot_height(data), self.speed(state.command)
        moving = np.where(speed > 0.05, 1.0, 0.0)
        landing = touch & (state.air > 0.0)
        air = terms.air_time(state.air, touch, self.dt)
        low, high = self.air_times
        # how fast feet move in the plane, and with what force they touch down
        plane = np.square(velocity[..., :2]).sum(axis=-1)
        force = np.sqrt(np.square(self.of_feet(data, "ground")[..., 1:]).sum(axis=-1))
        wrong = np.square(state.peak / self.clearance - 1.0)
        apart = np.abs(height - self.clearance) * np.sqrt(plane)
        flying = np.where((air > low) & (air < high), 1.0, 0.0).sum(axis=-1)
        # where the clock has the feet
        swing = np.maximum(sin(state.phase)[..., None] * np.array(self._turn), 0.0)
        swing = moving[..., None] * swing
        return {
            "feet": exp(-4.0 * np.square((height - self._sole) / self.lift - swing).mean(axis=-1)),
            "stance": (touch == (swing < 0.1)).mean(axis=-1),
            "air_time": np.where(speed > 0.5, flying, 0.0),
            "foot_clearance": moving * apart.sum(axis=-1),
            "foot_swing_height": moving * np.where(landing, wrong, 0.0).sum(axis=-1),
            "foot_slip": moving * np.where(touch, plane, 0.0).sum(axis=-1),
            "soft_landing": moving * np.where(landing, force, 0.0).sum(axis=-1),
        }


def symmetric_draw(rng: "Streams", limit: float, size: int) -> Any:
    """Numbers (..., size) from -limit to limit."""
    return limit * rng.uniform(-1.0, 1.0, size)


def _matching(table: dict[str, float], name: str) -> float:
    """The number of the first pattern that a joint's name has."""
    for pattern, width in table.items():
        if re.search(pattern, name):
            return width
    raise ValueError(f"pose: no pattern of {list(table)} matches the joint {name!r}; add one")
