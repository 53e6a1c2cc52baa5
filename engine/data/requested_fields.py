"""Fields of mjData that data hold: state and inputs always, computed ones as requested."""

import difflib
from collections.abc import Collection
from typing import TYPE_CHECKING

from ..physics.capacity import LISTS
from ..physics.results.scratch import MOST_USED
from ..physics.solver.scratch import PROGRESS_DATA
from ..pipeline.forward import AFTER, FORWARD, POST
from ..pipeline.input_snapshot import SNAPSHOT, SNAPSHOT_DATA
from ..pipeline.integration import DERIVATIVE, EULER, IMPLICIT
from ..pipeline.inverse import COMPARE, FINISH_INVERSE
from ..pipeline.layouts import CONTACT_ARRAYS, DATA_ARRAYS
from ..pipeline.sensors import SENSE
from ..pipeline.timer_tables import TIMER_DATA
from ..run.scratch import size_of
from ..tables.fields import CONTACT, DATA
from .made import MADE_OF
from .memory import MEMORY

if TYPE_CHECKING:
    from ..run.plan import Plan

STATE = (
    "time", "qpos", "qvel", "act", "qacc_warmstart", "history", "plugin_state", "mocap_pos",
    "mocap_quat",
)  # fmt: skip
INPUTS = ("ctrl", "eq_active")
# inputs that most users never touch: gathered from the first time that they are looked at
LAZY_INPUTS = ("qfrc_applied", "xfrc_applied")
# what large models that sleep remember besides
SLEEP_STATE = ("tree_asleep", "xpos", "xquat", "act_dot", "qacc_smooth", "qfrc_smooth")
# sums over calls
TIMER_STATE = ("timer_duration", "timer_number")
ALWAYS = (*STATE, *INPUTS, "userdata", "sensordata", "tree_asleep")
LAZY_OUTPUTS = frozenset(name for stage in AFTER for name in stage.writes.split())
_STAGES = (*FORWARD, *AFTER, POST, EULER, *DERIVATIVE, *IMPLICIT, *SENSE, FINISH_INVERSE, COMPARE)
COMPUTED = frozenset(name for stage in _STAGES for name in stage.writes.split())
CONSTANT_ZERO = frozenset({"userdata", "eq_active"})
ROWS = {
    row.name: row
    for row in (*DATA_ARRAYS, *CONTACT_ARRAYS, *PROGRESS_DATA[:1], *TIMER_DATA[:2], *SNAPSHOT_DATA)
}
INTEGERS = {row.name for row in DATA_ARRAYS if row.type in ("int", "size", "byte", "long")} | {
    f"contact_{row.name}" for row in CONTACT if row.type == "int"
}
CONTACTS = frozenset(f"contact_{row.name}" for row in CONTACT)
# lists of contacts and rows, which may grow
OF_LISTS = frozenset(name for name, row in ROWS.items() if set(LISTS).intersection(row.shape))
# of mjData, but not of `Data`: flags, memory and threads of MuJoCo's own
ABSENT = frozenset((
    *("nplugin", "plugin_data", "buffer", "arena", "threadpool", "signature", "bvh_active"),
    *("flg_energypos", "flg_energyvel", "flg_subtreevel", "flg_rnepost"),
))  # fmt: skip
_NAMES = [row.name for row in DATA]


def asks_for(keep: Collection[str] | None, *names: str) -> bool:
    """True if the fields that users want to keep include one of these."""
    return not set(names).isdisjoint([keep] if isinstance(keep, str) else keep or ())


def to_keep(plan: "Plan", keep: Collection[str] | None) -> frozenset[str]:
    """Computed fields that users see after a call.

    Args:
        plan: the plan of the data.
        keep: names, or one; `contact` stands for all fields of contacts, as each of these does.
            None keeps all.

    Raises:
        ValueError: a name that is none of a computed field.
    """
    computed = {name for name in COMPUTED if name in ROWS and size_of(ROWS[name], plan.sizes) > 0}
    computed -= plan.unused.union(ALWAYS)
    names = computed.intersection(SNAPSHOT) if plan.conditions["remembers_inputs"] else set()
    # what calls begin with, where it is kept at all
    computed -= {*SNAPSHOT, *MOST_USED}
    if plan.wanted.counts_most_used:
        names |= set(MOST_USED)
    if keep is None:
        return frozenset(computed | names)
    for name in [keep] if isinstance(keep, str) else keep:
        if name == "contact" or name in CONTACTS:
            names |= {n for n in computed if n.startswith("contact_")} | ({"ncon"} & computed)
        elif name == "solver":
            names.add("solver_stat")
        elif name in ("timer", "stages", *MOST_USED, *MEMORY):
            pass  # Plan.timed, seen.py, most_used.py; memory.py has the last ones always
        elif name in MADE_OF:
            names |= computed.intersection(MADE_OF[name].sources)
        elif name in computed:
            names.add(name)
        elif name not in ALWAYS and name not in LAZY_INPUTS and not is_empty(plan, name):
            raise ValueError(f"Data: keep={name!r}: {why_missing(name)}")
    return frozenset(names)


def dims_of(name: str, sizes: dict[str, int]) -> tuple[int, ...]:
    """Shape of a field of one world."""
    return tuple(dim if isinstance(dim, int) else sizes[dim] for dim in ROWS[name].shape)


def is_empty(plan: "Plan", name: str) -> bool:
    """True if a field has no elements in a model."""
    if name in plan.unused:
        return True
    return name in ROWS and size_of(ROWS[name], plan.sizes) == 0


def why_missing(name: str) -> str:
    """Why data lack a field, for messages."""
    if name in ("solver", "timer", "stages", *MADE_OF) or (name in ROWS and name in COMPUTED):
        return f"not kept; make the data with keep=[..., {name!r}]"
    if name in _NAMES:
        return "not computed by this version"
    close = difflib.get_close_matches(name, _NAMES, 1)
    return "no such field" + (f"; did you mean {close[0]!r}?" if close else "")
