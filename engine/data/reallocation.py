"""Data go on after an edit of their model from which tables, sizes or stages are derived.

State, inputs and results stay, and so do the arrays in which users see them. Only lists of contacts
and rows that need more room become other arrays.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from ..run.in_use import alone
from ..run.structures import structure_of
from ..tables.enums import SLEEP_INIT
from .on_demand import Contacts
from .requested_fields import CONSTANT_ZERO, INTEGERS

if TYPE_CHECKING:
    from ..run.plan import Plan
    from .stored_fields import StoredFields


def apply_edits(data: "StoredFields") -> None:
    """Have edits so far count, and what was computed before them stay."""
    if data.plan.is_edited():
        data.hold_lazy()
        data.plan.refresh()


def take_lists(data: "StoredFields", sizes: dict[str, int]) -> None:
    """Have lists of contacts and rows at least so long."""
    plan = data.plan
    longer = {name: n for name, n in sizes.items() if n > plan.sizes[name]}
    if longer:
        plan.sizes.update(longer)
        for scratch in plan.scratch:
            scratch.fit_lists({name: n for name, n in longer.items() if n > scratch.sizes[name]})
            scratch.enter_capacity(longer)
        _fit_arrays(data)


def follow_lists(data: "StoredFields", sizes: dict[str, int]) -> None:
    """As `take_lists`, with what lists hold, and also where there were no fields of contacts."""
    own = vars(data)
    shown = {name: own[name] for name in data._lazy.intersection(own)}
    take_lists(data, sizes)
    data._choose_fields()
    _fit_arrays(data)
    for name, array in shown.items():
        new = own[name] = data._arrays[name]
        if new is not array and new.ndim > 1:
            n = min(new.shape[1], array.shape[1])
            new[:, :n] = array[:, :n]
    if "contact" in own:
        own["contact"] = Contacts(data)
    data.plan.forget_lists()
    data.plan.disconnect_all()


def keep_also(data: "StoredFields", name: str) -> None:
    """Keep one more field from now on, such as "timer"; the arrays that there are stay.

    Args:
        data: worlds that were made with `keep=None`, or with names.
        name: a field that `Data` takes in `keep`.

    Raises:
        DataInUse: a call is working on the data.
    """
    keep = data._options["keep"]
    if keep is None:
        keep = sorted(data.kept | data._lazy)
    if name not in keep:
        data._options["keep"] = [*keep, name]
        alone(data.plan, f"Data.{name}", _keep_also, data)


def _keep_also(data: "StoredFields") -> None:
    """Lay data out for what they are to keep, with results as they are."""
    data.hold_lazy()
    rebuild(data)


def weak_call(data: "StoredFields", function: Callable) -> Callable[[], Any]:
    """A call of a function with data, which does not keep them alive."""
    there = ref(data)

    def call() -> Any:
        found = there()
        return None if found is None else function(found)

    return call


def rebuild(data: "StoredFields") -> None:
    """Have data follow the model as it is now.

    Raises:
        UnsupportedFeature: the model uses something that is not simulated yet.
        ValueError: the data cannot follow, because of the arguments that they were made with, or
            an id or address in the model points nowhere.
    """
    plan = data.plan
    before, slept = _written(plan), plan.sleeps
    structure = structure_of(data.model)
    large_model = plan.large_model or structure.is_large_model(
        data.model, data._options["large_model"]
    )
    plan.lay_out(data._wanted(large_model), structure)
    _follow(data, before, slept)


def follow_plan(data: "StoredFields", old: "Plan") -> None:
    """Have data follow their plan, which has taken the place of an old one."""
    _follow(data, _written(old), old.sleeps)
    data.plan.disconnect_all()


def _follow(data: "StoredFields", before: frozenset[str], slept: bool) -> None:
    """Have the fields that there are now.

    Args:
        data: worlds, whose plan was laid out.
        before: fields that were computed before that.
        slept: whether trees could sleep.
    """
    plan = data.plan
    vars(data)["width"] = plan.width
    data._choose_fields()
    _fit_arrays(data)
    for name in before - _written(plan):
        # what no stage computes any more
        _clear(data, name)
    data.__dict__.pop("_clearing", None)
    data.__dict__.pop("_awake_at_start", None)
    if plan.sleeps and not slept:
        vars(data)["sleep_at_start"] = _sleeping(data)


def _written(plan: "Plan") -> frozenset[str]:
    """Fields that forward dynamics and what follows it compute."""
    return frozenset(name for s in (*plan.forward, *plan.after) for name in s.writes.split())


def _fit_arrays(data: "StoredFields") -> None:
    """Have an array for every field that there is now: the one there was, if its shape stays."""
    old = dict(data._arrays)
    data._arrays.clear()
    data._allocate()
    for name in data.inputs_in_use:
        data._add_array(name)
    for name, array in old.items():
        new = data._arrays.get(name)
        if new is None:
            if name not in data.fresh:
                data.__dict__.pop(name, None)
        elif new.shape == array.shape and (_is_own(data, name) or np.shares_memory(new, array)):
            data._arrays[name] = array
            if name not in data._lazy:
                data.__dict__[name] = array
        elif new.ndim > 1 and _is_own(data, name):
            shared = min(new.shape[1], array.shape[1])
            new[:, :shared] = array[:, :shared]
    for name in {*data._lazy, "contact"}.difference(data.fresh):
        # to be looked at from now on
        data.__dict__.pop(name, None)
    data._find_counters()
    if "contact_dist" in data.kept:
        data.__dict__["contact"] = Contacts(data)


def _is_own(data: "StoredFields", name: str) -> bool:
    """True if an array lies elsewhere than in the scratch of a thread."""
    return not data._in_place or name in INTEGERS or name in CONSTANT_ZERO


def _clear(data: "StoredFields", name: str) -> None:
    """Fill a field with zeros, for users and for kernels."""
    if name in data._arrays:
        data._arrays[name].fill(0)
    for scratch in data.plan.scratch:
        if name in scratch.data.arrays:
            scratch.data.arrays[name].fill(0)


def _sleeping(data: "StoredFields") -> dict[str, np.ndarray]:
    """Values that trees with sleep='init' start with after a reset."""
    if not (data.model.tree_sleep_policy == SLEEP_INIT).any():
        return {}
    kind: Any = type(data)
    return kind(data.model).sleep_at_start
