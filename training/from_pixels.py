"""Agents that see nothing but pictures: a camera's last three, 64 by 64 pixels, in many worlds.

    python -m mjenv.training.from_pixels [cartpole-swingup-v0] [--steps 500000] [--seed 0]

The learner is in `learners/picture_learner.py`: values of states, which only the training needs,
teach a policy that sees pictures. Writes `curve.csv` (steps, seconds, mean return), `curve.png`,
`agent.pt` and `film.mp4` into the folder `--out`.
"""

import argparse
import csv
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from mjenv.engine.tables.enums import JNT_HINGE
from mjenv.gym import lookup
from mjenv.training.films.writer import film_writer
from mjenv.training.learners.picture_learner import PictureLearner, PictureSettings
from mjenv.training.learners.pictures import PictureReplay, Step, as_seen
from mjenv.training.runs.curve import plot_curve

ENV, STEPS = "cartpole-swingup-v0", 500_000
TILE = 320, 240  # width and height of a world in the film (pixels)
FPS = 50.0  # most frames per second of it


class Seen:
    """Worlds as the learner sees them: pictures, and actions that are held for some steps.

    Attributes:
        stacked: the last pictures of each world, (num_envs, height, width, stack * channels).
        states: what the environment would have shown, (num_envs, nstate), float32; cosines and
            sines, at the end, in the place of angles of joints that turn without end.
        age: actions since the beginning of the episode, (num_envs,).
        middle, half: of the range of each action of the environment, (nact,).
    """

    def __init__(
        self, env_id: str, num_envs: int, settings: PictureSettings, seed: int, **options: Any
    ):
        """Worlds at the beginning of their first episodes.

        Args:
            env_id: the environment.
            num_envs: how many.
            settings: of the pictures.
            seed: of their first episodes.
            **options: of make_vec.

        Raises:
            ValueError: observations are no vectors, actions have no limits, or there is no such
                camera.
        """
        self.settings = settings
        self.channels = 1 if settings.grey else 3
        self.envs: Any = gymnasium.make_vec(
            lookup.environment_id(env_id),
            num_envs=num_envs,
            pixels=pixels_of(settings),
            autoreset_mode=AutoresetMode.DISABLED,
            **options,
        )
        space: Any = self.envs.single_action_space
        seen = self.envs.single_observation_space["state"]
        if not isinstance(seen, spaces.Box) or len(seen.shape) != 1:
            raise ValueError(f"{env_id}: observations are {seen}, expected vectors")
        if not np.isfinite([space.low, space.high]).all():
            raise ValueError(f"{env_id}: actions have no limits ({space}), expected finite ones")
        self.nact = space.shape[0]
        self.middle, self.half = (space.high + space.low) / 2, (space.high - space.low) / 2
        self._angles = angles(self.envs, seed)
        observations = self.envs.reset(seed=seed)[0]
        pictures = observations["pixels"]
        self.states = self._state_of(observations["state"])
        self.stacked = np.tile(pictures, settings.stack)
        self.age = np.zeros(num_envs, np.int64)

    @property
    def newest(self) -> np.ndarray:
        """The newest picture of each world."""
        return self.stacked[..., -self.channels :]

    def pictures(self) -> np.ndarray:
        """What the policy sees, (num_envs, stack * channels, height, width)."""
        return planes(self.stacked, self.channels)

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Take actions (num_envs, nact) from -1 to 1; episodes that end begin anew.

        Returns:
            The rewards, which episodes have ended for good, and which have ended at all.
        """
        n = len(actions)
        actions = self.middle + self.half * actions
        rewards, ended, over = np.zeros(n, np.float32), np.zeros(n, bool), np.zeros(n, bool)
        pictures = self.newest.copy()
        for _ in range(self.settings.action_repeat):
            on = np.flatnonzero(~over)
            if not len(on):
                break
            observations, reward, terminated, truncated, _ = self.envs.step_some(actions[on], on)
            rewards[on] += reward
            ended[on], over[on] = terminated, terminated | truncated
            pictures[on] = observations["pixels"]
            self.states[on] = self._state_of(observations["state"])
        self.age += 1
        if over.any():
            observations = self.envs.reset(options={"reset_mask": over})[0]
            pictures[over] = observations["pixels"][over]
            self.states[over] = self._state_of(observations["state"][over])
            self.age[over] = 0
        self.stacked = np.concatenate([self.stacked[..., self.channels :], pictures], axis=-1)
        self.stacked[over] = np.tile(pictures[over], self.settings.stack)
        return rewards, ended, over

    def _state_of(self, states: np.ndarray) -> np.ndarray:
        """States with cosines and sines of the angles that turn without end."""
        turned = states[:, self._angles]
        rest = np.delete(states, self._angles, axis=1)
        return np.concatenate([rest, np.cos(turned), np.sin(turned)], axis=1, dtype=np.float32)


def angles(envs: Any, seed: int) -> list[int]:
    """Places, in the states that environments show, of angles of hinges without limits.

    A picture does not show how often something has turned, and values are learned for a few turns.
    """
    model, data = envs.unwrapped.model, envs.unwrapped.data
    unlimited = (model.jnt_type == JNT_HINGE) & (model.jnt_limited == 0)
    envs.reset(seed=seed)
    envs.action_space.seed(seed)
    states = envs.step(envs.action_space.sample())[0]["state"]
    turned = data.qpos[:, model.jnt_qposadr[unlimited]]
    same = (states[:, :, None] == turned[:, None, :].astype(states.dtype)).all(0)
    return np.flatnonzero(same.any(1)).tolist()


def planes(stacked: np.ndarray, channels: int) -> np.ndarray:
    """What the policy sees of pictures (n, height, width, stack * channels)."""
    found = stacked.transpose(0, 3, 1, 2).astype(np.float32, order="C")
    return as_seen(found / np.float32(255.0) - np.float32(0.5), channels)


def pixels_of(settings: PictureSettings) -> dict[str, Any]:
    """Settings of the environment's pictures, with the states beside."""
    return {
        "height": settings.size, "width": settings.size, "grey": settings.grey,
        "camera": settings.camera, "state": True,
    }  # fmt: skip


def train(
    env_id: str, steps: int, seed: int, out: Path, settings: PictureSettings | None = None
) -> PictureLearner:
    """Train an agent; writes its curve and its networks.

    Args:
        env_id: the environment, whose observations and actions are vectors.
        steps: of all worlds together.
        seed: of worlds, actions and networks.
        out: folder for what is written.
        settings: of the learner; None for the usual ones.

    Raises:
        ValueError: the environment cannot be learned so, see `Seen`; nothing is written then.
    """
    settings = settings or PictureSettings()
    n = settings.num_envs
    seen = Seen(env_id, n, settings, seed)
    out.mkdir(parents=True, exist_ok=True)
    learner = PictureLearner(seen.states.shape[1], seen.nact, settings, seed)
    noise = np.geomspace(settings.least_noise, settings.most_noise, n)[:, None]
    random, curve = np.random.default_rng(seed), Curve(out / "curve.csv")
    returns, taken, kept = np.zeros(n), 0, None
    total = -(-steps // (n * settings.action_repeat))
    # one action of all worlds, then gradient steps
    while taken < total:
        if taken * n < settings.learning_starts:
            actions = random.uniform(-1.0, 1.0, (n, seen.nact)).astype(np.float32)
        else:
            actions = learner.act(seen.pictures(), noise)
        pictures, states, age = seen.newest.copy(), seen.states.copy(), seen.age.copy()
        rewards, ended, over = seen.step(actions)
        step = Step(pictures, states, age, actions, rewards, ended)
        kept = kept or PictureReplay(settings.buffer_size // n, step, settings.stack)
        kept.add(step)
        returns += rewards
        taken += 1
        if over.any():
            curve.add(taken * n * settings.action_repeat, returns[over])
            returns[over] = 0.0
        # nothing is learned from the first random actions but how states are spread
        if taken * n < settings.learning_starts:
            continue
        if (taken - 1) * n < settings.learning_starts:
            learner.scale_states(kept.steps.states[: kept.count].reshape(-1, states.shape[1]))
        for _ in range(settings.updates):
            learner.update(kept, 1.0 - taken / total)
    torch.save({"settings": asdict(settings), **learner.actor.state_dict()}, out / "agent.pt")
    seen.envs.close()
    return learner


class Curve:
    """Mean returns of episodes while the agent explores, printed and kept."""

    def __init__(self, path: Path):
        """A file of its own."""
        self.path, self.start = path, time.monotonic()
        path.write_text("steps,seconds,return\n", encoding="utf-8")

    def add(self, steps: int, returns: np.ndarray) -> None:
        """Episodes that have ended after so many steps."""
        seconds, mean = time.monotonic() - self.start, float(returns.mean())
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{steps},{seconds:.1f},{mean:.2f}\n")
        print(f"{steps:9,} steps  {steps / seconds:7,.0f} steps/s  return {mean:8.1f}", flush=True)


def evaluate(env_id: str, learner: PictureLearner, nepisode: int = 16) -> np.ndarray:
    """Returns of the first episodes of that many worlds, without exploration."""
    seen = Seen(env_id, nepisode, learner.settings, seed=1000)
    returns, running = np.zeros(nepisode), np.ones(nepisode, bool)
    while running.any():
        rewards, _, over = seen.step(learner.act(seen.pictures()))
        returns += np.where(running, rewards, 0.0)
        running &= ~over
    seen.envs.close()
    return returns


def record(env_id: str, learner: PictureLearner, path: Path, seconds: float = 10.0) -> None:
    """Film four worlds with the trained agent, a frame for each action."""
    width, height = TILE
    shown = {"render_mode": "rgb_array", "width": width, "height": height}
    seen = Seen(env_id, 4, learner.settings, 2000, **shown)
    interval = seen.envs.unwrapped.task.dt * learner.settings.action_repeat
    with film_writer(path, (2 * width, 2 * height), min(1.0 / interval, FPS)) as put:
        for _ in range(max(1, round(seconds / interval))):
            frames = np.stack(seen.envs.render()).reshape(2, 2, height, width, 3)
            put(np.ascontiguousarray(frames.swapaxes(1, 2)))
            seen.step(learner.act(seen.pictures()))
    seen.envs.close()


def plot(env_id: str, out: Path, after: float) -> None:
    """Draw the curve of a run; `after`: mean return of the trained agent."""
    with (out / "curve.csv").open(encoding="utf-8") as file:
        lines = [[float(word) for word in row] for row in list(csv.reader(file))[1:]]
    rows = np.array(lines).reshape(-1, 3)
    # means of some episodes
    some = max(1, len(rows) // 30)
    rows = rows[: len(rows) // some * some].reshape(-1, some, 3).mean(axis=1)
    plot_curve(out / "curve.png", f"{env_id} from pictures", rows[:, 0], rows[:, 2], after=after)


def main(argv: Sequence[str] | None = None) -> int:
    """Train with the options of the command line, then show what the agent does by itself."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("env", nargs="?", default=ENV)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--camera", default="0", help="number or name; -1 for the free one")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args(argv)
    out = arguments.out or Path("runs/pixels") / arguments.env
    camera = arguments.camera
    settings = PictureSettings(camera=int(camera) if camera.lstrip("-").isdigit() else camera)
    try:
        learner = train(arguments.env, arguments.steps, arguments.seed, out, settings)
    except (ValueError, KeyError, gymnasium.error.Error) as error:
        parser.error(str(error.args[0] if error.args else error))
    after = evaluate(arguments.env, learner)
    print(f"return of {len(after)} episodes: {after.mean():.1f} ± {after.std():.1f}")
    plot(arguments.env, out, float(after.mean()))
    record(arguments.env, learner, out / "film.mp4")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
