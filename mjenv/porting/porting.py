"""`mjenv.port`: an environment written for `mujoco`, registered in many worlds."""

from collections.abc import Callable
from itertools import groupby
from typing import Any, NamedTuple

from mjenv.porting.environment.original import Original
from mjenv.porting.environment.place_names import NUMBERS_OF_LISTS, named
from mjenv.porting.following.following import follow_with_helpers
from mjenv.porting.running.program import Program
from mjenv.porting.running.traced_worlds import TracedWorlds
from mjenv.porting.stand_ins.calls import RANDOM
from mjenv.porting.symbols.refusals import NotTraced

TRACED, WORLD_BY_WORLD = "traced", "world by world"
WAYS = (TRACED, WORLD_BY_WORLD)


class Report(NamedTuple):
    """A report on how the step of a port runs.

    Attributes:
        name: the environment.
        way: "traced" or "world by world".
        reason: why it is not traced, with the line; "" if it is.
        lines: what else there is to say, line by line.
    """

    name: str
    way: str
    reason: str
    lines: tuple[str, ...]

    def __str__(self) -> str:
        first = f"{self.name}: {self.way}"
        why = (f"  not traced: {self.reason}",) if self.reason else ()
        return "\n".join((first, *why, *(f"  {line}" for line in self.lines)))


def worlds_of(
    original: Original,
    nworld: int,
    way: str | None,
    nthread: int | None,
    kwargs: dict[str, Any],
    drawn: bool = False,
) -> tuple[Any, Report]:
    """Worlds of an environment, and how their steps run.

    Args:
        original: the environment.
        nworld: how many.
        way: one of `WAYS`; None for the first that can be.
        nthread: threads of the physics.
        kwargs: what the environment was made with.
        drawn: whether there are pictures of them.

    Raises:
        NotTraced: it was to be traced, and cannot be.
    """
    reason = "it was asked for world by world"
    if way != WORLD_BY_WORLD:
        try:
            worlds = TracedWorlds(original, follow_with_helpers(original), nworld, nthread, drawn)
            return worlds, _report_of(original, worlds)
        except NotTraced as error:
            if way == TRACED:
                raise
            reason = str(error)
    from mjenv.porting.running.single_worlds import SingleWorlds

    report = Report(original.name, WORLD_BY_WORLD, reason, ("step, reset: Python, in each world",))
    return SingleWorlds(original, nworld, kwargs), report


def _calls(program: Program) -> str:
    """Operations of a program, and its calls."""
    names = [
        f"{call.query.name if call.query else call.name} {call.nstep or ''}".strip()
        + " in some worlds" * call.of_some
        for call in program.calls if call.name and call.name != RANDOM
    ]  # fmt: skip
    runs = [(name, len(list(run))) for name, run in groupby(names)]
    calls = [name if count == 1 else f"{count} times {name}" for name, count in runs]
    around = f", around calls of physics: {', '.join(calls)}" if calls else ""
    drawn = f", with {len(program.draws)} calls of np_random" if program.draws else ""
    return f"{program.noperation} operations, compiled{around}{drawn}"


def _report_of(original: Original, worlds: TracedWorlds) -> Report:
    """Report on a traced step, and on its reset."""
    program, reset = worlds.program, worlds.reset_program
    followed = program.followed
    lines = [f"step: {_calls(program)}"]
    if reset is not None:
        lines.append(f"reset: {_calls(reset)}")
        if worlds.seedless:
            lines.append(f"reset with a seed: Python, {worlds.seedless}")
    else:
        lines.append("reset: Python, in each world that starts")
        lines.append(f"reset not traced: {worlds.why_not_reset}")
    if program.fields:
        lines.append(f"reads: {', '.join(program.fields)}")
    if program.slots:
        # a list of words is one thing, and so is a dict
        own = dict.fromkeys(map(named, (
            slot.path[:-1]
            if slot.path[-1][0] in NUMBERS_OF_LISTS or slot.path[:-1] in followed.tables
            else slot.path for slot in program.slots
        )))  # fmt: skip
        lines.append(f"each world's own: {', '.join(own)}")
    if followed.logs:
        logs = ", ".join(sorted(map(named, followed.logs)))
        lines.append(f"not kept, as nothing reads it: {logs}, which becomes longer in each step")
    if followed.errors:
        lines.append(f"its errors: {len(followed.errors)}")
    if program.left_out:
        lines.append(f"infos left out, as they are no numbers: {', '.join(program.left_out)}")
    return Report(original.name, TRACED, "", tuple(lines))


def report(target: str | Callable[..., Any], **kwargs: Any) -> Report:
    """Report how the step of an environment runs in many worlds, and if need be why not traced.

    Args:
        target: see `port`.
        **kwargs: what it is made with.
    """
    original = Original(target, kwargs)
    return worlds_of(original, 1, None, None, kwargs)[1]


def port(target: str | Callable[..., Any], *, id: str | None = None, **kwargs: Any) -> Report:
    """Register an environment that was written for `mujoco`, in many worlds of this engine.

    `gymnasium.make_vec(id, num_envs=512)` then makes it.

    Args:
        target: its id with Gymnasium; "metaworld/reach-v3"; "module:function"; or a function that
            makes it.
        id: what it is to be called; None for "mjenv/" and the target's name.
        **kwargs: what it is made with, unless `make_vec` says otherwise.

    Returns:
        How its step runs, and why it is not traced where it is not.

    Raises:
        ValueError: there is no such environment.
    """
    import gymnasium

    found = report(target, **kwargs)
    name = id or f"mjenv/{found.name.replace('/', '-').replace(':', '-')}"
    gymnasium.register(
        id=name,
        vector_entry_point="mjenv.porting.vector:PortedVectorEnv",
        kwargs={"target": target, **kwargs},
    )
    return found._replace(name=name)
