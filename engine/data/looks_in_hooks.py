"""Late outputs that hooks look at, in the middle of a step: of what its stages have left so far."""

from threading import get_ident
from typing import TYPE_CHECKING

from ..simd.kernel import call_of
from .on_demand import KNOWN, LazyFields
from .requested_fields import INTEGERS

if TYPE_CHECKING:
    from ..pipeline.stage import Stage


# stages of late outputs whose sources are complete when hooks run; islands are found later
READY = frozenset((
    "export_awake", "camlight", "scatter_qm", "export_moment", "export_path", "export_contact",
    "export_flex_contact", "export_constraint", "export_sparsity", "export_tendon_rows",
))  # fmt: skip


def look_in_hook(data: LazyFields, stage: "Stage") -> bool:
    """Compute late outputs in a hook of the data.

    Args:
        data: one world that lives in the scratch.
        stage: what computes them.

    Returns:
        False if nothing was done: there is no hook under way, or these are not known yet.
    """
    plan, own = data.plan, vars(data)
    if plan.hooks.thread != get_ident() or stage.name not in READY:
        return False
    if not data._in_place or plan.large_model or not own.keys().isdisjoint(KNOWN):
        return False
    first = plan.threads(1)[0]
    call_of(stage.function, plan.records, (first.model, first.data))()
    fields = data._lazy.intersection(stage.writes.split())
    # others lie in the scratch itself
    for name in INTEGERS.intersection(fields):
        array = data._arrays[name]
        array.flat[:] = first.data.arrays[name].flat[: array.size]
    own.update((name, data._arrays[name]) for name in fields if name not in own)
    data.fresh.extend(fields)
    return True
