"""The first warning of each kind is told once, and any may be silenced."""

import warnings

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.run.simulation_warnings import TEXTS
from mjenv.engine.tables.enums import NWARNING

XML = """
<mujoco>
  <worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>
  <actuator><motor joint="j"/></actuator>
</mujoco>
"""


def told(call) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    assert all(one.category is mjenv.SimulationWarning for one in found)
    assert all(one.filename == __file__ for one in found)
    return [str(one.message) for one in found]


def test_every_kind_has_the_text_of_mujoco():
    assert sorted(TEXTS) == list(range(NWARNING))
    for kind in mjenv.mjtWarning:
        if kind < NWARNING:
            assert mjenv.mju.warning_text(kind, 7) == mujoco.mju_warningText(int(kind), 7)
    with pytest.raises(ValueError, match="warning_text: warning=7: expected"):
        mjenv.mju.warning_text(7, 0)


@pytest.mark.parametrize("nworld", [1, 20])
def test_first_of_each_kind(nworld):
    model = mjenv.Model.from_xml_string(XML)
    data = mjenv.Data(model, nworld)
    where = "world 0 of 20: " if nworld > 1 else ""
    data.qpos[:] = np.nan
    (message,) = told(lambda: mjenv.step(model, data, 3))
    assert message == (
        f"{where}Nan, Inf or huge value in QPOS at DOF 0. The simulation is unstable. "
        "(told once; data.warning counts)"
    )
    data.qpos[:] = np.nan
    data.qvel[nworld - 1 :] = 1e12
    assert told(lambda: mjenv.step(model, data)) == []
    data.qvel[nworld - 1 :] = np.inf
    (message,) = told(lambda: mjenv.step(model, data))
    assert "QVEL at DOF 0" in message
    data.ctrl[:] = np.nan
    (message,) = told(lambda: mjenv.forward(model, data))
    assert "CTRL at ACTUATOR 0" in message
    assert (data.warning["number"][:, 6] > 0).all()
    assert told(lambda: mjenv.step(model, data)) == []


def test_warnings_can_be_silenced_or_made_errors():
    model = mjenv.Model.from_xml_string(XML)
    data = mjenv.Data(model)
    data.qpos[:] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error", mjenv.SimulationWarning)
        with pytest.raises(mjenv.SimulationWarning, match="QPOS at DOF 0"):
            mjenv.step(model, data)
        warnings.simplefilter("ignore", mjenv.SimulationWarning)
        mjenv.step(model, data)


BAD = [("qpos", np.nan), ("qvel", np.inf), ("qacc_warmstart", np.nan), ("xfrc_applied", np.inf)]


@pytest.mark.parametrize("flags", ["", '<flag autoreset="disable"/>'])
@pytest.mark.parametrize(("field", "value"), [*BAD, ("ctrl", np.nan)])
def test_warnings_count_as_often_as_in_mujoco(field, value, flags):
    """Without autoreset both checks of a step, and the steps that follow, count what stays bad."""
    text = XML.replace("<worldbody>", f"<option>{flags}</option><worldbody>")
    model, mj = mjenv.Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    data, source = mjenv.Data(model), mujoco.MjData(mj)
    getattr(data, field)[:] = value
    getattr(source, field)[:] = value
    mujoco.set_mju_user_warning(lambda text: None)
    try:
        for _ in range(3):
            told(lambda: mjenv.step(model, data))
            mujoco.mj_step(mj, source)
            found = np.ravel(data.warning["number"])
            expected = [warning.number for warning in source.warning]
            assert found.tolist() == expected
    finally:
        mujoco.set_mju_user_warning(None)
    assert sum(expected) > 0 or field == "qacc_warmstart"


@pytest.mark.parametrize("options", [{}, {"nworld": 8}, {"large_model": True}])
def test_nan_without_autoreset_stays_in_its_tree(options):
    """In MuJoCo what is at NaN touches everything, and all becomes NaN."""
    body = '<body pos="{} 0 .09"><freejoint/><geom size=".1"/></body>'
    xml = f"""<mujoco><option><flag autoreset="disable"/></option><worldbody>
    <geom type="plane" size="9 9 .1"/>{body.format(0)}{body.format(3)}</worldbody></mujoco>"""
    model = mjenv.Model.from_xml_string(xml)
    data, healthy = mjenv.Data(model, **options), mjenv.Data(model, **options)
    data.qpos[0, 2] = np.nan
    with pytest.warns(mjenv.SimulationWarning):
        mjenv.step(model, data, 5)
    mjenv.step(model, healthy, 5)
    assert np.isnan(data.qpos[0, :7]).any()
    np.testing.assert_allclose(data.qpos[0, 7:], healthy.qpos[0, 7:], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(data.qpos[1:], healthy.qpos[1:])
