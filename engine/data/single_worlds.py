"""Single stages of several worlds: each world runs them in data of its own.

What stages leave for each other lies in the scratch of a thread. A single world has one to itself;
of several worlds, the next pack overwrites it. For stages that are called one by one, each world
gets data of one world. After other calls these are brought to where the world is: by forward
dynamics of the position and velocity that its results belong to (see seen.py), then with the
results themselves.
"""

from typing import TYPE_CHECKING

import numpy as np

from ..errors import FieldError
from ..pipeline.input_snapshot import POSITIONS, SNAPSHOT, VELOCITIES
from ..run.mujoco_functions import STAGE_FUNCTIONS
from .requested_fields import LAZY_OUTPUTS

if TYPE_CHECKING:
    from .data import Data


def run_alone(data: "Data", name: str, worlds: np.ndarray) -> None:
    """Run the function of single stages in some worlds, indices."""
    from .single_functions import run_stage_function

    for world in worlds:
        one = _alone(data, name, world)
        _put_in(data, one, world)
        run_stage_function(data.model, one, name)
        _take_out(data, one, world, name)
    data.stale_lazy(STAGE_FUNCTIONS[name].late + STAGE_FUNCTIONS[name].emptied)


def _alone(data: "Data", name: str, world: int):
    """Data of one world, as far as the world is."""
    if "snapshot_on" not in data._arrays:
        raise FieldError(
            f"{name}: data of {data.nworld} worlds do not remember what their results belong to; "
            "make the data with keep=None or keep=[..., 'stages']"
        )
    if "_present" not in data.__dict__:
        data.__dict__["_present"] = set()  # worlds that are where their own data are
        data.fresh.append("_present")
    alone = data.__dict__.setdefault("_alone", {})
    if world not in alone:
        options = data._options | {"width": 1, "nthread": 1, "nconmax": None, "njmax": None}
        alone[world] = type(data)(data.model, 1, **options)
    one = alone[world]
    if one.plan.hooks.functions != data.plan.hooks.functions:
        one.change_hooks(data.plan.hooks.functions)
        one.plan.scratch[0].data.arrays["hook_world"][:] = world
    present = data.__dict__["_present"]
    if world not in present:
        _catch_up(data, one, world)
        present.add(world)
    return one


def _catch_up(data: "Data", one: "Data", world: int) -> None:
    """Have the scratch of one world hold what the last call has left for it."""
    from .single_functions import run_stage_function
    from .step import forward

    one.reset_state(slice(None))
    if not data._arrays["snapshot_on"][world]:
        return
    _put_in(data, one, world)
    for present, seen in (POSITIONS | VELOCITIES).items():
        if one._arrays[present].size:
            one._arrays[present][0] = data._arrays[seen][world]
    forward(data.model, one)
    _put_in(data, one, world)
    one.settle_lazy()
    scratch = one.plan.scratch[0].data.arrays
    for field in LAZY_OUTPUTS.intersection(one._lazy, data._arrays):
        array = data._arrays[field][world : world + 1]
        one.take(field, slice(None), array)
        one.__dict__[field] = one._arrays[field]
        if field in ("efc_force", "efc_state"):
            n = min(len(scratch[field]), array.shape[1])
            scratch[field][:n] = array[0, :n]
    run_stage_function(data.model, one, "take_forces")


def _put_in(data: "Data", one: "Data", world: int) -> None:
    """Copy the fields of a world into its own data, but for those that are copies themselves."""
    for field, array in data._arrays.items():
        if field in LAZY_OUTPUTS or field in SNAPSHOT:
            continue
        if not array.size or (field not in one._arrays and not hasattr(one, field)):
            continue
        one._arrays[field][0] = array[world]
    for field, array in data.varied.items():
        one.varied[field][0] = array[world]
    one._warn_number[0], one._warn_info[0] = data._warn_number[world], data._warn_info[world]


def _take_out(data: "Data", one: "Data", world: int, name: str) -> None:
    """Copy what it may have changed back into the data of all worlds."""
    data.forget_ends()
    stage_function = STAGE_FUNCTIONS[name]
    late = {*stage_function.late, *stage_function.emptied}
    for field, array in data._arrays.items():
        if not array.size or field in SNAPSHOT or (field in LAZY_OUTPUTS and field not in late):
            continue
        values = getattr(one, field)[0]
        if values.shape == array.shape[1:]:
            array[world] = values
        else:
            # a list of a large model, as long as it is
            n = min(len(values), array.shape[1])
            array[world] = 0
            array[world, :n] = values[:n]
    seen = {} if "kinematics" not in stage_function.parts else POSITIONS
    seen |= VELOCITIES if "rates" in stage_function.parts else {}
    for present, field in seen.items():
        data._arrays[field][world] = data._arrays[present][world]
    if "rows" in stage_function.parts:
        data._arrays["snapshot_on"][world] = 1.0
    data._warn_number[world], data._warn_info[world] = one._warn_number[0], one._warn_info[0]
