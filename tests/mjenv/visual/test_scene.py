"""Abstract scenes of models: geoms, sites, skins, lights and cameras, beside MuJoCo's."""

import copy
import pickle

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.visual import default_camera, model_shapes
from tests.mjenv.visual.beside import XML, Both, as_data, both, copied, different_fields

VIS = mujoco.mjtVisFlag
LABEL = mujoco.mjtLabel
ENVIRONMENTS = sorted(path.stem for path in XML.glob("*.xml"))

SHAPES = """
<mujoco>
  <visual><headlight active="0"/><map zfar="20" alpha="0.4"/></visual>
  <asset>
    <texture name="t" type="2d" builtin="checker" width="8" height="8"/>
    <material name="red" rgba="1 0 0 1" emission="0.1" shininess="0.7" specular="0.2"/>
    <material name="squares" texture="t" texrepeat="3 0.5" texuniform="true" reflectance="0.3"/>
    <material name="ghost" rgba="1 1 1 0"/>
    <mesh name="tetra" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
    <mesh name="mapped" vertex="0 0 0 1 0 0 0 1 0 0 0 1" texcoord="0 0 1 0 0 1 1 1"/>
    <hfield name="h" nrow="3" ncol="3" size="1 1 1 0.1"/>
  </asset>
  <worldbody>
    <light name="sun" type="directional" pos="0 0 4" dir="0.1 0 -1" castshadow="false"/>
    <light name="spot" type="spot" pos="1 0 2" attenuation="1 0.1 0" cutoff="30" exponent="5"/>
    <light name="point" type="point" pos="0 1 2" bulbradius="0.1" range="4" intensity="2"/>
    <light name="off" active="false"/>
    <camera name="wide" pos="0 -3 2" xyaxes="1 0 0 0 1 2" fovy="70" ipd="0.1"/>
    <camera name="flat" pos="0 -3 2" xyaxes="1 0 0 0 1 2" projection="orthographic" fovy="2"/>
    <camera name="lens" pos="0 -3 2" sensorsize="0.036 0.024" focal="0.05 0.04"
      principal="0.002 -0.001" resolution="60 40"/>
    <geom name="floor" type="plane" size="0 0 1" material="squares"/>
    <geom name="half" type="plane" size="2 0 1" pos="0.3 0 -1" euler="0 20 30"/>
    <geom name="ramp" type="plane" size="1 1 1" pos="0 0 -2" material="red"/>
    <geom type="hfield" hfield="h" pos="0 3 0"/>
    <body name="b" pos="0 0 1">
      <freejoint/>
      <geom name="ball" size="0.2" material="red"/>
      <geom name="tinted" type="capsule" size="0.1 0.2" material="red" rgba="0 1 0 0.5"/>
      <geom type="ellipsoid" size="0.1 0.2 0.3" group="1"/>
      <geom type="cylinder" size="0.1 0.2" group="3"/>
      <geom type="box" size="0.1 0.2 0.3" rgba="0.5 0.5 0.5 0"/>
      <geom type="box" size="0.1 0.2 0.3" material="ghost"/>
      <geom type="mesh" mesh="tetra"/>
      <geom type="mesh" mesh="mapped" contype="0" conaffinity="0" material="squares"/>
      <site name="s" type="capsule" size="0.02 0.1" rgba="0 0 1 0.5"/>
      <site size="0.01" group="4"/>
      <site type="box" size="0.01 0.02 0.03" material="squares"/>
    </body>
    <body name="pushed" mocap="true" pos="2 0 1"><geom size="0.1"/>
      <body><geom size="0.05" pos="0 0 0.3"/></body></body>
    <body name="welded" pos="2 2 1"><geom name="still" size="0.1"/><site/></body>
  </worldbody>
</mujoco>
"""

SKIN = """
<mujoco>
  <asset>
    <material name="leather" rgba="0.6 0.3 0.1 1" specular="0.1"/>
  </asset>
  <deformable>
    <skin name="hide" material="leather" inflate="0.01" vertex="0 0 0 1 0 0 1 1 0 0 1 0"
          face="0 1 2 0 2 3" texcoord="0 0 1 0 1 1 0 1">
      <bone body="a" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1" vertweight="1 0.5"/>
      <bone body="b" bindpos="0.5 0 0" bindquat="1 0 0.2 0" vertid="1 2 3" vertweight="1 2 1"/>
    </skin>
    <skin name="other" group="4" vertex="0 0 0 1 0 0 1 1 0" face="0 1 2">
      <bone body="b" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/>
    </skin>
  </deformable>
  <worldbody>
    <body name="a" pos="0 0 1"><freejoint/><geom size="0.1"/></body>
    <body name="b" pos="1 0 1"><freejoint/><geom size="0.1"/></body>
  </worldbody>
</mujoco>
"""


def fixed_camera(number: int) -> mujoco.MjvCamera:
    """A camera of the model."""
    camera = mujoco.MjvCamera()
    camera.type, camera.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED.value, number
    return camera


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_environments(name):
    one = both(name, 20)
    one.compare(name)
    for flag in (VIS.mjVIS_TRANSPARENT, VIS.mjVIS_ISLAND):
        one.compare(f"{name}: {flag}", flags={flag: 1})
    for flag in (VIS.mjVIS_TEXTURE, VIS.mjVIS_STATIC):
        one.compare(f"{name}: {flag}", flags={flag: 0})
    for label in (LABEL.mjLABEL_GEOM, LABEL.mjLABEL_SITE):
        one.compare(name, label=label, geomgroup=1, sitegroup=1)


def test_all_shapes():
    """Every type of geom, materials, what is invisible, groups, planes that have no end."""
    one = Both(SHAPES, steps=3)
    one.compare()
    one.compare(flags={VIS.mjVIS_CONVEXHULL: 1, VIS.mjVIS_TRANSPARENT: 1})
    one.compare(flags={VIS.mjVIS_STATIC: 0, VIS.mjVIS_TEXTURE: 0})
    one.compare(geomgroup=1, sitegroup=1, label=LABEL.mjLABEL_GEOM)
    one.compare(geomgroup=[0, 1, 0, 1, 0, 0], sitegroup=[0, 0, 0, 0, 1, 0], label=4)
    for mask in range(8):
        one.compare(f"catmask {mask}", catmask=mask)
    pert = mujoco.MjvPerturb()
    for body in range(one.m.nbody):
        pert.select = body
        one.compare(f"select {body}", pert=pert, flags={VIS.mjVIS_PERTOBJ: 0})


def test_cameras():
    """Cameras of the model, tracking ones, and those of the user."""
    one = Both(SHAPES, steps=3)
    for number in range(one.m.ncam):
        one.compare(f"camera {number}", camera=fixed_camera(number))
    camera = mujoco.MjvCamera()
    camera.type, camera.trackbodyid = mujoco.mjtCamera.mjCAMERA_TRACKING.value, 1
    camera.azimuth, camera.elevation, camera.distance = 33, -12, 1.7
    one.compare("tracking", camera=camera)
    one.m.vis.global_.orthographic = one.model.vis.global_.orthographic = 1
    one.compare("orthographic")


def test_refused_cameras():
    one = Both(SHAPES)
    scene = mjenv.MjvScene(one.model)
    camera = mjenv.MjvCamera()
    camera.type = mjenv.mjtCamera.mjCAMERA_FIXED
    with pytest.raises(ValueError, match="fixedcamid=-1, expected 0 to 2"):
        mjenv.mjv_updateCamera(one.model, one.data, camera, scene)
    camera.type = mjenv.mjtCamera.mjCAMERA_TRACKING
    with pytest.raises(ValueError, match="trackbodyid=-1, expected 0 to 4"):
        mjenv.mjv_updateCamera(one.model, one.data, camera, scene)
    camera.type = 9
    with pytest.raises(ValueError, match="camera of type 9, expected free"):
        mjenv.mjv_updateCamera(one.model, one.data, camera, scene)
    with pytest.raises(ValueError, match="the scene has no camera yet"):
        mjenv.mjv_cameraInModel(scene)
    with pytest.raises(ValueError, match="world=1, expected 0 to 0"):
        mjenv.mjv_makeLights(one.model, one.data, scene, world=1)


def test_skins():
    one = Both(SKIN, steps=40)
    one.compare()
    one.compare(skingroup=1, label=LABEL.mjLABEL_SKIN, flags={VIS.mjVIS_TRANSPARENT: 1})
    pert = mujoco.MjvPerturb()
    pert.skinselect = 1
    one.compare(skingroup=1, pert=pert)
    one.compare(flags={VIS.mjVIS_SKIN: 0})
    assert one.ours.nskin == 2
    for name in ("skinfacenum", "skinvertadr", "skinvertnum"):
        assert (getattr(one.ours, name) == getattr(one.theirs, name)).all()


@pytest.mark.parametrize("kind", ["MjvCamera", "MjvOption", "MjvPerturb", "MjvGeom", "MjvGLCamera"])
def test_new_structures(kind):
    """Defaults, names, copies, and mistakes."""
    ours, theirs = getattr(mjenv, kind)(), getattr(mujoco, kind)()
    assert set(ours.DTYPE.names) == {n for n in dir(theirs) if not n.startswith("_")}
    assert not different_fields(theirs, ours)
    for twin in (copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        assert twin == ours
        assert twin is not ours
        setattr(twin, ours.DTYPE.names[-1], 7)
        assert twin != ours
    assert ours.DTYPE.names[0] in repr(ours)
    with pytest.raises(AttributeError, match=rf"{kind}.sizes: no such field"):
        ours.sizes = 3
    with pytest.raises(AttributeError, match=rf"{kind}.sizes: no such field"):
        _ = ours.sizes


def test_defaults_again():
    one = both("humanoid")
    for name in ("Camera", "Option", "Perturb"):
        used, new = getattr(mjenv, f"Mjv{name}")(), getattr(mjenv, f"Mjv{name}")()
        for field in used.DTYPE.names:
            setattr(used, field, np.full(used.DTYPE[field].shape, 3))
        getattr(mjenv, f"mjv_default{name}")(used)
        assert used == new
    theirs, ours = mujoco.MjvCamera(), mjenv.MjvCamera()
    mujoco.mjv_defaultFreeCamera(one.m, theirs)
    mjenv.mjv_defaultFreeCamera(one.model, ours)
    assert not different_fields(theirs, ours)
    with pytest.raises(TypeError, match=r"found MjvOption, expected mjenv\.MjvCamera"):
        mjenv.mjv_defaultCamera(mjenv.MjvOption())
    with pytest.raises(ValueError, match="lookat: found 2 values, expected 3"):
        ours.lookat = [1, 2]


def test_new_scenes():
    one = both("humanoid")
    theirs, ours = mujoco.MjvScene(one.m, 5), mjenv.MjvScene(one.model, 5)
    known = {n for n in dir(theirs) if not n.startswith("_")}
    assert known <= set(dir(ours)) | {"nskin"}
    for name in ("maxgeom", "ngeom", "nlight", "scale", "enabletransform", "stereo", "status"):
        assert getattr(ours, name) == getattr(theirs, name)
    for name in ("flags", "translate", "rotate", "framergb"):
        assert (getattr(ours, name) == getattr(theirs, name)).all()
    assert len(ours.geoms) == 5
    assert len(ours.lights) == 100
    assert len(ours.camera) == 2
    ours.flags[0] = 0
    assert copy.deepcopy(ours).flags[0] == 0
    ours.geoms[1].label = "here"
    assert pickle.loads(pickle.dumps(ours)).geoms[1].label == "here"
    with pytest.raises(AttributeError, match="no such field; did you mean 'ngeom'"):
        ours.ngeoms = 3
    with pytest.raises(AttributeError, match="geoms: cannot be assigned"):
        ours.geoms = []
    with pytest.raises(ValueError, match="maxgeom=-1"):
        mjenv.MjvScene(one.model, -1)


def test_scenes_that_are_full():
    one = both("humanoid")
    scene, option = mjenv.MjvScene(one.model, 5), mjenv.MjvOption()
    with pytest.warns(mjenv.SimulationWarning, match="expected maxgeom above 5"):
        mjenv.mjv_updateScene(one.model, one.data, option, None, mjenv.MjvCamera(), 7, scene)
    assert (scene.ngeom, scene.status) == (5, 1)
    mjenv.mjv_updateScene(one.model, one.data, option, None, None, 7, scene)  # no more warnings


def test_geoms_of_ones_own():
    """Every type and connector, as MuJoCo sets them, after other values."""
    rng = np.random.default_rng(0)
    size, pos, mat = rng.normal(size=3), rng.normal(size=3), rng.normal(size=(3, 3))
    rgba = np.float32(rng.uniform(size=4))
    kinds = [int(x) for x in mjenv.mjtGeom if x not in (9, 1001)]
    for kind in kinds:
        theirs, ours = mujoco.MjvGeom(), mjenv.MjvGeom()
        for geom in (theirs, ours):
            geom.objid, geom.segid, geom.dataid, geom.label, geom.emission = 3, 4, 5, "x", 0.3
        mujoco.mjv_initGeom(theirs, kind, size, pos, mat.ravel(), rgba)
        mjenv.mjv_initGeom(ours, kind, size, pos, mat, rgba)
        assert not different_fields(theirs, ours)
        mujoco.mjv_initGeom(theirs, kind, np.ones(3), pos, mat.ravel(), rgba)
        mjenv.mjv_initGeom(ours, kind, np.ones(3), pos, mat, rgba)
        mjenv.mjv_initGeom(ours, kind)
        assert ours.size[0] == np.float32(0.1)
        assert ours.rgba[3] == 1
        assert not ours.pos.any()
    for kind in (3, 5, 100, 101, 102, 103):
        for end in (pos, np.array([0, 0, 1.0]), np.array([0, 0, -1.0]), np.zeros(3)):
            theirs, ours = mujoco.MjvGeom(), mjenv.MjvGeom()
            mujoco.mjv_connector(theirs, kind, 0.1, np.zeros(3), end)
            mjenv.mjv_connector(ours, kind, 0.1, np.zeros(3), end)
            assert not different_fields(theirs, ours), (kind, end)
    with pytest.raises(ValueError, match="type=6, expected a capsule"):
        mjenv.mjv_connector(mjenv.MjvGeom(), 6, 1, pos, pos)


def test_moved_cameras():
    """The mouse on free cameras, in both projections, beside MuJoCo's."""
    one = Both(SHAPES, steps=3)
    rng = np.random.default_rng(1)
    for action in range(1, 8):
        for orthographic in (0, 1):
            one.m.vis.global_.orthographic = orthographic
            one.model.vis.global_.orthographic = orthographic
            one.compare()
            theirs, ours = mujoco.MjvCamera(), mjenv.MjvCamera()
            mujoco.mjv_defaultFreeCamera(one.m, theirs)
            copied(theirs, ours)
            for _ in range(20):
                dx, dy = rng.normal(size=2)
                mujoco.mjv_moveCamera(one.m, action, dx, dy, one.theirs, theirs)
                mjenv.mjv_moveCamera(one.model, action, dx, dy, one.ours, ours)
                assert not different_fields(theirs, ours, 40), (action, orthographic)
    before = copy.copy(ours)
    ours.type = before.type = mjenv.mjtCamera.mjCAMERA_TRACKING
    mjenv.mjv_moveCamera(one.model, 3, 1, 1, one.ours, ours)
    assert ours == before
    with pytest.raises(ValueError, match=r"action=0, expected one of mjenv\.mjtMouse"):
        mjenv.mjv_moveCamera(one.model, 0, 1, 1, one.ours, ours)


def test_eyes():
    """Poses between model and room, and averages of eyes, beside MuJoCo's."""
    one = Both(SHAPES, steps=3)
    one.compare(camera=fixed_camera(0))
    rng = np.random.default_rng(2)
    for scene in (one.theirs, one.ours):
        scene.enabletransform, scene.scale = 1, 1.5
        scene.translate[:] = 1, -2, 0.5
        scene.rotate[:] = 0.5, 0.5, -0.5, 0.5
    pos, quat = rng.normal(size=3), np.array([0.6, 0, 0.8, 0])
    for name in ("mjv_room2model", "mjv_model2room"):
        place, turn = np.zeros(3), np.zeros(4)
        getattr(mujoco, name)(place, turn, pos, quat, one.theirs)
        found = getattr(mjenv, name)(pos, quat, one.ours)
        np.testing.assert_allclose(found[0], place, atol=1e-7)
        np.testing.assert_allclose(found[1], turn, atol=1e-7)
    for name in ("mjv_cameraInModel", "mjv_cameraInRoom"):
        wanted = np.zeros((3, 3))
        getattr(mujoco, name)(*wanted, one.theirs)
        np.testing.assert_allclose(getattr(mjenv, name)(one.ours), wanted, atol=1e-6)
    theirs = mujoco.mjv_averageCamera(*one.theirs.camera)
    assert not different_fields(theirs, mjenv.mjv_averageCamera(*one.ours.camera))
    height = mujoco.mjv_frustumHeight(one.theirs)
    assert mjenv.mjv_frustumHeight(one.ours) == pytest.approx(height, rel=1e-6)
    vec, forward, res = rng.normal(size=3), rng.normal(size=3), np.zeros(3)
    mujoco.mjv_alignToCamera(res, vec, forward)
    np.testing.assert_allclose(mjenv.mjv_alignToCamera(vec, forward), res, atol=1e-12)
    one.ours.camera[0].orthographic = 1
    with pytest.raises(ValueError, match="a perspective and an orthographic camera"):
        mjenv.mjv_averageCamera(*one.ours.camera)
    with pytest.raises(ValueError, match="a perspective and an orthographic camera"):
        mjenv.mjv_frustumHeight(one.ours)
    one.ours.scale = 0
    with pytest.raises(ValueError, match="scale=0, expected more"):
        mjenv.mjv_room2model(pos, quat, one.ours)
    with pytest.raises(ValueError, match="scale=0, expected more"):
        mjenv.mjv_model2room(pos, quat, one.ours)


def test_default_camera():
    """Gymnasium's framing: the camera stays free, whatever its settings say."""
    one = both("half_cheetah")
    camera = default_camera(one.model, one.data)
    np.testing.assert_array_equal(camera.lookat, np.median(one.d.geom_xpos, axis=0))
    assert (camera.distance, camera.azimuth, camera.elevation) == (one.m.stat.extent, 90, -45)
    config = {"trackbodyid": 1, "distance": 4.0, "lookat": np.array([0, 0, 2.0]), "type": 1}
    camera = default_camera(one.model, one.data, config)
    assert (camera.type, camera.trackbodyid, camera.distance) == (0, 1, 4)
    assert (camera.lookat == [0, 0, 2]).all()
    with pytest.raises(ValueError, match="'distanc': no such setting; did you mean 'distance'"):
        default_camera(one.model, one.data, {"distanc": 1})


@pytest.mark.sweep(8)
@pytest.mark.parametrize("source", [*ENVIRONMENTS, "shapes"])
def test_model_shapes(source):
    """Shapes of the model are the geoms of a scene, but for poses."""
    one = Both(SHAPES, steps=3) if source == "shapes" else both(source)
    for values in ({}, {"flags": {VIS.mjVIS_CONVEXHULL: 1, VIS.mjVIS_TRANSPARENT: 1}},
                   {"geomgroup": 1, "flags": {VIS.mjVIS_TEXTURE: 0}},
                   {"sitegroup": 1, "flags": {VIS.mjVIS_STATIC: 0}}):  # fmt: skip
        option = one.options(**values)[1]
        one.compare(**values)
        rows = one.ours.geom_table[: one.ours.ngeom]
        shapes = model_shapes(one.model, option)
        assert shapes.ngeom == (rows["objtype"] == mjenv.mjtObj.mjOBJ_GEOM).sum()
        for name in ("objtype", "objid", "type", "dataid", "category", "size", "rgba",
                     "texcoord", "emission", "specular", "shininess", "reflectance"):  # fmt: skip
            assert (getattr(shapes, name) == rows[name]).all(), name
        assert (shapes.texid == rows["matid"]).all()
        assert (shapes.rbound == rows["modelrbound"]).all()


def test_shapes_are_those_of_now():
    """Edits of the model, and fields that differ between worlds."""
    model = mjenv.Model.from_xml_string(SHAPES)
    ball = model.geom("ball").id
    model.geom_rgba[ball] = [0, 0, 1, 1]
    model.geom_size[ball] = 0.4
    shapes = model_shapes(model)
    row = [*shapes.objid[: shapes.ngeom]].index(ball)
    assert shapes.rgba[row].tolist() == [0, 0, 1, 1]
    assert (shapes.size[row] == np.float32(0.4)).all()

    class Worlds:
        def __init__(self):
            self.varied = {"geom_size": np.stack([model.geom_size, 2 * model.geom_size])}

        def of_worlds(self, name, worlds):
            return self.varied[name] if name in self.varied else getattr(model, name)

    of_worlds = model_shapes(model, data=Worlds())
    assert of_worlds.size.shape == (2, *shapes.size.shape)
    assert (of_worlds.size[0] == shapes.size).all()
    assert (of_worlds.size[1, : shapes.ngeom] == 2 * shapes.size[: shapes.ngeom]).all()
    assert (of_worlds.size[1, shapes.ngeom :] == shapes.size[shapes.ngeom :]).all()
    assert (of_worlds.rgba == shapes.rgba).all()


def test_our_own_data():
    """Scenes of worlds that were simulated here, and of views of one of them."""
    one = both("half_cheetah", 30)
    data = mjenv.Data(one.model, 2)
    data.qpos[1], data.qvel[1] = one.d.qpos, one.d.qvel
    mjenv.forward(one.model, data)
    option, camera = mjenv.MjvOption(), mjenv.MjvCamera()
    there, here = mjenv.MjvScene(one.model), mjenv.MjvScene(one.model)
    mjenv.mjv_updateScene(one.model, as_data(one.m, one.d), option, None, camera, 7, there)
    mjenv.mjv_updateScene(one.model, data, option, None, camera, 7, here, world=1)
    for name in ("pos", "mat"):
        mine, theirs = here.geom_table[name][:9], there.geom_table[name][:9]
        np.testing.assert_allclose(mine, theirs, atol=1e-6)
    view = mjenv.WorldView(one.model, data, 1)
    seen = mjenv.MjvScene(one.model)
    mjenv.mjv_updateScene(one.model, view, option, None, camera, 7, seen)
    assert (seen.geom_table == here.geom_table).all()


def test_few_fields_are_enough():
    """What is not shown is not asked for, so that data may keep poses alone."""
    model = mjenv.Model.from_xml_path(str(XML / "ant.xml"))
    names = ["geom_xpos", "geom_xmat", "light_xpos", "light_xdir"]
    option, camera, scene = mjenv.MjvOption(), mjenv.MjvCamera(), mjenv.MjvScene(model)
    data = mjenv.Data(model, 2, keep=names)
    mjenv.forward(model, data)
    mjenv.mjv_updateScene(model, data, option, None, camera, 7, scene, world=1)
    assert (scene.ngeom, scene.nlight) == (model.ngeom, 2)
    option.flags[mjenv.mjtVisFlag.mjVIS_COM] = 1
    with pytest.raises(AttributeError, match="subtree_com: not kept; make the data with keep="):
        mjenv.mjv_updateScene(model, data, option, None, camera, 7, scene, world=1)
