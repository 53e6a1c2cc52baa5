"""The index of the site's search: every field has an entry, and a name is found before longer ones.

The theme looks for words that begin with what was typed, and rates rare words above frequent ones:
without weights, `Data` leads to `DataInUse`, which few pages have, and to `Data` last.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

BOOST = 3.0  # of the reference, as in its pages' front matter
LARGEST = 40.0
MORE = 1.3  # exponent of a weight: longer names also are rated by the lengths of their titles
NAME = re.compile(r"mjenv\.\w+")
ROW = re.compile(r'^\| <a id="([^"]+)"></a>`[^`]*` \| (.*) \|$', re.MULTILINE)


def improve(path: Path, tables: dict[str, str], mujoco: dict[str, list[str]]) -> None:
    """Rewrite the index.

    Args:
        path: of the index.
        tables: pages' addresses to their tables of fields, in Markdown.
        mujoco: public names to those of MuJoCo that they stand for, `{"step": ["mj_step"]}`.
    """
    index = json.loads(path.read_text(encoding="utf-8"))
    entries = index["docs"]
    for entry in entries:
        if entry["text"].startswith(("field shape", "field number")):
            entry["text"] = ""  # its rows have entries of their own
    for page, table in tables.items():
        entries += (_field(page, *row.groups()) for row in ROW.finditer(table))
    _weigh(entries, re.compile(index["config"]["separator"].replace("&[lg]t;", "[<>]")))
    for entry in entries:
        name = _anchor(entry).removeprefix("mjenv.")
        # "mj_step" would find every "mjenv."; the page stands above the name
        entry["title"] = entry["title"].replace("mjenv.", "") if name else entry["title"]
        if name in mujoco:
            _name(entry, mujoco[name])
    path.write_text(json.dumps(index, separators=(",", ":")), encoding="utf-8")


def _name(entry: dict[str, Any], others: list[str]) -> None:
    """Let names of MuJoCo lead to an entry: those of functions stand in its title."""
    functions = [name for name in others if "_" in name]
    if functions:
        entry["title"] += f" ({', '.join(functions)})"
    entry["text"] += f"<p>In MuJoCo: {', '.join(others)}</p>"


def _field(page: str, anchor: str, cells: str) -> dict[str, Any]:
    """The entry of a field, from its row in a table."""
    text = ", ".join(filter(None, (cell.strip() for cell in cells.replace("`", "").split(" | "))))
    return {"location": f"{page}#{anchor}", "title": anchor, "text": text, "boost": BOOST}


def _weigh(entries: list[dict[str, Any]], separator: re.Pattern[str]) -> None:
    """Weigh public names and fields by how many entries have their words.

    The search multiplies matches by the words' inverse document frequency; the weight of a name
    takes that of its rarest word out again.
    """
    words = [_words(separator, entry["title"], entry["text"]) for entry in entries]
    count = Counter(word for found in words for word in found)
    for entry in entries:
        name = _anchor(entry)
        if NAME.fullmatch(name) or entry["title"] == name:
            own = _words(separator, name.rpartition(".")[2])
            rarest = min(count[word] for word in own)
            weight = _frequency(1, len(entries)) / _frequency(rarest, len(entries))
            entry["boost"] = round(min(BOOST * weight**MORE, LARGEST), 2)


def _anchor(entry: dict[str, Any]) -> str:
    return entry["location"].partition("#")[2]


def _words(separator: re.Pattern[str], *texts: str) -> set[str]:
    plain = re.sub(r"<[^>]+>", " ", " ".join(texts)).lower()
    return {word for word in separator.split(plain) if word}


def _frequency(count: int, total: int) -> float:
    """Inverse document frequency of a word, as the search (lunr) computes it."""
    return math.log(1 + abs((total - count + 0.5) / (count + 0.5)))


def counterparts(names: Iterable[str]) -> dict[str, list[str]]:
    """Functions and classes of MuJoCo's bindings that public names stand for."""
    from mjenv import mujoco
    from mjenv.ported import counterpart

    known = sorted(names)
    found: dict[str, list[str]] = {}
    for name in dir(mujoco):
        if re.match(r"mj[ud]?_[a-z]|Mj(Model|Data|Spec)$", name):
            own = counterpart(name, known)
            if own is not None and own != name:
                found.setdefault(own, []).append(name)
    return found
