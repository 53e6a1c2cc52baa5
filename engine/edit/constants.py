"""Edits of a model at run time: the constants that follow from them, and keyframes."""

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import LARGEST, number, whole
from ..data.views import takes_views
from ..tables.fields import KEYFRAME

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ..data.data import Data
    from ..model.model import Model

# what `set_const` sets; fields of `model.stat` with "stat_" in front, as in `Data(vary=...)`
REALS = (
    "body_subtreemass", "body_invweight0", "dof_M0", "dof_invweight0", "dof_length",
    "tendon_length0", "tendon_invweight0", "tendon_lengthspring", "flexedge_length0",
    "flexedge_invweight0", "flex_vertmetric", "actuator_length0",
    "actuator_acc0", "actuator_biasprm", "eq_data", "cam_pos0", "cam_poscom0", "cam_mat0",
    "light_pos0", "light_poscom0", "light_dir0", "stat_meaninertia", "stat_meanmass",
    "stat_meansize", "stat_extent", "stat_center",
)  # fmt: skip
INTEGERS = (
    "ngravcomp", "jnt_actuatorid", "tendon_actuatorid", "tendon_treeid", "tendon_treenum",
    "tree_bodyadr", "tree_bodynum", "tree_dofadr", "tree_dofnum", "tree_sleep_policy",
)  # fmt: skip
TURNED = ("flex_vert0",)  # what it turns: sheets whose vertices are constrained


@takes_views
def set_const(
    model: "Model", data: "Data | None" = None, worlds: "ArrayLike | None" = None
) -> None:
    """Compute what follows from the rest of a model, after its arrays were edited (mj_setConst).

    These are masses of subtrees, lengths, weights and inertia at qpos0, missing data of equality
    constraints, references of cameras and lights, damping that is given as a damping ratio, and the
    statistics. Sizes of bounding volumes, what says which bodies are simple, and length ranges of
    actuators stay. Bodies that sleep count as if they were awake.

    Args:
        model: the model, edited in place.
        data: its data, where fields differ between worlds (`Data(model, vary=...)`): their
            constants are computed for each world.
        worlds: numbers of the worlds to compute; None for all, and for the model itself.

    Raises:
        ValueError: data of another model, or a constant would differ between worlds that is not
            among the fields that may; the message names all of them.
    """
    from ..data.request import worlds_of
    from ..mjcf.arrays.set_const import set_const as set_constants

    # constants of the model itself, then those of each world
    chosen = [] if data is None else worlds_of(data, worlds, "set_const").tolist()
    with np.errstate(all="ignore"):
        if worlds is None:
            set_constants(model)
        if data is None or not data.varied:
            return
        if data.model is not model:
            raise ValueError(
                "set_const: data were made for another model; expected data of this model"
            )
        edited = [world_model(model, data.varied, i) for i in chosen]
        for world in edited:
            set_constants(world)
    # constants in which worlds differ need an array of their own
    names = (*REALS, *INTEGERS)
    fixed = [n for n in names if n not in data.varied and _differ(model, edited, n)]
    reals = [name for name in fixed if name in REALS]
    if reals:
        raise ValueError(
            f"set_const: {', '.join(reals)}: expected fields that differ between worlds; add them"
            " to vary of Data"
        )
    if fixed:
        raise ValueError(
            f"set_const: {', '.join(fixed)}: expected the same in all worlds, because these are"
            " integers; make a model for each kind of world"
        )
    # write them
    for name, array in data.varied.items():
        if name in REALS:
            for i, world in zip(chosen, edited, strict=True):
                array[i] = np.reshape(value_of(world, name), array[i].shape)


def set_totalmass(model: "Model", newmass: float) -> None:
    """Scale the masses and inertias of all bodies to a total mass (mj_setTotalmass).

    Call `set_const` to compute what follows from them.

    Args:
        model: the model, edited in place.
        newmass: mass of all bodies (kg).
    """
    tiny = 1e-15
    newmass = number(newmass, "set_totalmass", "newmass")
    scale = max(tiny, newmass / max(tiny, float(np.sum(model.body_mass))))
    model.body_mass[1:] *= scale
    model.body_inertia[1:] *= scale


@takes_views
def set_keyframe(model: "Model", data: "Data", keyframe: int | str, world: int = 0) -> None:
    """Store the state of a world as a keyframe of the model (mj_setKeyframe).

    Args:
        model: the model, whose keyframe is overwritten.
        data: its data.
        keyframe: index or name of a keyframe; `<size nkey="..."/>` makes room for more.
        world: which world.

    Raises:
        KeyError: there is no such keyframe.
        IndexError: there is no such keyframe or world.
        ValueError: data of another model.
    """
    if data.model is not model:
        raise ValueError(
            "set_keyframe: data were made for another model; expected data of this model"
        )
    if not 0 <= whole(world, "set_keyframe", "world", -LARGEST) < data.nworld:
        raise IndexError(
            f"set_keyframe: world={world}: expected a world between 0 and {data.nworld - 1}"
        )
    key = model.key(keyframe)
    key.time = data.time[world]
    for name, field in KEYFRAME.items():
        setattr(key, name, getattr(data, field)[world].ravel())


def value_of(model: "Model", name: str):
    """A field of a model or of its statistics."""
    if name.startswith("stat_"):
        return getattr(model.stat, name.removeprefix("stat_"))
    return getattr(model, name)


def constants_of(model: "Model"):
    """A copy of a model with its constants computed anew; the rest is shared."""
    from ..mjcf.arrays.set_const import set_const as set_constants

    world = world_model(model, {}, 0)
    set_constants(world)
    return world


def world_model(model: "Model", varied: Mapping[str, Any], i: int):
    """A model as it is in one world; what is not edited or set is shared.

    Args:
        model: the model of all worlds.
        varied: values of fields that differ, by name and then by world.
        i: the world.
    """
    world = object.__new__(type(model))
    world.__dict__.update(model.__dict__, stat=copy.deepcopy(model.stat))
    for name in {*REALS, *INTEGERS, *TURNED, *varied}:
        value = varied[name][i] if name in varied else value_of(model, name)
        if name.startswith("stat_"):
            value = value if np.size(value) > 1 else float(np.ravel(value)[0])
            setattr(world.stat, name.removeprefix("stat_"), value)
        elif isinstance(value, np.ndarray) and not name.startswith("opt_"):
            world.__dict__[name] = np.reshape(value, np.shape(getattr(model, name))).copy()
    return world


def _differ(model: "Model", worlds: list, name: str) -> bool:
    """True if a constant of a world is not that of the model."""
    value = np.asarray(value_of(model, name))
    return any(not np.array_equal(value_of(world, name), value, equal_nan=True) for world in worlds)
