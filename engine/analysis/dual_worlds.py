"""Worlds of dual numbers: a pack is one world and its derivatives along a few directions.

The kernels of the pipeline are compiled a second time, over dual numbers (dual_lowering.py), and
run by the same driver. Of the rows of a pack in users' arrays, the first is the world, the others
are derivatives.
"""

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..data.data import Data
from ..errors import UnsupportedFeature
from ..physics.collision.colliders import ALL_STAGES
from ..pipeline.integration import REPEATING
from ..pipeline.layouts import DATA_LAYOUT, MODEL_LAYOUT
from ..pipeline.stage import Stage
from ..run.lane_fields import REALS, LaneFields
from ..run.plan import Plan
from ..simd import kernel as compiling
from ..simd.elementary import atan2
from ..simd.kernel import kernel
from ..simd.lanes import select
from ..simd.meaning import global_names, is_kernel, named_globals, reached
from ..simd.record import DUAL, Record
from ..simd.spatial import PI, dot3, normalize3, quat_vel, scale3

if TYPE_CHECKING:
    from ..model.model import Model

LANES = 8
DIRECTIONS = LANES - 1  # of a pack
NEAR = 1e-2  # tangent of half an angle below which its series is exact

# kernels that go over lanes only to decide something
DECIDE_BY_LANES = ("sweep_contacts",)
# what goes over lanes to compute something
INEXACT = {
    **{name: row.inexact for name, (row, _) in ALL_STAGES.items()},
    "contact": "contact sensors",
    "rangefinder": "range finders that meet meshes or height fields",
    "camera_rays": "range finders that meet meshes or height fields",
    "advance_midpoint": "integrator='implicitfast' with bodies that turn freely",
    "broadphase": "scenes",
}


class DualFields(LaneFields):
    """Fields of a model as dual numbers: in the first lane; along no direction do they change."""

    def copy_to(self, record: Record) -> None:
        """Enter what the model holds in the first lane of a record."""
        super().copy_to(record)
        for name in REALS:
            record.arrays[name][:, 1:] = 0


class DualPlan(Plan):
    """A plan whose reals are dual numbers."""

    kind_of_lanes = DualFields

    def _enter_tables(self) -> None:
        super()._enter_tables()
        # what kernels do lane by lane concerns values
        self.model_record.set_size("width", 1)

    @property
    def records(self) -> tuple:
        """Argument types of a stage."""
        return (
            (MODEL_LAYOUT, DUAL if self.varied else 0, True),
            (DATA_LAYOUT, DUAL, False),
        )


class DualData(Data):
    """Worlds of dual numbers, LANES rows for each."""

    _plan_type = DualPlan


@kernel
def smooth_quat_vel(q):
    """As `quat_vel`, with derivatives at the identity too, where the axis has none."""
    v = (q[1], q[2], q[3])
    axis, s = normalize3(v)
    angle = 2.0 * atan2(s, q[0])
    far = scale3(axis, select(angle > PI, angle - 2.0 * PI, angle))
    # 2 atan(t) / t, with t = |v| / w
    w = select(s < NEAR, q[0], 1.0)
    z = dot3(v, v) / (w * w)
    series = 1.0 - z * (1.0 / 3.0 - z * (0.2 - z * (1.0 / 7.0 - z / 9.0)))
    close = scale3(v, 2.0 / w * series)
    return (
        select(s < NEAR, close[0], far[0]),
        select(s < NEAR, close[1], far[1]),
        select(s < NEAR, close[2], far[2]),
    )


SMOOTH = {quat_vel: smooth_quat_vel}


@cache
def smooth(function: Callable[..., Any]):
    """A kernel in which functions without derivatives somewhere are replaced by smooth ones."""
    if function in SMOOTH:
        return SMOOTH[function]
    if SMOOTH.keys().isdisjoint(reached(function)):
        return function
    names = {
        name: smooth(value) for name, value in named_globals(function).items() if is_kernel(value)
    }
    copy = compiling.variant(function, **names)
    # another process finds the original by this name
    copy.is_hook = True
    return copy


@cache
def smooth_stages(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Stages whose kernels are smooth."""
    return tuple(stage._replace(kernel=smooth(stage.function)) for stage in stages)


def refuse_inexact(where: str, stages: tuple[Stage, ...]) -> None:
    """Raise `UnsupportedFeature` for a stage that has no exact derivatives."""
    for stage in stages:
        if stage.name in DECIDE_BY_LANES:
            continue
        if stage.name == "advance_midpoint" or _goes_by_lanes(stage.function):
            what = INEXACT.get(stage.name) or stage.name
            raise UnsupportedFeature(
                f"{where}: {what}: no exact derivatives; expected a model without, or "
                f"{where.split('_')[0]}_fd"
            )


def refuse_options(where: str, model: "Model", hooks: dict) -> None:
    """Raise `UnsupportedFeature` for what has no exact derivatives whatever the stages."""
    repeating = REPEATING.get(model.opt.integrator, "")
    conditions = (
        (model.nhistory, "delays"),
        (where.startswith("transition") and repeating, f"integrator={repeating!r}"),
        (model.opt.noslip_iterations > 0 and where.startswith("transition"), "noslip"),
        (any(not getattr(f, "is_kernel", False) for f in hooks.values()), "hooks in Python"),
        (compiling.interpreted(), "interpreted kernels"),
    )
    for present, name in conditions:
        if present:
            raise UnsupportedFeature(
                f"{where}: {name}: no exact derivatives; expected a model without, or "
                f"{where.split('_')[0]}_fd"
            )


@cache
def _goes_by_lanes(kernel: FunctionType) -> bool:
    """True if a kernel, or one that it reaches, looks at lanes one by one."""
    used = {name for function in reached(kernel) for name in global_names(function.__code__)}
    return not used.isdisjoint({"get_lane", "set_lane"})
