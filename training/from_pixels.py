"""An agent that sees nothing but pictures: a pole is kept upright by what a camera shows of it.

    python -m mjenv.training.from_pixels [--steps 600000] [--seed 0] [--out runs/pixels]

PPO of Stable-Baselines3 with a small convolutional network over the last pictures, in 64 worlds
that are drawn in one call. Writes `curve.csv` (steps, seconds, mean return), `curve.png` and
`agent.zip`.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from mjenv.sb3 import NativeVecEnv
from mjenv.training.runs.curve import plot_curve

ENV = "InvertedPendulum-v5"
PIXELS = {"height": 32, "width": 64, "grey": True, "stack": 3}
NWORLD = 64
SETTINGS = {
    "n_steps": 32, "batch_size": 256, "n_epochs": 4, "learning_rate": 1e-3, "gamma": 0.98,
    "gae_lambda": 0.95, "ent_coef": 0.0, "clip_range": 0.2,
}  # fmt: skip


class SmallCNN(BaseFeaturesExtractor):
    """Three convolutions that halve the picture or quarter it, and one layer over all of it."""

    def __init__(self, observation_space: spaces.Box, features_dim: int = 128):
        """Make the layers for pictures (channels, height, width)."""
        super().__init__(observation_space, features_dim)
        channels, height, width = observation_space.shape
        self.convolutions = nn.Sequential(
            nn.Conv2d(channels, 16, 4, stride=4), nn.ReLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(32, 32, 3, stride=2, padding=1), nn.ReLU(),
            nn.Flatten(),
        )  # fmt: skip
        with torch.no_grad():
            size = self.convolutions(torch.zeros(1, channels, height, width)).shape[1]
        self.last = nn.Sequential(nn.Linear(size, features_dim), nn.ReLU())

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """Features (n, features_dim) of pictures (n, channels, height, width)."""
        return self.last(self.convolutions(pictures))


class Curve(BaseCallback):
    """Prints and keeps the mean return of the episodes that ended since the last update."""

    def __init__(self, path: Path):
        super().__init__()
        self.path, self.start, self.returns = path, time.monotonic(), []
        path.write_text("steps,seconds,return\n", encoding="utf-8")

    def _on_step(self) -> bool:
        self.returns += [i["episode"]["r"] for i in self.locals["infos"] if "episode" in i]
        return True

    def _on_rollout_end(self) -> None:
        if not self.returns:
            return
        seconds, mean = time.monotonic() - self.start, float(np.mean(self.returns))
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{self.num_timesteps},{seconds:.1f},{mean:.2f}\n")
        rate = self.num_timesteps / seconds
        print(
            f"{self.num_timesteps:9,} steps  {rate:7,.0f} steps/s  return {mean:8.1f}", flush=True
        )
        self.returns = []


def train(steps: int, seed: int, out: Path, nworld: int = NWORLD) -> PPO:
    """Train an agent and write what became of it.

    Args:
        steps: steps of all worlds together.
        seed: of worlds, actions and networks.
        out: folder for the curve and the agent.
        nworld: how many worlds.
    """
    out.mkdir(parents=True, exist_ok=True)
    envs = NativeVecEnv(ENV, nworld, pixels=PIXELS)
    policy = {"features_extractor_class": SmallCNN, "net_arch": []}
    model = PPO("CnnPolicy", envs, policy_kwargs=policy, seed=seed, device="cpu", **SETTINGS)
    model.learn(steps, callback=Curve(out / "curve.csv"))
    model.save(out / "agent.zip")
    return model


def main(argv: Sequence[str] | None = None) -> int:
    """Train with the options of the command line, then show what the agent does by itself."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=600_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/pixels"))
    arguments = parser.parse_args(argv)
    model = train(arguments.steps, arguments.seed, arguments.out)
    after = evaluate(model)
    print(f"mean return of 16 episodes: {after:.1f}")
    plot(arguments.out, after)
    return 0


def plot(out: Path, after: float) -> None:
    """Draw the curve of a run; `after`: mean return of the trained agent."""
    rows = np.loadtxt(out / "curve.csv", delimiter=",", skiprows=1, ndmin=2)
    # means of some updates
    some = max(1, len(rows) // 30)
    rows = rows[: len(rows) // some * some].reshape(-1, some, 3).mean(axis=1)
    plot_curve(out / "curve.png", f"{ENV} from pictures", rows[:, 0], rows[:, 2], after=after)


def evaluate(model: PPO, nepisode: int = 16) -> float:
    """Mean return of the first episodes of that many worlds, without exploration."""
    envs = NativeVecEnv(ENV, nepisode, pixels=PIXELS)
    envs.seed(1000)
    seen, returns = envs.reset(), np.full(nepisode, np.nan)
    while np.isnan(returns).any():
        seen, _, _, infos = envs.step(model.predict(np.asarray(seen), deterministic=True)[0])
        for world, info in enumerate(infos):
            if "episode" in info and np.isnan(returns[world]):
                returns[world] = info["episode"]["r"]
    return float(returns.mean())


if __name__ == "__main__":
    raise SystemExit(main())
