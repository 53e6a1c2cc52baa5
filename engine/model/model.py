"""`Model`: every size and array of mjModel, the option structures, and names. Needs numpy only."""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import MjcfError, a_or_an, nearest, nearest_or_all
from ..resources import decoder_of, model_text
from ..tables.enum_tables import CHOICES, number_of
from ..tables.fields import DTYPES, MODEL, OPTION, STATISTIC, VISUAL, Field
from ..tables.typed_fields import ModelFields, OptionFields, StatisticFields, VisualFields
from .named import NAMED, SHORT, Named, add_accessors, place_of

SIZES = tuple(f.name for f in MODEL if f.type == "size")
ARRAYS = tuple(f for f in MODEL if f.shape)
SHOWN = ("nq", "nv", "nu", "na", "nbody", "njnt", "ngeom", "nsensor")  # sizes in the `repr`
BINARY = b"\x89mjenv"  # what saved models begin with, as in binary.py
MJB = (54321).to_bytes(4, "little")  # the same of MuJoCo's
TEXTS = ("names", "paths", "text_data")  # bytes, as in MuJoCo's bindings


class Layout(NamedTuple):
    """Allocation of an array.

    Attributes:
        name: of the field.
        dims: length along each axis, a number or the name of a size; the last two of three axes
            are one, as in MuJoCo's bindings.
        dtype: numpy's type; None: bytes.
    """

    name: str
    dims: tuple[int | str, ...]
    dtype: np.dtype | None


def _layout(field: Field) -> Layout:
    dtype = np.dtype("i1" if field.type == "char" else DTYPES[field.type])
    return Layout(field.name, field.shape, None if field.name in TEXTS else dtype)


LAYOUTS = tuple(map(_layout, ARRAYS))
# arrays that depend on each size
DEPENDING = {size: tuple(a for a in LAYOUTS if size in a.dims) for size in SIZES}


# (text, name of its file, folder of other files or "", their contents by name, most bytes) -> model
Compiler = Callable[[bytes, str, str, dict[str, bytes] | None, int | None], "Model"]


def _no_compiler(text: bytes, file: str, folder: str, assets: Any, max_bytes: Any) -> "Model":
    raise RuntimeError(
        f"{file}: found no compiler of MJCF, expected one; import Model from mjenv or from"
        " mjenv.engine.edit.compile"
    )


class Registered:
    """Compiler of documents to models: it lies above them, and registers itself.

    Attributes:
        compiler: the function; until there is one, a function that refuses.
    """

    compiler: Compiler = staticmethod(_no_compiler)


def register_compiler(function: Compiler) -> Compiler:
    """Let models from documents be compiled by a function."""
    Registered.compiler = staticmethod(function)
    return function


class _Edits:
    """Tells whether a field of any model or of its structures was set since the last look.

    Attributes:
        last: another object after each edit; machine code looks at it, see simd/ready_calls.py.
    """

    __slots__ = ("last",)

    def __init__(self) -> None:
        self.last = object()


Edits = _Edits()


if TYPE_CHECKING:
    Namespace = object  # type checkers take a SimpleNamespace to have any field
else:
    Namespace = SimpleNamespace


class Structure(Namespace):
    """One of the structures inside a model: numbers and arrays that can be set, no new fields.

    Options that choose among things take names too: `model.opt.integrator = "RK4"`.
    """

    def __init__(self, fields: tuple[Field, ...] = ()):
        for field in fields:
            name, dtype = field.name, DTYPES[field.type]
            if field.shape:
                self.__dict__[name] = np.zeros([int(n) for n in field.shape], dtype)
            else:
                self.__dict__[name] = 0 if dtype[0] == "i" else (0.0 if dtype == "f8" else Single())

    if not TYPE_CHECKING:

        def __setattr__(self, name: str, value: Any) -> None:
            old = self.__dict__.get(name)
            if old is None:
                getattr(self, name)
            elif isinstance(old, np.ndarray):
                old[...] = value
            elif isinstance(old, Structure):
                fields = _some(old)
                raise AttributeError(f"vis.{name}: cannot be assigned; set its fields: {fields}")
            else:
                value = number_of(value, name) if name in CHOICES else value
                self.__dict__[name] = type(old)(value)
            Edits.last = object()

        def __getattr__(self, name: str):
            if name.startswith("__"):
                raise AttributeError(name)
            raise AttributeError(
                f"{type(self).__name__}: {name}: no such field"
                f"{nearest_or_all(name, self.__dict__, 40)}"
            )


def _some(structure: Structure) -> str:
    """The first names of a structure's fields."""
    names = list(structure.__dict__)
    return ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")


class Option(OptionFields, Structure):
    """Options of the simulation (mjOption)."""


class Statistic(StatisticFields, Structure):
    """Statistics that the compiler computes of a whole model (mjStatistic)."""


class Visual(VisualFields, Structure):
    """Settings of the picture, in groups (mjVisual)."""


class Single(float):
    """A float of single precision."""

    def __new__(cls, value: float = 0.0):
        return super().__new__(cls, np.float32(value))

    def __reduce__(self):
        return Single, (float(self),)


def _groups() -> dict[str, tuple[Field, ...]]:
    """Fields of `vis` by group; the group `global` is called `global_`, as in MuJoCo's bindings."""
    groups: dict[str, tuple[Field, ...]] = {}
    for field in VISUAL:
        group, _, name = field.name.partition(".")
        group = "global_" if group == "global" else group
        groups[group] = (*groups.get(group, ()), field._replace(name=name))
    return groups


GROUPS = _groups()


def new_structures() -> dict[str, Structure]:
    """The structures inside a model, filled with zeros: `opt`, `stat`, `vis`."""
    visual = Visual()
    visual.__dict__.update({group: Structure(fields) for group, fields in GROUPS.items()})
    return {"opt": Option(OPTION), "stat": Statistic(STATISTIC), "vis": visual}


def text_of(path: Path, where: str) -> bytes:
    """The document in a file, or what a user's decoder of models makes of it.

    Raises:
        MjcfError: it is a binary model, or the decoder says what is wrong with it.
    """
    text = path.read_bytes()
    if decoder := decoder_of("model", "", path.suffix):
        try:
            return model_text(decoder, text, path.name)
        except ValueError as error:
            raise MjcfError(f"{where}: {path}: {error}") from None
    if text.startswith(BINARY):
        raise MjcfError(
            f"{where}: {path}: found a saved model of mjenv, expected MJCF; use Model.load(path)"
        )
    if text.startswith(MJB):
        raise MjcfError(
            f"{where}: {path}: found a binary model of MuJoCo (mjb), expected MJCF: its source, or "
            "what mj_saveLastXML writes"
        )
    return text


def shape_of(field: Field, sizes: dict) -> tuple[int, ...]:
    """Shape of an array; the last two of three dimensions are one, as in MuJoCo's bindings."""
    shape = tuple(n if isinstance(n, int) else sizes[n] for n in field.shape)
    return shape if len(shape) < 3 else (shape[0], shape[1] * shape[2])


class Model(ModelFields):
    """A compiled model: sizes and arrays with the names, shapes, types and order of mjModel.

    Arrays are C-contiguous; their real values may be changed. `opt`, `stat` and `vis` are options,
    statistics and settings of pictures. `model.body("torso").mass` is the part of one body, by
    name or id; joints, geoms, sites and other named objects have the same access.
    """

    def __init__(self, sizes: dict[str, int]):
        """Allocate a model filled with zeros; see `from_xml_path` for models from files.

        Args:
            sizes: sizes by name; the others are 0.

        Raises:
            TypeError: `sizes` is not a dict, such as an MJCF document.
        """
        if not isinstance(sizes, Mapping):
            raise TypeError(
                f"Model: found {a_or_an(type(sizes).__name__)}; expected "
                "Model.from_xml_path(path) or Model.from_xml_string(text)"
            )
        state = self.__dict__
        for name in SIZES:
            state[name] = int(sizes.get(name, 0))
        self._allocate(LAYOUTS)
        state["signature"] = 0
        state.update(new_structures())

    def _allocate(self, layouts: Iterable[Layout]) -> None:
        """Set arrays to zeros of the shapes that the sizes say."""
        state, zeros = self.__dict__, np.zeros
        shapes: dict[tuple[int | str, ...], list[int]] = {}
        for name, dims, dtype in layouts:
            shape = shapes.get(dims)
            if shape is None:
                shape = [n if isinstance(n, int) else state[n] for n in dims]
                if len(shape) == 3:
                    shape = [shape[0], shape[1] * shape[2]]
                shapes[dims] = shape
            state[name] = zeros(shape, dtype) if dtype is not None else bytes(shape[0])

    def resize(self, **sizes: int) -> None:
        """Change sizes; arrays that depend on them become zero."""
        self.__dict__.update(sizes)
        self._allocate({a.name: a for size in sizes for a in DEPENDING[size]}.values())

    if not TYPE_CHECKING:

        def __setattr__(self, name: str, value: Any) -> None:
            old = self.__dict__.get(name)
            if isinstance(old, np.ndarray):
                old[...] = value
                Edits.last = object()
                return
            if old is None and not hasattr(type(self), name):
                getattr(self, name)
            if name in SIZES:
                reason = "a size, which the document decides; compile another model"
            elif isinstance(old, Structure):
                reason = f"set its fields: {name}.{_some(old)}"
            else:
                reason = "the document decides it; compile another model"
            raise AttributeError(f"Model.{name}: cannot be assigned; {reason}")

        def __getattr__(self, name: str):
            if name.startswith("__"):
                raise AttributeError(name)
            raise AttributeError(f"Model: {name}: no such field{nearest(name, dir(self))}")

    @property
    def modelname(self) -> str:
        """Name of the model."""
        return self.names.partition(b"\0")[0].decode(errors="replace")

    def __repr__(self) -> str:
        sizes = " ".join(f"{name}={getattr(self, name)}" for name in SHOWN)
        return f"<mjenv.Model '{self.modelname}': {sizes}>"

    @classmethod
    def from_xml_path(
        cls,
        path: str | os.PathLike,
        assets: dict[str, bytes] | None = None,
        *,
        max_bytes: int | None = None,
    ) -> "Model":
        """Compile an MJCF file.

        Args:
            path: the file; files that it names are found from its folder.
            assets: contents of files by name, which are found first.
            max_bytes: memory that the arrays of the model may take, and its assets; None: 512 MB.

        Raises:
            FileNotFoundError: there is no such file.
            MjcfError: the model is malformed; the message has file and line.
            UnsupportedFeature: the model uses an unsupported feature.
        """
        path = Path(path)
        text = text_of(path, "Model.from_xml_path")
        return Registered.compiler(text, path.name, str(path.parent), assets, max_bytes)

    @classmethod
    def from_xml_string(
        cls,
        xml: str | bytes,
        assets: dict[str, bytes] | None = None,
        *,
        folder: str | os.PathLike | None = None,
        max_bytes: int | None = None,
    ) -> "Model":
        """Compile MJCF text.

        Args:
            xml: the document.
            assets: contents of the files that it names.
            folder: where other files are found, "." for the working directory as in MuJoCo; None:
                they are not read.
            max_bytes: memory that the arrays of the model may take, and its assets; None: 512 MB.

        Raises:
            MjcfError: the model is malformed; the message has the line.
            UnsupportedFeature: the model uses an unsupported feature.
        """
        text = xml.encode(errors="surrogatepass") if isinstance(xml, str) else xml
        where = os.fspath(folder) if folder is not None else ""
        return Registered.compiler(text, "<string>", where, assets, max_bytes)

    def save(self, path: str | os.PathLike) -> None:
        """Write the model to a file, from which `Model.load` reads it quickly.

        Args:
            path: the file, which is overwritten. Only this version of mjenv reads it.
        """
        from .binary import save

        save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike) -> "Model":
        """Read a model that `save` wrote.

        Raises:
            OSError: the file cannot be read.
            ModelFileError: it is not such a file, comes from another version, or is damaged.
        """
        from .binary import load

        return load(path)

    def to_bytes(self) -> bytes:
        """The model as the bytes of a file."""
        from .binary import pack

        return bytes(pack(self))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Model":
        """The model that `to_bytes` made bytes of.

        Raises:
            ModelFileError: the bytes are not such a model, come from another version, or are
                damaged.
        """
        from .binary import unpack

        return unpack(data)

    def __reduce__(self):
        return Model.from_bytes, (self.to_bytes(),)

    def __copy__(self) -> "Model":
        from .binary import copied

        return copied(self)

    def __deepcopy__(self, memo: dict) -> "Model":
        twin = memo[id(self)] = self.__copy__()
        return twin

    def bind(self, elements: Any):
        """The rows of an element of a `Spec`, or of several of one kind, in this model.

        Args:
            elements: an element with a name, `spec.joint("knee")`, or some of one kind.

        Returns:
            What `model.joint("knee")` returns; for several, their rows one after the other.
        """
        from .bound import bind

        return bind(self, elements, lambda kind, key: getattr(self, kind)(key))

    def name(self, kind: str, place: int) -> str:
        """Name of a thing, "" when it has none.

        Args:
            kind: a key of `NAMED`.
            place: its id.
        """
        start = int(getattr(self, f"name_{NAMED[kind][1]}adr")[place])
        return self.names[start : self.names.index(b"\0", start)].decode()


add_accessors(
    Model,
    NAMED,
    SHORT | {"keyframe": "key"},
    lambda model, kind, key: Named(model, kind, place_of(model, kind, key)),
)
