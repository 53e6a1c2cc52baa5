"""Sensors: compiled as MuJoCo does, and refused with a message where MuJoCo refuses."""
# ruff: noqa: E501 (one row of the table, one message)

import warnings

import mujoco
import numpy as np
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.errors import MjcfError, UnsupportedFeature
from mjenv.engine.mjcf.text.schema import kinds
from mjenv.engine.tables import enums
from mjenv.engine.tables.sensor_kinds import OBJECTS, SENSORS, SensorKind

from .test_models import differences

BODIES = """
<worldbody>
  <camera name="eye" resolution="4 3"/><camera name="dark" resolution="0 0"/>
  <geom name="floor" type="plane" size="1 1 1"/>
  <body name="arm">
    <joint name="hip" range="-30 40"/>
    <geom name="rod" type="capsule" size=".1 .2"/><site name="tip" pos="0 0 1"/>
    <body name="hand" pos="1 0 0">
      <joint name="wrist" type="ball" range="0 40"/>
      <geom name="ball" size=".1"/><camera name="view"/>
      <body name="finger" pos="1 0 0"><joint name="loose" type="slide"/><geom size=".1"/></body>
    </body>
  </body>
  <body name="box"><freejoint name="free"/><geom size="1"/></body>
</worldbody>"""
ACTUATORS = '<actuator><motor name="m" joint="hip"/><motor name="late" joint="hip" nsample="3" delay="0.01"/></actuator>'


def model(sensors: str, before: str = "", actuators: str = ACTUATORS) -> str:
    return f"<mujoco>{before}{BODIES}{actuators}<sensor>\n{sensors}\n</sensor></mujoco>".replace(
        f"<mujoco>{before}{BODIES}", f"<mujoco>{before}{BODIES}".replace("\n", "")
    )


# one sensor of each kind at least, all attributes
VALID = """
<touch site="tip"/> <accelerometer site="tip" cutoff="3" noise=".1"/> <velocimeter name="v" site="tip"/>
<gyro site="tip" user="1 2"/> <force site="tip"/> <torque site="tip" user="1 2 3"/> <magnetometer site="tip"/>
<rangefinder site="tip"/> <rangefinder site="tip" data="dir point normal"/> <rangefinder camera="eye" data="dist depth"/>
<rangefinder camera="view" data=" "/> <rangefinder camera="dark"/> <camprojection site="tip" camera="eye" cutoff="1"/>
<jointpos joint="hip"/> <jointvel joint="loose"/> <jointactuatorfrc joint="hip"/>
<actuatorpos actuator="m"/> <actuatorvel actuator="m"/> <actuatorfrc actuator="late"/>
<ballquat joint="wrist"/> <ballangvel joint="wrist" cutoff="2"/>
<jointlimitpos joint="hip"/> <jointlimitvel joint="wrist"/> <jointlimitfrc joint="hip"/>
<framepos objtype="body" objname="arm"/> <framepos objtype="xbody" objname="world" reftype="site" refname="tip"/>
<framequat objtype="geom" objname="rod" reftype="camera" refname="eye"/>
<framexaxis objtype="site" objname="tip" reftype="xbody" refname="arm"/>
<frameyaxis objtype="camera" objname="view"/> <framezaxis objtype="geom" objname="ball" reftype="body" refname="world"/>
<framelinvel objtype="body" objname="hand" reftype="geom" refname="ball"/> <frameangvel objtype="body" objname="hand"/>
<framelinacc objtype="xbody" objname="hand"/> <frameangacc objtype="xbody" objname="hand"/>
<subtreecom body="world"/> <subtreelinvel body="arm"/> <subtreeangmom body="hand"/>
<insidesite site="tip" objtype="body" objname="hand"/> <insidesite site="tip" objtype="xbody" objname="hand"/>
<distance geom1="rod" geom2="ball"/> <distance geom1="rod" body2="world" cutoff="1"/> <distance body1="arm" geom2="ball"/>
<normal body1="arm" body2="hand" cutoff="1"/> <fromto geom1="rod" geom2="floor"/>
<contact/> <contact geom1="rod" data="found dist"/> <contact body1="arm" body2="hand" data="force torque" num="3" reduce="mindist"/>
<contact subtree1="arm" subtree2="box" data="found force torque dist pos normal tangent" reduce="netforce" num="2"/>
<contact site="tip" geom2="rod" reduce="maxforce" data="tangent"/> <contact geom2="rod" data=""/> <contact site="tip"/>
<e_potential/> <e_kinetic cutoff="3"/> <clock/>
<user dim="0"/> <user dim="3" datatype="axis" needstage="vel"/> <user dim="4" datatype="quaternion" needstage="none"/>
<user dim="2" datatype="positive" needstage="pos" objtype="sensor" objname="v" cutoff="1" noise="3"/>
<user dim="2" objtype="actuator" objname="m"/> <user dim="2" objtype="xbody" objname="arm"/>
<user dim="2" objtype="numeric" objname="n"/> <user dim="1" objtype="thing" objname="n"/> <user dim="1" objtype="" objname="n"/>
<clock interval="0.1"/> <clock interval="0.1 -0.05" nsample="3" interp="linear"/> <clock interval="0 -2" nsample="-3"/>
<gyro site="tip" delay="0.1" nsample="5" interp="cubic"/> <clock delay="-1"/>
<contact num="3" data="force" nsample="4"/>"""


def test_valid():
    """Every kind of sensor, with every attribute."""
    text = model(VALID, '<custom><numeric name="n" data="1"/></custom>')
    ours, reference = Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    assert not differences(ours, reference)
    assert reference.nsensordata > 200
    assert reference.nhistory == 8 + 8 + 22 + 2 + 4 + 36


def test_table():
    """The table has the sensors of the schema, at their places in mjtSensor; all were tried."""
    tags = set(kinds()["sensor"].children)
    assert tags == set(SENSORS)
    names = {f"mjSENS_{tag}".upper(): row.type for tag, row in SENSORS.items()}
    renamed = {
        "JOINTACTUATORFRC": "JOINTACTFRC", "TENDONACTUATORFRC": "TENDONACTFRC",
        "DISTANCE": "GEOMDIST", "NORMAL": "GEOMNORMAL", "FROMTO": "GEOMFROMTO",
    }  # fmt: skip
    for name, place in names.items():
        name = name.removeprefix("MJSENS_")
        name = "mjSENS_" + renamed.get(name, name)
        assert int(getattr(mujoco.mjtSensor, name)) == place
    numbers = {k: v for k, v in vars(enums).items() if k.startswith("SENS_")}
    assert numbers == {name: getattr(mujoco.mjtSensor, f"mj{name}") for name in numbers}
    for place, name in enumerate(OBJECTS):
        assert int(getattr(mujoco.mjtObj, f"mjOBJ_{name.upper()}")) == place
    assert all(isinstance(row, SensorKind) for row in SENSORS.values())
    elsewhere = ("tendon", "tactile", "plugin")
    missing = [t for t in SENSORS if f"<{t}" not in VALID and not t.startswith(elsewhere)]
    assert not missing


def test_names():
    ours = Model.from_xml_string(model("<gyro name='spin' site='tip'/><clock name='now'/>"))
    assert ours.sensor("now").id == 1
    assert np.array_equal(ours.sensor_adr, [0, 3])


def test_user_size():
    text = model("<clock user='1'/>", '<size nuser_sensor="3"/>')
    assert not differences(Model.from_xml_string(text), mujoco.MjModel.from_xml_string(text))


MISTAKES = [
    # targets
    ("<touch/>", "<touch>: expected the attribute 'site', found none"),
    ("<touch site=''/>", "<touch>: site='': expected a name, found nothing"),
    ("<touch site='tap'/>", "<touch>: site='tap': no such site; did you mean 'tip'?"),
    ("<gyro name='g' joint='hip'/>", "<gyro name='g'>: unknown attribute 'joint'; <jointpos>, <jointvel>, <jointactuatorfrc>, ... can have it"),
    ("<jointpos joint='hop'/>", "<jointpos>: joint='hop': no such joint; did you mean 'hip'?"),
    ("<jointpos joint='wrist'/>", "<jointpos>: joint='wrist': expected a slide or hinge joint, found type='ball'"),
    ("<jointvel joint='free'/>", "<jointvel>: joint='free': expected a slide or hinge joint, found type='free'"),
    ("<jointactuatorfrc joint='free'/>",
     "<jointactuatorfrc>: joint='free': expected a slide or hinge joint, found type='free'"),
    ("<ballquat joint='hip'/>", "<ballquat>: joint='hip': expected a ball joint, found type='hinge'"),
    ("<ballangvel joint='loose'/>", "<ballangvel>: joint='loose': expected a ball joint, found type='slide'"),
    ("<jointlimitpos joint='loose'/>",
     "<jointlimitpos>: joint='loose': expected a joint with a limit; give it a range"),
    ("<jointlimitfrc joint='free'/>",
     "<jointlimitfrc>: joint='free': expected a joint with a limit; give it a range"),
    ("<tendonpos tendon='rope'/>", "<tendonpos>: tendon='rope': no such tendon"),
    ("<actuatorfrc actuator='n'/>", "<actuatorfrc>: actuator='n': no such actuator; there are m, late"),
    ("<subtreecom body='harm'/>", "<subtreecom>: body='harm': no such body; did you mean 'arm'?"),
    ("<camprojection site='tip' camera='dark'/>",
     "<camprojection>: camera='dark': expected a camera with a resolution above 0 0"),
    ("<camprojection site='tip'/>", "<camprojection>: expected the attribute 'camera', found none"),
    # frames
    ("<framepos objtype='joint' objname='hip'/>",
     "<framepos>: objtype='joint': expected one of body, xbody, geom, site, camera, found 'joint'"),
    ("<framepos objtype='body' objname='arn'/>", "<framepos>: objname='arn': no such body; did you mean 'arm'?"),
    ("<framepos objtype='body'/>", "<framepos>: expected the attribute 'objname', found none"),
    ("<framepos objname='arm'/>", "<framepos>: expected the attribute 'objtype', found none"),
    ("<framepos objtype='body' objname='arm' refname='tip'/>",
     "<framepos>: refname='tip': expected the attribute 'reftype' beside it"),
    ("<framepos objtype='body' objname='arm' reftype='site'/>",
     "<framepos>: reftype='site': expected the attribute 'refname' beside it"),
    ("<framepos objtype='body' objname='arm' reftype='site' refname=''/>",
     "<framepos>: refname='': expected a name, found nothing"),
    ("<framelinacc objtype='body' objname='arm' reftype='site' refname='tip'/>",
     "<framelinacc>: unknown attribute 'reftype'; <framepos>, <framequat>, <framexaxis>, ... can have it"),
    ("<insidesite site='tap' objtype='body' objname='arm'/>",
     "<insidesite>: site='tap': no such site; did you mean 'tip'?"),
    ("<insidesite objtype='body' objname='arm'/>", "<insidesite>: expected the attribute 'site', found none"),
    # two things
    ("<distance geom1='rod'/>", "<distance>: expected one of the attributes geom2 or body2, found none"),
    ("<distance geom1='rod' body1='arm' geom2='ball'/>",
     "<distance>: geom1 and body1: expected one of geom1 or body1"),
    ("<normal geom1='rod' geom2='rod'/>", "<normal>: geom1='rod' twice: expected two different ones"),
    ("<fromto body1='arm' body2='arm'/>", "<fromto>: body1='arm' twice: expected two different ones"),
    # rays and contacts
    ("<rangefinder/>", "<rangefinder>: expected one of the attributes site or camera, found none"),
    ("<rangefinder site='tip' camera='eye'/>",
     "<rangefinder>: site and camera: expected one of site or camera"),
    ("<rangefinder site='tip' data='dir dist'/>",
     "<rangefinder>: data='dir dist': expected the order dist, dir, origin, point, normal, depth"),
    ("<rangefinder site='tip' data='dist dist'/>",
     "<rangefinder>: data='dist dist': expected different words, found 'dist' twice"),
    ("<rangefinder site='tip' data='force'/>",
     "<rangefinder>: data='force': expected one of dist, dir, origin, point, normal, depth, found 'force'"),
    ("<contact geom1='rod' site='tip'/>",
     "<contact>: geom1 and site: expected one of geom1, body1, subtree1 or site"),
    ("<contact geom2='rod' subtree2='arm'/>",
     "<contact>: geom2 and subtree2: expected one of geom2, body2 or subtree2"),
    ("<contact subtree1='harm'/>", "<contact>: subtree1='harm': no such body; did you mean 'arm'?"),
    ("<contact data='force found'/>",
     "<contact>: data='force found': expected the order found, force, torque, dist, pos, normal, tangent"),
    ("<contact reduce='sum'/>",
     "<contact>: reduce='sum': expected one of none, mindist, maxforce, netforce, found 'sum'"),
    ("<contact num='0'/>", "<contact>: num='0': expected a positive number of contacts"),
    # numbers
    ("<clock cutoff='-1'/>", "<clock>: cutoff='-1': expected a number that is not negative"),
    ("<clock noise='-1'/>", "<clock>: noise='-1': expected a number that is not negative"),
    ("<ballquat joint='wrist' cutoff='1'/>",
     "<ballquat>: cutoff='1': expected none, because the reading is a quaternion"),
    ("<framexaxis objtype='body' objname='arm' cutoff='1'/>",
     "<framexaxis>: cutoff='1': expected none, because the reading is an axis"),
    ("<clock interval='-1'/>", "<clock>: interval: period -1: expected a number that is not negative"),
    ("<clock interval='1 2'/>", "<clock>: interval: phase 2: expected a number above -period and at most 0"),
    ("<clock interval='1 -1'/>", "<clock>: interval: phase -1: expected a number above -period and at most 0"),
    ("<clock delay='1'/>", "<clock>: delay: expected nsample to be positive, to keep past readings"),
    ("<clock nsample='16777217'/>", "<clock>: nsample='16777217': expected at most 16777216"),
    ("<clock interp='spline'/>", "<clock>: interp='spline': expected one of zoh, linear, cubic, found 'spline'; did you mean 'linear'?"),
    # user
    ("<user/>", "<user>: expected the attribute 'dim', found none"),
    ("<user dim='-1'/>", "<user>: dim='-1': expected a number that is not negative"),
    ("<user dim='4' datatype='axis'/>", "<user>: dim='4': datatype='axis' expects dim='3'"),
    ("<user dim='3' datatype='quaternion'/>", "<user>: dim='3': datatype='quaternion' expects dim='4'"),
    ("<user dim='3' datatype='axis' cutoff='1'/>",
     "<user>: cutoff='1': expected none, because the reading is an axis"),
    ("<user dim='1' objtype='body'/>", "<user>: objtype='body': expected the attribute 'objname' beside it"),
    ("<user dim='1' objname='arm'/>", "<user>: objname='arm': expected the attribute 'objtype' beside it"),
    ("<user dim='1' objtype='joint' objname='arm'/>", "<user>: objname='arm': no such joint; there are hip, wrist, loose, free"),
    ("<user dim='1' objtype='dof' objname='arm'/>", "<user>: objname='arm': no such dof"),
    # names
    ("<clock name='a'/><clock name='a'/>",
     "<clock name='a'>: this name is used twice for a sensor, first at <string>:2"),
]  # fmt: skip


@pytest.mark.parametrize(("sensor", "message"), MISTAKES, ids=range(len(MISTAKES)))
def test_messages(sensor, message):
    with pytest.raises(ValueError, match="Error"):
        mujoco.MjModel.from_xml_string(model(sensor))
    with pytest.raises(MjcfError) as caught:
        Model.from_xml_string(model(sensor))
    assert str(caught.value) == f"<string>:2: {message}"
    assert not isinstance(caught.value, UnsupportedFeature)


def test_delay_buffers_need_time():
    text = model("<clock nsample='3'/>", "<option timestep='0'/>", "")
    with pytest.raises(ValueError, match="positive timestep"):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(
        MjcfError, match=r"<string>:2: <clock>: nsample: a delay buffer expects a pos"
    ):
        Model.from_xml_string(text)


def test_tactile():
    asset = "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>"
    body = "<body><freejoint/><geom name='pad' size='1' contype='{0}' conaffinity='{0}'/></body>"
    sensor = "<tactile name='t' geom='pad' mesh='m' user='1 2' nsample='2' delay='.1'/>"
    text = f"<mujoco>{asset}<worldbody>{body}</worldbody><sensor>{sensor}</sensor></mujoco>"
    touches = text.format(1)
    ours, reference = Model.from_xml_string(touches), mujoco.MjModel.from_xml_string(touches)
    assert not differences(ours, reference)
    with pytest.raises(ValueError, match="collision geom"):
        mujoco.MjModel.from_xml_string(text.format(0))
    with pytest.raises(MjcfError, match="mesh='m': expected that the body of the geom of"):
        Model.from_xml_string(text.format(0))


def test_words_that_are_no_kind_of_reference():
    for kind in ("", "foo"):
        text = model(f"<framepos objtype='geom' objname='rod' reftype='{kind}' refname='rod'/>")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ours = Model.from_xml_string(text)
        assert not differences(ours, mujoco.MjModel.from_xml_string(text))
        assert [str(w.message) for w in caught] == ([] if not kind else [
            "<string>:2: <framepos>: reftype='foo': ignored, as MuJoCo does, with refname"
        ])  # fmt: skip
