"""Sensors of contacts and of what rays meet, against MuJoCo."""

import mujoco
import numpy as np
import pytest

from mjenv.engine.data.step import forward
from mjenv.engine.pipeline.sensors import sensor_stages
from tests.engine.sensors import both, check_readings, taken_over, walked

# bodies that lie on a floor and on each other, one of them a subtree
SCENE = """
<mujoco>
  <option timestep=".004" {option}/>
  <default><geom friction=".8 .02 .003"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1" condim="6"/>
    <site name="zone" type="box" size=".3 .3 .05" pos="0 .1 0"/>
    <site name="dome" size=".15"/>
    <camera name="above" pos="0 -.3 1.2" xyaxes="1 0 0 0 1 .3" resolution="7 5" fovy="60"/>
    <camera name="flat" pos="0 0 1" projection="orthographic" fovy="1.5" resolution="6 4"/>
    <camera name="lens" pos="0 0 1" resolution="5 4" sensorsize=".01 .02" focal=".011 .013"
      principal=".001 .0003"/>
    <body name="box" pos="0 0 .1">
      <freejoint/><geom name="box" type="box" size=".15 .1 .08"/>
      <site name="pad" type="box" size=".1 .11 .09"/>
      <site name="ball" size=".1" pos="0 0 -.08"/>
      <site name="pill" type="capsule" size=".05 .1" pos=".1 0 -.05"/>
      <site name="egg" type="ellipsoid" size=".12 .08 .09" pos="-.05 0 -.05"/>
      <site name="can" type="cylinder" size=".08 .06" pos="0 .05 -.06"/>
      <body name="lid" pos="0 0 .12"><joint name="lid" axis="1 0 0" pos="0 .1 0"/>
        <geom name="lid" type="box" size=".15 .1 .02"/>
        <camera name="inside" pos="0 0 .1" resolution="3 3"/>
        <site name="up" pos="0 0 .03"/><site name="down" pos="0 0 .1" euler="170 10 0"/></body>
    </body>
    <body name="stick" pos=".05 .02 .4"><freejoint/>
      <geom name="stick" type="capsule" size=".04 .12" condim="4"/>
      <site name="side" euler="90 10 0"/></body>
    <body name="rock" pos="-.1 .3 .1"><freejoint/>
      <geom name="rock" size=".1" condim="1" margin=".02" gap=".015"/></body>
  </worldbody>
  <sensor>{sensors}</sensor>
</mujoco>
"""
ROCK = """
  <asset>
    <mesh name="rock" vertex="0 0 0 .2 0 0 0 .2 0 0 0 .2 .1 .15 .1"/>
    <hfield name="land" nrow="4" ncol="5" size=".6 .5 .2 .1"
      elevation="0 1 2 0 1 3 1 0 2 1 0 1 0 0 1 2 3 1 0 1"/>
  </asset>
"""
ROCKS = """
    <geom type="mesh" mesh="rock" pos=".3 -.2 .1" contype="0" conaffinity="0"/>
    <geom type="hfield" hfield="land" pos="-.2 .1 -.1" contype="0" conaffinity="0"/>
"""
DATA = ("found", "force", "torque", "dist", "pos", "normal", "tangent")
ENDS = (
    "",
    'geom1="floor"',
    'geom2="floor"',
    'geom1="box" geom2="floor"',
    'geom1="floor" geom2="box"',
    'body1="stick"',
    'body2="box" geom1="floor"',
    'subtree1="box" subtree2="box"',
    'subtree1="box"',
    'subtree2="box" body1="world"',
    'subtree1="world" body2="rock"',
    'site="zone" body2="box"',
    'site="dome"',
)
REDUCTIONS = ("none", "mindist", "maxforce", "netforce")


def lying(mj, nworld: int) -> list:
    """MuJoCo's data of bodies that have fallen, a little displaced: no two contacts are alike."""
    rng = np.random.default_rng(1)
    sources = [s for n in (200, 500) for s in walked(mj, nworld // 2, n)]
    for source in sources:
        mujoco.mj_integratePos(mj, source.qpos, rng.normal(size=mj.nv), 0.01)
        source.qvel[:] = 0.1 * rng.normal(size=mj.nv)
    return sources


def of_contacts() -> str:
    rows = [
        f'<contact {ends} reduce="{how}" num="{num}" data="{" ".join(DATA)}"/>'
        for ends in ENDS
        for how in REDUCTIONS
        for num in ((1, 7) if how != "netforce" else (1,))
    ]
    rows += [f'<contact data="{DATA[k]} {DATA[k + 2]}" num="3" cutoff=".1"/>' for k in range(5)]
    rows += [f'<touch site="{site}"/>' for site in ("pad", "ball", "pill", "egg", "can", "zone")]
    return "".join(rows)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("option", ['cone="pyramidal"', 'cone="elliptic"'])
def test_contacts(option):
    mj, model = both(of_contacts(), option + ' iterations="50" tolerance="1e-14"', SCENE)
    sources = lying(mj, 12)
    check_readings(mj, model, sources, 1e-6, 1)
    assert len({source.ncon for source in sources}) > 4
    read = np.array([source.sensordata for source in sources])
    assert np.mean(np.any(read != 0, axis=0)) > 0.4


def of_rays() -> str:
    kinds = ("dist", "dir", "origin", "point", "normal", "depth")
    data = [*kinds, " ".join(kinds), "dist normal depth"]
    ends = [f'site="{site}"' for site in ("up", "down", "side", "pad")]
    ends += [f'camera="{camera}"' for camera in ("above", "flat", "lens", "inside")]
    rows = [f'<rangefinder {end} data="{d}"/>' for end in ends for d in data]
    return "".join(rows) + '<rangefinder site="side" cutoff=".1"/>'


@pytest.mark.parametrize("triangles", [False, True])
def test_rays(triangles):
    large_model = SCENE.replace("<worldbody>", f"{ROCK}<worldbody>{ROCKS}") if triangles else SCENE
    mj, model = both(of_rays(), "", large_model)
    sources = [s for n in (1, 60) for s in walked(mj, 5, n)]
    check_readings(mj, model, sources)
    read = np.array([source.sensordata for source in sources])
    assert np.mean(np.any(read != 0, axis=0)) > 0.5
    assert np.any(read == -1)


def test_rays_of_sites_alone():
    """What cameras or triangles take is left out where there are none."""
    model = both('<rangefinder site="up"/>', "", SCENE)[1]
    assert [stage.name for stage in sensor_stages(model)] == ["rangefinder_plain"]
    large_model = SCENE.replace("<worldbody>", f"{ROCK}<worldbody>{ROCKS}")
    model = both('<rangefinder site="up"/>', "", large_model)[1]
    assert [stage.name for stage in sensor_stages(model)] == ["rangefinder"]


def test_contacts_of_a_large_scene():
    """The lists of matching contacts grow with those of contacts."""
    boxes = "".join(
        f'<body pos="{k % 10 * 0.3} {k // 10 * 0.3} .0{49 - k % 3}" euler="{k % 4 * 0.1} 0 0">'
        '<freejoint/><geom type="box" size=".05 .05 .05"/></body>'
        for k in range(75)
    )
    large_model = (
        '<mujoco><worldbody><geom name="floor" type="plane" size="9 9 .1"/>'
        f"{boxes}</worldbody><sensor>{{sensors}}</sensor></mujoco>"
    )
    mj, model = both(
        '<contact geom1="floor" num="400" data="found dist pos"/>'
        '<contact subtree1="world" num="9" reduce="mindist" data="dist"/>',
        "",
        large_model,
    )
    source = mujoco.MjData(mj)
    mujoco.mj_forward(mj, source)
    assert source.ncon > 256
    data = taken_over(model, [source], large_model=True)
    forward(model, data)
    np.testing.assert_allclose(data.sensordata[0], source.sensordata, atol=1e-9)
