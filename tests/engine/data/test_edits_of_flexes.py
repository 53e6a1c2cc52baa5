"""Every field of deformables, edited after data were made and stepped: MuJoCo, or an error."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.model.editable import EDITS, of_kind
from tests.engine.mjcf.test_models import differences

SOFT = "young='2e3' poisson='.3' damping='.01'"
APART = "<contact contype='0' conaffinity='0' selfcollide='none' internal='false'/>"


def flexcomp(name: str, attributes: str, inside: str, count: str) -> str:
    return (
        f"<flexcomp name='{name}' {attributes} count='{count}' spacing='.1 .12 .09'>{inside}{APART}"
        "</flexcomp>"
    )


SCENE = f"""
<mujoco><option integrator='implicitfast'><flag contact='disable'/></option><worldbody>
  {flexcomp("line", "dim='1'", "<edge stiffness='50' damping='.2'/><pin id='0'/>", "4 1 1")}
  {flexcomp("sheet", "", f"<elasticity {SOFT} thickness='.02' elastic2d='both'/>", "3 3 1")}
  {flexcomp("solid", "dim='3'", f"<elasticity {SOFT}/>", "2 2 2")}
  {flexcomp("edges", "", "<edge equality='true'/>", "3 2 1")}
  {flexcomp("vertices", "", "<edge equality='vert'/>", "3 3 1")}
  {flexcomp("strained", "dim='3' dof='trilinear'", "<edge equality='strain'/>", "2 2 2")}
  {flexcomp("nodes", "dim='3' dof='quadratic'", f"<elasticity {SOFT}/>", "3 2 2")}
  {
    flexcomp(
        "shell",
        "dim='3' type='box' dof='trilinear' cellcount='2 1 1'",
        f"<elasticity {SOFT} thickness='.02' elastic2d='bend'/>",
        "3 3 3",
    )
}
  <body name='b' pos='0 0 1'><freejoint/><geom size='.1'/>
    {
    flexcomp("hung", "dim='1'", "<edge stiffness='50' damping='.2'/><pin id='0'/>", "4 1 1")
}</body>
</worldbody></mujoco>"""
RESULTS = ("qpos", "qvel", "qfrc_passive", "qacc", "flexvert_xpos", "efc_pos", "efc_diagApprox")
TYPES = "flex_contype", "flex_conaffinity", "flex_internal", "flex_selfcollide"


def fields(*kinds: str) -> list[str]:
    return [name for name in of_kind(*kinds) if name.startswith("flex")]


class Both:
    """The scene here and in MuJoCo, in the same state."""

    def __init__(self):
        self.model = mjenv.Model.from_xml_string(SCENE)
        self.reference = mujoco.MjModel.from_xml_string(SCENE)
        self.data, self.expected = mjenv.Data(self.model), mujoco.MjData(self.reference)
        rng = np.random.default_rng(0)
        mujoco.mj_integratePos(
            self.reference, self.expected.qpos, 0.01 * rng.normal(size=self.model.nv), 1
        )
        self.state = self.expected.qpos.copy(), 0.1 * rng.normal(size=self.model.nv)
        self.go_back()
        self.step(2)

    def go_back(self) -> None:
        """Have the state from which edits are tried."""
        for data in (self.expected, self.data):
            data.qpos[...], data.qvel[...] = self.state
            data.qacc_warmstart[...] = 0

    def step(self, n: int) -> None:
        """Step and compare."""
        for _ in range(n):
            mujoco.mj_step(self.reference, self.expected)
            mjenv.step(self.model, self.data)
            for name in RESULTS:
                other = np.ravel(getattr(self.expected, name))
                mine = np.ravel(getattr(self.data, name))[: len(other)]
                np.testing.assert_allclose(mine, other, atol=1e-8, rtol=1e-8, err_msg=name)


def test_many_deformables_compile_and_are_saved():
    """Where gradients of edges lie over each other, as behind nodes, weights are MuJoCo's too."""
    spec = mjenv.Spec.from_string(SCENE)
    model, text = spec.compile(), spec.to_xml()
    assert not differences(model, mujoco.MjModel.from_xml_string(SCENE))
    again = mjenv.Model.from_xml_string(text)
    assert not differences(again, model)
    assert not differences(again, mujoco.MjModel.from_xml_string(text))


@pytest.fixture(scope="module")
def both():
    return Both()


@pytest.mark.sweep(14)
@pytest.mark.parametrize("name", fields("live", "rebuilt"))
def test_edits_count(both, name):
    original = np.array(getattr(both.reference, name))
    assert original.size
    rng = np.random.default_rng(1)
    if name in TYPES:
        value = 1 - np.minimum(original, 1)
    else:
        value = original * (1 + 0.05 * rng.uniform(size=original.shape))
    if name == "flex_bending":
        # of shells: number of edges, and the cells of each
        adr = int(both.reference.flex_bendingadr[both.model.flex("shell").id])
        value[adr:] = original[adr:]
        value[adr + 7 :: 10] *= 1.1
    if name == "flex_stiffness":
        # of strained cells: how many strains
        adr = int(both.reference.flex_stiffnessadr[both.model.flex("strained").id])
        value[adr] = original[adr]
    both.go_back()
    for model in (both.model, both.reference):
        getattr(model, name)[...] = value
    try:
        both.step(2)
    finally:
        for model in (both.model, both.reference):
            getattr(model, name)[...] = original
    both.go_back()
    both.step(1)


@pytest.mark.parametrize("name", fields("fixed", "readonly"))
def test_structure_is_refused(both, name):
    array = getattr(both.model, name)
    assert array.size
    original = array.copy()

    def edit_and_step():
        array[-1:] = original[-1:] + 1
        mjenv.step(both.model, both.data)

    try:
        with pytest.raises(ValueError, match=rf"model.{name} was edited"):
            edit_and_step()
    finally:
        if EDITS[name] == "fixed":
            array[:] = original
    both.go_back()
    both.step(1)


def test_what_no_simulation_reads(both):
    """MuJoCo has the same results, too."""
    both.go_back()
    for name in fields("unused"):
        for model in (both.model, both.reference):
            array = getattr(model, name)
            array[...] = array + 1
    both.step(1)
