"""Documents read, listed, compiled and written beside MuJoCo."""

from pathlib import Path

import mujoco
import pytest

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
