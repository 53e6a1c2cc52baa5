"""The documentation site: it builds strictly, and its links, anchors and search lead somewhere.

Needs the extra `docs`; what its pages say is tested in test_readme.py and test_pages.py.
"""

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytest.importorskip("mkdocs")
pytest.importorskip("material")
pytest.importorskip("mkdocstrings")

ROOT = Path(__file__).resolve().parents[1]


class Links(HTMLParser):
    """What a page links to, and the anchors that it has."""

    def __init__(self):
        super().__init__()
        self.targets, self.anchors = [], set()

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.targets += [named[key] for key in ("href", "src", "poster") if named.get(key)]
        self.anchors |= {named[key] for key in ("id", "name") if named.get(key)}


def read(path):
    """The text of a page."""
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "SITE_URL": "https://example.org/mjenv/"}
    run = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site):
    """Links and anchors of every page, by its path."""
    found = {}
    for path in sorted(site.rglob("*.html")):
        found[path] = Links()
        found[path].feed(path.read_text())
    return found


@pytest.mark.slow
def test_links(site, pages):
    """Every link within the site leads to a file, and to an anchor that is in it."""
    broken = []
    for path, page in pages.items():
        if path.name == "404.html":  # its links are those of the root of a server
            continue
        for target in page.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            goal = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            goal = goal / "index.html" if goal.is_dir() else goal
            fragment = unquote(parts.fragment)
            absent = fragment and goal in pages and fragment not in pages[goal].anchors
            if not goal.is_file() or (absent and fragment != "__skip"):
                broken.append(f"{path.relative_to(site)}: {target}")
    assert len(pages) > 30
    assert not broken


@pytest.mark.slow
def test_former_places(site, pages):
    """Links to sections that have moved to pages of their own lead to where these are named."""
    assert {
        *("what-a-task-may-define", "initial-states", "state-of-a-task", "terrain-and-levels"),
        *("groups-and-goals", "terms-of-robots", "contacts", "robots-to-copy", "real-robots"),
        *("several-agents", "several-tasks-at-once", "compiled-tasks", "worlds-that-differ"),
        *("numbers-that-are-not-finite", "worlds-that-diverge", "stepping-saving-forking"),
    } <= pages[site / "tasks.html"].anchors


@pytest.mark.slow
def test_nothing_is_fetched_from_elsewhere(pages):
    """A page can be read without a network: scripts, styles, fonts and pictures are its own."""
    fetched = []
    for path in pages:
        text = path.read_text()
        fetched += re.findall(
            r"<(?:script|img|video|source|iframe)\b[^>]*\bsrc=\"?(https?:[^\" >]+)", text
        )
        fetched += re.findall(
            r"<link\b[^>]*\brel=\"?stylesheet\"?[^>]*\bhref=\"?(https?:[^\" >]+)", text
        )
    assert not fetched


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("index.html", "mjenv: MuJoCo physics and Gymnasium environments on CPUs"),
        ("tasks.html", "mjenv: Write your own task"),
    ],
)
def test_what_shared_links_show(site, page, title):
    """A title, a sentence and a picture, which is there."""
    found = dict(re.findall(r'<meta property="?og:(\w+)"? content="([^"]*)"', read(site / page)))
    assert found["title"] == title
    assert "thousands of worlds on a CPU" in found["description"]
    assert found["url"] == f"https://example.org/mjenv/{page}"
    picture = found["image"].removeprefix("https://example.org/mjenv/")
    assert (site / picture).is_file()


@pytest.mark.slow
def test_reference(site, pages):
    """Every public name has a place in the reference, with what it says of itself."""
    text = (ROOT / "mjenv" / "__init__.pyi").read_text()
    names = re.findall(r"^from mjenv\.\S+ import (\w+) as \w+$", text, re.MULTILINE)
    anchors = set().union(
        *(p.anchors for path, p in pages.items() if path.parent.name == "reference")
    )
    assert len(names) > 150
    assert not [name for name in names if f"mjenv.{name}" not in anchors]


@pytest.mark.slow
def test_search(site):
    """The index for the search knows guides, functions and messages."""
    index = json.loads((site / "search" / "search_index.json").read_text())
    found = {entry["location"] for entry in index["docs"]}
    assert {"tasks.html", "randomization.html", "reference/data.html#mjenv.step"} <= found


@pytest.mark.slow
def test_search_finds_names_and_words_of_names(site):
    """Names are words between dots and underscores; sources are no results."""
    index = json.loads((site / "search" / "search_index.json").read_text())
    words = re.compile(index["config"]["separator"].replace("&[lg]t;", "[<>]"))
    assert words.split("mjenv.VectorEnv") == ["mjenv", "VectorEnv"]
    assert words.split("mj_step") == ["mj", "step"]
    entries = {entry["location"]: entry for entry in index["docs"]}
    for place in ("environments.html#mjenv.VectorEnv", "pictures.html#mjenv.Renderer"):
        assert entries[f"reference/{place}"]["boost"] > 1
    assert entries["changelog.html"]["boost"] < 1
    assert not [place for place in entries if place.startswith("sources/")]


@pytest.mark.slow
def test_search_finds_fields(site):
    """Each has an entry that leads to its row; MuJoCo's names of functions are in titles."""
    index = json.loads((site / "search" / "search_index.json").read_text())
    entries = {entry["location"]: entry for entry in index["docs"]}
    assert entries["reference/data.html#mjenv.Data.qfrc_bias"]["title"] == "Data.qfrc_bias"
    assert "reference/models.html#mjenv.Model.geom_size" in entries
    assert entries["reference/data.html#mjenv.step"]["title"] == "step (mj_step)"
    assert entries["reference/mju.html#mjenv.mju.mul_quat"]["title"] == "mul_quat (mju_mulQuat)"


@pytest.mark.slow
def test_fields_are_in_the_reference(site, pages):
    """Models and data list theirs with shapes and units, and no members of the package's own."""
    data = (site / "reference" / "data.html").read_text()
    row = data[data.index('id="mjenv.Data.xpos"') :].partition("</tr>")[0]
    assert "(nworld, nbody, 3)" in row
    assert "float64" in row
    assert "origin of the body frame in the world (m)" in row
    assert "nworld: int = 1" in re.sub(r"<[^>]+>", "", data)
    anchors = pages[site / "reference" / "data.html"].anchors
    assert {"mjenv.Data.warning", "mjenv.Data.bind", "mjenv.Contact.dist"} <= anchors
    hidden = ("copy_of_start", "put_back", "connect", "start_again", "take")
    assert not anchors & {f"mjenv.Data.{name}" for name in hidden}
    anchors = pages[site / "reference" / "models.html"].anchors
    fields = ("Model.nq", "Model.geom_size", "Option.timestep", "Visual.global_.fovy")
    assert {f"mjenv.{name}" for name in (*fields, "Statistic.extent")} <= anchors
    assert "_worlds" not in (site / "reference" / "environments.html").read_text()


@pytest.mark.slow
def test_texts_of_results_are_whole(site):
    """What a function returns is one row, however many lines its text has."""
    text = (site / "reference" / "environments.html").read_text()
    step = text[text.index('id="mjenv.VectorEnv.step"') :]
    table = step[step.index("Returns:") : step.index("Raises:")]
    (row,) = re.findall(r"<p>(.*?)</p>", table, re.DOTALL)
    assert row.startswith("observations (num_envs, size)")
    assert row.endswith("the environments that have it.")


@pytest.mark.slow
def test_functions_and_modules(site):
    """A function with the name of its module is a function, and the guides' modules have pages."""
    text = (site / "reference" / "environments.html").read_text()
    heading = text[text.index('id="mjenv.check_task"') :].partition("</h2>")[0]
    assert "doc-symbol-function" in heading
    assert re.sub(r"<[^>]+>", "", heading.partition(">")[2]).split()[0] == "mjenv.check_task"
    for page in ("cluster", "training.train", "training.hyperparameters"):
        assert (site / "reference" / f"{page}.html").is_file()
    assert not list(site.rglob("__pycache__"))


@pytest.mark.slow
def test_environments_have_pages(site, pages):
    """With a film, the spaces and the source; the list of environments leads to them."""
    text = read(site / "environments" / "HalfCheetah-v5.html")
    assert "position of the joint" in text
    assert "media/films/halfcheetah.mp4" in text
    targets = pages[site / "environments.html"].targets
    for name in ("HalfCheetah-v5", "QuadrupedJoystick-v0", "suite-cheetah"):
        assert f"environments/{name}.html" in targets
    assert (
        "../sources/envs/half_cheetah.py.html"
        in pages[site / "environments" / "HalfCheetah-v5.html"].targets
    )


@pytest.mark.slow
def test_the_reference_leads_to_sources(pages, site):
    for page, file in (("data", "engine/data/step.py"), ("mju", "mjenv/mju/__init__.py")):
        targets = pages[site / "reference" / f"{page}.html"].targets
        assert f"../sources/{file}.html" in targets
