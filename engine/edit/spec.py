"""`Spec`: a model that can be edited, one to one with MJCF, and compiled."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import MjcfError, nearest
from ..mjcf.document.assembly import Assembly
from ..mjcf.document.expand import expand, expand_flexcomps, expansion_of
from ..mjcf.document.expansion import find_body
from ..mjcf.document.inertials import with_inertials
from ..mjcf.document.merge import merged
from ..mjcf.document.states import Places, has_state
from ..mjcf.document.subtrees import is_last, world_of
from ..mjcf.document.writer import has_open_keys, write
from ..mjcf.draft.defaults import Defaults
from ..mjcf.draft.orientation import ALTERNATIVES
from ..mjcf.text.element import Document, Element
from ..mjcf.text.nesting import limited
from ..mjcf.text.reader import read
from ..mjcf.text.references import Renaming
from ..mjcf.text.schema import Kind, kinds
from ..mjcf.text.source import Source
from ..model.model import NAMED, Model, text_of
from ..resources import encoded
from ..tables.fields import KEYFRAME
from ..whole_files import write_whole
from .carry_over import carry_over
from .compile import compile_root
from .copyback import copy_back
from .node import Node, caller

if TYPE_CHECKING:
    from ..data.data import Data

SECTIONS = (
    "compiler", "option", "size", "visual", "statistic", "default", "extension", "custom", "asset",
    "contact", "deformable", "equality", "tendon", "actuator", "sensor", "keyframe",
)  # fmt: skip
FINDABLE = (*NAMED, "frame")


class Section(Node):
    """A section of the document: `spec.actuator.add_motor(joint="knee")`.

    Those that hold named things are also functions that find one: `spec.actuator("knee")`.
    """

    __slots__ = ()

    def __call__(self, name: str) -> Node:
        return self.find(self.tag, name)


class Spec:
    """A model as an MJCF document that can be changed.

    Elements are `Node` objects: `spec.worldbody.add_body(name="arm", pos=(0, 0, 1))`. Sections are
    attributes, `spec.option.timestep = 0.001`; named elements are found by functions of their kind,
    `spec.body("arm")`, `spec.geom("hand")`, `spec.joint("knee").damping = 0.1`.

    Replicated subtrees and attached models are written out when a document is read; those that are
    added to it, when it is compiled.

    Attributes:
        modelname: name of the model.
        comment: text of a comment at the beginning, or "".
        worldbody: the world.
        option, actuator, ...: sections.
        body, joint, ...: functions that find an element by name.
        assets: contents of the files that it names, by name.
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def __init__(
        self,
        folder: str | os.PathLike = "",
        assets: dict[str, bytes] | None = None,
        *,
        max_bytes: int | None = None,
    ):
        """An empty model.

        Args:
            folder: where files that it names are found; None: none are read.
            assets: contents of files by name.
            max_bytes: memory that a compiled model may take; see `Model.from_xml_path`.
        """
        file, line = caller()
        source = Source(os.fspath(folder), assets, max_bytes)
        root = Element(kinds()["mujoco"], "mujoco", file, line, Document(source), source.folder)
        self._start(Assembly(root, world_of(root)))

    def _start(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._places: Places | None = None
        self._classes: Defaults | None = None

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike,
        assets: dict[str, bytes] | None = None,
        *,
        max_bytes: int | None = None,
    ) -> "Spec":
        """Read an MJCF or URDF file.

        Args:
            path: the file; files that it names are found from its folder.
            assets: contents of files by name, which are found first.
            max_bytes: memory that a compiled model may take; see `Model.from_xml_path`.

        Raises:
            FileNotFoundError: there is no such file.
            MjcfError: the document is malformed; the message has file and line.
        """
        path = Path(path)
        source = Source(str(path.parent), assets, max_bytes)
        return cls._read(text_of(path, "Spec.from_file"), path.name, source)

    @classmethod
    def from_string(
        cls,
        xml: str | bytes,
        assets: dict[str, bytes] | None = None,
        *,
        folder: str | os.PathLike | None = None,
        max_bytes: int | None = None,
    ) -> "Spec":
        """Read MJCF text.

        Args:
            xml: the document.
            assets: contents of the files that it names.
            folder: where other files are found, "." for the working directory as in MuJoCo; None:
                they are not read.
            max_bytes: memory that a compiled model may take; see `Model.from_xml_path`.

        Raises:
            MjcfError: the document is malformed; the message has the line.
        """
        text = xml.encode(errors="surrogatepass") if isinstance(xml, str) else xml
        source = Source(os.fspath(folder) if folder is not None else "", assets, max_bytes)
        return cls._read(text, "<string>", source)

    @classmethod
    def _read(cls, text: bytes, file: str, source: Source) -> "Spec":
        spec = cls.__new__(cls)
        with limited(file):
            root = expand_flexcomps(read(text, file, source))
            expansion = expansion_of(root)
            if expansion is None:
                root = merged(root)
                expansion = Assembly(root, world_of(root))
            else:
                expansion.root = merged(expansion.root)
        spec._start(expansion)
        return spec

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_") or name in ("modelname", "comment"):
            object.__setattr__(self, name, value)
            return
        getattr(self, name)  # the message of reading says which names there are
        raise AttributeError(f"Spec.{name}: cannot be assigned; set attributes of what it holds")

    def __repr__(self) -> str:
        bodies = sum(1 for _ in self.worldbody.walk("body"))
        return f"<mjenv.Spec '{self.modelname}': {bodies} bodies>"

    # what it has

    @property
    def modelname(self) -> str:
        """Name of the model."""
        return self._assembly.root.values.get("model", "MuJoCo Model")

    @modelname.setter
    def modelname(self, name: str) -> None:
        self._assembly.root.values["model"] = name

    @property
    def comment(self) -> str:
        """Comment at the beginning of the document."""
        return self._assembly.root.document.comment

    @comment.setter
    def comment(self, text: str) -> None:
        self._assembly.root.document.comment = text

    @property
    def assets(self) -> dict[str, bytes]:
        """Contents of files by name; what is added here is found first."""
        return self._assembly.root.document.source.assets

    @property
    def root(self) -> Node:
        """The document itself, around all sections."""
        return Node(self, self._assembly.root, None)

    @property
    def worldbody(self) -> Node:
        """The world."""
        return Node(self, self._assembly.world, self.root)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in SECTIONS:
            return Section(self, self._assembly.section(name), self.root)
        if name in FINDABLE:
            return lambda wanted: self.find(name, wanted)
        known = (*SECTIONS, *FINDABLE, *type(self).__dict__)
        raise AttributeError(f"Spec: {name}: no such attribute{nearest(name, known)}")

    def __dir__(self):
        return sorted({*super().__dir__(), *SECTIONS, *FINDABLE})

    def find(self, kind: str, name: str) -> Node:
        """The element of a name; see `Node.find`."""
        if kind == "body" and name == "world":
            return self.worldbody
        return self.root.find(kind, name)

    def all(self, *tags: str) -> list[Node]:
        """All elements of these names, in the order of the document."""
        return list(self.root.walk(*tags))

    def copy(self) -> "Spec":
        """A copy that shares nothing with this one but the contents of files."""
        spec = Spec.__new__(Spec)
        spec._start(self._assembly.copy())
        return spec

    # what it becomes

    def compile(self) -> Model:
        """The model.

        Raises:
            MjcfError: the document is not a valid model; the message has file and line, for
                elements that were added those of the code.
            UnsupportedFeature: the model uses an unsupported feature.
        """
        root = self._assembly.finished()
        whole = expand(root)
        model = compile_root(whole)
        same = whole is root
        if same:
            self._assembly.settle(root, model)
        self._places = Places(self._assembly.root, self._assembly.world) if same else None
        return model

    def recompile(self, data: "Data") -> tuple[Model, "Data"]:
        """The model after changes, and data in the same state.

        Joints, actuators and mocap bodies that this spec had when it compiled the model of `data`
        keep their positions, velocities, activations, controls and poses; new ones start at
        `qpos0`.

        Args:
            data: data of the model that was compiled last.

        Returns:
            The new model and new data, with as many worlds.

        Raises:
            ValueError: the data belong to another model.
        """
        from ..data.data import Data

        old = self._places
        if old is None or any(
            old.size(f) != getattr(data, a).shape[1] for f, a in KEYFRAME.items()
        ):
            raise ValueError("recompile: expected data of the model that this spec compiled last")
        model = self.compile()
        new = Data(model, data.nworld)
        assert self._places is not None
        carry_over(data, old, new, self._places)
        return model, new

    def copy_back(self, model: Model) -> None:
        """Copy edited numbers of a compiled model into this document.

        Poses, sizes, masses and inertias, parameters of joints, geoms, tendons, actuators, sensors
        and constraints, colours, options, keyframes and custom numbers are written into the
        elements, in their units, so that the spec compiles to these numbers. Actuators that cannot
        say theirs become <general>, bodies with another mass than that of their geoms get an
        <inertial>. What is computed from others is not taken over, and neither are integers, but
        for those of the options.

        Args:
            model: what this spec compiled to, edited.

        Raises:
            MjcfError: the model is not one of this spec, or has numbers that no attribute can
                give it; nothing is changed then.
        """
        if self._assembly.pending:
            self.compile()
        root = self._assembly.finished()
        if expand(root) is not root:
            raise MjcfError(
                f"{root.where}: copy_back: expected a spec without <replicate> and <attach>;"
                " write them out with Spec.from_string(spec.to_xml())"
            )
        copy_back(root, model)
        self._changed()

    def to_xml(self) -> str:
        """MJCF text that compiles to the same model.

        With `compiler.saveinertial` set, masses and inertias that come from geoms are written too.

        Raises:
            MjcfError: the document is not a valid model.
            UnsupportedFeature: parts of an attached model need compiler settings that a document
                cannot have for a part of it.
        """
        root = expand(self._assembly.finished())
        weighed = root.document.settings["saveinertial"] == "true"
        model = compile_root(root) if weighed or has_open_keys(root) else None
        return write(with_inertials(root, model) if weighed and model is not None else root, model)

    def to_file(self, path: str | os.PathLike) -> None:
        """Write MJCF text to a file, see `to_xml`, or what `register_encoder` has for its name."""
        given = encoded(self, os.path.splitext(path)[1])
        write_whole(path, self.to_xml().encode() if given is None else given)

    # what nodes ask for

    def _changed(self) -> None:
        self._classes = None

    def _defaults(self) -> Defaults:
        if self._classes is None:
            self._classes = Defaults(self._assembly.sections("default"))
        return self._classes

    def _element(self, kind: Kind, tag: str) -> Element:
        """A new element; messages say where in the user's code it was made."""
        file, line = caller()
        document = self._assembly.root.document
        return Element(kind, tag, file, line, document, document.source.folder)

    def _remove(self, node: Node) -> None:
        element, parent = node._element, node.parent
        if parent is None or element is self._assembly.world:
            raise MjcfError(f"{element.where}: expected an element that can be removed")
        self._changed()
        assembly = self._assembly
        assembly.recount()
        if element.tag == "key" or element.kind.tag == "keyframe":
            assembly.take_out(parent._element, element)
            return
        if element.tag == "body":
            # as in MuJoCo, which copies the model then, and the keyframes with the copy
            assembly.forget_actuators()
        if not any(has_state(one) for one in element.walk()):
            assembly.take_out(parent._element, element)
            return
        keys = assembly.take_keys()
        assembly.store(keys, Renaming())
        assembly.take_out(parent._element, element)
        if element.tag == "body":
            assembly.drop_instances()
        stored = assembly.pending[len(assembly.pending) - len(keys) :]
        for state in stored:
            state.copied = element.tag == "body"
        assembly.show(stored + [state for state in assembly.pending if state.shown])

    def _attach(self, node: Node, source: "Spec | Node", rename: Renaming) -> Node:
        # sites are frames of their body
        target, assembly = node, self._assembly
        frame = self._element(kinds()["body/frame"], "frame")
        if node.tag == "site" and node.parent is not None:
            target = node.parent
            frame.values = self._site_pose(node)
        elif node.tag not in ("body", "frame", "worldbody"):
            raise MjcfError(f"{node!r}: expected a body, frame or site to attach to")
        # a whole model, or one body of it
        other = source if isinstance(source, Spec) else source._spec
        around, content = "main", list(other._assembly.world.children)
        if isinstance(source, Node):
            found = find_body(other._assembly.world, lambda e: e is source._element)
            if found is None:
                raise MjcfError(f"{source!r}: expected a model, or a body of one")
            content, around = [found[0]], found[1]
        # counts of names are needed to find which of them clash
        self._changed()
        assembly.recount()
        other._assembly.recount()
        if other is self:
            assembly.store(assembly.own_keys(), rename)
        # a copy within the tree, or a graft of another one, whose pending keyframes stay there
        target = self._last_place(target)
        target._element.children.append(frame)
        if other is self:
            assembly.duplicate(frame, content, rename)
        else:
            pending = list(other._assembly.pending)
            assembly.graft(frame, content, other._assembly, rename, around)
            other._assembly.pending, other._assembly.remembered = pending, []
        assembly.complete_keys()
        return Node(self, frame, target)

    def _last_place(self, node: Node) -> Node:
        """The frame behind everything else in its body, copied there if it stands before something.

        What is attached to a body comes last in it, as in MuJoCo.
        """
        frames = []
        while node.tag == "frame" and node.parent is not None:
            frames.append(node)
            node = node.parent
        if all(is_last(f._element, f.parent._element) for f in frames):
            return frames[0] if frames else node
        for frame in reversed(frames):
            copy = frame._element.like()
            copy.values.pop("name", None)
            node._element.children.append(copy)
            node = Node(self, copy, node)
        return node

    def _site_pose(self, site: Node) -> dict:
        """Attributes of a frame where a site is."""
        element = site._element
        values = self._defaults().values(element, "site", site._class_around())
        if values.get("fromto") is not None:
            raise MjcfError(f"{site!r}: expected a site with pos, found one with fromto")
        turned = next((name for name in ALTERNATIVES if name in values), "quat")
        return {name: values[name] for name in ("pos", turned)}
