"""What the documentation site has besides the pages of this folder.

The reference is written from docstrings, a page for each chapter of CHAPTERS; the changelog
comes from the root of the repository; notebooks become pages with what they print
and draw; environments, commands and the tables of lists.py come from the code, and each
environment has a page; a file of the repository that a page links to becomes a page of its own;
the search knows every field.
`mkdocs.yml` names this module.
"""

import inspect
import os
import re
import shutil
from pathlib import Path, PurePosixPath

import environment_pages  # stands beside this file
import fields
import lists
import notebook
import search_index
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
STAGE = ROOT / "build" / "docs" / "mjenv"  # the package, with the folders that are packages in it
FOLDERS = ("benchmarks", "engine", "envs", "training")

# pages of the reference: title, and where the public names come from that stand in it; where two
# pages have a module, it stands in that with the longer name
CHAPTERS = {
    "environments": (
        "Environments and tasks",
        ("gym", "multi", "task", "porting", "stepping.finite"),
    ),
    "randomization": ("Randomization", ("randomization",)),
    "models": (
        "Models",
        ("engine.model", "engine.edit", "engine.mjcf", "engine.errors"),
    ),
    "data": ("Data and steps", ("engine.data",)),
    "analysis": ("Analysis", ("engine.analysis",)),
    "extensions": (
        "Hooks, kernels, plugins",
        (
            "engine.run",
            "engine.data.set_hook",
            "engine.simd",
            "engine.tables.plugin_kinds",
            "engine.model.plugin_config",
            "engine.resources",
        ),
    ),
    "pictures": ("Pictures", ("render", "visual")),
    "enumerations": ("Enumerations", ("engine.tables.enumerations",)),
}
# modules that are imported by their own names
MODULES = (
    "mjenv.terms",
    "mjenv.autograd",
    "mjenv.contacts",
    "mjenv.rewards",
    "mjenv.terrain",
    "mjenv.joystick",
    "mjenv.functions",
    "mjenv.mju",
    "mjenv.recording",
    "mjenv.viewer",
    "mjenv.sb3",
    "mjenv.zoo",
    "mjenv.dm",
    "mjenv.suite",
    "mjenv.cluster",
    "mjenv.training.train",
    "mjenv.training.hyperparameters",
)
# pages that are files of the root
PAGES = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
# members that only the package itself calls
INTERNAL = {
    "Data": (
        *("take", "reset_state", "place_mocap", "of_worlds", "change_hooks", "connect"),
        *("copy_of_state", "copy_of_start", "start_again", "put_back", "wrench_in_use"),
    ),
    "Model": ("resize",),
}
# tables of fields that stand below a class
FIELDS = {"Data": fields.data, "Model": fields.model}
# what pages begin with that the search passes over, finds first, and finds last
UNSEARCHED = "---\nsearch:\n  exclude: true\n---\n\n"
FIRST = "---\nsearch:\n  boost: 3\n---\n\n"
LAST = "---\nsearch:\n  boost: 0.3\n---\n\n"
# what tables of the code replace in pages
LISTS = {"<!-- sensors -->": lists.sensors, "<!-- elements -->": lists.elements}
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)]*)?\))")
LANGUAGES = {".py": "python", ".txt": "text", ".xml": "xml", ".toml": "toml"}


def on_startup(command: str, dirty: bool) -> None:
    """Lay out the package for those who read it; they look for its folder as soon as they start."""
    shutil.rmtree(STAGE, ignore_errors=True)
    for folder, package in (("mjenv", "."), *((name, name) for name in FOLDERS)):
        ignored = shutil.ignore_patterns("__pycache__", "*.npz")
        shutil.copytree(ROOT / folder, STAGE / package, ignore=ignored, dirs_exist_ok=True)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Let the reference stand in the menu."""
    chapters = [{title: f"reference/{name}.md"} for name, (title, _) in CHAPTERS.items()]
    modules = [{name: f"reference/{name.partition('.')[2]}.md"} for name in MODULES]
    config.nav += [
        {"Reference": chapters + modules},
        *(
            {name: page}
            for name, page in (("Changelog", "changelog.md"), ("Contributing", "contributing.md"))
        ),
    ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are written here."""
    for name, content in {**generated(), **notebooks()}.items():
        files.append(File.generated(config, name, content=content))
    for name, content in environment_pages.pages().items():
        page = File.generated(config, name, content=content)
        page.inclusion = InclusionLevel.NOT_IN_NAV  # environments.md lists them
        files.append(page)
    for path in sorted(linked(files)):
        content = f"{UNSEARCHED}# {path}\n\n{fenced(path, (ROOT / path).read_text())}"
        page = File.generated(config, source_page(path), content=content)
        page.inclusion = InclusionLevel.NOT_IN_NAV
        files.append(page)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links to files of the repository lead to their pages."""
    here = folder_of(page.file.src_uri)
    for sign, table in LISTS.items():
        if sign in markdown:
            markdown = markdown.replace(sign, table())

    def led(match: re.Match) -> str:
        target = place(here, match[2])
        if target is None:
            return match[0]
        page_of_it = os.path.relpath(page_of(target), PurePosixPath(page.file.src_uri).parent)
        return match[1] + page_of_it + match[3]

    return LINK.sub(led, markdown)


@event_priority(-100)  # after the search has written it
def on_post_build(config: MkDocsConfig) -> None:
    """Let the search find fields, and names before longer ones."""
    tables = {"reference/data.html": fields.data(), "reference/models.html": fields.model()}
    mujoco = search_index.counterparts(public_names())
    search_index.improve(Path(config.site_dir, "search", "search_index.json"), tables, mujoco)


# ---------------------------------------------------------------- pages


def generated() -> dict[str, str]:
    """Texts of the pages that are written here, by their names."""
    found = {page: LAST + (ROOT / name).read_text() for name, page in PAGES.items()}
    found |= {"environments.md": lists.environments(), "commands.md": lists.commands()}
    names = public_names()
    for chapter, (title, _) in CHAPTERS.items():
        held = [name for name in names if chapter_of(names[name]) == chapter]
        found[f"reference/{chapter}.md"] = f"{FIRST}# {title}\n\n" + "".join(map(entry, held))
    found["reference/enumerations.md"] += lists.enumerations()
    for module in MODULES:
        options = "    options:\n      show_root_heading: false\n      show_root_toc_entry: false\n"
        text = f"{FIRST}# {module}\n\n{source_link(module)}\n\n::: {module}\n{options}"
        found[f"reference/{module.partition('.')[2]}.md"] = text
    homeless = [name for name in names if chapter_of(names[name]) is None]
    if homeless:
        raise ValueError(f"docs/hooks.py: no chapter has {homeless}; add their modules to CHAPTERS")
    return found


def entry(name: str) -> str:
    """What stands for a public name."""
    hidden = ", ".join(f'"!^{member}$"' for member in INTERNAL.get(name, ()))
    options = f'    options:\n      filters: ["!^_", {hidden}]\n' if hidden else ""
    table = FIELDS[name]() if name in FIELDS else ""
    return f"::: mjenv.{name}\n{options}\n{source_link(name)}\n\n{table}"


def source_link(name: str) -> str:
    """A link to the file that has a public name, or that of a module."""
    import mjenv

    if name in MODULES:
        path = module_file(name)
    else:
        try:
            path = Path(inspect.getsourcefile(getattr(mjenv, name)) or "").resolve()
        except TypeError:
            return ""  # a constant
    if not path.is_relative_to(ROOT):
        return ""  # a class that is made when it is asked for
    file = path.relative_to(ROOT).as_posix()
    return f"Source: [{file}](../../{file})"


def module_file(module: str) -> Path:
    """The file of a module of the package."""
    parts = module.split(".")[1:]
    folder = ROOT if parts[0] in FOLDERS else ROOT / "mjenv"
    path = folder.joinpath(*parts)
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def notebooks() -> dict[str, str | bytes]:
    """Pages of the notebooks, and their pictures."""
    found: dict[str, str | bytes] = {}
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        text, pictures = notebook.page(path)
        found[f"notebooks/{path.stem}.md"] = text
        found |= {f"notebooks/{name}": content for name, content in pictures.items()}
    return found


def public_names() -> dict[str, str]:
    """Public names with the modules that they come from, in the order of __init__.pyi."""
    text = (ROOT / "mjenv" / "__init__.pyi").read_text()
    found = re.findall(r"^from mjenv\.(\S+) import (\w+) as \w+$", text, re.MULTILINE)
    return {name: module for module, name in found}


def chapter_of(module: str) -> str | None:
    """The chapter that has the names of a module."""
    found = [
        (len(own), chapter)
        for chapter, (_, modules) in CHAPTERS.items()
        for own in modules
        if f"{module}.".startswith(f"{own}.")
    ]
    return max(found, default=(0, None))[1]


# ---------------------------------------------------------------- links


def folder_of(page: str) -> PurePosixPath:
    """Where the file of a page lies in the repository, by the page's name."""
    return PurePosixPath("." if page in PAGES.values() else "docs") / PurePosixPath(page).parent


def place(here: PurePosixPath, target: str) -> PurePosixPath | None:
    """A file of the repository that a link leads to; None for other sites."""
    if "://" in target or target.startswith("mailto:"):
        return None
    path = PurePosixPath(os.path.normpath(here / target))
    return path if (ROOT / path).is_file() else None


def page_of(path: PurePosixPath) -> str:
    """What shows a file of the repository."""
    if path.as_posix() in PAGES:
        return PAGES[path.as_posix()]
    if path.parts[0] == "docs" and path.suffix != ".py":
        return path.relative_to("docs").as_posix()
    return source_page(path)


def source_page(path: PurePosixPath) -> str:
    """Name of the page of a file that is shown as it is."""
    return f"sources/{path}.md"


def linked(files: Files) -> set[PurePosixPath]:
    """Files of the repository that pages link to and that are no pages themselves."""
    found = set()
    for file in files.documentation_pages():
        here = folder_of(file.src_uri)
        for _, target, _ in LINK.findall(file.content_string):
            path = place(here, target)
            if path is not None and page_of(path) == source_page(path):
                found.add(path)
    return found


def fenced(path: PurePosixPath, text: str) -> str:
    """A file as a block of code."""
    return f"````{LANGUAGES.get(path.suffix, 'text')}\n{text}````\n"
