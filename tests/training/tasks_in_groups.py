"""Tasks whose observations are not one vector, for trainings of a few steps."""

import numpy as np

import mjenv


class Hidden(mjenv.Task):
    """A pole, of which the actor sees positions alone."""

    xml_file = "inverted_pendulum.xml"
    frame_skip = 2
    groups = {"state": ("qpos",), "privileged_state": ("qvel", "qpos")}

    def reset(self, rng):
        return self.init_qpos + rng.uniform(-0.05, 0.05, 2), rng.uniform(-0.05, 0.05, 2)

    def observation(self, data):
        return {"qpos": data.qpos, "qvel": data.qvel}

    def outcome(self, data, action, before):
        return mjenv.Outcome(
            {"alive": 1.0 + 0.0 * data.qpos[..., 0]},
            terminated=np.abs(data.qpos[..., 1]) > 0.2,
        )


class Sides(Hidden):
    """The same, with groups that have names of their own."""

    groups = {"left": ("qpos",), "right": ("qvel",)}


class Reach(mjenv.Task):
    """A cart that is to come to a goal."""

    xml_file = "inverted_pendulum.xml"
    frame_skip = 4
    near = 0.1
    state = {"goal": np.zeros(1)}
    groups = {
        "observation": ("qpos", "qvel"),
        "achieved_goal": ("place",),
        "desired_goal": ("goal",),
    }

    def reset(self, rng):
        return {"qpos": self.init_qpos, "goal": rng.uniform(-0.8, 0.8, 1)}

    def observation(self, data):
        return {
            "qpos": data.qpos,
            "qvel": data.qvel,
            "place": data.qpos[..., :1],
            "goal": data.state.goal,
        }

    def outcome(self, data, action, before):
        near = np.abs(data.qpos[..., 0] - data.state.goal[..., 0]) < self.near
        return mjenv.Outcome({"near": np.where(near, 0.0, -1.0)})

    def info(self, data):
        return {"is_success": np.abs(data.qpos[..., 0] - data.state.goal[..., 0]) < self.near}

    def compute_reward(self, achieved_goal, desired_goal, info):
        near = np.abs(achieved_goal - desired_goal)[..., 0] < self.near
        return np.where(near, 0.0, -1.0)


class Duel(mjenv.Task):
    """A ball that two push: one to the right, the other one to the left."""

    xml_file = "duel.xml"
    frame_skip = 2
    agents = {"one": [0], "two": [1]}
    groups = {"one": ("one", "goal"), "two": ("two", "goal")}

    def reset(self, rng):
        return rng.uniform(-0.05, 0.05, 1), rng.uniform(-0.05, 0.05, 1)

    def observation(self, data):
        one = np.concatenate([data.qpos, data.qvel], axis=-1)
        return {"one": one, "two": -one, "goal": 0.0 * data.qpos}

    def outcome(self, data, action, before):
        push = data.qvel[..., 0]
        effort = -0.25 * np.square(action).sum(axis=-1)
        return mjenv.Outcome({"one_push": push, "two_push": -push, "effort": effort})


mjenv.register("Hidden-v0", Hidden, max_episode_steps=40)
mjenv.register("Sides-v0", Sides, max_episode_steps=40)
mjenv.register("Reach-v0", Reach, max_episode_steps=25)
mjenv.register("Duel-v0", Duel, max_episode_steps=25)
