"""Worlds as a learner from pictures takes them: pictures of some actions, each of which is held."""

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv

from mjenv.engine.tables.enums import JNT_HINGE
from mjenv.training.learners.finite import refuse_rewards
from mjenv.training.learners.picture_networks import PIXELS, STATE
from mjenv.training.worlds.vec_env import NativeVecEnv, as_trained


class PictureWorlds(NativeVecEnv):
    """A `NativeVecEnv` whose actions are held for some steps, and whose pictures are stacked.

    Observations are dicts of "pixels", (stack * channels, height, width) uint8, the newest last,
    and of the "state", which is what the environment would have shown, with cosines and sines, at
    the end, in the place of angles of joints that turn without end.
    """

    def __init__(self, envs: VectorEnv, stack: int, repeat: int):
        """Of a vector environment whose observations are pictures and states.

        Args:
            envs: the environment, made with `pixels={"state": True, ...}`.
            stack: pictures of an observation.
            repeat: steps under each action.

        Raises:
            ValueError: observations are something else.
        """
        where = getattr(envs.spec, "id", "env")
        seen: Any = envs.single_observation_space
        if not isinstance(seen, spaces.Dict) or {*seen} != {PIXELS, STATE}:
            raise ValueError(
                f"{where}: observations are {seen}, expected pictures of one camera and states: "
                "--env-kwargs pixels={'state': True}"
            )
        shapes: dict[str, Any] = {name: one.shape for name, one in seen.items()}
        pictures, states = shapes[PIXELS], shapes[STATE]
        if not isinstance(seen[STATE], spaces.Box) or len(states) != 1:
            raise ValueError(f"{where}: observations are {seen[STATE]}, expected vectors")
        super().__init__(envs, running_infos=False)
        self.repeat = repeat
        self._angles = angles(envs)
        height, width, self._channels = pictures
        shape = stack * self._channels, height, width
        self._stacked = np.zeros((self.num_envs, *shape), np.uint8)
        self._states = np.zeros((self.num_envs, states[0] + len(self._angles)), np.float32)
        self.observation_space = spaces.Dict(
            {
                PIXELS: spaces.Box(0, 255, shape, np.uint8),
                STATE: spaces.Box(-np.inf, np.inf, self._states.shape[1:], np.float32),
            }
        )

    def reset(self) -> dict[str, np.ndarray]:
        """Start an episode in every world."""
        seen: Any = super().reset()
        self._stacked = self._repeated(planes(seen[PIXELS]))
        self._states = self._state_of(seen[STATE])
        return self._observations()

    def _observations(self) -> dict[str, np.ndarray]:
        return {PIXELS: self._stacked.copy(), STATE: self._states.copy()}

    def step_wait(self) -> tuple[Any, np.ndarray, np.ndarray, list[Any]]:
        """Take the actions for some steps; worlds whose episode ends before wait in their next."""
        n, before = self.num_envs, self._stacked
        rewards, over = np.zeros(n, np.float32), np.zeros(n, bool)
        told: list[dict[str, Any]] = [{} for _ in range(n)]
        pictures, self.stepped = before[:, -self._channels :].copy(), 0
        for _ in range(self.repeat):
            # all worlds in one call, or those whose episode goes on
            on = np.flatnonzero(~over)
            if not len(on):
                break
            if len(on) == n:
                seen, reward, terminated, truncated, infos = self.advance(self._actions)
            else:
                seen, reward, terminated, truncated, infos = self.advance_some(
                    self._actions[on], on
                )
            self.stepped += len(on)
            rewards[on] += as_trained(reward)
            pictures[on], self._states[on] = planes(seen[PIXELS]), self._state_of(seen[STATE])
            # what was seen last of episodes that have ended
            over[on] = terminated | truncated
            if over[on].any():
                some = None if len(on) == n else on
                for world, info in zip(
                    on.tolist(), self.last_infos(infos, terminated, truncated, some), strict=True
                ):
                    if over[world]:
                        last = info["terminal_observation"]
                        info["terminal_observation"] = {
                            PIXELS: self._pushed(before[world], planes(last[PIXELS])),
                            STATE: self._state_of(last[STATE][None])[0],
                        }
                        told[world] = info
        refuse_rewards(rewards)
        # where an episode begins, all pictures are its first
        self._stacked = self._pushed(before, pictures)
        self._stacked[over] = self._repeated(pictures[over])
        return self._observations(), rewards, over, told

    def _repeated(self, pictures: np.ndarray) -> np.ndarray:
        """Stacks of the same picture."""
        return np.tile(pictures, (1, self._stacked.shape[1] // self._channels, 1, 1))

    def _pushed(self, stacked: np.ndarray, pictures: np.ndarray) -> np.ndarray:
        """Stacks (..., stack * channels, height, width) with newer pictures behind."""
        kept = stacked[..., self._channels :, :, :]
        return np.concatenate([kept, pictures], axis=-3)

    def _state_of(self, states: np.ndarray) -> np.ndarray:
        """States with cosines and sines of the angles that turn without end."""
        turned = states[:, self._angles]
        rest = np.delete(states, self._angles, axis=1)
        return np.concatenate([rest, np.cos(turned), np.sin(turned)], axis=1, dtype=np.float32)

    def state(self) -> dict[str, Any]:
        """Everything that the worlds' next steps and episodes depend on."""
        return {**super().state(), "stacked": self._stacked.copy(), "states": self._states.copy()}

    def set_state(self, state: dict[str, Any]) -> dict[str, np.ndarray]:
        """Go on from what `state` has returned; returns observations."""
        super().set_state(state)
        self._stacked, self._states = state["stacked"].copy(), state["states"].copy()
        return self._observations()


def planes(pictures: np.ndarray) -> np.ndarray:
    """Pictures (..., height, width, channels) as (..., channels, height, width)."""
    return np.moveaxis(pictures, -1, -3)


def angles(envs: Any) -> list[int]:
    """Places, in the states that environments show, of angles of hinges without limits.

    A picture does not show how often something has turned, and values are learned for a few turns.
    """
    model, data = envs.unwrapped.model, envs.unwrapped.data
    unlimited = (model.jnt_type == JNT_HINGE) & (model.jnt_limited == 0)
    envs.reset(seed=0)
    envs.action_space.seed(0)
    states = envs.step(envs.action_space.sample())[0][STATE]
    turned = data.qpos[:, model.jnt_qposadr[unlimited]]
    same = (states[:, :, None] == turned[:, None, :].astype(states.dtype)).all(0)
    return np.flatnonzero(same.any(1)).tolist()
