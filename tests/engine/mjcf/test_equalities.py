"""Equality constraints: compiled as MuJoCo does, and refused with a message where MuJoCo refuses."""
# ruff: noqa: E501 (one row of the table, one message)

import mujoco
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.errors import MjcfError

from .test_models import differences

BODIES = """
<default><equality solref="0.03"/><default class="soft"><equality solimp="0.8 0.85 0.01" active="false"/></default>
<default class="hard"><equality solref="0.01 2"/></default></default>
<worldbody><site name="top" pos="0 0 2" euler="10 20 30"/><geom name="floor" type="plane" size="1 1 1"/>
<body name="a" pos="1 2 3" euler="30 40 50"><joint name="hip" ref="20"/><geom size=".1 .2 .3" type="box" pos=".1 0 0"/><site name="s"/>
<body name="b" pos="0.5 0 0" quat="1 2 3 4"><joint name="slide" type="slide" axis="1 1 0"/><joint name="ball" type="ball"/>
<geom size=".1 .3" type="capsule" euler="1 2 3"/><site name="u" pos="1 1 1"/></body></body>
<body name="c" pos="0 -1 0"><freejoint name="free"/><geom size=".2"/></body>
<body name="d" mocap="true" pos="0 3 0"><geom size=".1"/></body></worldbody>
"""


def model(equalities: str) -> str:
    return f"<mujoco>{BODIES}".replace("\n", "") + f"\n<equality>{equalities}</equality></mujoco>"


VALID = """
<connect body1="a" anchor="1 2 3"/> <connect name="pin" class="soft" body1="b" body2="c" anchor="0.1 0.2 0.3"/>
<connect body1="world" body2="c" anchor="0 1 0" active="false" solref="0.5"/> <connect body1="d" body2="b" anchor="1 0 0"/>
<connect site1="s" site2="u"/> <connect site1="top" site2="u" solimp="0.1"/>
<weld body1="a"/> <weld body1="b" body2="c" class="hard"/> <weld body1="c" body2="b" anchor="1 2 3" torquescale="0.5"/>
<weld body1="c" body2="" solref="-100"/> <weld body1="b" body2="a" relpose="1 2 3 0 0 0 0"/>
<weld body1="b" body2="a" anchor="1 0 0" relpose="1 2 3 1 2 0 0"/> <weld body1="d" body2="c" relpose="0 0 0 1e-300 0 0 0"/>
<weld site1="s" site2="u"/> <weld name="glue" site1="u" site2="top" torquescale="3"/>
<joint joint1="hip"/> <joint joint1="slide" joint2="hip" polycoef="1 2 3 4 5"/> <joint joint1="hip" joint2="" polycoef="0.5"/>
<joint name="gear" joint1="slide" polycoef="0.1 0.2" class="soft" active="true"/>"""


def test_valid():
    """Constraints of every kind, with every attribute."""
    text = model(VALID)
    ours = Model.from_xml_string(text)
    reference = mujoco.MjModel.from_xml_string(text)
    assert not differences(ours, reference)
    assert reference.neq == 19
    assert ours.equality("glue").id == 14


def test_fields():
    text = model('<weld body1="b" body2="a"/>')
    ours = Model.from_xml_string(text)
    assert ours.eq_obj1id[0] == 2
    assert ours.eq_objtype[0] == mujoco.mjtObj.mjOBJ_BODY
    assert abs(sum(ours.eq_data[0, 6:10] ** 2) - 1) < 1e-12


MISTAKES = [
    ("<connect/>", "<connect>: expected body1 and anchor, or site1 and site2, found none of them"),
    ("<connect body1='a'/>", "<connect>: expected body1 and anchor, or site1 and site2, found body1"),
    ("<connect anchor='1 2 3'/>", "<connect>: expected body1 and anchor, or site1 and site2, found anchor"),
    ("<connect site1='s'/>", "<connect>: expected body1 and anchor, or site1 and site2, found site1"),
    ("<connect body1='a' site1='s' anchor='0 0 0'/>", "<connect>: site1 and body1: expected sites or bodies, found both"),
    ("<connect site1='s' site2='u' anchor='0 0 0'/>", "<connect>: site1 and anchor: expected sites or bodies, found both"),
    ("<connect body1='a' body2='a' anchor='0 0 0'/>",
     "<connect>: body1='a': expected two different ones, found the same twice"),
    ("<connect body1='world' anchor='0 0 0'/>",
     "<connect>: body1='world': expected two different ones, found the world twice"),
    ("<connect body1='a' anchor='0 0'/>", "<connect>: anchor='0 0': expected 3 values, found 2"),
    ("<connect body1='e' anchor='0 0 0'/>", "<connect>: body1='e': no such body; there are world, a, b, c, d"),
    ("<connect body1='a' body2='e' anchor='0 0 0'/>", "<connect>: body2='e': no such body; there are world, a, b, c, d"),
    ("<connect body1='' anchor='0 0 0'/>", "<connect>: body1='': expected a name, found nothing"),
    ("<weld/>", "<weld>: expected body1, or site1 and site2, found none of them"),
    ("<weld name='w' body2='a'/>", "<weld name='w'>: expected body1, or site1 and site2, found body2"),
    ("<weld site1='s' site2='s'/>", "<weld>: site1='s': expected two different ones, found the same twice"),
    ("<weld site1='s' site2=''/>", "<weld>: site2='': expected a name, found nothing"),
    ("<weld site1='s' site2='tip'/>", "<weld>: site2='tip': no such site; did you mean 'top'?"),
    ("<weld site1='s' site2='u' relpose='0 0 0 1 0 0 0'/>",
     "<weld>: site1 and relpose: expected sites or bodies, found both"),
    ("<weld body1='a' relpose='0 0 0'/>", "<weld>: relpose='0 0 0': expected 7 values, found 3"),
    ("<weld body1='a' class='firm'/>", "<weld>: class='firm': no such default class"),
    ("<joint/>", "<joint>: expected the attribute 'joint1', found none"),
    ("<joint joint1='hop'/>", "<joint>: joint1='hop': no such joint; did you mean 'hip'?"),
    ("<joint joint1='ball'/>", "<joint>: joint1='ball': expected a slide or hinge joint, found type='ball'"),
    ("<joint joint1='hip' joint2='free'/>", "<joint>: joint2='free': expected a slide or hinge joint, found type='free'"),
    ("<joint joint1='hip' joint2='hip'/>", "<joint>: joint1='hip': expected two different ones, found the same twice"),
    ("<joint joint1='hip' polycoef='1 2 3 4 5 6'/>",
     "<joint>: polycoef='1 2 3 4 5 6': expected 1 to 5 values, found 6"),
    ("<joint joint1='hip' active='yes'/>", "<joint>: active='yes': expected one of false, true, found 'yes'"),
    ("<tendon/>", "<tendon>: expected the attribute 'tendon1', found none"),
    ("<tendon tendon1='w'/>", "<tendon>: tendon1='w': no such tendon"),
    ("<tendon tendon1=''/>", "<tendon>: tendon1='': expected a name, found nothing"),
    ("<distance/>", "<distance>: unknown element in <equality>; it can stand in <sensor>"),
]  # fmt: skip


@pytest.mark.parametrize(("equality", "message"), MISTAKES, ids=range(len(MISTAKES)))
def test_messages(equality, message):
    text = model(equality)
    with pytest.raises(ValueError, match="Error"):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(MjcfError) as caught:
        Model.from_xml_string(text)
    assert str(caught.value) == f"<string>:2: {message}"


def test_repeated_name():
    text = model("<weld name='w' body1='a'/><weld name='w' body1='b'/>")
    with pytest.raises(MjcfError, match=r"used twice for an equality"):
        Model.from_xml_string(text)
