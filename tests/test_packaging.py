"""The distribution: its package list, what a wheel holds, and who may import whom."""

import ast
import importlib.metadata
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = pytest.importorskip("tomli")

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SETUPTOOLS = PROJECT["tool"]["setuptools"]
FOLDERS = {name: ROOT / folder for name, folder in SETUPTOOLS["package-dir"].items()}


def folder_of(package):
    """The folder of a package, through the longest mapped parent."""
    parts = package.split(".")
    for n in range(len(parts), 0, -1):
        folder = FOLDERS.get(".".join(parts[:n]))
        if folder is not None:
            return folder.joinpath(*parts[n:])
    raise KeyError(package)


def modules():
    """(package, file) of every module of the distribution."""
    for package in SETUPTOOLS["packages"]:
        for file in sorted(folder_of(package).glob("*.py")):
            yield package, file


def imports(package, file):
    """Absolute names of all modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = (
                package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            )
            name = ".".join(start + ([node.module] if node.module else []))
            yield name
            yield from (f"{name}.{alias.name}" for alias in node.names)


def test_every_folder_of_modules_is_a_package():
    """A folder that holds modules is in the list, and the list names no other."""
    found = set()
    for name, folder in FOLDERS.items():
        if name == "mjenv.xml":
            continue
        for file in folder.rglob("*.py"):
            parts = file.relative_to(folder).parts[:-1]
            found.add(".".join((name, *parts)))
    assert found | {"mjenv.xml"} == set(SETUPTOOLS["packages"])


def test_packages_are_regular():
    """Every package has an __init__.py; xml/ has none, for it would hide the standard library's."""
    for package in SETUPTOOLS["packages"]:
        expected = package != "mjenv.xml"
        assert (folder_of(package) / "__init__.py").exists() == expected, package
    assert not list((ROOT / "xml").rglob("*.py"))


def test_no_module_is_named_as_one_of_the_standard_library():
    """At the root and below, as the folders can come to stand on the path."""
    names = {file.stem for _, file in modules()} | {f.name for f in FOLDERS.values()} - {"xml"}
    assert not names & set(sys.stdlib_module_names)


def test_static_tools_see_the_same_packages():
    """.typings/mjenv links every folder that stands beside mjenv's own modules."""
    links = {p.name: p.resolve() for p in (ROOT / ".typings" / "mjenv").iterdir()}
    expected = {
        n.partition(".")[2]: f for n, f in FOLDERS.items() if n not in ("mjenv", "mjenv.xml")
    }
    assert links == expected


def test_mujoco_is_not_imported():
    """MuJoCo is what the tests and benchmarks compare with; nothing else needs it."""
    line = re.compile(r"^\s*(?:from|import)\b.*\b(?:mujoco|dm_control)\b", re.M)
    wrong = [
        file.relative_to(ROOT).as_posix()
        for package, file in modules()
        if package != "mjenv.benchmarks"
        and line.search(file.read_text())  # most have none, and to parse all takes seconds
        and any(
            name.partition(".")[0] in ("mujoco", "dm_control") for name in imports(package, file)
        )
    ]
    assert not wrong
    needed = " ".join(PROJECT["project"]["dependencies"])
    assert "mujoco" not in needed
    assert "torch" not in needed


def test_import_is_light():
    """`import mjenv` brings in nothing that takes long to load."""
    heavy = [
        "numba",
        "llvmlite",
        "pygame",
        "torch",
        "matplotlib",
        "moviepy",
        "mujoco",
        "lxml",
        "PIL",
    ]
    code = f"import mjenv, sys; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_first_step_is_light():
    """The first step of an environment brings in nothing of pictures, or of what numpy has more."""
    heavy = ["numba", "numpy.ma", "scipy", "PIL", "mjenv.render.renderer", "mjenv.visual"]
    code = (
        "import gymnasium, mjenv, sys; env = gymnasium.make('mjenv/HalfCheetah-v5'); env.reset();"
        f"env.step(env.action_space.sample()); print([m for m in {heavy} if m in sys.modules])"
    )
    # the first time kernels may have to be compiled
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
    assert run.stdout.strip() == "[]"


PENDULUM = (
    '<mujoco><worldbody><body pos="0 0 1"><joint type="hinge" axis="0 1 0"/>'
    '<geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.5"/></body></worldbody></mujoco>'
)
# features that a pendulum does not have
ABSENT = (
    "mjcf.assets", "mjcf.flex", "mjcf.parts.sensors", "mjcf.parts.simplify", "mjcf.parts.tendons",
    "mjcf.parts.actuators", "physics.sensors.sleeping", "physics.flex.flex", "run.hook_stages",
    "run.plugin_stages", "run.hook_view", "run.timers", "mjcf.arrays.tendon_paths",
    "mjcf.arrays.transmission", "analysis",
)  # fmt: skip


def test_few_modules_are_imported_for_a_pendulum():
    code = (
        f"import mjenv, sys; model = mjenv.Model.from_xml_string({PENDULUM!r}); "
        "data = mjenv.Data(model); mjenv.step(model, data); "
        "print(*[name for name in sys.modules if name.split('.')[0] == 'mjenv'])"
    )
    # the first time kernels may have to be compiled
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
    names = run.stdout.split()
    absent = tuple(f"mjenv.engine.{name}." for name in ABSENT)
    assert [name for name in names if f"{name}.".startswith(absent)] == []
    assert len(names) < 200


def test_version():
    """The installed version is that of the project file, and the newest of the changelog."""
    version = PROJECT["project"]["version"]
    assert importlib.metadata.version("mjenv") == version
    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text()


def test_the_changelog_is_a_page():
    """What changed before a release is in git; merges may bring such lines back."""
    text = (ROOT / "CHANGELOG.md").read_text()
    found = len(text.splitlines())
    assert found <= 60, (
        f"CHANGELOG.md: found {found} lines, expected at most 60 for a first release; a merge has "
        "brought old ones back: take the file of main (git checkout main CHANGELOG.md), add yours"
    )


def test_every_file_of_data_is_packaged():
    """What lies beside the modules is in the table of data, or an installed mjenv lacks it."""
    found = []
    for package in SETUPTOOLS["packages"]:
        folder = folder_of(package)
        inner = {folder_of(one) for one in SETUPTOOLS["packages"]} - {folder}
        patterns = SETUPTOOLS["package-data"].get(package, [])
        listed = {path for pattern in patterns for path in folder.glob(pattern)}
        for path in folder.rglob("*"):
            hidden = any(part.startswith((".", "__")) for part in path.relative_to(folder).parts)
            if path.is_dir() or path.suffix == ".py" or (hidden and path.suffix != ".pyi"):
                continue
            if not inner & {*path.parents} and path not in listed:
                found.append(path.relative_to(ROOT).as_posix())
    assert not [path for path in found if not path.startswith("benchmarks/")]


@pytest.mark.slow
def test_wheel(tmp_path):
    """A wheel holds every module and every model file, in the place where the code looks for it."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "-w",
        str(tmp_path),
        str(ROOT),
    ]
    subprocess.run(command, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    for package, file in modules():
        assert f"{package.replace('.', '/')}/{file.name}" in held
    for file in (ROOT / "xml").rglob("*.xml"):
        assert f"mjenv/{file.relative_to(ROOT).as_posix()}" in held
    stubs = {"__init__.pyi", "engine/tables/typed_fields.pyi", "engine/tables/enumerations.pyi"}
    assert {"mjenv/py.typed", "mjenv_command.py", *(f"mjenv/{name}" for name in stubs)} <= held
    assert not [name for name in held if name.startswith(("tests", "engine", "envs", "training"))]


@pytest.mark.slow
def test_source_distribution(tmp_path):
    """It holds every file that is tracked, but for those of the repository's own tools."""
    code = f"from setuptools import build_meta; print(build_meta.build_sdist({str(tmp_path)!r}))"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        held = {name.partition("/")[2] for name in file.getnames()}
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode:
        pytest.skip("no repository")
    own = (".", "benchmarks/results")
    missing = [name for name in tracked.stdout.split() if name not in held]
    assert not [name for name in missing if not name.startswith(own)]
    for name in ("CHANGELOG.md", "CITATION.cff", "SECURITY.md", "docs/learning.md", "LICENSE"):
        assert name in held
    assert not [name for name in held if "__pycache__" in name]
