"""Calls of the physics, between which a program computes."""

from typing import Any, NamedTuple

from mjenv.porting.symbols.symbol import Symbol

RANDOM, QUERY, WHEN, ASKED = "random", "query", "@when", "@asked"
# what mj_resetData sets, besides results of the physics
RESET = (
    "time", "qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat", "qacc_warmstart", "userdata",
    "eq_active", "history", "plugin_state",
)  # fmt: skip


class Call(NamedTuple):
    """A call of the physics, or a wait for random numbers.

    Attributes:
        name: "step", "forward" or "first half"; "random": worlds ask their generators; "query":
            the engine answers a question; "" for the end.
        nstep: number of steps.
        post: whether forces of contacts follow (mj_rnePostConstraint).
        writes: fields that have other values before it; for a call in some worlds also `WHEN`, in
            which, and for a query `ASKED`.
        renewed: whether the first half of a next step follows (mj_step1).
        undriven: whether actuators have no forces.
        query: the question; None for there is none.
    """

    name: str
    nstep: int
    post: bool
    writes: dict[str, Symbol]
    renewed: bool = False
    undriven: bool = False
    query: Any = None

    @property
    def kind(self) -> tuple:
        """What has to be the same on all ways through a step."""
        same = self.name, self.nstep, self.post, self.renewed, self.undriven, self.of_some
        return *same, self.query

    @property
    def waits(self) -> bool:
        """Whether it is no call of the physics, so that data stay as they are."""
        return self.name in (RANDOM, QUERY)

    @property
    def of_some(self) -> bool:
        """Whether it is made in some worlds only."""
        return WHEN in self.writes

    @property
    def alone(self) -> bool:
        """Whether sections of a program have passes of their own before and after it."""
        return self.of_some or self.name in ("first half", QUERY)
