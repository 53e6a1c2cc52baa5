"""What scenes show beside the model's geoms, beside MuJoCo's: flags, labels, frames."""

import mujoco
import numpy as np
import pytest

import mjenv
from tests.mjenv.visual.beside import XML, Both, both

VIS = mujoco.mjtVisFlag
FLAGS = [flag for flag in VIS.__members__.values() if flag.name != "mjNVISFLAG"]
TREES = (VIS.mjVIS_BODYBVH, VIS.mjVIS_MESHBVH)
ALL_BUT_TREES = {flag: 1 for flag in FLAGS if flag not in TREES}
GROUPS = {
    f"{kind}group": 1 for kind in ("geom", "site", "joint", "tendon", "actuator", "flex", "skin")
}

# joints, actuators, tendons, constraints, sensors and cameras of every kind that is drawn
ZOO = """
<mujoco>
  <option timestep="0.002"/>
  <visual>
    <map force="0.02" zfar="30"/>
    <scale forcewidth="0.05" jointlength="0.7" contactheight="0.01" frustum="3"/>
    <rgba contactgap="0 1 0 1" joint="0.1 0.2 0.3 1"/>
  </visual>
  <asset>
    <material name="thread" rgba="0.2 0.2 0.9 0.8" specular="0.1"/>
    <mesh name="lump" builtin="sphere" params="1" scale="0.1 0.1 0.1"/>
  </asset>
  <worldbody>
    <light name="lamp" pos="0 0 4" dir="0.3 0 -1"/>
    <light name="straight" pos="1 0 4" dir="0 0 -1"/>
    <camera name="plain" pos="0 -3 2" xyaxes="1 0 0 0 1 2"/>
    <camera name="rays" pos="0.4 -3 1" xyaxes="1 0 0 0 1 3" resolution="3 2"/>
    <camera name="flat" pos="0 -3 1" xyaxes="1 0 0 0 1 3" resolution="2 3" fovy="2"
      projection="orthographic"/>
    <camera name="lens" pos="0 -3 1" xyaxes="1 0 0 0 1 3" resolution="3 2" sensorsize="0.036 0.024"
      focal="0.05 0.04" principal="0.002 -0.001"/>
    <geom name="floor" type="plane" size="5 5 0.1"/>
    <site name="low" pos="0.5 0 0.2"/>
    <site name="high" pos="-1 0 2"/>
    <site name="near" pos="-0.5 0 2"/>
    <site name="below" pos="-1 0 1.2"/>
    <site name="beside" pos="-1.001 0 1.3"/>
    <site name="eye" pos="0.2 0.1 3" euler="180 0 0"/>
    <site name="blind" pos="0 0 3"/>
    <body name="mover" mocap="true" pos="1 1 1"><geom size="0.05"/></body>
    <body name="box" pos="0 0 0.095">
      <freejoint name="free"/>
      <geom name="crate" type="box" size="0.1 0.15 0.1" margin="0.02" gap="0.01"/>
      <site name="on_box" pos="0.1 0 0"/>
      <site name="thruster" type="cylinder" size="0.02 0.05"/>
    </body>
    <body name="crate2" pos="0.05 0 0.3">
      <freejoint/>
      <geom type="box" size="0.1 0.1 0.1" condim="1"/>
      <geom type="sphere" size="0.1" pos="0 0 0.1" condim="4"/>
    </body>
    <body name="far" pos="3 0 0.1"><freejoint/>
      <geom type="capsule" size="0.1 0.1" condim="6"/></body>
    <body name="above" pos="2 0 0.115" gravcomp="1"><freejoint/>
      <geom name="hovering" size="0.1" margin="0.05" gap="0.05"/></body>
    <body name="post" pos="0 1 1">
      <joint name="turn" type="ball" range="0 20" limited="true"/>
      <geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.04"/>
      <site name="s0" pos="0.1 0 0.1"/>
      <body name="arm" pos="0 0 0.3">
        <joint name="bend" axis="0 1 0" range="-30 1" pos="0.02 0 0"/>
        <joint name="twist" axis="0 0 1" group="4"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
        <geom name="wrapped" type="cylinder" size="0.05 0.1" pos="0.15 0 0" euler="90 0 0"
          contype="0" conaffinity="0"/>
        <site name="s1" pos="0.3 0 0.1"/>
        <site name="side" pos="0.15 0 0.2"/>
        <body name="rod" pos="0.3 0 0">
          <joint name="slide" type="slide" axis="1 0 0" range="-0.1 0.001"/>
          <geom type="sphere" size="0.06"/>
          <site name="s2" pos="0 0 0.1"/>
        </body>
      </body>
    </body>
    <body name="crank" pos="1 1 1"><joint name="spin" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.1 0 0" size="0.02"/><site name="pin" pos="0.1 0 0"/>
    </body>
    <site name="rail" pos="1.6 1 1" euler="0 -90 0"/>
    <body name="mass" pos="0 2 1"><joint name="loose" type="slide" axis="0 0 1"/>
      <geom size="0.1" mass="2"/><geom type="mesh" mesh="lump" pos="0.3 0 0"/>
      <body pos="0 0 0.5"><geom name="rigid" size="0.05"/></body></body>
  </worldbody>
  <contact><pair geom1="hovering" geom2="floor" margin="0.05" gap="0.05"/></contact>
  <tendon>
    <spatial name="wrap" width="0.01"><site site="s0"/><geom geom="wrapped" sidesite="side"/>
      <site site="s1"/><pulley divisor="2"/><site site="s1"/><site site="s2"/></spatial>
    <spatial name="limited" range="0 0.1"><site site="low"/><site site="on_box"/></spatial>
    <spatial name="tinted" material="thread" group="1"><site site="s0"/><site site="s2"/></spatial>
    <spatial name="hidden" group="4" damping="1"><site site="low"/><site site="s2"/></spatial>
    <spatial name="string" range="0 1.4"><site site="high"/><site site="near"/></spatial>
    <spatial name="spring" springlength="0 2" stiffness="3" material="thread"><site site="high"/>
      <site site="s0"/></spatial>
    <spatial name="steep" range="0 1.5"><site site="high"/><site site="beside"/></spatial>
    <spatial name="plumb" range="0 1.5"><site site="high"/><site site="below"/></spatial>
    <spatial name="taut" springlength="0 0.1" stiffness="3"><site site="high"/><site site="s0"/>
    </spatial>
    <fixed name="fixed"><joint joint="bend" coef="1"/></fixed>
  </tendon>
  <actuator>
    <motor name="a_hinge" joint="bend" ctrlrange="-1 2" ctrllimited="true"/>
    <motor name="a_slide" joint="slide" ctrlrange="1 3" ctrllimited="true"/>
    <motor joint="turn" ctrlrange="-3 -1" ctrllimited="true"/>
    <motor joint="free" group="1"/>
    <motor jointinparent="turn"/>
    <motor site="thruster" refsite="on_box"/>
    <motor tendon="wrap"/>
    <motor tendon="fixed"/>
    <adhesion body="crate2" ctrlrange="0 1"/>
    <motor name="a_off" joint="twist" group="5"/>
    <general joint="loose" dyntype="integrator" actlimited="true" actrange="-0.1 0.1"/>
    <intvelocity joint="loose" actrange="-0.2 0.1"/>
    <motor cranksite="pin" slidersite="rail" cranklength="0.6"/>
    <motor cranksite="pin" slidersite="rail" cranklength="0.01"/>
  </actuator>
  <equality>
    <connect name="c" body1="arm" body2="mass" anchor="0.1 0.2 0.3"/>
    <connect site1="low" site2="s1"/>
    <weld body1="mover" body2="rod" relpose="0.1 0 0 1 0 0 0" anchor="0 0 0.1"/>
    <weld site1="s0" site2="s2" active="false"/>
    <joint joint1="bend" joint2="twist"/>
  </equality>
  <sensor>
    <rangefinder site="eye"/>
    <rangefinder site="blind"/>
    <rangefinder site="eye" data="dist point normal"/>
    <rangefinder site="eye" data="dir point"/>
    <rangefinder site="eye" data="normal"/>
    <rangefinder camera="rays"/>
    <rangefinder camera="flat" data="dist dir origin point normal depth"/>
    <rangefinder camera="lens" data="point normal"/>
    <fromto geom1="crate" geom2="rigid" cutoff="9"/>
    <fromto geom1="crate" geom2="rigid" cutoff="0.01"/>
  </sensor>
</mujoco>
"""


@pytest.fixture(scope="module")
def zoo() -> Both:
    one = Both(ZOO, steps=60)
    one.d.xfrc_applied[2] = 1, 2, 3, 0, 0, 0
    one.d.xfrc_applied[4] = 0, 0, 0, 1, 0, 0
    one.d.ctrl[:] = np.linspace(-2, 2, one.m.nu)
    mujoco.mj_forward(one.m, one.d)
    assert one.d.ncon > 5
    assert (one.d.contact.efc_address < 0).any()
    assert one.d.nl > 0
    return one


@pytest.mark.sweep(3)
@pytest.mark.parametrize("flag", FLAGS, ids=lambda flag: flag.name)
def test_each_flag(zoo, flag):
    zoo.compare("on", flags={flag: 1})
    zoo.compare("off", flags={flag: 0})
    zoo.compare("all groups", flags={flag: 1}, **GROUPS)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("label", range(17))
def test_each_label(zoo, label):
    zoo.compare("alone", label=label)
    zoo.compare("with all flags", label=label, flags=ALL_BUT_TREES, **GROUPS)
    zoo.compare("without inertia", label=label, flags=ALL_BUT_TREES | {VIS.mjVIS_INERTIA: 0})


@pytest.mark.sweep(1)
@pytest.mark.parametrize("frame", range(8))
def test_each_frame(zoo, frame):
    zoo.compare("alone", frame=frame)
    zoo.compare("with all flags", frame=frame, flags=ALL_BUT_TREES, **GROUPS)
    for mask in range(4, 8):
        zoo.compare(f"catmask {mask}", frame=frame, flags=ALL_BUT_TREES, catmask=mask)


@pytest.mark.slow
def test_combinations(zoo):
    """Flags, labels, frames and groups that are drawn."""
    rng = np.random.default_rng(0)
    for case in range(60):
        on = {flag: int(rng.integers(2)) for flag in FLAGS}
        groups = {name: rng.integers(2, size=6) for name in GROUPS}
        zoo.compare(
            f"case {case}", flags=on, label=rng.integers(17), frame=rng.integers(8),
            bvh_depth=rng.integers(4), catmask=int(rng.integers(8)), **groups,
        )  # fmt: skip


@pytest.mark.parametrize("name", ["ant", "humanoid", "pusher_v5", "inverted_double_pendulum"])
def test_environments(name):
    one = both(name, 40)
    one.compare("split", flags=ALL_BUT_TREES, label=15, frame=6, **GROUPS)
    whole = ALL_BUT_TREES | {VIS.mjVIS_CONTACTSPLIT: 0, VIS.mjVIS_ISLAND: 0}
    one.compare("whole", flags=whole, label=14, frame=1, **GROUPS)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_contact_forces(cone):
    """Combined and split, in both cones and all dimensions, with bodies in either order."""
    one = Both(ZOO.replace('<option timestep="0.002"/>', f'<option cone="{cone}"/>'), steps=30)
    for split in (0, 1):
        one.compare(flags={VIS.mjVIS_CONTACTFORCE: 1, VIS.mjVIS_CONTACTSPLIT: split}, label=15)
        assert (one.ours.geom_table["type"][: one.ours.ngeom] >= 100).sum() > 5


@pytest.mark.parametrize("name", ["name='sheet'", ""], ids=["named", "nameless"])
def test_contacts_of_deformables(name):
    """Labels name elements and vertices; arrows point to deformables, which count behind bodies."""
    vertices = " ".join(f"v{x}{y}" for x in range(3) for y in range(3))
    bodies = "".join(
        f"<body name='v{x}{y}' pos='{0.1 * x} {0.1 * y} .03'><freejoint/>"
        "<inertial pos='0 0 0' mass='.1' diaginertia='.01 .01 .01'/></body>"
        for x in range(3)
        for y in range(3)
    )  # fmt: skip
    elements = "0 1 3 1 4 3 1 2 4 2 5 4 3 4 6 4 7 6 4 5 7 5 8 7"
    xml = f"""
    <mujoco>
      <worldbody>
        <geom name="floor" type="plane" size="5 5 1"/>{bodies}
        <body pos="0.1 0.12 0.14"><freejoint/><geom name="ball" size="0.1"/></body>
      </worldbody>
      <deformable>
        <flex {name} dim="2" radius=".02" body="{vertices}" element="{elements}">
          <contact selfcollide="none" internal="false"/></flex>
      </deformable>
    </mujoco>
    """
    one = Both(xml, steps=40)
    assert one.d.ncon > 9
    for split in (0, 1):
        flags = {
            VIS.mjVIS_CONTACTPOINT: 1,
            VIS.mjVIS_CONTACTFORCE: 1,
            VIS.mjVIS_CONTACTSPLIT: split,
        }
        for label in (14, 15):
            one.compare(flags=flags, label=label)


def test_settings_of_the_model():
    """Ellipsoids of inertia, groups of actuators that are off, gravity, sleeping, masses."""
    one = Both(ZOO, steps=20)
    for model in (one.m, one.model):
        model.vis.global_.ellipsoidinertia = 1
        model.vis.global_.bvactive = 0
        model.opt.disableactuator = 1 << 5 | 1
    every = {"actuatorgroup": 1, "tendongroup": 1}
    one.compare(flags={VIS.mjVIS_INERTIA: 1, VIS.mjVIS_SCLINERTIA: 1})
    one.compare(flags={VIS.mjVIS_ACTUATOR: 1, VIS.mjVIS_ACTIVATION: 1}, **every)
    one.compare(flags={VIS.mjVIS_BODYBVH: 1, VIS.mjVIS_MESHBVH: 1}, bvh_depth=2)
    for disabled in (mujoco.mjtDisableBit.mjDSBL_GRAVITY, 0):
        for model in (one.m, one.model):
            model.opt.disableflags = int(disabled)
            model.opt.gravity[:] = (0, 3, -9) if disabled else (0, 0, 0)
        one.compare(**every)
    for model in (one.m, one.model):
        model.opt.gravity[:] = 1, 2, -9
        model.vis.quality.numslices = 200
        model.stat.meanmass = 0
    one.compare(flags={VIS.mjVIS_CONTACTFORCE: 1, VIS.mjVIS_PERTFORCE: 1}, **every)


def test_flat_inertia():
    """Where one size is nothing but rounding, it is MuJoCo's."""
    xml = """
    <mujoco>
      <worldbody>
        <body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="0.1 0.2 0.3"/></body>
        <body><freejoint/><inertial pos="0 0 0" mass="2" diaginertia="0.7 0.1 0.6"/></body>
      </worldbody>
    </mujoco>
    """
    for scaled in (0, 1):
        Both(xml).compare(flags={VIS.mjVIS_INERTIA: 1, VIS.mjVIS_SCLINERTIA: scaled})


def test_sleeping_trees():
    """What sleeps is paler, and those that fell asleep together have one colour."""
    xml = """
    <mujoco>
      <option><flag sleep="enable" island="enable"/></option>
      <worldbody>
        <geom type="plane" size="5 5 1"/>
        <body pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
        <body pos="0 0 0.3"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
        <body pos="1 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
        <body pos="2 0 2"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
      </worldbody>
    </mujoco>
    """
    one = Both(xml, steps=280)
    assert 0 < one.d.ntree_awake < 4
    one.compare(flags={VIS.mjVIS_ISLAND: 1, VIS.mjVIS_CONTACTPOINT: 1}, label=16)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("active", range(4))
@pytest.mark.parametrize("active2", range(4))
def test_perturbations(zoo, active, active2):
    pert = mujoco.MjvPerturb()
    pert.active, pert.active2 = active, active2
    pert.localpos, pert.refselpos = [0.1, 0.2, 0.3], [1, 2, 0.5]
    pert.refquat = [0.6, 0, 0.8, 0]
    for body in (0, 2, zoo.m.nbody - 1):
        pert.select = body
        for label in (12, 13):
            zoo.compare(f"body {body}", pert=pert, label=label, flags={VIS.mjVIS_SELECT: 1})
        zoo.compare("inertia", pert=pert, label=12, flags={VIS.mjVIS_INERTIA: 1})


def test_boxes_that_collisions_look_at():
    """MuJoCo's, where its broad phase leaves pairs to the trees."""
    xml = """
    <mujoco>
      <worldbody>
        <geom type="plane" size="5 5 1"/>
        <geom type="box" size="0.3 0.3 0.3" pos="1 0 0.3"/>
        <geom type="box" size="0.1 0.1 0.1" pos="-1 0 2"/>
        <body name="a" pos="0 0 0.4"><freejoint/>
          <geom type="capsule" fromto="-0.2 0 0 0.2 0 0" size="0.05"/>
          <geom size="0.1" pos="0.5 0 0.1"/><geom size="0.1" pos="-0.4 0 0.2"/>
          <body pos="0 0 0.4"><joint axis="0 1 0"/><geom size="0.1"/>
            <geom size="0.1" pos="0 0 0.3"/></body></body>
        <body name="b" pos="0.1 0.12 0.5"><freejoint/><geom size="0.1" margin="0.05"/>
          <geom type="box" size="0.1 0.2 0.05" pos="0.2 0 0"/></body>
        <body name="c" pos="3 3 0.5"><freejoint/><geom size="0.1"/><geom size="0.2"/></body>
      </worldbody>
      <contact><exclude body1="a" body2="c"/></contact>
    </mujoco>
    """
    shown = {VIS.mjVIS_BODYBVH: 1, VIS.mjVIS_MESHBVH: 1}
    for steps in (0, 60, 200):
        one = Both(xml, steps=steps)
        assert one.d.bvh_active.any()
        for depth in range(4):
            one.compare(f"{steps} steps, depth {depth}", flags=shown, bvh_depth=depth)
        for disabled in ("MIDPHASE", "CONTACT", "FILTERPARENT"):
            for model in (one.m, one.model):
                model.opt.disableflags = int(mjenv.mjtDisableBit[f"mjDSBL_{disabled}"])
            mujoco.mj_forward(one.m, one.d)
            one.compare(disabled, flags=shown, bvh_depth=1)
        for model in (one.m, one.model):
            model.opt.disableflags = 0
            model.opt.enableflags = int(mujoco.mjtEnableBit.mjENBL_OVERRIDE)
            model.opt.o_margin = 0.5
        mujoco.mj_forward(one.m, one.d)
        one.compare("override", flags=shown, bvh_depth=2)


def test_limits_that_move_nothing():
    """MuJoCo looks up the island of a row that was not made; such tendons are grey here."""
    xml = """
    <mujoco>
      <worldbody>
        <body><joint frictionloss="1"/><geom size="0.1"/></body>
        <site name="a"/><site name="b" pos="1 0 0"/>
      </worldbody>
      <tendon>
        <spatial limited="true" range="0 0.5"><site site="a"/><site site="b"/></spatial>
      </tendon>
    </mujoco>
    """
    one = Both(xml, steps=1)
    assert one.d.nisland
    assert one.d.tendon_efcadr[0] == one.d.nefc
    scene, option = mjenv.MjvScene(one.model), mjenv.MjvOption()
    option.flags[mjenv.mjtVisFlag.mjVIS_ISLAND] = 1
    mjenv.mjv_updateScene(one.model, one.data, option, None, mjenv.MjvCamera(), 7, scene)
    tendon = scene.geom_table["objtype"] == int(mjenv.mjtObj.mjOBJ_TENDON)
    np.testing.assert_allclose(scene.geom_table["rgba"][tendon], [[0.7, 0.7, 0.7, 1]])


def test_tactile_surfaces():
    xml = """
    <mujoco>
      <asset><mesh name="pad" builtin="plate" params="3 3" scale="0.1 0.1 0.1"/>
        <mesh name="ball" builtin="sphere" params="2" scale="0.1 0.1 0.1"/></asset>
      <worldbody>
        <geom name="skin" type="mesh" mesh="ball"/>
        <body pos="0 0.03 0.17"><freejoint/><geom size="0.08"/></body>
      </worldbody>
      <sensor><tactile geom="skin" mesh="ball"/></sensor>
    </mujoco>
    """
    one = Both(xml, steps=20)
    assert one.d.sensordata.any()
    one.compare(flags={VIS.mjVIS_CONTACTPOINT: 1})
    one.d.sensordata[:] = np.random.default_rng(0).normal(size=one.m.nsensordata)
    one.compare(flags={VIS.mjVIS_CONTACTPOINT: 1})
    one.d.sensordata[:] = 0
    one.compare(flags={VIS.mjVIS_CONTACTPOINT: 1})


def test_decor_of_our_own_data():
    """Everything at once in worlds that were simulated here."""
    path = str(XML / "ant.xml")
    one, model = both("ant", 40), mjenv.Model.from_xml_path(path)
    data = mjenv.Data(model, 2)
    data.qpos[1], data.qvel[1], data.ctrl[1] = one.d.qpos, one.d.qvel, one.d.ctrl
    mjenv.forward(model, data)
    _, option = one.options(flags=ALL_BUT_TREES, label=15, frame=6, **GROUPS)
    camera, wanted = mjenv.MjvCamera(), mjenv.MjvScene(model)
    option.flags[[int(flag) for flag in TREES]] = 1
    mjenv.mjv_updateScene(one.model, one.data, option, None, camera, 7, wanted)
    found = mjenv.MjvScene(model)
    mjenv.mjv_updateScene(model, data, option, None, camera, 7, found, world=1)
    mine, theirs = found.geom_table[: found.ngeom], wanted.geom_table[: wanted.ngeom]
    for name in ("type", "objtype", "objid", "category", "dataid", "label"):
        assert (mine[name] == theirs[name]).all(), name
    for name in ("size", "pos", "mat", "rgba"):
        np.testing.assert_allclose(mine[name], theirs[name], atol=2e-5, err_msg=name)
    assert not data.wrench_in_use


def test_fields_that_differ_between_worlds():
    """Sizes, masses, widths and openings are those of the world."""
    model = mjenv.Model.from_xml_path(str(XML / "ant.xml"))
    fields = ("geom_size", "body_mass", "body_inertia", "opt_gravity")
    data = mjenv.Data(model, 2, vary=fields)
    data.varied["geom_size"][1] *= 2
    data.varied["body_inertia"][1] *= 4
    mjenv.forward(model, data)
    option, scenes = mjenv.MjvOption(), []
    option.flags[mjenv.mjtVisFlag.mjVIS_INERTIA] = 1
    for world in range(2):
        scene = mjenv.MjvScene(model)
        mjenv.mjv_updateScene(model, data, option, None, mjenv.MjvCamera(), 7, scene, world=world)
        scenes.append(scene.geom_table[: scene.ngeom])
    one, two = scenes
    assert len(one) == len(two) == model.ngeom + model.nbody - 1
    np.testing.assert_allclose(two["size"], 2 * one["size"], rtol=1e-6)
