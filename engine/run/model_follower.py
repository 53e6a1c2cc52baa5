"""Edits of a model between calls: they are noticed, and count from the next call on."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.change_detection import ChangeDetector, refuse_fixed
from ..model.model import Edits
from ..physics.smooth.delay_buffers import initial_history
from .derived import Derived, Wanted, needs_more, settings
from .in_use import alone
from .model_numbers import Numbers
from .sameframe_tolerance import SameFrames, refuse_apart

if TYPE_CHECKING:
    from ..model.model import Model
    from ..simd.record import Record
    from .lane_fields import LaneFields


class Watched:
    """What machine code looks at, see simd/ready_calls.py.

    Attributes:
        idle: whether no call works on the data.
        seen: the last edit of any model that was taken into account.
        followed: a new object after every edit of this one.
    """

    __slots__ = ("idle", "seen")


class ModelFollower(Watched):
    """What a plan knows of its model, brought up to date when the model was edited.

    Attributes:
        model: the model.
        model_record: its record, which stages read.
        numbers: its options and statistics.
        watch: what was seen of its arrays.
        frames: arrays that say which frames are the same.
        follows: whether some edits are found by no comparison of one block.
        last_scalars: the options and statistics that were taken into account.
        rebuild: has everything derived anew.
        heights: of terrain, of world after world; None where all have the model's.
    """

    model: "Model"
    model_record: "Record"
    numbers: Numbers
    watch: ChangeDetector
    frames: SameFrames
    follows: bool
    last_scalars: tuple | None
    rebuild: Callable[[], None]
    heights: np.ndarray | None = None
    # of the plan
    wanted: Wanted
    derived: Derived
    varied: tuple[str, ...]
    holder: int
    hooks: Any
    scratch: list[Any]
    lane_fields: "LaneFields"
    prepared: Any

    def _choose_stages(self) -> None:
        raise NotImplementedError

    def take_heights(self, heights: np.ndarray) -> None:
        """Have kernels read the heights of terrain, of world after world, from there."""
        self.heights = heights.reshape(-1)
        for record in (self.model_record, *(scratch.model for scratch in self.scratch)):
            record.set_array("hfield_data", self.heights)

    def refresh_idle(self) -> None:
        """As `refresh`, where no call works on the data yet.

        Raises:
            DataInUse: one does, and would have to follow an edit in its middle.
        """
        watch = self.watch
        if Edits.last is not self.seen or watch.held != watch.memory or self.follows:
            alone(self, "step", self.refresh)

    def refresh(self) -> None:
        """Take over what users may have edited in the model since the last call.

        Raises:
            ValueError: an edit that data cannot follow; the message names the field.
        """
        watch = self.watch
        if Edits.last is not self.seen or watch.held != watch.memory:
            self._compare()
        if self.follows:
            self._follow_numbers()

    def _follow_numbers(self) -> None:
        """Take over edits that no comparison of one block finds."""
        if self.watch.others and self.watch.others_differ():
            self._compare()
        self.frames.refresh()
        if self.varied:
            for scratch in self.scratch:
                self.lane_fields.copy_to(scratch.model)

    def is_behind(self) -> bool:
        """True if users may have edited the model since the last call."""
        watch = self.watch
        known = Edits.last is self.seen and watch.held == watch.memory
        return not known or (bool(watch.others) and watch.others_differ())

    def is_edited(self) -> bool:
        """True if `refresh` would rebuild tables."""
        watch = self.watch
        if Edits.last is self.seen and watch.held == watch.memory and not watch.others_differ():
            return False
        return bool(watch.edited()) or needs_more(self.derived.settings, settings(self.model))

    def _compare(self) -> None:
        """Find out what was edited, and have it count."""
        seen = Edits.last
        self.prepared.clear()
        present = self.numbers.present()
        edited = self.watch.edited()
        refuse_fixed(edited)
        # options and statistics
        options = present != self.last_scalars
        history0 = np.zeros(0)
        if options:
            history0 = initial_history(self.model)
            self.numbers.take(present)
        # rebuild tables, or only choose stages
        anew = bool(edited) or needs_more(self.derived.settings, settings(self.model))
        if anew:
            self._follow(edited)
        elif options:
            self.model_record.set_array("history0", history0)
            self._choose_stages()
        # what the next call compares with
        self.watch.take()
        self.follows = bool(self.watch.others or self.frames.arrays or self.varied)
        if options or anew:
            self.last_scalars = present
        self.seen, self.followed = seen, object()

    def _follow(self, edited: list[str]) -> None:
        """Rebuild tables after fields were edited or options changed."""
        if not self.wanted.frames_noted:
            refuse_apart(self.model, [name for name in edited if name.endswith("_sameframe")])
        try:
            self.rebuild()
        except ValueError as error:
            names = ", ".join(f"model.{name}" for name in edited)
            if not names or names in str(error):
                raise
            raise ValueError(f"{error}; found when {names} was edited") from error
