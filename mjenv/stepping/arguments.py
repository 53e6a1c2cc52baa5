"""Arguments of vector environments, checked."""

from difflib import get_close_matches
from numbers import Integral
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

_DTYPES = (np.dtype(np.float64), np.dtype(np.float32))


def reset_mask(options: dict[str, Any] | None, num_envs: int) -> np.ndarray | None:
    """The mask among the options of `reset`, checked."""
    if options is None or "reset_mask" not in options:
        return None
    mask = options["reset_mask"]
    where = "reset: options['reset_mask']"
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        found = f"an array of {mask.dtype}" if isinstance(mask, np.ndarray) else f"{mask!r}"
        raise TypeError(f"{where} is {found}, expected a numpy array of bool")
    if mask.shape != (num_envs,):
        raise ValueError(f"{where} has shape {mask.shape}, expected {(num_envs,)}")
    if not mask.any():
        raise ValueError(f"{where} has no True, expected at least one environment to reset")
    return mask


def reset_options(options: Any, *known: str) -> dict[str, Any]:
    """The options of `reset`, whose names are checked."""
    if options is None:
        return {}
    if not isinstance(options, dict):
        raise TypeError(f"reset: options={options!r}, expected a dict with some of {list(known)}")
    for name in options:
        if name not in known:
            near = get_close_matches(str(name), known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ValueError(
                f"reset: options: found {name!r}, expected some of {list(known)}{hint}"
            )
    return options


def chosen(name: str, value: Any, *known: Any) -> Any:
    """An argument that is one of a few values, checked: `True` is not 1."""
    if not any(value is one for one in known):
        raise TypeError(f"{name}={value!r}, expected one of {list(known)}")
    return value


def positive(name: str, value: Any) -> int:
    """An integer above 0, checked."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise ValueError(f"make_vec: {name}={value!r}, expected a positive integer")
    return int(value)


def positive_or_none(name: str, value: Any) -> int | None:
    """An integer above 0, checked, or None."""
    return None if value is None else positive(name, value)


def observation_type(value: Any) -> np.dtype:
    """The type of observations, checked."""
    try:
        dtype = np.dtype(value)
    except TypeError:
        dtype = np.dtype(object)
    if dtype not in _DTYPES:
        raise ValueError(
            f"make_vec: observation_dtype={value!r}, expected numpy.float64 or numpy.float32"
        )
    return dtype


def autoreset_mode_of(value: AutoresetMode | str) -> AutoresetMode:
    """The mode, or the mode of that name, checked."""
    known = {mode.value: mode for mode in AutoresetMode} | {m.name: m for m in AutoresetMode}
    if isinstance(value, AutoresetMode):
        return value
    if value in known:
        return known[value]
    modes = [mode.value for mode in AutoresetMode]
    near = get_close_matches(str(value), known, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"make_vec: autoreset_mode={value!r}, expected one of {modes}{hint}")


def env_ids_of(env_ids: Any, num_envs: int, where: str) -> np.ndarray:
    """Numbers (n,) of different environments, checked; None means all."""
    if env_ids is None:
        return np.arange(num_envs)
    ids = np.array(env_ids)
    if ids.ndim != 1 or ids.size == 0 or ids.dtype.kind not in "iu":
        raise ValueError(f"{where}: env_ids={env_ids!r}, expected a list of numbers")
    outside = ids[(ids < 0) | (ids >= num_envs)]
    if len(outside):
        raise ValueError(f"{where}: no environment {outside[0]}, expected 0 to {num_envs - 1}")
    if len(np.unique(ids)) < len(ids):
        raise ValueError(f"{where}: env_ids has a number twice, expected each at most once")
    return ids.astype(np.int64)
