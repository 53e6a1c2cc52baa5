"""Every function of MuJoCo's bindings has something here, or a reason why not."""

from operator import attrgetter
from pathlib import Path

import mujoco
import pytest

import mjenv
from mjenv import ported

NAMES = [name for name in dir(mujoco) if name.startswith(("mj_", "mjd_", "mjv_"))]


@pytest.mark.parametrize("name", NAMES)
def test_every_function(name):
    found = ported.counterpart(name, dir(mjenv))
    reasons = [reason for reason, names in ported.LEFT_OUT.items() if name in names]
    assert (found is None) == (len(reasons) == 1)
    if found is not None:
        assert callable(attrgetter(found)(mjenv)) or found == "__version__"


def test_reasons_are_documented():
    page = (Path(__file__).resolve().parents[2] / "docs" / "mujoco.md").read_text()
    for reason, names in ported.LEFT_OUT.items():
        assert f"| {', '.join(f'`{name}`' for name in names)} | {reason} |" in page
        assert set(names) <= set(NAMES)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mj_step", "; it is mjenv.step"),
        ("MjData", "; it is mjenv.Data"),
        ("mj_jacSite", "; it is mjenv.jac_site"),
        ("mju_mulQuat", "; it is mjenv.mju.mul_quat"),
        ("mju_axisAngle2Quat", "; it is mjenv.mju."),
        ("mju_dot3", "; numpy or Python's own functions do it"),
        ("mjv_defaultFigure", "; plots are drawn by libraries for plots"),
        ("mjd_subQuat", "; it is mjenv.mju.sub_quat_derivatives"),
        ("mju_raySkin", "; it is mjenv.mju.ray_skin"),
        ("mju_rayGeom", "; it is mjenv.mju.ray_geom"),
        ("mj_rayFlex", "; it is mjenv.ray_flex"),
    ],
)
def test_names_of_mujoco_lead_here(name, message):
    with pytest.raises(AttributeError) as caught:
        getattr(mjenv, name)
    assert str(caught.value).startswith(f"mjenv: no attribute {name!r}{message}")
