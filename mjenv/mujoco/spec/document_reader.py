"""Elements of a spec from those of a document."""

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.edit.spec import Spec
from mjenv.engine.mjcf.document.expansion import REPLICATED
from mjenv.engine.mjcf.draft.defaults import ACTUATORS, Defaults
from mjenv.engine.mjcf.flex.cells import EMPTY_CELLS, NODE_POINTS
from mjenv.engine.mjcf.parts.collect import ATTACHED, RECORDS, check_settings, read_settings
from mjenv.engine.mjcf.text.element import Element, Generated
from mjenv.engine.mjcf.text.references import as_given
from mjenv.engine.tables.enum_tables import enumeration
from mjenv.engine.tables.plugin_kinds import KINDS as PLUGINS
from mjenv.mujoco.spec.adding import new_in_body, new_in_spec
from mjenv.mujoco.spec.defaults import MjsDefault
from mjenv.mujoco.spec.kinds import IN_DEFAULTS
from mjenv.mujoco.spec.reading_checks import (
    Names,
    check_inertial,
    check_inside_world,
    check_targets,
    check_values,
    check_world,
)
from mjenv.mujoco.spec.states import Pending
from mjenv.mujoco.spec.tables import structures
from mjenv.mujoco.spec.taking import MORE, take, take_all, take_orientation
from mjenv.mujoco.spec.taking_settings import take_compiler, take_inertial, take_sections
from mjenv.mujoco.words.explain import SpecError

if TYPE_CHECKING:
    from mjenv.mujoco.spec.store import Store


class DocumentReader:
    """A document that becomes a spec.

    Attributes:
        spec: the spec.
        made: its elements, by `id` of those of the document.
        compilers: settings of the documents that it was put together from, by `id`.
        mains: the outermost classes of attached documents.
    """

    def __init__(self, spec: "Store", source: Spec):
        self.spec, self.assembly = spec, source._assembly
        self.root, self.world = self.assembly.root, self.assembly.world
        self.made: dict[int, Any] = {}
        self.names = Names()
        self.compilers: dict[int, Any] = {id(self.root.document): spec.compiler}
        self.defaults = Defaults(self.assembly.sections("default"))
        self.mains: set[str] = set()

    def run(self) -> None:
        """Fill the spec."""
        spec, root = self.spec, self.root
        read_settings(root)
        for section in root.children:
            check_settings(section)
        # what is no element of a list
        spec.modelname = root.values.get("model", "MuJoCo Model")
        spec.comment = root.document.comment
        take_compiler(spec, root)
        take_sections(spec, root)
        # lists, in MuJoCo's order: what others refer to comes first
        self._classes()
        for section in self.assembly.sections("extension"):
            self._extension(section)
        for tag in ("custom", "asset", "contact", "deformable", "equality", "tendon", "actuator"):
            self._section(tag)
        self._section("sensor")
        check_world(self.world)
        self._inside(self.world, spec._world, None, "main")
        # keyframes of the document itself, not of models attached to it
        own = {id(key) for key in self.assembly.own_keys()}
        for section in self.assembly.sections("keyframe"):
            for element in section.children:
                if id(element) in own:
                    self._outside(element, "key")
        self._pending()
        spec._tree_changed()
        if self.assembly.sources or any(REPLICATED in e.values for e in self.world.walk()):
            spec._number_tree()

    def _compiler(self, element: Element) -> Any:
        """Settings that hold for an element, those of another model where it is from one."""
        document = element.document
        if id(document) not in self.compilers:
            other = type(self.spec)()
            source = next(
                (r for r in self.assembly.sources.values() if r.document is document), None
            )
            if source is not None:
                read_settings(source)
                take_compiler(other, source)
            folder = document.source.folder
            other.modelfiledir = folder + os.sep if folder else ""
            self.spec._attached_specs.append(other)
            self.compilers[id(document)] = other.compiler
        return self.compilers[id(document)]

    def _note(self, made: Any, element: Element) -> Any:
        """Keep where an element comes from."""
        self.names.note(made._kind, element)
        self.made[id(element)] = made
        made.info = _place(element) if made._kind != "key" else ""
        if "name" in element.values and made._kind != "plugin":
            made._name = element.values["name"]
        made._compiler = self._compiler(element)
        return made

    # default classes

    def _classes(self) -> None:
        main = self.spec._defaults[0]
        self._class(main, "main")
        for section in self.assembly.sections("default"):
            _note_lines(main, section)
            self._nested(section, main)

    def _named(self, name: str) -> str:
        """The class of an element, which is "main" where it is the outermost of its document."""
        return "main" if name in self.mains else name

    def _nested(self, element: Element, parent: MjsDefault) -> None:
        for child in element.children:
            if child.tag != "default":
                continue
            made = MjsDefault._made(child.values["class"], None)
            made._parent = parent
            parent._children.append(made)
            self.spec._defaults.append(made)
            self.spec._classes[made.name] = made
            self._class(made, made.name)
            if child.document is not element.document:
                self.mains.add(made.name)
            for kind, base in parent._elements.items():
                made._elements[kind].info = base.info
            _note_lines(made, child)
            self._nested(child, made)

    def _class(self, made: MjsDefault, name: str) -> None:
        records = self.defaults.records[name]
        for kind in IN_DEFAULTS:
            if kind in records:
                # names in classes of attached documents are not renamed, as in MuJoCo
                given = {k: records[kind].get(as_given(k), v) for k, v in records[kind].items()}
                take_all(made._elements[kind], given, _path(kind))

    # sections

    def _section(self, tag: str) -> None:
        for section in self.assembly.sections(tag):
            for element in section.children:
                record = RECORDS.get(element.kind.path)
                if tag == "actuator":
                    record = "actuator"
                if record is None:
                    raise element.unsupported(f"<{element.tag}> in <{tag}>")
                self._outside(element, record)

    def _outside(self, element: Element, kind: str) -> None:
        """An element outside the tree."""
        made = self._note(new_in_spec(self.spec, kind), element)
        if kind in self.defaults.builtin:
            values = self.defaults.values(element, kind)
            made._classname = self._named(element.values.get("class", "main"))
        else:
            values = element.kind.defaults | element.values
        check_targets(element, kind)
        check_values(element, kind)
        take_all(made, values, element.kind.path if kind not in IN_DEFAULTS else _path(kind))
        if kind in MORE:
            _take_more(made, element)
        if kind == "flex":
            points = element.values.get(NODE_POINTS) or ()
            made.node = [float(x) for x in points] if any(points) else []
            made.__dict__["_empty_cells"] = element.values.get(EMPTY_CELLS)
        self._drive(made, element)

    def _extension(self, section: Element) -> None:
        for element in section.children:
            kind = element.values["plugin"]
            if kind not in PLUGINS:
                raise element.error(f"plugin='{kind}': no such plugin")
            self.spec.activate_plugin(kind)
            for instance in element.children:
                made = self._note(new_in_spec(self.spec, "plugin"), instance)
                made.name, made.plugin_name = instance.values["name"], kind
                made.info = _place(element)
                made.config = _config(instance)

    def _drive(self, made: Any, element: Element) -> None:
        """Note the plugin that drives an element."""
        drivers = [child for child in element.children if child.tag == "plugin"]
        drivers += [element] if element.tag == "plugin" else []
        for driver in drivers:
            plugin = made.plugin
            plugin.active, plugin.name = 1, driver.values.get("instance", "")
            plugin.plugin_name = driver.values.get("plugin", "")
            if not plugin.name:
                own = self._note(new_in_spec(self.spec, "plugin"), driver)
                own.config, own.info = _config(driver), ""
                plugin._instance = own

    # the tree

    def _inside(self, element: Element, body: Any, frame: Any, around: str) -> None:
        """Contents of a body or frame."""
        for child in element.children:
            path = child.kind.path
            if body is self.spec._world:
                check_inside_world(child)
            if path in ATTACHED:
                self._attached(child, body, frame, around, ATTACHED[path][0])
            elif path == "body/freejoint":
                joint = self._placed(child, body, frame, "joint")
                joint._fill()
                joint.info, joint._classname = "", self._named(child.values.get("class", around))
                take_all(joint, child.values, path)
                joint.__dict__["type"] = enumeration("mjtJoint").mjJNT_FREE
            elif path in ("body", "body/frame"):
                self._nest(child, body, frame, around)
            elif path == "body/inertial":
                check_inertial(child)
                take_inertial(body, child)
            elif path == "body/plugin":
                self._drive(body, child)
            else:
                raise child.unsupported(f"<{child.tag}>")

    def _placed(self, element: Element, body: Any, frame: Any, kind: str) -> Any:
        check_values(element, kind)
        made = self._note(new_in_body(body, kind), element)
        made._frame = frame
        return made

    def _attached(self, element: Element, body: Any, frame: Any, around: str, kind: str) -> None:
        made = self._placed(element, body, frame, kind)
        made._fill()
        made.info = _place(element)
        name = self.defaults.check(element.values.get("class", around), element, "class")
        made._classname = self._named(name)
        if kind == "joint":
            # what keyframes are completed with goes by the type of the class
            known = self.defaults.records[name]["joint"]["type"]
            made.__dict__["_compiled_type"] = known.upper()
        take_all(made, self.defaults.values(element, kind, around), element.kind.path)
        self._drive(made, element)

    def _nest(self, element: Element, body: Any, frame: Any, around: str) -> None:
        """A body or frame, with what is in it."""
        kind = "body" if element.kind.path == "body" else "frame"
        if kind == "frame" and frame is not None and _is_around_attached(element):
            self._inside(element, body, frame, around)
            return
        name = element.values.get("childclass")
        around = around if name is None else self.defaults.check(name, element, "childclass")
        made = self._placed(element, body, frame, kind)
        made._classname = self._named(around)
        if REPLICATED in element.values:
            made.info = f"line = {element.line}"
        values = element.kind.defaults | element.values
        take(made, values, "body")
        take_orientation(made.alt, values)
        inner = (made, None) if kind == "body" else (body, made)
        self._inside(element, *inner, around)

    # keyframes of parts that were copied

    def _pending(self) -> None:
        for state in self.assembly.pending:
            time = state.element.values.get("time", 0.0)
            self.spec._pending.append(Pending(state.name, time, tuple(state.values)))
            for field, entries in state.values.items():
                for key, values in entries.items():
                    made = self.made.get(key)
                    if made is not None and None not in values:
                        made._states.setdefault(field, {})[state.name] = np.array(values, float)


def _take_more(made: Any, element: Element) -> None:
    """Take what an element says besides its attributes, such as the shape of a mesh."""
    try:
        MORE[made._kind](made, element)
    except SpecError as error:
        raise ValueError(
            f"XML Error: {error}\nElement '{element.tag}', line {element.line}\n"
        ) from None


def _note_lines(made: MjsDefault, section: Element) -> None:
    """Keep where a class says something of a kind of elements."""
    for element in section.children:
        kind = "actuator" if element.tag in ACTUATORS else element.tag
        if kind in made._elements:
            made._elements[kind].info = _place(element)


def _is_around_attached(frame: Element) -> bool:
    """True for the frame of what was attached, which is not needed inside another one."""
    return isinstance(frame, Generated) and REPLICATED not in frame.values


def _place(element: Element) -> str:
    """The line of an element; those of included files have none, as in MuJoCo.

    Elements that no line has, such as the bodies of a composite, have an empty text.
    """
    if isinstance(element, Generated):
        return ""
    main = element.document.file
    return f"line {element.line if not main or element.file == main else 0}"


def _path(kind: str) -> str:
    """Path in the schema of what default classes say of a kind."""
    return structures()[kind].path


def _config(element: Element) -> dict[str, str]:
    return {
        child.values["key"]: child.values["value"]
        for child in element.children
        if child.tag == "config"
    }
