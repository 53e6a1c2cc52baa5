"""`mjenv port ID --write FILE`: an environment for `mujoco` as a task of mjenv, to be kept."""

import ast
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mjenv.porting.environment.original import Original
from mjenv.writing.arrays import OURS
from mjenv.writing.comparing import compared
from mjenv.writing.followed import Followed, follow_source
from mjenv.writing.functions import Functions
from mjenv.writing.layout import WIDTH, statement
from mjenv.writing.models import model_beside, sources_noted
from mjenv.writing.physics import kept_of
from mjenv.writing.values import attribute, called, literal, name, plain

# what a task can read without asking for it
_THERE = frozenset((
    "qpos", "qvel", "act", "time", "ctrl", "sensordata", "mocap_pos", "mocap_quat", "userdata",
    "qfrc_applied", "xfrc_applied", "eq_active",
))  # fmt: skip


class Written(NamedTuple):
    """A task that was written.

    Attributes:
        file: with its class.
        model: the file of the model beside it, or the package's.
        lines: of the file.
        steps: that were compared with the port and the environment, for each of the seeds.
        seeds: as many.
        largest: the largest difference, relative where numbers are above 1.
        compiled: why its functions are not compiled; None if they are.
        one_sided: lines of choices by `np.where` of which the comparison took one side alone.
        left_out: infos that are no numbers.
        id: what the task is registered as.
    """

    file: Path
    model: str
    lines: int
    steps: int
    seeds: int
    largest: float
    compiled: str | None
    one_sided: tuple[int, ...]
    left_out: tuple[str, ...]
    id: str

    def __str__(self) -> str:
        equal = "equal" if not self.largest else f"equal but for rounding, {self.largest:.0e}"
        how = "compiled" if self.compiled is None else f"numpy: {self.compiled}"
        found = [f"{self.file}: {self.lines} lines, {self.id}, model {self.model}",
                 f"  compared with the port and the environment: {equal}, {self.seeds} seeds, "
                 f"{self.steps} steps", f"  its functions: {how}"]  # fmt: skip
        if self.one_sided:
            lines = ", ".join(str(line) for line in self.one_sided)
            found.append(f"  not compared: what no world chose in np.where of lines {lines}")
        if self.left_out:
            found.append(f"  infos left out, as they are no numbers: {', '.join(self.left_out)}")
        return "\n".join(found)


def write(target: Any, file: str | Path, seeds: int = 3, steps: int = 20, **kwargs: Any) -> Written:
    """Write an environment that was made for `mujoco` as a task of mjenv.

    The file is imported and compared with the port and with the environment itself before it is
    kept: observations, rewards, ends of episodes, and infos that are numbers.

    Args:
        target: see `mjenv.port`.
        file: the Python file; a model goes beside it unless it needs more files of its package.
        seeds: of the comparison.
        steps: for each of them.
        **kwargs: what the environment is made with.

    Returns:
        What was written.

    Raises:
        NotWritten: a part of the environment cannot be written, with its line; or what was
            written differs. Nothing is left then.
        FileExistsError: there is such a file.
    """
    # where it goes
    path = Path(file)
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise ValueError(f"{path}: found no name of a module, expected one like tasks.py")
    with sources_noted() as sources:
        original = Original(target, kwargs)
    model, text = model_beside(original, sources, path)
    beside = path.parent / model
    for one in (path, beside) if text is not None else (path,):
        if one.exists():
            raise FileExistsError(f"{one}: found a file, expected none; remove it, or name another")
    # written, and kept if it is the same
    followed = follow_source(original)
    functions = Functions(followed)
    id, source = _source(followed, functions, model)
    single = np.asarray(plain(followed.results[1])).dtype == np.float32
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.write_text(source, encoding="utf-8")
        if text is not None:
            beside.write_text(text, encoding="utf-8")
        found = compared(
            target, kwargs, path, class_name(original), original.limit, single, seeds, steps
        )
    except BaseException:
        path.unlink(missing_ok=True)
        if text is not None:
            beside.unlink(missing_ok=True)
        raise
    return Written(path, model, len(source.splitlines()), steps, seeds, found.largest,
                   found.not_compiled, found.one_sided, tuple(functions.left_out),
                   id)  # fmt: skip


def class_name(original: Original) -> str:
    """The name of the task's class: that of the environment's, without Env."""
    word = type(original.inner).__name__
    return word.removesuffix("Env").lstrip("_") or word


def _source(followed: Followed, functions: Functions, model: str) -> tuple[str, str]:
    """Text of the file."""
    original, t = followed.original, followed.step
    inner = original.inner
    word = class_name(original)
    # names that the functions mention
    nodes: list[ast.AST] = [*functions.nodes, *followed.reset.drawn.values()]
    mentioned = {n.id for one in nodes for n in ast.walk(one) if isinstance(n, ast.Name)}
    attributes = {n.attr for one in nodes for n in ast.walk(one) if isinstance(n, ast.Attribute)
                  and isinstance(n.value, ast.Name) and n.value.id == "self"}  # fmt: skip
    # what is imported, and constants
    where = f"{type(inner).__module__}.{type(inner).__name__}"
    told_by = "Written by `mjenv port` after"
    whole = f"{told_by} {where}."
    lines = [f'"""{word}, as a task of mjenv.', ""]
    lines += [whole] if len(whole) <= WIDTH else [told_by, f"{where}."]
    lines += ['"""', ""]
    if "np" in mentioned:
        lines += ["import numpy as np", ""]
    lines.append("import mjenv")
    ours = sorted(set(OURS) & mentioned)
    if ours:
        lines.append(f"from mjenv.functions import {', '.join(ours)}")
    if "flat" in mentioned:
        lines.append("from mjenv.task.task import flat")
    constants = {**t.constants, **followed.reset.constants}
    told = [f"{n} = {_written(v)}" for n, v in constants.items() if n in mentioned]
    lines += ["", *told] if told else []
    # the class and its parameters
    lines += ["", "", f"class {word}(mjenv.Task):"]
    lines += [f'    """The task of {original.name}."""', ""]
    lines.append(f"    xml_file = {_written(model)}")
    lines.append(f"    frame_skip = {t.physics.nstep}")
    camera = vars(inner).get("mujoco_renderer")
    config = getattr(camera, "default_cam_config", None)
    if isinstance(config, dict) and config:
        lines += statement(_assigned("default_camera_config", _camera(config)), 4)
    kept = sorted({w for one in nodes for w in kept_of(one)} - _THERE)
    if kept:
        lines += statement(_assigned("keep", tuple(kept)), 4)
    if functions.varies:
        lines += statement(_assigned("varies", functions.varies), 4)
    if functions.groups:
        lines += statement(_assigned("groups", functions.groups), 4)
    if functions.limits is not None:
        lines += statement(_assigned("action_limits", functions.limits), 4)
    if functions.state:
        state = {n: v.item() if not v.ndim else v for n, v in functions.state.items()}
        lines += statement(_assigned("state", state), 4)
    settled = {**followed.reset.settled, **t.settled}
    parameters = {n: v for n, v in settled.items() if n in attributes}
    order = _order(inner)
    lines += [""] if parameters else []
    for one in sorted(parameters, key=lambda n: order.get(n, len(order))):
        lines += statement(_assigned(one, parameters[one]), 4)
    # methods, functions that draw, and the name of the environment
    lines += functions.lines
    for function in followed.reset.drawn.values():
        lines += ["", "", *statement(function, 0)]
    given = original.name.rpartition("/")[2]
    id = f"mine/{given if '-v' in given else f'{word}-v0'}"
    limit = original.limit
    options = {"max_episode_steps": literal(limit)} if limit else {}
    function = attribute(name("mjenv"), "register")
    registered = ast.Expr(called(function, literal(id), name(word), **options))
    lines += ["", "", *statement(registered, 0), ""]
    return id, "\n".join(lines)


def _assigned(word: str, value: Any) -> ast.stmt:
    return ast.Assign([ast.Name(word, ast.Store())], literal(value))


def _written(value: Any) -> str:
    return "\n".join(statement(ast.Expr(literal(value)), 0))


def _camera(config: dict[str, Any]) -> dict[str, Any]:
    return {n: tuple(v.tolist()) if isinstance(v, np.ndarray) else v for n, v in config.items()}


def _order(inner: Any) -> dict[str, int]:
    """The order of the constructor's arguments."""
    code = type(inner).__init__.__code__
    return {word: k for k, word in enumerate(code.co_varnames[: code.co_argcount])}
