"""Options and flags are switched on and off again after steps, beside MuJoCo."""

import mujoco
import pytest

from .test_edits import Beside
from .test_edits_of_fields import Both

DISABLED = [flag for flag in mujoco.mjtDisableBit.__members__ if flag != "mjNDISABLE"]
ENABLED = [
    "mjENBL_OVERRIDE",
    "mjENBL_ENERGY",
    "mjENBL_FWDINV",
    "mjENBL_INVDISCRETE",
    "mjENBL_SLEEP",
]
NUMBERS = [
    ("integrator", 1), ("integrator", 2), ("integrator", 3), ("cone", 1), ("jacobian", 0),
    ("jacobian", 1), ("solver", 0), ("solver", 1), ("noslip_iterations", 3), ("density", 0.0),
    ("density", 50.0), ("viscosity", 0.0), ("impratio", 3.0),
    ("ls_iterations", 3), ("ccd_iterations", 5), ("ccd_iterations", 80), ("timestep", 0.004),
    ("disableactuator", 1), ("wind", (0, 2, 1)), ("gravity", (0, 1, -3)), ("magnetic", (1, 0, 0)),
]  # fmt: skip


@pytest.fixture(scope="module", params=[None, True], ids=["pairs", "large_model"])
def both(request):
    return Both(large_model=request.param)


def switch(both, name: str, value) -> None:
    """Have another option for some steps."""
    before = [getattr(model.opt, name) for model in (both.model, both.reference)]
    before = [old if isinstance(old, (int, float)) else old.copy() for old in before]
    both.go_back()
    for model in (both.model, both.reference):
        setattr(model.opt, name, value)
    try:
        both.step(2)
    finally:
        for model, old in zip((both.model, both.reference), before, strict=True):
            setattr(model.opt, name, old)
        both.go_back()
    both.step(1)


@pytest.mark.sweep(35)
@pytest.mark.parametrize("flag", DISABLED)
def test_disabling(both, flag):
    switch(both, "disableflags", int(getattr(mujoco.mjtDisableBit, flag)))


@pytest.mark.parametrize("flag", ENABLED)
def test_enabling(both, flag):
    switch(both, "enableflags", int(getattr(mujoco.mjtEnableBit, flag)))


@pytest.mark.sweep(26)
@pytest.mark.parametrize(("name", "value"), NUMBERS)
def test_options(both, name, value):
    switch(both, name, value)


FEW = """
<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .095"><freejoint/><geom size=".1"/></body>
    <body pos="1 0 .3"><joint axis="0 1 0" damping=".1"/><geom type="capsule" size=".05 .2"/>
      <body pos="0 0 .1"><joint axis="1 0 0" range="-.1 .1"/><geom size=".1"/></body></body>
  </worldbody>
</mujoco>
"""


@pytest.mark.parametrize("nworld", [2, 16])
@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("contact", ""),
        ("", "contact"),
        ("constraint", ""),
        ("", "filterparent"),
        ("filterparent", ""),
    ],
)
def test_flags_that_data_of_many_worlds_were_made_with(nworld, first, then):
    names = ["constraint", "equality", "frictionloss", "limit", "contact"]
    bits = {name: 1 << k for k, name in enumerate(names)} | {"filterparent": 1 << 10, "": 0}
    both = Beside(FEW, 1)
    for model in both.models:
        model.opt.disableflags = bits[first]
    both.data = type(both.data)(both.model, nworld)
    both.step()
    for model in both.models:
        model.opt.disableflags = bits[then]
    both.step()
    for model in both.models:
        model.opt.disableflags = bits[first]
    both.step()
