"""Bodies that cannot move are fused, visual parts are dropped, as MuJoCo does it."""
# ruff: noqa: E501 (models in few lines)

import mujoco
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.errors import MjcfError

from .test_models import differences

MODELS = {
    "nested": """<mujoco><compiler fusestatic="true"/><worldbody><geom size="1 1 1" type="plane" /><body name="a" pos="0 0 1" euler="10 20 30"><joint/><geom size="0.1"/>
<body pos="1 0 0" euler="0 90 0"><geom size="0.2 0.3" pos="0.1 0.2 0.3" type="capsule"/><site name="s" pos="1 0 0"/><camera pos="1 2 3" euler="1 2 3"/><light pos="1 0 0" dir="1 1 1"/>
<body name="in" pos="0 1 0"><joint/><geom size="0.3" contype="2"/><body pos="0 0 1"><geom size="0.3" margin="0.1"/><body><geom type="box" size=".1 .2 .3"/></body></body></body></body></body>
<body pos="1 1 1"><geom size="0.3"/><body pos="1 1 1" euler="10 20 30"><joint/><geom size="0.3"/></body><camera name="c2" pos="0 0 1"/></body><body mocap="true"><geom size="1"/></body></worldbody></mujoco>""",
    "refs": """<mujoco><compiler fusestatic="true"/><worldbody><body name="m" pos="0 0 1"><joint/><geom size="0.1"/><body name="cam" pos="1 0 0"><geom size=".1"/></body><body name="ex"><geom size=".1" /></body><body name="sen" pos="1 0 0"><geom size=".1"/></body>
<body name="force" pos="1 0 0"><geom size=".1"/><site name="f"/></body><body pos="1 0 0"><geom size=".1"/><site name="f2"/></body><body name="tup" pos="1 0 0"><geom size=".1"/></body><body name="not" pos="1 0 0"><geom size=".1"/></body><body name="sub" pos="1 0 0"><geom size=".1"/></body><body name="eq" pos="1 0 0"><geom size=".1"/></body><body name="adh" pos="1 0 0"><geom size=".1"/></body></body>
<camera mode="targetbody" target="cam"/></worldbody><contact><exclude body1="ex" body2="world"/></contact><equality><connect body1="eq" anchor="0 0 0"/></equality><actuator><adhesion body="adh" ctrlrange="0 1"/></actuator><sensor><framepos objtype="body" objname="sen"/><force site="f"/><torque site="f2"/><subtreecom body="sub"/></sensor><custom><tuple name="t"><element objtype="body" objname="tup"/></tuple></custom></mujoco>""",
    "align": """<mujoco><compiler fusestatic="true" alignfree="true"/><worldbody><body pos="0 0 1"><freejoint/><geom size="0.1" pos="1 0 0"/><camera pos="0 0 1"/><light pos="1 2 3"/><site pos="1 1 1"/></body><body><freejoint/><geom size="0.1" pos="1 0 0"/><camera pos="0 0 1"/><body pos="1 1 1"><geom size=".1"/></body></body></worldbody></mujoco>""",
    "discard": """<mujoco><compiler discardvisual="true"/><asset><texture name="t" type="2d" builtin="flat" width="4" height="4"/><material name="m" texture="t"/><mesh name="a" vertex="0 0 0  1 0 0  0 1 0  0 0 1" texcoord="0 0 1 0 0 1 1 1"/><mesh name="b" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/></asset><worldbody><geom size="1" material="m" contype="0" conaffinity="0"/><body><freejoint/><geom type="mesh" mesh="a"/><geom type="mesh" mesh="b" contype="0" conaffinity="0"/><geom name="g" size="1" contype="0" conaffinity="0" material="m"/><geom size="2" contype="0" conaffinity="0" margin="3" user="1 2 3"/></body></worldbody><sensor><framepos objtype="geom" objname="g"/></sensor></mujoco>""",
    "both": """<mujoco><compiler discardvisual="true" fusestatic="true"/><worldbody><body><joint/><geom size="1"/><body pos="1 0 0"><geom size="1" contype="0" conaffinity="0"/><geom size=".5"/></body></body></worldbody></mujoco>""",
    "free": """<mujoco><compiler fusestatic="true" alignfree="true"/><worldbody><body pos="1 2 3" euler="10 20 30"><geom size=".1"/><body pos="1 2 3" euler="10 20 40"><freejoint/><geom size=".1" pos="1 0 0"/></body></body></worldbody><keyframe><key qpos="1 2 3"/></keyframe></mujoco>""",
    "fit": """<mujoco><compiler discardvisual="true"/><asset><mesh name="a" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/></asset><worldbody><geom type="box" mesh="a"/></worldbody></mujoco>""",
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore:.*means another site")
def test_models(name):
    ours = Model.from_xml_string(MODELS[name])
    reference = mujoco.MjModel.from_xml_string(MODELS[name])
    assert not differences(ours, reference)


REFERRING = {
    "camera": ('<camera mode="targetbody" target="x"/>', ""),
    "light": ('<light mode="targetbody" target="x"/>', ""),
    "exclude": ("", '<contact><exclude body1="x" body2="world"/></contact>'),
    "connect": ("", '<equality><connect body1="x" anchor="0 0 0"/></equality>'),
    "weld": ("", '<equality><weld body1="m" body2="x"/></equality>'),
    "adhesion": ("", '<actuator><adhesion body="x" ctrlrange="0 1"/></actuator>'),
    "frame": ("", '<sensor><framepos objtype="body" objname="x"/></sensor>'),
    "reference frame": (
        "",
        '<sensor><framepos objtype="body" objname="m" reftype="body" refname="x"/></sensor>',
    ),
    "subtree": ("", '<sensor><subtreecom body="x"/></sensor>'),
    "distance": ("", '<sensor><distance body1="x" geom2="g"/></sensor>'),
    "contact": ("", '<sensor><contact body1="x"/></sensor>'),
    "force": ("", '<sensor><force site="s"/></sensor>'),
    "acceleration": ("", '<sensor><accelerometer site="s"/></sensor>'),
    "tuple": ("", '<custom><tuple name="t"><element objtype="body" objname="x"/></tuple></custom>'),
    "actuator on a site": ("", '<actuator><general site="s"/></actuator>'),
    "a later body": (
        '<body/><body name="last"><joint/><geom size="1"/></body>',
        '<sensor><subtreecom body="last"/></sensor>',
    ),
}
BODY = """<mujoco><compiler fusestatic="true"/><worldbody><body name="m" pos="0 0 1"><joint name="j"/><geom name="g" size="0.1"/>
<body name="x" pos="1 0 0"><geom name="gx" size=".1"/><site name="s"/></body></body>{}</worldbody>{}</mujoco>"""


@pytest.mark.parametrize("name", REFERRING)
def test_bodies_stay_where_something_refers_to_them(name):
    text = BODY.format(*REFERRING[name])
    assert not differences(Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text))


def test_names_keep_their_places():
    """MuJoCo 3.8.1 finds another site, because fusing changed their order; a warning says so."""
    text = """<mujoco><compiler fusestatic="true"/><worldbody><body><joint/><geom size="0.1"/><body><joint/><geom size=".1"/>
    <site name="a"/></body><body><site name="b"/></body></body></worldbody><sensor><accelerometer site="a"/></sensor></mujoco>"""
    with pytest.warns(UserWarning, match="site='a': means another site because of fusestatic"):
        model = Model.from_xml_string(text)
    assert model.name("site", model.sensor_objid[0]) == "b"
    assert not differences(model, mujoco.MjModel.from_xml_string(text))


MISTAKES = [
    ('<mujoco><compiler discardvisual="true"/><asset><material name="m"/><mesh name="a" vertex="0 0 0  1 0 0  0 1 0  0 0 1" material="m"/></asset><worldbody><geom type="mesh" mesh="a"/></worldbody></mujoco>', "<string>:1: <mesh name='a'>: material='m': discardvisual='true' drops all materials, and only geoms can do without theirs; remove the attribute"),
    ('<mujoco><compiler discardvisual="true"/><asset><texture name="t" type="2d" builtin="flat" width="4" height="4"/></asset><worldbody><light type="image" texture="t"/></worldbody></mujoco>', "<string>:1: <light>: texture='t': no such texture"),
    (BODY.format("", '<sensor><framepos objtype="xbody" objname="x"/></sensor>'),
     "<string>:2: <framepos>: objname='x': fusestatic='true' fuses this body; give it a joint, or use fusestatic='false'"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), MISTAKES)
def test_messages(text, message):
    with pytest.raises(ValueError, match="Error"):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(MjcfError) as caught:
        Model.from_xml_string(text)
    assert str(caught.value) == message


def test_a_pair_without_geoms_is_refused_when_visual_geoms_are_dropped():
    text = """<mujoco><compiler discardvisual="true"/><worldbody><geom name="a" size="1"/></worldbody><contact><pair condim="1"/></contact></mujoco>"""
    with pytest.raises(MjcfError, match="<pair>: expected the attribute 'geom1', found none"):
        Model.from_xml_string(text)
