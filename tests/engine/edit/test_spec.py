"""Models that are edited: what MuJoCo's own model specification does, and messages."""
# ruff: noqa: E501 (models in few lines)

import mujoco
import numpy as np
import pytest

import mjenv.mujoco
from mjenv import MjcfError, Model, Spec

from ..mjcf.test_expand import CHILD, REPLICATED, replicated
from ..mjcf.test_models import SMALL, differences

ARM = """
<mujoco><default><geom rgba="1 0 0 1"/><default class="soft"><joint damping="3"/></default></default>
<worldbody><geom name="floor" type="plane" size="1 1 1"/><body name="a" childclass="soft"><joint name="j" range="-90 90"/>
<geom name="g" size="0.1"/><site name="s" pos="0 0 1" euler="0 90 0"/><body name="b" pos="1 0 0"><joint name="k" axis="0 1 0"/>
<geom name="h" size="0.2"/></body></body><body name="c"><freejoint name="f"/><geom size="0.3"/></body></worldbody>
<contact><exclude body1="a" body2="b"/></contact><actuator><motor name="m" joint="j"/><motor name="n" joint="k"/></actuator>
<sensor><jointpos name="p" joint="k"/><clock/></sensor>
<keyframe><key name="up" qpos="1 2 3 4 5 6 7 8 9" ctrl="5 6"/><key name="low" qvel="1 2 3 4 5 6 7 8"/></keyframe></mujoco>"""


def test_built_in_python():
    spec = Spec()
    spec.modelname = "built"
    spec.option.timestep = 0.01
    spec.option.flag.gravity = False
    spec.visual.global_.fovy = 30
    spec.default.geom.rgba = 1, 0, 0, 1
    spec.default.add_default(class_="soft").joint.damping = 0.3
    arm = spec.worldbody.add_body(name="arm", pos=(0, 0, 1))
    arm.add_joint(name="shoulder", class_="soft", axis=np.array([0, 1, 0]), range=(-90, 90))
    arm.add_geom(type="capsule", size=[0.1, np.float32(0.25)])
    hand = arm.add_frame(pos=(1, 0, 0), euler=(0, 90, 0)).add_body(
        name="hand", gravcomp=np.float64(1)
    )
    hand.add_joint(name="wrist", type="ball", limited=False)
    hand.add_geom(name="palm", type="box", size=(0.1, 0.2, 0.3), contype=0)
    spec.actuator.add_position(name="servo", joint="shoulder", kp=10, ctrlrange=(-1, 1))
    spec.sensor.add_framepos(objtype="geom", objname="palm")
    spec.keyframe.add_key(name="k", qpos=(1, 1, 0, 0, 0))
    text = """<mujoco model="built"><option timestep="0.01"><flag gravity="disable"/></option><visual><global fovy="30"/></visual>
    <default><geom rgba="1 0 0 1"/><default class="soft"><joint damping="0.3"/></default></default><worldbody><body name="arm" pos="0 0 1">
    <joint name="shoulder" class="soft" axis="0 1 0" range="-90 90"/><geom type="capsule" size="0.1 0.25"/><frame pos="1 0 0" euler="0 90 0">
    <body name="hand" gravcomp="1"><joint name="wrist" type="ball" limited="false"/><geom name="palm" type="box" size=".1 .2 .3" contype="0"/></body>
    </frame></body></worldbody><actuator><position name="servo" joint="shoulder" kp="10" ctrlrange="-1 1"/></actuator>
    <sensor><framepos objtype="geom" objname="palm"/></sensor><keyframe><key name="k" qpos="1 1 0 0 0"/></keyframe></mujoco>"""
    reference = mujoco.MjModel.from_xml_string(text)
    assert not differences(spec.compile(), reference)
    assert not differences(Model.from_xml_string(spec.to_xml()), reference)


def test_values_are_those_that_hold():
    spec = Spec.from_string(ARM)
    joint = spec.joint("j")
    assert joint.damping == (3.0, 0.0, 0.0)  # from the class of the body around it
    assert joint.range == (-90.0, 90.0)
    assert joint.given == {"name": "j", "range": (-90.0, 90.0)}
    assert spec.geom("g").rgba == (1.0, 0.0, 0.0, 1.0)
    assert spec.geom("g").mass is None
    assert spec.body("c").mocap is False
    joint.damping = 1
    assert joint.damping[0] == 1.0
    del joint.damping
    assert joint.damping[0] == 3.0
    joint.parent.childclass = None
    assert joint.damping[0] == 0.0


@pytest.mark.parametrize("name", SMALL)
def test_edits_equal_those_of_the_text(name):
    """What is read, and compiled after an edit of every mass, equals MuJoCo's."""
    spec, reference = Spec.from_string(SMALL[name]), mujoco.MjSpec.from_string(SMALL[name])
    for geom in spec.all("geom"):
        if geom.parent.tag != "default":
            geom.density = 123
    for geom in reference.geoms:
        geom.density = 123
    assert not differences(spec.compile(), reference.compile())


def test_replicates_are_written_out():
    text = replicated(REPLICATED["bodies"])
    spec = Spec.from_string(text)
    spec.body("b1").pos = 0, 0, 7
    reference = mujoco.MjSpec.from_string(text)
    reference.body("b1").pos = 0, 0, 7
    assert not differences(spec.compile(), reference.compile())


def test_replicates_that_are_added():
    spec = Spec()
    replicate = spec.worldbody.add_replicate(count=3, offset=(1, 0, 0))
    replicate.add_body(name="b").add_geom(size=0.1)
    model = spec.compile()
    assert [model.body(i).name for i in range(4)] == ["world", "b0", "b1", "b2"]
    assert not differences(Model.from_xml_string(spec.to_xml()), model)


@pytest.mark.parametrize("name", ["a", "b", "c"])
def test_remove_bodies(name):
    """What refers to a removed body goes with it, keyframes keep the rest."""
    spec, reference = Spec.from_string(ARM), mujoco.MjSpec.from_string(ARM)
    spec.body(name).remove()
    reference.delete(reference.body(name))
    assert not differences(spec.compile(), reference.compile())


REMOVALS = {
    "a geom, then a body": ("geom extra", "body b"),
    "two bodies": ("body b", "body c"),
    "a body, a geom, and another body": ("body c", "geom extra", "body b"),
}


@pytest.mark.parametrize("name", REMOVALS)
def test_controls_in_keyframes_after_removals(name):
    """What keyframes say of actuators is lost once MuJoCo copies the spec a second time."""
    text = """<mujoco><worldbody><body name="a"><joint name="j"/><geom size=".1"/><geom name="extra" size=".1"/></body>
    <body name="b"><joint/><geom size=".1"/></body><body name="c"><geom size=".1"/></body></worldbody>
    <actuator><motor joint="j"/><general joint="j" dyntype="integrator"/></actuator>
    <keyframe><key qpos="1 2" act="3" ctrl="4 5"/></keyframe></mujoco>"""
    spec, reference = Spec.from_string(text), mujoco.MjSpec.from_string(text)
    module = mjenv.mujoco.MjSpec.from_string(text)
    for what in REMOVALS[name]:
        kind, of = what.split()
        spec.find(kind, of).remove()
        for other in (reference, module):
            other.delete(getattr(other, kind)(of))
    expected = reference.compile()
    assert not differences(spec.compile(), expected)
    for field in ("key_qpos", "key_act", "key_ctrl"):
        assert np.array_equal(getattr(module.compile(), field), getattr(expected, field))


def test_keyframes_up_to_their_number_after_a_geom_is_removed():
    text = '<mujoco><size nkey="4"/><worldbody><body><joint/><geom size=".1"/><geom name="g" size=".2"/></body></worldbody><keyframe><key time="1"/></keyframe></mujoco>'
    spec, reference = Spec.from_string(text), mujoco.MjSpec.from_string(text)
    spec.geom("g").remove()
    reference.delete(reference.geom("g"))
    assert not differences(spec.compile(), reference.compile())


def test_lengths_of_cranks_that_a_class_gives_to_what_has_none():
    """Texts of attached models have no classes; an actuator cannot say it where it has no crank."""
    child = {
        "m.xml": b'<mujoco><default><general cranklength=".4"/></default><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody><actuator><general joint="j"/></actuator></mujoco>'
    }
    text = '<mujoco><asset><model name="m" file="m.xml"/></asset><worldbody><attach model="m" prefix="p_"/></worldbody></mujoco>'
    written = Model.from_xml_string(Spec.from_string(text, child).to_xml())
    assert differences(written, mujoco.MjModel.from_xml_string(text, child)) == [
        "actuator_cranklength"
    ]


DRIVEN = """<mujoco><extension><plugin plugin="mujoco.pid"><instance name="i"><config key="kp" value="3"/></instance></plugin>
<plugin plugin="mujoco.elasticity.cable">{}</plugin></extension><worldbody>
<body name="a"><joint name="j"/><geom size=".1"/>{}</body><body name="b"><geom size=".1"/></body></worldbody>
<actuator><plugin plugin="mujoco.pid" instance="i" joint="j"/></actuator></mujoco>"""
CABLED = '<composite prefix="c" type="cable" curve="s" count="4 1 1" size="1 0 0"><geom type="capsule" size=".01"/><plugin plugin="mujoco.elasticity.cable" instance="k"/></composite>'
WITH_INSTANCES = {
    "of what goes": (DRIVEN.format("", ""), "a"),
    "of nothing": (DRIVEN.format('<instance name="unused"/>', ""), "b"),
    "of a cable that stays": (DRIVEN.format('<instance name="k"/>', CABLED), "b"),
}


@pytest.mark.parametrize("name", WITH_INSTANCES)
def test_plugin_instances_that_nothing_uses_go_with_a_body(name):
    text, body = WITH_INSTANCES[name]
    spec, reference = Spec.from_string(text), mujoco.MjSpec.from_string(text)
    spec.body(body).remove()
    reference.delete(reference.body(body))
    assert not differences(spec.compile(), reference.compile())


def test_remove_other_elements():
    spec = Spec.from_string(ARM)
    for kind, name in (("geom", "h"), ("sensor", "p"), ("actuator", "n"), ("key", "low")):
        spec.find(kind, name).remove()
    spec.find("default", "soft").joint.remove()
    text = ARM.replace(
        '<geom name="h" size="0.2"/>', '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    )
    for gone in ('<jointpos name="p" joint="k"/>', '<motor name="n" joint="k"/>', '<joint damping="3"/>',
                 '<key name="low" qvel="1 2 3 4 5 6 7 8"/>'):  # fmt: skip
        text = text.replace(gone, "")
    text = text.replace('ctrl="5 6"', 'ctrl="5"')
    spec.body("b").add_inertial(pos=(0, 0, 0), mass=1, diaginertia=(1, 1, 1))
    assert not differences(spec.compile(), mujoco.MjModel.from_xml_string(text))


ATTACH = {
    "model to frame": (None, "frame"),
    "model to site": (None, "site"),
    "body to frame": ("base", "frame"),
    "inner body to site": ("upper", "site"),
}


@pytest.mark.parametrize("what", ATTACH)
def test_attach(what):
    body, where = ATTACH[what]
    text = CHILD.replace('type="plane" size="1 1 1"', 'size="1"').replace('mocap="true"', "")
    text = text.replace('mpos="7 8 9"', "")
    spec, child = Spec.from_string(ARM), Spec.from_string(text)
    reference, other = mujoco.MjSpec.from_string(ARM), mujoco.MjSpec.from_string(text)
    if where == "frame":
        to = spec.body("b").add_frame(pos=(0, 0, 1), euler=(10, 20, 30))
        to_reference = reference.body("b").add_frame(pos=(0, 0, 1), euler=(10, 20, 30))
    else:
        to, to_reference = spec.site("s"), reference.site("s")
    to.attach(child.body(body) if body else child, "p_", "_q")
    if body:
        to_reference.attach_body(other.body(body), "p_", "_q")
    elif where == "site":
        reference.attach(other, prefix="p_", suffix="_q", site=to_reference)
    else:
        reference.attach(other, prefix="p_", suffix="_q", frame=to_reference)
    assert not differences(spec.compile(), reference.compile())
    again = Model.from_xml_string(spec.to_xml())
    assert not differences(again, spec.compile())


@pytest.mark.parametrize("angle", ["degree", "radian"])
@pytest.mark.parametrize("compiled", [False, True], ids=["fresh", "compiled"])
@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
def test_compiler_settings_of_what_is_attached(angle, compiled, late):
    """They hold for its angles, as they are when the whole is compiled."""

    def set_angles():
        child.compiler.angle, other.compiler.degree = angle, angle == "degree"
        child.compiler.eulerseq = other.compiler.eulerseq = "zyx"

    spec, child, inner = Spec(), Spec(), Spec()
    reference, other, within = (mujoco.MjSpec() for _ in range(3))
    spec.compiler.angle = "degree"
    child.worldbody.add_body(name="b", euler=(90, 0, 10)).add_geom(size=(0.1,))
    body = other.worldbody.add_body(name="b")
    body.alt.type, body.alt.euler = mujoco.mjtOrientation.mjORIENTATION_EULER, (90, 0, 10)
    body.add_geom(size=(0.1, 0, 0))
    if not late:
        set_angles()
    if compiled:
        child.compile()
    inner.worldbody.add_frame().attach(child, prefix="i_")
    within.attach(other, prefix="i_", frame=within.worldbody.add_frame())
    spec.worldbody.add_frame().attach(inner, prefix="o_")
    reference.attach(within, prefix="o_", frame=reference.worldbody.add_frame())
    if late:
        set_angles()
    model = spec.compile()
    assert not differences(model, reference.compile())
    assert not differences(Model.from_xml_string(spec.to_xml()), model)
    assert not differences(spec.copy().compile(), model)


def test_attach_leaves_the_other_model_as_it_was():
    child = Spec.from_string(CHILD)
    before = child.to_xml()
    for k in range(3):
        Spec.from_string(ARM).worldbody.attach(child, f"p{k}_")
    assert child.to_xml() == before


def test_attach_a_body_of_the_same_model():
    spec, reference = Spec.from_string(ARM), mujoco.MjSpec.from_string(ARM)
    reference.copy_during_attach = True
    spec.worldbody.add_frame(pos=(0, 3, 0)).attach(spec.body("a"), "p_")
    frame = reference.worldbody.add_frame(pos=(0, 3, 0))
    frame.attach_body(reference.body("a"), "p_", "")
    ours, theirs = spec.compile(), reference.compile()
    assert not [name for name in differences(ours, theirs) if not name.startswith("key_")]


def test_copies_are_independent():
    spec = Spec.from_string(ARM)
    copy = spec.copy()
    copy.body("b").remove()
    copy.option.timestep = 0.5
    assert not differences(spec.compile(), Model.from_xml_string(ARM))
    assert copy.compile().nbody == 3
    assert copy.body("a") != spec.body("a")
    assert spec.body("a") == spec.body("a")


def test_recompile_keeps_the_state():
    spec = Spec.from_string(ARM)
    for sensor in spec.sensor.children:
        sensor.remove()
    data = mjenv.Data(spec.compile(), 3)
    rng = np.random.default_rng(0)
    data.qpos[:], data.qvel[:], data.ctrl[:] = (
        rng.normal(size=x.shape) for x in (data.qpos, data.qvel, data.ctrl)
    )
    data.time[:] = 1, 2, 3
    old = data.qpos.copy(), data.qvel.copy(), data.ctrl.copy()
    spec.body("b").remove()
    new = spec.body("a").add_body(pos=(0, 1, 0))
    new.add_joint(ref=30)
    new.add_geom(size=0.1)
    model, data = spec.recompile(data)
    assert model.nq == 9
    assert np.array_equal(data.time, [1, 2, 3])
    assert np.array_equal(
        data.qpos[:, [0, 2, 3, 4, 5, 6, 7, 8]], old[0][:, [0, 2, 3, 4, 5, 6, 7, 8]]
    )
    assert np.allclose(data.qpos[:, 1], np.radians(30))
    assert np.array_equal(data.qvel[:, [0, 2, 3, 4, 5, 6, 7]], old[1][:, [0, 2, 3, 4, 5, 6, 7]])
    assert np.array_equal(data.ctrl[:, 0], old[2][:, 0])
    with pytest.raises(ValueError, match="recompile: expected data of the model"):
        spec.recompile(mjenv.Data(Model.from_xml_string("<mujoco/>")))


def messages():
    spec = Spec.from_string(ARM)
    geom = spec.geom("g")
    yield (
        lambda: setattr(geom, "sise", 1),
        AttributeError,
        "<string>:4: <geom name='g'>: sise: no such attribute; did you mean 'size'?",
    )
    yield (
        lambda: geom.sise,
        AttributeError,
        "<string>:4: <geom name='g'>: sise: no such attribute; did you mean 'size'?",
    )
    yield (
        lambda: setattr(geom, "size", (1, 2, 3, 4)),
        MjcfError,
        "<string>:4: <geom name='g'>: size=(1, 2, 3, 4): expected 1 to 3 values, found 4",
    )
    yield (
        lambda: setattr(geom, "contype", 1.5),
        MjcfError,
        "<string>:4: <geom name='g'>: contype=1.5: expected an integer, found '1.5'",
    )
    yield (
        lambda: setattr(geom, "type", True),
        MjcfError,
        "<string>:4: <geom name='g'>: type=True: expected a word, found a boolean",
    )
    yield lambda: spec.geom("G"), KeyError, "\"no geom 'G'; did you mean 'g'?\""
    yield (
        lambda: spec.worldbdy,
        AttributeError,
        "Spec: worldbdy: no such attribute; did you mean 'worldbody'?",
    )
    yield (
        lambda: spec.body("a").add_geon(),
        AttributeError,
        "<string>:3: <body name='a'>: add_geon: no such attribute; did you mean 'add_geom'?",
    )
    yield (
        lambda: spec.worldbody.remove(),
        MjcfError,
        "<string>:3: <worldbody>: expected an element that can be removed",
    )
    yield (
        lambda: geom.attach(spec),
        MjcfError,
        "<Node <string>:4: <geom name='g'>>: expected a body, frame or site to attach to",
    )


@pytest.mark.parametrize("k", range(len(list(messages()))))
def test_messages(k):
    action, kind, message = list(messages())[k]
    with pytest.raises(kind) as caught:
        action()
    assert str(caught.value) == message


def test_messages_say_where_an_element_was_added():
    spec = Spec()
    spec.worldbody.add_geom(name="g", size=-1)
    with pytest.raises(
        MjcfError, match=r"test_spec.py:\d+: <geom name='g'>: size: expected a positive number"
    ):
        spec.compile()
    with pytest.raises(
        MjcfError, match=r"test_spec.py:\d+: <exclude>: expected the attribute 'body1', found none"
    ):
        spec.contact.add_exclude()
