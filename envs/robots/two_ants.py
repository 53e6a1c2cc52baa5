"""Two ants in a ring: who pushes the other one out has won."""

from typing import TYPE_CHECKING

import numpy as np

from mjenv import terms
from mjenv.task.task import Fields, Outcome, Task

if TYPE_CHECKING:
    from mjenv.engine.edit.spec import Spec
    from mjenv.task.random_streams import Streams

NQ, NV, NU = 15, 14, 8  # of one ant


class TwoAnts(Task):
    """Push the other ant out of the ring, or turn it over.

    A task of two agents: `groups` has the observations of each, `agents` its actions, and names of
    its reward terms begin with its name; `mjenv.zoo.ParallelEnv` has PettingZoo's interface.
    """

    xml_file = "robots/two_ants.xml"
    frame_skip = 5
    agents = {"ant_0": range(NU), "ant_1": range(NU, 2 * NU)}
    noise = 0.1
    ring = 2.5  # radius (m)
    weights = {"push": 1.0, "win": 10.0, "control": -0.01}
    default_camera_config = {"distance": 7.0, "elevation": -40.0}

    @property
    def groups(self):
        return {agent: (f"{agent}_self", f"{agent}_other") for agent in self.agents}

    def build(self, spec: "Spec"):
        # each meets the floor and the other, not itself
        colours = (0.9, 0.5, 0.3, 1), (0.35, 0.55, 0.8, 1)
        for k, agent in enumerate(self.agents):
            for geom in spec.body(f"{agent}_torso").walk("geom"):
                geom.contype, geom.conaffinity, geom.rgba = 1 | 2 << k, 4 >> k, colours[k]
        spec.geom("ring").size = self.ring, 0.005

    def reset(self, rng: "Streams"):
        qpos = self.model.qpos0 + self.noise * rng.uniform(-1, 1, self.model.nq)
        angles = rng.uniform(-np.pi, np.pi, 2) / 2  # half of where they look
        for k in range(2):
            turn, joints = slice(NQ * k + 3, NQ * k + 7), slice(NQ * k + 7, NQ * (k + 1))
            zero = np.zeros_like(angles[..., k])
            quat = [np.cos(angles[..., k]), zero, zero, np.sin(angles[..., k])]
            qpos[..., turn] = np.stack(quat, axis=-1)
            qpos[..., joints] += np.array([0, 1, 0, -1, 0, -1, 0, 1])
        return qpos, self.noise * rng.normal(size=self.model.nv)

    def body(self, data: Fields, k: int):
        """Positions (..., 15) and velocities (..., 14) of an ant."""
        return data.qpos[..., NQ * k : NQ * (k + 1)], data.qvel[..., NV * k : NV * (k + 1)]

    def observation(self, data: Fields):
        found = {}
        for k, agent in enumerate(self.agents):
            (qpos, qvel), (other, pace) = self.body(data, k), self.body(data, 1 - k)
            quat = qpos[..., 3:7]
            own = (
                qpos[..., 2:],
                terms.scaled(qvel, 0.2, clip=10.0),
                terms.rotate_back(quat, qpos[..., :3]),
            )
            seen = (
                terms.rotate_back(quat, other[..., :3] - qpos[..., :3]),
                terms.rotate_back(quat, pace[..., :3] - qvel[..., :3]),
                terms.down(other[..., 3:7]),
            )
            found[f"{agent}_self"] = np.concatenate(own, axis=-1)
            found[f"{agent}_other"] = np.concatenate(seen, axis=-1)
        return found

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        # how fast each goes outwards (m/s), and whether it is out or on its back
        speeds, lost = [], []
        for k in range(2):
            qpos, qvel = self.body(data, k)
            place = qpos[..., :2]
            radius = np.sqrt(np.square(place).sum(axis=-1))
            outwards = (place * qvel[..., :2]).sum(axis=-1)
            speeds.append(outwards / np.maximum(radius, 0.1))
            lost.append((radius > self.ring) | (terms.upright(qpos[..., 3:7]) < 0.0))
        reward = {}
        for k, agent in enumerate(self.agents):
            own = {
                "push": speeds[1 - k] - speeds[k],
                "win": np.where(lost[1 - k], 1.0, 0.0) - np.where(lost[k], 1.0, 0.0),
                "control": terms.squares(action[..., NU * k : NU * (k + 1)]),
            }
            own = terms.weighed(own, self.weights)
            reward.update({f"{agent}_{name}": value for name, value in own.items()})
        return Outcome(reward, terminated=lost[0] | lost[1])
