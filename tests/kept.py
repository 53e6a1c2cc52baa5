"""Results of lints, kept by the texts that they are of: to parse all sources takes seconds.

They lie in the virtual environment, as those of `check_types.py` do. A text that has changed, an
edit of the lint's own file and another Python have them made anew.
"""

import hashlib
import inspect
import json
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

FOLDER = Path(sys.prefix) / "lints"


def of_texts(
    lint: Callable[[Path, str], Any], root: Path, paths: Iterable[Path]
) -> dict[Path, Any]:
    """What a lint finds in each of some files.

    Args:
        lint: of a path below the root and the file's text; what it returns can be written as JSON.
        root: folder that the paths are in.
        paths: of the files.
    """
    own = Path(inspect.getfile(lint)).read_text(encoding="utf-8")
    file = FOLDER / f"{lint.__module__}.{lint.__qualname__}.json"
    kept, found = _read(file), {}
    keys = {}
    for path in paths:
        text = (root / path).read_text(encoding="utf-8")
        whole = "\0".join((sys.version, own, path.as_posix(), text))
        key = keys[path] = hashlib.sha256(whole.encode()).hexdigest()
        found[path] = kept[key] if key in kept else lint(path, text)
    results = {key: found[path] for path, key in keys.items()}
    if results.keys() != kept.keys():
        _write(file, results)
    return found


def _read(file: Path) -> dict[str, Any]:
    """Results by key; none where there is no file, or half of one."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _write(file: Path, results: dict[str, Any]) -> None:
    """Keep results, where the environment can be written; other processes may do the same."""
    with suppress(OSError):
        file.parent.mkdir(exist_ok=True)
        partial = file.with_suffix(f".{os.getpid()}")
        partial.write_text(json.dumps(results), encoding="utf-8")
        partial.replace(file)
