"""Large models are solved island by island, with MuJoCo's accelerations and iterations."""

import mujoco
import numpy as np
import pytest

import mjenv

# trees that touch, hang on equalities and tendons, rub and run into limits; one tree alone
SCENE = """
<mujoco>
  <option cone="{cone}" tolerance="1e-12" iterations="100"/>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    {boxes}
    <body name="arm" pos="-1 0 .6">
      <joint name="a1" axis="0 1 0" limited="true" range="-20 20" frictionloss=".2"/>
      <geom type="capsule" fromto="0 0 0 .3 0 0" size=".05"/>
      <body pos=".3 0 0"><joint name="a2" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 .3 0 0" size=".05"/>
        <site name="tip" pos=".3 0 0"/></body>
      <body pos=".3 0 0"><joint name="a3" axis="0 0 1"/>
        <geom type="capsule" fromto="0 0 0 0 .3 0" size=".05"/></body>
    </body>
    <body name="ball" pos="-.4 0 .3"><freejoint/><geom size=".1"/><site name="ball"/></body>
    <body name="post" pos="-.4 .6 .3"><joint type="ball"/><geom size=".1" pos="0 0 .2"/>
      <site name="post" pos="0 0 .2"/></body>
    <body name="alone" pos="0 3 3"><freejoint/><geom size=".1"/></body>
  </worldbody>
  <tendon>
    <spatial name="rope" limited="true" range="0 .4"><site site="tip"/><site site="ball"/></spatial>
    <spatial name="knot" frictionloss=".3"><site site="tip"/><site site="ball"/>
      <site site="post"/></spatial>
  </tendon>
  <equality>
    <connect body1="ball" body2="post" anchor="0 .3 0"/>
    <joint joint1="a2" joint2="a3"/>
  </equality>
</mujoco>
"""
BOX = '<body pos="{} {} {}"><freejoint/><geom type="box" size=".1 .1 .1" condim="{}"/></body>'


def large_model(cone: str) -> str:
    rng = np.random.default_rng(3)
    places = [(0.19 * (i % 3), 0.19 * (i // 3 % 2), 0.1 + 0.2 * (i // 6)) for i in range(14)]
    boxes = [BOX.format(*(rng.normal(p, 0.005)), (3, 1, 4, 6)[i % 4]) for i, p in enumerate(places)]
    return SCENE.format(cone=cone, boxes="".join(boxes))


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_accelerations_and_iterations_are_those_of_mujoco(cone):
    text = large_model(cone)
    model, reference = mjenv.Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    data, expected = mjenv.Data(model, large_model=True), mujoco.MjData(reference)
    most = 0
    for _ in range(25):
        for _ in range(8):
            mujoco.mj_step(reference, expected)
        for name in ("qpos", "qvel", "qacc_warmstart"):
            getattr(data, name)[0] = getattr(expected, name)
        mjenv.forward(model, data)
        mujoco.mj_forward(reference, expected)
        scale = 1.0 + abs(expected.qacc).max()
        np.testing.assert_allclose(data.qacc[0] / scale, expected.qacc / scale, rtol=0, atol=2e-8)
        n = min(expected.nisland, 20)
        assert data.nisland[0] == expected.nisland
        # the line searches differ: an iteration more or less per island
        assert abs(data.solver_niter[0][:n].sum() - expected.solver_niter[:n].sum()) <= 2 * n
        assert data.nefc[0] == expected.nefc
        np.testing.assert_allclose(
            data.efc_force[0][: expected.nefc], expected.efc_force, rtol=1e-5, atol=1e-5 * scale
        )
        most = max(most, int(max(np.bincount(expected.tree_island[expected.tree_island >= 0]))))
    assert most > 8  # a pile was one island


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_first_directions_of_conjugate_gradients_are_those_of_mujoco(cone):
    """In every island, before it converges: equalities, friction, limits, contacts, free dofs."""
    option = 'solver="CG" tolerance="0" ls_tolerance="1e-10" ls_iterations="100" iterations="4"'
    text = large_model(cone).replace('tolerance="1e-12" iterations="100"', option)
    model, reference = mjenv.Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    data, expected = mjenv.Data(model, large_model=True), mujoco.MjData(reference)
    for _ in range(25):
        for _ in range(8):
            mujoco.mj_step(reference, expected)
        for name in ("qpos", "qvel", "qacc_warmstart"):
            getattr(data, name)[0] = getattr(expected, name)
        mjenv.forward(model, data)
        mujoco.mj_forward(reference, expected)
        assert data.nisland[0] == expected.nisland
        assert (data.solver_niter[0] == expected.solver_niter).all()
        scale = 1.0 + abs(expected.qacc).max()
        np.testing.assert_allclose(data.qacc[0] / scale, expected.qacc / scale, rtol=0, atol=1e-6)
        scale = 1.0 + abs(expected.qfrc_constraint).max()
        np.testing.assert_allclose(
            data.qfrc_constraint[0] / scale, expected.qfrc_constraint / scale, rtol=0, atol=1e-6
        )


def test_small_model_in_large_model_mode_moves_as_packs_do():
    text = large_model("pyramidal")
    model = mjenv.Model.from_xml_string(text)
    alone, packed = (
        mjenv.Data(model, large_model=True),
        mjenv.Data(model, 2, large_model=False, width=8),
    )
    mjenv.step(model, alone, 40)
    mjenv.step(model, packed, 40)
    np.testing.assert_allclose(alone.qpos[0], packed.qpos[0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("solver", ["Newton", "CG"])
def test_worlds_of_a_large_model_do_not_depend_on_threads(solver):
    """Nor on whether statistics of the solver are kept."""
    text = large_model("pyramidal").replace("<option ", f'<option solver="{solver}" ')
    model = mjenv.Model.from_xml_string(text)
    many = mjenv.Data(model, 3, large_model=True, nthread=2, keep=[])
    one = mjenv.Data(model, large_model=True, keep=["solver"])
    many.qpos[1, 0] += 0.3
    mjenv.step(model, many, 30)
    for world in range(3):
        mjenv.reset(model, one)
        if world == 1:
            one.qpos[0, 0] += 0.3
        mjenv.step(model, one, 30)
        assert one.qpos[0].tobytes() == many.qpos[world].tobytes()


@pytest.mark.sweep(1)
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_a_tree_with_many_branches(cone):
    """Branches that constraints join: most of the Hessian of a large tree is zero."""
    sheet = (
        "<flexcomp name='f' count='9 9 1' spacing='.1 .1 .1' radius='.01' mass='.3' pos='0 0 .2'>"
        "<pin id='0 40'/><contact selfcollide='none' internal='false'/>"
        "<edge equality='true'/></flexcomp>"
    )
    xml = f"""<mujoco><option cone='{cone}' tolerance='1e-12'/><worldbody>
<geom type='plane' size='3 3 1'/><body name='b' pos='0 0 .2'><freejoint/><geom size='.1'/>{sheet}
</body></worldbody></mujoco>"""
    mj, model = mujoco.MjModel.from_xml_string(xml), mjenv.Model.from_xml_string(xml)
    assert mj.ntree == 1
    theirs, ours = mujoco.MjData(mj), mjenv.Data(model)
    for _ in range(8):
        for field in ("qpos", "qvel", "qacc_warmstart", "time"):
            setattr(ours, field, getattr(theirs, field))
        mujoco.mj_forward(mj, theirs)
        mjenv.forward(model, ours)
        assert ours.nefc[0] == theirs.nefc > 100
        scale = np.abs(theirs.qacc).max()
        np.testing.assert_allclose(ours.qacc[0], theirs.qacc, atol=1e-7 * scale)
        mujoco.mj_step(mj, theirs, 40)
    assert theirs.ncon
