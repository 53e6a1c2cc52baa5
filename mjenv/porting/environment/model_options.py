"""Options of a model, such as gravity, beside its other fields: `opt_gravity` is `opt.gravity`.

Those that are real numbers may differ between worlds, like other fields of a model. Here all are
arrays, of one element where the option is a number.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from mjenv.porting.environment.watched import ModelChanged, watched
from mjenv.porting.symbols.symbol import Symbol

PREFIX = "opt_"


def option_names(model: Any) -> list[str]:
    """Names of the options that are numbers; all of them."""
    numbers = (bool, int, float, np.ndarray)
    return [f"{PREFIX}{n}" for n, value in vars(model.opt).items() if isinstance(value, numbers)]


def field_of(model: Any, name: str) -> np.ndarray:
    """A field of a model as an array; of an option that is one number a copy."""
    if not name.startswith(PREFIX):
        return getattr(model, name)
    return np.atleast_1d(getattr(model.opt, name.removeprefix(PREFIX)))


def set_field(model: Any, name: str, values: Any) -> None:
    """Have other numbers in a field of a model."""
    option = name.removeprefix(PREFIX)
    before = getattr(model.opt, option) if name.startswith(PREFIX) else None
    if isinstance(before, int | float):
        setattr(model.opt, option, type(before)(np.reshape(values, ())))
    else:
        field_of(model, name)[...] = values


class _FollowedOptions:
    """In the place of a model's options while a method is followed."""

    def __init__(self, options: Any, fields: dict[str, Any]):
        """Of the options themselves, and the symbols of those that differ between worlds."""
        vars(self).update(_options=options, _fields=fields)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._options, name)
        if name in self._fields:
            field = self._fields[name]
            return field[0] if isinstance(value, float) else field
        return watched(f"{PREFIX}{name}", value) if isinstance(value, np.ndarray) else value

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._fields:
            self._fields[name][...] = value
        elif isinstance(value, Symbol) or not isinstance(getattr(self._options, name), int):
            raise ModelChanged(f"{PREFIX}{name}")
        else:
            setattr(self._options, name, value)


@contextmanager
def followed_options(model: Any, symbols: dict[str, Any]) -> Iterator[None]:
    """While it lasts, options that differ between worlds are symbols, and the others watched.

    Args:
        model: the environment's.
        symbols: fields of the model that differ between worlds, by name.

    Raises:
        ModelChanged: a whole number is another one in the end, such as flags that stay switched.
    """
    options = vars(model)["opt"]
    whole = {name: one for name, one in vars(options).items() if isinstance(one, int)}
    own = {n.removeprefix(PREFIX): s for n, s in symbols.items() if n.startswith(PREFIX)}
    vars(model)["opt"] = _FollowedOptions(options, own)
    try:
        yield
        for name, value in whole.items():
            if getattr(options, name) != value:
                raise ModelChanged(f"{PREFIX}{name}")
    finally:
        vars(model)["opt"] = options
        for name, value in whole.items():
            setattr(options, name, value)
