"""Replicated subtrees and attached models are what MuJoCo makes of them."""
# ruff: noqa: E501 (models in few lines)

import mujoco
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.errors import MjcfError, UnsupportedFeature

from .test_models import differences

CHILD = """
<mujoco model="arm"><compiler angle="radian" eulerseq="zyx" autolimits="false"/>
  <option timestep="0.5"/>
  <default><geom rgba="1 0 0 1" material="red"/><joint damping="2"/><default class="fine">
  <geom density="10"/><joint armature="0.5"/></default></default>
  <asset><texture name="t" type="2d" builtin="flat" width="4" height="4"/>
  <material name="red" texture="t" rgba="1 0 0 1"/><material name="m" rgba="0 1 0 1"/></asset>
  <worldbody><light name="lamp" mode="targetbody" target="upper"/><geom name="floor" type="plane" size="1 1 1"/>
  <body name="base" pos="0 0 1" euler="0.1 0.2 0.3"><camera name="view" mode="targetbody" target="lower"/>
  <joint name="j" ref="0.5" range="-1 1" limited="true"/><geom name="g" size="0.1"/>
  <frame name="f" pos="0 1 0" euler="0 0.5 0"><body name="upper" childclass="fine"><joint name="k"/><geom name="u" size=".1" material="m"/>
  <site name="tip"/><body name="lower"><freejoint name="x"/></body></body></frame></body>
  <body name="post" mocap="true" pos="1 2 3"><geom size=".2"/></body></worldbody>
  <contact><exclude name="e" body1="base" body2="upper"/><pair geom1="g" geom2="floor"/></contact>
  <actuator><motor name="a" joint="j"/><general joint="k" dyntype="filter"/></actuator>
  <sensor><jointpos joint="j"/><framepos objtype="site" objname="tip" reftype="body" refname="base"/><clock name="c"/></sensor>
  <custom><numeric name="n" data="1 2"/><text name="s" data="hello"/></custom>
  <keyframe><key name="up" qpos="0.1 0.2" ctrl="3 4" mpos="7 8 9"/><key name="mid" time="2" qvel="5 6" act="1"/></keyframe>
</mujoco>""".replace('<body name="lower"><freejoint name="x"/></body>', '<body name="lower"/>')

ATTACHED = {
    "world": '<frame pos="1 0 0"><attach model="arm" prefix="p_"/></frame>',
    "body": '<attach model="arm" body="base" prefix="p_"/>',
    "inner body": '<body name="b"><attach model="arm" body="upper" prefix="p_"/></body>',
    "two": '<attach model="arm" body="base" prefix="p_"/><frame euler="0 90 0"><attach model="arm" body="base" prefix="q_"/></frame>',
    "world twice": '<attach model="arm" prefix="p_"/><attach model="arm" prefix="q_"/>',
    "mocap": '<attach model="arm" body="post" prefix="p_"/>',
    "replicated": '<replicate count="2" offset="0 0 1" sep="-"><attach model="arm" body="base" prefix="p_"/></replicate>',
    "replicated world": '<replicate count="2" offset="0 0 1"><attach model="arm" prefix="p_"/></replicate>',
    "inside a body with a joint": '<body><joint name="own" ref="3"/><geom size="1"/><attach model="arm" body="base" prefix="p_"/></body>',
}

PARENT = """
<mujoco><asset><model name="arm" file="arm.xml"/><material name="red" rgba="0 0 1 1"/></asset>
<default><geom rgba="0 0 1 1" density="5"/><default class="fine"><geom mass="3"/></default></default>
<worldbody>{}<body name="last"><joint name="end" ref="30"/><geom size="1" class="fine"/></body></worldbody>
<actuator><motor joint="end"/></actuator></mujoco>"""


@pytest.mark.parametrize("where", ATTACHED)
def test_attached_models(where):
    assets = {"arm.xml": CHILD.encode()}
    text = PARENT.format(ATTACHED[where])
    ours = Model.from_xml_string(text, assets)
    assert not differences(ours, mujoco.MjModel.from_xml_string(text, assets))


def test_attached_models_keep_the_keyframes_around_them():
    assets = {"arm.xml": CHILD.encode()}
    key = '<keyframe><key name="own" qpos="1 2 3"/><key name="short" qvel="1"/></keyframe><size nkey="4"/></mujoco>'
    text = PARENT.format(ATTACHED["body"]).replace("</mujoco>", key)
    ours = Model.from_xml_string(text, assets)
    assert not differences(ours, mujoco.MjModel.from_xml_string(text, assets))


def test_attached_without_a_prefix():
    """Classes of the same name stay apart."""
    child = """<mujoco><default><geom rgba="1 0 0 1"/><default class="c"><geom group="2"/></default></default><worldbody><body name="w">
    <joint name="z"/><geom size="1"/><geom size="2" class="c"/></body></worldbody></mujoco>"""
    text = """<mujoco><asset><model name="c" file="c.xml"/></asset><default><geom rgba="0 0 1 1"/><default class="c"><geom group="3"/>
    </default></default><worldbody><body name="v"><joint/><geom size="1" class="c"/></body><attach model="c" prefix=""/></worldbody></mujoco>"""
    assets = {"c.xml": child.encode()}
    ours = Model.from_xml_string(text, assets)
    assert not differences(ours, mujoco.MjModel.from_xml_string(text, assets))


def test_models_attach_models():
    middle = """<mujoco><compiler angle="radian"/><asset><model name="inner" file="arm.xml"/></asset><worldbody>
    <body name="mid" euler="0 1 0"><attach model="inner" body="base" prefix="i_"/><geom size="1"/></body></worldbody></mujoco>"""
    assets = {"arm.xml": CHILD.encode(), "mid.xml": middle.encode()}
    text = PARENT.replace('file="arm.xml"', 'file="mid.xml"').format(
        '<attach model="arm" body="mid" prefix="o_"/>'
    )
    ours = Model.from_xml_string(text, assets)
    assert not differences(ours, mujoco.MjModel.from_xml_string(text, assets))


BODY = '<body name="b"><joint name="j" ref="0.5"/><geom name="g" size="1"/><site name="s"/></body>'
OUTSIDE = """<contact><exclude name="x" body1="b" body2="w"/><pair geom1="g" geom2="floor"/></contact>
<actuator><motor name="a" joint="j"/><motor joint="z"/></actuator><sensor><jointpos name="p" joint="j"/><clock name="c"/>
<framepos objtype="site" objname="s" reftype="body" refname="w"/><jointvel joint="z"/></sensor>"""

REPLICATED = {
    "bodies": f'<replicate count="3" offset="1 0 0" euler="0 0 10">{BODY}</replicate>',
    "separator": f'<replicate count="11" offset="1 0 0" sep="_">{BODY}</replicate>',
    "geoms": '<replicate count="4" euler="0 90 0"><geom name="g" size="1" pos="1 0 0"/><site name="s"/></replicate>',
    "sites, lights, cameras": '<replicate count="2" euler="10 20 30" offset="1 2 3"><light name="l"/><camera name="c"/><site name="s"/></replicate>',
    "nested": f'<replicate count="2" offset="1 0 0"><replicate count="2" offset="0 1 0" sep="x">{BODY}</replicate></replicate>',
    "in a body": '<body name="b"><joint name="j"/><replicate count="3" offset="1 0 0"><geom size="1" name="g"/><site name="s"/></replicate></body>',
    "joints": '<body name="b"><geom name="g" size="1"/><site name="s"/><replicate count="2" euler="0 90 0"><joint name="j"/></replicate></body>',
    "none": f'<replicate count="0">{BODY}</replicate>',
    "frames": f'<replicate count="2" offset="1 0 0"><frame name="f" pos="0 0 1">{BODY}</frame></replicate>',
    "class": f'<replicate count="2" offset="1 0 0" childclass="c">{BODY}</replicate>',
    "targets": '<replicate count="2" offset="1 0 0"><body name="b"><camera name="c" mode="targetbody" target="i"/><body name="i"><joint name="j"/><geom name="g" size="1"/><site name="s"/></body></body></replicate>',
    "free": '<replicate count="2" offset="1 0 0"><body name="b" pos="0 0 1"><freejoint name="j"/><geom name="g" size="1"/><site name="s"/></body></replicate>',
    "mocap": '<replicate count="2" offset="1 0 0"><body name="b" mocap="true" pos="0 0 1"/></replicate>',
    "without names": '<replicate count="3" offset="1 0 0"><body><joint/><geom size="1"/></body></replicate>',
}


def replicated(inner: str, outside: str = "", more: str = "") -> str:
    return f"""<mujoco><default><default class="c"><joint damping="3"/></default></default><worldbody>
    <geom name="floor" type="plane" size="1 1 1"/><body name="w"><joint name="z"/><geom size="1"/></body>{inner}
    <body name="last"><joint name="q"/><geom size="1"/></body></worldbody>{outside}{more}</mujoco>"""


def compiles(text: str) -> bool:
    try:
        mujoco.MjModel.from_xml_string(text)
    except ValueError:
        return False
    return True


@pytest.mark.sweep(17)
@pytest.mark.parametrize("outside", ["", OUTSIDE], ids=["alone", "referred to"])
@pytest.mark.parametrize("what", REPLICATED)
def test_replicated_subtrees(what, outside):
    text = replicated(REPLICATED[what], outside)
    if not compiles(text):
        with pytest.raises(MjcfError) as caught:
            Model.from_xml_string(text)
        assert not isinstance(caught.value, UnsupportedFeature)
        return
    ours = Model.from_xml_string(text)
    assert not differences(ours, mujoco.MjModel.from_xml_string(text))


@pytest.mark.parametrize(
    "what", ["bodies", "nested", "free", "in a body", "frames", "joints", "mocap"]
)
@pytest.mark.parametrize("outside", ["", OUTSIDE], ids=["alone", "with actuators"])
def test_keyframes_of_replicated_subtrees(what, outside):
    sizes = {"free": 8, "mocap": 1}
    nq = sizes.get(what, 2)
    qpos = " ".join(map(str, range(1, nq + 1)))
    mocap = 'mpos="1 2 3" mquat="0 1 0 0"' if what == "mocap" else ""
    if what == "free":
        outside = outside.replace('<jointpos name="p" joint="j"/>', "")
    if what == "mocap":
        outside = ""
    ctrl = 'ctrl="5 6"' if outside else ""
    key = f'<keyframe><key name="k" time="3" qpos="{qpos}" {ctrl} {mocap}/><key name="l" qvel="{"1 " * min(nq, 7)}"/></keyframe>'
    text = replicated(REPLICATED[what], outside, key)
    assert compiles(text)
    ours = Model.from_xml_string(text)
    assert not differences(ours, mujoco.MjModel.from_xml_string(text))


MISTAKES = [
    (
        replicated(REPLICATED["bodies"], "", "\n<keyframe><key qpos='1'/></keyframe>"),
        "<string>:4: <key>: qpos: expected 2 values where it is copied, found 1",
    ),
    (
        replicated(
            '\n<replicate count="2"><light name="l" mode="targetbody" target="w"/></replicate>'
        ),
        "<string>:3: <light name='l0'>: target='w0': no such body; did you mean 'w'?",
    ),
    (
        replicated('\n<attach model="arm" prefix="p"/>'),
        "<string>:3: <attach>: model='arm': no such model in <asset>",
    ),
    (
        '<mujoco><asset>\n<model name="arm" file="leg.xml"/></asset></mujoco>',
        "<string>:2: <model name='arm'>: file='leg.xml': no such file; did you mean 'loop.xml'?",
    ),
    (
        '<mujoco><asset><model name="arm" file="arm.xml"/></asset><worldbody>\n<attach model="arm" body="basis" prefix="p"/></worldbody></mujoco>',
        "<string>:2: <attach>: body='basis': no such body in the model",
    ),
    (
        '<mujoco><asset><model name="loop" file="loop.xml"/></asset></mujoco>',
        "loop.xml:2: <model name='loop'>: file='loop.xml': expected another model, found one inside itself",
    ),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES, ids=range(len(MISTAKES)))
def test_messages(text, message):
    loop = b'<mujoco><asset>\n<model name="loop" file="loop.xml"/></asset></mujoco>'
    assets = {"arm.xml": CHILD.encode(), "loop.xml": loop}
    if "loop" not in message:  # MuJoCo recurses until its stack is full
        with pytest.raises(ValueError, match="Error"):
            mujoco.MjModel.from_xml_string(text, assets)
    with pytest.raises(MjcfError) as caught:
        Model.from_xml_string(text, assets)
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["c.xml", "c.urdf", "c.XML", "c.mjcf", "c", "c.xml.bak"])
@pytest.mark.parametrize("kind", ["", "text/xml", "application/xml"])
def test_names_of_models(name, kind):
    """A model that is attached is known by the end of its name, or by its type."""
    kind = f"content_type='{kind}'" if kind else ""
    text = f"""<mujoco><asset><model name="c" file="{name}" {kind}/></asset><worldbody><attach
      model="c" prefix="p"/></worldbody></mujoco>"""
    assets = {name: b"<mujoco><worldbody><geom size='1'/></worldbody></mujoco>"}
    if name in ("c.xml", "c.urdf") or "'text/xml'" in kind:
        reference = mujoco.MjModel.from_xml_string(text, assets)
        assert not differences(Model.from_xml_string(text, assets), reference)
        return
    with pytest.raises(ValueError, match="could not decode content"):
        mujoco.MjModel.from_xml_string(text, assets)
    with pytest.raises(MjcfError, match=r"expected a name that ends in .xml or .urdf, or content_"):
        Model.from_xml_string(text, assets)


COPIES = '<replicate count="2"><geom size=".1"/></replicate>'
NEAR = '<body><site name="a"/><joint name="j"/><geom size=".1"/></body>'
FAR = '<body pos="1 0 0"><site name="b"/></body>'
PATHS = {
    "spatial": '<spatial name="t"><site site="a"/><site site="b"/></spatial>',
    "fixed": '<fixed name="t"><joint joint="j" coef="1"/></fixed>',
}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "tree",
    [(COPIES, NEAR, FAR), (NEAR, COPIES, FAR), (NEAR, FAR, COPIES), (COPIES, NEAR, COPIES, FAR)],
    ids=["before", "between", "behind", "twice"],
)
def test_keyframes_of_actuators_on_tendons_beside_copies(tree, path):
    """What copies of a keyframe say of an actuator depends on which ends of its tendon are there."""
    text = f"""<mujoco><worldbody>{"".join(tree)}</worldbody><tendon>{PATHS[path]}</tendon>
      <actuator><motor joint="j"/><muscle tendon="t" lengthrange=".3 .8"/></actuator>
      <keyframe><key act=".2" ctrl=".5 .7"/></keyframe></mujoco>"""
    assert not differences(Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text))
