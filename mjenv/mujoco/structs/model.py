"""`MjModel`: a compiled model with the interface of the bindings."""

import os
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from mjenv.engine.edit.compile import Model
from mjenv.engine.model.binary import copied
from mjenv.engine.model.named import NAMED
from mjenv.engine.simd.bound_calls import BoundCalls
from mjenv.mujoco.structs import bound
from mjenv.mujoco.structs.calls import OF_MODEL
from mjenv.mujoco.structs.fields import add_fields
from mjenv.mujoco.structs.last_document import LastDocument, specs
from mjenv.mujoco.structs.named import add_views
from mjenv.mujoco.structs.options import MjOption, MjStatistic, MjVisual
from mjenv.mujoco.structs.record import keep_fields
from mjenv.mujoco.structs.vfs import MjVfs, files_of
from mjenv.mujoco.words.explain import in_words

Files = Mapping[str, bytes] | None
MAX_BYTES = (1 << 31) - 1  # of a model; MuJoCo has no limit, addresses of arrays are whole numbers
_TWINS: WeakKeyDictionary[Any, Model] = WeakKeyDictionary()


class MjModel(Model):
    """A compiled model, from a document or from a file that `mj_saveModel` wrote."""

    # what machine code looks at, see functions/ready.py
    __slots__ = ("_bound",)
    _size_fields: tuple[str, ...]

    def __init__(self, *args: Any, **kwargs: Any):
        raise TypeError("MjModel: No constructor defined! Use MjModel.from_xml_path")

    @classmethod
    def of(cls, model: Model) -> "MjModel":
        """A model of the engine with the bindings' interface: both have the same arrays."""
        adopted = cls.__new__(cls)
        state = vars(model)
        object.__setattr__(adopted, "__dict__", state)
        for name, kind in (("opt", MjOption), ("stat", MjStatistic), ("vis", MjVisual)):
            state[name] = kind.of(state[name])
        return adopted

    @classmethod
    def from_xml_path(
        cls, filename: str, assets: Files = None, *, vfs: MjVfs | None = None
    ) -> "MjModel":
        """Compile a file.

        Args:
            filename: MJCF or URDF, on the disk or among the files in memory.
            assets: contents of files by name.
            vfs: the same, instead.

        Raises:
            ValueError: there is no such file, or something is wrong with it.
        """
        files = files_of(assets, vfs)
        filename = os.fsdecode(filename)
        if filename in files:
            return cls.from_xml_string(files[filename], assets, vfs=vfs)
        if not os.path.exists(filename):
            raise ValueError(f"ParseXML: Error opening file '{filename}': no such file")
        with in_words(lambda: specs().from_file(filename, include=files, assets=files).compile()):
            model = cls.of(Model.from_xml_path(filename, files, max_bytes=MAX_BYTES))
        LastDocument.note(filename, "", files)
        return model

    @classmethod
    def from_xml_string(
        cls, xml: str | bytes, assets: Files = None, *, vfs: MjVfs | None = None
    ) -> "MjModel":
        """Compile text; files that it names are found from the working directory.

        Args:
            xml: MJCF or URDF.
            assets: contents of files by name.
            vfs: the same, instead.

        Raises:
            ValueError: something is wrong with the text.
        """
        files = files_of(assets, vfs)
        if not xml:
            raise ValueError("ParseXML: empty file 'model_.xml'")
        with in_words(lambda: specs().from_string(xml, include=files, assets=files).compile()):
            model = cls.of(Model.from_xml_string(xml, files, folder=".", max_bytes=MAX_BYTES))
        LastDocument.note(None, xml, files)
        return model

    @classmethod
    def from_binary_path(
        cls, filename: str, assets: Files = None, *, vfs: MjVfs | None = None
    ) -> "MjModel":
        """Read a model that `mj_saveModel` of this module wrote.

        Args:
            filename: on the disk or among the files in memory.
            assets: contents of files by name.
            vfs: the same, instead.

        Raises:
            ValueError: there is no such file, or it is none of this module: those of MuJoCo
                itself (.mjb) hold its memory as it lay, and are not read.
        """
        files = files_of(assets, vfs)
        if filename in files:
            return cls.of(Model.from_bytes(files[filename]))
        try:
            return cls.of(Model.load(filename))
        except OSError as error:
            raise ValueError(f"mj_loadModel: {filename}: {error.strerror}") from None

    @property
    def _address(self) -> int:
        """A number that no other model has."""
        return id(self)

    @property
    def _sizes(self) -> np.ndarray:
        """All sizes in the order of `_size_fields`: (92,) int64."""
        return np.array([getattr(self, name) for name in self._size_fields], np.int64)

    def _field(self, name: str) -> Any:
        raise AttributeError(f"MjModel: {name}: no such field in this version")

    def _views(self) -> dict:
        """Named things that were looked at."""
        return vars(self).setdefault("_named_views", {})

    def _calls(self) -> BoundCalls:
        """Kernels that are bound to the model, by the functions that call them."""
        state = vars(self)
        calls = state.get("_bound_calls")
        if calls is None:
            calls = state["_bound_calls"] = BoundCalls(OF_MODEL)
        object.__setattr__(self, "_bound", calls.rows)
        return calls

    def _names(self, kind: str) -> tuple[dict[str, int], list[str]]:
        """Numbers of the things of a kind by their names, and the names of all."""
        names = vars(self).setdefault("_known_names", {})
        found = names.get(kind)
        if found is None:
            known = [self.name(kind, place) for place in range(getattr(self, NAMED[kind][0]))]
            numbers = {name: place for place, name in reversed([*enumerate(known)]) if name}
            found = names[kind] = numbers, known
        return found

    def _named_source(self) -> tuple[Any, None]:
        return self, None

    def bind(self, elements: Any) -> Any:
        """View of an element of the spec that the model was compiled from, or of several.

        Raises:
            ValueError: the spec was changed since, or is another one.
        """
        return bound.bind(self, elements)

    def bind_scalar(self, element: Any) -> Any:
        """View of one element of the spec; see `bind`."""
        return bound.bind_scalar(self, element)

    def _twin(self) -> Model:
        """The model of the engine with the same state, which data work with.

        It does not keep this object alive, of which data hold one reference as in the bindings.
        """
        twin = _TWINS.get(self)
        if twin is None:
            twin = _TWINS[self] = Model.__new__(Model)
            object.__setattr__(twin, "__dict__", vars(self))
        return twin

    def __reduce__(self) -> tuple:
        return _unpacked, (self.to_bytes(),)

    def __copy__(self) -> "MjModel":
        return MjModel.of(copied(self))

    def __deepcopy__(self, memo: dict) -> "MjModel":
        memo[id(self)] = copy = self.__copy__()
        return copy

    __delattr__ = keep_fields
    __repr__ = object.__repr__
    __hash__ = object.__hash__


def _unpacked(data: bytes) -> MjModel:
    """A model from its bytes."""
    return MjModel.of(Model.from_bytes(data))


add_views(MjModel, "Model")
add_fields(MjModel, "MjModel")
