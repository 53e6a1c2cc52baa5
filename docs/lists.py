"""Tables of the documentation that the code has: environments, commands, sensors, elements."""

import argparse
import re
from typing import Any


def _size(space: Any) -> str:
    """How many numbers a space has, or each of its groups."""
    if space.shape is None:
        return ", ".join(f"{name} {_size(part)}" for name, part in space.spaces.items())
    return " x ".join(map(str, space.shape))


def environments() -> str:
    """All environments with their sizes, and the agents that come with them."""
    import gymnasium
    from environment_pages import page_of  # stands beside this file

    from mjenv.gym.registration import ENVS, ROBOTS, SUITE
    from mjenv.training.portable import names, shipped

    agents = set(names())
    lines = [
        "# Environments",
        "",
        'All are made by `gymnasium.make("mjenv/…")` and `gymnasium.make_vec("mjenv/…", '
        'num_envs=1024)` after `import mjenv`, or as `"mjenv:mjenv/…"` without it. `mjenv watch` '
        "shows those with an agent at work. A page for each has its observations, actions, reward, "
        "arguments and source.",
    ]
    for title, rows in (("Gymnasium's tasks", ENVS), ("Robots", ROBOTS)):
        lines += ["", f"## {title}", "", "| environment | observation | action | steps | agent |"]
        lines.append("|---|---|---|---|---|")
        for row in rows:
            with gymnasium.make(f"mjenv/{row.id}") as env:
                sizes = [_size(space) for space in (env.observation_space, env.action_space)]
            agent = shipped(f"mjenv/{row.id}") if row.id in agents else None
            reached = f"{agent.info['return']:,.0f} ± {agent.info['std']:,.0f}" if agent else ""
            name, steps = f"[`{row.id}`]({page_of(row.id)})", row.max_episode_steps
            lines.append(f"| {name} | {sizes[0]} | {sizes[1]} | {steps} | {reached} |")
    lines += [
        "",
        "The last column is the mean return of the agent that comes with mjenv, and its deviation.",
    ]
    lines += [
        "",
        "## The dm_control suite",
        "",
        "[The guide](suite.md) says how they are used.",
        "",
    ]
    lines += ["| domain | environments |", "|---|---|"]
    for domain in dict.fromkeys(row.domain for row in SUITE):
        rows = [row for row in SUITE if row.domain == domain]
        ids = ", ".join(f"`{row.id}`" for row in rows)
        lines.append(f"| [{domain}]({page_of(rows[0].id)}) | {ids} |")
    return "\n".join(lines) + "\n"


def commands() -> str:
    """The help of every command."""
    from mjenv.commands.cli import parser

    top = parser()
    (subs,) = [a for a in top._actions if isinstance(a, argparse._SubParsersAction)]
    helps = {action.dest: action.help or "" for action in subs._choices_actions}
    blocks = ["# Command line", "`mjenv COMMAND`, or `python -m mjenv COMMAND`."]
    for name, sub in subs.choices.items():
        text = sub.format_help()
        if name == "bench":
            from mjenv.benchmarks.__main__ import _parser as of_bench

            text = of_bench().format_help()
        what = helps[name].partition(";")[0]
        blocks.append(f"## mjenv {name}\n\n{what[:1].upper()}{what[1:]}.\n\n```text\n{text}```")
    return "\n\n".join(blocks) + "\n"


def sensors() -> str:
    """A table of the sensors, from that of the engine."""
    from mjenv.engine.tables.sensor_kinds import SENSORS

    stages = {"pos": "positions", "vel": "velocities", "acc": "accelerations", "": "as it says"}
    lines = ["| sensor | of | numbers | read with |", "|---|---|---|---|"]
    for name, kind in SENSORS.items():
        things = ", ".join(part for part in re.split(r"[?|]", kind.object) if part)
        lines.append(f"| `{name}` | {things} | {kind.dim} | {stages[kind.needstage]} |")
    return "\n".join(lines)


def elements() -> str:
    """A table of the elements of MJCF, from the schema."""
    from mjenv.engine.mjcf.text.schema import kinds

    sections: dict[str, list[str]] = {}
    for path, kind in kinds().items():
        top, _, rest = path.partition("/")
        sections.setdefault(top, []).append(
            f"`{rest or top}`" + ("" if kind.attributes else " (empty)")
        )
    lines = ["| section | elements |", "|---|---|"]
    lines += [f"| `{top}` | {', '.join(dict.fromkeys(found))} |" for top, found in sections.items()]
    return "\n".join(lines)


def enumerations() -> str:
    """MuJoCo's enumerations with their members, a table of each."""
    from mjenv.engine.tables.enum_tables import NAMES, enumeration

    blocks = [
        "Members are whole numbers, and may stand wherever these may: "
        "`model.geom_type[0] == mjenv.mjtGeom.mjGEOM_BOX`."
    ]
    for name in NAMES:
        members = enumeration(name).__members__.items()
        rows = "\n".join(f"| `{member}` | {int(value)} |" for member, value in members)
        anchor = f'<a id="mjenv.{name}"></a>\n\n## mjenv.{name}'
        blocks.append(f"{anchor}\n\n| member | value |\n|---|---|\n{rows}")
    return "\n\n".join(blocks) + "\n"
