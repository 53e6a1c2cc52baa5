"""From a spec to a document of the engine, which compiles it."""

from typing import TYPE_CHECKING, Any

from mjenv.engine.mjcf.parts.collect import read_settings
from mjenv.engine.mjcf.text.element import Document, Element
from mjenv.engine.mjcf.text.schema import kinds
from mjenv.engine.mjcf.text.source import Source
from mjenv.mujoco.enumerations import enumeration
from mjenv.mujoco.spec.making import MAKERS, SPEC, new, say, sensor_tag
from mjenv.mujoco.spec.settings import GROUPS
from mjenv.mujoco.structs.model import MAX_BYTES

if TYPE_CHECKING:
    from mjenv.mujoco.spec.store import Store

# sections, and the kinds that stand in them
SECTIONS = {
    "custom": ("numeric", "text", "tuple"),
    "asset": ("texture", "material", "mesh", "hfield"),
    "contact": ("pair", "exclude"),
    "deformable": ("flex", "skin"),
    "equality": ("equality",),
    "tendon": ("tendon",),
    "actuator": ("actuator",),
    "sensor": ("sensor",),
    "keyframe": ("key",),
}
IN_BODIES = ("joint", "geom", "site", "camera", "light", "body")
SWITCHES = {"disableflags": "mjtDisableBit", "enableflags": "mjtEnableBit"}


class Lowered:
    """A spec as a document.

    Attributes:
        root: the document.
        owners: elements of the spec by `id` of those of the document.
    """

    def __init__(self, spec: "Store", files: dict[str, bytes]):
        self.spec, self.files = spec, files
        self.owners: dict[int, Any] = {}
        self.documents: dict[int, Document] = {}
        main = self._document(spec.compiler)
        self.root = Element(kinds()["mujoco"], "mujoco", SPEC, 0, main, main.source.folder)
        self.root.values["model"] = spec.modelname
        main.comment = spec.comment

    def build(self) -> Element:
        """Fill the document, and return it."""
        spec, main = self.spec, self.root.document
        self._settings()
        self._extension()
        for tag, members in SECTIONS.items():
            self._section(tag, members)
        world = Element(kinds()["body"], "worldbody", SPEC, 0, main, main.source.folder)
        self.root.children.append(world)
        self.owners[id(world)] = spec._world
        self._inside(spec._world, world)
        return self.root

    def owner(self, element: Element | None) -> Any:
        """The element of the spec that an element of the document stands for, or None."""
        return self.owners.get(id(element)) if element is not None else None

    # settings

    def _document(self, compiler: Any) -> Document:
        """The document of elements that a compiler's settings hold for."""
        known = self.documents.get(id(compiler))
        if known is not None:
            return known
        origin = compiler._origin
        source = Source(origin.modelfiledir or ".", self.files, MAX_BYTES)
        document = self.documents[id(compiler)] = Document(source)
        root = Element(kinds()["mujoco"], "mujoco", SPEC, 0, document, source.folder)
        root.children.append(self._compiler(compiler, document, origin.strippath))
        read_settings(root)
        return document

    def _compiler(self, compiler: Any, document: Document, strippath: int) -> Element:
        section = new("compiler", "compiler", document)
        say(section, compiler)
        section.values["angle"] = "degree" if compiler.degree else "radian"
        section.values["eulerseq"] = "".join(compiler.eulerseq)
        if strippath:
            section.values["strippath"] = "true"
        ranges = new("compiler/lengthrange", "lengthrange", document)
        say(ranges, compiler.LRopt)
        if ranges.values:
            section.children.append(ranges)
        return section

    def _settings(self) -> None:
        spec, main = self.spec, self.root.document
        sections = [self._compiler(spec.compiler, main, spec.strippath)]
        option = new("option", "option", main)
        say(option, spec.option)
        disabled = spec.option.disableactuator
        if disabled:
            groups = tuple(k for k in range(31) if disabled >> k & 1)
            option.values["actuatorgroupdisable"] = groups
        option.children += switches(spec.option, main)
        size = new("size", "size", main)
        sizes = spec.__dict__["_sections"]["sizes"]
        say(size, sizes)
        if sizes.memory != -1:
            size.values["memory"] = str(sizes.memory)
        statistic = new("statistic", "statistic", main)
        say(statistic, spec.stat)
        visual = new("visual", "visual", main)
        for name in GROUPS:
            group = new(f"visual/{name}", name, main)
            say(group, spec.visual._groups[name])
            visual.children.append(group)
        self.root.children += [*sections, option, size, statistic, visual]

    def _extension(self) -> None:
        """Plugins that are used, and their instances that have names."""
        spec, main = self.spec, self.root.document
        instances = [plugin for plugin in spec._lists["plugin"] if plugin.name]
        if not spec._active:
            return
        section = new("extension", "extension", main)
        for name in spec._active:
            plugin = new("extension/plugin", "plugin", main)
            plugin.values["plugin"] = name
            for instance in instances:
                if instance.plugin_name == name:
                    plugin.children.append(self._instance(instance, main))
            section.children.append(plugin)
        self.root.children.append(section)

    def _instance(self, instance: Any, main: Document) -> Element:
        element = new("extension/plugin/instance", "instance", main)
        element.values["name"] = instance.name
        element.rank = instance._id + 1
        self.owners[id(element)] = instance
        _configure(element, instance)
        return element

    # elements

    def _made(self, target: Any, path: str, tag: str) -> Element:
        element = new(path, tag, self._document(target.compiler))
        self.owners[id(element)] = target
        say(element, target)
        if target._kind in MAKERS:
            MAKERS[target._kind](element, target)
        plugin = target.__dict__.get("plugin")
        if plugin is not None and plugin.active:
            self._drive(element, plugin)
        for child in element.children:
            self.owners.setdefault(id(child), target)
        return element

    def _drive(self, element: Element, plugin: Any) -> None:
        """Name the plugin that drives an element."""
        driver = element
        if element.tag != "plugin":
            driver = new(f"{element.kind.path}/plugin", "plugin", element.document)
            element.children.append(driver)
        if plugin.plugin_name:
            driver.values["plugin"] = plugin.plugin_name
        if plugin.name:
            driver.values["instance"] = plugin.name
        elif plugin._instance is not None:
            _configure(driver, plugin._instance)
            driver.rank = plugin._instance._id + 1

    def _section(self, tag: str, members: tuple[str, ...]) -> None:
        section = new(tag, tag, self.root.document)
        for kind in members:
            for target in self.spec._lists[kind]:
                section.children.append(self._made(target, *self._place(target, tag)))
        if section.children:
            self.root.children.append(section)

    def _place(self, target: Any, section: str) -> tuple[str, str]:
        """Path and name of the element of something outside the tree."""
        kind = target._kind
        tag = kind
        if kind == "sensor":
            tag = sensor_tag(target)
        elif kind == "equality":
            tag = target.type.name.removeprefix("mjEQ_").lower()
        elif kind == "tendon":
            fixed = bool(target._path) and target._path[0]._word == "joint"
            tag = "fixed" if fixed else "spatial"
        elif kind == "actuator":
            tag = "plugin" if target.plugin.active else "general"
        return f"{section}/{tag}", tag

    # the tree

    def _inside(self, body: Any, element: Element) -> None:
        """Contents of a body; frames stand around theirs, as often as order needs it."""
        frames: list[tuple[Any, Element]] = []
        for kind in IN_BODIES:
            path = "body" if kind == "body" else f"body/{kind}"
            for target in body._lists[kind]:
                around = self._frame(target._frame, element, frames)
                made = self._made(target, path, kind)
                around.children.append(made)
                if kind == "body":
                    self._inside(target, made)

    def _frame(self, frame: Any, body: Element, frames: list[tuple[Any, Element]]) -> Element:
        """The element of a frame: the one that is open, or a new one inside the body's."""
        chain = []
        while frame is not None:
            chain.append(frame)
            frame = frame._frame
        chain.reverse()
        same = 0
        while same < min(len(chain), len(frames)) and frames[same][0] is chain[same]:
            same += 1
        del frames[same:]
        for inner in chain[same:]:
            element = self._made(inner, "body/frame", "frame")
            element.values.pop("name", None)
            (frames[-1][1] if frames else body).children.append(element)
            frames.append((inner, element))
        return frames[-1][1] if frames else body


def switches(option: Any, document: Document) -> list[Element]:
    """The element <flag> of options, if one of its bits is set."""
    flags = new("option/flag", "flag", document)
    for field, choices in SWITCHES.items():
        word = "disable" if field == "disableflags" else "enable"
        for name, bit in enumeration(choices).__members__.items():
            short = name.partition("_")[2].lower()
            if short in flags.kind.attributes and option.__dict__[field] & int(bit):
                flags.values[short] = word
    return [flags] if flags.values else []


def _configure(element: Element, instance: Any) -> None:
    path = f"{element.kind.path}/config"
    for key, value in sorted(instance._config.items()):
        config = new(path, "config", element.document)
        config.values |= {"key": key, "value": value}
        element.children.append(config)
