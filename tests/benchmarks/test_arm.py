"""The arm of the benchmarks is MuJoCo's model, its muscles stay in their range of length."""

import mujoco
import numpy as np

import mjenv
from benchmarks.models import model_text
from tests.engine.mjcf.test_models import differences

NWORLD = 8
TEXT = model_text("arm")


def test_arrays():
    model = mjenv.Model.from_xml_string(TEXT)
    assert not differences(model, mujoco.MjModel.from_xml_string(TEXT))


def test_steps():
    """Trajectories of all worlds, in which every tendon wraps and lengths stay in range."""
    mj, model = mujoco.MjModel.from_xml_string(TEXT), mjenv.Model.from_xml_string(TEXT)
    data, rng = (
        mjenv.Data(model, NWORLD, width=NWORLD, keep=["ten_length"]),
        np.random.default_rng(0),
    )
    sources = [mujoco.MjData(mj) for _ in range(NWORLD)]
    low, high = mj.actuator_lengthrange.T
    wraps = np.zeros(mj.ntendon, int)
    for _ in range(20):
        data.ctrl[:] = rng.uniform(0, 1, data.ctrl.shape)
        mjenv.step(model, data, 10)
        assert (data.ten_length > low - 0.01).all()
        assert (data.ten_length < high + 0.01).all()
        for world, source in enumerate(sources):
            source.ctrl[:] = data.ctrl[world]
            mujoco.mj_step(mj, source, 10)
            wraps = np.maximum(wraps, source.ten_wrapnum)
    found = [np.abs(data.qpos[k] - source.qpos).max() for k, source in enumerate(sources)]
    assert max(found) < 1e-7
    assert (wraps > 2).all()
