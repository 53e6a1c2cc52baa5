"""Height fields against MuJoCo: contacts of all shapes, a quadruped that walks on hills."""

import copy
import pickle

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, step
from mjenv.engine.errors import ContactOverflow
from tests.engine.collisions import (
    KEPT,
    check_contacts,
    check_widths,
    expected_contacts,
    found_contacts,
    wrong,
)
from tests.engine.reference import XML, copy_state, trajectory

POINTS = np.random.default_rng(0).normal(size=(60, 3))
POINTS *= (0.1, 0.15, 0.2) / np.linalg.norm(POINTS, axis=1, keepdims=True)
GEOMS = {
    "sphere": 'type="sphere" size="0.12"',
    "capsule": 'type="capsule" size="0.07 0.15"',
    "ellipsoid": 'type="ellipsoid" size="0.1 0.15 0.2"',
    "cylinder": 'type="cylinder" size="0.1 0.15"',
    "box": 'type="box" size="0.1 0.15 0.08"',
    "slab": 'type="box" size="0.4 0.5 0.3"',
    "stone": 'type="mesh" mesh="stone"',
    "brick": 'type="mesh" mesh="brick"',
}
HILLS = """<mujoco><asset>
    <hfield name="hills" nrow="9" ncol="11" size="1 0.8 0.3 0.1" elevation="{heights}"/>
    <mesh name="stone" vertex="{stone}"/>
    <mesh name="brick" vertex="-0.1 -0.1 -0.1  0.1 -0.1 -0.1  -0.1 0.1 -0.1  0.1 0.1 -0.1
      -0.1 -0.1 0.1  0.1 -0.1 0.1  -0.1 0.1 0.1  0.1 0.1 0.1"/></asset>
  <worldbody>
    <geom type="hfield" hfield="hills" pos="0.1 0.2 -0.1" euler="10 20 30" margin="{margin}"/>
    <body><freejoint/><geom {geom} margin="{margin}"/></body>
  </worldbody></mujoco>"""


def heights(rows: int, columns: int, seed: int = 3) -> str:
    return " ".join(f"{x:.3f}" for x in np.random.default_rng(seed).random(rows * columns))


def hills(geom: str, margin: float) -> str:
    stone = " ".join(f"{x:.6f}" for x in POINTS.ravel())
    return HILLS.format(heights=heights(9, 11), stone=stone, geom=GEOMS[geom], margin=margin)


def above(count: int, seed: int) -> np.ndarray:
    """Poses of a free body over, in, below and beside the field."""
    rng = np.random.default_rng(seed)
    qpos = rng.normal(size=(count, 7))
    qpos[:, :2] *= 0.6
    qpos[:, 2] = rng.uniform(-0.4, 0.6, count)
    qpos[:, 3:] /= np.linalg.norm(qpos[:, 3:], axis=1, keepdims=True)
    return qpos


@pytest.mark.sweep(1)
@pytest.mark.parametrize("margin", [0.0, 0.01])
@pytest.mark.parametrize("geom", GEOMS)
def test_contacts_are_those_of_mujoco(geom, margin):
    """One contact for each prism that is entered, in order, fifty at most."""
    numbers = check_contacts(hills(geom, margin), above(250, 5))
    assert 0 in numbers
    assert max(numbers) == 50 if geom == "slab" else max(numbers) > 8


@pytest.mark.parametrize("geom", ["capsule", "brick"])
def test_widths(geom):
    check_widths(hills(geom, 0.01))


@pytest.mark.sweep(2)
@pytest.mark.parametrize("shape", [(1, 4), (4, 1), (2, 2), (3, 40)])
def test_grids(shape):
    """A field of one row has no cells; long and narrow cells; the sphere is larger than these."""
    rows, columns = shape
    xml = f"""<mujoco><asset><hfield name="h" nrow="{rows}" ncol="{columns}" size="1 0.2 0.3 0.1"
      elevation="{heights(rows, columns)}"/></asset><worldbody><geom type="hfield" hfield="h"/>
      <body><freejoint/><geom size="0.15"/></body></worldbody></mujoco>"""
    numbers = check_contacts(xml, above(200, 1))
    assert max(numbers) == 0 if 1 in shape else max(numbers) > 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sphere", "capsule", "box"])
def test_no_slot_is_missing(kind):
    """Slots are for as many contacts as the cells under the bounding sphere can give."""
    rng = np.random.default_rng(1)
    most = 0
    for seed in range(12):
        rows, columns = rng.integers(3, 30, 2)
        size = rng.uniform(0.02, 0.3, 3)
        xml = f"""<mujoco><asset><hfield name="h" nrow="{rows}" ncol="{columns}"
          size="{rng.uniform(0.5, 2)} {rng.uniform(0.5, 2)} 0.05 1"
          elevation="{heights(rows, columns, seed)}"/></asset>
          <worldbody><geom type="hfield" hfield="h"/><body><freejoint/>
          <geom type="{kind}" size="{size[0]} {size[1]} {size[2]}"/></body></worldbody></mujoco>"""
        mj, model = mujoco.MjModel.from_xml_string(xml), mjenv.Model.from_xml_string(xml)
        qpos = above(40, seed)
        qpos[:, 2] = rng.uniform(-0.4, 0, 40)
        data = found_contacts(model, qpos)
        for world, position in enumerate(qpos):
            assert wrong(data, world, expected_contacts(mj, position, data, world)) == ""
        most = max(most, data.ncon.max() / data.plan.sizes["nslot"])
    assert 0.5 < most <= 1


@pytest.mark.sweep(1)
@pytest.mark.parametrize("flags", ["", 'nativeccd="disable"'])
@pytest.mark.parametrize("geom", ["box", "slab", "brick"])
def test_deep_in_flat_fields(geom, flags):
    """Prisms and geoms whose faces, edges and centres are aligned exactly, as deep as these are."""
    text = hills(geom, 0.0).replace(heights(9, 11), " ".join(["0"] * 99), 1)
    text = text.replace("<asset>", f"<option><flag {flags}/></option><asset>", 1)
    text = text.replace('pos="0.1 0.2 -0.1" euler="10 20 30"', 'pos="0 0 0"')
    qpos = above(150, 7)
    qpos[:90, 3:] = 1, 0, 0, 0
    qpos[:30, :2] = 0
    assert max(check_contacts(text, qpos)) > 8


@pytest.mark.parametrize("nworld", [1, 8])
def test_geoms_that_outgrow_their_slots(nworld):
    """After an edit of the model there is room for more; where worlds differ, it is an error."""
    text = hills("sphere", 0.0)
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    reference, data = mujoco.MjData(mj), Data(model, nworld)
    varied = Data(model, nworld, vary=["geom_size", "geom_rbound"])
    varied.varied["geom_size"][-1, 1] = varied.varied["geom_rbound"][-1, 1] = 0.5
    with pytest.raises(ContactOverflow, match="step: a geom touches a height field in more"):
        forward(model, varied)
    for one in (mj, model):
        one.geom_size[1] = one.geom_rbound[1] = 0.5
    mujoco.mj_forward(mj, reference)
    forward(model, data)
    assert (data.ncon == reference.ncon).all()
    assert reference.ncon > 20


@pytest.mark.slow
def test_quadruped_on_hills():
    """One step from states along MuJoCo's own trajectory."""
    floor = "<geom type='hfield' hfield='hills' pos='0 0 -0.3' contype='1' conaffinity='1'/>"
    text = (XML / "ant.xml").read_text()
    start = text.index("<geom", text.index("<worldbody"))
    text = text[:start] + floor + text[text.index("/>", start) + 2 :]
    asset = f"""<asset><hfield name="hills" nrow="40" ncol="40" size="8 8 0.4 0.1"
      elevation="{heights(40, 40)}"/>"""
    text = text.replace("<asset>", asset, 1)
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    states = []
    for seed in range(8):
        states.append([])
        for source in trajectory(mj, 300, seed, every=6):
            states[-1].append(source.__copy__())
    data = Data(model, 8, keep=[*KEPT, "qacc"])
    most = 0
    for sources in zip(*states, strict=True):
        for world, source in enumerate(sources):
            copy_state(source, data, world)
        step(model, data)
        for world, source in enumerate(sources):
            mujoco.mj_step(mj, source)
            most = max(most, source.ncon)
            assert wrong(data, world, source) == ""
            np.testing.assert_allclose(data.qacc[world], source.qacc, rtol=1e-6, atol=1e-5)
            np.testing.assert_allclose(data.qvel[world], source.qvel, rtol=1e-8, atol=1e-8)
    assert most > 6


TERRAIN = """<mujoco><asset><hfield name="hills" nrow="9" ncol="11" size="2 2 .6 .1"/></asset>
  <worldbody><geom type="hfield" hfield="hills"/>
    <body pos="0 0 1"><freejoint/><geom type="sphere" size=".12"/>
      <site name="eye" pos="0 0 -.2" zaxis="0 0 -1"/></body>
    <body pos=".6 .5 1.1"><freejoint/><geom type="box" size=".1 .2 .1"/></body>
    <body pos="-.7 .5 1.1"><freejoint/><geom type="capsule" size=".1 .2"/></body></worldbody>
  <sensor><rangefinder site="eye"/></sensor></mujoco>"""


@pytest.mark.parametrize("options", [{}, {"width": 1}, {"large_model": True}])
def test_each_world_may_have_its_own_terrain(options):
    """What falls on it, and rays, as with a model that has these heights; also after edits."""
    model, count, nstep = mjenv.Model.from_xml_string(TERRAIN), 9, 250
    own = np.random.default_rng(0).uniform(0, 1, (count, model.nhfielddata)).astype(np.float32)
    data = Data(model, count, vary=("hfield_data",), **options)
    data.varied["hfield_data"][:] = own
    step(model, data, nstep)
    assert data.varied["hfield_data"].dtype == np.float32
    for world in (0, 4, 8):
        other = mjenv.Model.from_xml_string(TERRAIN)
        other.hfield_data[:] = own[world]
        one = Data(other, large_model=options.get("large_model"))
        step(other, one, nstep)
        assert one.ncon[0] > 3
        np.testing.assert_array_equal(data.qpos[world], one.qpos[0])
        np.testing.assert_array_equal(data.sensordata[world], one.sensordata[0])
    # options of the model that make its tables anew leave them where they are
    model.opt.gravity[2] = model.geom_friction[0, 0] = 0.5
    other.opt.gravity[2] = other.geom_friction[0, 0] = 0.5
    step(model, data, 20)
    step(other, one, 20)
    np.testing.assert_array_equal(data.qpos[8], one.qpos[0])
    # and so does MuJoCo
    official = mujoco.MjModel.from_xml_string(TERRAIN)
    official.hfield_data[:] = own[4]
    theirs = mujoco.MjData(official)
    mujoco.mj_step(official, theirs, 200)
    ours = Data(model, count, vary=("hfield_data",), **options)
    model.opt.gravity[2], model.geom_friction[0, 0] = -9.81, 1.0
    ours.varied["hfield_data"][:] = own
    step(model, ours, 200)
    assert theirs.ncon
    np.testing.assert_allclose(ours.qpos[4], theirs.qpos, rtol=0, atol=1e-9)


@pytest.mark.parametrize("width", [None, 1])
def test_rays_and_distances_see_the_terrain_of_their_world(width):
    model, count = mjenv.Model.from_xml_string(TERRAIN), 9
    data = Data(model, count, vary=("hfield_data",), width=width)
    own = data.varied["hfield_data"]
    own[:] = np.random.default_rng(2).uniform(0, 1, own.shape)
    forward(model, data)
    place, down = np.array([0.33, 0.21, 3.0]), np.array([0.0, 0.0, -1.0])
    hits = mjenv.ray(model, data, place, down)
    near = mjenv.geom_distance(model, data, 0, 2, 5.0)
    assert len(np.unique(hits.dist)) == count
    for world in range(count):
        other = mjenv.Model.from_xml_string(TERRAIN)
        other.hfield_data[:] = own[world]
        one = Data(other)
        forward(other, one)
        assert hits.dist[world] == mjenv.ray(other, one, place, down).dist[0]
        assert near.dist[world] == mjenv.geom_distance(other, one, 0, 2, 5.0).dist[0]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda data: pickle.loads(pickle.dumps(data))])
def test_terrain_of_worlds_goes_with_copies(copied):
    model = mjenv.Model.from_xml_string(TERRAIN)
    data = Data(model, 3, vary=("hfield_data",))
    data.varied["hfield_data"][:] = np.random.default_rng(1).uniform(0, 1, (3, model.nhfielddata))
    step(model, data, 100)
    twin = copied(data)
    for one in (data, twin):
        step(one.model, one, 100)
    np.testing.assert_array_equal(twin.qpos, data.qpos)
