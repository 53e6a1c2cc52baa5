"""Results of lints that are kept: those of texts, lints and Pythons that are the same."""

import sys
from pathlib import Path

import pytest

from tests import kept

PATHS = Path("a.py"), Path("b.py")


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """Asks a lint for the lengths of two texts, and tells what it was asked about."""
    monkeypatch.setattr(kept, "FOLDER", tmp_path / "lints")
    source, seen = tmp_path / "lint.py", []
    source.write_text("def length(path, text):\n    seen.append(path.name)\n    return len(text)\n")
    names = {"__name__": "lint", "seen": seen}
    exec(compile(source.read_text(), str(source), "exec"), names)
    for path in PATHS:
        (tmp_path / path).write_text("x = 1\n")

    def ask():
        seen.clear()
        found = kept.of_texts(names["length"], tmp_path, PATHS)
        return seen[:], [*found.values()]

    return ask


def test_texts_that_are_the_same_are_not_asked_about(asked):
    assert asked() == (["a.py", "b.py"], [6, 6])
    assert asked() == ([], [6, 6])


def test_a_text_that_has_changed_is_asked_about(asked, tmp_path):
    asked()
    (tmp_path / "b.py").write_text("x = 10\n")
    assert asked() == (["b.py"], [6, 7])
    (tmp_path / "b.py").write_text("x = 1\n")
    assert asked() == (["b.py"], [6, 6])


def test_an_edit_of_the_lint_counts(asked, tmp_path):
    asked()
    with (tmp_path / "lint.py").open("a") as file:
        file.write("# more\n")
    assert asked()[0] == ["a.py", "b.py"]


def test_another_python_counts(asked, monkeypatch):
    asked()
    monkeypatch.setattr(sys, "version", "4")
    assert asked()[0] == ["a.py", "b.py"]


def test_files_that_cannot_be_read_are_made_anew(asked, tmp_path):
    asked()
    (file,) = (tmp_path / "lints").iterdir()
    file.write_text(file.read_text()[:-9])
    assert asked()[0] == ["a.py", "b.py"]
    assert asked()[0] == []
