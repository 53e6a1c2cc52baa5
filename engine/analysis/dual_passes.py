"""Passes of stages over dual numbers: along which directions, and what comes out."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from ..data.data import Data
from ..data.request import call_stages
from ..data.step import forward
from ..tables.enums import JNT_BALL, JNT_FREE, JNT_HINGE, JNT_SLIDE
from .dual_worlds import DIRECTIONS, LANES, DualData, smooth_stages
from .state import State, get_state, set_state
from .vectors import cross, mul_quat

if TYPE_CHECKING:
    from ..model.model import Model
    from ..pipeline.stage import Stage

MOST_PACKS = 512  # packs that directions take at a time
GIVEN = ("time", "qpos", "qvel", "act", "ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos",
         "mocap_quat", "eq_active")  # fmt: skip
# coordinates of a joint that are no quaternion
PLAIN = {JNT_FREE: 3, JNT_BALL: 0, JNT_SLIDE: 1, JNT_HINGE: 1}
SMALL = 1e-4  # angle (rad) below which series are exact

_known: WeakKeyDictionary = WeakKeyDictionary()  # data: worlds to work on by kind and number


class Passes:
    """Runs stages on the states of data and along directions.

    Attributes:
        where: name of the public function, for messages.
    """

    def __init__(self, model: "Model", data: Data, where: str):
        self.model, self.data, self.where = model, data, where

    def parts(self, ndirection: int):
        """Yield indices of some worlds at a time."""
        npack = -(-ndirection // DIRECTIONS)
        size = min(self.data.nworld, max(1, MOST_PACKS // npack))
        self.nrow = size * npack * LANES
        for start in range(0, self.data.nworld, size):
            yield np.arange(start, min(start + size, self.data.nworld))

    def given(self, worlds: np.ndarray) -> dict[str, np.ndarray]:
        """State and inputs of some worlds: (n, size) each."""
        arrays = self.data._arrays
        present = {name: arrays[name] for name in GIVEN if name in arrays and arrays[name].size}
        return {name: a[worlds].reshape(len(worlds), -1) for name, a in present.items()}

    def accelerations(self, worlds: np.ndarray) -> np.ndarray:
        """Accelerations of some worlds, as the solver finds them: (n, nv)."""
        model, data = self.model, self.data
        options = data._options | {"keep": ["qacc"], "nconmax": None, "njmax": None}
        plain = self._kept((len(worlds), "plain"), lambda: Data(model, len(worlds), **options))
        for name, values in data.varied.items():
            plain.varied[name][:] = values[worlds]
        state = State.INTEGRATION
        set_state(model, plain, get_state(model, data, state, worlds), state)
        forward(model, plain)
        return plain.qacc.copy()

    def run(
        self, stages: "Iterable[Stage]", worlds: np.ndarray, given: dict, moves: dict, sizes: dict
    ):
        """Run stages.

        Args:
            stages: what to run.
            worlds: indices of the n worlds.
            given: field to values, (n, size).
            moves: field to derivatives along each direction, (n, ndirection, size).
            sizes: field to size of what to return.

        Returns:
            Derivatives, (n, ndirection, size), and values, (n, size), by field.
        """
        # a lane holds the values, the others of a pack their slopes along one direction each
        n, ndirection = next(iter(moves.values())).shape[:2]
        npack = -(-ndirection // DIRECTIONS)
        work, used = self._dual(), n * npack * LANES

        def view(rows: np.ndarray) -> np.ndarray:
            return rows[:used].reshape(n, npack, LANES, *rows.shape[1:])

        inputs = {name: np.zeros((self.nrow, v.shape[1])) for name, v in given.items()}
        for name, values in given.items():
            view(inputs[name])[:, :, 0] = values[:, None]
            if name in moves:
                padded = np.zeros((n, npack * DIRECTIONS, values.shape[1]))
                padded[:, :ndirection] = moves[name]
                view(inputs[name])[:, :, 1:] = padded.reshape(n, npack, DIRECTIONS, -1)
        # fields of the model that differ between worlds do not move
        for name in self.data.plan.varied:
            work.varied[name][:] = 0
            view(work.varied[name])[:, :, 0] = self.data.varied[name][worlds, None]
        results = {name: np.zeros((self.nrow, size)) for name, size in sizes.items()}
        mask = None if used == self.nrow else np.arange(self.nrow) < used
        call_stages(
            self.model, work, self.where, smooth_stages(stages), given=inputs, mask=mask,
            results={name: rows for name, rows in results.items() if rows.size},
        )  # fmt: skip
        # slopes back by world and direction, without those that fill up the last pack
        slopes = {}
        for name, rows in results.items():
            both = view(rows)[:, :, 1:].reshape(n, npack * DIRECTIONS, rows.shape[1])
            slopes[name] = both[:, :ndirection]
        return slopes, {name: view(rows)[:, 0, 0] for name, rows in results.items()}

    def _dual(self) -> DualData:
        """The worlds of dual numbers."""
        varied, data = self.data.plan.varied, self.data
        options = {"keep": [], "width": LANES, "nthread": data.nthread, "large_model": False}
        work = self._kept(
            self.nrow, lambda: DualData(self.model, self.nrow, vary=varied, **options)
        )
        if data.wrench_in_use:
            _ = work.xfrc_applied
        return work

    def _kept(self, key: Any, make: Callable[..., Any]):
        """Data made once; its hooks are those of the user's data."""
        known, functions = _known.setdefault(self.data, {}), self.data.plan.hooks.functions
        if key not in known:
            known[key] = make()
        if known[key].plan.hooks.functions != functions:
            known[key].change_hooks(functions)
        return known[key]


def directions(
    model: "Model", data: Data, worlds: np.ndarray, fields: Any
) -> dict[str, np.ndarray]:
    """Unit directions in the space of positions, then in those of other fields.

    Args:
        model: the model.
        data: worlds.
        worlds: indices of the n worlds.
        fields: names of fields and their sizes: (name, size), in order.

    Returns:
        Field to its changes along all directions: (n, ndirection, size).
    """
    n, nv = len(worlds), model.nv
    total = nv + sum(size for _, size in fields)
    moves = {"qpos": np.zeros((n, total, model.nq))}
    for joint in range(model.njnt):
        adr, dof = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
        plain = PLAIN[model.jnt_type[joint]]
        moves["qpos"][:, dof : dof + plain, adr : adr + plain] = np.eye(plain)
        if plain in (0, 3):
            turn, quat = slice(dof + plain, dof + plain + 3), slice(adr + plain, adr + plain + 4)
            half = np.zeros((3, 4))
            half[:, 1:] = 0.5 * np.eye(3)
            # quaternions as kinematics takes them, of unit length
            unit = (
                data.qpos[worlds, quat] / np.linalg.norm(data.qpos[worlds, quat], axis=-1)[:, None]
            )
            moves["qpos"][:, turn, quat] = mul_quat(unit[:, None], half[None])
    start = nv
    for name, size in fields:
        moves[name] = np.zeros((n, total, size))
        moves[name][:, start : start + size] = np.eye(size)
        start += size
    return moves


def integrated(model: "Model", moves: dict, slopes: np.ndarray, qvel: np.ndarray) -> np.ndarray:
    """Derivative of the position after a step, in the space of velocities.

    Args:
        model: the model.
        moves: directions of the step.
        slopes: (n, ndirection, nv), changes of the velocity after the step.
        qvel: (n, nv), that velocity.

    Returns:
        (n, ndirection, nv).
    """
    h = model.opt.timestep
    pos = h * slopes
    ndirection = slopes.shape[1]
    # the direction of dof i is number i
    pos[:, : model.nv] += np.eye(min(model.nv, ndirection))
    for joint in np.flatnonzero(np.isin(model.jnt_type, (JNT_FREE, JNT_BALL))):
        dof = model.jnt_dofadr[joint] + PLAIN[model.jnt_type[joint]]
        turn = slice(dof, dof + 3)
        angle = h * qvel[:, None, turn]
        before = np.zeros((1, ndirection, 3))
        before[0, turn] = np.eye(3)
        pos[:, :, turn] = turned_back(before, angle) + h * end_rate(slopes[:, :, turn], angle)
    return pos


def turned_back(v: Any, angle: Any) -> np.ndarray:
    """Vectors in the frame that a rotation vector (rad) leads to."""
    return v - cross(angle, end_rate(v, angle))


def end_rate(v: Any, angle: Any) -> np.ndarray:
    """Change of a rotation, in its own frame, by that of its rotation vector (rad).

    The right Jacobian of the rotation group: 1 - (1 - cos x)/x^2 [x] + (x - sin x)/x^3 [x]^2.
    """
    square = (angle * angle).sum(axis=-1, keepdims=True)
    small = square < SMALL * SMALL
    x = np.sqrt(np.where(small, 1.0, square))
    first = np.where(small, 0.5 - square / 24, 2 * np.sin(0.5 * x) ** 2 / (x * x))
    second = np.where(small, 1 / 6 - square / 120, (x - np.sin(x)) / (x * x * x))
    once = cross(angle, v)
    return v - first * once + second * cross(angle, once)
