"""The data and the engine, as an environment's methods use them."""

import ast
from typing import Any

import numpy as np

from mjenv.mujoco.structs import MjData, MjModel
from mjenv.task.task import CONTROLS, INITIAL_FIELDS
from mjenv.writing.host import Host
from mjenv.writing.program import AFTER, BEFORE, RESET
from mjenv.writing.values import (
    NotWritten,
    Rows,
    Static,
    Value,
    attribute,
    called,
    code_of,
    is_static,
    name,
    plain,
)

_KINDS = {
    "body": "", "geom": "geom_", "site": "site_", "camera": "cam_", "cam": "cam_", "joint": "",
    "jnt": "", "sensor": "", "actuator": "", "tendon": "ten_", "light": "light_",
}  # fmt: skip
# what follows from the state by itself when a task reads it
_COMPUTED = ("mj_rnePostConstraint", "mj_forward", "mj_kinematics", "mj_fwdPosition")
_STATIC = ("mj_name2id", "mj_id2name")
MODEL = "model."


class Physics:
    """Fields of the data, and calls of the engine.

    Attributes:
        fields: what has been written, by the name of the field; those of the model begin with
            `MODEL`.
        nstep: physics steps of a step.
        kept: fields that are read.
        of_model: fields of the model that are read.
    """

    def __init__(self, translation: Host, data: MjData):
        self.t, self.data = translation, data
        self.model: MjModel = data.model
        self.fields: dict[str, Value] = {}
        self.of_model: set[str] = set()
        self.nstep = 0
        self._read_since = False

    def saved(self) -> dict[str, Value]:
        """What has been written so far."""
        return dict(self.fields)

    def put_back(self, fields: dict[str, Value]) -> None:
        """Have it as it was."""
        self.fields = dict(fields)

    def word_of(self, value: Any) -> ast.expr:
        """How a task calls its data and model."""
        return name("data") if isinstance(value, MjData) else attribute(name("self"), "model")

    def attribute(self, of: Static, word: str) -> Value | None:
        """An attribute of the data, or of a named part of it; None for other objects."""
        if of.value is self.data:
            return self._field(word)
        if isinstance(of.value, MjModel):
            if MODEL + word in self.fields:
                return self.fields[MODEL + word]
            self.of_model.add(word)
            return Static(getattr(of.value, word), attribute(self.word_of(of.value), word))
        if isinstance(of, _Named):
            value = getattr(of.value, word)
            if isinstance(value, str) or word == "id":
                return Static(value)
            self._read_since = True
            assert of.code is not None
            code = attribute(of.code, word)
            return Rows(np.array(value)[()], code, code)
        return None

    def _field(self, word: str) -> Value:
        if word in self.fields and self.t.phase != AFTER:
            return self.fields[word]
        value = getattr(self.data, word)
        code = attribute(name("data"), word)
        if callable(value):
            return Static(value, code)
        if self.t.phase == RESET and word in ("qpos", "qvel"):
            own = attribute(name("self"), f"init_{word}")
            return Static(np.array(self.model.qpos0) if word == "qpos" else np.zeros(len(value)),
                          own)  # fmt: skip
        if not isinstance(value, np.ndarray | int | float | np.generic) or word == "ncon":
            raise NotWritten(f"found data.{word}, expected arrays of numbers")
        self._read_since = True
        view = code if isinstance(value, np.ndarray) else None
        return Rows(np.array(value)[()], code, view)

    def put_whole(self, of: Value, word: str, value: Value) -> bool:
        """Assign to a field; False for it is none of the data's."""
        if not isinstance(of, Static) or of.value is not self.data:
            return False
        self.write(word, [(..., ast.Constant(...))], value)
        return True

    def write(self, word: str, indices: list[tuple[Any, ast.expr]], value: Value) -> None:
        """Assign to elements of a field."""
        now = np.asarray(getattr(self.data, word))
        if not now.size:
            return
        # a reset gives initial values
        if self.t.phase == RESET:
            if word not in INITIAL_FIELDS:
                raise NotWritten(
                    f"found a reset that writes data.{word}, expected one of {INITIAL_FIELDS}"
                )
            self._put(word, indices, value, now)
            return
        # a step makes inputs of the action, before its physics
        self.t.effect()
        if word not in CONTROLS:
            raise NotWritten(
                f"found a step that writes data.{word}, expected one of {', '.join(CONTROLS)}"
            )
        if self.t.phase != BEFORE:
            raise NotWritten(
                f"found a step that writes data.{word} after the physics, expected inputs that are "
                "made before all of it"
            )
        self._put(word, indices, value, now)

    def put_part(
        self, of: Static, word: str, indices: list[tuple[Any, ast.expr]], value: Value
    ) -> None:
        """Assign to elements of a field of the data, or of the model: each episode has its own."""
        if isinstance(of.value, MjData):
            self.write(word, indices, value)
            return
        if self.t.phase != RESET:
            raise NotWritten(f"found a step that changes model.{word}, expected a reset")
        before = self.attribute(of, word)
        assert before is not None
        self.fields[MODEL + word] = self.t.with_part(before, indices, value, word)

    def _put(
        self, word: str, indices: list[tuple[Any, ast.expr]], value: Value, now: np.ndarray
    ) -> None:
        """Have a field be a value, or a part of it."""
        before = self.fields.get(word)
        whole = len(indices) == 1 and indices[0][0] in (slice(None), ...)
        if not whole or np.ndim(plain(value)) < now.ndim:
            before = self._field(word) if before is None else before
            initial = isinstance(before, Rows) and isinstance(before.code, ast.Attribute)
            if self.t.phase == RESET and initial:
                before = Static(np.array(now))
            value = self.t.with_part(before, indices, value, word)
        self.fields[word] = value

    @property
    def is_plain(self) -> bool:
        """True if a step gives the action to the actuators as it is, and nothing else."""
        if [*self.fields] != ["ctrl"]:
            return False
        value = self.fields["ctrl"]
        return isinstance(value, Rows) and ast.unparse(value.code) == "action"

    def call(self, function: Static, args: list[Value], options: dict[str, Value]) -> Value | None:
        """A call of the engine, of a random generator, or of the data; None for others."""
        value = function.value
        owner = getattr(value, "__self__", None)
        word = getattr(value, "__name__", "")
        if owner is self.data or isinstance(owner, MjModel):
            word = function.code.attr if isinstance(function.code, ast.Attribute) else word
            if owner is self.data and word not in _KINDS:
                raise NotWritten(f"found data.{word}(...), expected data.body('name') and its like")
            if not all(is_static(one) for one in args):
                raise NotWritten(f"found .{word}(...) of a value that worlds have their own of")
            found = value(*(plain(one) for one in args))
            assert function.code is not None
            code = called(function.code, *(code_of(one) for one in args))
            return _Named(found, code, word) if owner is self.data else Static(found, code)
        if isinstance(owner, np.random.Generator):
            return self._drawn(word, args, options)
        if (getattr(value, "__module__", None) or "").startswith("mjenv.mujoco"):
            return self._engine(word, value, args, options)
        return None

    def _drawn(self, word: str, args: list[Value], options: dict[str, Value]) -> Value:
        """Random numbers."""
        if self.t.phase != RESET:
            raise NotWritten("found random numbers in a step, expected them in a reset")
        if self.t.branches:
            raise NotWritten("found random numbers under an `if` of values")
        if not all(is_static(one) for one in (*args, *options.values())):
            raise NotWritten("found random numbers whose limits worlds have their own of")
        self.t.effect()
        like = np.random.default_rng(0)
        found = getattr(like, word)(
            *(plain(one) for one in args), **{n: plain(v) for n, v in options.items()}
        )
        if not isinstance(found, np.ndarray | np.generic | int | float):
            raise NotWritten(f"found np_random.{word}, expected one that draws numbers")
        code = called(
            attribute(name("rng"), word), *(code_of(one) for one in args),
            **{n: code_of(v) for n, v in options.items()},
        )  # fmt: skip
        # in the order in which they are drawn
        return Rows(found, self.t.emit("drawn", code, draws=True))

    def _engine(
        self, word: str, function: Any, args: list[Value], options: dict[str, Value]
    ) -> Value | None:
        nothing = Static(None, ast.Constant(None))
        if word == "mj_step":
            given = options.get("nstep", args[2] if len(args) > 2 else Static(1))
            self._step(int(plain(given)))
            return nothing
        if word == "mj_resetData" and self.t.phase == RESET:
            self.fields = {n: v for n, v in self.fields.items() if n.startswith(MODEL)}
            return nothing
        if word in _COMPUTED and (self.t.phase == RESET or word == "mj_rnePostConstraint"):
            return nothing
        if word in _STATIC:
            return Static(function(*(plain(one) for one in args)))
        everything = [plain(one) for one in (*args, *options.values())]
        if any(isinstance(one, MjData) for one in everything):
            raise NotWritten(
                f"found {word}, expected mj_step alone in a step of a task" if self.t.phase != RESET
                else f"found {word} in a reset, expected fields that are written"
            )  # fmt: skip
        return None

    def _step(self, nstep: int) -> None:
        """Steps of the physics: what comes next is after them."""
        if self.t.phase == RESET:
            raise NotWritten("found steps of the physics in a reset, expected an initial state")
        if self.t.branches:
            raise NotWritten("found steps of the physics under an `if` of values")
        self.t.effect()
        if not self.fields:
            raise NotWritten("found steps of the physics before data.ctrl[:] = action")
        if self.t.phase == AFTER:
            if self._read_since:
                raise NotWritten("found data that are read between steps of the physics")
            self.nstep += nstep
            return
        self.t.freeze()
        self.t.phase, self.nstep, self._read_since = AFTER, nstep, False


class _Named(Static):
    """A named part of the data, such as data.body("torso")."""

    def __init__(self, value: Any, code: ast.expr, kind: str):
        super().__init__(value, code)
        self.kind = kind


def kept_of(code: ast.AST) -> set[str]:
    """Fields of the data that expressions read."""
    found = set()
    for node in ast.walk(code):
        if not isinstance(node, ast.Attribute):
            continue
        of = node.value
        if isinstance(of, ast.Name) and of.id == "data":
            found.add(node.attr)
        elif isinstance(of, ast.Call) and isinstance(of.func, ast.Attribute):
            inner = of.func
            if isinstance(inner.value, ast.Name) and inner.value.id == "data":
                found.add(f"{_KINDS.get(inner.attr, '')}{node.attr}")
    return {word for word in found if word not in _KINDS and word != "state"}
