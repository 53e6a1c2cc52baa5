"""Names in a task's class that are almost those of hooks and attributes, and so without effect."""

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

# attributes that a task may set, and what their values are
_ATTRIBUTES: dict[str, tuple[type, ...]] = {
    "xml_file": (str, Path),
    "frame_skip": (int,),
    "default_camera_config": (dict,),
    "randomization": (dict,),
    "keep": (tuple, list, str),
    "varies": (tuple, list, str),
    "state": (dict, property, cached_property),
    "groups": (dict, property, cached_property),
    "action_limits": (tuple, list, property, cached_property),
}
# what the arguments of hooks are called: a function of `data` is no misspelt `reset(rng)`
_ROLES = frozenset({"data", "rng", "action", "before", "spec", "achieved_goal"})
_SHORT = 4  # letters of names of which one letter makes other words: due, cue


class WeightsError(ValueError):
    """A table of weights that does not fit the terms of a reward."""


def refuse_near_names(cls: type, task: type) -> None:
    """Refuse a task's class with a name that was meant to be another one.

    Such a name differs by a letter or two from that of a hook or an attribute of `Task`, and is
    used as that is: a function with as many arguments, or a value of the same type. Names that
    begin with an underscore are the user's own.

    Args:
        cls: the class.
        task: `Task`.

    Raises:
        TypeError: there is such a name; or a time limit, which is none of a task's; or a method
            `draw` that is never called.
    """
    # names that users may define: public functions of the class
    hooks = {
        name: own
        for name, own in vars(task).items()
        if inspect.isfunction(own) and not name.startswith("_")
    }
    # every class between the user's and Task
    for owner in cls.__mro__[: cls.__mro__.index(task)]:
        for name, value in vars(owner).items():
            if name == "max_episode_steps":
                raise TypeError(
                    f"{cls.__name__}.{name}: found {value!r}, which tasks do not have; give it to "
                    f'the environment: mjenv.register("...", {cls.__name__}, {name}=...)'
                )
            if not name.startswith("_") and not hasattr(task, name):
                _refuse(cls.__name__, name, value, hooks)
    # a hook that is never called
    if _own(cls, task, "draw") and not _own(cls, task, "due"):
        raise TypeError(
            f"{cls.__name__}: found `draw` without `due`, which says when it is called; write the "
            "method `due`, too"
        )


def did_you_mean(name: str, known: Any) -> str:
    """A hint at the nearest of known names, or at all of them."""
    known = list(known)
    close = get_close_matches(name, known, 1)
    return f"did you mean {close[0]!r}?" if close else f"expected one of {known}"


def _own(cls: type, task: type, name: str) -> bool:
    return getattr(cls, name) is not getattr(task, name)


def _refuse(where: str, name: str, value: Any, hooks: dict[str, Callable]) -> None:
    """Refuse a name that was meant to be a hook or an attribute."""
    function = value.__func__ if isinstance(value, staticmethod | classmethod) else value
    what = "methods" if inspect.isfunction(function) else "attributes"
    for known in hooks if what == "methods" else _ATTRIBUTES:
        # few names are near to others, and signatures take longer to look at
        if _misspelt(name, known) and (
            _called_alike(known, function, hooks[known])
            if what == "methods"
            else isinstance(value, _ATTRIBUTES[known])
        ):
            raise TypeError(
                f"{where}.{name}: found a name that is none of the {what} of tasks; did you mean "
                f"{known!r}? A name of your own that is so near to it begins with an underscore"
            )


def _called_alike(hook: str, function: Callable, own: Callable) -> bool:
    """True if a function takes what a hook takes."""
    expected = [*inspect.signature(own).parameters]
    signature = inspect.signature(function)
    allowed = [expected, [*expected, "last"]] if hook == "reset" else [expected]
    for names in allowed:
        try:
            bound = signature.bind(*names).arguments
        except TypeError:
            continue
        pairs = [(mine, given) for mine, given in bound.items() if isinstance(given, str)]
        return not any(mine != given and mine in _ROLES for mine, given in pairs)
    return False


@lru_cache(10_000)
def _misspelt(name: str, known: str) -> bool:
    """True if a name has another letter, one too many or too few, or two that are swapped.

    Capitals and underscores do not count. Two such differences do among eight letters and more;
    another letter makes another word of the shortest names.
    """
    mine, its = (text.replace("_", "").lower() for text in (name, known))
    if mine == its:
        return True
    if abs(len(mine) - len(its)) > 2:
        return False
    if len(its) <= _SHORT and len(mine) == len(its) and sorted(mine) != sorted(its):
        return False
    return _differences(mine, its) <= (2 if len(its) >= 8 else 1)


def _differences(a: str, b: str) -> int:
    """The distance of Damerau and Levenshtein: letters changed, added, left out or swapped."""
    before: list[int] = []
    above = [*range(len(b) + 1)]
    for i, letter in enumerate(a):
        row = [i + 1]
        for j, other in enumerate(b):
            least = min(above[j + 1] + 1, row[j] + 1, above[j] + (letter != other))
            if i and j and letter == b[j - 1] and a[i - 1] == other:
                least = min(least, before[j - 1] + 1)
            row.append(least)
        before, above = above, row
    return above[-1]
