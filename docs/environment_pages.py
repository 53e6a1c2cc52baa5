"""A page for each environment: spaces, reward, arguments, source; the suite has one per domain.

What is said is read off the environments: which position, velocity or sensor a number of an
observation is, is found out by giving each of these a number of its own.
"""

import inspect
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# environments with a film in the gallery
FILMS = {
    "HalfCheetah-v5": "halfcheetah",
    "Humanoid-v5": "humanoid",
    "HumanoidStandup-v5": "standup",
    "Ant-v5": "ant",
    "Walker2d-v5": "walker2d",
    "QuadrupedJoystick-v0": "quadruped",
    "BipedJoystick-v0": "biped",
    "Go1Velocity-v0": "go1",
}
PICTURES = {
    "ArmLift-v0": "robot", "HandTurn-v0": "hand", "QuadrupedRough-v0": "rough",
    "Go1Rough-v0": "go1_rough", "G1Velocity-v0": "g1", "G1Tracking-v0": "g1_tracking",
}  # fmt: skip
# arguments of every environment, which the reference explains
COMMON = ("xml_file", "frame_skip", "default_camera_config", "randomization")
COMMON += ("terminate_when_diverged",)
ALL = "[All environments](../environments.md)."
FREE = ("x (m)", "y (m)", "z (m)", *(f"quaternion {c}" for c in "wxyz"))
FREE_VELOCITY = (*(f"velocity along {c} (m/s)" for c in "xyz"),)
FREE_VELOCITY += (*(f"angular velocity about {c} (rad/s)" for c in "xyz"),)


def pages() -> dict[str, str]:
    """Texts of all pages, by their names."""
    from mjenv.gym.registration import ENVS, ROBOTS, SUITE

    found = {page_of(row.id): _page(row) for row in (*ENVS, *ROBOTS)}
    for domain in dict.fromkeys(row.domain for row in SUITE):
        rows = [row for row in SUITE if row.domain == domain]
        found[page_of(rows[0].id)] = _domain(domain, rows)
    return found


def page_of(name: str) -> str:
    """Name of the page that has an environment."""
    from mjenv.gym.registration import SUITE

    domain = next((row.domain for row in SUITE if row.id == name), None)
    return f"environments/{name if domain is None else f'suite-{domain}'}.md"


def _page(row: Any) -> str:
    """The page of one environment."""
    env = _made(row.id)
    task = env.task
    sentences = f"{_sentences(type(task))} {ALL}"
    parts = [f"# {row.id}", sentences, _shown(row.id), _call(row.id)]
    length = "never" if row.max_episode_steps is None else f"after {row.max_episode_steps} steps"
    parts.append(
        f"A step takes {task.dt:g} s (physics steps: {task.frame_skip}); an episode is truncated "
        f"{length}."
    )
    if row.reward_threshold is not None:
        parts.append(f"The task counts as solved at a return of {row.reward_threshold:,g}.")
    parts += [*_spaces(env, "##"), _reward(env, "##"), _arguments(task), _source(type(task))]
    return "\n\n".join(filter(None, parts)) + "\n"


def _domain(domain: str, rows: list[Any]) -> str:
    """The page of a domain of the suite, with its tasks."""
    parts = [
        f"# {domain}",
        f"Tasks of the domain `{domain}` of the dm_control suite; [the guide](../suite.md) says "
        f"how they are used, also through dm_env's interface. {ALL}",
    ]
    for row in rows:
        env = _made(row.id)
        parts += [f"## {row.id}", _sentences(type(env.task)), _call(row.id)]
        parts += [*_spaces(env, "###"), _reward(env, "###")]
    parts.append(_source(type(env.task)))
    return "\n\n".join(filter(None, parts)) + "\n"


def _made(name: str) -> Any:
    import gymnasium

    import mjenv  # noqa: F401  registers the environments

    return gymnasium.make(f"mjenv/{name}").unwrapped


def _sentences(task: type) -> str:
    return inspect.getdoc(task) or ""


def _shown(name: str) -> str:
    """The film of an agent, or a picture, where there is one."""
    if name in FILMS:
        film = f"../media/films/{FILMS[name]}"
        return (
            f'<video autoplay loop muted playsinline preload="metadata" poster="{film}.jpg" '
            f'src="{film}.mp4"></video>'
        )
    return f"![{name}](../media/{PICTURES[name]}.png)" if name in PICTURES else ""


def _call(name: str) -> str:
    return (
        f'```python\nenv = gymnasium.make("mjenv/{name}")\n'
        f'envs = gymnasium.make_vec("mjenv/{name}", num_envs=1024)\n```'
    )


# ---------------------------------------------------------------- spaces


def _spaces(env: Any, heading: str) -> list[str]:
    """Tables of actions and observations."""
    action, observation = env.action_space, env.observation_space
    rows = [["number", "actuator", "moves", "minimum", "maximum"]]
    for i in range(env.model.nu):
        name, target = env.model.actuator(i).name, _target(env.model, i)
        low, high = (f"{x[i]:g}" for x in (action.low, action.high))
        rows.append([str(i), name and f"`{name}`", target and f"`{target}`", low, high])
    if not any(row[1] for row in rows[1:]):  # actuators without names
        rows = [[row[0], *row[2:]] for row in rows]
    size = sum(n for name, n in env.observation_structure.items() if "skipped" not in name)
    seen = [["numbers", "part", "what"], *_observed(env)]
    kind = "" if observation.shape else f", in groups {', '.join(observation.spaces)}"
    return [
        f"{heading} Actions\n\n{env.model.nu} numbers.\n\n{_table(rows)}",
        f"{heading} Observations\n\n{size} numbers{kind}.\n\n{_table(seen)}",
    ]


def _target(model: Any, i: int) -> str:
    """Name of the joint or tendon that an actuator moves."""
    kinds = {0: "joint", 1: "joint", 3: "tendon", 4: "site", 5: "body"}
    kind = kinds.get(int(model.actuator_trntype[i]))
    return "" if kind is None else getattr(model, kind)(int(model.actuator_trnid[i, 0])).name


def _observed(env: Any) -> list[list[str]]:
    """Rows of the observation: single numbers that are known, and the others of a part together."""
    known = _known(env)
    rows: list[list[str]] = []
    at = 0
    for part, values in env.task.observation(env._worlds.readable).items():
        start = at
        for value in [*values.ravel().tolist(), None]:
            if value is not None and value not in known:
                at += 1
                continue
            # what lies between two known numbers
            if at > start:
                place = str(start) if at == start + 1 else f"{start} to {at - 1}"
                rows.append([place, f"`{part}`", ""])
            if value is not None:
                rows.append([str(at), f"`{part}`", known[value]])
                at += 1
            start = at
    return rows


def _known(env: Any) -> dict[float, str]:
    """Numbers that stand in the state now, each with what it is."""
    import numpy as np

    model, data = env.model, env.data.batch
    env.reset(seed=0)
    labels = [*_positions(model), *_velocities(model)]
    rng = np.random.default_rng(0)
    found: dict[float, str] = {}
    for name, own in (
        ("qpos", _positions(model)),
        ("qvel", _velocities(model)),
        ("sensordata", _sensors(model)),
    ):
        numbers = rng.uniform(0.1, 0.9, len(own))
        getattr(data, name)[0] = numbers
        found |= dict(zip(numbers.tolist(), own, strict=True))
    assert len(found) == len(labels) + model.nsensordata
    return found


def _positions(model: Any) -> list[str]:
    """What each number of qpos is."""
    found = []
    for i in range(model.njnt):
        joint, kind = f"`{model.joint(i).name or i}`", int(model.jnt_type[i])
        names = FREE if kind == 0 else FREE[3:] if kind == 1 else ("",)
        unit = {2: "position of the joint {} (m)", 3: "angle of the joint {} (rad)"}.get(kind)
        found += [unit.format(joint) if unit else f"{name} of {joint}" for name in names]
    return found


def _velocities(model: Any) -> list[str]:
    """What each number of qvel is."""
    found = []
    for i in range(model.njnt):
        joint, kind = f"`{model.joint(i).name or i}`", int(model.jnt_type[i])
        names = FREE_VELOCITY if kind == 0 else FREE_VELOCITY[3:] if kind == 1 else ("",)
        unit = {2: "velocity of the joint {} (m/s)", 3: "velocity of the joint {} (rad/s)"}.get(
            kind
        )
        found += [unit.format(joint) if unit else f"{name} of {joint}" for name in names]
    return found


def _sensors(model: Any) -> list[str]:
    """What each number of sensordata is."""
    found = []
    for i in range(model.nsensor):
        name, dim = model.sensor(i).name or str(i), int(model.sensor_dim[i])
        found += [f"sensor `{name}`" + (f", number {k}" if dim > 1 else "") for k in range(dim)]
    return found


# ---------------------------------------------------------------- reward, arguments, source


def _reward(env: Any, heading: str) -> str:
    """The terms of the reward, which infos report by name."""
    terms = ", ".join(f"`{name}`" for name in env.reward_terms)
    many = len(env.reward_terms) > 1
    kind = f"The sum of these terms, which infos have by name: {terms}." if many else f"{terms}."
    return f"{heading} Reward\n\n{kind}"


def _arguments(task: Any) -> str:
    """Parameters of the task with their defaults, and what its class says of them."""
    said: dict[str, str] = {}
    for one in reversed(type(task).__mro__[:-1]):
        if one.__module__.startswith("mjenv.") and one.__name__ != "Task":
            said |= dict(re.findall(r"^    (\w+) = [^#\n]*# (.*)$", inspect.getsource(one), re.M))
    rows = [["argument", "default", "meaning"]]
    for name, value in task.parameters().items():
        if name not in COMMON and not name.startswith("_"):
            text = re.sub(r"\s+", " ", repr(value))
            rows.append([f"`{name}`", f"`{text}`", said.get(name, "")])
    own = _table(rows) if len(rows) > 1 else ""
    return (
        "## Arguments\n\nArguments of every environment are in "
        f"[the reference](../reference/environments.md). Those of this one:\n\n{own}"
        if own
        else ""
    )


def _source(task: type) -> str:
    """Links to the files of the task and its model, and the task as it is written."""
    file = Path(inspect.getsourcefile(task) or "").resolve().relative_to(ROOT).as_posix()
    model = f"xml/{task.xml_file}"  # type: ignore[attr-defined]
    code = inspect.getsource(task)
    links = f"[{file}](../../{file})"
    if (ROOT / model).is_file():
        links += f", and the model, [{model}](../../{model})"
    return f"## Source\n\n{links}.\n\n```python\n{code}```"


def _table(rows: list[list[str]]) -> str:
    """A table whose first row is its head."""
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])
