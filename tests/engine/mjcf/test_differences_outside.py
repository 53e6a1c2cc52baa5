"""Small documents of what is outside the tree that once compiled to other models than MuJoCo's."""
# ruff: noqa: E501 (models in few lines)

import mujoco
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.edit.spec import Spec
from mjenv.engine.errors import MjcfError

from .test_models import differences

# what differs because MuJoCo's result is arbitrary; the generator of documents leaves it out
KNOWN = {
    "singular inertia": "two equal joints of a body without armature: the pivot of a singular matrix"
    " is rounding, and with it all inverse weights, stiffness of springdamper, acc0",
    "small memory": "<size memory='2k'/>: MuJoCo compiles with the arena that the model asks for, and"
    " fails where its own stack does not fit; how much that takes is a matter of its code",
    "unstable length ranges": "MuJoCo starts an unstable simulation again for ever; here it is refused",
    "fused bodies with cameras in frames of replicates": "MuJoCo compiles the cameras a second time,"
    " after the frames that they stand in were deleted",
    "touch of a mesh whose number no geom has": "MuJoCo reads behind the end of an array",
    "pulleys with divisor 0": "infinity times the zeros of a Jacobian, which MuJoCo multiplies or not"
    " depending on the kinds of bodies",
    "activation of DC motors without any": "keyframes of replicated models: MuJoCo writes their"
    " activation behind the end of a vector",
}


def world(inside, before="", behind=""):
    return f"<mujoco>{before}<worldbody>{inside}</worldbody>{behind}</mujoco>"


def model(inside, before="", behind="", **files):
    """A document, and the contents of the files that it names."""
    return world(inside, before, behind), {f"{name}.xml": text for name, text in files.items()}


ARM = '<body name="a"><joint name="j"/><geom name="g" size=".1"/><site name="s"/></body>'
MODEL = '<asset><model name="m" file="m.xml"/></asset>'

EQUAL = {
    # contacts
    "pair without names": model('<geom size=".1"/><geom name="g" size=".1"/>', "", "<contact><pair/></contact>"),
    # keyframes
    "keyframes without names": model('<body><freejoint/><geom size=".1"/><replicate count="0"><joint type="ball"/></replicate></body>', "", '<keyframe><key qpos="0 0 0 0 0 1 0 0 1 0 1"/><key/></keyframe>'),
    # sizes
    "arena at a whole megabyte": model("", '<size nconmax="1000000" njmax="0"/>'),
    "size of a model that is attached": model('<attach model="m" prefix="p_"/>', MODEL, m='<mujoco><size nuserdata="-1"/></mujoco>'),
    "keyframes of actuators whose targets come later": model('<replicate count="1"/><body name="b"/>', "", '<actuator><adhesion ctrlrange="0 2" body="b"/></actuator><keyframe><key ctrl="0.5"/></keyframe>'),
    # cables
    "short friction of a cable beside a class": model('<composite type="cable" curve="s" count="4 1 1" size="1 0 0" initial="none"><geom type="capsule" size=".01" friction=".3" solimp=".8"/><site size=".1"/></composite>', '<default><geom friction="1 .2 .3" solimp=".5 .6 .7"/><site size=".1 .2 .3"/></default>'),
    # tuples
    **{f"tuples know what is copied before them{which}": model('<attach model="m" prefix="p_"/>', MODEL, custom, m=world(ARM, "", '<custom><tuple name="t"><element objtype="text" objname="x"/></tuple><tuple name="u"><element objtype="tuple" objname="t"/></tuple><text name="x" data="y"/></custom>')) for which, custom in {"": "", ", but not with them": '<custom><tuple name="t"><element objtype="body" objname="world"/></tuple></custom>'}.items()},
    # names
    "a name inside a replicate and behind it": model('<replicate count="3"><geom name="g" size=".1"/></replicate><geom name="g" size=".1"/>'),
    # attached models
    "joint that is joined to itself": model('<attach model="m" prefix="p_"/>', MODEL, m=world(ARM, "", '<equality><joint joint1="j" joint2="j"/></equality>')),
    "range of a joint without limits": model('<attach model="m" prefix="p_"/>', '<compiler angle="radian"/>' + MODEL, m=world(ARM.replace('name="j"', 'range="-1 1" limited="false"'))),
    "pair without names in a model": model('<attach model="m" prefix="p_"/>', MODEL, m="<mujoco><contact><pair/></contact></mujoco>"),
    "body, then the model around it, with keyframes": model('<attach model="m" prefix="q_" body="b"/><attach model="m" prefix="p_"/>', MODEL, m=f'<mujoco><worldbody><body><joint/><geom size=".1"/>{ARM}<body name="b"><joint/><geom size=".1"/></body></body></worldbody><keyframe><key qpos="1 2 3" qvel="4 5 6"/></keyframe></mujoco>'),
    "inertia under other settings": model('<attach model="m" prefix="p_"/><body><geom size=".1"/></body>', '<compiler inertiagrouprange="1 2"/>' + MODEL, m='<mujoco><compiler boundmass="0.3" boundinertia="2" inertiafromgeom="true" alignfree="true"/><worldbody><body><freejoint/><geom size=".1" pos="1 2 3"/><geom size=".2"/></body><body><joint type="free"/><inertial pos="0 0 0" mass="1"/><geom type="box" size=".1 .2 .3" pos="1 0 0"/><frame pos="0 0 1" euler="0 90 0"><body/></frame></body></worldbody></mujoco>'),
    "inertia inside a replicate": model('<body><joint/><geom size=".1"/><replicate count="2"><inertial pos="1 0 0" mass="1" diaginertia="1 1 1"/><geom size=".2"/></replicate></body>'),
    "joint of the world that is replicated never": model('<replicate count="0"><joint/></replicate>'),
    "the same body attached again": model('<attach model="m" body="a" prefix="p_"/><frame pos="1 0 0"><attach model="m" body="a" prefix="p_"/></frame><geom size="1"/>', MODEL, m=world(ARM)),
    "the world as a body that is attached": model('<attach model="m" body="world" prefix="p_"/><camera target="p_b" mode="targetbody"/>', MODEL, m=world('<body name="b"/><geom size="1"/><light/>')),
}  # fmt: skip
# by both
REFUSED = {
    "short activation beside a DC motor without any": model(ARM, "", '<actuator><muscle joint="j" lengthrange="0 1"/><dcmotor nominal="12 3 100" joint="j"/></actuator><keyframe><key act="1"/></keyframe>'),
    "body without a name for an empty prefix": model('<body><attach model="m" prefix=""/></body>', MODEL, m="<mujoco/>"),
    "a name before a replicate and inside it": model('<geom name="g" size=".1"/><replicate count="3"><geom name="g" size=".1"/></replicate>'),
    "faults of a model that is not attached": model("", MODEL, m="<mujoco><actuator><dcmotor/></actuator></mujoco>"),
    "targets in a model that is not attached": model("", MODEL, m='<mujoco><actuator><motor joint="j" slidersite="s"/></actuator></mujoco>'),
    "faults of what is replicated never": model('<replicate count="0"><joint name="j"/></replicate>', "", '<actuator><dcmotor joint="j"/></actuator>'),
    "armature of an actuator beside a wrapped geom": model('<geom name="g" size=".1"/><site name="s"/><site name="t"/>', "", '<tendon><spatial name="t"><site site="s"/><geom geom="g"/><site site="t"/></spatial></tendon><actuator><motor tendon="t" armature="1"/></actuator>'),
    "empty text of a model that is not attached": model("", MODEL, m='<mujoco><custom><text name="t" data=""/></custom></mujoco>'),
    "joint that is joined to itself, and replicated": model('<replicate count="0"><body><joint name="j"/></body></replicate>', "", '<equality><joint joint1="j" joint2="j"/></equality>'),
    "touch without a geom": model('<body><geom name="g" size=".1"/></body>', '<asset><mesh name="n" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>', '<sensor><tactile geom="g" mesh="m"/></sensor>'),
    "size of a model inside a model": model("", MODEL, m=f"<mujoco>{MODEL.replace('m.xml', 'n.xml')}</mujoco>", n='<mujoco><size memory="16E"/></mujoco>'),
}  # fmt: skip


def contents(assets):
    return {name: text.encode() for name, text in assets.items()}


@pytest.mark.parametrize("name", EQUAL)
@pytest.mark.filterwarnings("ignore")
def test_equal(name):
    text, assets = EQUAL[name]
    reference = mujoco.MjModel.from_xml_string(text, contents(assets))
    assert not differences(Model.from_xml_string(text, contents(assets)), reference)
    written = Spec.from_string(text, contents(assets)).to_xml()
    assert not differences(Model.from_xml_string(written, contents(assets)), reference)


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore")
def test_refused(name):
    text, assets = REFUSED[name]
    with pytest.raises(ValueError, match="Error"):
        mujoco.MjModel.from_xml_string(text, contents(assets))
    with pytest.raises(MjcfError):
        Model.from_xml_string(text, contents(assets))


FRAME = '<body><frame euler="0 90 0"><site name="s" euler="0 0 90"/><body name="b"><joint type="ball"/><geom size=".1"/></body></frame><body name="c"><joint ref="0.5"/><geom size=".1"/></body></body>'
KEYS = '<keyframe><key name="k" qpos="1 2 3 4 5" ctrl="6"/></keyframe>'
CHILD = world(
    '<body name="b"><joint name="j" type="ball"/><geom size=".2"/></body>',
    "",
    '<actuator><motor joint="j"/></actuator><keyframe><key name="k" ctrl="7"/></keyframe>',
)
# document, what is attached to it at the site, and which body is deleted
EDITS = {
    "site in a frame": (world(FRAME), CHILD, ""),
    "keyframes of what is attached before the end": (world(FRAME, "", '<actuator><adhesion body="c" ctrlrange="0 1"/></actuator>' + KEYS), CHILD, ""),
    "short pose of a mocap body": (world(FRAME + '<body mocap="true" pos="1 2 3"/>', "", '<keyframe><key mpos="7"/></keyframe>'), CHILD, ""),
    "order of keyframes after a body is deleted": (world(FRAME, "", KEYS.replace('ctrl="6"', "")), CHILD, "c"),
    "touch of a mesh that is named by its file": (world(FRAME.replace("<geom", '<geom name="g"', 1), "", '<asset><mesh file="m.obj"/></asset><sensor><tactile geom="g" mesh="m"/></sensor>'), CHILD, "c"),
    "controls of an attached model, then a body is deleted": (world(FRAME), CHILD, "c"),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_edits(name):
    text, attached, deleted = EDITS[name]
    mesh = {"m.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4"}
    spec, reference = Spec.from_string(text, mesh), mujoco.MjSpec.from_string(text, assets=mesh)
    spec.site("s").attach(Spec.from_string(attached), "p_")
    child = mujoco.MjSpec.from_string(attached)
    reference.attach(child, prefix="p_", site=reference.site("s"))
    if deleted:
        spec.body(deleted).remove()
        reference.delete(reference.body(deleted))
    model = reference.compile()
    assert not differences(spec.compile(), model)
    assert not differences(spec.compile(), model)  # keyframes are in the document now
    assert not differences(Model.from_xml_string(spec.to_xml(), mesh), model)


def test_sections_that_are_given_twice():
    spec = Spec.from_string(
        world(ARM, "", '<sensor><clock name="a"/></sensor><sensor><clock name="b"/></sensor>')
    )
    assert [node.name for node in spec.sensor.children] == ["a", "b"]
    assert spec.sensor("a").tag == "clock"
