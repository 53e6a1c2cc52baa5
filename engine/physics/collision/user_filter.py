"""Contacts that a function of the user's discards (mjcb_contactfilter)."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...simd.kernel import kernel
from ...simd.lanes import lane_any, select
from ...tables.enums import COUNT_SLOT
from .contact import next_contact

if TYPE_CHECKING:
    from ...model.model import Model

    def hook(m: Any, d: Any, geom1: Any, geom2: Any):
        """The user's function."""


class PackWorlds(Protocol):
    """The worlds of a pack, as hooks see them.

    Attributes:
        nworld: number of these worlds.
    """

    nworld: int


@kernel
def filter_hook(m, d):
    """Let a hook discard the contacts of two geoms, which are no predefined pair.

    Reads: con_any, con_on.
    """
    n, slot = d.count[COUNT_SLOT], next_contact(d, 0)
    while slot < n:
        pair, end = d.slot_cand[slot], slot + 1
        while end < n and d.slot_cand[end] == pair:
            end += 1
        # neither predefined pairs nor contacts of deformables
        if d.cand_predefined[pair] == -1:
            drop = hook(m, d, d.cand_geom1[pair], d.cand_geom2[pair])
            for k in range(slot, end):
                if d.con_any[k]:
                    d.con_on[k] = select(drop, 0.0, d.con_on[k])
                    if not lane_any(d.con_on[k] > 0.0):
                        d.con_any[k] = 0
        slot = next_contact(d, end)


def discard(
    function: Callable[..., Any],
    model: "Model",
    worlds: PackWorlds,
    arrays: Mapping[str, np.ndarray],
) -> None:
    """The same for a hook in Python.

    Args:
        function: of (model, worlds, geom1, geom2), true for worlds where there is no contact.
        model: the model.
        worlds: those that the function is called with.
        arrays: the scratch of a thread.
    """
    any_, on = arrays["con_any"], arrays["con_on"]
    slots = np.flatnonzero(any_[: arrays["count"][COUNT_SLOT]])
    pairs = arrays["slot_cand"][slots]
    for pair in np.unique(pairs):
        if arrays["cand_predefined"][pair] != -1:
            continue
        geoms = int(arrays["cand_geom1"][pair]), int(arrays["cand_geom2"][pair])
        drop = np.asarray(function(model, worlds, *geoms), bool)
        drop = np.flatnonzero(np.broadcast_to(drop, worlds.nworld))
        for slot in slots[pairs == pair]:
            lanes = np.atleast_1d(on[slot])
            lanes[drop] = 0
            on[slot] = lanes if on.ndim == 2 else lanes[0]
            any_[slot] = int((lanes > 0).any())
