"""Where the models of the rows are, and the inputs that every subject gets."""

import importlib.util
from pathlib import Path

import numpy as np

SEED = 20
# of a checkout; of the package mjenv where it is installed: both have benchmarks/ and xml/
ROOT = Path(__file__).resolve().parents[1]


def model_path(name: str) -> Path:
    """MJCF file of a row: mjenv's own in `xml/`, else the one installed with Gymnasium.

    Args:
        name: stem of the file, such as `half_cheetah`.

    Raises:
        FileNotFoundError: neither has the file.
    """
    folders = [ROOT / "xml"]
    gymnasium = importlib.util.find_spec("gymnasium")
    if gymnasium is not None:
        folders.append(Path(gymnasium.origin).parent / "envs" / "mujoco" / "assets")
    for folder in folders:
        path = folder / f"{name}.xml"
        if path.exists():
            return path
    searched = ", ".join(str(folder) for folder in folders)
    raise FileNotFoundError(f"benchmarks: no model {name}.xml in {searched}")


def controls(row, low, high) -> np.ndarray:
    """Random controls of a row, one for each call and world, uniform between the limits.

    Args:
        row: a `Row`.
        low: lower limits, (nu,).
        high: upper limits, (nu,).

    Returns:
        Controls, (warmup + calls, nworld, nu), the same in every process.
    """
    low, high = np.asarray(low, float), np.asarray(high, float)
    shape = (row.warmup + row.calls, row.nworld, *low.shape)
    return np.random.default_rng(SEED).uniform(low, high, shape)


def start_velocity(row, nv: int) -> np.ndarray:
    """Velocities that the worlds of a row start with, (nworld, nv)."""
    return np.random.default_rng(SEED + 1).normal(0.0, 0.1, (row.nworld, nv))
