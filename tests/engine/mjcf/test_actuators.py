"""Actuators: compiled as MuJoCo does, and refused with a message where MuJoCo refuses."""
# ruff: noqa: E501 (one row of a table, one model or message)

import mujoco
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.errors import MjcfError, UnsupportedFeature
from mjenv.engine.mjcf.parts.actuators import activation

from .test_models import differences

BODIES = """
<worldbody>
  <site name="base" pos=".1 0 1" euler="10 20 30"/>
  <body name="arm" pos="0 0 1"><joint name="hip" axis="1 1 0" range="-30 40"/><geom type="capsule" size=".1 .2" pos=".3 0 0"/>
    <site name="elbow" pos=".2 .1 0" euler="0 30 0"/>
    <body name="hand" pos=".5 0 0" euler="0 0 45"><joint name="wrist" type="ball"/><joint name="rail" type="slide" axis="1 0 0" ref=".3" range="0 1"/>
      <geom type="box" size=".1 .2 .3"/><site name="tip" pos="0 .1 .2" quat="1 2 3 4"/></body>
  </body>
  <body name="other" pos="0 2 0"><joint name="knee" axis="0 1 0" pos="0 0 .1" ref="20"/><geom type="capsule" size=".1 .2"/><site name="foot" pos=".1 .2 .3"/></body>
  <body name="box" pos="1 1 1" euler="20 30 40"><freejoint name="free"/><geom size=".2"/><site name="mark" pos="0 .3 0"/></body>
</worldbody>
<tendon>
  <fixed name="sum" range="-1 2"><joint joint="hip" coef=".5"/><joint joint="rail" coef="-2"/></fixed>
  <fixed name="twice"><joint joint="hip" coef="1"/><joint joint="hip" coef="2"/></fixed>
  <spatial name="wire" armature=".2"><site site="base"/><site site="elbow"/><site site="tip"/><pulley divisor="2"/><site site="foot"/><site site="mark"/></spatial>
</tendon>""".replace("\n", "")  # fmt: skip
DYNAMICS = ("none", "integrator", "filter", "filterexact", "muscle", "dcmotor", "user")


def model(actuators: str, before: str = "") -> str:
    return f"<mujoco>{before}{BODIES}<actuator>\n{actuators}\n</actuator></mujoco>"


def compare(text: str) -> None:
    assert not differences(Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text))


@pytest.mark.parametrize("dyn", DYNAMICS)
@pytest.mark.parametrize("dim", [-1, 0, 1, 3])
def test_activation(dyn, dim):
    """A given number counts; without one, dynamics have a variable, and a DC motor has none."""
    expected = dim if dim >= 0 else dyn not in ("none", "dcmotor")
    assert activation({"dyntype": dyn, "actdim": dim}) == expected


# what stands behind <muscle joint='hip' lengthrange='0 1'
MUSCLES = (
    "", "timeconst='.02 .05'", "timeconst='-1 .05' tausmooth='.3'", "range='.6 1.2' force='300'", "force='0' scale='100'",
    "lmin='.4' lmax='1.7' vmax='1.8' fpmax='1.4' fvmax='1.3'", "range='-1 1.4' force='-3' scale='-1' lmin='-2'",
)  # fmt: skip
# what stands behind <dcmotor joint='hip'
MOTORS = (
    "motorconst='.05' resistance='2'", "motorconst='.05 .06' resistance='2'", "motorconst='0 .06' resistance='2'",
    "nominal='24 3 400'", "nominal='24 3 400' damping='.0001'", "nominal='24 0 400' resistance='2' damping='.0001'",
    "nominal='24 0 400' resistance='2' damping='100'", "nominal='24 3 400' damping='100'", "nominal='24 3' motorconst='.05'",
    "motorconst='.05' resistance='2' saturation='3'", "motorconst='.05' resistance='2' saturation='0 2 100'",
    "motorconst='.05' resistance='2' saturation='0 0 100'", "motorconst='.05' resistance='2' inductance='.001'",
    "motorconst='.05' resistance='2' inductance='0 .002'", "motorconst='.05' resistance='2' cogging='.1 12 .3'",
    "motorconst='.05' resistance='2' controller='10 2 .1 100 5 24' input='position'",
    "motorconst='.05' resistance='2' controller='10' input='velocity'", "motorconst='.05' resistance='2' thermal='5 20'",
    "motorconst='.05' resistance='2' thermal='5 0 90 .004 25 20'", "motorconst='.05' resistance='2' thermal='0 7 90'",
    "motorconst='.05' resistance='2' lugre='100 1 .2 .3 .01'", "motorconst='.05' resistance='2' lugre='0 1 .2 .3 .01'",
    "motorconst='.05' resistance='2' controller='1 1 1 1 1 1' thermal='1 1' lugre='1' inductance='1' armature='.1' gear='3'",
)  # fmt: skip


@pytest.mark.parametrize("attributes", MUSCLES)
def test_muscles(attributes):
    compare(model(f"<muscle joint='hip' lengthrange='0 1' {attributes}/>"))


@pytest.mark.parametrize("attributes", MOTORS)
def test_dc_motors(attributes):
    compare(model(f"<dcmotor joint='hip' {attributes}/>"))


# a class, what it holds, and the actuators in it
CLASSES = (
    ("<muscle timeconst='.02 .05' range='.6 1.2' force='3'/>", "<muscle joint='hip' lengthrange='0 1'/><muscle joint='hip' scale='100' lengthrange='0 1'/>"),
    ("<general dynprm='1 0 3' gainprm='1 0 0 0 0 0'/>", "<muscle joint='hip' lengthrange='0 1'/>"),
    ("<general dynprm='2 3' gainprm='5 6 7 8'/>", "<muscle joint='hip' lengthrange='0 1' lmin='.3' lmax='2' vmax='1' fpmax='1' fvmax='1'/>"),
    ("<muscle force='3'/><position kp='4' dampratio='.5'/>", "<general joint='hip'/><motor joint='hip'/><velocity joint='hip'/><position joint='hip'/><damper joint='hip' ctrlrange='0 1'/>"),
    ("<adhesion gain='3' ctrlrange='0 2'/>", "<general joint='hip'/><motor joint='knee'/>"),
    ("<dcmotor motorconst='.05' resistance='2' controller='10 2 .1 100 5 24' input='position' saturation='3 0 5' thermal='5 20 0 1 2 3' lugre='1 2 3 4 5' cogging='1 2 3' inductance='0 .1'/>",
     "<dcmotor joint='hip'/><dcmotor joint='hip' resistance='3' thermal='4' cogging='3' controller='1' input='voltage'/><dcmotor joint='knee' motorconst='.1 .2' lugre='2 3'/>"),
    ("<dcmotor motorconst='.05' resistance='2' saturation='3'/>", "<general joint='hip'/><dcmotor joint='hip' saturation='4'/>"),
    ("<position timeconst='.1' inheritrange='.5'/>", "<position joint='hip'/><position joint='rail' timeconst='0'/><intvelocity joint='rail' kp='3'/>"),
    ("<cylinder timeconst='2' area='3' bias='1 2 3'/>", "<cylinder joint='hip'/><cylinder joint='hip' diameter='2'/><cylinder joint='hip' bias='4 5 6'/><general joint='hip' dyntype='filter'/>"),
    ("<position timeconst='.3'/><muscle timeconst='.1 .2'/>", "<cylinder joint='hip' timeconst='3'/><muscle joint='hip' lengthrange='0 1'/>"),
    ("<damper kv='3' ctrlrange='0 1'/>", "<damper joint='hip'/><general joint='hip' gaintype='affine'/><damper joint='hip' kv='2'/>"),
    ("<intvelocity kp='3' kv='2' actrange='-1 1'/>", "<intvelocity joint='hip'/><general joint='hip'/><position joint='hip'/>"),
    ("<general gear='2 3 4' user='1 2' group='3' nsample='4' interp='cubic' delay='.01' damping='1 2' armature='.3'/>", "<motor joint='hip' gear='5'/><position joint='free' gear='1 2 3 4' user='7'/>"),
    ("<general actdim='3' dyntype='user' actearly='true' actrange='0 1'/>", "<general joint='hip'/><general joint='hip' actdim='1'/>"),
)  # fmt: skip


@pytest.mark.parametrize(("default", "actuators"), CLASSES)
def test_classes(default, actuators):
    """Shortcuts of a class apply one after the other, and to actuators of every type."""
    compare(model(actuators, f"<default>{default}</default>"))
    nested = f"<default>{default}<default class='c'><general gear='7'/></default></default>"
    compare(model(actuators.replace("joint=", "class='c' joint="), nested))


# general attributes and shortcuts on every target
TRANSMISSIONS = (
    "<general joint='hip' gear='2'/>", "<general joint='rail' gear='-2'/>", "<general joint='wrist' gear='1 2 3'/>", "<general joint='free' gear='1 2 3 4 5 6'/>",
    "<general jointinparent='hip'/>", "<general jointinparent='wrist' gear='1 2 3'/>", "<general jointinparent='free' gear='1 2 3 4 5 6'/>",
    "<general site='tip' gear='1 2 3 4 5 6'/>", "<general site='base' gear='1 2 3 4 5 6'/>", "<general site='tip'/>",
    "<general site='tip' refsite='elbow' gear='1 2 3'/>", "<general site='tip' refsite='elbow' gear='0 0 0 1 2 3'/>",
    "<general site='tip' refsite='base' gear='1 2 3 4 5 6'/>", "<general site='elbow' refsite='tip' gear='1 2 3 4 5 6'/>",
    "<general site='mark' refsite='foot' gear='1 2 3 4 5 6'/>", "<general site='base' refsite='base' gear='1 2 3 4 5 6'/>",
    "<general cranksite='tip' slidersite='elbow' cranklength='1' gear='3'/>", "<general cranksite='tip' slidersite='elbow' cranklength='.01'/>",
    "<general cranksite='mark' slidersite='base' cranklength='2'/>", "<general cranksite='foot' slidersite='mark' cranklength='2'/>",
    "<general tendon='sum' gear='3'/>", "<general tendon='wire' gear='-2'/>", "<general tendon='twice'/>",
    "<position tendon='sum' dampratio='1' inheritrange='.5'/>", "<position tendon='wire' dampratio='1' gear='.1'/>", "<position tendon='twice' dampratio='1'/>",
    "<motor tendon='wire' armature='.1' damping='1'/>", "<motor tendon='wire' armature='.1'/><motor tendon='wire' armature='.2' gear='3'/><motor tendon='sum' armature='1'/>",
    "<general body='box'/>", "<general body='world'/>", "<adhesion body='arm' gain='3' ctrlrange='0 2'/>", "<general body='hand' gear='3'/>",
    "<position joint='wrist' gear='1 0 2' dampratio='1'/>", "<position joint='free' gear='1 2 3' dampratio='.7'/>", "<position jointinparent='rail' dampratio='1'/>",
    "<position site='tip' dampratio='1' gear='1 0 0 .3 0 0'/>", "<position site='tip' refsite='elbow' dampratio='1'/>",
    "<position cranksite='tip' slidersite='elbow' cranklength='1' dampratio='2'/>", "<general body='box' biastype='affine' biasprm='0 -1 1'/>",
    "<motor joint='hip' armature='.1' damping='1 2 3'/><motor joint='hip' gear='3' armature='.2'/><motor jointinparent='knee' armature='.3' gear='2'/>",
    "<motor joint='wrist' armature='.1'/><motor joint='free' armature='.1' damping='1'/>",
    "<position joint='rail' inheritrange='.8'/><intvelocity joint='hip' inheritrange='1.2'/><general joint='hip' gainprm='0'/>",
)  # fmt: skip


@pytest.mark.sweep(21)
@pytest.mark.parametrize("actuators", TRANSMISSIONS)
def test_transmissions(actuators):
    compare(model(actuators))


def test_transmissions_together():
    """Addresses, trees that may sleep, and sizes, with all of them in one model."""
    text = model("".join(TRANSMISSIONS))
    compare(text)
    compare(text.replace("<body name='box'", "<body name='box' sleep='allowed'"))


# one arm that can move between limits, with a tendon over it
ARM = """
<worldbody><site name="low" pos="0 0 -.4"/><body><joint name="a" axis="0 1 0" range="-30 50"/><geom type="capsule" size=".05 .2" pos=".2 0 0"/>
  <site name="tip" pos=".3 0 0"/><body pos=".4 0 0"><joint name="b" axis="0 1 0" range="-20 90" armature=".01"/><joint name="c" type="slide" axis="1 0 0" range="0 .2"/>
  <geom type="box" size=".1 .05 .05"/><site name="end"/></body></body><body pos="0 2 0"><joint name="loose"/><geom size=".1"/></body></worldbody>
<tendon><spatial name="wire"><site site="low"/><site site="tip"/><site site="end"/></spatial></tendon>""".replace(
    "\n", ""
)
# attributes of <lengthrange>, and actuators
LENGTHRANGES = (
    ("", "<muscle joint='a'/><muscle joint='b' gear='2'/><general joint='c'/><muscle joint='c' lengthrange='1 2'/>"),
    ("mode='muscleuser'", "<general joint='a' gaintype='user'/><muscle joint='b' armature='.1'/><general joint='c'/>"),
    ("mode='all' useexisting='false'", "<motor joint='a' lengthrange='1 2'/>"), ("mode='none'", "<muscle joint='a'/>"),
    ("uselimit='true'", "<muscle joint='a' gear='3'/>"), ("uselimit='true' mode='all'", "<motor joint='a'/><motor joint='b'/><motor joint='c'/>"),
    ("mode='all' accel='5' timeconst='.5' timestep='.02' inttotal='8' interval='1'", "<motor joint='c'/><motor site='end' refsite='low' gear='1 0 1'/>"),
    ("mode='all' maxforce='1' timestep='0' inttotal='4' tolrange='.5'", "<motor joint='a'/><motor tendon='wire' gear='-2'/>"),
)  # fmt: skip


@pytest.mark.sweep(1)
@pytest.mark.parametrize(("attributes", "actuators"), LENGTHRANGES)
def test_length_ranges(attributes, actuators):
    compare(
        f"<mujoco><compiler><lengthrange {attributes}/></compiler>{ARM}"
        f"<actuator>{actuators}</actuator></mujoco>"
    )


def test_length_range_of_a_limited_tendon():
    arm = ARM.replace('name="wire"', 'name="wire" range=".7 .85" stiffness="9" frictionloss="1"')
    compare(
        f"<mujoco><compiler><lengthrange mode='all'/></compiler>{arm}"
        "<actuator><motor tendon='wire'/><motor joint='c'/></actuator></mujoco>"
    )


RANGE = "<compiler><lengthrange mode='all'/></compiler>"
WITHOUT_RANGE = (
    ("<motor joint='loose'/>", "lengthrange: its simulation does not come to rest; give lengthrange, or limit the joints"),
    ("<motor site='tip'/>", "lengthrange: expected an actuator with two different lengths, found 0 and 0; give lengthrange"),
)  # fmt: skip


@pytest.mark.parametrize(("actuators", "message"), WITHOUT_RANGE)
def test_length_ranges_that_are_none(actuators, message):
    text = f"<mujoco>{RANGE}{ARM}<actuator>{actuators}</actuator></mujoco>"
    with pytest.raises(MjcfError) as error:
        Model.from_xml_string(text)
    assert str(error.value).partition(">: ")[2] == message
    with pytest.raises(ValueError, match=r"[lL]engthrange"):
        mujoco.MjModel.from_xml_string(text)


def test_length_range_of_an_unstable_simulation():
    """MuJoCo starts this one again and again."""
    arm = ARM.replace('<joint name="loose"/>', '<joint name="double"/><joint/>')
    text = f"<mujoco>{RANGE}{arm}<actuator><motor joint='double'/></actuator></mujoco>"
    with pytest.raises(MjcfError, match="lengthrange: its simulation is unstable"):
        Model.from_xml_string(text)


@pytest.mark.parametrize("integrator", ["implicit", "implicitfast"])
def test_length_ranges_with_implicit_integrators(integrator):
    text = f"<mujoco><option integrator='{integrator}'/>{RANGE}{ARM}<actuator><motor joint='a'/></actuator></mujoco>"
    assert not differences(Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text))


def test_length_ranges_beside_heavy_tendons():
    tendon = "<fixed name='t' armature='.2'><joint joint='a' coef='1'/><joint joint='b' coef='2'/></fixed>"
    text = f"<mujoco>{RANGE}{ARM}<tendon>{tendon}</tendon><actuator><motor joint='a'/><motor tendon='t' armature='.1'/></actuator></mujoco>"
    assert not differences(Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text))


def test_length_ranges_with_equalities():
    text = f"<mujoco>{RANGE}{ARM}<equality><joint joint1='a'/></equality><actuator><motor joint='b'/></actuator></mujoco>"
    assert not differences(Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text))


ACCEPTED = (
    "<intvelocity joint='hip' kv='-1' actrange='0 1'/>", "<intvelocity joint='hip' kv='1' dampratio='1' actrange='0 1'/>",
)  # fmt: skip


def test_disabled_motor():
    """What never acts is not checked."""
    motor = "<general joint='hip' gaintype='dcmotor' gainprm='1 1 0 0 0 2' group='3'/>"
    compare(model(motor, "<option actuatorgroupdisable='3'/>"))
    compare(model(motor, "<option><flag actuation='disable'/></option>"))


@pytest.mark.parametrize("actuators", ACCEPTED)
def test_accepted_with_a_warning(actuators):
    """What MuJoCo refuses in <position>, it accepts in <intvelocity>, which has no bias then."""
    with pytest.warns(UserWarning, match="accepted, as MuJoCo does"):
        ours = Model.from_xml_string(model(actuators))
    assert not differences(ours, mujoco.MjModel.from_xml_string(model(actuators)))


MISTAKES = (
    ("<muscle joint='hip' tausmooth='-1'/>", "<muscle>: tausmooth='-1': expected a number that is not negative"),
    ("<muscle joint='hip' range='1 1' lengthrange='0 1'/>", "<muscle>: gainprm: expected range[0] < range[1] in a muscle"),
    ("<muscle joint='hip' lmin='2' lengthrange='0 1'/>", "<muscle>: gainprm: expected lmin < 1 < lmax in a muscle"),
    ("<muscle joint='hip' fvmax='0' lengthrange='0 1'/>", "<muscle>: gainprm: expected positive scale, vmax, fpmax, fvmax in a muscle"),
    ("<adhesion body='arm' gain='-1'/>", "<adhesion>: gain='-1': expected a number that is not negative"),
    ("<adhesion body='arm' ctrlrange='-1 1'/>", "<adhesion>: ctrlrange='-1 1': expected numbers that are not negative"),
    ("<damper joint='hip' kv='-1' ctrlrange='0 1'/>", "<damper>: kv='-1': expected a number that is not negative"),
    ("<position joint='hip' kv='1' dampratio='1'/>", "<position>: kv and dampratio: expected one of them, found both"),
    ("<position joint='hip' timeconst='-1'/>", "<position>: timeconst='-1': expected a number that is not negative"),
    ("<intvelocity joint='hip' inheritrange='1' actrange='0 1'/>", "<intvelocity>: actrange and inheritrange: expected one of them, found both"),
    ("<dcmotor joint='hip'/>", "<dcmotor>: expected a positive motor constant; give motorconst or nominal"),
    ("<dcmotor joint='hip' motorconst='1'/>", "<dcmotor>: expected a positive resistance; give resistance or nominal"),
    ("<dcmotor joint='hip' motorconst='1' resistance='1' inductance='-2'/>", "<dcmotor>: inductance='-2': expected a number that is not negative"),
    ("<dcmotor joint='hip' motorconst='1' resistance='1' thermal='1'/>",
     "<dcmotor>: thermal: expected two positive numbers among the first three: resistance, capacity, time constant"),
    ("<dcmotor joint='hip' motorconst='1' resistance='1' saturation='-1 1'/>", "<dcmotor>: forcerange='1 -1': expected the first number to be the smaller one"),
    ("<general joint='hip' gaintype='dcmotor' gainprm='1 1 0 0 0 2'/>",
     "<general>: actdim: expected 2 activation variables, as its gainprm and dynprm say, found 0; use <dcmotor>"),
    ("<general joint='hip' dyntype='dcmotor'/>", "<general>: actearly='false': expected 'true' with dyntype='dcmotor'"),
    ("<general joint='hip' dyntype='integrator' actdim='2'/>", "<general>: actdim='2': expected at most 1, but with dyntype='user' or 'dcmotor'"),
    ("<motor/>", "<motor>: expected a target, such as joint='...', found none"),
    ("<motor joint='hip' site='tip'/>", "<motor>: joint and site: expected one target, found 2"),
    ("<motor site='tap'/>", "<motor>: site='tap': no such site; did you mean 'tip'?"),
    ("<motor site='tip' refsite='albow'/>", "<motor>: refsite='albow': no such site; did you mean 'elbow'?"),
    ("<motor joint='hip' refsite='tip'/>", "<motor>: refsite: expected it only beside site"),
    ("<motor joint='hip' cranklength='1'/>", "<motor>: cranklength: expected it only beside cranksite"),
    ("<motor cranksite='tip' cranklength='1'/>", "<motor>: expected the attribute 'slidersite' beside cranksite, found none"),
    ("<motor cranksite='tip' slidersite='elbow'/>", "<motor>: cranklength='0': expected a positive number"),
    ("<motor cranksite='tip' slidersite='elbo' cranklength='1'/>", "<motor>: slidersite='elbo': no such site; did you mean 'elbow'?"),
    ("<general body='bx'/>", "<general>: body='bx': no such body; did you mean 'box'?"),
    ("<motor site='tip' armature='1'/>", "<motor>: armature: expected a joint or tendon as target, found a site"),
    ("<general body='box' damping='0 1'/>", "<general>: damping: expected a joint or tendon as target, found a body"),
    ("<position site='tip' inheritrange='1'/>", "<position>: inheritrange: expected a joint or tendon as target, found a site"),
    ("<position jointinparent='hip' inheritrange='1'/>", "<position>: inheritrange: expected joint as target, found jointinparent"),
    ("<position joint='wrist' inheritrange='1'/>", "<position>: inheritrange: expected a hinge or slide joint, found a ball joint"),
    ("<position tendon='wire' inheritrange='1'/>", "<position>: inheritrange: expected a range in the tendon 'wire', found none"),
    ("<motor tendon='wir'/>", "<motor>: tendon='wir': no such tendon; did you mean 'wire'?"),
    ("<position joint='knee' inheritrange='1'/>", "<position>: inheritrange: expected a range in the joint 'knee', found none"),
    ("<general joint='hip' ctrllimited='true'/>", "<general>: ctrlrange='0 0': expected the first number to be the smaller one; a limit that is on needs a range"),
    ("<general joint='hip' actrange='0 1'/>", "<general>: actrange: expected an actuator with activation, found dyntype='none'"),
    ("<general joint='hip' delay='.1'/>", "<general>: delay: expected nsample to be positive"),
    ("<general joint='hip' nsample='16777217'/>", "<general>: nsample='16777217': expected at most 16777216"),
    ("<general joint='hip' actdim='1'/>", "<general>: actdim='1': does not fit dyntype='none'"),
)  # fmt: skip


@pytest.mark.parametrize(("actuators", "message"), MISTAKES)
def test_messages(actuators, message):
    text = model(actuators)
    with pytest.raises(MjcfError) as error:
        Model.from_xml_string(text)
    assert str(error.value) == f"<string>:2: {message}"
    assert not isinstance(error.value, UnsupportedFeature)
    with pytest.raises(ValueError, match=r"\S"):
        mujoco.MjModel.from_xml_string(text)
