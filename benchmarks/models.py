"""The models of the rows, and the inputs that every subject gets."""

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .arm import arm
from .hand import hand
from .soft import SOFT

if TYPE_CHECKING:
    from mjenv.benchmarks.rows import Row


SEED = 20
# of a checkout; of the package mjenv where it is installed: both have benchmarks/ and xml/
ROOT = Path(__file__).resolve().parents[1]
# models that are made here
MADE = {"hand": hand, "arm": arm, **SOFT}
# models of other packages, with files beside them: package, path inside it
OUTSIDE = {
    "hand_reach": ("gymnasium_robotics", "envs/assets/hand/reach.xml"),
    "quadruped": ("dm_control", "suite/quadruped.xml"),
    "dog": ("dm_control", "suite/dog.xml"),
}
# models that differ from another one in its text: name, other model, text, replacement
VARIANTS = {
    "humanoid_newton": ("humanoid", 'solver="PGS" iterations="50"', 'solver="Newton"'),
    "hand_elliptic": ("hand", "<option ", '<option cone="elliptic" impratio="10" '),
}


def model_text(name: str) -> str:
    """MJCF of a row.

    Args:
        name: a key of `VARIANTS` or `MADE`, or the stem of a file that `model_path` finds.
    """
    if name in VARIANTS:
        other, old, new = VARIANTS[name]
        return model_text(other).replace(old, new)
    return MADE[name]() if name in MADE else model_path(name).read_text()


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


def outside_path(name: str) -> str:
    """File of a model of another package, found by this interpreter; "" for other models.

    Raises:
        ModuleNotFoundError: the package is not installed.
    """
    if name not in OUTSIDE:
        return ""
    package, path = OUTSIDE[name]
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(f"the package {package} is not installed, which has its model")
    return str(Path(found.origin).parent / path)


def load(engine: Any, row: "Row"):
    """Model of a row, compiled by `mjenv.Model` or `mujoco.MjModel`."""
    if row.path:
        return engine.from_xml_path(row.path)
    return engine.from_xml_string(model_text(row.model))


def controls(row: "Row", low: Any, high: Any) -> np.ndarray:
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


def start_velocity(row: "Row", nv: int) -> np.ndarray:
    """Velocities that the worlds of a row start with, (nworld, nv)."""
    return np.random.default_rng(SEED + 1).normal(0.0, 0.1, (row.nworld, nv))
