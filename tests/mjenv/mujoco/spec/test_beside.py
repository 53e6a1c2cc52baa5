"""Documents read, listed, compiled and written beside MuJoCo."""

from pathlib import Path

import mujoco
import pytest

import mjenv.mujoco as ours
from mjenv.mujoco.spec import MjSpec

from .beside import compiled_apart, specs_apart
from .documents import DOCUMENTS

# macros say in MuJoCo nothing of the lines of what they make, or in other words
LINES = {"soft": ("info",), "replicated": ("info",)}
ROOT = Path(__file__).resolve().parents[4]
MODELS = [
    *("xml/humanoid.xml", "xml/ant.xml", "xml/reacher.xml", "xml/half_cheetah.xml"),
    *("xml/suite/quadruped.xml", "xml/suite/manipulator.xml", "xml/suite/humanoid_CMU.xml"),
    *("xml/suite/swimmer.xml", "xml/suite/dog.xml"),
]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents(name):
    ours, theirs = MjSpec.from_string(DOCUMENTS[name]), mujoco.MjSpec.from_string(DOCUMENTS[name])
    assert specs_apart(ours, theirs, LINES.get(name, ())) == []
    assert compiled_apart(ours, theirs) == []
    assert ours.to_xml() == theirs.to_xml()


@pytest.mark.sweep(1)
@pytest.mark.parametrize("path", MODELS)
def test_models(path):
    file = str(ROOT / path)
    ours, theirs = MjSpec.from_file(file), mujoco.MjSpec.from_file(file)
    assert specs_apart(ours, theirs) == []
    assert compiled_apart(ours, theirs) == []
    assert ours.to_xml() == theirs.to_xml()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_written_text_says_the_same(name):
    """Up to the six digits of numbers in MuJoCo's form."""
    spec = MjSpec.from_string(DOCUMENTS[name])
    text = spec.to_xml()
    again = MjSpec.from_string(text)
    assert again.to_xml() == text


# MuJoCo's copies of a spec lose instances without a name, and end the process
@pytest.mark.parametrize("name", sorted(DOCUMENTS.keys() - {"plugins"}))
def test_copies(name):
    ours, theirs = MjSpec.from_string(DOCUMENTS[name]), mujoco.MjSpec.from_string(DOCUMENTS[name])
    copies = ours.copy(), theirs.copy()
    assert specs_apart(*copies, LINES.get(name, ())) == []
    assert compiled_apart(*copies) == []


GENERATED = """<mujoco><asset><model name="m" file="m.xml"/></asset><worldbody>
<flexcomp name="f" type="grid" count="3 1 1" dim="1" spacing=".1 .1 .1" mass="1" radius=".01"/>
<composite type="cable" prefix="c" count="3 1 1" curve="s" size="1">
<joint kind="main"/><geom type="box" size=".1 .1 .1"/></composite>
<attach model="m" body="x" prefix="p"/>
<frame name="fr"><attach model="m" body="x" prefix="q"/></frame>
<replicate count="2"><body><geom size=".2"/></body></replicate></worldbody></mujoco>"""


def test_where_elements_come_from():
    """What a flexcomp or composite makes has no line, and copies have that of their original."""
    child = b"<mujoco>\n\n<worldbody><body name='x'><geom size='.1'/></body></worldbody></mujoco>"
    found = []
    for module in (ours, mujoco):
        spec = module.MjSpec.from_string(GENERATED, include={"m.xml": child})
        kinds = ("bodies", "geoms", "joints", "flexes", "excludes", "frames")
        found.append([(e.name, e.info) for kind in kinds for e in getattr(spec, kind)])
    assert found[0] == found[1]
