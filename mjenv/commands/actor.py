"""The policy that acts in a film or in a window."""

from pathlib import Path
from typing import Any

from mjenv.randomization.literals import read


def on_one_thread() -> None:
    """Have networks worked out by one thread, as in training.

    They are small: more threads wait for one another, a hundred times as long on busy processors.
    """
    import torch

    torch.set_num_threads(1)


def actor(
    what: str, which: int | str | None, random: bool = False, trust: bool = False
) -> tuple[Any, str, Any, Path]:
    """Return the policy: of a run, of a file, the one that comes with mjenv, or random actions.

    Args:
        what: the folder of a run, an agent's file, or an environment.
        which: a checkpoint of the run; None for its trained agent.
        random: whether actions are random, in an environment.
        trust: whether files may execute code.

    Returns:
        Actions for observations, or None for random ones; the environment, its keyword arguments,
        and a name for a film.

    Raises:
        ValueError: there is a checkpoint of something else than a run; or a file would execute
            code.
    """
    from mjenv.gym.lookup import check_modules, environment_id

    # the folder of a run: its agent, in the environment that it was trained in
    if Path(what).is_dir() and not random:
        from mjenv.training.agent import Agent
        from mjenv.training.runs.folders import Run

        on_one_thread()
        run = Run.open(what)
        saved = run if which is None else run.checkpoint(which)
        agent, film = Agent.load(run, which, trust), saved.folder / run.video.name
        return agent.act, *run.environment(trust), film
    if which is not None:
        raise ValueError(f"--checkpoint: {what} is no folder of a run; give one, or leave this out")
    # an agent's file, or the agent that comes with mjenv for an environment
    from mjenv.training.portable import Portable, shipped

    if what.endswith(".npz"):
        agent = Portable.load(what)
        if not trust:
            given = {name: read(x) for name, x in agent.info["env_kwargs"].items()}
            check_modules(Path(what), agent.info["env"], None, given)
        env_id = environment_id(agent.info["env"])
    else:
        env_id = environment_id(what)
        agent = None if random else shipped(env_id)
    film = Path("videos") / f"{env_id.rpartition('/')[2].replace(':', '-')}.mp4"
    # nobody has been trained for it: random actions
    if agent is None:
        return None, env_id, {}, film
    info = agent.info
    print(f"{env_id}: an agent of {info['steps']:,} steps, return {info['return']:,.0f}")
    return agent.act, env_id, {name: read(x) for name, x in info["env_kwargs"].items()}, film
