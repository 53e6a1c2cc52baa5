"""Deformables in abstract scenes and pictures: vertices, edges, faces, skins, trees of boxes."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.render import Renderer
from tests.mjenv.visual.beside import Both
from tests.mjenv.visual.test_interaction import Interactive

VIS = mujoco.mjtVisFlag
LABEL = mujoco.mjtLabel
APART = "<contact selfcollide='none' internal='false' contype='0' conaffinity='0'/>"
SCENE = f"""
<mujoco>
  <asset>
    <texture name="t" type="2d" builtin="checker" width="8" height="8" rgb1="1 0 0" rgb2="0 0 1"/>
    <material name="squares" texture="t" emission="1"/>
    <material name="ghost" rgba="1 1 1 0"/>
  </asset>
  <worldbody>
    <light pos="0 0 3"/>
    <camera name="eye" pos=".1 -1.2 1.3" xyaxes="1 0 0 0 .6 .8"/>
    <body name="b" pos="0 0 .1"><freejoint/><geom size=".05" group="3" mass="1"/>
      <flexcomp name="sheet" count="4 5 1" spacing=".1 .1 .1" radius=".02" pos="0 .3 .2"
        material="squares"><texcoord/><edge equality="true"/>{APART}</flexcomp>
    </body>
    <flexcomp name="solid" type="grid" dim="3" count="5 4 4" spacing=".05 .05 .05" radius=".01"
      flatskin="true" group="1" pos=".5 0 .3" rgba="0 1 0 1">{APART}
      <elasticity young="1e3" poisson=".2"/></flexcomp>
    <flexcomp name="line" type="circle" dim="1" count="8 1 1" spacing=".1 .1 .1" radius=".01"
      pos="0 0 .6">{APART}</flexcomp>
    <flexcomp name="nodes" type="grid" dim="3" dof="quadratic" count="3 3 4" cellcount="1 2 1"
      spacing=".1 .1 .1" radius=".01" pos="-.5 0 .4">{APART}<pin id="0 1"/>
      <elasticity young="1e3" poisson=".2"/></flexcomp>
    <flexcomp name="hidden" count="3 3 1" spacing=".1 .1 .1" radius=".02" material="ghost"
      rgba=".5 .5 .5 1">{APART}</flexcomp>
  </worldbody>
</mujoco>
""".replace("<texcoord/>", "")
PARTS = (VIS.mjVIS_FLEXVERT, VIS.mjVIS_FLEXEDGE, VIS.mjVIS_FLEXFACE, VIS.mjVIS_FLEXSKIN)


@pytest.fixture(scope="module")
def scene():
    return Both(SCENE, steps=5)


@pytest.mark.sweep(6)
@pytest.mark.parametrize("shown", range(16))
def test_parts(scene, shown):
    """Vertices, edges, faces and skins, in all combinations."""
    flags = {flag: bool(shown & 1 << k) for k, flag in enumerate(PARTS)}
    scene.compare(f"parts {shown}", flags=flags)
    assert scene.ours.nflex == 5
    scene.compare(f"parts {shown}", flags=flags, flexgroup=1, flex_layer=1)


def test_labels_selection_and_groups(scene):
    scene.compare(label=LABEL.mjLABEL_FLEX)
    scene.compare(flags={VIS.mjVIS_TRANSPARENT: 1, VIS.mjVIS_TEXTURE: 0})
    scene.compare(catmask=int(mujoco.mjtCatBit.mjCAT_STATIC))
    pert = mujoco.MjvPerturb()
    pert.flexselect = 1
    scene.compare(pert=pert, flexgroup=[1, 1, 0, 0, 0, 0])
    scene.compare(flexgroup=0)


@pytest.mark.parametrize("depth", range(5))
def test_trees(scene, depth):
    """Boxes of elements, and lines between nodes."""
    scene.compare(flags={VIS.mjVIS_MESHBVH: 1}, bvh_depth=depth)


@pytest.mark.parametrize("part", range(4))
def test_pictures(scene, part):
    """Every part is seen where the deformables are, also in batches."""
    data = mjenv.Data(scene.model, nworld=2)
    mjenv.forward(scene.model, data)
    data.qpos[1, 0] += 0.2
    mjenv.forward(scene.model, data)
    option = mjenv.MjvOption()
    for k, flag in enumerate(PARTS):
        option.flags[int(flag)] = k == part
    with Renderer(scene.model, 60, 80) as renderer:
        renderer.enable_segmentation_rendering()
        pictures = renderer.render_worlds(data, "eye", option)
        renderer.update_scene(data, "eye", option, 1)
        assert np.array_equal(renderer.render(), pictures[1])
    flex = pictures[0][pictures[0][..., 1] == int(mujoco.mjtObj.mjOBJ_FLEX)][:, 0]
    # lines have edges and vertices only; "hidden" is transparent
    lines = {scene.model.flex("line").id} if part < 2 else set()
    seen = {scene.model.flex(name).id for name in ("sheet", "solid", "nodes")} | lines
    assert set(flex.tolist()) == seen
    assert not np.array_equal(pictures[0], pictures[1])


@pytest.mark.sweep(1)
@pytest.mark.parametrize("part", [None, *range(4)])
def test_selection(part):
    """The deformable under the mouse, and the body of its nearest vertex or node."""
    one = Interactive(SCENE)
    camera = mujoco.MjvCamera()
    camera.distance, camera.lookat, camera.elevation = 2, [0.1, 0.2, 0.3], -30
    one.compare(camera=camera)
    flags = {flag: k == part for k, flag in enumerate(PARTS)}
    theirs, option = one.options(flags=flags, flex_layer=1, flexgroup=1)
    seen = set()
    for relx in np.linspace(0.1, 0.9, 17):
        for rely in np.linspace(0.1, 0.9, 17):
            point, ids = np.zeros(3), np.full((3, 1), -1, np.int32)
            body = mujoco.mjv_select(one.m, one.d, theirs, 1.0, relx, rely, one.theirs, point, *ids)
            found = mjenv.mjv_select(
                one.model, one.worlds, option, 1.0, relx, rely, one.ours, world=1
            )
            assert (found.bodyid, *found[2:]) == (body, *ids[:, 0])
            np.testing.assert_allclose(found.point, point, atol=1e-5)
            seen.add(found.flexid)
            if found.flexid >= 0:
                one.perturb(select=body, flexselect=found.flexid, localpos=[0, 0, 0])
                one.start()
                assert one.pert.localmass == pytest.approx(one.theirs_pert.localmass)
    assert (len(seen) > 1) == (part is not None)
