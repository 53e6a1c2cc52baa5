"""Tendons: compiled as MuJoCo does, and refused with a message where MuJoCo refuses."""
# ruff: noqa: E501 (one row of the table, one message)

import mujoco
import numpy as np
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.errors import MjcfError
from mjenv.engine.mjcf.arrays.configuration import Configuration
from mjenv.engine.mjcf.arrays.tendon_paths import tendon_lengths

from .test_models import differences

BODIES = """
<default><tendon width="0.01" springlength="0.2" stiffness="3 2 1"/>
<default class="stiff"><tendon stiffness="7" rgba="1 0 0 1" limited="true" range="0 2" group="4" user="5 6" springlength="0.3 0.4"/></default>
</default>
<asset><material name="red"/></asset>
<worldbody><site name="base" pos="0 0.3 1"/><site name="hook" pos="0.5 0 2"/><geom name="post" type="cylinder" size=".1 1" pos=".2 .1 1" euler="20 30 0"/>
<body name="upper" pos="0 0 1"><joint name="hip" axis="0 1 0" ref="10" springref="40"/><geom name="bone" size=".05 .3" type="capsule" pos="0 0 -.3"/>
<site name="thigh" pos="0.1 0 -.2"/><site name="inner" pos="0 0 -.5"/><site name="outer" pos="0.3 0 -.5"/>
<geom name="knee" size=".1" pos="0 0 -.5" euler="10 20 30"/><geom name="pipe" type="cylinder" size=".08 .2" pos="0 0 -.5" euler="80 0 10"/>
<body name="lower" pos="0 0 -.6"><joint name="knee" axis="0 1 0" limited="true" range="-90 0"/><joint name="twist" axis="0 0 1" pos="0 0.1 0"/>
<geom size=".04 .2" type="capsule" pos="0 0 -.2"/><site name="shin" pos="0.12 0.02 -.1"/><site name="heel" pos="-0.1 0.1 -.3"/></body></body>
<body name="cart" pos="1 0 0"><joint name="x" type="slide" axis="1 0 0" springref="0.3"/><joint name="y" type="slide" axis="0 1 0"/><geom name="disc" size=".2" pos="0 0 .5"/>
<site name="rail" pos="0 0 .5"/></body>
<body name="ball" pos="0 2 0" euler="0 0 30"><freejoint name="free"/><geom name="round" size=".2"/><site name="pole" pos="0 0 .3"/></body>
<body name="arm" pos="0 -2 0"><joint name="shoulder" type="ball"/><geom size=".1" pos="0 0 .3"/><site name="hand" pos="0 0 .5"/></body>
</worldbody>"""


def model(tendons: str, before: str = "", after: str = "") -> str:
    return (
        f"<mujoco>{before}{BODIES}".replace("\n", "")
        + f"\n<tendon>{tendons}</tendon>{after}</mujoco>"
    )


VALID = """
<fixed name="one"><joint joint="hip" coef="2"/></fixed>
<fixed><joint joint="twist" coef="-0.5"/><joint joint="x" coef="3"/><joint joint="hip" coef="1"/></fixed>
<fixed class="stiff" group="2" limited="false" range="0 1" actuatorfrclimited="auto" actuatorfrcrange="-1 2" solreflimit="0.1"
 solimplimit="0.7 0.8" solreffriction="0.2 0.3" solimpfriction="0.6" frictionloss="3" springlength="-0.1" margin="0.1"
 stiffness="1" damping="4 5" armature="0.5" user="1"><joint joint="knee" coef="1"/><joint joint="y" coef="1"/></fixed>
<fixed actuatorfrcrange="-1 1"><joint joint="shoulder" coef="1"/></fixed>
<fixed><joint joint="free" coef="1"/></fixed> <fixed><joint joint="y" coef="1"/><joint joint="x" coef="0"/><joint joint="y" coef="2"/></fixed>
<spatial name="line" springlength="-1"><site site="base"/><site site="thigh"/><site site="shin"/></spatial>
<spatial class="stiff" group="3" range="0.1 2" width="0.02" material="red" rgba="0 1 0 0.5" damping="1 2 3" springlength="0.1 0.5"
 actuatorfrclimited="true" actuatorfrcrange="-3 4" armature="0.2"><site site="base"/><site site="shin"/></spatial>
<spatial springlength="-1 -1"><pulley divisor="2"/><site site="base"/><site site="pole"/><pulley divisor="0.5"/><site site="hand"/><site site="heel"/><site site="rail"/></spatial>
<spatial limited="auto" range="1 0"><site site="hook"/><site site="base"/></spatial> <spatial><site site="thigh"/><site site="outer"/></spatial>
<spatial springlength="-1"><site site="thigh"/><geom geom="knee"/><site site="shin"/></spatial>
<spatial springlength="-1"><site site="thigh"/><geom geom="knee" sidesite="outer"/><site site="heel"/></spatial>
<spatial springlength="-1"><site site="thigh"/><geom geom="knee" sidesite="inner"/><site site="shin"/><geom geom="knee"/><site site="base"/></spatial>
<spatial springlength="-1"><site site="thigh"/><geom geom="pipe"/><site site="shin"/></spatial>
<spatial springlength="-1"><site site="base"/><geom geom="pipe" sidesite="outer"/><site site="heel"/><pulley divisor="2"/><site site="base"/><geom geom="post" sidesite="hook"/><site site="rail"/></spatial>
<spatial springlength="-1"><site site="base"/><geom geom="post" sidesite=""/><site site="rail"/></spatial>
<spatial springlength="-1"><site site="inner"/><geom geom="knee"/><site site="shin"/></spatial> <spatial><site site="rail"/><geom geom="disc"/><site site="base"/></spatial>"""


def test_valid():
    """Tendons of both kinds, with every attribute."""
    text = model(VALID)
    ours, reference = Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    assert not differences(ours, reference)
    assert ours.tendon("line").id == 6
    assert reference.nuser_tendon == 2
    assert list(reference.tendon_treenum[[1, 8]]) == [2, 4]


def test_sensors_and_equalities():
    after = """<sensor><tendonpos tendon="a"/><tendonvel tendon="b"/><tendonactuatorfrc tendon="a"/><tendonlimitpos tendon="b"/>
      <tendonlimitvel tendon="b"/><tendonlimitfrc tendon="b"/><user dim="1" objtype="tendon" objname="b"/></sensor><equality>
      <tendon tendon1="a"/><tendon name="q" tendon1="b" tendon2="a" polycoef="1 2 3" active="false"/><tendon tendon1="a" tendon2=""/></equality>
      <custom><tuple name="t"><element objtype="tendon" objname="b"/><element objtype="equality" objname="q"/></tuple></custom>"""
    tendons = """<fixed name="a"><joint joint="hip" coef="2"/></fixed><spatial name="b" range="1 2"><site site="base"/><site site="thigh"/></spatial>"""
    text = model(tendons, '<size nuser_tendon="4"/>', after)
    reference = mujoco.MjModel.from_xml_string(text)
    assert not differences(Model.from_xml_string(text), reference)


@pytest.mark.parametrize("route", [
    '<site site="pole"/><site site="hand"/>', '<site site="rail"/><site site="thigh"/>',
    '<site site="base"/><site site="shin"/><site site="heel"/>', '<site site="rail"/><site site="base"/>',
], ids=range(4))  # fmt: skip
def test_armature(route):
    """Armature changes what is simple, the inertia matrix and all weights."""
    for armature in (0, 0.7):
        text = model(f'<spatial armature="{armature}">{route}</spatial>')
        reference = mujoco.MjModel.from_xml_string(text)
        assert not differences(Model.from_xml_string(text), reference)


@pytest.mark.parametrize("armature", [3, -0.01])
def test_fixed_armature(armature):
    """A fixed tendon leaves bodies simple: only the diagonal has its armature."""
    text = model(f'<fixed armature="{armature}"><joint joint="x" coef="1"/><joint joint="y" coef="2"/>'
                 '<joint joint="hip" coef="2"/><joint joint="knee" coef="0.3"/></fixed>')  # fmt: skip
    assert not differences(Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text))


@pytest.mark.parametrize("divisor", ["0", "1e-300", "3"])
def test_pulleys(divisor):
    text = model(
        f'<spatial springlength="-1"><pulley divisor="{divisor}"/><site site="base"/><site site="pole"/></spatial>'
    )
    assert not differences(Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text))


def test_no_dofs():
    text = """<mujoco><worldbody><site name="a"/><site name="b" pos="1 2 3"/></worldbody><tendon><spatial>
      <site site="a"/><site site="b"/></spatial></tendon></mujoco>"""
    assert not differences(Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text))


def test_sleep():
    """Trees that a tendon couples stay awake; told to sleep, they are refused."""
    two = '<site site="rail"/><site site="pole"/>'
    for tendons in (
        f'<spatial stiffness="0 0 0">{two}</spatial>',
        f'<spatial stiffness="0 0 0" damping="0 1">{two}</spatial>',
        f'<spatial stiffness="0 0 0">{two}<site site="hand"/></spatial>',
    ):
        text = model(tendons)
        assert not differences(Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text))
    text = model(f'<spatial name="t">{two}</spatial>').replace("<body name=\"ball\"", "<body name=\"ball\" sleep=\"allowed\"")  # fmt: skip
    with pytest.raises(ValueError, match="sleeping not allowed"):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(MjcfError) as caught:
        Model.from_xml_string(text)
    assert str(caught.value) == (
        "<string>:2: <spatial name='t'>: body 'ball': expected sleep='auto' or 'never', because the"
        " tendon carries forces between trees, found sleep='allowed'"
    )


def test_lengths_in_any_configuration():
    """Lengths and gradients equal MuJoCo's along random motion, on all sides of the geoms."""
    text = model(VALID)
    ours, reference = Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    data, rng = mujoco.MjData(reference), np.random.default_rng(1)
    for _ in range(60):
        step = rng.normal(size=reference.nv)
        data.qpos[:] = reference.qpos0
        mujoco.mj_integratePos(reference, data.qpos, step, 1.0)
        mujoco.mj_kinematics(reference, data)
        mujoco.mj_comPos(reference, data)
        mujoco.mj_tendon(reference, data)
        lengths, jacobians = tendon_lengths(ours, Configuration(ours, data.qpos))
        np.testing.assert_allclose(lengths, data.ten_length, rtol=1e-10, atol=1e-12)
        for i in range(ours.ntendon):
            adr, dense = ours.ten_J_rowadr[i], np.zeros(ours.nv)
            row = slice(adr, adr + ours.ten_J_rownnz[i])
            np.add.at(dense, ours.ten_J_colind[row], data.ten_J[row])
            np.testing.assert_allclose(jacobians[i], dense, rtol=1e-9, atol=1e-10)


SITES = '<site site="base"/><site site="shin"/>'
MISTAKES = [
    ("<fixed/>", "<fixed>: expected at least one element along its path, found none"),
    ("<spatial name='s'/>", "<spatial name='s'>: expected at least one element along its path, found none"),
    ("<spatial><site site='base'/></spatial>", "<spatial>: expected at least two elements along its path, found one"),
    ("<fixed><joint joint='hop' coef='1'/></fixed>", "<joint>: joint='hop': no such joint; did you mean 'hip'?"),
    ("<fixed><joint joint='hip'/></fixed>", "<joint>: expected the attribute 'coef', found none"),
    ("<fixed><joint coef='1'/></fixed>", "<joint>: expected the attribute 'joint', found none"),
    ("<fixed><site site='base'/></fixed>", "<site>: unknown element in <fixed>; it can stand in <body>, <spatial>"),
    ("<spatial><joint joint='hip' coef='1'/></spatial>", "<joint>: unknown element in <spatial>; it can stand in <body>, <equality>, <fixed>"),
    ("<spatial><site site='bass'/><site site='shin'/></spatial>", "<site>: site='bass': no such site; did you mean 'base'?"),
    ("<spatial><site/><site site='shin'/></spatial>", "<site>: expected the attribute 'site', found none"),
    ("<spatial><site site='shin'/><site site='shin'/></spatial>", "<site>: site='shin': expected another site than the one before"),
    (f"<spatial>{SITES}<pulley divisor='2'/></spatial>", "<pulley>: expected a site behind the pulley"),
    (f"<spatial><pulley divisor='2'/><pulley divisor='2'/>{SITES}</spatial>", "<pulley>: expected a site behind the pulley"),
    (f"<spatial>{SITES}<pulley divisor='2'/><site site='base'/></spatial>",
     "<site>: site='base': expected a site or geom beside it in its branch"),
    (f"<spatial><pulley/>{SITES}</spatial>", "<pulley>: expected the attribute 'divisor', found none"),
    (f"<spatial><pulley divisor='-1'/>{SITES}</spatial>", "<pulley>: divisor='-1': expected a number that is not negative"),
    ("<spatial><geom geom='knee'/><site site='base'/></spatial>", "<geom>: geom='knee': expected sites before and behind it"),
    ("<spatial><site site='base'/><geom geom='knee'/></spatial>", "<geom>: geom='knee': expected sites before and behind it"),
    ("<spatial><site site='base'/><geom geom='knee'/><geom geom='pipe'/><site site='shin'/></spatial>",
     "<geom>: geom='knee': expected sites before and behind it"),
    ("<spatial><site site='base'/><geom geom='knee'/><pulley divisor='1'/><site site='shin'/></spatial>",
     "<geom>: geom='knee': expected sites before and behind it"),
    ("<spatial><site site='base'/><geom geom='bone'/><site site='shin'/></spatial>",
     "<geom>: geom='bone': expected a sphere or cylinder, found type='capsule'"),
    ("<spatial><site site='base'/><geom geom='elbow'/><site site='shin'/></spatial>", "<geom>: geom='elbow': no such geom; there are post, bone, knee, pipe, disc, round"),
    ("<spatial><site site='base'/><geom geom='knee' sidesite='inn'/><site site='shin'/></spatial>",
     "<geom>: sidesite='inn': no such site; did you mean 'inner'?"),
    ("<spatial armature='1'><site site='base'/><geom geom='knee'/><site site='shin'/></spatial>",
     "<spatial>: armature='1': expected 0, because the tendon wraps around the geom 'knee'"),
    (f"<spatial armature='-1'>{SITES}</spatial>", "<spatial>: armature='-1': expected a number that is not negative"),
    (f"<spatial width='0'>{SITES}</spatial>", "<spatial>: width='0': expected a positive number"),
    (f"<spatial material='rad'>{SITES}</spatial>", "<spatial>: material='rad': no such material; did you mean 'red'?"),
    (f"<spatial class='soft'>{SITES}</spatial>", "<spatial>: class='soft': no such default class"),
    (f"<spatial limited='true'>{SITES}</spatial>",
     "<spatial>: range='0 0': expected the first number to be the smaller one; a limit that is on needs a range"),
    (f"<spatial limited='true' range='2 1'>{SITES}</spatial>",
     "<spatial>: range='2 1': expected the first number to be the smaller one"),
    (f"<spatial range='1'>{SITES}</spatial>", "<spatial>: range='1': expected 2 values, found 1"),
    (f"<spatial actuatorfrclimited='true' actuatorfrcrange='1 2'>{SITES}</spatial>",
     "<spatial>: actuatorfrcrange='1 2': expected a range that contains 0"),
    (f"<spatial actuatorfrclimited='true'>{SITES}</spatial>",
     "<spatial>: actuatorfrcrange='0 0': expected the first number to be the smaller one; a limit that is on needs a range"),
    (f"<spatial springlength='2 1'>{SITES}</spatial>",
     "<spatial>: springlength='2 1': expected the first number to be at most the second"),
    (f"<spatial stiffness='1 2 3 4'>{SITES}</spatial>", "<spatial>: stiffness='1 2 3 4': expected 1 to 3 values, found 4"),
    ("<fixed width='1'><joint joint='hip' coef='1'/></fixed>", "<fixed>: unknown attribute 'width'; <spatial> can have it"),
    ("<fixed name='f'><joint joint='hip' coef='1'/></fixed><fixed name='f'><joint joint='hip' coef='1'/></fixed>",
     "<fixed name='f'>: this name is used twice for a tendon, first at <string>:2"),
]  # fmt: skip


@pytest.mark.parametrize(("tendon", "message"), MISTAKES, ids=range(len(MISTAKES)))
def test_messages(tendon, message):
    with pytest.raises(ValueError, match="Error"):
        mujoco.MjModel.from_xml_string(model(tendon))
    with pytest.raises(MjcfError) as caught:
        Model.from_xml_string(model(tendon))
    assert str(caught.value) == f"<string>:2: {message}"


def test_messages_that_depend_on_settings():
    strict = '<compiler autolimits="false"/>'
    for before, tendon, message in (
        (strict, f"<spatial range='0 1'>{SITES}</spatial>",
         "<spatial>: range without limited: expected limited='true' or 'false', because the compiler has autolimits='false'"),
        ("<size nuser_tendon='1'/>", f"<spatial user='1 2'>{SITES}</spatial>",
         "<spatial>: user: expected at most nuser_tendon=1 values, found 2"),
    ):  # fmt: skip
        text = model(tendon, before).replace('user="5 6"', "")
        with pytest.raises(ValueError, match="Error"):
            mujoco.MjModel.from_xml_string(text)
        with pytest.raises(MjcfError) as caught:
            Model.from_xml_string(text)
        assert str(caught.value) == f"<string>:2: {message}"
