"""`MjSpec`: a model that is put together and edited in Python, and compiled."""

from typing import Any

import numpy as np

from mjenv.engine.mjcf.draft.orientation import ALTERNATIVES, DegenerateError
from mjenv.engine.tables.plugin_kinds import KINDS as PLUGINS
from mjenv.mujoco.errors import FatalError
from mjenv.mujoco.spec import attaching, compiling, copying, reading, removing, writing, zips
from mjenv.mujoco.spec.adding import add_to_spec
from mjenv.mujoco.spec.kinds import IN_SPEC, KINDS
from mjenv.mujoco.spec.lists import MjCharVec
from mjenv.mujoco.spec.store import Store
from mjenv.mujoco.structs.fields import add_fields


class MjSpec(Store):
    """A model as a tree of bodies and lists of elements, which can be changed and compiled.

    Attributes:
        modelname, comment, modelfiledir: texts; files are found from the last one.
        assets: contents of files by name.
        parent: the spec that it was attached to last, or None.
        worldbody, default: the world, and the outermost default class.
        compiler, option, visual, stat: settings.
        bodies, geoms, ...: lists of all elements of a kind.
        body, geom, ...: functions that find an element by name, None where there is none.
    """

    __module__ = "mujoco._specs"

    # reading and writing

    @classmethod
    def from_file(
        cls, filename: str, include: Any = None, assets: Any = None, vfs: Any = None
    ) -> "MjSpec":
        """Read an MJCF or URDF file.

        Args:
            filename: the file.
            include: contents of files that it includes, by name.
            assets: contents of files that its assets name, by name.
            vfs: a virtual file system that has them, in place of `include` and `assets`.

        Raises:
            ValueError: the document is malformed.
        """
        return reading.from_file(cls, filename, include, assets, vfs)

    @classmethod
    def from_string(
        cls, xml: str, include: Any = None, assets: Any = None, vfs: Any = None
    ) -> "MjSpec":
        """Read the text of an MJCF or URDF file; see `from_file`."""
        return reading.from_string(cls, xml, include, assets, vfs)

    @classmethod
    def from_zip(cls, file: Any) -> "MjSpec":
        """Read a model and its files from a zip file, given by name or open."""
        return zips.from_zip(cls, file)

    def to_zip(self, file: Any) -> None:
        """Write the model and its files to a zip file, given by name or open."""
        zips.to_zip(self, file)

    def to_xml(self) -> str:
        """The spec, compiled, as MJCF text in MuJoCo's form."""
        return writing.to_xml(self)

    def to_file(self, file: str) -> None:
        """Write the spec as MJCF text to a file."""
        writing.to_file(self, file)

    def encode(self, filename: str, model: Any = None, content_type: str | None = None) -> int:
        """Write the spec in the format of a file's name, or of a type of contents.

        Args:
            filename: the file; `.xml` is MJCF, others are of `mjenv.register_encoder`.
            model: what it compiled to, whose numbers are taken over.
            content_type: such as "text/xml".

        Returns:
            The number of bytes.

        Raises:
            FatalError: nothing writes this format.
        """
        try:
            return writing.encode(self, filename, model, content_type)
        except LookupError as error:
            raise FatalError(str(error)) from None

    def copy(self) -> "MjSpec":
        """A copy."""
        return copying.copy_spec(self)

    # compiling

    def compile(self, vfs: Any = None) -> Any:
        """The model.

        Args:
            vfs: a virtual file system with files, in place of `assets`.

        Raises:
            ValueError: what MuJoCo refuses, with the name of the element.
        """
        return compiling.compile_spec(self, vfs)

    def recompile(self, model: Any, data: Any) -> tuple[Any, Any]:
        """The model after changes, and data in the state of those given, as far as it is there."""
        return compiling.recompile(self, model, data)

    def _remove_body(self, body: Any) -> None:
        removing.remove_body(self, body)

    def delete(self, element: Any) -> None:
        """Take out an element or a default class.

        What refers to a body, and to what is in it, is taken out with it; what refers to other
        elements stays, and the spec does not compile then.

        Raises:
            ValueError: the spec is attached to another one.
        """
        removing.delete(self, element)

    # other specs

    def attach(
        self,
        child: "MjSpec",
        prefix: str | None = None,
        suffix: str | None = None,
        site: Any = None,
        frame: Any = None,
    ) -> Any:
        """Put the world of another spec into a frame, or to where a site is.

        Args:
            child: the other spec.
            prefix, suffix: put around all names; without both, the prefix is "/".
            site, frame: one of them, or its name.

        Returns:
            The frame around what was the world.
        """
        if not isinstance(child, MjSpec):
            raise TypeError(f"attach(): found {type(child).__name__}, expected an MjSpec")
        if child is self:
            raise ValueError("attach: found the spec itself, expected another one, or a copy")
        if frame is None and site is None:
            raise ValueError("One of frame or site must be specified.")
        if frame is not None and site is not None:
            raise ValueError("Only one of frame or site can be specified.")
        # where it goes, in this very spec
        kind, place = ("frame", frame) if frame is not None else ("site", site)
        if isinstance(place, str):
            place = self._found(kind, place)
        if place is None:
            raise ValueError(f"{kind.capitalize()} not found.")
        if place._spec is not self:
            raise ValueError(f"{kind.capitalize()} spec does not match parent spec.")
        # elements with their names, then the files that they are made of
        before, behind = "/" if prefix is None else prefix, suffix or ""
        attached = attaching.attach_spec(self, child, before, behind, place)
        zips.take_assets(self, child, before, behind)
        child.__dict__["_parent"] = self
        return attached

    def activate_plugin(self, name: str) -> None:
        """Let the spec use a plugin; one that there is not is no error before it is used."""
        if name in PLUGINS and name not in self._active:
            self._active.append(name)

    @staticmethod
    def resolve_orientation(
        degree: bool, sequence: MjCharVec | None = None, orientation: Any = None
    ) -> list[float]:
        """The quaternion of another way to say an orientation; zeros where it says none."""
        word = orientation.type.name.removeprefix("mjORIENTATION_").lower()
        if word not in ALTERNATIVES:
            return [0.0] * 4
        numbers = tuple(np.asarray(getattr(orientation, word)).tolist())
        letters = "".join(sequence) if sequence is not None else "xyz"
        try:
            turned = ALTERNATIVES[word](numbers, {"degree": bool(degree), "eulerseq": letters})
        except DegenerateError as error:
            raise ValueError(f"{word}: {error}") from None
        return list(turned)

    def __repr__(self) -> str:
        return f"<mujoco._specs.MjSpec object at {id(self):#x}>"


def _kinds(kind: str) -> None:
    """Give specs the list of a kind, what finds one by name, and what adds one."""

    def listed(self: MjSpec) -> list[Any]:
        return list(self._elements(kind))

    def found(self: MjSpec, name: str) -> Any:
        return self._found(kind, name)

    def added(self: MjSpec, *args: Any, **keywords: Any) -> Any:
        return add_to_spec(self, kind, args, keywords)

    plural = KINDS[kind].plural
    setattr(MjSpec, plural, property(listed, doc=f"All {plural}."))
    found.__name__, found.__doc__ = kind, f"The {kind} of a name, or None."
    setattr(MjSpec, kind, found)
    if kind in IN_SPEC:
        added.__name__ = f"add_{kind}"
        added.__doc__ = f"Add a {kind}; keywords are its attributes."
        setattr(MjSpec, added.__name__, added)


for _kind in KINDS:
    _kinds(_kind)
add_fields(MjSpec, "MjSpec")


def from_zip(file: Any) -> MjSpec:
    """Read a model and its files from a zip file, given by name or open."""
    return MjSpec.from_zip(file)
