"""`physics.named` of dm_control while a step is followed: fields by name, of what stands for data.

Its indexers hold the arrays of the data and of the model. For the time being they ask for these
whenever they are used.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from mjenv.porting.environment.dm_control_tasks import is_physics


@contextmanager
def live_fields(objects: Iterable[Any]) -> Iterator[None]:
    """While it lasts, indexers look fields up in the physics' model and data.

    Args:
        objects: those of the environment; one of them may be a `Physics` of dm_control.
    """
    physics = next((one for one in objects if is_physics(one)), None)
    if physics is None:
        yield
        return
    named = physics.named
    owners: dict[int, tuple[Any, str]] = {}
    kind: Any = None
    for struct, indexers in ((physics.model, named.model), (physics.data, named.data)):
        for name, indexer in indexers._asdict().items():
            owners[id(indexer)], kind = (struct, name), type(indexer)
    held = vars(kind)["_field"]

    def field(self: Any) -> Any:
        owner = owners.get(id(self))
        return held.__get__(self, kind) if owner is None else getattr(*owner)

    kind._field = property(field)
    try:
        yield
    finally:
        kind._field = held
