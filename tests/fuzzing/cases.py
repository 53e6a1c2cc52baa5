"""One case: a model from a seed, in MuJoCo and here, through calls from random states."""

import collections
import warnings
import xml.etree.ElementTree as ET
from contextlib import suppress
from typing import NamedTuple

import mujoco
import numpy as np

import mjenv
from mjenv.engine.errors import MjcfError, UnsupportedFeature
from mjenv.engine.physics.collision.flex_masks import flexes_collide
from mjenv.engine.run.supported import joins_awake
from mjenv.engine.tables.enums import ENBL_SLEEP
from tests.engine.mjcf.test_models import differences
from tests.fuzzing import fields
from tests.fuzzing.compiling import (
    SIMULATED,
    accepted_by_rounding,
    listed_once,
    lost_digits,
    lost_in_text,
    moves_by_rounding,
    moves_by_tolerance,
    refused_by_rounding,
    refused_sparse,
    written_over,
)
from tests.fuzzing.draw import Draw
from tests.fuzzing.edits import random_edits
from tests.fuzzing.explanations import explain
from tests.fuzzing.models import assets_of, fill_keyframes, random_model, to_text
from tests.fuzzing.questions import Question
from tests.fuzzing.round_trips import of_binary, of_keyframes, of_text, varied_models
from tests.fuzzing.specs import change_ours, change_theirs, random_changes
from tests.fuzzing.states import SPEC, put, random_states

NWORLD = 4
RESIDUE = 1e-12  # accelerations below it are what rounding leaves of zero
# of MuJoCo's engine, where a model with islands starts: contacts of predefined pairs between bodies
# that cannot move; and where a deformable's rows count elements of A that others do not. Of MjSpec:
# warnings of the compiler and of its first step, which the reader of files passes over, and plugins
# that it numbers wrongly when one of several goes with a body
# trees that start asleep are woken by a number from memory that MuJoCo does not set
UNSET_SLEEP = "mj_wakeTree: invalid sleep state index"
GIVEN_UP = (
    UNSET_SLEEP,
    # a spec is refused for what the step says that MuJoCo tries models with
    "The simulation is unstable. Time = 0.0000.",
    "Check model. Time = 0.0000.",
    "incompatible id in plugin array",
    "is between two static bodies",
    "pre and post-count of B_rownnz are not equal",
    "is not rigid and has no equality constraints or passive forces",
    "Bending damping is not yet supported for interpolated flex shells",
    # with fwdinv, invdiscrete and constraints; here data.solver_fwdinv is NaN
    "mj_discreteAcc: discrete inverse dynamics is not supported by RK4 integrator",
)


class Difference(NamedTuple):
    """What differs.

    Attributes:
        where: the call, such as "forward".
        field: the field.
        size: error relative to 1 + the largest element.
        reason: why that may be; empty: unexplained.
    """

    where: str
    field: str
    size: float
    reason: str


class Setup(NamedTuple):
    """How the worlds of a case are laid out."""

    nworld: int
    width: int | None
    large_model: bool | None
    nthread: int


class Case:
    """A case.

    Args:
        seed: its number.
        root: another document in place of that of the seed, for smaller models.
        phase: told what is about to happen, for the case that it crashes.

    Attributes:
        outcome: "compared", "refused by both", or what stopped it.
        found: all differences.
    """

    def __init__(self, seed: int, root: ET.Element | None = None, phase=lambda text: None):
        self.seed, self.phase = seed, phase
        self.draw = Draw(f"case {seed}")
        self.root = random_model(seed) if root is None else root
        self.assets = assets_of(seed)
        self.changes: list = []
        self.found: list[Difference] = []
        self.outcome = "compared"
        self.counts: collections.Counter = collections.Counter()

    def run(self) -> "Case":
        """Compile, and compare all calls."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            if self.compile():
                self.compare()
        return self

    def unexplained(self) -> list[Difference]:
        return [difference for difference in self.found if not difference.reason]

    # ------------------------------------------------------------ compilation

    def compile(self) -> bool:
        """Compile in both; whether there is something to simulate."""
        text = to_text(self.root)
        mj = self.in_mujoco(text)
        if mj is not None and mj.nkey:
            sizes = {
                "qpos": mj.nq,
                "qvel": mj.nv,
                "act": mj.na,
                "ctrl": mj.nu,
                "mpos": 3 * mj.nmocap,
                "mquat": 4 * mj.nmocap,
            }
            fill_keyframes(self.root, sizes, self.seed)
            text = to_text(self.root)
            mj = self.in_mujoco(text)
        edits = Draw(f"spec {self.seed}")
        if edits.chance(0.15) and mj is not None:
            self.changes = random_changes(edits, self.root)
            self.counts.update(change.name for change in self.changes)
            mj = self.in_mujoco(text)
        self.phase("mjenv compiles")
        try:
            spec = mjenv.Spec.from_string(text, self.assets)
            if change_ours(spec, self.changes) != self.present and self.present:
                self.report("compile", "changes find other elements", np.inf)
                return False
            model = (
                spec.compile() if self.changes else mjenv.Model.from_xml_string(text, self.assets)
            )
        except UnsupportedFeature as error:
            self.outcome = "not built"
            if mj is not None:
                self.report("compile", f"not built: {error}", np.inf)
            return False
        except MjcfError as error:
            if mj is not None:
                made = self.specification(text)
                on_edge = "lengthrange" in str(error) and refused_by_rounding(made, self.seed)
                reason = "compiled by rounding" if on_edge else ""
                if "sleep='init'" in str(error) and refused_sparse(made):
                    reason = "dense zeros"
                self.report("compile", f"refused here: {error}", np.inf, reason)
            self.outcome = "refused by both" if mj is None else "refused here"
            return False
        if mj is None and any(text in self.message for text in GIVEN_UP):
            self.outcome = "mujoco gives up"
            return False
        if mj is None:
            self.outcome = "refused there"
            on_edge = "Lengthrange" in self.message and accepted_by_rounding(
                self.specification(text), self.seed
            )
            reason = "compiled by rounding" if on_edge else ""
            self.report("compile", f"accepted here: {self.message}", np.inf, reason)
            return False
        self.saved(text, spec, model)
        made = self.specification(text)
        wrong = differences(model, mj)
        if "flexedge_J_rownnz" in wrong and (once := listed_once(mj, model)) is not None:
            left = {*differences(model, once)} - {"body_simple"}
            for name in (name for name in wrong if name not in left):
                self.report("compile", name, np.inf, "doubled")
            mj, wrong = once, [name for name in wrong if name in left]
        for name in wrong:
            reason = ""
            if name in SIMULATED and moves_by_rounding(made, self.seed, mj, model, name):
                reason = "compiled by rounding"
            elif name == "actuator_lengthrange" and moves_by_tolerance(made, spec, mj, model):
                reason = "compiled by tolerance"
            if reason:
                # what follows is compared with the same constants
                getattr(model, name)[...] = getattr(mj, name)
            elif lost_digits(mj, model, name):
                reason = "lost digits"
            elif written_over(made, mj, model, name):
                reason = "written over"
                if name == "meansize":
                    mj.stat.meansize = model.stat.meansize
                else:
                    getattr(mj, name)[...] = getattr(model, name)
            self.report("compile", name, np.inf, reason)
        self.mj, self.model = mj, model
        # the neighbours of a vertex are the same set in an order of their own, in which collisions
        # with planes look at them
        mj.mesh_graph[:] = model.mesh_graph
        # muscles that move nothing divide by rounding
        idle = mj.actuator_acc0 < RESIDUE
        model.actuator_acc0[idle] = mj.actuator_acc0[idle]
        if not np.isfinite(mj.dof_invweight0).all():
            # some dofs move nothing: all that follows is not a number, or is rounding
            self.outcome = "singular"
            return False
        return True

    def in_mujoco(self, text: str):
        """The model in MuJoCo, or None; its message is kept."""
        self.phase("mujoco compiles")
        self.present: list[bool] = []
        try:
            if not self.changes:
                return mujoco.MjModel.from_xml_string(text, self.assets)
            return self.specification(text).compile()
        except ValueError as error:
            self.message = str(error).partition("\n")[0]
            return None

    def specification(self, text: str) -> mujoco.MjSpec:
        """MuJoCo's specification of a document, with the changes of the case."""
        spec = mujoco.MjSpec.from_string(text, include=self.assets)
        self.present = change_theirs(spec, self.changes)
        return spec

    def saved(self, text: str, spec, model) -> None:
        """What is written compiles to the same model."""
        self.phase("mjenv saves")
        for name in of_binary(model):
            self.report("binary", name, np.inf)
        if Draw(f"saved {self.seed}").chance(0.4):
            self.counts["written"] += 1
            wrong = of_text(spec, model, self.assets)
            lost = lost_in_text(self.specification(text)) if wrong else set()
            for name in wrong:
                self.report("text", name, np.inf, "lost in text" if name in lost else "")

    def report(self, where: str, field: str, size: float, reason: str = "") -> None:
        self.found.append(Difference(where, field, size, reason))

    # ------------------------------------------------------------ calls

    def setups(self) -> list[Setup]:
        """Two layouts of the worlds, which shall have the same bits."""
        sleeps, touch = self.model.opt.enableflags & ENBL_SLEEP, flexes_collide(self.model)
        if sleeps or touch or self.model.nv > 100:
            return [Setup(NWORLD, 1, True, 1), Setup(1, 1, True, 1)]
        main = self.draw.among(
            Setup(NWORLD, 1, False, 1), Setup(NWORLD, 8, False, 1), Setup(NWORLD, 1, True, 1)
        )
        other = self.draw.among(
            Setup(1, 1, False, 1),
            Setup(NWORLD + 5, 8, False, 2),
            Setup(NWORLD, 1, False, 1),
            Setup(NWORLD, 8, False, 1),
            Setup(NWORLD, 1, True, 2),
            weights=(4, 2, 1, 2, 1),
        )
        if main.large_model != other.large_model:
            # a large model lists the same rows, but factors in another order: other bits
            other = (
                Setup(1, 1, main.large_model, 1)
                if main.large_model
                else main._replace(nworld=NWORLD + 1, nthread=2)
            )
        return [main, other]

    def data(self, setup: Setup):
        self.phase(f"mjenv makes data {setup}")
        return mjenv.Data(
            self.model,
            setup.nworld,
            width=setup.width,
            large_model=setup.large_model,
            nthread=setup.nthread,
        )

    def compare(self) -> None:
        """Forward and inverse dynamics, steps, edits, and the same bits elsewhere."""
        rng = np.random.default_rng(self.seed)
        try:
            self.source = mujoco.MjData(self.mj)
            rows = random_states(self.mj, NWORLD, rng)
        except mujoco.FatalError:
            self.outcome = "mujoco gives up"  # trees that start asleep
            return
        main, other = self.setups()
        try:
            data = self.data(main)
        except (UnsupportedFeature, ValueError) as error:
            self.report("data", str(error), np.inf)
            return
        self.names = fields.kept(data)
        self.phase("mjenv resets to keyframes")
        try:
            for what in of_keyframes(self.mj, self.model, data):
                self.report("keyframes", what, np.inf)
        except mujoco.FatalError as error:
            if UNSET_SLEEP not in str(error):
                raise
            self.outcome = "mujoco gives up"
            return
        self.call("forward", data, rows, forward_theirs, forward_ours)
        if self.draw.chance(0.5):
            self.call("inverse", data, rows, Inverse(self.seed).theirs, Inverse(self.seed).ours)
        nstep = self.draw.among(1, 1, 2, 3)
        for _ in range(nstep):
            rows = self.call("step", data, rows, step_theirs, step_ours)
        if self.draw.chance(0.4):
            self.bits(data, rows, other)
        vary = Draw(f"vary {self.seed}")
        if vary.chance(0.25):
            self.varied(vary, rows)
        if self.draw.chance(0.4):
            for edit in random_edits(self.draw, self.mj):
                self.phase(f"edit {edit.name}")
                edit.apply(self.mj)
                edit.apply(self.model)
                self.counts[f"edit {edit.name}"] += 1
            self.call("forward after edits", data, rows, forward_theirs, forward_ours)
            self.call("step after edits", data, rows, step_theirs, step_ours)

    def varied(self, draw: Draw, rows) -> None:
        """Worlds of which each has a model of its own."""
        self.phase("mjenv varies")
        models, data, names = varied_models(draw, self.mj, self.model, NWORLD)
        self.counts.update(f"vary {name}" for name in names)
        where = "varied " + " ".join(names)
        rows = self.call(f"forward {where}", data, rows, forward_theirs, forward_ours, models)
        self.call(f"step {where}", data, rows, step_theirs, step_ours, models)

    def call(self, where: str, data, rows, theirs, ours, models=None) -> np.ndarray:
        """Compare a call from given states; returns MuJoCo's states after it.

        Args:
            where: the call, for reports.
            data: our data.
            rows: the states.
            theirs, ours: what is called.
            models: MuJoCo's model of each world, where they differ.
        """
        self.phase(f"mjenv {where}")
        mjenv.reset(self.model, data)
        mjenv.set_state(self.model, data, rows, SPEC)
        if self.model.opt.enableflags & ENBL_SLEEP:
            data.eq_active[:, joins_awake(self.model)] = 0
            rows = mjenv.get_state(self.model, data, SPEC)
        try:
            ours(self.model, data)
        except ValueError:
            # such as inverse dynamics of a discrete step of RK4
            put(self.mj, self.source, rows[0])
            with suppress(mujoco.FatalError):
                theirs(self.mj, self.source, self.names)
                raise
            self.counts[f"refused by both: {where}"] += 1
            self.source = mujoco.MjData(self.mj)
            return rows
        after = np.zeros_like(rows)
        for world, row in enumerate(rows):
            self.phase(f"mujoco {where}")
            mj = models[world] if models else self.mj
            # plugins have the constants of the model that data are made of, as they have ours
            maker = self.mj if mj.nplugin else mj
            if models:
                self.source = mujoco.MjData(maker)
            put(mj, self.source, row)
            try:
                expected = theirs(mj, self.source, self.names)
            except mujoco.FatalError:
                # see GIVEN_UP
                self.counts[f"mujoco gives up: {where}"] += 1
                after[world] = row
                self.source = mujoco.MjData(maker)
                continue
            mujoco.mj_getState(mj, self.source, after[world], SPEC)
            self.phase(f"compare {where}")
            found = fields.of_ours(data, world, expected)
            wrong = fields.different(found, expected, mj.opt.timestep)
            self.counts["states"] += 1
            if wrong:
                question = Question(
                    mj, row, theirs, self.names, expected, found, data, world, self.seed,
                    maker if models else None,
                )  # fmt: skip
                reasons = explain(question, wrong)
                for name, size in wrong.items():
                    self.report(f"{where} world {world}", name, size, reasons.get(name, ""))
        return after

    def bits(self, data, rows, setup: Setup) -> None:
        """The same worlds laid out otherwise have the same bits."""
        self.counts["bits"] += 1
        other = self.data(setup)
        place = setup.nworld - 1
        world = int(self.draw.randrange(NWORLD))
        chosen = rows[np.arange(setup.nworld) % NWORLD]
        chosen[place] = rows[world]
        mjenv.reset(self.model, data)
        mjenv.set_state(self.model, data, rows, SPEC)
        mjenv.set_state(self.model, other, chosen, SPEC)
        self.phase(f"mjenv bits {setup}")
        for each in (data, other):
            mjenv.step(self.model, each, 2)
        if self.model.opt.enableflags & ENBL_SLEEP:
            # worlds that diverged began anew, with what cannot sleep
            for each in (data, other):
                each.eq_active[:, joins_awake(self.model)] = 0
        else:
            # on from there, with the state of the one in the other
            state = mjenv.get_state(self.model, data, SPEC)
            chosen[place] = state[world]
            mjenv.reset(self.model, other)
            mjenv.set_state(self.model, other, chosen, SPEC)
        for each in (data, other):
            mjenv.step(self.model, each)
        for name in self.names:
            a, b = (
                np.ravel(np.asarray(fields.contact_or_field(d, name))[w])
                for d, w in ((data, world), (other, place))
            )
            n = min(a.size, b.size)
            if name in fields.LENGTHS and data.ncon.size:
                count = int(np.sum(getattr(data, fields.LENGTHS[name])[world]))
                n = count * int(np.prod(np.shape(fields.contact_or_field(data, name))[2:]))
            if name in ("efc_J", "efc_J_colind"):
                n = min(n, int(data.nJ[world]))
            if a[:n].tobytes() != b[:n].tobytes() and not np.array_equal(
                a[:n], b[:n], equal_nan=True
            ):
                self.report(f"bits {setup}", name, float(np.abs(a[:n] - b[:n]).max()))


# ------------------------------------------------------------ what is called


def forward_theirs(mj, data, names):
    mujoco.mj_forward(mj, data)
    mujoco.mj_rnePostConstraint(mj, data)
    return fields.of_mujoco(data, names)


def forward_ours(model, data):
    mjenv.forward(model, data, post=True)


CONTACTS = {"ncon", "contact_geom", "contact_dist", "contact_pos", "contact_frame"}
# of a step: the state after it, and the readings
AFTER_STEP = {
    "qpos", "qvel", "act", "time", "history", "qacc_warmstart", "sensordata", "energy",
    "mocap_quat", "tree_asleep", "qacc", "nefc", "act_dot", "qfrc_actuator", "qacc_smooth",
    "qfrc_constraint", "efc_type", "xpos", *CONTACTS,
}  # fmt: skip
AFTER_INVERSE = {
    "nefc", "efc_type", "efc_J", "efc_vel", "efc_aref", "qfrc_inverse", "qfrc_constraint",
    *CONTACTS,
}  # fmt: skip


def step_theirs(mj, data, names):
    mujoco.mj_step(mj, data)
    return fields.of_mujoco(data, [name for name in names if name in AFTER_STEP])


def step_ours(model, data):
    mjenv.step(model, data)


class Inverse:
    """Inverse dynamics of random accelerations."""

    def __init__(self, seed: int):
        self.seed = seed

    def acceleration(self, nv: int) -> np.ndarray:
        return 5 * np.random.default_rng(self.seed).normal(size=nv)

    def theirs(self, mj, data, names):
        data.qacc[:] = self.acceleration(mj.nv)
        mujoco.mj_inverse(mj, data)
        return fields.of_mujoco(data, [name for name in names if name in AFTER_INVERSE])

    def ours(self, model, data):
        data.qacc[:] = self.acceleration(model.nv)
        mjenv.inverse(model, data)
