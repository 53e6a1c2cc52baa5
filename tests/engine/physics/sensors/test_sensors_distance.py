"""Sensors of distances between geoms and bodies, against MuJoCo."""

import mujoco
import numpy as np

from mjenv.engine.data.step import forward
from mjenv.engine.pipeline.sensors import sensor_stages
from tests.engine.sensors import both, taken_over, walked

GEOMS = {
    "plane": 'type="plane" size="1 1 .1"',
    "ball": 'size=".1"',
    "pill": 'type="capsule" size=".05 .1"',
    "egg": 'type="ellipsoid" size=".1 .06 .08"',
    "can": 'type="cylinder" size=".07 .1"',
    "box": 'type="box" size=".1 .06 .08"',
    "rock": 'type="mesh" mesh="rock"',
}
BODIES = "".join(
    f'<body name="{name}" pos=".{k} .{k * k % 7} .{k % 4}"><freejoint/><geom name="{name}" {geom}/>'
    f'<geom name="{name}2" size=".03" pos=".1 .05 0"/></body>'
    for k, (name, geom) in enumerate(GEOMS.items())
    if name != "plane"
)
SCENE = f"""
<mujoco>
  <option><flag gravity="disable" contact="disable"/></option>
  <asset>
    <mesh name="rock" vertex="0 0 0 .2 0 0 0 .2 0 0 0 .2 .1 .15 .1"/>
    <hfield name="land" nrow="4" ncol="4" size="1 1 .2 .1"
      elevation="0 1 2 0 1 3 1 0 2 1 0 1 0 0 1 2"/>
  </asset>
  <worldbody><geom name="plane" {GEOMS["plane"]} pos="0 0 -.2" euler="5 3 0"/>
    {BODIES}
    <body name="ground" pos="0 0 -.1"><geom name="land" type="hfield" hfield="land"/></body>
  </worldbody>
  <sensor>{{sensors}}</sensor>
</mujoco>
"""
KINDS = ("distance", "normal", "fromto")


def compare(mj, model, sources, tolerance=1e-8):
    """Readings after forward dynamics at two widths."""
    wide, narrow = (taken_over(model, sources, width=w, nthread=1) for w in (8, 1))
    for data in (wide, narrow):
        forward(model, data)
    for source in sources:
        mujoco.mj_forward(mj, source)
    np.testing.assert_array_equal(wide.sensordata, narrow.sensordata)
    expected = np.array([source.sensordata for source in sources])
    np.testing.assert_allclose(wide.sensordata, expected, atol=tolerance)
    return expected


def test_geoms():
    """Every pair of types, in both orders, with and without a cutoff."""
    rows = [
        f'<{kind} geom1="{a}" geom2="{b}" cutoff="{cutoff}"/>'
        for a in GEOMS
        for b in GEOMS
        if a != b
        for kind in KINDS
        for cutoff in (0, 0.3, 5)
    ]
    mj, model = both("".join(rows), "", SCENE)
    read = compare(mj, model, walked(mj, 10, 1), 2e-6)
    assert np.mean(read != 0) > 0.4


def test_bodies():
    """The nearest pair of all geoms counts, whatever routine measures it."""
    names = ("ball", "box", "rock", "pill")
    rows = [
        f'<{kind} body1="{a}" {b} cutoff=".6"/>'
        for a in names
        for b in ('body2="can"', 'geom2="plane"', 'body2="egg"', 'body2="ground"')
        for kind in KINDS
    ]
    mj, model = both("".join(rows), "", SCENE)
    compare(mj, model, walked(mj, 8, 1), 2e-6)


def test_portals():
    """Where the option flag nativeccd is off, convex geoms are measured otherwise."""
    text = SCENE.replace("<flag ", '<flag nativeccd="disable" ')
    pairs = [("geom1", "egg", "geom2", "can"), ("geom1", "box", "geom2", "rock")]
    pairs += [("body1", "rock", "body2", "ground"), ("geom1", "box", "geom2", "box3")]
    rows = [
        f'<{kind} {a}="{one}" {b}="{two}" cutoff="{cutoff}"/>'
        for a, one, b, two in pairs
        for kind in KINDS
        for cutoff in (0.3, 5)
    ]
    text = text.replace("</worldbody>", f'<geom name="box3" {GEOMS["box"]}/></worldbody>')
    mj, model = both("".join(rows), "", text)
    names = {stage.name for stage in sensor_stages(model)}
    portals = {"near_portal_distance", "near_portal_hfield_distance", "near_box_box_distance"}
    assert names >= portals
    assert not names & {"near_search_distance", "near_hfield_distance"}
    read = compare(mj, model, walked(mj, 10, 1), 2e-6)
    assert np.mean(read != 0) > 0.4
    source = walked(mj, 1, 1)[0]
    data = taken_over(model, [source], width=1, nthread=1)
    forward(model, data)
    for one in (mj, model):
        one.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_NATIVECCD)
    forward(model, data)
    mujoco.mj_forward(mj, source)
    np.testing.assert_allclose(data.sensordata[0], source.sensordata, atol=1e-8)


def test_only_routines_that_are_asked_for_run():
    model = both('<distance geom1="ball" geom2="box" cutoff="1"/>', "", SCENE)[1]
    assert [stage.name for stage in sensor_stages(model)] == [
        "start_near",
        "near_sphere_box_distance",
        "distance",
    ]
