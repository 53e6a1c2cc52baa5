"""Types of what has changed: `python -m tests.check_types` asks pyright what may be answered anew.

Pyright's answer for a module follows from the module, from those that it imports, directly or
through others, from the settings, and from the installed packages. A key of all these is kept, in
the virtual environment, for each module without errors: whose key is there is not checked again.
"""

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path

from tests.layers import ROOT, imported, module_of

CHECKED = ("mjenv", "mjenv_command.py", "engine", "envs", "training")  # as pyproject.toml says
KEPT = Path(sys.prefix) / "types.json"


def sources() -> list[Path]:
    """Modules and stubs that pyright checks, by their path in the repository."""
    found = [ROOT / top for top in CHECKED if top.endswith(".py")]
    for top in CHECKED:
        found += [*(ROOT / top).rglob("*.py"), *(ROOT / top).rglob("*.pyi")]
    return sorted(
        path.relative_to(ROOT) for path in found if not any(x.is_symlink() for x in path.parents)
    )


def digest(*parts: str) -> str:
    """A hash of texts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def surroundings() -> str:
    """A hash of the settings and the installed packages."""
    packages = (f"{d.name} {d.version}" for d in metadata.distributions())
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return digest(settings, sys.version, *sorted(set(packages)))


def targets(names: Mapping[Path, Iterable[str]]) -> dict[Path, set[Path]]:
    """The modules and stubs that each imports, itself among them.

    Args:
        names: dotted names that each imports.
    """
    known: dict[str, set[Path]] = {}
    for path in names:
        known.setdefault(module_of(path), set()).add(path)
    found = {path: set(known[module_of(path)]) for path in names}
    for path, those in names.items():
        for name in those:
            found[path] |= known.get(name) or known.get(name.rpartition(".")[0]) or set()
    return found


def keys(
    hashes: Mapping[Path, str], arrows: Mapping[Path, Iterable[Path]], around: str
) -> dict[Path, str]:
    """A key for each module, of everything that pyright's answer follows from.

    Args:
        hashes: of the text of each.
        arrows: the modules that each imports.
        around: hash of settings and packages.
    """
    found = {}
    for path in hashes:
        reached, waiting = {path}, [path]
        while waiting:
            new = set(arrows[waiting.pop()]) - reached
            reached |= new
            waiting += new
        texts = (f"{other} {hashes[other]}" for other in sorted(reached))
        found[path] = digest(around, str(path), *texts)
    return found


def main() -> int:
    """Check what has changed; the exit status is pyright's."""
    hashes = {path: digest((ROOT / path).read_text(encoding="utf-8")) for path in sources()}
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {"imports": {}, "keys": []}
    # names that a text imports are kept by its hash: to parse all of them takes seconds
    names = {}
    for path, text in hashes.items():
        names[path] = kept["imports"].get(f"{path} {text}") or imported(path)
    all_keys = keys(hashes, targets(names), surroundings())
    changed = [path for path, key in all_keys.items() if key not in set(kept["keys"])]
    print(f"pyright: {len(changed)} of {len(hashes)} modules, or what they import, have changed")
    status = 0
    if changed:
        pyright = shutil.which("pyright", path=str(Path(sys.executable).parent)) or "pyright"
        command = [pyright, "--pythonpath", sys.executable]
        status = subprocess.run([*command, *map(str, changed)], cwd=ROOT).returncode
        # asked for a few modules alone, it may not find the names of the package
        if status and len(changed) < len(hashes):
            print("pyright: errors, which all modules together have to show")
            status = subprocess.run([*command, *map(str, hashes)], cwd=ROOT).returncode
    if not status:
        imports = {f"{path} {hashes[path]}": those for path, those in names.items()}
        KEPT.write_text(json.dumps({"imports": imports, "keys": sorted(all_keys.values())}))
    return status


if __name__ == "__main__":
    sys.exit(main())
