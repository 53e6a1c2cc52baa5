"""Signed distance fields compile to MuJoCo's arrays: octrees of meshes, and meshes of plugins."""
# ruff: noqa: E501 (one case a line)

import re
import shutil
import subprocess
from pathlib import Path

import mujoco
import numpy as np
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.edit.spec import Spec
from mjenv.engine.errors import MjcfError
from mjenv.engine.mjcf.assets.field_mesh import marching_cubes

from .test_models import differences

mujoco.mj_loadAllPluginLibraries(str(Path(mujoco.__file__).parent / "plugin"))


def shape(name, geom="", mesh="", **settings):
    config = "".join(f'<config key="{k}" value="{v}"/>' for k, v in settings.items())
    return f"""<mujoco><extension><plugin plugin="mujoco.sdf.{name}"><instance name="i">{config}
      </instance></plugin></extension><asset><mesh name="m" {mesh}><plugin instance="i"/></mesh>
      </asset><worldbody><body><freejoint/><geom type="sdf" mesh="m" {geom}><plugin instance="i"/>
      </geom></body></worldbody></mujoco>"""


def octree(mesh, geom=""):
    return f"""<mujoco><asset><mesh name="m" {mesh}/></asset><worldbody><body><freejoint/>
      <geom type="sdf" mesh="m" {geom}/></body></worldbody></mujoco>"""


WEDGE = 'vertex="0 0 0  1 0 0  0 1 0  0 0 1  .4 .5 .6"'
MODELS = {
    "bolt": shape("bolt"),
    "thin bowl": shape("bowl", height=0.9, radius=1, thickness=0.01),
    "gear": shape("gear", 'pos="1 2 3" euler="10 20 30" mass="2"', diameter=1.5, teeth=12),
    "bowl": shape("bowl", 'contype="0" conaffinity="0"', height=0.3, radius=0.8, thickness=0.05),
    "nut": shape("nut", mesh='inertia="shell"'),
    "torus": shape("torus", radius1=0.4, radius2=0.1),
    "hull": octree(WEDGE),
    "sphere": octree('builtin="sphere" params="2"', 'pos="1 2 3" quat="1 2 3 4"'),
    "both": octree(WEDGE).replace("</body>", '<geom type="mesh" mesh="m"/></body>'),
    "turned": octree(WEDGE + ' scale="1 2 -0.5" refpos="1 2 3" refquat="1 2 3 4"'),
    "thin bolt": shape("bolt", radius=0.1),
    "gear without a hole": shape("gear", innerdiameter=0, alpha=0.1),
    "bolt with rare cells": shape("bolt", radius=0.255),
    "nut with rare cells": shape("nut", radius=0.495),
    "bowl with rare cells": shape("bowl", height=0.86, radius=1, thickness=0.0162),
}


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", MODELS)
def test_equal(name):
    ours = Model.from_xml_string(MODELS[name])
    assert not differences(ours, mujoco.MjModel.from_xml_string(MODELS[name]))
    if name in ("torus", "hull"):
        written = Spec.from_string(MODELS[name]).to_xml()
        assert not differences(Model.from_xml_string(written), ours)


@pytest.mark.slow
def test_octrees_are_equal_to_the_last_bit():
    reference = mujoco.MjModel.from_xml_string(MODELS["turned"])
    ours = Model.from_xml_string(MODELS["turned"])
    assert ours.noct == reference.noct > 1000
    for name in ("oct_depth", "oct_child", "oct_aabb", "oct_coeff"):
        assert np.array_equal(getattr(ours, name), getattr(reference, name)), name


def test_every_configuration_of_a_cell_is_closed():
    """Random fields have all of them; each edge of a triangle has another triangle behind it."""
    field = np.random.default_rng(0).normal(size=(24, 24, 24)).astype(np.float32)
    field[0], field[-1], field[:, 0], field[:, -1] = 1, 1, 1, 1
    field[..., 0], field[..., -1] = 1, 1
    points, faces = marching_cubes(field)
    edges = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    forward, backward = np.unique(edges, axis=0), np.unique(edges[:, ::-1], axis=0)
    assert len(forward) == len(edges)
    assert np.array_equal(forward, backward)
    assert set(np.unique(faces)) == set(range(len(points)))


NOISE = """
#include <mujoco/mujoco.h>
static int none(const mjModel* m, int i) { return 0; }
static int init(const mjModel* m, mjData* d, int i) { return 0; }
static void reset(const mjModel* m, mjtNum* state, void* data, int i) {}
static void compute(const mjModel* m, mjData* d, int i, int c) {}
/* signs of random numbers in a block of points, outside of all elsewhere */
static mjtNum place(const mjtNum p[3], const mjtNum* settings) {
  unsigned x = 0;
  for (int k = 0; k < 3; k++) {
    int i = (int)(50 * p[k] + 50.5);
    if (i < 40 || i > 66) return 0.5;
    x = 101 * x + i;
  }
  for (int k = 0; k < 4; k++) { x ^= x >> 15; x *= 2146121005u; x ^= x >> 16; }
  return x & 1 ? 0.5 : -0.5;
}
static mjtNum distance(const mjtNum p[3], const mjData* d, int i) { return place(p, 0); }
static void gradient(mjtNum g[3], const mjtNum p[3], const mjData* d, int i) { g[0] = 1; }
static void read(mjtNum a[], const char* names[], const char* values[]) {}
static void box(mjtNum b[6], const mjtNum* a) { b[3] = b[4] = b[5] = 1; }
mjPLUGIN_LIB_INIT(noise) {
  mjpPlugin p;
  mjp_defaultPlugin(&p);
  p.name = "test.sdf.noise", p.capabilityflags = mjPLUGIN_SDF;
  p.nstate = none, p.init = init, p.reset = reset, p.compute = compute;
  p.sdf_distance = distance, p.sdf_gradient = gradient, p.sdf_staticdistance = place;
  p.sdf_attribute = read, p.sdf_aabb = box;
  mjp_registerPlugin(&p);
}
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_all_configurations_of_a_cell_are_cut_as_in_mujoco(tmp_path):
    """MuJoCo makes a mesh of a plugin whose field has every one of them."""
    folder = Path(mujoco.__file__).parent
    (tmp_path / "noise.c").write_text(NOISE, encoding="utf-8")
    library = next(iter(folder.glob("libmujoco*")))
    subprocess.run(
        ["cc", "-shared", "-fPIC", f"-I{folder / 'include'}", "noise.c", "-o", "noise.so", library],
        cwd=tmp_path, check=True,
    )  # fmt: skip
    mujoco.mj_loadPluginLibrary(str(tmp_path / "noise.so"))
    text = shape("noise").replace("mujoco.sdf.noise", "test.sdf.noise")
    reference = mujoco.MjModel.from_xml_string(text.replace('<geom type="sdf"', '<geom mass="1" type="sdf"'))  # fmt: skip

    i, j, k = np.indices((101, 101, 101), dtype=np.uint32)
    x = (i * np.uint32(101) + j) * np.uint32(101) + k
    for _ in range(4):
        x ^= x >> np.uint32(15)
        x *= np.uint32(2146121005)
        x ^= x >> np.uint32(16)
    block = (i >= 40) & (i <= 66) & (j >= 40) & (j <= 66) & (k >= 40) & (k <= 66)
    field = np.where(block & (x % 2 == 0), -0.5, 0.5).astype(np.float32)
    corners = [
        (field < 0)[a : 100 + a, b : 100 + b, c : 100 + c] for a, b, c in np.ndindex(2, 2, 2)
    ]
    assert len(np.unique(np.packbits(np.stack(corners), axis=0))) == 256
    _, faces = marching_cubes(field)
    assert np.array_equal(faces, reference.mesh_face)


WRONG = {
    "no mesh": ('<mujoco><worldbody><geom type="sdf"/></worldbody></mujoco>', "type='sdf': expected the attribute 'mesh', found none"),
    "scale": (shape("torus", mesh='scale="1 2 1"'), "scale: expected none in a mesh of a plugin"),
    "shell": (shape("bolt", 'shellinertia="true"'), "shellinertia: expected inertia='shell' in the mesh instead"),
    "word": (shape("torus", radius1="big"), "mujoco.sdf.torus: radius1='big': expected a number"),
    "flat": (shape("torus", radius1=-1, radius2=0.1), "mujoco.sdf.torus: expected settings of a shape that has a size"),
    "thin": (shape("torus", radius1=1, radius2=0.001), "mujoco.sdf.torus: expected a shape that is not so thin"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_messages(name):
    text, message = WRONG[name]
    if name != "flat":  # which ends the process in MuJoCo
        with pytest.raises(Exception):  # noqa: B017, PT011 (its message is not ours)
            mujoco.MjData(mujoco.MjModel.from_xml_string(text))
    with pytest.raises(MjcfError, match=re.escape(message)):
        Model.from_xml_string(text)
