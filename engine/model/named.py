"""Named things of a model: their ids and names, and their rows of its arrays."""

from collections.abc import Callable
from math import prod
from operator import index
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..errors import nearest
from ..tables.enums import JNT_BALL, JNT_FREE
from ..tables.fields import MODEL

if TYPE_CHECKING:
    from .model import Model

# accessors of named things: size, prefix of their fields, field with the places of their names
NAMED = {
    "body": ("nbody", "body"),
    "joint": ("njnt", "jnt"),
    "geom": ("ngeom", "geom"),
    "site": ("nsite", "site"),
    "camera": ("ncam", "cam"),
    "light": ("nlight", "light"),
    "flex": ("nflex", "flex"),
    "mesh": ("nmesh", "mesh"),
    "skin": ("nskin", "skin"),
    "hfield": ("nhfield", "hfield"),
    "texture": ("ntex", "tex"),
    "material": ("nmat", "mat"),
    "pair": ("npair", "pair"),
    "exclude": ("nexclude", "exclude"),
    "equality": ("neq", "eq"),
    "tendon": ("ntendon", "tendon"),
    "actuator": ("nu", "actuator"),
    "sensor": ("nsensor", "sensor"),
    "numeric": ("nnumeric", "numeric"),
    "text": ("ntext", "text"),
    "tuple": ("ntuple", "tuple"),
    "key": ("nkey", "key"),
    "plugin": ("nplugin", "plugin"),
}
SHORT = {"jnt": "joint", "cam": "camera", "tex": "texture", "mat": "material", "eq": "equality"}
# what data have something of
OF_DATA = (
    "body", "joint", "geom", "site", "camera", "light", "tendon", "actuator", "sensor", "equality",
)  # fmt: skip

# other prefixes of fields than that of the arrays of a kind
PREFIXES = {"joint": ("dof_",), "tendon": ("ten_",), "sensor": ("sensor",)}
NQ, NV = {JNT_FREE: 7, JNT_BALL: 4}, {JNT_FREE: 6, JNT_BALL: 3}


def _hfield(m: Any, i: int):
    return m.hfield_adr[i], (m.hfield_nrow[i], m.hfield_ncol[i])


def _texture(m: Any, i: int):
    return m.tex_adr[i], (m.tex_height[i], m.tex_width[i], m.tex_nchannel[i])


# arrays with several rows for each thing, by kind and size: the first, and how many or their shape
SPANS: dict[str, dict[str, Callable]] = {
    "joint": {
        "nv": lambda m, i: (m.jnt_dofadr[i], NV.get(int(m.jnt_type[i]), 1)),
        "nq": lambda m, i: (m.jnt_qposadr[i], NQ.get(int(m.jnt_type[i]), 1)),
    },
    "tendon": {"nJten": lambda m, i: (m.ten_J_rowadr[i], m.ten_J_rownnz[i])},
    "actuator": {"na": lambda m, i: (m.actuator_actadr[i], m.actuator_actnum[i])},
    "sensor": {"nsensordata": lambda m, i: (m.sensor_adr[i], m.sensor_dim[i])},
    "numeric": {"nnumericdata": lambda m, i: (m.numeric_adr[i], m.numeric_size[i])},
    "tuple": {"ntupledata": lambda m, i: (m.tuple_adr[i], m.tuple_size[i])},
    "hfield": {"nhfielddata": _hfield},
    "texture": {"ntexdata": _texture},
}


class Named:
    """One named thing of a model: `id`, `name`, and its rows of the arrays, as views.

    The attribute `pos` of a body is its row of `body_pos`; single numbers are arrays of length 1.
    A joint has the rows of its degrees of freedom too, such as `damping`, and its part of `qpos0`.
    """

    _TABLE: ClassVar = {field.name: field.shape for field in MODEL if field.shape}
    _model: Any
    _data: Any
    _kind: str
    id: int

    def __init__(self, model: "Model", kind: str, place: int):
        self.__dict__.update(_model=model, _kind=kind, id=place)

    @property
    def name(self) -> str:
        """Its name; "" when it has none."""
        return self._model.name(self._kind, self.id)

    def _array(self, field: str) -> np.ndarray:
        """An array, its rows first."""
        return getattr(self._model, field)

    @property
    def _sizes(self) -> tuple[str, ...]:
        """Sizes of the arrays that it has rows of."""
        return (NAMED[self._kind][0], *SPANS.get(self._kind, ()))

    @property
    def _prefixes(self) -> tuple[str, ...]:
        """Prefixes of its attributes in the names of fields."""
        return (f"{NAMED[self._kind][1]}_", *PREFIXES.get(self._kind, ()), "")

    def _field(self, name: str) -> tuple[str, str]:
        """Field that an attribute is part of, and the size that its rows are counted by."""
        for before in self._prefixes:
            shape = self._TABLE.get(before + name, ("",))
            if shape[0] in self._sizes:
                return before + name, shape[0]
        hint = nearest(name, self._names()) or f"; see {self._prefixes[0]}*"
        raise AttributeError(f"{self._kind}: {name}: no such field{hint}")

    def _names(self) -> list[str]:
        """Its attributes."""
        fields = [field for field, shape in self._TABLE.items() if shape[0] in self._sizes]
        before = [next(p for p in self._prefixes if field.startswith(p)) for field in fields]
        return [field.removeprefix(p) for field, p in zip(fields, before, strict=True)]

    def _rows(self, name: str) -> np.ndarray:
        """Rows of a field that an attribute stands for."""
        field, size = self._field(name)
        array = self._array(field)
        if size == NAMED[self._kind][0]:
            single = len(self._TABLE[field]) == 1
            return array[self.id : self.id + 1] if single else array[self.id]
        start, shape = SPANS[self._kind][size](self._model, self.id)
        rows = array[max(0, start) : max(0, start) + prod(np.atleast_1d(shape).tolist())]
        return rows.reshape(shape) if np.ndim(shape) else rows

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> np.ndarray:
            if name.startswith("_"):
                raise AttributeError(name)
            return self._rows(name)

        def __setattr__(self, name: str, value: Any) -> None:
            getattr(self, name)[...] = value

    def __dir__(self):
        return [*super().__dir__(), *self._names()]

    def __repr__(self) -> str:
        return f"<{self._kind} {self.id} '{self.name}'>"


def place_of(model: "Model", kind: str, key: int | str) -> int:
    """Id of a thing, by its name or id.

    Raises:
        KeyError: there is no such name; the message has the nearest one.
        IndexError: there is no such id.
    """
    size = getattr(model, NAMED[kind][0])
    if isinstance(key, str):
        names = [model.name(kind, k) for k in range(size)]
        if not key or key not in names:
            known = [n for n in names if n]
            hint = nearest(key, known) or (f"; there are {', '.join(known[:10])}" if known else "")
            raise KeyError(f"{kind}: '{key}': no such name{hint}")
        return names.index(key)
    try:
        place = index(key)
    except TypeError:
        raise TypeError(f"{kind}: {key!r}: expected a name or an id") from None
    if not 0 <= place < size:
        raise IndexError(
            f"{kind}: {key}: expected an id between 0 and {size - 1}, the model has {size}"
        )
    return place


def add_accessors(owner: type, kinds: Any, short: dict[str, str], make: Callable) -> None:
    """Give a class the methods `body`, `joint` and so on.

    Args:
        owner: the class.
        kinds: which methods.
        short: other names, and the methods that they stand for.
        make: what a method returns, from its object, kind and key.
    """
    for kind in kinds:
        setattr(owner, kind, _accessor(kind, make))
    for name, kind in short.items():
        setattr(owner, name, getattr(owner, kind))


def _accessor(kind: str, make: Callable):
    def access(self: Any, key: int | str = "") -> Named:
        return make(self, kind, key)

    access.__name__ = kind
    access.__doc__ = (
        f"The {kind} with this name or id. Raises KeyError with the nearest name, or IndexError."
    )
    return access
