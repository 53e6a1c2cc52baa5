"""The page on the architecture says what is in the repository."""

import inspect
import re
from pathlib import Path

import mjenv
from mjenv.engine.physics.collision import primitives
from mjenv.engine.pipeline import forward

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs/architecture.md").read_text()
FOLDERS = ("engine", "mjenv", "envs", "xml", "training", "tests")


def test_the_kernel_is_the_one_in_the_source():
    assert f"```python\n{inspect.getsource(primitives.plane_point)}```" in TEXT


def test_the_row_is_in_the_pipeline():
    row = re.search(r"^Stage\(.*\)$", TEXT, re.M)[0]
    assert row in inspect.getsource(forward)


def test_all_files_exist():
    quoted = re.findall(r"`([\w/]+(?:\.py|/))`", TEXT)
    whole = [path for path in quoted if path.startswith(FOLDERS)]
    assert len(whole) > 20
    missing = [path for path in whole if not (ROOT / path).exists()]
    assert not missing
    # those of a folder that the sentence has named
    for name in set(quoted) - set(whole):
        found = [*ROOT.glob(f"engine/{name}"), *ROOT.glob(f"*/**/{name}")]
        assert found, name


def test_all_folders_of_the_engine_are_described():
    folders = {p.name for p in (ROOT / "engine").iterdir() if (p / "__init__.py").exists()}
    table = TEXT[TEXT.index("## The folders") : TEXT.index("## One kernel")]
    assert not {f for f in folders - {"shapes"} if f"`engine/{f}/`" not in table}


def test_functions_exist():
    assert callable(mjenv.profile)
    assert callable(mjenv.kinematics)


def test_the_example_runs():
    (example,) = re.findall(r"^```python\n(import .*?)^```$", TEXT, re.M | re.S)
    found = {}
    exec(example, found)
    assert len(found["dist"]) > 0  # of a contact


def test_lines_fit_into_a_window():
    """Prose has at most 120 columns; rows of tables cannot be broken."""
    assert not [line for line in TEXT.splitlines() if len(line) > 120 and line[:1] != "|"]


def test_the_glossary_is_short():
    rows = TEXT[TEXT.index("## Glossary") :].split("|---|---|---|\n")[1].strip().splitlines()
    assert len(rows) <= 15
