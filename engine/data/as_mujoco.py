"""Data of one world that behave as MuJoCo's in what users' programs rely on, see `MujocoData`."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..run.derived import Wanted
from .data import Data
from .edited_results import WATCHED, lists_to_compare, take_edits
from .held import HeldArrays
from .looks_in_hooks import look_in_hook
from .made import MADE_OF
from .models import use_model
from .shown_lists import ShownLists

if TYPE_CHECKING:
    import numpy as np

    from ..model.model import Model
    from ..pipeline.stage import Stage
    from ..run.prepared_program import PreparedLook
    from ..simd.record import Record


class MujocoData(Data):
    """One world, as `mjenv.mujoco` shows it.

    * Frames of bodies, geoms and sites that the model notes as the same (`body_sameframe`, ...) are
      the same whatever else is edited.
    * Functions take any model of equal sizes with any data; arrays stay the same ones.
    * Arrays of fields that are computed when they are looked at (`qM`, `contact`, `efc_*`, ...)
      show the last results as long as somebody holds them. Those of lists that have changed their
      length in large-model mode keep what they had.
    * Edits of these fields count in the stages that follow, where these are called one by one.
    * Hooks are functions that have the data themselves, and write into the fields of these.
    * The most contacts and rows so far are counted (`maxuse_con`, `maxuse_efc`).

    `mujoco_fields.mujoco_value(data, name)` is a field with MuJoCo's type, shape and length.
    """

    _frames_noted = True
    held: HeldArrays
    shown: ShownLists

    def __init__(self, model: "Model", nworld: int = 1, **options: Any):
        """Make data of one world.

        Args:
            model: a `Model`.
            nworld: number of worlds.
            options: the others of `Data`.
        """
        vars(self).update(held=HeldArrays(), shown=ShownLists(WATCHED))
        super().__init__(model, nworld, **options)

    def _wanted(self, large_model: bool) -> Wanted:
        return super()._wanted(large_model)._replace(counts_most_used=True, hooks_have_data=True)

    def use_model(self, model: "Model", where: str) -> None:
        """Use another model of the same sizes."""
        use_model(self, model, where)

    def take_edits(self, where: str) -> None:
        """Put edits of late outputs where the next stage finds them, see there."""
        take_edits(self, where)

    def lists_to_compare(self, where: str) -> "list[Record] | None":
        """Memory of lists, see there."""
        return lists_to_compare(self, where)

    def _compute_lazy(self, stage: "Stage") -> None:
        before = frozenset(self.fresh)
        super()._compute_lazy(stage)
        self.shown.note(self._arrays, stage, set(self.fresh) - before)

    def _run_lazy(self, stage: "Stage") -> None:
        if not look_in_hook(self, stage):
            super()._run_lazy(stage)

    def _look_again(self, look: "PreparedLook") -> bool:
        found = super()._look_again(look)
        if found and not self.shown.fields.isdisjoint(look.fields):
            self.shown.note(self._arrays, look.stage, look.fields)
        return found

    def _drop(self, names: Iterable[str]) -> None:
        own = self.__dict__
        self.shown.forget(names)
        for name in names:
            self.held.note(name, own.pop(name))

    def forget_looks(self, known: int) -> None:
        """Drop what a hook has looked at in the middle of a step, which goes on to change it.

        Args:
            known: how many late outputs there were before.
        """
        names = self.fresh[known:]
        self._drop(names)
        self.fresh.leave_out(names)

    def show_held(self) -> None:
        """Compute fields anew whose arrays somebody holds."""
        self.bring_up_to_date(self.held.take(self._arrays))

    def bring_up_to_date(self, held: "dict[str, np.ndarray]") -> None:
        """Compute fields anew, by name, in the arrays in which somebody holds them."""
        for name, array in held.items():
            if name in self.__dict__ or not (name in self._lazy or name in MADE_OF):
                continue
            new = getattr(self, name)
            if new is not array and new.shape == array.shape:
                array[...] = new
                self.__dict__[name] = array
