"""Fields for type checkers: what a script may write, and what it may not."""

import ast
import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mjenv
from tests.typed_fields import ENGINE, FILES

ROOT = Path(__file__).resolve().parents[1]
XML = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="a" pos="0 0 0.4"><freejoint/><geom name="g" size="0.5"/><site name="s"/></body>
    <body name="b" pos="2 0 1"><joint name="j" damping="1"/><geom size="0.1"/></body>
  </worldbody>
  <actuator><motor joint="j"/></actuator>
  <sensor><jointpos joint="j"/></sensor>
</mujoco>
"""

# every line is right
GOOD = """
import numpy as np
import mjenv
from mjenv import mju, terms

model = mjenv.Model.from_xml_path("a.xml")
data = mjenv.Data(model, 4)
position: np.ndarray = data.qpos
count: int = model.nq
data.qpos = np.zeros(3)
data.qvel = 0
data.ctrl[:] = 1
data.ctrl[..., 0] += 1.0
model.opt.timestep = 0.01
step: float = model.opt.timestep
model.opt.integrator = "RK4"
model.opt.integrator = mjenv.mjtIntegrator.mjINT_RK4
model.opt.disableflags = ["contact", "gravity"]
kind: int = model.opt.integrator
model.vis.map.force = 1.0
model.vis.global_.offwidth = 640
model.stat.extent = 2.0
model.geom_size[0] = [1, 1, 1]
model.body_mass = [0.0, 1.0]
model.body("a").mass[0] = 2
model.joint("j").range = (-1, 1)
data.joint("j").qpos[:] = 1.0
distance: float = data.contact[0].dist
points: np.ndarray = data.contact.pos
mjenv.step(model, data)
view = mjenv.WorldView(model, data, 0)
now: float = view.time
view.qpos[0] = 1
view.qvel = [0.0]
place: np.ndarray = view.body("a").xpos
renderer = mjenv.Renderer(model)
print(mju.quat2mat, terms, mjenv.mjtObj.mjOBJ_BODY, model.names, data.nworld, data.warning)
"""
# every line is wrong
BAD = """
data.qposs
data.qpoz = 1
data.contact.distt
data.contact[0].distt
data.body("a").xposs
data.joint("a").qposs
model.nqq
model.nq = 3
model.geom_sizes = 1
model.opt = 3
model.opt.timestp
model.opt.timestp = 1
model.opt.timestep = "0.1"
model.opt.integrator = 1.5
model.stat.extend
model.vis.mapp
model.vis.map.forc
model.body("a").masss
view.qposs
view.qpoz = 0
mjenv.Renderrer
mjenv.mjtObjj
mjenv.mjtObj.mjOBJ_BODYY
text: str = model.nq
integers: np.ndarray[tuple[int, ...], np.dtype[np.int32]] = data.qpos
"""
START = """
import numpy as np
import mjenv

model = mjenv.Model.from_xml_path("a.xml")
data = mjenv.Data(model, 4)
view = mjenv.WorldView(model, data)
"""


@pytest.mark.parametrize("name", FILES)
def test_files_follow_the_tables(name):
    """After a change of a table, `python tests/typed_fields.py` writes them."""
    assert (ENGINE / name).read_text(encoding="utf-8") == FILES[name]()


def declared(owner):
    """Attributes of a class of the stub, with their types."""
    tree = ast.parse((ENGINE / "typed_fields.pyi").read_text(encoding="utf-8"))
    (found,) = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == owner]
    types = {n.target.id: ast.unparse(n.annotation) for n in found.body if hasattr(n, "annotation")}
    fixed = [n for n in found.body if isinstance(n, ast.FunctionDef) and n.decorator_list]
    return types | {n.name: ast.unparse(n.returns) for n in fixed}


def fits(value, kind):
    """Whether a value is of a type of the stub."""
    if isinstance(value, np.ndarray):
        return kind == f"Array[np.{value.dtype}]"
    return type(value).__name__ == kind or (kind, type(value)) == ("Choice", int)


@pytest.mark.slow
def test_types_are_those_of_the_fields():
    model = mjenv.Model.from_xml_string(XML)
    data = mjenv.Data(model, 2, keep=["qacc", "xpos", "contact", "maxuse_con", "maxuse_efc"])
    everything, one = mjenv.Data(model), mjenv.Data(model)
    mjenv.forward(model, one)
    view, missing = mjenv.WorldView(model, everything), []
    for name, kind in declared("DataFields").items():
        holder = data if name.startswith("maxuse_") and name[7:] in ("con", "efc") else everything
        assert fits(getattr(holder, name), kind), name
    for name, kind in declared("WorldFields").items():
        if name not in ("maxuse_con", "maxuse_efc"):
            value = getattr(view, name)
            assert fits(value, kind) or (isinstance(value, int) and kind == "int"), name
    groups = [(f"Visual{g.strip('_').capitalize()}", v) for g, v in vars(model.vis).items()]
    for owner, holder in (
        *(("ModelFields", model), ("OptionFields", model.opt), ("StatisticFields", model.stat)),
        *(("ContactsFields", one.contact), ("ContactFields", one.contact[0])),
        *groups,
    ):
        for name, kind in declared(owner).items():
            value = getattr(holder, name)
            if not (fits(value, kind) or (kind == "float" and isinstance(value, float))):
                missing.append(f"{owner}.{name}: {kind}, found {type(value)}")
    assert not missing


@pytest.mark.slow
def test_elements_have_the_declared_attributes():
    model = mjenv.Model.from_xml_string(XML)
    data = mjenv.Data(model)
    for kind, key in (("body", "a"), ("geom", "g"), ("joint", "j"), ("actuator", 0), ("site", "s")):
        for of, holder in (("Model", model), ("Data", data)):
            element = getattr(holder, kind)(key)
            for name, type_ in declared(f"{kind.capitalize()}Of{of}").items():
                assert fits(getattr(element, name), type_), (of, kind, name)


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """The package as it is installed, and the two scripts."""
    folder = tmp_path_factory.mktemp("typed")
    kept = shutil.ignore_patterns("__pycache__", "*.xml", "*.npz", "*.json")
    shutil.copytree(ROOT / "mjenv", folder / "site" / "mjenv", ignore=kept)
    for name in ("engine", "envs", "training"):
        shutil.copytree(ROOT / name, folder / "site" / "mjenv" / name, ignore=kept)
    (folder / "good.py").write_text(GOOD)
    (folder / "bad.py").write_text(START + BAD)
    return folder


def lines(script, errors):
    """Lines of a script that a checker reports, as they are written."""
    text = script.read_text().splitlines()
    return [text[number - 1] for name, number in errors if Path(name).name == script.name]


def pyright(folder):
    """Places of pyright's errors."""
    config = {"extraPaths": ["site"], "include": ["*.py"], "typeCheckingMode": "basic"}
    (folder / "pyrightconfig.json").write_text(json.dumps(config))
    command = [shutil.which("pyright", path=str(Path(sys.executable).parent)) or "pyright"]
    command += ["--outputjson", "--pythonpath", sys.executable, "-p", str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    found = json.loads(run.stdout)["generalDiagnostics"]
    errors = [row for row in found if row["severity"] == "error"]
    return [(row["file"], row["range"]["start"]["line"] + 1) for row in errors]


def mypy(folder):
    """Places of mypy's errors."""
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", "good.py", "bad.py"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=folder / "site")
    rows = [row.split(":") for row in run.stdout.splitlines() if ": error:" in row]
    return [(row[0], int(row[1])) for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize("checker", [pyright, mypy])
def test_checkers_find_what_is_misspelt(scripts, checker):
    present = importlib.util.find_spec(checker.__name__) or (
        (Path(sys.executable).parent / checker.__name__).exists()
    )
    if not present:
        pytest.skip(f"{checker.__name__} is not installed")
    for name in ("good.py", "bad.py"):
        shutil.copy(scripts / name, scripts / "site")
    errors = checker(scripts)
    assert not lines(scripts / "good.py", errors)
    assert dict.fromkeys(lines(scripts / "bad.py", errors)) == dict.fromkeys(BAD.split("\n")[1:-1])
