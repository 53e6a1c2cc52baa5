"""Compiled models equal MuJoCo's: every size, every array, every option."""
# ruff: noqa: E501 (models in few lines)

import json
import os
import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
from gymnasium.envs import mujoco as gymnasium_mujoco

from mjenv.engine.edit.compile import Model, compile_text
from mjenv.engine.edit.spec import Spec
from mjenv.engine.errors import MjcfError, UnsupportedFeature
from mjenv.engine.mjcf.geometry.pose import total_of
from mjenv.engine.mjcf.text.source import Source
from mjenv.engine.model.model import ARRAYS, SIZES
from mjenv.engine.tables.fields import OPTION, STATISTIC, VISUAL

ROOT = Path(__file__).resolve().parents[3]
GYMNASIUM = Path(gymnasium_mujoco.__file__).parent / "assets"
SHARED = ROOT.parent / "shared" / "models"
OURS = sorted((ROOT / "xml").glob("*.xml"))
THEIRS = [GYMNASIUM / path.name for path in OURS if (GYMNASIUM / path.name).exists()]

# integers and bytes are equal; reals to these tolerances
RTOL = {np.dtype("f8"): 1e-9, np.dtype("f4"): 1e-6}
ATOL = 1e-12  # what is zero in one and rounding in the other

# field: why it is not compared
NOT_COMPARED = {
    "rgba.bv": "MuJoCo's bindings return an empty array",
    "rgba.bvactive": "MuJoCo's bindings return an empty array",
}
# field: the form in which it is compared, and why
SETS = {
    "mesh_graph": (
        lambda m: sorted_neighbours(m),
        "the order of a vertex's neighbours is that in which Qhull last touched the facets around"
        " it, which no library shows; all else has Qhull's order",
    ),
}
# model: the fields that differ, and why
DIFFER: dict[str, tuple[set, str]] = {}


def sorted_neighbours(model):
    """mesh_graph with the neighbours of each vertex sorted."""
    graph = model.mesh_graph.copy()
    for start in model.mesh_graphadr[model.mesh_graphadr >= 0]:
        count, faces = graph[start : start + 2]
        edges = graph[start + 2 + 2 * count :][: count + 3 * faces]
        ends = np.flatnonzero(edges == -1)
        for a, b in zip([0, *(ends + 1)], ends, strict=False):
            edges[a:b].sort()
    return graph


def close(a, b):
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.kind != "f" or a.tobytes() == b.tobytes():
        return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return np.allclose(a, b, rtol=RTOL[a.dtype], atol=ATOL, equal_nan=True)


# sums in which large numbers cancel: their errors are those of the largest
CANCELLED = ("flex_stiffness", "flex_bending")


def differences(ours, reference):
    """Names of the fields that differ."""
    names = [s for s in (*SIZES, "signature") if getattr(ours, s) != getattr(reference, s)]
    for field in ARRAYS:
        a, b = getattr(ours, field.name), getattr(reference, field.name)
        if field.name in SETS and a.shape == b.shape:
            a, b = map(SETS[field.name][0], (ours, reference))
        if field.name in CANCELLED and a.size and a.shape == b.shape:
            largest = np.abs(b).max() or 1.0
            a, b = a / largest, b / largest
        if not (a == b if isinstance(a, bytes) else close(a, b)):
            names.append(field.name)
        if isinstance(a, np.ndarray):
            assert a.flags.c_contiguous, field.name
    for fields, structure in ((OPTION, "opt"), (STATISTIC, "stat")):
        a, b = getattr(ours, structure), getattr(reference, structure)
        names += [f.name for f in fields if not close(getattr(a, f.name), getattr(b, f.name))]
    for field in VISUAL:
        group, name = field.name.split(".")
        group = "global_" if group == "global" else group
        a, b = (getattr(getattr(m.vis, group), name) for m in (ours, reference))
        if field.name not in NOT_COMPARED and not np.array_equal(a, b):
            names.append(field.name)
    return names


@pytest.mark.parametrize("path", THEIRS, ids=lambda path: path.stem)
def test_own_files_equal_gymnasiums(path):
    """Our model files describe the same models as Gymnasium's."""
    ours = Model.from_xml_path(ROOT / "xml" / path.name)
    assert not differences(ours, mujoco.MjModel.from_xml_path(str(path)))


@pytest.mark.sweep(16)
@pytest.mark.parametrize(
    "path", [*OURS, *THEIRS], ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_same_file(path):
    assert not differences(Model.from_xml_path(path), mujoco.MjModel.from_xml_path(str(path)))


def test_all_files_of_gymnasiums_tasks_are_there():
    assert len(THEIRS) == 11


SMALL = {
    "empty": "<mujoco/>",
    "orientations": """
      <mujoco><compiler angle="radian" eulerseq="zXy"/><worldbody><body axisangle="1 1 0 0.5">
      <geom size=".1 .2 .3" type="box" euler="0.1 0.2 0.3"/><geom type="capsule" size=".1 .2"
      pos="1 0 0" xyaxes="0 1 0 1 0.5 0"/><site zaxis="1 2 3"/><camera euler="1 2 3"/><freejoint/>
      </body></worldbody></mujoco>""",
    "frames": """
      <mujoco><default><default class="red"><geom rgba="1 0 0 1"/><joint damping="3"/></default>
      </default><worldbody><frame pos="1 2 3" euler="10 20 30" childclass="red"><frame quat="1 1 0 0">
      <body pos="0 0 1"><joint axis="1 2 3" pos="1 0 0"/><geom size=".1"/><frame pos="1 1 1"
      euler="0 90 0"><geom type="cylinder" size=".1 .3"/><joint type="slide" axis="0 1 0"/>
      <light dir="1 1 -1"/><site pos="1 0 0" size=".1"/><camera/></frame></body></frame>
      <geom size="1" pos="0 5 0"/></frame></worldbody></mujoco>""",
    "shells": """
      <mujoco><worldbody><body><freejoint/><geom size=".3" shellinertia="true"/>
      <geom type="capsule" size=".1 .2" pos="1 0 0" shellinertia="true"/><geom type="box"
      size=".1 .2 .3" pos="0 1 0" shellinertia="true"/><geom type="ellipsoid" size=".1 .2 .3"
      pos="0 0 1" shellinertia="true" mass="2"/><geom type="cylinder" size=".1 .2" pos="1 1 0"
      shellinertia="true"/></body></worldbody></mujoco>""",
    "inertia": """
      <mujoco><compiler inertiagrouprange="1 2" boundmass="0.5" boundinertia="0.01"
      balanceinertia="true"/><worldbody><body><freejoint/><geom size=".3"/><geom size=".2" group="1"
      pos="1 2 3"/></body><body pos="3 0 0"><joint/><inertial pos="0 0 1" mass="1" fullinertia="1 2
      3 .1 .2 .3"/></body><body pos="5 0 0"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1
      5" euler="10 20 30"/></body></worldbody></mujoco>""",
    "fluid": """
      <mujoco><worldbody><body><freejoint align="true"/><geom type="ellipsoid" size=".1 .2 .3"
      pos=".1 .2 .3" fluidshape="ellipsoid"/><geom type="capsule" size=".1 .2" fluidshape="ellipsoid"
      fluidcoef="1 2"/><site pos="1 0 0"/><light/><camera/></body></worldbody></mujoco>""",
    "actuators": """
      <mujoco><default><motor gear="3"/><position kp="7"/></default><worldbody><body><joint name="h"
      range="-30 40" springdamper="0.1 0.7"/><geom size=".1" pos="1 0 0"/><body pos="1 0 0"><joint
      name="b" type="ball"/><geom size=".1 .2" type="capsule"/></body></body><body pos="0 3 0"
      euler="0 90 0"><freejoint name="f"/><geom size=".1"/></body></worldbody><actuator><motor
      joint="h"/><position joint="h" dampratio="0.8" timeconst="0.3"/><position joint="h" kp="5"
      inheritrange="0.9"/><velocity joint="h" kv="2"/><damper joint="h" kv="2" ctrlrange="0 1"/>
      <intvelocity joint="h" actrange="-1 1"/><cylinder joint="h" diameter="0.1" timeconst="2"/>
      <general joint="b" gear="1 2 3" armature="0.1" damping="1 2"/><general jointinparent="f"
      gear="1 2 3 4 5 6" dyntype="filter" gainprm="1 2 3" delay="0.1" nsample="4"/></actuator>
      <keyframe><key name="a" qpos="1"/><key ctrl="1 2 3"/></keyframe></mujoco>""",
    "contacts": """
      <mujoco><worldbody><body name="a"><freejoint/><geom name="a" size=".1"/></body><body name="b"
      mocap="true" pos="1 2 3"><geom name="b" type="box" size=".1 .2 .3"/></body><body name="c"/>
      </worldbody><contact><pair geom1="b" geom2="a" condim="6" friction="1 2"/><exclude body1="b"
      body2="a"/><exclude body1="a" body2="world"/></contact><keyframe><key mpos="4 5 6"/></keyframe>
      <size nkey="3" nuser_body="2"/></mujoco>""",
    "textures": """
      <mujoco><asset><texture name="a" type="2d" builtin="gradient" width="17" height="9" mark="edge"/>
      <texture name="b" builtin="checker" width="8" mark="random" random="0.3" markrgb="1 .5 .2"/>
      <texture name="c" type="2d" builtin="flat" width="30" height="40" mark="random" random="0.5"/>
      <texture type="skybox" builtin="gradient" width="16" file="sky.png"/><material name="m"><layer role="rgb"
      texture="a"/><layer role="normal" texture="b"/></material></asset><worldbody><geom size="1"
      material="m"/><light type="image" texture="a"/></worldbody></mujoco>""",
    "options": """
      <mujoco model="x"><option timestep="0.1" o_solref="0.5" integrator="implicitfast" cone="elliptic"
      actuatorgroupdisable="1 4"><flag contact="disable" energy="enable" multiccd="disable"/></option>
      <visual><global fovy="30" bvactive="false"/><rgba fog="1 0 0 1"/></visual><statistic
      extent="3" center="1 2 3"/><custom><numeric name="n" size="4" data="1 2"/><text name="t"
      data="hello"/></custom><worldbody><camera focal="1 2" sensorsize="0.01 0.02" resolution="64 48"
      output="depth rgb"/><body sleep="init"><freejoint/><geom size="1"/></body></worldbody></mujoco>""",
}


@pytest.mark.parametrize("name", SMALL)
def test_small_models(name):
    """Features that the four models do not use."""
    ours = Model.from_xml_string(SMALL[name])
    assert not differences(ours, mujoco.MjModel.from_xml_string(SMALL[name]))


def index():
    if not SHARED.exists():
        return {"files": [], "inline_ok": [], "inline_error": {}}
    return json.loads((SHARED / "index.json").read_text())


# what may be refused: words of the message
EXCLUDED = ("a texture: expected at most",)


def rewritten(spec, path, ours):
    """What differs between a model and what its text compiles to."""
    try:
        again = compile_text(spec.to_xml().encode(), path.name, Source(str(path.parent)))
    except MjcfError as error:
        return {f"written: {error}"}
    return {f"written: {name}" for name in differences(again, ours)}


def written_by_mujoco(path, folder):
    """Whether MuJoCo's own text of a model gives it again: grids of nodes of deformables, and
    instances of plugins with and without names, have no place in it."""
    model, own = mujoco.MjModel.from_xml_path(str(path)), folder / "own.xml"
    mujoco.mj_saveLastXML(str(own), model)
    text = own.read_text()
    if "meshdir=" not in text:
        text = text.replace("<compiler ", f'<compiler meshdir="{path.parent}" ', 1)
    try:
        again = mujoco.MjModel.from_xml_string(text)
    except ValueError:
        return False
    return np.array_equal(again.flex_stiffness, model.flex_stiffness)


@pytest.mark.slow
@pytest.mark.skipif(
    not SHARED.exists(), reason="the shared models are not part of the distribution"
)
def test_shared_models(tmp_path):
    """Models of other projects compile to equal arrays, and so does the text written of them.

    A third of them; all with MJENV_TEST_ALL=1.
    """
    paths = [SHARED / name for name in index()["files"]]
    paths += [SHARED / "inline" / name for name in index()["inline_ok"]]
    whole = "MJENV_TEST_ALL" in os.environ
    paths = paths if whole else paths[::3]
    wrong, equal = {}, 0
    mujoco.set_mju_user_warning(lambda message: None)
    for path in paths:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                spec = Spec.from_file(path)
                ours = spec.compile()
                found = set(differences(ours, mujoco.MjModel.from_xml_path(str(path))))
                found -= DIFFER.get(path.name, (set(), ""))[0]
                written = rewritten(spec, path, ours)
                if written and written_by_mujoco(path, tmp_path):
                    found |= written
        except UnsupportedFeature as error:
            found = set() if any(word in str(error) for word in EXCLUDED) else {str(error)}
        except Exception as error:
            found = {repr(error)}
        else:
            equal += not found
        if found:
            wrong[path.name] = found
    assert not wrong
    assert equal >= (833 if whole else 0.85 * len(paths))


@pytest.mark.skipif(
    not SHARED.exists(), reason="the shared models are not part of the distribution"
)
def test_models_that_mujoco_rejects():
    """What MuJoCo rejects is rejected, never with another exception."""
    accepted = []
    for name in index()["inline_error"]:
        try:
            Model.from_xml_path(SHARED / "inline" / name)
            accepted.append(name)
        except MjcfError:
            pass
    assert not accepted


def test_sums_round_after_every_number():
    """As MuJoCo's do; `sum` keeps what is lost, from Python 3.12 on."""
    assert total_of([1e16, 1.0, -1e16]) == 0.0
