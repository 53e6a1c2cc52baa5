"""Pictures that agents see: what `pixels` of an environment are where nobody says."""

from contextlib import closing
from typing import Any

from mjenv.gym import lookup
from mjenv.training.evaluate import make_envs
from mjenv.training.settings import FromPictures, Settings

USUAL = {"height": 64, "width": 64, "grey": True, "state": True}  # states teach the values


def seen_by(settings: Settings, env_id: str, env_kwargs: dict[str, Any]) -> dict[str, Any]:
    """Keyword arguments of an environment, with the pictures that an agent learns from.

    Pictures are 64 by 64 pixels, grey, of the model's first camera, or of the environment's own
    view where it has none.

    Args:
        settings: of the algorithm; others than `FromPictures` see what is there.
        env_id: the environment.
        env_kwargs: its keyword arguments; what `pixels` says of them stays.

    Raises:
        ValueError: the environment shows no pictures or does not take its arguments, `pixels` are
            stacked already, or have no states.
    """
    if not isinstance(settings, FromPictures):
        return env_kwargs
    # who can show pictures
    if lookup.is_port(env_id) or lookup.is_mix(env_id):
        what = "a task of another package" if lookup.is_port(env_id) else "several tasks"
        raise ValueError(
            f"{env_id}: {settings.algorithm} learns from pictures, found {what}, expected one task "
            "of mjenv; leave --algorithm out"
        )
    # what is said of them
    given = env_kwargs.get("pixels", {})
    if not isinstance(given, dict):
        raise ValueError(f"env_kwargs: pixels: found {given!r}, expected a dict of settings")
    for name, only, why in (
        ("stack", 1, "the algorithm stacks them: --set frame_stack:N"),
        ("state", True, "values of states teach the agent"),
    ):
        if given.get(name, only) != only:
            raise ValueError(
                f"env_kwargs: pixels: {name} is {given[name]!r}, expected {only}; {why}"
            )
    # what is not said
    pixels = {**USUAL, **given}
    if "camera" not in pixels:
        rest = {name: value for name, value in env_kwargs.items() if name != "pixels"}
        with closing(make_envs(env_id, 1, rest)) as envs:
            inner: Any = envs.envs.unwrapped
            pixels["camera"] = 0 if inner.model.ncam else None
    return {**env_kwargs, "pixels": pixels}
