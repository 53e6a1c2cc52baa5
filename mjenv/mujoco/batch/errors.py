"""Errors of simulations, and of names of fields."""

import difflib
from collections.abc import Iterable

import numpy as np

from mjenv.mujoco.batch.fields import ASSETS, COUNTS, DATA_FIELDS, MODEL_FIELDS, ROWS

SHOWN = 5  # simulations that a message names


class SimulationError(RuntimeError):
    """Some simulations of a call could not run; they keep their state, and the others ran.

    Attributes:
        ids: numbers of those that failed.
    """

    def __init__(self, ids: np.ndarray, message: str, ncall: int | None = None):
        self.ids = ids
        named = ", ".join(map(str, ids[:SHOWN])) + ", ..." * (len(ids) > SHOWN)
        total = "" if ncall is None else f" of {ncall}"
        super().__init__(f"{len(ids)}{total} simulations ({named}); simulation {ids[0]}: {message}")


def nearest(name: str, names: Iterable[str]) -> str:
    """A question with the names that are close to one, to append to a message; "" for none."""
    close = difflib.get_close_matches(name, list(names), 3)
    return f" (did you mean {', '.join(map(repr, close))}?)" if close else ""


def _elsewhere(name: str) -> str:
    """Hint for a name that is a field of models or of options."""
    if name in MODEL_FIELDS:
        return f"{name} is a field of MjModel: use expand({name!r})"
    if f"opt.{name}" in MODEL_FIELDS:
        return f"{name} is a field of MjOption: use expand('opt.{name}')"
    return ""


def unbindable(name: str) -> str:
    """Why a name cannot be bound."""
    row = ROWS.get(name)
    if _elsewhere(name):
        return _elsewhere(name)
    if row is not None and not row.shape:
        return f"{name} is none of the scalars bind() accepts: {', '.join(sorted(COUNTS))}"
    if row is not None:
        return f"{name} is in the arena: its size differs between simulations and steps"
    return f"{name} is no array of MjData{nearest(name, DATA_FIELDS)}"


def unexpandable(name: str) -> str:
    """Why a name cannot be expanded."""
    if name in DATA_FIELDS:
        return f"{name} is a field of MjData: use bind({name!r})"
    if name in ASSETS:
        return f"{name} is asset data, which all simulations share"
    return _elsewhere(name) or f"{name} is no field of MjModel{nearest(name, MODEL_FIELDS)}"


def unwritable(name: str) -> ValueError:
    """The error of writing what calls compute."""
    return ValueError(
        f"{name} is computed by every call; write state (qpos, ctrl, ...), or expand "
        "fields of the model"
    )
