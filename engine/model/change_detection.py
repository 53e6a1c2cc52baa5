"""Finds out whether what data were derived from was edited in a model, also by writing in place.

The fields that tables, sizes and the choice of stages come from lie side by side in one block of
memory, so that one comparison of a few kB tells whether any of them is another than it was.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..tables.enums import BIAS_DCMOTOR, DYN_DCMOTOR, EQ_FLEXSTRAIN, GAIN_DCMOTOR
from .editable import EDITS, of_kind

if TYPE_CHECKING:
    from .model import Model

Block = tuple[bytearray, memoryview]  # what memory held, and the memory


class Fact(NamedTuple):
    """Fact derived from a field of numbers that kernels read themselves.

    Attributes:
        value: what it is derived to, as far as anything depends on it.
        used: whether anything depends on it in a model as it is; None: always.
    """

    value: Callable[[np.ndarray], Any]
    used: Callable[[Any], bool] | None = None


def _any(array: np.ndarray) -> bool:
    return bool(array.any())


def _has_motors(model: "Model") -> bool:
    return bool(
        (model.actuator_dyntype == DYN_DCMOTOR).any()
        or (model.actuator_gaintype == GAIN_DCMOTOR).any()
        or (model.actuator_biastype == BIAS_DCMOTOR).any()
    )


def _in_medium(model: "Model") -> bool:
    return bool(model.opt.density or model.opt.viscosity)


def _strains_cells(model: "Model") -> bool:
    return bool((model.eq_type == EQ_FLEXSTRAIN).any())


FACTS = {
    "tendon_armature": Fact(_any),
    "pair_solreffriction": Fact(_any),
    "wrap_prm": Fact(np.ndarray.tobytes),
    "actuator_delay": Fact(_any),
    "sensor_interval": Fact(np.ndarray.tobytes, lambda model: model.nhistory > 0),
    "hfield_size": Fact(np.ndarray.tobytes),
    "geom_rbound": Fact(np.ndarray.tobytes, lambda model: model.nhfield > 0),
    "actuator_dynprm": Fact(lambda array: (array > 0).tobytes(), _has_motors),
    "actuator_gainprm": Fact(
        lambda array: (array > 0).tobytes() + array[:, 8].tobytes(), _has_motors
    ),
    "eq_data": Fact(np.ndarray.tobytes, _strains_cells),
    "flex_stiffness": Fact(np.ndarray.tobytes, _strains_cells),
    "geom_fluid": Fact(lambda array: bool((array[:, 0] > 0).any()), _in_medium),
}
EXACT = Fact(np.ndarray.tobytes)
WATCHED = (*of_kind("rebuilt", "fixed"), *FACTS)
LOCKED = of_kind("readonly")
# poses in bodies that MuJoCo may take for the same as others
FRAMES = ("body_ipos", "body_iquat", "geom_pos", "geom_quat", "site_pos", "site_quat")


class Locked(np.ndarray):
    """An array of a model that nothing but its old numbers can be written into."""

    field = ""

    def __setitem__(self, key: Any, value: Any) -> None:
        if self.flags.writeable:
            super().__setitem__(key, value)
            return
        old, new = np.broadcast_arrays(np.asarray(self[key]), value)
        if not np.array_equal(old, new):
            raise _fixed(self.field)


def _fixed(name: str) -> ValueError:
    return ValueError(
        f"Data: model.{name} was edited: it says how the model hangs together, which data cannot "
        "follow; expected its old numbers, or another model: Spec.compile"
    )


def put_together(model: "Model") -> None:
    """Have the watched arrays of a new model side by side, and lock those that are not compared.

    Frames in bodies are side by side too: data of `mjenv.mujoco` compare them in every call.
    """
    state = vars(model)
    state.update(move_together(state))
    lock(state)


def lock(state: dict[str, Any]) -> None:
    """Lock the arrays of a model, by name, that no call compares."""
    for name in LOCKED:
        array = state[name] = state[name].view(Locked)
        array.field = name
        array.flags.writeable = False


def move_together(state: dict[str, Any]) -> dict[str, np.ndarray]:
    """Copies of the arrays that are compared, those of one kind side by side in one block.

    Args:
        state: arrays of a model by name.
    """
    moved: dict[str, np.ndarray] = {}
    for names in (WATCHED, FRAMES):
        arrays = [(name, state[name]) for name in names]
        # each at a multiple of eight bytes
        block = np.zeros(sum(-(-array.nbytes // 8) for _, array in arrays) * 8, np.uint8)
        start = 0
        for name, array in arrays:
            there = moved[name] = np.ndarray(array.shape, array.dtype, block, start)
            if array.nbytes:
                there[...] = array
                start += -(-array.nbytes // 8) * 8
    return moved


def rewrite(array: np.ndarray, values: np.ndarray) -> None:
    """Write numbers of the same shape into an array of a model, a locked one too."""
    locked = not array.flags.writeable
    array.flags.writeable = True
    array[...] = values
    array.flags.writeable = not locked


class Memory:
    """The memory of the watched fields of a model.

    Attributes:
        parts: pieces of memory by the names of the fields in them. Those that are always looked at
            are together; each on which something depends in some models only is by itself.
        places: of a field, the number of its piece and where it starts there.
    """

    def __init__(self, model: "Model"):
        """Find it."""
        arrays = {name: vars(model)[name] for name in WATCHED if vars(model)[name].size}
        sometimes = [name for name in arrays if name in FACTS and FACTS[name].used]
        always = tuple(name for name in arrays if name not in sometimes)
        self.parts: dict[tuple[str, ...], list[memoryview]] = {}
        self.places: dict[str, tuple[int, int]] = {}
        for names in (always, *((name,) for name in sometimes)):
            self.parts[names], places = parts_of([arrays[name] for name in names])
            self.places.update(zip(names, places, strict=True))


class ChangeDetector:
    """Values of a model's watched fields when data were laid out for it.

    Attributes:
        memory: where most of the fields are, the model's memory itself.
        held: what it held then.
        others: the same of memory elsewhere, on which something depends at present.
    """

    def __init__(self, model: "Model", memory: Memory):
        """Note what the model holds."""
        self._model, self._places = model, memory.places
        self._blocks: dict[tuple[str, ...], list[Block]] = {
            names: [(bytearray(part), part) for part in parts]
            for names, parts in memory.parts.items()
        }
        self._find_blocks()

    def edited(self) -> list[str]:
        """Watched fields that were edited so that something else is derived from them."""
        found = []
        for names, blocks in self._blocks.items():
            if all(held == memory for held, memory in blocks) or not self._counts(names):
                continue
            for name in names:
                present = vars(self._model)[name]
                held = self._held(name, blocks, present)
                fact = FACTS.get(name, EXACT)
                if held.tobytes() != present.tobytes() and fact.value(held) != fact.value(present):
                    found.append(name)
        return found

    def _held(self, name: str, blocks: list[Block], like: np.ndarray) -> np.ndarray:
        """Value of a field at that time."""
        part, start = self._places[name]
        held = np.frombuffer(blocks[part][0], np.uint8)[start : start + like.nbytes]
        return held.view(like.dtype).reshape(like.shape)

    def take(self) -> None:
        """Note what the model holds now."""
        for names, blocks in self._blocks.items():
            if not self._counts(names) or all(held == memory for held, memory in blocks):
                continue
            for held, memory in blocks:
                held[:] = memory
        self._find_blocks()

    def others_differ(self) -> bool:
        """True if memory elsewhere is another than it was."""
        return any(held != memory for held, memory in self.others)

    def _counts(self, names: tuple[str, ...]) -> bool:
        """True if something depends on the fields of a group at present."""
        used = FACTS[names[0]].used if len(names) == 1 and names[0] in FACTS else None
        return used is None or used(self._model)

    def _find_blocks(self) -> None:
        """Find the memory on which something depends at present."""
        parts = [blocks for names, blocks in self._blocks.items() if self._counts(names)]
        (self.held, self.memory), *self.others = [block for blocks in parts for block in blocks]


def refuse_fixed(names: list[str]) -> None:
    """Raise ValueError for edits of fields that hold the structure of a model."""
    for name in names:
        if EDITS[name] == "fixed":
            raise _fixed(name)


def parts_of(arrays: list[np.ndarray]) -> tuple[list[memoryview], list[tuple[int, int]]]:
    """The memory of arrays, in as few pieces as it lies in, and where each array is in them.

    A piece ends at a multiple of eight bytes if what owns the memory has as many.
    """
    spans: list[tuple[Any, int, int]] = []
    places = []
    for array in arrays:
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        start = array.ctypes.data - owner.ctypes.data
        stop = min(-(-(start + array.nbytes) // 8) * 8, owner.nbytes)
        if spans and spans[-1][0] is owner and 0 <= start - spans[-1][2] < 8:
            spans[-1] = (owner, spans[-1][1], stop)
        else:
            spans.append((owner, start, stop))
        places.append((len(spans) - 1, start - spans[-1][1]))
    parts = [
        memoryview(owner.reshape(-1).view(np.uint8))[start:stop] for owner, start, stop in spans
    ]
    return parts, places
