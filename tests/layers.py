"""Who imports whom, folder by folder: `python -m tests.layers` prints the table.

Floors are listed from the bottom: a folder imports from those before it, also inside functions
and for annotations. Nothing is exempt.
"""

import ast
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from tests.kept import of_texts

ROOT = Path(__file__).resolve().parents[1]
FLOORS = (
    "engine", "engine/tables", "engine/simd", "engine/shapes", "engine/model", "engine/bytecode",
    "engine/physics/smooth", "engine/physics/rays", "engine/physics/capacity.py",
    "engine/mjcf/geometry", "engine/mjcf/text", "engine/mjcf/draft", "engine/mjcf/assets",
    "engine/mjcf/flex",
    "engine/mjcf/arrays", "engine/mjcf/parts", "engine/mjcf/document", "engine/mjcf",
    "engine/physics/integrators", "engine/physics/sleep", "engine/physics/collision",
    "engine/physics/constraint", "engine/physics/flex", "engine/physics/flex_contacts",
    "engine/physics/actuators",
    "engine/physics/solver", "engine/physics/derivative", "engine/physics/inverse.py",
    "engine/physics/results", "engine/physics/sensors", "engine/physics/plugins",
    "engine/pipeline", "engine/run", "engine/data", "engine/direct", "engine/analysis",
    "engine/edit",
    "mjenv/system", "mjenv/contacts.py", "mjenv/task",
    "mjenv/gym/suites.py", "mjenv/gym/registration.py",
    "mjenv/tracing", "mjenv/functions.py",
    "mjenv/rewards.py", "mjenv/terms.py", "mjenv/terrain.py", "mjenv/joystick.py",
    "mjenv/randomization",
    "envs", "envs/suite", "envs/robots", "mjenv/mju",
    "mjenv/visual", "mjenv/render", "mjenv/stepping",
    "mjenv", "mjenv/gym", "mjenv/multi", "mjenv/digests", "mjenv/suite", "mjenv/dm.py",
    "training", "benchmarks",
    "mjenv/worlds.py", "mjenv/rsl.py", "mjenv/skrl.py", "mjenv/torchrl.py", "mjenv/jax.py",
    "mjenv/puffer.py", "benchmarks/learners.py",
    "mjenv/sb3.py", "mjenv/zoo.py", "mjenv/cluster.py",
    "mjenv/recording.py", "mjenv/viewing", "mjenv/viewer.py", "mjenv/mujoco",
    "benchmarks/mujoco_module.py", "benchmarks/mujoco_tasks.py", "benchmarks/client_steps.py",
    "mjenv/porting/symbols", "mjenv/porting/varying", "mjenv/porting/environment",
    "mjenv/porting/stand_ins", "mjenv/porting/control", "mjenv/porting/following",
    "mjenv/porting/running", "mjenv/porting", "mjenv/writing",
    "benchmarks/ports.py", "benchmarks/port_counts.py",
    "mjenv/commands", "mjenv/__main__.py",
)  # fmt: skip


def files() -> list[Path]:
    """The modules of the packages, by their path in the repository."""
    tops = ("mjenv", "engine", "envs", "training", "benchmarks")
    found = (path for top in tops for path in sorted((ROOT / top).rglob("*.py")))
    return [p.relative_to(ROOT) for p in found if not any(q.is_symlink() for q in p.parents)]


def module_of(path: Path) -> str:
    """Dotted name of a module."""
    parts = [*path.with_suffix("").parts]
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(parts if parts[:1] == ["mjenv"] else ["mjenv", *parts])


def folder_of(path: Path) -> str:
    """The floor that a module stands on."""
    for place in (path.as_posix(), *(parent.as_posix() for parent in path.parents)):
        if place in FLOORS:
            return place
    raise LookupError(f"{path}: found no floor; add its folder to FLOORS")


def imported(path: Path, text: str | None = None) -> list[str]:
    """Dotted names that a module imports, also inside functions and for annotations.

    Args:
        path: of the module.
        text: what it says; None for what is in the file.
    """
    if text is None:
        text = (ROOT / path).read_text(encoding="utf-8")
    package = module_of(path) if path.name == "__init__.py" else module_of(path).rpartition(".")[0]

    def visit(node: ast.AST) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                continue
            if isinstance(child, ast.Import):
                yield from (alias.name for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                above = package.split(".")[: len(package.split(".")) - child.level + 1]
                base = ".".join([*(above if child.level else ()), *filter(None, [child.module])])
                yield from (f"{base}.{alias.name}" for alias in child.names)
            yield from visit(child)

    return list(visit(ast.parse(text)))


@cache
def arrows() -> list[tuple[Path, Path]]:
    """Pairs of modules of which the first imports the second."""
    known = {module_of(path): path for path in files()}
    found = []
    for path, names in of_texts(imported, ROOT, known.values()).items():
        for name in names:
            target = known.get(name) or known.get(name.rpartition(".")[0])
            if target is not None and target != path:
                found.append((path, target))
    return list(dict.fromkeys(found))


def upward() -> list[str]:
    """Imports against the order of the floors."""
    place = {floor: k for k, floor in enumerate(FLOORS)}
    return [
        f"{path} -> {target}"
        for path, target in arrows()
        if place[folder_of(path)] < place[folder_of(target)]
    ]


def circles(pairs: Iterable[tuple[Path, Path]]) -> list[list[Path]]:
    """Modules that import one another, directly or through others: the largest circle first.

    Tarjan's algorithm for strongly connected components; what stands alone is left out.
    """
    targets: dict[Path, list[Path]] = {}
    for path, target in pairs:
        targets.setdefault(path, []).append(target)
        targets.setdefault(target, [])
    order: dict[Path, int] = {}
    lowest: dict[Path, int] = {}
    waiting: list[Path] = []
    found: list[list[Path]] = []

    def visit(path: Path) -> None:
        order[path] = lowest[path] = len(order)
        waiting.append(path)
        for target in targets[path]:
            if target not in order:
                visit(target)
            if target in waiting:
                lowest[path] = min(lowest[path], lowest[target])
        if lowest[path] == order[path]:
            start = waiting.index(path)
            found.append(sorted(waiting[start:]))
            del waiting[start:]

    for path in targets:
        if path not in order:
            visit(path)
    return sorted((circle for circle in found if len(circle) > 1), key=len, reverse=True)


def main() -> None:
    """Print each folder with those it imports from, from the top floor to the bottom."""
    below: dict[str, dict[str, int]] = {}
    for path, target in arrows():
        one, other = folder_of(path), folder_of(target)
        if one != other:
            row = below.setdefault(one, {})
            row[other] = row.get(other, 0) + 1
    for floor in reversed(FLOORS):
        row = sorted(below.get(floor, {}).items(), key=lambda item: FLOORS.index(item[0]))
        print(f"{floor:28}", ", ".join(f"{name} {count}" for name, count in row))
    print(f"{len(files())} modules, {len(arrows())} imports, {len(upward())} upward")
    for circle in circles(arrows()):
        print(f"circle of {len(circle)}:", ", ".join(map(str, circle)))


if __name__ == "__main__":
    main()
    sys.exit(bool(upward()))
