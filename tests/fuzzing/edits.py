"""Random edits of a compiled model at run time, the same in MuJoCo and here."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tests.fuzzing.draw import Draw


class Edit(NamedTuple):
    """An edit.

    Attributes:
        name: the field.
        apply: makes it in a model.
    """

    name: str
    apply: Callable


def scaled(low: float, high: float):
    """Multiplies a field by random factors."""
    return lambda array, rng: array * rng.uniform(low, high, array.shape)


def moved(by: float):
    """Adds random numbers to a field."""
    return lambda array, rng: array + by * rng.normal(size=array.shape)


def words(*values):
    """Sets elements to one of some values."""
    return lambda array, rng: rng.choice(values, array.shape)


# field of the model or of its options: new values from the old ones
EDITS: dict[str, Callable] = {
    "opt.gravity": moved(3), "opt.wind": moved(3), "opt.magnetic": moved(0.5), "opt.timestep": scaled(0.5, 2),
    "opt.density": scaled(0.5, 2), "opt.viscosity": scaled(0.5, 2), "opt.impratio": scaled(0.5, 2),
    "opt.o_margin": scaled(0, 2), "opt.tolerance": scaled(0, 1),
    "opt.integrator": words(0, 1, 2, 3), "opt.cone": words(0, 1), "opt.solver": words(0, 1, 2),
    "body_mass": scaled(0.5, 2), "body_inertia": scaled(0.9, 1.1), "body_pos": moved(0.05), "body_ipos": moved(0.01),
    "body_gravcomp": scaled(0, 2), "dof_damping": scaled(0, 2), "dof_armature": scaled(0, 2),
    "dof_frictionloss": scaled(0.1, 2), "jnt_stiffness": scaled(0, 2), "jnt_range": scaled(0.7, 1.3),
    "jnt_margin": scaled(0, 2), "jnt_pos": moved(0.05), "qpos_spring": moved(0.1), "jnt_solref": scaled(0.8, 1.2),
    "geom_pos": moved(0.02), "geom_friction": scaled(0, 2), "geom_solref": scaled(0.8, 1.2),
    "geom_solmix": scaled(0.5, 2), "geom_margin": scaled(0, 2), "geom_gap": scaled(0, 2),
    "site_pos": moved(0.05), "site_size": scaled(0.5, 2), "cam_pos": moved(0.1), "cam_fovy": scaled(0.7, 1.3),
    "light_pos": moved(0.1), "eq_solref": scaled(0.8, 1.2), "eq_solimp": scaled(0.9, 1),
    "tendon_stiffness": scaled(0, 2), "tendon_damping": scaled(0, 2), "tendon_frictionloss": scaled(0.1, 2),
    "tendon_range": scaled(0.7, 1.3), "tendon_margin": scaled(0, 2), "tendon_lengthspring": scaled(0.7, 1.3),
    "actuator_gear": scaled(0.5, 2), "actuator_gainprm": scaled(0.9, 1.1), "actuator_biasprm": scaled(0.9, 1.1),
    "actuator_ctrlrange": scaled(0.5, 2), "actuator_forcerange": scaled(0.5, 2), "actuator_cranklength": scaled(0.9, 1.3),
    "sensor_cutoff": scaled(0.5, 2), "pair_friction": scaled(0, 2), "pair_margin": scaled(0, 2),
    "pair_solref": scaled(0.8, 1.2),
}  # fmt: skip


def inertial_frames(model) -> np.ndarray:
    """Bodies whose inertial frame MuJoCo takes for that of something else, or something else for it."""
    bodies = np.array(model.body_sameframe) != 0
    for body, same in (
        (model.geom_bodyid, model.geom_sameframe),
        (model.site_bodyid, model.site_sameframe),
    ):
        bodies[body[same != 0]] = True
    return bodies


# field: elements that stay, because MuJoCo takes the frame of the body for that of an element that had
# it when the model was compiled
SAME_FRAMES = {
    "geom_pos": lambda model: model.geom_sameframe != 0,
    "site_pos": lambda model: model.site_sameframe != 0,
    "body_ipos": inertial_frames,
}


def random_edits(d: Draw, mj) -> list[Edit]:
    """Some edits of fields that have elements."""
    names = d.sample([*EDITS], 12)
    present = [name for name in names if np.size(value_of(mj, name))]
    return [edit_of(name, d.randrange(1 << 30)) for name in present[: d.randint(1, 4)]]


def value_of(model, name: str):
    group, _, last = name.rpartition(".")
    return getattr(getattr(model, group) if group else model, last)


def edit_of(name: str, seed: int) -> Edit:
    def apply(model) -> None:
        group, _, last = name.rpartition(".")
        owner = getattr(model, group) if group else model
        old = getattr(owner, last)
        new = EDITS[name](np.array(old), np.random.default_rng(seed))
        if np.ndim(old):
            if name in SAME_FRAMES:
                new = np.where(SAME_FRAMES[name](model)[:, None], old, new)
            old[...] = new
        else:
            setattr(owner, last, type(old)(new))

    return Edit(name, apply)
