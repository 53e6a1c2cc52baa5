"""Every stage against MuJoCo: inject its fields, poison the outputs, run the stage, compare."""

import mujoco
import numpy as np
import pytest

from mjenv.engine.data.data import Data
from mjenv.engine.simd import kernel
from mjenv.engine.tables.enums import COUNT_XFRC
from tests.engine.reference import MODELS, along, load, trajectory

# relative to 1 + the largest element; kinematics is exact to rounding, what follows from a solve to
# a little more
TOLERANCE = {
    "xpos xquat xmat xipos ximat xanchor xaxis geom_xpos geom_xmat site_xpos site_xmat": 1e-12,
    "subtree_com cinert cdof crb M qM cvel cdof_dot cam_xpos cam_xmat light_xpos light_xdir": 1e-12,
    "actuator_length actuator_moment actuator_velocity actuator_force qfrc_actuator": 1e-12,
    "qfrc_spring qfrc_damper qfrc_gravcomp qfrc_fluid qfrc_passive qfrc_bias qfrc_smooth": 1e-11,
    "qLD qLDiagInv qacc_smooth": 1e-10,
    # the solvers stop at the same tolerance along different paths
    "qacc qfrc_constraint": 1e-9,
    "cacc cfrc_int cfrc_ext": 1e-9,
}
TOLERANCE = {name: value for names, value in TOLERANCE.items() for name in names.split()}
WIDTH = 8


def touched(stage) -> list[str]:
    """Fields that a stage writes or changes."""
    return (stage.writes + " " + stage.changes).split()


class Runner:
    """Runs single stages on scratch filled from MuJoCo, one instance of mjData in each lane."""

    def __init__(self, model):
        self.data = Data(model, WIDTH, width=WIDTH)
        self.plan = self.data.plan
        self.plan.refresh()
        self.scratch = self.plan.threads(1)[0]

    def inject(self, sources, without) -> None:
        arrays = self.scratch.data.arrays
        arrays["count"][COUNT_XFRC] = 1
        names = set(TOLERANCE) | {
            "qpos",
            "qvel",
            "ctrl",
            "qacc_warmstart",
            "qfrc_applied",
            "xfrc_applied",
        }
        for name in names - without:
            for lane, source in enumerate(sources):
                values = np.asarray(getattr(source, name)).ravel()
                arrays[name][: values.size, lane] = values

    def run(self, stage, without) -> dict:
        """Poison the stage's public outputs, run it, and return them: name to (n, WIDTH).

        What earlier stages have begun to write is left as it is.
        """
        arrays = self.scratch.data.arrays
        written = [name for name in touched(stage) if name in TOLERANCE]
        for name in written:
            if name not in without:
                arrays[name][...] = np.nan
        entry = kernel.callable_at(kernel.address(stage.function, *self.plan.records), 2)
        entry(self.scratch.model.address, self.scratch.data.address)
        return {name: arrays[name].copy() for name in written}


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", [*MODELS, "zoo"])
def test_stages(name):
    from mjenv.engine.pipeline.forward import AFTER, POST

    mj, model = load(name)
    runner = Runner(model)
    stages = [*runner.plan.forward, *(s for s in AFTER if not s.name.startswith("export")), POST]
    checked, contacts = set(), 0
    walks = [trajectory(mj, 200, seed, every=8) for seed in range(WIDTH)]
    for sources in zip(*walks, strict=True):
        for source in sources:
            source.xfrc_applied[1:, :] = 0.1
            mujoco.mj_forward(mj, source)
            mujoco.mj_rnePostConstraint(mj, source)
            contacts += source.ncon
        begun = set()
        for k, stage in enumerate(stages):
            runner.inject(sources, begun)
            for field, found in runner.run(stage, begun).items():
                if any(field in touched(later) for later in stages[k + 1 :]):
                    begun.add(field)
                    continue
                begun.discard(field)
                for lane, source in enumerate(sources):
                    expected = np.asarray(getattr(source, field)).ravel()
                    scale = 1 + np.abs(expected).max(initial=0)
                    error = np.abs(found[: expected.size, lane] - expected).max(initial=0) / scale
                    assert error <= TOLERANCE[field], f"{stage.name}: {field}: {error:.1e}"
                checked.add(field)
        for source in sources:
            source.xfrc_applied[:] = 0
    assert contacts > 20 or name == "inverted_pendulum"
    assert checked >= {"xpos", "M", "qLD", "qfrc_bias", "qacc", "cfrc_ext", "cam_xpos"}


CONTACT = {"dist": 1e-10, "pos": 1e-10, "frame": 1e-10, "includemargin": 1e-12, "friction": 1e-12, "solref": 1e-12,
           "solimp": 1e-12, "mu": 1e-12, "dim": 0, "geom": 0, "exclude": 0, "efc_address": 0}  # fmt: skip
ROWS = {"efc_type": 0, "efc_id": 0, "efc_J": 1e-10, "efc_pos": 1e-10, "efc_margin": 1e-12, "efc_frictionloss": 1e-12,
        "efc_diagApprox": 1e-9, "efc_KBIP": 1e-9, "efc_D": 1e-9, "efc_R": 1e-9, "efc_vel": 1e-10, "efc_aref": 1e-9,
        "efc_b": 1e-9, "efc_force": 1e-8}  # fmt: skip


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", [*MODELS, "zoo"])
def test_contacts_and_rows(name):
    """Contacts and rows of each world, in MuJoCo's order, with their parameters."""
    mj, model = load(name)
    data = Data(model, 3, width=8)
    for sources in along(mj, model, data, 300, 15):
        for world, source in enumerate(sources):
            n, nefc = source.ncon, source.nefc
            assert data.ncon[world] == n
            for field, tolerance in CONTACT.items():
                found = getattr(data.contact, field)[world, :n] if n else np.zeros(0)
                expected = np.asarray(getattr(source.contact, field)) if n else np.zeros(0)
                np.testing.assert_allclose(
                    found, expected, rtol=tolerance, atol=tolerance, err_msg=field
                )
            assert (data.ne[world], data.nf[world], data.nl[world], data.nefc[world]) == (
                source.ne, source.nf, source.nl, nefc,
            )  # fmt: skip
            for field, tolerance in ROWS.items():
                expected = np.asarray(getattr(source, field)).ravel()
                found = getattr(data, field)[world].ravel()[: expected.size]
                scale = 1 + np.abs(expected).max(initial=0)
                np.testing.assert_allclose(
                    found / scale, expected / scale, rtol=0, atol=tolerance, err_msg=field
                )
