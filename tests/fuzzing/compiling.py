"""Constants that a compiler finds by simulation: how far MuJoCo's own move by rounding."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator

import mujoco
import numpy as np

import mjenv

SHAKES = 36  # perturbations of a document
AMPLIFIED = 30.0  # how much larger than MuJoCo's own motion a difference may be
# what comes of simulated ranges of length, and of a root that may be of nothing
SIMULATED = ("actuator_lengthrange", "actuator_length0", "actuator_acc0")


def shaken(text: str, seed: int) -> Iterator[mujoco.MjModel | None]:
    """Models of a document whose numbers differ by rounding; None where MuJoCo refuses one."""
    for k in range(SHAKES):
        rng = np.random.default_rng((seed, k))
        size = (1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10)[k % 7]

        def moved(array, rng=rng, size=size):
            return np.asarray(array) * (1 + size * rng.uniform(-1, 1, np.shape(array)))

        spec = mujoco.MjSpec.from_string(text)
        spec.option.gravity = moved(spec.option.gravity)
        for part in (*spec.bodies[1:], *spec.geoms, *spec.sites, *spec.joints):
            part.pos = moved(part.pos)
        for geom in spec.geoms:
            geom.size = moved(geom.size)
        for actuator in spec.actuators:
            actuator.gear, actuator.cranklength = moved(actuator.gear), moved(actuator.cranklength)
        try:
            yield spec.compile()
        except ValueError:
            yield None


def moves_by_rounding(text: str, seed: int, mj: mujoco.MjModel, ours, name: str) -> bool:
    """Whether MuJoCo's own constant moves by a thirtieth of the difference, at least."""
    theirs = getattr(mj, name)
    apart = float(np.abs(getattr(ours, name) - theirs).max())
    for other in shaken(text, seed):
        if other is None or np.abs(getattr(other, name) - theirs).max() * AMPLIFIED >= apart:
            return True
    return False


def moves_by_tolerance(text: str, mj: mujoco.MjModel, ours, name: str) -> bool:
    """Whether a constant is MuJoCo's by a thirtieth of the difference where no solver stops early.

    Ranges of length are simulated: of both engines, a step's acceleration is that at which the
    solver stops by its tolerance. With a tolerance of 0, ours or MuJoCo's agree.
    """
    spec = mujoco.MjSpec.from_string(text)
    spec.option.tolerance = 0
    exact = getattr(spec.compile(), name)
    root = ET.fromstring(text)
    option = root.find("option")
    option = ET.SubElement(root, "option") if option is None else option
    option.set("tolerance", "0")
    model = mjenv.Model.from_xml_string(ET.tostring(root, encoding="unicode"))
    apart = float(np.abs(getattr(ours, name) - getattr(mj, name)).max())
    left = min(float(np.abs(getattr(each, name) - exact).max()) for each in (ours, model))
    return AMPLIFIED * left <= apart


def refused_sparse(text: str) -> bool:
    """Whether MuJoCo refuses a document, too, when it writes Jacobians as sparse matrices."""
    spec = mujoco.MjSpec.from_string(text)
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE
    try:
        mujoco.MjData(spec.compile())
    except (ValueError, mujoco.FatalError):
        return True
    return False


def refused_by_rounding(text: str, seed: int) -> bool:
    """Whether MuJoCo refuses a document that it accepts when its numbers change by rounding."""
    return any(other is None for other in shaken(text, seed))
