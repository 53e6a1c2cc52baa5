"""Models whose whole numbers lead nowhere are refused by name, and never run."""

import os
import random
import warnings

import numpy as np
import pytest

import mjenv
from mjenv.engine.edit.compile import Model
from mjenv.engine.errors import ModelFileError
from mjenv.engine.model import references
from mjenv.engine.model.references import REFERENCES, refuse_bad_references
from mjenv.engine.tables.fields import MODEL

from ..mjcf.test_models import ROOT, SHARED, SMALL, index

# of everything that is referred to, one or more, small enough to be compiled in an instant
XML = (
    """
<mujoco>
  <compiler autolimits="true"/>
  <option timestep="0.01"/>
  <asset>
    <mesh name="tetra" vertex="0 0 0 1 0 0 0 1 0 0 0 1" texcoord="0 0 1 0 0 1 1 1"/>
    <hfield name="field" nrow="3" ncol="4" size="1 1 .1 .1"/>
    <texture name="plain" type="2d" builtin="flat" width="2" height="2"/>
    <material name="paint" texture="plain"/>
  </asset>
  <worldbody>
    <geom type="hfield" hfield="field" pos="0 0 -3"/>
    <geom type="plane" size="5 5 1" material="paint"/>
    <light mode="targetbody" target="arm"/>
    <camera name="eye" mode="targetbodycom" target="arm" resolution="2 2"/>
    <body name="target" mocap="true" pos="1 1 1"><geom size=".1" contype="0"/></body>
    <body name="ball" pos="0 0 .3">
      <freejoint/>
      <geom type="mesh" mesh="tetra"/>
      <site name="top" pos="0 0 .2"/>
    </body>
    <body name="arm" pos="1 0 1">
      <joint name="turn" type="ball"/>
      <geom type="capsule" size=".05 .2"/>
      <site name="hand" pos="0 0 .2"/>
      <body name="tool" pos="0 0 .4">
        <joint name="slide" type="slide" range="-1 1" damping="1"/>
        <joint name="hinge" axis="0 1 0" range="-1 1"/>
        <geom name="pin" type="sphere" size=".05" pos="0 0 .1"/>
        <site name="tip" pos="0 0 .2"/>
        <site name="side" pos="0 .1 .1"/>
      </body>
    </body>
  </worldbody>
  <contact>
    <pair geom1="pin" geom2="pin2"/>
    <exclude body1="arm" body2="tool"/>
  </contact>
  <tendon>
    <fixed name="fixed"><joint joint="slide" coef="1"/><joint joint="hinge" coef="2"/></fixed>
    <spatial name="rope" range="0 9">
      <site site="hand"/><geom geom="pin" sidesite="side"/><site site="tip"/>
      <pulley divisor="2"/><site site="hand"/><site site="top"/>
    </spatial>
  </tendon>
  <equality>
    <connect body1="tool" body2="ball" anchor="0 0 0" active="false"/>
    <weld site1="tip" site2="top" active="false"/>
    <joint joint1="slide" joint2="hinge" active="false"/>
    <tendon tendon1="fixed" tendon2="rope" active="false"/>
  </equality>
  <actuator>
    <motor joint="hinge" nsample="3" delay=".02"/>
    <general tendon="rope" dyntype="filter" dynprm="1"/>
    <general site="tip" refsite="hand" gear="1 0 0 0 0 0"/>
    <general cranksite="tip" slidersite="hand" cranklength=".5"/>
    <adhesion body="tool" ctrlrange="0 1"/>
  </actuator>
  <sensor>
    <jointpos joint="slide" nsample="2" delay=".01"/>
    <ballquat joint="turn"/>
    <framepos objtype="site" objname="tip" reftype="body" refname="arm"/>
    <subtreecom body="arm"/>
    <rangefinder site="tip" data="dist dir"/>
    <rangefinder camera="eye"/>
    <camprojection site="tip" camera="eye"/>
    <contact geom1="pin" data="found force" num="2"/>
    <distance geom1="pin" geom2="pin2" cutoff="1"/>
    <actuatorfrc actuator="a"/>
    <tendonpos tendon="rope"/>
    <user dim="2"/>
  </sensor>
  <custom>
    <numeric name="n" data="1 2"/><text name="t" data="text"/>
    <tuple name="all"><element objtype="body" objname="arm"/></tuple>
  </custom>
  <keyframe><key name="k"/></keyframe>
</mujoco>
""".replace('<general tendon="rope"', '<general name="a" tendon="rope"')
    .replace("<capsule/>", "")
    .replace('<geom type="capsule"', '<geom name="pin2" type="capsule"')
)
WHOLE = [f.name for f in MODEL if f.shape and f.type in ("int", "byte", "long")]


@pytest.fixture(scope="module")
def saved():
    return Model.from_xml_string(XML).to_bytes()


def array_of(model, name):
    """An array that can be edited, as in a file; what data cannot follow is read-only."""
    array = getattr(model, name)
    array.setflags(write=True)
    return array


def edits(array, rng):
    """Elements and values that they may wrongly have."""
    info = np.iinfo(array.dtype)
    for _ in range(2):
        k = rng.randrange(array.size)
        own, other = int(array.flat[k]), int(array.flat[rng.randrange(array.size)])
        values = (10_000_000, info.max, info.min, -1, -2, own + 1, own - 1, other, 127)
        for value in rng.sample(values, 3):
            if info.min <= value <= info.max and value != own:
                yield k, value


def refused(model) -> bool:
    try:
        refuse_bad_references(model)
    except ValueError:
        return True
    return False


def how_it_ends(model) -> int:
    """0: two steps; 1: refused with a message; else an exit status."""
    child = os.fork()
    if child == 0:
        status = 2
        try:
            mjenv.step(model, mjenv.Data(model), 2)
            status = 0
        except (ValueError, RuntimeError):
            status = 1
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


# arrays of which the model has none
ABSENT = ("flex", "oct", "plugin", "name_flex", "name_plugin", "skin", "name_skin")
PRESENT = [row for row in REFERENCES if not row.name.startswith(ABSENT)]


def test_the_model_has_something_of_everything(saved):
    model = Model.from_bytes(saved)
    assert not [n for n in WHOLE if not getattr(model, n).size and not n.startswith(ABSENT)]


@pytest.mark.sweep(14)
@pytest.mark.parametrize("row", PRESENT, ids=[row.name for row in PRESENT])
def test_a_value_out_of_its_range_is_refused_by_name(saved, row):
    """In a file and in memory."""
    model = Model.from_bytes(saved)
    array = array_of(model, row.name)
    for value in (row.low - 1, np.iinfo(array.dtype).max):
        if value < np.iinfo(array.dtype).min:
            continue
        old, array.flat[-1] = array.flat[-1], value
        with pytest.raises(ModelFileError, match=rf"^bytes: .*{row.name}.*: found"):
            Model.from_bytes(model.to_bytes())
        with pytest.raises(ValueError, match=rf"^Data: .*{row.name}.*: found"):
            mjenv.Data(model)
        array.flat[-1] = old
    mjenv.Data(model)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in WHOLE if not name.startswith(ABSENT)])
def test_no_whole_number_ends_in_a_crash(saved, name):
    """Whatever is let through can be stepped, or is refused later."""
    model, rng = Model.from_bytes(saved), random.Random(name)
    array = array_of(model, name)
    for k, value in edits(array, rng):
        old, array.flat[k] = array.flat[k], value
        if not refused(model):
            assert how_it_ends(model) in (0, 1), f"{name}[{k}] = {value}, was {old}"
        array.flat[k] = old


RULED = {
    "body_parentid": (2, 3, "a body before it"),
    "jnt_type": (3, 0, "expected nq ="),
    "wrap_objid": (3, 99, "expected 0 to 5"),
    "wrap_prm": (3, 99.0, "or the id of a site"),
    "wrap_type": (2, 4, "expected joints alone, or sites at both ends"),
    "sensor_objid": (1, 3, "expected a ball joint"),
    "sensor_objtype": (0, 1, "a kind that this type of sensor has"),
    "sensor_dim": (0, 3, "expected nsensordata ="),
    "actuator_trnid": (0, 9, "expected 0 to 3"),
    "hfield_nrow": (0, 4, "hfield_adr"),
    "mesh_graph": (0, 5, "hull"),
    "bvh_child": (0, 0, "bvh_child"),
    "M_colind": (1, 2, "M_colind"),
}


@pytest.mark.parametrize("name", RULED)
def test_rules(saved, name):
    model = Model.from_bytes(saved)
    k, value, message = RULED[name]
    array_of(model, name).flat[k] = value
    with pytest.raises(ValueError, match=f"^Data: .*{message}"):
        refuse_bad_references(model)


NAN_OR_SIDE = [np.nan, np.inf, -7.0, 1e300]


@pytest.mark.parametrize("value", NAN_OR_SIDE)
def test_a_side_site_that_is_no_id(saved, value):
    model = Model.from_bytes(saved)
    model.wrap_prm[3] = value
    with pytest.raises(ValueError, match=r"Data: wrap_prm\[3\]: found .*, expected -1, or the id"):
        mjenv.Data(model)


@pytest.mark.parametrize("option", ["integrator", "cone", "jacobian", "solver"])
def test_options_that_are_none(saved, option):
    model = Model.from_bytes(saved)
    setattr(model.opt, option, 7)
    with pytest.raises(ValueError, match=f"opt.{option}: found 7, expected 0 to"):
        mjenv.Data(model)
    with pytest.raises(ModelFileError, match=f"opt.{option}: found 7, expected 0 to"):
        Model.from_bytes(model.to_bytes())


TEXTS = {"names": b"x", "paths": b"\xff\0", "text_data": b"text!"}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_that_are_cut_off(saved, name):
    model = Model.from_bytes(saved)
    whole = getattr(model, name)
    cut = TEXTS[name] * len(whole)
    model.__dict__[name] = cut[: len(whole)]
    with pytest.raises(ModelFileError, match=f"^bytes: {name}: found .*"):
        Model.from_bytes(model.to_bytes())


# numbers that lead nowhere: bits, groups, flags, depths
FREE = """
body_contype body_conaffinity bvh_depth oct_depth jnt_group jnt_limited jnt_actfrclimited
jnt_actgravcomp geom_contype geom_conaffinity geom_group geom_priority site_group cam_output
light_castshadow light_active skin_group tex_data mat_texuniform pair_signature
exclude_signature eq_active0 tendon_group tendon_treenum tendon_limited tendon_actfrclimited
actuator_group actuator_ctrllimited actuator_forcelimited actuator_actlimited actuator_actearly
plugin
"""


def test_every_whole_number_that_refers_to_something_is_checked():
    free = set(FREE.split())
    flexes = [n for n in WHOLE if n.startswith("flex")]
    assert set(WHOLE) - references.names_checked() - free - set(flexes) == set()
    assert not references.names_checked().intersection(free)


@pytest.mark.parametrize("name", SMALL)
def test_small_models_are_good(name):
    refuse_bad_references(Model.from_xml_string(SMALL[name]))


def test_own_models_are_good():
    for path in sorted((ROOT / "xml").glob("*.xml")):
        refuse_bad_references(Model.from_xml_path(path))


@pytest.mark.slow
@pytest.mark.skipif(
    not SHARED.exists(), reason="the shared models are not part of the distribution"
)
def test_shared_models_are_good():
    for name in index()["files"][:300]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = Model.from_xml_path(SHARED / name)
        except mjenv.engine.errors.UnsupportedFeature:
            continue
        refuse_bad_references(model)


def test_old_numbers_may_be_written(saved):
    """Programs that copy all that a compiler gives change nothing with it."""
    model = Model.from_bytes(saved)
    children = model.bvh_child.copy()
    model.bvh_child[:2] = children[:2]
    model.bvh_child[...] = children
    with pytest.raises(ValueError, match="how the model hangs together"):
        model.bvh_child[0] = children[0] + 1
    np.testing.assert_array_equal(model.bvh_child, children)
