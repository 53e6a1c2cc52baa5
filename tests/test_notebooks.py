"""The notebooks run from top to bottom, and what they keep is small.

Needs the extra `notebooks`, but for what is asked of their files.
"""

import base64
import importlib.util
import json
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
SPEC = importlib.util.spec_from_file_location("notebook", DOCS / "notebook.py")
notebook = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(notebook)

BY_NAME = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def test_there_are_three():
    assert [path.stem for path in NOTEBOOKS] == ["first", "robot", "task"]


@BY_NAME
def test_they_keep_pictures_and_are_small(path):
    assert path.stat().st_size < 500_000
    cells = json.loads(path.read_text())["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output["output_type"] == "error"]
    assert all("execution" not in cell["metadata"] for cell in cells)
    text, pictures = notebook.page(path)
    assert len(pictures) >= 3
    for name, content in pictures.items():
        # with words for those who do not see them
        assert re.search(rf"!\[What the code draws: \w[^\]]+\]\({name}\)", text)
        assert content.startswith((b"\x89PNG", b"GIF8"))
    # printed text and code stand in the page
    assert "```text\n" in text
    assert all("".join(cell["source"]) in text for cell in cells)


@pytest.mark.slow
@BY_NAME
def test_they_run(path):
    pytest.importorskip("stable_baselines3")
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    done = notebook.execute(path)
    notebook.tidy(done)
    drawn = [
        base64.b64decode(data[kind])
        for cell in done.cells
        for output in cell.get("outputs", [])
        for data in [output.get("data", {})]
        for kind in notebook.KEPT
        if kind in data
    ]
    assert len(drawn) == len(notebook.page(path)[1])
    assert all(len(picture) > 1000 for picture in drawn)
