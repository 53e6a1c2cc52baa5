"""Functions that make single environments, as Stable-Baselines3 has them, and their worlds."""

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker, TimeLimit
from stable_baselines3.common.monitor import Monitor

from mjenv.gym.env import Env

# numbers that tell functions apart whose environments are equal
_RANKS = ("rank", "i", "idx", "index")


def worlds_of(functions: Sequence[Callable[[], gymnasium.Env]]) -> VectorEnv:
    """One vector environment in place of the environments that the functions make.

    The first one is made, to see what it is.

    Raises:
        TypeError: they are no functions, or their environments are not mjenv's.
        ValueError: their environments differ, or have wrappers, which worlds cannot have.
    """
    if not functions or not all(map(callable, functions)):
        raise TypeError(f"NativeVecEnv: found {functions!r}, expected functions that make them")
    if any(_meaning(one) != _meaning(functions[0]) for one in functions):
        raise ValueError(
            "NativeVecEnv: the functions are not the same, expected equal environments; "
            "make different ones with DummyVecEnv"
        )
    # one is made to see what it is; the worlds then live in one vector environment
    env = functions[0]()
    try:
        limit = _limit(env)
        made: Any = env.unwrapped
        if not isinstance(made, Env) or made.spec is None:
            raise TypeError(
                f"NativeVecEnv: found {made!r}, expected an environment of mjenv that "
                "gymnasium.make has made; use DummyVecEnv for others"
            )
        return gymnasium.make_vec(
            made.spec.id,
            len(functions),
            max_episode_steps=limit,
            autoreset_mode=AutoresetMode.SAME_STEP,
            **made.spec.kwargs,
        )
    finally:
        env.close()


def _meaning(function: Any) -> Any:
    """Identity of a function: its code and the values that it refers to, except for its rank."""
    code = getattr(function, "__code__", None)
    if code is None:
        return function
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    named = dict(zip(code.co_freevars, cells, strict=True))
    values = [named[name] for name in named if name not in _RANKS]
    return code, values, function.__defaults__, function.__kwdefaults__


def _limit(env: gymnasium.Env) -> int | None:
    """Steps of an episode, of an environment that has no wrappers but the usual ones."""
    limit = None
    while isinstance(env, gymnasium.Wrapper):
        if isinstance(env, TimeLimit):
            limit = env._max_episode_steps
        written = isinstance(env, Monitor) and env.results_writer is not None
        usual = isinstance(env, OrderEnforcing | PassiveEnvChecker | TimeLimit | Monitor)
        if written or not usual:
            raise ValueError(
                f"NativeVecEnv: {type(env).__name__} wraps single environments, expected none "
                "where worlds step together; wrap the NativeVecEnv, as VecMonitor does"
            )
        env = env.env
    return limit
