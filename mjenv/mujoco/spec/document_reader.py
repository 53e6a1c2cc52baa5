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
from mjenv.engine.tables.plugin_kinds import KINDS as PLUGINS
from mjenv.mujoco.enumerations import enumeration
from mjenv.mujoco.spec.adding import bare_in_body, bare_in_spec, new_in_body, new_in_spec
from mjenv.mujoco.spec.classes import CLASSES
from mjenv.mujoco.spec.defaults import MjsDefault, Shown
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
from mjenv.mujoco.spec.taking import MORE, take, take_all, take_orientation
from mjenv.mujoco.spec.taking_settings import take_compiler, take_inertial, take_sections
from mjenv.mujoco.spec.templates import Templates, path_of
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
        self.templates = Templates()

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
        if made._kind == "plugin":
            made.info = _place(element)
        else:
            made.__dict__["info"] = _place(element) if made._kind != "key" else ""
        if "name" in element.values and made._kind != "plugin":
            made._name = element.values["name"]
        made._compiler = self._compiler(element)
        return made

    # default classes

    def _classes(self) -> None:
        main = self.spec._defaults[0]
        shown = self._class("main", {})
        object.__setattr__(main, "_elements", shown)
        for section in self.assembly.sections("default"):
            _note_lines(shown.places, section)
            self._nested(section, main, shown.places)

    def _named(self, name: str) -> str:
        """The class of an element, which is "main" where it is the outermost of its document."""
        return "main" if name in self.mains else name

    def _nested(self, element: Element, parent: MjsDefault, places: dict[str, str]) -> None:
        for child in element.children:
            if child.tag != "default":
                continue
            name = child.values["class"]
            shown = self._class(name, dict(places))
            made = MjsDefault._of(name, shown, parent)
            self.spec._defaults.append(made)
            self.spec._classes[name] = made
            if child.document is not element.document:
                self.mains.add(made.name)
            _note_lines(shown.places, child)
            self._nested(child, made, shown.places)

    def _class(self, name: str, places: dict[str, str]) -> Shown:
        """What a class says of the kinds of elements.

        Args:
            name: of the class.
            places: where those around it say something of a kind.
        """
        records, templates = self.defaults.records[name], self.templates

        def make(kind: str) -> Any:
            # what a class says nothing of is what the one around it says
            return CLASSES[kind]._made(None, templates.of_class(kind, records.get(kind)))

        return Shown(make, places)

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
        made = self._note(bare_in_spec(self.spec, kind), element)
        base = None
        if kind in self.defaults.builtin:
            values = self.defaults.values(element, kind)
            name = element.values.get("class", "main")
            inherited = self.defaults.records[name][kind]
            base = self.spec._defaults[0]._elements[kind]
            made._classname = self._named(name)
        else:
            inherited = element.kind.defaults
            values = inherited | element.values
        check_targets(element, kind)
        check_values(element, kind)
        path = element.kind.path if kind not in IN_DEFAULTS else path_of(kind)
        self.templates.fill(made, inherited, values, path, base)
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
        check_values(element, kind)
        made = self._note(bare_in_body(body, kind), element)
        made._frame = frame
        name = self.defaults.check(element.values.get("class", around), element, "class")
        made._classname = self._named(name)
        if kind == "joint":
            # what keyframes are completed with goes by the type of the class
            known = self.defaults.records[name]["joint"]["type"]
            made.__dict__["_compiled_type"] = known.upper()
        values = self.defaults.values(element, kind, around)
        inherited = self.defaults.records[name][kind]
        self.templates.fill(made, inherited, values, element.kind.path)
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


def _note_lines(places: dict[str, str], section: Element) -> None:
    """Keep where a class says something of a kind of elements, by kind."""
    for element in section.children:
        kind = "actuator" if element.tag in ACTUATORS else element.tag
        if kind in IN_DEFAULTS:
            places[kind] = _place(element)


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


def _config(element: Element) -> dict[str, str]:
    return {
        child.values["key"]: child.values["value"]
        for child in element.children
        if child.tag == "config"
    }
