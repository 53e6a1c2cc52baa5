"""Forward and inverse dynamics without what is known already (mj_forwardSkip, mj_inverseSkip)."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import LARGEST, whole
from ..errors import FieldError
from ..run.execution import execute
from ..run.in_use import alone
from ..run.program import given_program, inverse_program, skip_program
from ..tables.enums import STAGE_ACC, STAGE_VEL
from .step import check_data, run_program, selected

if TYPE_CHECKING:
    from ..model.model import Model
    from ..pipeline.stage import Stage
    from .data import Data

# names of stages (mjtStage), in their order
STAGES = ("none", "pos", "vel", "acc")


def forward_skip(
    model: "Model",
    data: "Data",
    skipstage: Any = 0,
    skipsensor: Any = 0,
    mask: np.ndarray | None = None,
) -> None:
    """Compute what follows from the present state and inputs, but for some stages.

    What is skipped stays as the last call on the data found it, or as it was edited since: skip
    positions where only velocities and inputs have changed, velocities where only inputs have.
    Results that data show in another form (qM, actuator_moment, contact, efc_* and the like) are
    copies, whose edits have no effect.

    Args:
        model: the model that the data were made for.
        data: worlds; several of them with `keep=None` or `keep=["stages", ...]`.
        skipstage: the last stage to skip, mjtStage or its name: "none" (0), "pos" (1), "vel" (2).
        skipsensor: whether sensors keep their readings.
        mask: bool (nworld,); worlds to compute. None means all.

    Raises:
        ValueError: data of another model, no such stage, or nothing to skip in worlds that were
            just made or reset.
        FieldError: several worlds whose data do not remember what results belong to.
    """
    skipped = _stage(skipstage, "forward_skip")
    _run_part(
        model,
        data,
        "forward_skip",
        (skip_program, skipped, not skipsensor),
        skipped,
        mask,
    )


def inverse_skip(
    model: "Model",
    data: "Data",
    skipstage: Any = 0,
    skipsensor: Any = 0,
    mask: np.ndarray | None = None,
) -> None:
    """Compute the forces that the present acceleration takes, but for some stages.

    As `inverse`, with what `forward_skip` says about skipping.

    Args:
        model: the model that the data were made for.
        data: worlds, which keep qacc and qfrc_inverse; data.qacc is the acceleration.
        skipstage: the last stage to skip, mjtStage or its name: "none" (0), "pos" (1), "vel" (2).
        skipsensor: whether sensors keep their readings.
        mask: bool (nworld,); worlds to compute. None means all.

    Raises:
        ValueError: as for `inverse` and `forward_skip`.
        FieldError: the data do not keep qacc or qfrc_inverse, or, several worlds, what results
            belong to.
    """
    skipped = _stage(skipstage, "inverse_skip")
    check_data(model, data, "inverse_skip")
    _ = data.qacc, data.qfrc_inverse
    _run_part(
        model,
        data,
        "inverse_skip",
        (inverse_program, False, skipped, not skipsensor),
        skipped,
        mask,
    )
    if not skipped:
        data.leave_no_islands(mask)


def _stage(stage: "Stage", where: str) -> int:
    """The number of a stage up to which results are known: accelerations are never skipped."""
    if isinstance(stage, str):
        name = stage.lower().removeprefix("mjstage_")
        number = STAGES.index(name) if name in STAGES else -1
    else:
        number = whole(stage, where, "skipstage", -LARGEST)
    if not 0 <= number <= STAGE_ACC:
        names = ", ".join(f"{name!r} ({k})" for k, name in enumerate(STAGES))
        raise ValueError(f"{where}: skipstage={stage!r}: expected {names}")
    return min(number, STAGE_VEL)


def _run_part(
    model: "Model",
    data: "Data",
    where: str,
    kind: tuple,
    skipped: int,
    mask: np.ndarray | None,
) -> None:
    """Run a program that needs what others have computed up to a stage."""
    check_data(model, data, where)
    if not skipped:
        run_program(model, data, kind, 0, mask, where)
        return
    _refuse_unknown(data, where, mask)
    run_known(model, data, kind, 0, mask, where, skipped)


def run_known(
    model: "Model",
    data: "Data",
    kind: tuple,
    nstep: int,
    mask: np.ndarray | None,
    where: str,
    skipped: int = STAGE_VEL,
) -> None:
    """As `run_program`, on what other calls have computed up to a stage, `skipped`."""
    if data._in_place:
        alone(data.plan, where, data.take_edits, where)
        run_program(model, data, kind, nstep, mask, where)
        return
    worlds = np.arange(data.nworld) if mask is None else selected(data, mask, where)
    alone(data.plan, where, _run_pack_by_pack, data, kind, nstep, skipped, worlds)


def _run_pack_by_pack(
    data: "Data",
    kind: tuple,
    nstep: int,
    skipped: int,
    worlds: np.ndarray,
) -> None:
    """Run a program after the stages that it leaves out, whose results scratch has to hold."""
    plan = data.plan
    plan.refresh()
    given = plan.program(given_program, skipped)
    program = plan.program(kind[0], data.kept, *kind[1:])
    data.forget_lazy()
    for start in range(0, len(worlds), plan.width):
        # the results of a pack lie in the scratch of one thread until the next pack
        some = worlds[start : start + plan.width]
        execute(data, given, 0, some)
        execute(data, program, nstep, some)


def known_world(data: "Data") -> bool:
    """True if the results of a world that lives in the scratch could be used again."""
    return data.plan.scratch[0].data.arrays["snapshot_on"][0] != 0


def known_worlds(data: "Data") -> np.ndarray:
    """Worlds whose results could be used again, bool (nworld,); none where that is not kept."""
    if data._in_place:
        return np.array([known_world(data)])
    if "snapshot_on" not in data._arrays:
        return np.zeros(data.nworld, bool)
    return data._arrays["snapshot_on"].reshape(-1) != 0


def _refuse_unknown(data: "Data", where: str, mask: np.ndarray | None) -> None:
    """Raise an error if some worlds have no results that could be used again."""
    if not data._in_place and "snapshot_on" not in data._arrays:
        raise FieldError(
            f"{where}: skipstage: data of {data.nworld} worlds do not remember what their results "
            "belong to; make the data with keep=None or keep=[..., 'stages']"
        )
    known = known_worlds(data)
    if not np.all(known if mask is None else known[selected(data, mask, where)]):
        raise ValueError(
            f"{where}: skipstage: nothing is known since a world was made or reset; expected "
            "forward, or skipstage='none', before"
        )
