"""Contacts of the shared models' deformables are MuJoCo's along its trajectories."""

import json
from pathlib import Path

import mujoco
import numpy as np
import pytest

import mjenv

SHARED = Path(__file__).resolve().parents[5] / "shared" / "models"
COPIED = ("qpos", "qvel", "act", "ctrl", "qacc_warmstart", "time", "mocap_pos", "mocap_quat")
WHOLE = ("geom", "flex", "elem", "vert", "exclude", "dim")
STEPS, EVERY = 400, 40


def with_flexes() -> list[str]:
    """Models whose text has deformables."""
    if not SHARED.exists():
        return []
    index = json.loads((SHARED / "index.json").read_text())
    names = [*index["files"], *(f"inline/{name}" for name in index["inline_ok"])]
    return [n for n in names if "<flex" in (SHARED / n).read_text(errors="replace")]


MODELS = with_flexes()


@pytest.mark.skipif(not MODELS, reason="the shared models are not part of the distribution")
@pytest.mark.sweep(6)
@pytest.mark.parametrize("name", MODELS or ["none"])
def test_contacts(name):
    """Contacts one by one, and rows; what solvers make of them depends on their tolerance."""
    path = SHARED / name
    try:
        mj = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        pytest.skip(f"MuJoCo refuses it: {error}")
    model = mjenv.Model.from_xml_path(path)
    theirs, ours = mujoco.MjData(mj), mjenv.Data(model)
    for step in range(STEPS):
        if not np.isfinite(theirs.qpos).all() or theirs.warning.number.any():
            break
        if step % EVERY == 0:
            for field in COPIED:
                if np.size(getattr(theirs, field)):
                    setattr(ours, field, getattr(theirs, field))
            mujoco.mj_forward(mj, theirs)
            mjenv.forward(model, ours)
            compare(theirs, ours)
        mujoco.mj_step(mj, theirs)


def compare(theirs, ours):
    """Contacts, and what rows have of them."""
    count = theirs.ncon
    assert ours.ncon[0] == count
    for field in WHOLE if count else ():
        expected, found = getattr(theirs.contact, field), getattr(ours.contact, field)[0][:count]
        np.testing.assert_array_equal(found, expected, err_msg=field)
    for field in ("dist", "pos", "frame") if count else ():
        expected, found = getattr(theirs.contact, field), getattr(ours.contact, field)[0][:count]
        np.testing.assert_allclose(found, expected, atol=1e-9, rtol=0, err_msg=field)
    assert ours.nefc[0] == theirs.nefc
    for field in ("efc_diagApprox", "efc_aref", "qfrc_spring"):
        expected = np.ravel(getattr(theirs, field))
        found = np.ravel(getattr(ours, field))[: len(expected)]
        scale = np.abs(expected).max(initial=1.0)
        np.testing.assert_allclose(found, expected, atol=1e-8 * scale, rtol=0, err_msg=field)
