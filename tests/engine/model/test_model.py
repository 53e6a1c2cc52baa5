"""The container: names, options that can be set, copies, and what it imports."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.model.model import ARRAYS

ANT = Path(__file__).resolve().parents[3] / "xml" / "ant.xml"


@pytest.fixture
def model():
    return Model.from_xml_path(ANT)


def test_names_and_ids(model):
    assert model.body("torso").id == 1
    assert model.joint(3).name == model.jnt(3).name
    assert model.joint("hip_1").id == 1
    assert model.body(4).name == ""
    assert model.camera("track").id == model.cam("track").id == 0
    assert model.material("geom").name == "geom"
    assert model.numeric("init_qpos").size == 15


def test_rows_by_name_are_views(model):
    torso = model.body("torso")
    np.testing.assert_array_equal(torso.pos, [0, 0, 0.75])
    torso.mass[0] = 5
    assert model.body_mass[1] == 5
    with pytest.raises(AttributeError, match="body: colour: no such field"):
        _ = torso.colour


def test_unknown_names(model):
    with pytest.raises(KeyError, match=r"joint: 'hip1': no such name; did you mean 'hip_1'\?"):
        model.joint("hip1")
    with pytest.raises(KeyError, match=r"there are torso_geom|there are floor"):
        model.geom("zzz")
    with pytest.raises(IndexError, match="body: 20: expected an id between 0 and 13"):
        model.body(20)


def test_fields_can_be_set(model):
    model.opt.timestep = 1
    assert isinstance(model.opt.timestep, float)
    model.opt.gravity = (0, 0, -1)
    assert isinstance(model.opt.gravity, np.ndarray)
    model.vis.global_.fovy = 0.1
    assert model.vis.global_.fovy == np.float32(0.1)
    model.body_mass = 2.0
    np.testing.assert_array_equal(model.body_mass, np.full(14, 2.0))
    with pytest.raises(AttributeError, match=r"gravty: no such field; did you mean 'gravity'\?"):
        model.opt.gravty = 0
    with pytest.raises(AttributeError, match="body_mas: no such field; did you mean"):
        model.body_mas = 0


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_are_equal_and_separate(model, copied):
    twin = copied(model)
    for field in ARRAYS:
        np.testing.assert_array_equal(getattr(twin, field.name), getattr(model, field.name))
    assert twin.vis.global_ == model.vis.global_
    assert twin.body("torso").id == 1
    twin.opt.gravity[2] = 7
    twin.body_mass[:] = 0
    assert model.opt.gravity[2] != 7
    assert model.body_mass[1] > 0


def test_missing_file():
    with pytest.raises(FileNotFoundError):
        Model.from_xml_path("no_such_file.xml")


def test_needs_only_numpy():
    code = (
        "import sys, mjenv.engine.model.model; "
        "print([m for m in ('lxml', 'numba', 'mujoco', 'torch') if m in sys.modules])"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root)
    assert done.stdout.strip() == "[]", done.stderr


def alone(code: str, given: bytes = b"") -> str:
    """What code prints in a process of its own."""
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", code], input=given, capture_output=True, cwd=root)
    assert not done.returncode, done.stderr.decode()
    return done.stdout.decode().strip()


def test_models_do_not_know_their_compiler():
    """Where nothing has registered one, the message says what does."""
    code = (
        "from mjenv.engine.model.model import Model\n"
        "try: Model.from_xml_string('<mujoco/>')\n"
        "except RuntimeError as error: print(error)\n"
        "from mjenv.engine.edit.compile import Model as Public\n"
        "print(Model is Public, Model.from_xml_string('<mujoco/>').nbody)"
    )
    first, second = alone(code).splitlines()
    assert first == (
        "<string>: found no compiler of MJCF, expected one; import Model from mjenv or from"
        " mjenv.engine.edit.compile"
    )
    assert second == "True 1"


def test_pickles_need_no_compiler(model):
    """A process that gets a model loads the container alone."""
    code = (
        "import pickle, sys\n"
        "model = pickle.load(sys.stdin.buffer)\n"
        "print(model.nv, type(model).__module__, 'mjenv.engine.mjcf' in sys.modules)"
    )
    assert alone(code, pickle.dumps(model)) == "14 mjenv.engine.model.model False"
