"""Data go on with another model of the same sizes, as MuJoCo's do with any that is given."""

from typing import TYPE_CHECKING

from ..model.model import SIZES
from ..run.in_use import alone
from ..run.structures import structure_of
from ..tables.fields import DATA
from .reallocation import follow_plan

if TYPE_CHECKING:
    from ..model.model import Model
    from ..run.plan import Plan
    from .data import Data

MOST = 4  # models whose plans are kept
# sizes that fields of data have
_NAMED = {dim for row in DATA for dim in row.shape}
_SIZES = tuple(name for name in SIZES if name in _NAMED)


def use_model(data: "Data", model: "Model", where: str) -> None:
    """Have data of one world belong to another model; their arrays, state and results stay.

    Raises:
        ValueError: the model has other sizes.
        UnsupportedFeature: it uses something that is not simulated yet.
        DataInUse: another call is working on the data.
    """
    for name in _SIZES:
        found, expected = getattr(model, name), getattr(data.model, name)
        if found != expected:
            raise ValueError(
                f"{where}: found a model with {name} = {found}, expected {expected}, as in the "
                "model that the data were made for"
            )
    alone(data.plan, where, _use_model, data, model)


def _use_model(data: "Data", model: "Model") -> None:
    plans: dict[int, Plan] = data.__dict__.setdefault("_plans", {})
    old = data.plan
    plans[id(data.model)] = old
    plan = plans.pop(id(model), None) or _new_plan(data, model)
    plans[id(model)] = plan
    while len(plans) > MOST:
        del plans[next(iter(plans))]
    plan.adopt(old)
    vars(data).update(plan=plan, model=model)
    if plan.derived.tables is not old.derived.tables:
        follow_plan(data, old)


def _new_plan(data: "Data", model: "Model") -> "Plan":
    structure = structure_of(model)
    large_model = structure.is_large_model(model, data._options["large_model"])
    wanted = data._wanted(large_model)._replace(slept=data.plan.sleeps)
    return data._plan_type(model, wanted, structure)
