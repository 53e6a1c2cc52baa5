"""A question that was put to MuJoCo, and what it answers where the question is moved a little."""

import copy
from collections.abc import Callable
from typing import NamedTuple

import mujoco
import numpy as np

import mjenv
from tests.fuzzing import fields
from tests.fuzzing.states import SPEC, place_of, put

AMPLIFIED = 30.0  # how much larger than MuJoCo's own motion a difference may be
# geometry whose last bits decide where faces and edges are parallel
GEOMETRY = (
    "body_pos", "body_quat", "body_ipos", "geom_pos", "geom_quat", "geom_size", "jnt_axis",
    "jnt_pos", "site_pos", "body_mass", "body_inertia", "mesh_vert", "hfield_data",
)  # fmt: skip


class Question(NamedTuple):
    """One answer of MuJoCo, and how to ask for it again.

    Attributes:
        mj: the model.
        row: the state.
        call: computes with data that are in the state.
        names: the compared fields.
        theirs: MuJoCo's answer.
        ours: our answer.
        data, world: our data.
        seed: of the perturbations.
        maker: model that data are made of; None: the one that is asked.
    """

    mj: mujoco.MjModel
    row: np.ndarray
    call: Callable
    names: list[str]
    theirs: dict[str, np.ndarray]
    ours: dict[str, np.ndarray]
    data: object
    world: int
    seed: int
    maker: mujoco.MjModel | None = None

    def answer(self, mj, row) -> dict[str, np.ndarray]:
        """MuJoCo's answer for another model and state."""
        data = mujoco.MjData(self.maker or mj)
        put(mj, data, row)
        return self.call(mj, data, self.names)


def one_world(question: Question):
    """Data of one world in the state of a question, its varied fields included."""
    varied = question.data.varied
    data = mjenv.Data(question.data.model, 1, vary=[*varied])
    for name, values in varied.items():
        data.varied[name][0] = values[question.world]
    mjenv.set_state(data.model, data, question.row[None], SPEC)
    return data


def shaken(question: Question, k: int) -> dict[str, np.ndarray]:
    """MuJoCo's answer to an input that differs by rounding."""
    rng = np.random.default_rng((question.seed, k))
    size = (1e-13, 1e-12, 1e-11, 1e-10)[k % 4]
    mj, row = copy.copy(question.mj), question.row.copy()
    for name in GEOMETRY:
        array = getattr(mj, name)
        array[...] = array * (1 + size * rng.uniform(-1, 1, array.shape))
    noise = rng.uniform(-1, 1, row.shape)
    moved = row * (1 + size * noise) + size * rng.uniform(-1, 1, row.shape)
    # zeros and flags stay what they are
    row[:] = np.where(row == np.round(row), row * (1 + size * noise), moved)
    whole = integer_part(mj)
    row[whole] = question.row[whole]
    return question.answer(mj, row)


def integer_part(mj) -> np.ndarray:
    """Elements of a state that are no reals: what is active, and the cursors of histories."""
    from mujoco import mjtState as State

    chosen = [State.mjSTATE_EQ_ACTIVE, State.mjSTATE_HISTORY, State.mjSTATE_TIME]
    return np.concatenate([np.r_[place_of(mj, component)] for component in chosen]).astype(int)


def moving(question: Question, wrong: dict[str, float], answers) -> set[str]:
    """Fields that differ from MuJoCo's answer by as much in one of its other answers."""
    left = dict(wrong)
    for other in answers:
        for name, size in list(left.items()):
            moved = np.inf
            if name in other:
                moved = fields.error(other[name], question.theirs[name])
            if moved * AMPLIFIED >= size or np.isinf(moved):
                del left[name]
        if not left:
            break
    return set(wrong) - set(left)
