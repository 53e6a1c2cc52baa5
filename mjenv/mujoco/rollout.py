"""Open-loop trajectories: the interface of `mujoco.rollout`.

Trajectories run as worlds of the engine, eight to a register and in its threads, rather than one
after the other in data of the caller's: these only say how many threads there may be, and stay as
they are. Models that differ in real numbers run together.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mjenv.engine.analysis.rollout import rollout as roll
from mjenv.engine.analysis.state import State, get_state, state_size
from mjenv.mujoco.batch.callbacks import refuse_callbacks
from mjenv.mujoco.batch.groups import together
from mjenv.mujoco.enumerations import mjtSolver
from mjenv.mujoco.errors import FatalError
from mjenv.mujoco.functions.wrapping import raise_fatal
from mjenv.mujoco.structs import MjModel

FULL = int(State.FULLPHYSICS)
CONTROL = int(State.CTRL)


class Rollout:
    """Computes trajectories, until it is closed.

    Attributes:
        nthread: threads, 0 for that of the caller alone.
    """

    def __init__(self, *, nthread: int | None = None):
        self.nthread = nthread or 0
        self._open = True

    def __enter__(self) -> "Rollout":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Refuse further calls."""
        self._open = False

    def rollout(
        self,
        model: MjModel | Sequence[MjModel],
        data: Any,
        initial_state: Any,
        control: Any = None,
        *,
        control_spec: int = CONTROL,
        skip_checks: bool = False,
        nstep: int | None = None,
        initial_warmstart: Any = None,
        state: np.ndarray | None = None,
        sensordata: np.ndarray | None = None,
        chunk_size: int | None = None,
    ) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Trajectories from initial states; arguments of length 1 count for all.

        Args:
            model: a model, or one for each trajectory, of equal sizes.
            data: data, or as many as there are threads; they stay as they are.
            initial_state: (nbatch, nstate), of the components mjSTATE_FULLPHYSICS.
            control: (nbatch, nstep, ncontrol), set before each step; None: as they are in the
                (first) data.
            control_spec: components of the state that the controls are, of mjSTATE_USER.
            skip_checks: arguments have these very shapes; only what is given is written.
            nstep: number of steps; None takes that of the arrays.
            initial_warmstart: (nbatch, nv), acceleration that the solver starts from.
            state: (nbatch, nstep, nstate), written if given.
            sensordata: (nbatch, nstep, nsensordata), likewise.
            chunk_size: has no effect here.

        Returns:
            The state after each step, and the sensors of each step.

        Raises:
            RuntimeError: it is closed.
            ValueError: an argument has the wrong shape.
            FatalError: a model cannot be simulated.
        """
        if not self._open:
            raise RuntimeError("rollout requested after thread pool shutdown")
        refuse_callbacks("rollout")
        arrays = {
            "initial_state": initial_state,
            "initial_warmstart": initial_warmstart,
            "control": control,
            "state": state,
            "sensordata": sensordata,
        }
        # without checks arrays are taken to be complete, and to have their final shapes
        if skip_checks:
            n = len(initial_state)
            models = [model] * n if isinstance(model, MjModel) else list(model)[:n]
        else:
            _check_numbers(control_spec, nstep, chunk_size)
            arrays = {name: _array(name, value) for name, value in arrays.items()}
            models = [model] if isinstance(model, MjModel) else list(model)
            models, nstep = _settle(models, nstep, arrays, control_spec)
        self._check_data(data)
        if arrays["control"] is None:
            arrays["control"] = _present(data, control_spec)
        _run(models, nstep or 0, arrays, int(control_spec), self.nthread or 1)
        return arrays["state"], arrays["sensordata"]

    def _check_data(self, data: Any) -> None:
        """Refuse another number of data than of threads."""
        n = len(data) if isinstance(data, list) else 1
        if n == 0:
            raise ValueError("The list of data instances is empty")
        if self.nthread == 0 and n > 1:
            raise ValueError(
                "More than one data instance passed but rollout is configured to run on main thread"
            )
        if self.nthread and n != self.nthread:
            raise ValueError(f"Length of data: {n} not equal to nthread: {self.nthread}")


def _check_numbers(control_spec: int, nstep: Any, chunk_size: Any) -> None:
    if control_spec & ~int(State.USER):
        raise ValueError("control_spec can only contain bits in mjSTATE_USER")
    for name, value in (("nstep", nstep), ("chunk_size", chunk_size)):
        if value and not isinstance(value, int):
            raise ValueError(f"{name} must be an integer")


def _array(name: str, value: Any) -> np.ndarray | None:
    """An argument with axes in front, of length 1, up to its own number of axes."""
    if value is None:
        return None
    if not isinstance(value, np.ndarray | float):
        raise ValueError(f"{name} must be a numpy array or float")
    most = 2 if name.startswith("initial") else 3
    array = np.asarray(value)
    if array.ndim > most:
        raise ValueError(f"{name} can have at most {most} dimensions")
    missing = most - array.ndim
    return np.ascontiguousarray(array[(None,) * missing] if missing else array, np.float64)


def _present(data: Any, control_spec: int) -> np.ndarray:
    """The controls that data have, for all steps of all trajectories."""
    first = (data[0] if isinstance(data, list) else data).batch
    return get_state(first.model, first, control_spec)[None]


def _length(axis: int, known: int, arrays: dict[str, np.ndarray | None]) -> int:
    """The length of an axis, which is 1 or the same in all arrays; known: 1 where it is not."""
    for name, array in arrays.items():
        if array is not None and array.ndim > axis and array.shape[axis] not in (1, known):
            if known != 1:
                raise ValueError(
                    f"dimension {axis} inferred as {known} but {name} has {array.shape[axis]}"
                )
            known = array.shape[axis]
    return known


def _settle(
    models: list[MjModel], nstep: int | None, arrays: dict[str, Any], control_spec: int
) -> tuple[list[MjModel], int]:
    """The model of each trajectory and the number of steps; makes the arrays that are missing."""
    nbatch = _length(0, 1, arrays)
    if len(models) > 1 and nbatch == 1:
        nbatch = len(models)
    if len(models) > 1 and len(models) != nbatch:
        raise ValueError(f"nbatch inferred as {nbatch} but model is length {len(models)}")
    stepped = {n: a for n, a in arrays.items() if not n.startswith("initial")}
    nstep = _length(1, nstep or 1, stepped)
    sizes = _sizes(models[0], control_spec)
    if any(_sizes(model, control_spec) != sizes for model in models[1:]):
        raise ValueError("models are not compatible")
    for name, array in arrays.items():
        if array is not None and array.shape[-1] != sizes[name]:
            raise ValueError(
                f"trailing dimension of {name} must be {sizes[name]}, got {array.shape[-1]}"
            )
    for name in ("state", "sensordata"):
        shape = (nbatch, nstep, sizes[name])
        if arrays[name] is None or arrays[name].shape != shape:
            arrays[name] = np.empty(shape)
    return models * nbatch if len(models) == 1 else models, nstep


def _sizes(model: MjModel, control_spec: int) -> dict[str, int]:
    """Length of the last axis of each array."""
    nstate = state_size(model, FULL)
    return {
        "initial_state": nstate,
        "initial_warmstart": model.nv,
        "control": state_size(model, control_spec),
        "state": nstate,
        "sensordata": model.nsensordata,
    }


def _run(
    models: list[MjModel], nstep: int, arrays: dict[str, Any], control_spec: int, nthread: int
) -> None:
    """Compute all trajectories, those whose models may run together at once."""
    for group, values in together(models):
        sims, own = group.sims, {}
        for name in ("initial_state", "initial_warmstart", "control"):
            array = arrays[name]
            own[name] = array if array is None or len(array) == 1 else array[sims]
        solver = int(group.model.opt.solver)
        if solver not in set(map(int, mjtSolver)):
            raise FatalError(f"mj_fwdConstraint: unknown solver type {solver}")
        try:
            worlds = group.make((), values, nthread)
            group.enter(values)
            found = roll(
                group.model, worlds, own["control"], nstep, control_spec=control_spec,
                initial_state=own["initial_state"], initial_warmstart=own["initial_warmstart"],
            )  # fmt: skip
        except ValueError as error:
            raise_fatal(error)
        for name, records in zip(("state", "sensordata"), found, strict=True):
            if arrays[name] is not None:
                arrays[name][sims] = records


class _Persistent:
    """The object that calls share which ask for it."""

    shared: Rollout | None = None


def shutdown_persistent_pool() -> None:
    """Close what calls with `persistent_pool` share."""
    if _Persistent.shared is not None:
        _Persistent.shared.close()
    _Persistent.shared = None


def rollout(
    model: MjModel | Sequence[MjModel],
    data: Any,
    initial_state: Any,
    control: Any = None,
    *,
    control_spec: int = CONTROL,
    skip_checks: bool = False,
    nstep: int | None = None,
    initial_warmstart: Any = None,
    state: np.ndarray | None = None,
    sensordata: np.ndarray | None = None,
    chunk_size: int | None = None,
    persistent_pool: bool = False,
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Trajectories from initial states, see `Rollout.rollout`.

    Args:
        model, data, initial_state, control, control_spec, skip_checks, nstep: as there.
        initial_warmstart, state, sensordata, chunk_size: as there.
        persistent_pool: keep what computes them for the next call.
    """
    n = len(data) if isinstance(data, list) else 1
    nthread = n if n > 1 else 0
    computing = Rollout(nthread=nthread)
    if persistent_pool:
        if _Persistent.shared is None or _Persistent.shared.nthread != nthread:
            shutdown_persistent_pool()
            _Persistent.shared = computing
        computing = _Persistent.shared
    return computing.rollout(
        model, data, initial_state, control, control_spec=control_spec, skip_checks=skip_checks,
        nstep=nstep, initial_warmstart=initial_warmstart, state=state, sensordata=sensordata,
        chunk_size=chunk_size,
    )  # fmt: skip
