"""Trained agents as small files that need numpy alone; those in `agents/` come with mjenv."""

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from mjenv.training.runs.files import whole
from mjenv.training.tasks.view import View

SHIPPED = Path(__file__).resolve().parent / "agents"
GRAIN = 2.0**-20  # of the numbers that a layer multiplies


@dataclass(frozen=True)
class Portable:
    """A multilayer perceptron with tanh between its layers, on normalized observations.

    It acts the same on every machine: what layers multiply are multiples of 2^-20, of which float64
    has exact sums up to 2^13, so the order in which a library adds them does not matter, and tanh
    is made of additions, products and quotients, which are rounded in one way.

    Attributes:
        info: where it comes from: "env", "env_kwargs", "algorithm", "command", "seed", "steps",
            "minutes", and "return", "std" and "episodes" of its evaluation; "view" where
            observations are in groups.
        mean: of observations, (nobs,).
        deviation: of observations, (nobs,).
        limit: normalized observations are clipped to -limit ... limit.
        weights: of the layers, (outputs, inputs) each.
        biases: of the layers, (outputs,) each.
        low: the least actions, (nact,).
        high: the greatest actions, (nact,).
        curve: steps and mean returns of the training, (2, n).
    """

    info: dict[str, Any]
    mean: np.ndarray
    deviation: np.ndarray
    limit: float
    weights: list[np.ndarray]
    biases: list[np.ndarray]
    low: np.ndarray
    high: np.ndarray
    curve: np.ndarray = field(default_factory=lambda: np.zeros((2, 0)))

    def act(self, observation: Any) -> np.ndarray:
        """The most likely actions for one observation (nobs,) or a row of them (n, nobs).

        Observations in groups are dicts of them, of which the actor's are looked at.

        Raises:
            ValueError: observations of another size.
        """
        if self._view.agents:
            return self._view.together(observation, self._act)
        return self._act(self._view.seen(observation))

    def _act(self, observation: Any) -> np.ndarray:
        x = np.asarray(observation)
        if x.shape[-1:] != self.mean.shape:
            raise ValueError(
                f"agent of {self.info['env']}: found {x.shape[-1]} observations, expected "
                f"{self.mean.size}; give the environment the arguments that it was trained with"
            )
        x = np.clip((x - self.mean) / self.deviation, -self.limit, self.limit)
        *hidden, (weight, bias) = self._layers
        for inner, offset in hidden:
            x = _tanh(_grains(x) @ inner + offset)
        x = (_grains(x) @ weight + bias).astype(np.float32)
        return np.clip(x, self.low, self.high)

    @cached_property
    def _view(self) -> View:
        return View.from_dict(self.info.get("view"))

    @cached_property
    def _layers(self) -> list[tuple[np.ndarray, np.ndarray]]:
        weights = [_grains(weight.T) for weight in self.weights]
        return list(zip(weights, self.biases, strict=True))

    def save(self, path: str | Path) -> None:
        """Write it into a file, `.npz`."""
        arrays: dict[str, Any] = {f"weight{k}": weight for k, weight in enumerate(self.weights)}
        arrays.update({f"bias{k}": bias for k, bias in enumerate(self.biases)})
        for name in ("mean", "deviation", "limit", "low", "high", "curve"):
            arrays[name] = np.asarray(getattr(self, name), np.float32)
        info: Any = json.dumps(self.info)
        with whole(path) as partial, partial.open("wb") as file:
            np.savez_compressed(file, **{"info": info, **arrays})

    @classmethod
    def load(cls, path: str | Path) -> "Portable":
        """Read it from a file.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: it is none that `save` has written.
        """
        try:
            with np.load(path) as file:
                count = sum(name.startswith("weight") for name in file.files)
                names = ("mean", "deviation", "low", "high", "curve")
                return cls(
                    json.loads(str(file["info"])),
                    limit=float(file["limit"]),
                    weights=[file[f"weight{k}"] for k in range(count)],
                    biases=[file[f"bias{k}"] for k in range(count)],
                    **{name: file[name] for name in names},
                )
        except (BadZipFile, EOFError, KeyError, ValueError) as error:
            raise ValueError(
                f"{path}: is no agent ({error}), expected a file of `mjenv export`"
            ) from error


def _grains(x: np.ndarray) -> np.ndarray:
    return np.rint(x.astype(np.float64) / GRAIN) * GRAIN


def _tanh(x: np.ndarray) -> np.ndarray:
    """The hyperbolic tangent within 1e-7: of a 16th, by Lambert's fraction, doubled four times."""
    y = np.clip(x, -9.0, 9.0) * 0.0625
    square = y * y
    t = y * (105.0 + 10.0 * square) / (105.0 + square * (45.0 + square))
    for _ in range(4):
        t = 2.0 * t / (1.0 + t * t)
    return t


def shipped(env_id: str) -> Portable | None:
    """The agent of an environment that comes with mjenv; None where there is none."""
    path = SHIPPED / f"{env_id.rpartition('/')[2]}.npz"
    return Portable.load(path) if env_id.startswith("mjenv/") and path.exists() else None


def names() -> list[str]:
    """Environments of which an agent comes with mjenv."""
    return sorted(path.stem for path in SHIPPED.glob("*.npz"))
