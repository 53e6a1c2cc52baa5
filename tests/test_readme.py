"""The README and the guides: their examples run, in order, and what they link to exists."""

import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()


PAGES = [
    "README.md",
    "docs/index.md",
    "docs/start.md",
    "docs/concepts.md",
    "docs/models.md",
    "docs/analysis.md",
    "docs/plugins.md",
    "docs/mujoco.md",
    "docs/mujoco-module.md",
    "docs/port.md",
    "docs/tasks.md",
    "docs/task-reference.md",
    "docs/robots.md",
    "docs/several-tasks.md",
    "docs/vector.md",
    "docs/suite.md",
    "docs/randomization.md",
    "docs/pictures.md",
    "docs/coming.md",
    "docs/questions.md",
    "docs/messages.md",
]
WITHOUT_EXAMPLES = [
    "docs/architecture.md",  # quotes the source, see test_architecture.py
    "docs/gallery.md",
    "docs/features.md",
    "docs/benchmarks.md",
    "docs/curves.md",
    "docs/platforms.md",
    "docs/cluster.md",  # they need Ray
    "CONTRIBUTING.md",
    "CHANGELOG.md",
]


def blocks(language, page="README.md"):
    """The code blocks of a language."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", (ROOT / page).read_text(), re.S | re.M)
    return [text for name, text in found if name == language]


# whose examples are compiled anew every time
SLOW = pytest.param("docs/plugins.md", marks=pytest.mark.slow)
EXAMPLES = [SLOW if page == "docs/plugins.md" else page for page in PAGES]


@pytest.mark.sweep(6)
@pytest.mark.usefixtures("own_resources")
@pytest.mark.parametrize("page", [*EXAMPLES, "docs/learning.md"])
def test_examples(page, tmp_path, monkeypatch):
    """Every Python block, each in the names of those before it, beside the model files."""
    if page == "docs/learning.md":
        pytest.importorskip("stable_baselines3")
    monkeypatch.chdir(tmp_path)
    for text in blocks("xml", page):
        name = re.match(r"<!-- (\S+) -->", text)[1]
        (tmp_path / name).write_text(text)
    names = {"__name__": "__main__"}
    examples = blocks("python", page)
    assert len(examples) >= (1 if page == "docs/index.md" else 3)
    for example in examples:
        exec(compile(example, page, "exec"), names)


@pytest.mark.parametrize("page", [*PAGES, *WITHOUT_EXAMPLES, "docs/learning.md"])
def test_links(page):
    """Pictures and pages that lie in the repository are there."""
    for target in re.findall(r"\]\(([^)#]+)\)", (ROOT / page).read_text()):
        if "://" not in target:
            assert ((ROOT / page).parent / target).exists(), target


@pytest.mark.parametrize("page", ["docs/learning.md", "docs/pictures.md", "docs/cluster.md"])
def test_commands_of_guides_are_right(page):
    """What a guide shows is parsed, and its values are read."""
    from mjenv.commands.cli import parser
    from mjenv.commands.options import env_kwargs
    from mjenv.randomization.literals import read_pairs

    lines = [line for text in blocks("sh", page) for line in text.splitlines()]
    assert len(lines) >= 4
    for line in lines:
        arguments = parser().parse_args(shlex.split(line)[1:])
        settings = getattr(arguments, "hyperparameters", ())
        read_pairs("--hyperparameters", [word for word in settings if not word.endswith(".json")])
        makes_worlds = hasattr(arguments, "randomization")
        if makes_worlds and not (arguments.randomization or "").startswith("swing:"):
            env_kwargs(arguments)


def test_commands_exist():
    """Commands that the README and the start show are commands, and targets are targets."""
    from mjenv.commands.cli import COMMANDS, parser

    listed = set(re.findall(r"^mjenv (\w+)", "".join(blocks("", "docs/start.md")), re.M))
    assert listed >= {command.name for command in COMMANDS}
    shown = listed | set(re.findall(r"\bmjenv (\w+)", "".join(blocks("sh")), re.M))
    shown |= set(re.findall(r"`mjenv (\w+)", README))
    usage = parser().format_help()
    assert not [name for name in shown if not re.search(rf"^    {name}\b", usage, re.M)]
    makefile = (ROOT / "Makefile").read_text()
    for page in (README, (ROOT / "CONTRIBUTING.md").read_text()):
        for target in re.findall(r"^make (\w+)", page, re.M):
            assert re.search(rf"^{target}:", makefile, re.M), target


def test_the_readme_begins_with_code():
    """A reader sees a program on the first screen, and no line runs out of a window."""
    lines = README.splitlines()
    assert len(lines) <= 120
    assert not [line for line in lines if len(line) > 120]
    assert lines.index("```python") < lines.index("```", lines.index("```python")) < 20


def test_figures_of_the_start_page_stand_elsewhere():
    """With what they were measured on."""
    start = (ROOT / "docs/index.md").read_text()
    pages = {name: (ROOT / f"docs/{name}.md").read_text() for name in ("benchmarks", "curves")}
    for page, row in (
        ("benchmarks", "HalfCheetah-v5 | 526 k | 40.9 k | 12.9 |"),
        ("benchmarks", "half_cheetah | 2.89 M | 367 k | 361 k | 8.0 |"),
        ("curves", "HalfCheetah-v5 | -270 ± 80 | 9,786 ± 541 | 16.01 M | 3.1 |"),
    ):
        assert row in pages[page]
    assert "12.5 kB" in pages["benchmarks"]
    for figure in ("526 k", "12.9 times", "2.89 M", "8.0 times", "9,786", "3.1 minutes", "12.5 kB"):
        assert figure in start


def test_figures_of_the_readme_are_those_of_the_benchmarks():
    """Every number of its table of speed stands in a row of the page, of the same subject."""
    page = (ROOT / "docs/benchmarks.md").read_text()
    row = r"^\| ([\w-]+(?: \(\w+\))?), .* \| (\S+ [kM]) \| (\S+ [kM]), .*\| (\S+) \|$"
    rows = re.findall(row, README, re.M)
    assert len(rows) == 5
    lines = [line.strip("| ").split(" | ") for line in page.splitlines()]
    for subject, *figures in rows:
        assert any(line[0] == subject and set(figures) <= set(line) for line in lines), subject
