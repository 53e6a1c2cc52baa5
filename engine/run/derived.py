"""Data derived from a model for all worlds: tables, sizes, and conditions of stages."""

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..physics.actuators.tables import actuator_conditions
from ..physics.collision.candidates import contact_tables, is_dense
from ..physics.collision.convex_tables import polytopes
from ..physics.collision.flex_masks import NO_CONTACT
from ..physics.collision.large_model_tables import large_model_tables, small_model_tables
from ..physics.collision.mujoco_sap_tables import has_swept_pairs, sap_tables
from ..physics.collision.sdf_tables import sdf_sizes
from ..physics.constraint.chains import equality_tables
from ..physics.constraint.tendon_chains import tendon_tables
from ..physics.flex.scratch import FLEX_MODEL
from ..physics.flex_contacts.scratch import FLEX_CONTACT_MODEL
from ..physics.plugins.scratch import PLUGIN_MODEL
from ..physics.sensors.tables import senses_distances, sensor_tables
from ..physics.solver.solver_stat_tables import NPROGRESS
from ..pipeline.layouts import ELEMENT, ENGINE_MODEL, MODEL_ARRAYS, MODEL_LAYOUT
from ..pipeline.stage import PHYSICS
from ..pipeline.timer_tables import NTIMER
from ..simd.kernel import kernel_at
from ..simd.record import Record
from ..tables.enums import DSBL_FILTERPARENT, DSBL_MIDPHASE, DSBL_NATIVECCD, ENBL_SLEEP
from ..tables.fields import MODEL, Field
from ..tables.plugin_kinds import CABLE, PID, TOUCH_GRID
from .sizes import list_sizes, needed_sizes, table_sizes
from .structure import structure_tables

if TYPE_CHECKING:
    from ..model.model import Model


_SIZES = tuple(row.name for row in MODEL_ARRAYS if row.type == "size")
_MODEL_SIZES = frozenset(row.name for row in MODEL if row.type == "size")
_TABLES = tuple(row for row in ENGINE_MODEL if row.type != "size")
TABLE_SLOTS = np.array(
    [MODEL_LAYOUT.entries[name].slot for name in (*_SIZES, *(row.name for row in _TABLES))]
)


class Wanted(NamedTuple):
    """Requirements of data for their plan.

    Attributes:
        width: lanes of a pack.
        varied: fields of the model that differ between worlds.
        capacity: contacts and rows that lists of a large model have room for, None for a guess;
            None where data are not in large-model mode.
        progress: whether the progress of solvers is kept.
        timed: whether the time of stages is.
        remembers_inputs: whether inputs of the call before are kept.
        counts_most_used: whether the most contacts and rows so far are counted.
        slept: whether trees may be asleep already.
        alone: whether the only world lives in the scratch of its thread.
        frames_noted: whether frames that the model notes as the same are, however it is edited.
        hooks_have_data: whether hooks have the data, rather than the worlds of a pack: they see
            there what MuJoCo's callbacks see.
    """

    width: int
    varied: tuple[str, ...] = ()
    capacity: tuple[int | None, int | None] | None = None
    progress: bool = False
    timed: bool = False
    remembers_inputs: bool = False
    counts_most_used: bool = False
    slept: bool = False
    alone: bool = False
    frames_noted: bool = False
    hooks_have_data: bool = False


class Derived(NamedTuple):
    """Tables, sizes and conditions derived from a model.

    Attributes:
        tables: arrays and sizes of `ENGINE_MODEL`, and of candidates.
        sizes: every size that a field's shape may name.
        conditions: what conditions of stages ask for, see conditions.py.
        settings: options that it depends on, see `settings`.
        made: what was made of these once, by name, for all plans that share them.
    """

    tables: dict[str, Any]
    sizes: dict[str, int]
    conditions: dict[str, Any]
    settings: dict[str, int]
    made: dict[Any, Any]

    def record(self) -> Record:
        """Record of the model with sizes and tables, in `TABLE_SLOTS`."""
        found = self.made.get("record")
        if found is None:
            found = self.made["record"] = Record(MODEL_LAYOUT)
            for name in _SIZES:
                found.set_size(name, (self.sizes if name in self.sizes else self.tables)[name])
            for row in _TABLES:
                table = np.ascontiguousarray(self.tables[row.name], ELEMENT[row.type])
                found.set_array(row.name, table)
        return found


class Chapter(NamedTuple):
    """Tables of what only some models have; their file is imported for these.

    Attributes:
        count: how many things of its kind there are.
        place: file in physics/ and function of the model and the tables so far.
        rows: rows of `ENGINE_MODEL` that it fills; zeros where there is nothing.
        zeros: what else is 0 then: sizes of scratch, and conditions of stages.
    """

    count: str
    place: str
    rows: tuple[Field, ...]
    zeros: tuple[str, ...]

    def tables(self, model: "Model", tables: dict[str, Any]) -> dict[str, Any]:
        """Its tables for a model."""
        if getattr(model, self.count):
            return kernel_at(self.place, PHYSICS)(model, tables)
        found: dict[str, Any] = dict.fromkeys(self.zeros, 0)
        for row in self.rows:
            sizes = (n if isinstance(n, int) else self._size(model, n) for n in row.shape)
            found[row.name] = 0 if row.type == "size" else np.zeros(prod(sizes))
        return found

    @staticmethod
    def _size(model: "Model", name: str) -> int:
        """A size of the model; 0 for one of its own, of what is not there."""
        return int(getattr(model, name)) if name in _MODEL_SIZES else 0


SOME = (
    Chapter(
        "nflex", "flex.tables:flex_tables", FLEX_MODEL,
        ("joins_flexes", "flex_nodes", "flex_sheets", "flex_damps"),
    ),
    Chapter(
        "nflex", "flex_contacts.tables:flex_contact_tables", FLEX_CONTACT_MODEL,
        ("nmidpair", "nfcon", "nkept"),
    ),
    Chapter(
        "nplugin", "plugins.tables:plugin_tables", PLUGIN_MODEL,
        (f"plugin_{PID}", f"plugin_{CABLE}", f"plugin_{TOUCH_GRID}"),
    ),
)  # fmt: skip


def derive(model: "Model", wanted: Wanted) -> Derived:
    """Derive tables, sizes and conditions.

    Raises:
        UnsupportedFeature: the model uses something that is not simulated yet.
    """
    large_model = wanted.capacity is not None
    # what options may ask for later is then there to stay
    # tables by chapter; later ones read earlier ones
    sleeps = large_model and (wanted.slept or bool(model.opt.enableflags & ENBL_SLEEP))
    candidates = large_model_tables if large_model else fixed_tables
    tables = {**candidates(model), "may_sleep": int(sleeps)}
    tables.update(structure_tables(model, large_model), width=wanted.width)
    tables.update(polytopes(tables, wanted.width))
    tables.update(equality_tables(model, tables))
    tables.update(tendon_tables(model, tables))
    for chapter in SOME:
        tables.update(chapter.tables(model, tables))
    tables.update(sensor_tables(model, sleeps))
    tables.update(sap_tables(model))
    tables.update(sdf_sizes(model))
    _check_moments(model, tables)
    # sizes of arrays, from which memory is allocated
    sizes = table_sizes(model, tables)
    if wanted.capacity is not None:
        sizes.update(list_sizes(sizes, tables, *wanted.capacity))
    sizes["nsolverstat"] = NPROGRESS if wanted.progress else 0
    sizes["ntimer"] = NTIMER if wanted.timed else 0
    sizes.update(needed_sizes(sizes))
    # what rows of the pipeline ask to know whether they are needed
    conditions = {
        **sizes,
        "model": model,
        "varied": frozenset(wanted.varied),
        "collider_num": tables["collider_num"],
        "swept_pairs": has_swept_pairs(model, tables),
        "sleeps": sleeps,
        "remembers_inputs": wanted.remembers_inputs,
        "counts_most_used": wanted.counts_most_used,
        "medium": bool({"opt_density", "opt_viscosity"}.intersection(wanted.varied)),
        "energy": False,
        "owns_contacts": False,
        **actuator_conditions(model),
        **{name: tables[name] for chapter in SOME for name in chapter.zeros},
    }
    return Derived(tables, sizes, conditions, settings(model), {})


def fixed_tables(model: "Model") -> dict[str, Any]:
    """Tables of a model with a fixed list of candidates."""
    return {**contact_tables(model), **small_model_tables(model)}


def _check_moments(model: "Model", tables: dict[str, Any]) -> None:
    """Raise ValueError where actuators push more dofs than the model has room for."""
    found = len(tables["act_dof"])
    if found > model.nJmom:
        raise ValueError(
            f"Data: model.actuator_trntype, model.actuator_trnid: actuators push {found} dofs, "
            f"expected at most nJmom = {model.nJmom}; compile another model: Spec.compile"
        )


def settings(model: "Model") -> dict[str, int]:
    """Options that tables depend on; smaller numbers leave unused what larger ones have."""
    flags = model.opt.disableflags
    return {
        "contacts": not flags & NO_CONTACT,
        "ccd_iterations": int(model.opt.ccd_iterations),
        "sleep": bool(model.opt.enableflags & ENBL_SLEEP),
        "gravcomp": model.ngravcomp > 0,
        **{name: int(bool(flags & bit)) for name, bit in EXACT.items()},
        # sensors of distances are grouped by routines
        "nativeccd": int(bool(flags & DSBL_NATIVECCD) and senses_distances(model)),
        "is_dense": int(is_dense(model)),
        "implicit_nodes": int(_solves_nodes(model)),
    }


def _solves_nodes(model: "Model") -> bool:
    """True if the integrator takes the elasticity of nodes implicitly."""
    return bool(model.nflex) and kernel_at("flex.implicit_tables:solves_nodes", PHYSICS)(model)


EXACT = {"filterparent": DSBL_FILTERPARENT, "midphase": DSBL_MIDPHASE}
# of which less takes nothing new
FEWER = frozenset({"contacts", "ccd_iterations", "sleep", "implicit_nodes"})


def needs_more(before: dict[str, int], now: dict[str, int]) -> bool:
    """True if tables that were derived for some settings do not serve others."""
    return any(now[n] > before[n] if n in FEWER else now[n] != before[n] for n in now)
