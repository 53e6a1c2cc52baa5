"""Forward and inverse dynamics that skip what is known, against MuJoCo's."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.errors import FieldError

MODEL = """
<mujoco>
  <option timestep="0.004" integrator="{integrator}"><flag energy="enable" {flags}/></option>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body name="hand" mocap="true" pos="0 0 2"><geom size=".02"/></body>
    <body name="torso" pos="0 0 .2"><freejoint/><geom type="capsule" size=".1 .2" euler="30 0 0"/>
      <body pos="0 0 .3"><joint name="knee" axis="0 1 0" damping=".1" stiffness="3"
          range="-30 30"/>
        <geom type="capsule" size=".05 .2" pos=".2 0 0"/><site name="tip" pos=".4 0 0"/></body>
    </body>
  </worldbody>
  <equality><connect body1="hand" body2="torso" anchor="0 0 0" active="false"/></equality>
  <actuator>
    <position joint="knee" kp="3"/><general joint="knee" dyntype="filter" dynprm=".1"/>
  </actuator>
  <sensor>
    <framepos objtype="site" objname="tip"/><velocimeter site="tip"/><accelerometer site="tip"/>
    <jointpos joint="knee"/>
  </sensor>
</mujoco>
"""
FIELDS = "xpos qM qfrc_bias qfrc_passive qacc sensordata qfrc_constraint energy cvel ncon nefc"


def both(integrator="Euler", flags=""):
    text = MODEL.format(integrator=integrator, flags=flags)
    return mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)


class Pairs:
    """Worlds and MuJoCo's instances of the same states, edited alike."""

    def __init__(self, mj, model, nworld, **options):
        self.mj, self.model, self.random = mj, model, np.random.default_rng(nworld)
        self.data = Data(model, nworld, **options)
        self.sources = [mujoco.MjData(mj) for _ in range(nworld)]
        self.add("qvel", 1.0)

    def add(self, name, size) -> None:
        """Add noise to a field of the state, an input or a result."""
        for world, source in enumerate(self.sources):
            array = getattr(source, name)
            array += self.random.normal(size=array.shape) * size
            getattr(self.data, name)[world] = array

    def run(self, name, *args) -> None:
        getattr(mjenv, name)(self.model, self.data, *args)
        theirs = {"forward_skip": "mj_forwardSkip", "inverse_skip": "mj_inverseSkip"}
        call = getattr(mujoco, theirs.get(name, f"mj_{name}"))
        for source in self.sources:
            call(self.mj, source, *args)

    def compare(self, names, why) -> None:
        for name in names.split():
            for world, source in enumerate(self.sources):
                found = getattr(self.data, name)[world].ravel()
                expected = np.ravel(getattr(source, name))
                error = np.abs(found - expected).max() / (1 + np.abs(expected).max())
                assert error < 1e-9, f"{name} of world {world} after {why}: {error}"


def walk(pairs, n=8) -> None:
    """Skip stages after steps and after forward dynamics, edits of everything in between."""
    for k in range(n):
        pairs.run("step")
        if k % 2:
            pairs.run("forward")
        skipped, quiet = k % 4, int(k % 3 == 0)
        for name, size in {"qpos": 0.05, "qvel": 1.0, "ctrl": 1.0, "xpos": 0.1}.items():
            pairs.add(name, size)
        if skipped == mujoco.mjtStage.mjSTAGE_VEL:
            pairs.add("qfrc_passive", 0.1)
        pairs.run("forward_skip", skipped, quiet)
        pairs.compare(FIELDS, ("forward_skip", k))
        pairs.add("qacc", 1.0)
        pairs.add("qvel", 1.0)
        pairs.run("inverse_skip", (k + k // 4) % 4, quiet)
        pairs.compare(f"{FIELDS} qfrc_inverse", ("inverse_skip", k))


@pytest.mark.sweep(3)
@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit"])
@pytest.mark.parametrize("worlds", [{"nworld": 1}, {"nworld": 11, "width": 8}])
def test_against_mujoco(integrator, worlds):
    walk(Pairs(*both(integrator), **worlds))


def test_large_models_and_discrete_accelerations():
    for nworld in (1, 2):
        walk(Pairs(*both("implicitfast", 'invdiscrete="enable"'), nworld, large_model=True), 5)


def test_worlds_that_are_not_chosen_stay():
    _, model = both()
    data, alone = Data(model, 11, width=8), Data(model, 1)
    for one in (data, alone):
        mjenv.step(model, one, 3)
        one.qpos[:] += 0.1
        one.qvel[:] += 1.0
    before = data.qacc.copy()
    mask = np.arange(11) % 2 == 0
    mjenv.forward_skip(model, data, "pos", mask=mask)
    mjenv.forward_skip(model, alone, "mjSTAGE_POS")
    np.testing.assert_array_equal(data.qacc[~mask], before[~mask])
    for name in ("qacc", "xpos", "cvel", "sensordata", "qfrc_constraint"):
        # the same bits in packs and alone
        expected = np.broadcast_to(getattr(alone, name), getattr(data, name)[mask].shape)
        np.testing.assert_array_equal(getattr(data, name)[mask], expected)


def test_what_cannot_be_skipped():
    _, model = both()
    data = Data(model)
    with pytest.raises(ValueError, match="skipstage: nothing is known since a world was made"):
        mjenv.forward_skip(model, data, 1)
    mjenv.forward_skip(model, data)
    mjenv.forward_skip(model, data, 1)
    mjenv.reset(model, data)
    with pytest.raises(ValueError, match="inverse_skip: skipstage: nothing is known"):
        mjenv.inverse_skip(model, data, "vel")
    for stage in (4, -1, "position"):
        with pytest.raises(ValueError, match=r"skipstage=.*: expected 'none' \(0\), 'pos' \(1\)"):
            mjenv.forward_skip(model, data, stage)
    several = Data(model, 4)
    mjenv.forward(model, several)
    mjenv.reset(model, several, mask=np.arange(4) == 2)
    mjenv.forward_skip(model, several, 1, mask=np.arange(4) != 2)
    with pytest.raises(ValueError, match="nothing is known"):
        mjenv.forward_skip(model, several, 1)
    few = Data(model, 4, keep=["qacc"])
    mjenv.forward_skip(model, few, 0)
    with pytest.raises(FieldError, match=r"keep=None or keep=\[..., 'stages'\]"):
        mjenv.forward_skip(model, few, 1)
    kept = Data(model, 4, keep=["qacc", "stages"])
    mjenv.forward(model, kept)
    mjenv.forward_skip(model, kept, 2)
    with pytest.raises(FieldError, match="qfrc_inverse"):
        mjenv.inverse_skip(model, kept, 1)
