"""Structures of abstract pictures: `MjvCamera`, `MjvOption`, `MjvScene` and others."""

import copy
from typing import Any

import numpy as np

from mjenv.mujoco.structs.fields import hold_fields
from mjenv.mujoco.structs.record import Struct
from mjenv.visual import records, scene, settings

_EMPTY = {name: np.zeros(1, getattr(records, name)) for name in ("LIGHT", "GLCAMERA")}


class MjvCamera(Struct, settings.MjvCamera):
    """Abstract camera of a picture."""

    __slots__ = ()
    DTYPE, DEFAULT = settings.MjvCamera.DTYPE, settings.MjvCamera.DEFAULT


class MjvOption(Struct, settings.MjvOption):
    """Options of a picture."""

    __slots__ = ()
    DTYPE, DEFAULT = settings.MjvOption.DTYPE, settings.MjvOption.DEFAULT


class MjvPerturb(Struct, settings.MjvPerturb):
    """Selection, and the pull at it."""

    __slots__ = ()
    DTYPE, DEFAULT = settings.MjvPerturb.DTYPE, settings.MjvPerturb.DEFAULT


class MjvGeom(Struct, settings.MjvGeom):
    """An abstract geom."""

    __slots__ = ()
    DTYPE, DEFAULT = settings.MjvGeom.DTYPE, settings.MjvGeom.DEFAULT


class MjvLight(Struct, settings.MjvLight):
    """A light."""

    __slots__ = ()
    DTYPE, DEFAULT = settings.MjvLight.DTYPE, _EMPTY["LIGHT"]


class MjvGLCamera(Struct, settings.MjvGLCamera):
    """One eye."""

    __slots__ = ()
    DTYPE, DEFAULT = settings.MjvGLCamera.DTYPE, _EMPTY["GLCAMERA"]


class MjvScene(scene.MjvScene):
    """Scene of a picture: abstract geoms, lights and cameras."""

    def __init__(self, model: Any = None, maxgeom: int = 0):
        super().__init__(model, maxgeom if model is not None else 0)
        self._make_lists()

    def _make_lists(self) -> None:
        """Show rows of tables as structures of the bindings."""
        own = vars(self)
        own["geoms"] = scene.Rows(MjvGeom, self.geom_table)
        own["lights"] = scene.Rows(MjvLight, self.light_table)
        own["camera"] = scene.Rows(MjvGLCamera, self.camera_table)

    def __setattr__(self, name: str, value: Any) -> None:
        # programs have subclasses with properties of these names
        if name in _LISTS:
            vars(self)[name] = value
        else:
            super().__setattr__(name, value)

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        self._make_lists()

    def __copy__(self) -> "MjvScene":
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict) -> "MjvScene":
        twin = type(self).__new__(type(self))
        twin.__setstate__(copy.deepcopy(self.__getstate__(), memo))
        return twin


_LISTS = ("geoms", "lights", "camera")


hold_fields(MjvScene, "MjvScene")
_NLINE, _NPOINT = 100, 1001  # mjMAXLINE, mjMAXLINEPNT
_FIGURE = np.dtype([
    *((f"flg_{name}", "i4") for name in ("legend", "extend", "barplot", "selection", "symmetric")),
    ("flg_ticklabel", "i4", 2), ("linewidth", "f4"), ("gridwidth", "f4"), ("gridsize", "i4", 2),
    ("gridrgb", "f4", 3), ("figurergba", "f4", 4), ("panergba", "f4", 4), ("legendrgba", "f4", 4),
    ("textrgb", "f4", 3), ("linergb", "f4", (_NLINE, 3)), ("range", "f4", (2, 2)),
    ("xformat", "S20"), ("yformat", "S20"), ("minwidth", "S20"), ("title", "S1000"),
    ("xlabel", "S100"), ("linename", "S100", _NLINE), ("legendoffset", "i4"), ("subplot", "i4"),
    ("highlight", "i4", 2), ("highlightid", "i4"), ("selection", "f4"), ("linepnt", "i4", _NLINE),
    ("linedata", "f4", (_NLINE, 2 * _NPOINT)), ("xaxispixel", "i4", 2),
    ("yaxispixel", "i4", 2), ("xaxisdata", "f4", 2), ("yaxisdata", "f4", 2),
])  # fmt: skip


# colours of the first lines
_COLOURS = (
    (1.0, 0.3, 0.3), (0.1, 1.0, 0.1), (0.3, 0.3, 1.0), (0.1, 1.0, 1.0), (1.0, 0.2, 1.0),
    (1.0, 1.0, 0.1), (1.0, 0.6, 0.2), (0.6, 0.7, 0.4),
)  # fmt: skip


def _inverse(index: int, base: int) -> float:
    """The radical inverse of a number in a base: an element of Halton's sequence."""
    value, digit = 0.0, 1.0 / base
    while index > 0:
        index, rest = divmod(index, base)
        value, digit = value + digit * rest, digit / base
    return value


def _line_colours() -> np.ndarray:
    """Colours of lines: those of the table, then points that fill the cube of colours evenly."""
    others = [
        [0.1 + 0.8 * _inverse(line, base) for base in (2, 3, 5)]
        for line in range(len(_COLOURS), _NLINE)
    ]
    return np.array([*_COLOURS, *others], np.float32)


class MjvFigure(Struct):
    """A plot of lines."""

    __slots__ = ()
    DTYPE = _FIGURE
    DEFAULT = records.row_of(
        _FIGURE, flg_legend=1, flg_extend=1, flg_ticklabel=1, linewidth=3.0, gridwidth=1.0,
        gridsize=2, gridrgb=0.4, figurergba=(0, 0, 0, 1), panergba=(0, 0, 0, 1),
        legendrgba=(0, 0, 0, 0.3), textrgb=1.0, linergb=_line_colours(), range=(0.0, 1.0),
        xformat="%.0f", yformat="%.2g",
        minwidth="XXX", highlightid=-1,
    )  # fmt: skip
