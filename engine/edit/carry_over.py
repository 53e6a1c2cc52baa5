"""The state of data, carried over to those of the model when it has been edited."""

from typing import TYPE_CHECKING, Any

from ..mjcf.document.states import Places
from ..tables.fields import KEYFRAME

if TYPE_CHECKING:
    from ..data.data import Data


def carry_over(data: "Data", old: Places, new: Any, places: Places) -> None:
    """Give data of a changed model the time and the state of what was there before.

    Args:
        data: worlds of the model before.
        old: places in its keyframes.
        new: as many worlds of the model after.
        places: places in its keyframes.
    """
    for field, name in KEYFRAME.items():
        before, after = (getattr(d, name).reshape(d.nworld, -1) for d in (data, new))
        starts = old.starts(field)
        for owner, (start, count) in places.starts(field).items():
            if owner in starts and starts[owner][1] == count:
                place = starts[owner][0]
                after[:, start : start + count] = before[:, place : place + count]
    new.time[:] = data.time
