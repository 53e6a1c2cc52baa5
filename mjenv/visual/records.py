"""MuJoCo's structures of abstract pictures, as rows of structured arrays that have attributes.

An array of rows is what code works on; a `Record` shows one row with MuJoCo's attribute names.
"""

from typing import Any, ClassVar

import numpy as np

from mjenv.engine.errors import nearest_or_all

from .names import NGROUP, NVISFLAG

# mjvGeom: what is drawn
GEOM = np.dtype([
    ("type", "i4"), ("dataid", "i4"), ("objtype", "i4"), ("objid", "i4"),
    ("category", "i4"), ("matid", "i4"), ("texcoord", "i4"), ("segid", "i4"),
    ("size", "f4", 3), ("pos", "f4", 3), ("mat", "f4", (3, 3)), ("rgba", "f4", 4),
    ("emission", "f4"), ("specular", "f4"), ("shininess", "f4"), ("reflectance", "f4"),
    ("label", "S100"), ("camdist", "f4"), ("modelrbound", "f4"), ("transparent", "u1"),
])  # fmt: skip

# mjvLight
LIGHT = np.dtype([
    ("id", "i4"), ("pos", "f4", 3), ("dir", "f4", 3), ("type", "i4"), ("texid", "i4"),
    ("attenuation", "f4", 3), ("cutoff", "f4"), ("exponent", "f4"),
    ("ambient", "f4", 3), ("diffuse", "f4", 3), ("specular", "f4", 3),
    ("headlight", "u1"), ("castshadow", "u1"),
    ("bulbradius", "f4"), ("intensity", "f4"), ("range", "f4"),
])  # fmt: skip

# mjvGLCamera: one eye
GLCAMERA = np.dtype([
    ("pos", "f4", 3), ("forward", "f4", 3), ("up", "f4", 3),
    ("frustum_center", "f4"), ("frustum_width", "f4"),
    ("frustum_bottom", "f4"), ("frustum_top", "f4"),
    ("frustum_near", "f4"), ("frustum_far", "f4"), ("orthographic", "i4"),
])  # fmt: skip

# mjvCamera: where a picture is taken from
CAMERA = np.dtype([
    ("type", "i4"), ("fixedcamid", "i4"), ("trackbodyid", "i4"), ("lookat", "f8", 3),
    ("distance", "f8"), ("azimuth", "f8"), ("elevation", "f8"), ("orthographic", "i4"),
])  # fmt: skip

# mjvOption: what is drawn beside the model's own geoms
OPTION = np.dtype([
    ("label", "i4"), ("frame", "i4"),
    *((f"{kind}group", "u1", NGROUP)
      for kind in ("geom", "site", "joint", "tendon", "actuator", "flex", "skin")),
    ("flags", "u1", NVISFLAG), ("bvh_depth", "i4"), ("flex_layer", "i4"),
])  # fmt: skip

# mjvPerturb: what is selected, and how it is pulled
PERTURB = np.dtype([
    ("select", "i4"), ("flexselect", "i4"), ("skinselect", "i4"),
    ("active", "i4"), ("active2", "i4"),
    ("refpos", "f8", 3), ("refquat", "f8", 4), ("refselpos", "f8", 3), ("localpos", "f8", 3),
    ("localmass", "f8"), ("scale", "f8"),
])  # fmt: skip


def row_of(dtype: np.dtype, **values: Any) -> np.ndarray:
    """One row (1,) of a structured array: these values, zeros elsewhere."""
    row = np.zeros(1, dtype)
    for name, value in values.items():
        row[name] = value
    return row


class Record:
    """One row of a structured array, its fields as attributes.

    Arrays may be written in place; assigning to a field copies into it.
    """

    DTYPE: ClassVar[np.dtype]
    DEFAULT: ClassVar[np.ndarray]
    __slots__ = ("_row",)
    _row: np.void

    def __init__(self):
        object.__setattr__(self, "_row", self.DEFAULT.copy()[0])

    @classmethod
    def at(cls, row: Any):
        """The record that a row of an array is: writing to it writes to the array."""
        record = cls.__new__(cls)
        object.__setattr__(record, "_row", row)
        return record

    def __getattr__(self, name: str) -> Any:
        if name not in (self.DTYPE.names or ()):
            raise AttributeError(self._unknown(name))
        value = self._row[name]
        if isinstance(value, np.ndarray):
            return value
        return value.decode(errors="replace") if isinstance(value, bytes) else value.item()

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in (self.DTYPE.names or ()):
            raise AttributeError(self._unknown(name))
        old = self._row[name]
        if isinstance(old, np.ndarray):
            new = np.asarray(value)
            if new.size != old.size:
                raise ValueError(
                    f"{type(self).__name__}.{name}: found {new.size} values, expected {old.size}"
                )
            old[...] = new.reshape(old.shape)
        elif isinstance(old, bytes):
            self._row[name] = value.encode()[:99] if isinstance(value, str) else value
        else:
            self._row[name] = value

    def _unknown(self, name: str) -> str:
        names = self.DTYPE.names or ()
        return f"{type(self).__name__}.{name}: no such field{nearest_or_all(name, names, 20)}"

    def __dir__(self):
        return sorted({*super().__dir__(), *(self.DTYPE.names or ())})

    def __repr__(self) -> str:
        fields = (f"  {name}: {getattr(self, name)!r}" for name in self.DTYPE.names or ())
        return "\n".join((f"<{type(self).__name__}", *fields, ">"))

    def __eq__(self, other: Any) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return bool(self._row == other._row)

    def __copy__(self):
        return type(self).at(np.array(self._row, self.DTYPE).reshape(1)[0])

    def __deepcopy__(self, memo: Any):
        return self.__copy__()

    def __reduce__(self):
        return _restored, (type(self), self._row.tobytes())


def _restored(kind: type[Record], values: bytes) -> Record:
    """A record of its bytes."""
    return kind.at(np.frombuffer(bytearray(values), kind.DTYPE)[0])
