"""Arrays of the model that say which of them a followed method writes into."""

from typing import Any

import numpy as np

from mjenv.porting.symbols.refusals import FollowAnew


class ModelChanged(FollowAnew):
    """A field of the model is written that was taken for a constant.

    Attributes:
        name: the field.
    """

    def __init__(self, name: str):
        super().__init__(f"found model.{name} written, which no episode before has changed")
        self.name = name


class Watched(np.ndarray):
    """A view of an array that cannot be written into."""

    field: str = ""

    def __array_finalize__(self, parent: Any) -> None:
        self.field = getattr(parent, "field", "")

    def __setitem__(self, place: Any, value: Any) -> None:
        if not self.flags.writeable and self.field:
            raise ModelChanged(self.field)
        super().__setitem__(place, value)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        for one in options.get("out") or ():
            if isinstance(one, Watched) and not one.flags.writeable:
                raise ModelChanged(one.field)
        plain = [x.view(np.ndarray) if isinstance(x, Watched) else x for x in inputs]
        if options.get("out"):
            options["out"] = tuple(
                x.view(np.ndarray) if isinstance(x, Watched) else x for x in options["out"]
            )
        return getattr(ufunc, method)(*plain, **options)


def watched(name: str, array: np.ndarray) -> Watched:
    """A field of the model that is watched."""
    found = array.view(Watched)
    found.field, found.flags.writeable = name, False
    return found
