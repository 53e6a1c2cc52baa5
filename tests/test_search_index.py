"""The index of the site's search: entries of fields, weights of names, MuJoCo's names."""

import importlib
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SEPARATOR = '[\\s\\-,:!=\\[\\]()"`/._]+|&[lg]t;'
FIELDS = """
| field | shape | type | meaning |
|---|---|---|---|
| <a id="mjenv.Data.qfrc_bias"></a>`qfrc_bias` | (nworld, nv) | float64 | C(qpos,qvel) |
"""


@pytest.fixture
def search_index(monkeypatch):
    """The module, which is no part of a package."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    return importlib.import_module("search_index")


@pytest.fixture
def entries(search_index, tmp_path):
    """Entries of an index of few pages, most of which speak of data, by their places."""
    docs = [
        {"location": "reference/data.html", "title": "Data and steps", "text": "", "boost": 3},
        {"location": "reference/data.html#mjenv.Data", "title": "mjenv.Data", "text": "<p>N</p>"},
        {"location": "reference/data.html#fields", "title": "Fields", "text": "field shape qpos"},
        {"location": "reference/data.html#mjenv.DataInUse", "title": "mjenv.DataInUse", "text": ""},
        {"location": "reference/data.html#mjenv.step", "title": "mjenv.step", "text": "data"},
        *({"location": f"{i}.html", "title": "A page", "text": "of data"} for i in range(20)),
    ]
    path = tmp_path / "search_index.json"
    path.write_text(json.dumps({"config": {"separator": SEPARATOR}, "docs": docs}))
    mujoco = {"step": ["mj_step"], "Data": ["MjData"]}
    search_index.improve(path, {"reference/data.html": FIELDS}, mujoco)
    index = json.loads(path.read_text())
    assert index["config"] == {"separator": SEPARATOR}
    return {entry["location"]: entry for entry in index["docs"]}


def test_fields_have_entries(entries):
    field = entries["reference/data.html#mjenv.Data.qfrc_bias"]
    assert field["title"] == "Data.qfrc_bias"
    assert field["text"] == "(nworld, nv), float64, C(qpos,qvel)"
    assert entries["reference/data.html#fields"]["text"] == ""


def test_frequent_names_weigh_more(entries):
    """By more than the search takes from a word that many pages have."""
    boost = {place.partition("#")[2]: entry.get("boost") for place, entry in entries.items()}
    assert boost["mjenv.Data"] > 5 * boost["mjenv.DataInUse"] > 0
    assert "boost" not in entries["0.html"]
    assert entries["reference/data.html"]["boost"] == 3


def test_names_of_mujoco(entries, search_index):
    """Functions are in titles; the names of classes would be found by every mj_."""
    step, data = (entries[f"reference/data.html#mjenv.{name}"] for name in ("step", "Data"))
    assert step["title"] == "step (mj_step)"
    assert data["title"] == "Data"
    assert "MjData" in data["text"]
    found = search_index.counterparts(["Data", "Model", "name2id", "step", "jac_site"])
    assert found["jac_site"] == ["mj_jacSite"]
    assert found["Data"] == ["MjData"]
    assert found["mju.mul_quat"] == ["mju_mulQuat"]
