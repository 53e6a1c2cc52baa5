"""Words that are not used any more: each has the field's term instead, in code and in prose.

A word that several things had, or that only this project used, comes back easily: whoever copies a
line copies its words. `docs/architecture.md` has the few words of our own that are left.
"""

import functools
import re
from pathlib import Path

import pytest

from tests.kept import of_texts

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("engine", "mjenv", "envs", "training", "tests", "docs", "benchmarks")
# former public names, which work for one more release, and their test
FORMER = {"mjenv/gym/environment_classes.py", "tests/test_renamed.py", "tests/test_words.py"}

# identifier -> the field's term
IDENTIFIERS = {
    "is_scene": "is_large_model",
    "scene_tables": "large_model_tables",
    "fwd_cg_scene": "fwd_cg_islands",
    "find_meetings": "find_midphase_pairs",
    "add_meeting": "add_midphase_pair",
    "touch_tables": "flex_contact_tables",
    "make_room": "reserve_capacity",
    "NROOM": "NCAPACITY",
    "ITEM_DATA": "SUBPROBLEM_DATA",
    "world_problems": "subproblems",
    "newton_parts": "lane_islands",
    "fwd_newton_parts": "fwd_newton_lane_islands",
    "PIECES": "STAGE_FUNCTIONS",
    "run_piece": "run_stage_function",
    "DUTIES": "RUN_CONTEXTS",
    "short_search": "capped_line_search",
    "watched_newton": "instrumented_newton",
    "seen_qpos": "snapshot_qpos",
    "LateFields": "LazyFields",
    "forget_late": "forget_lazy",
    "drag_reference": "set_friction_reference",
    "silence_sleeping": "deactivate_sleeping",
    "keep_still": "freeze_sleeping",
    "lie_down": "enter_sleep",
    "visit_order": "constraint_shuffle",
    "Formulas": "Bytecode",
    "set_formulas": "set_bytecode",
    "SingleLogic": "SingleStepper",
    "Beginning": "ResetContext",
    "LastEpisodes": "FinalStates",
    "UniformStarts": "NoiseReset",
    "rehearse": "dry_run",
    "plain_reason": "compile_error",
    "OneWorld": "SingleWorld",
    "Painter": "RenderThread",
    "ModelSubject": "ModelSimulation",
    "Perceptron": "ManualMLP",
    "FarWorlds": "RemoteWorlds",
    "lay_out_anew": "rebuild",
}
# words of prose -> the field's term
PROSE = {
    r"run as formulas": "run as bytecode",
    r"[Ll]ate fields?": "lazy field",
    r"[Ll]arge scenes?": "large model",
    r"[Ll]a(?:id|y) out anew": "rebuilt",
    r"of_kind\(\"(?:obeyed|laid|locked|idle)\"": "live, rebuilt, readonly, unused",
    r"[Aa]s of `": "see `",
    r"makes? no sense": "is invalid",
}


def _files() -> list[Path]:
    """Code and guides, by their path from the root."""
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    files += [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    found = [path.relative_to(ROOT) for path in files if path.suffix in (".py", ".pyi", ".md")]
    return [path for path in found if path.as_posix() not in FORMER]


def words_in(_: Path, text: str) -> dict[str, list[int]]:
    """Lines of a text that have each word."""
    found: dict[str, list[int]] = {}
    for word in IDENTIFIERS | PROSE:
        # to look for a plain word first is thirty times as fast
        if word in IDENTIFIERS and word not in text:
            continue
        for match in re.finditer(rf"(?<!\w)(?:{word})(?!\w)", text):
            found.setdefault(word, []).append(text.count("\n", 0, match.start()) + 1)
    return found


@functools.cache
def _places() -> dict[str, list[str]]:
    """Files, with lines, that have each word."""
    found: dict[str, list[str]] = {word: [] for word in IDENTIFIERS | PROSE}
    for path, words in of_texts(words_in, ROOT, _files()).items():
        for word, lines in words.items():
            found[word] += [f"{path}:{line}" for line in lines]
    return found


def test_texts_are_found():
    assert len(_files()) > 500


@pytest.mark.parametrize("word", [*IDENTIFIERS, *PROSE])
def test_former_words_are_not_used(word):
    assert not _places()[word], f"the field's term is {(IDENTIFIERS | PROSE)[word]}"


def test_the_glossary_is_short():
    """At most 15 words of our own, each with one sentence and the field's term."""
    page = (ROOT / "docs/architecture.md").read_text()
    rows = re.findall(r"^\| (.+) \| (.+) \| (.+) \|$", page.split("## Glossary")[1], re.M)
    rows = rows[1:]  # below the heads
    assert 10 <= len(rows) <= 15
    assert all(cell.strip() for row in rows for cell in row)
