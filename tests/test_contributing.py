"""The guide for contributors names every folder, and files that there are."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
(TREE,) = re.findall(r"^```\n(mjenv/.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE)


def shown() -> list[str]:
    """Folders of the tree, as paths: a line that is indented belongs to the line above it."""
    found, above = [], []
    for line in TREE.splitlines():
        match = re.match(r"( *)([a-z_]+)/ ", line)
        if match is None or len(match[1]) > 4:
            continue
        depth = len(match[1]) // 2
        above = [*above[:depth], match[2]]
        found.append("/".join(above))
    return found


def test_the_tree_is_that_of_the_repository():
    for folder in shown():
        assert (ROOT / folder).is_dir(), folder
    assert len(shown()) > 45


def test_every_package_is_in_the_tree():
    tops = ("mjenv", "engine", "envs", "training", "benchmarks")
    found = [path.parent for top in tops for path in (ROOT / top).rglob("__init__.py")]
    folders = [path.relative_to(ROOT).as_posix() for path in found]
    assert len(folders) > 40
    assert not [folder for folder in folders if folder not in shown() and not inside(folder)]


def inside(path: str) -> bool:
    """Whether the line of the folder above names a folder, as that of `render` does `visual/`."""
    above, _, name = path.rpartition("/")
    line = [x for x in TREE.splitlines() if x.lstrip().startswith(f"{above.rpartition('/')[2]}/ ")]
    return above in shown() and any(f" {name}/" in x for x in line)


@pytest.mark.parametrize("place", sorted(set(re.findall(r"`([\w.]+/[\w./]*)`", GUIDE))))
def test_files_exist(place):
    """Those of the tables, from the root or from the engine."""
    bases = (ROOT, ROOT / "engine", ROOT / "tests")
    assert any((base / place).exists() for base in bases), place


def test_lines_fit_into_a_window():
    """Prose has at most 120 columns; rows of tables cannot be broken."""
    long = [line for line in GUIDE.splitlines() if len(line) > 120 and not line.startswith("|")]
    assert not long
