"""Elements to parts: sections in MuJoCo's fixed order, each kind of element by one function."""

import warnings
from typing import Any

from ...tables.sensor_kinds import SENSORS
from ..draft.defaults import ACTUATORS, Defaults
from ..draft.draft import Body, Draft, Part, checked
from ..text.element import Element
from ..text.paths import FOLDERS, stem
from ..text.schema import kinds
from . import plugins

ORDER = (
    "compiler", "option", "size", "visual", "statistic", "extension", "custom", "asset", "contact",
    "deformable", "equality", "tendon", "actuator", "sensor", "keyframe", "worldbody",
)  # fmt: skip

LARGEST = 100_000  # of keyframes, and of user values per part
Inside = tuple[Body, Part | None, str]  # body, frame and default class of what is inside
OUTSIDE = ("body", "frame", "replicate")


def collect(root: Element) -> Draft:
    """The parts that a document describes.

    Raises:
        UnsupportedFeature: an element that this version does not build.
        MjcfError: contradicting attributes, unknown classes, repeated names.
    """
    # sections may be repeated: their contents count together
    sections: dict[str, list[Element]] = {}
    for element in root.children:
        sections.setdefault(element.tag, []).append(element)
    draft = Draft(root, Defaults(sections.get("default", [])))
    read_settings(root)
    # settings begin with the schema's defaults
    for name, target in SETTINGS.items():
        getattr(draft, target).update(kinds()[name].defaults)
    for group in kinds()["visual"].children.values():
        draft.visual[group.tag] = dict(group.defaults)
    # the world is body 0
    world = Body(root, dict(kinds()["body"].defaults))
    world.name = "world"
    draft.parts["body"].append(world)
    for name in OUTSIDE:
        for element in sections.get(name, ()):
            message = f"{element.where}: outside <worldbody>: ignored, as MuJoCo does"
            warnings.warn(message, stacklevel=4)
    # sections in the order in which one refers to another
    for name in ORDER:
        for section in sections.get(name, ()):
            _section(draft, section)
    plugins.order(draft)
    draft.list_tree()
    return draft


def _section(draft: Draft, section: Element) -> None:
    name = section.tag
    # settings
    if name == "compiler":
        _compiler(draft, section)
    elif name in SETTINGS:
        _settings(getattr(draft, SETTINGS[name]), section, kinds()[name].defaults)
        EXTRAS.get(name, _nothing)(draft, section)
    elif name == "visual":
        for group in section.children:
            _settings(draft.visual[group.tag], group, group.kind.defaults)
            _visual(group)
    elif name == "worldbody":
        # bodies and what is in them
        if section.values:
            raise section.error("expected no attributes in the world body")
        _tree(draft, section, draft.world, None, "main")
    elif name == "extension":
        plugins.read_extension(draft, section)
    else:
        # records: each element is a part
        for element in section.children:
            record = RECORDS.get(element.kind.path)
            if record is None and name == "actuator":
                record = "actuator"
            if record is None:
                raise element.unsupported(f"<{element.tag}> in <{name}>")
            part = _part(draft, element, record)
            draft.parts[record].append(part)
            _drive(draft, part)


def _drive(draft: Draft, part: Part) -> None:
    """Take in the plugin that drives a part, if there is one."""
    if part.element.tag == "plugin":
        plugins.take(draft, part, part.element)
    for child in part.element.children:
        if child.tag == "plugin":
            plugins.take(draft, part, child)


def _part(draft: Draft, element: Element, record: str) -> Part:
    if record in draft.defaults.records["main"]:
        values = draft.defaults.values(element, record)
    else:
        values = element.kind.defaults | element.values
    if record in FOLDERS and not values.get("name"):
        # an asset without a name has that of its file
        values["name"] = stem(values.get("file", ""))
    return Part(element, values)


RECORDS = {
    "custom/numeric": "numeric",
    "custom/text": "text",
    "custom/tuple": "tuple",
    "asset/mesh": "mesh",
    "asset/skin": "skin",
    "asset/hfield": "hfield",
    "asset/texture": "texture",
    "asset/material": "material",
    "contact/pair": "pair",
    "contact/exclude": "exclude",
    "deformable/flex": "flex",
    "deformable/skin": "skin",
    "equality/connect": "equality",
    "equality/weld": "equality",
    "equality/joint": "equality",
    "equality/tendon": "equality",
    "equality/flex": "equality",
    "equality/flexvert": "equality",
    "equality/flexstrain": "equality",
    "tendon/spatial": "tendon",
    "tendon/fixed": "tendon",
    "keyframe/key": "key",
} | {f"actuator/{name}": "actuator" for name in ACTUATORS}
RECORDS |= {f"sensor/{name}": "sensor" for name in SENSORS}

# section -> attribute of Draft
SETTINGS = {"option": "option", "size": "size", "statistic": "statistic"}


def read_settings(root: Element) -> None:
    """Compiler settings of a document, from its sections <compiler>."""
    settings = root.document.settings
    settings.clear()
    settings.update(kinds()["compiler"].defaults, degree=True)
    for section in root.children:
        if section.tag != "compiler":
            continue
        given = section.values
        if given.get("coordinate") == "global":
            raise section.error(
                "coordinate='global': expected 'local'; global coordinates were removed in MuJoCo"
                " 2.3.4"
            )
        if len(given.get("eulerseq", "xyz")) != 3:
            raise section.error(f"eulerseq='{given['eulerseq']}': expected 3 letters")
        _settings(settings, section, kinds()["compiler"].defaults)
        settings["degree"] = settings["angle"] == "degree"


def _settings(target: dict, section: Element, defaults: dict) -> None:
    """Later sections overwrite earlier ones; a shorter list keeps the rest of what it replaces."""
    for name, value in section.values.items():
        old = target.get(name, defaults.get(name))
        if isinstance(value, tuple) and isinstance(old, tuple) and len(value) < len(old):
            value = value + old[len(value) :]
        target[name] = value


def _nothing(draft: Draft, section: Element) -> None:
    pass


def _compiler(draft: Draft, section: Element) -> None:
    for element in section.children:
        draft.lengthrange.update(element.values)


def _option(draft: Draft, section: Element) -> None:
    for group in section.values.get("actuatorgroupdisable", ()):
        if not 0 <= group <= 30:
            raise section.error(f"actuatorgroupdisable: {group}: expected groups between 0 and 30")
    groups = draft.option.setdefault("disabled", set())
    groups.update(section.values.get("actuatorgroupdisable", ()))
    for element in section.children:
        draft.flags.update(element.values)


def _size(draft: Draft, section: Element) -> None:
    _check_size(section)
    if "memory" in section.values and (memory := memory_bytes(section)) != -1:
        draft.size["arena"] = memory
    # of this section or one before
    _check_arena(section, "arena" in draft.size)


def _check_arena(section: Element, has_memory: bool) -> None:
    for name in ("nstack", "njmax"):
        if section.values.get(name, -1) != -1 and has_memory:
            raise section.error(f"memory and {name}: expected one of them, found both")


def _check_size(section: Element) -> None:
    for name, value in section.values.items():
        if name not in ("memory", "nstack", "njmax", "nkey", "nuserdata") and value < -1:
            raise section.error(f"{name}='{value}': expected -1 or more")
        if name.startswith(("nkey", "nuser")) and value > LARGEST:
            raise section.unsupported(f"{name}='{value}'", f"use at most {LARGEST}")
    _check_arena(section, "memory" in section.values and memory_bytes(section) != -1)


def memory_bytes(section: Element) -> int:
    """Bytes of a size such as `1M`."""
    text = section.values["memory"].strip()
    digits, power = text, 0
    if text and text[-1].upper() in "KMGTPE":
        digits, power = text[:-1], 10 * ("KMGTPE".index(text[-1].upper()) + 1)
    if text == "-1":
        return -1
    digits = digits.removeprefix("+").lstrip("0")
    number = digits.isascii() and digits.isdigit() and len(digits) < 21
    size = int(digits) << power if number else 0
    if not 0 < size < 2**64:
        raise section.error(
            f"memory='{text}': expected a positive whole number with K, M, G, T, P, E or nothing"
            " behind"
        )
    return size


def _statistic(draft: Draft, section: Element) -> None:
    _check_statistic(section)


def _check_statistic(section: Element) -> None:
    if section.values.get("extent", 1.0) <= 0:
        raise section.error("extent: expected a positive number")


def _visual(group: Element) -> None:
    for name in ("realtime", "znear"):
        if group.values.get(name, 1.0) <= 0:
            raise group.error(f"{name}='{group.values[name]:g}': expected a positive number")


def check_settings(section: Element) -> None:
    """Refuse sizes, statistics and visual settings that are out of their range.

    Raises:
        MjcfError: the first of them.
    """
    if section.tag == "visual":
        for group in section.children:
            _visual(group)
    elif section.tag in SECTION_CHECKS:
        SECTION_CHECKS[section.tag](section)


SECTION_CHECKS = {"size": _check_size, "statistic": _check_statistic}
EXTRAS = {"option": _option, "size": _size, "statistic": _statistic}


def _tree(draft: Draft, parent: Element, body: Body, frame: Part | None, around: str) -> None:
    """Parts of a body or frame, and everything inside it, in the order of the document."""
    pending = [(child, body, frame, around) for child in reversed(parent.children)]
    while pending:
        element, body, frame, around = pending.pop()
        path = element.kind.path
        if path in ATTACHED:
            record, target = ATTACHED[path]
            if target == "joints" and body.parent is None:
                raise element.error("expected no joints in the world body")
            values = draft.defaults.values(checked(element), record, around)
            part = Part(element, values, body, frame)
            getattr(body, target).append(part)
            _drive(draft, part)
        elif path in INNER:
            inner = INNER[path](draft, checked(element), body, frame, around)
            if inner is not None:
                pending.extend((child, *inner) for child in reversed(element.children))
        else:
            raise element.unsupported(f"<{element.tag}>")


ATTACHED = {
    "body/joint": ("joint", "joints"),
    "body/geom": ("geom", "geoms"),
    "body/site": ("site", "sites"),
    "body/camera": ("camera", "cameras"),
    "body/light": ("light", "lights"),
}


def _class_inside(draft: Draft, element: Element, around: str) -> str:
    name = element.values.get("childclass")
    return around if name is None else draft.defaults.check(name, element, "childclass")


def _body(draft: Draft, element: Element, body: Body, frame: Any, around: str) -> Inside:
    inner = Body(element, element.kind.defaults | element.values, body, frame)
    body.bodies.append(inner)
    return inner, None, _class_inside(draft, element, around)


def _frame(draft: Draft, element: Element, body: Body, frame: Any, around: str) -> Inside:
    inner = Part(element, element.kind.defaults | element.values, body, frame)
    draft.add_frame(inner)
    return body, inner, _class_inside(draft, element, around)


def _check_class(draft: Draft, element: Element) -> None:
    """Refuse a class that does not exist on an element that has no values of classes."""
    if "class" in element.values:
        draft.defaults.check(element.values["class"], element, "class")


def _freejoint(draft: Draft, element: Element, body: Body, frame: Any, around: str) -> None:
    if body.parent is None:
        raise element.error("expected no joints in the world body")
    _check_class(draft, element)
    values = kinds()["body/joint"].defaults | {"type": "free", "align": "auto"} | element.values
    body.joints.append(Part(element, values, body, frame))


def _body_plugin(draft: Draft, element: Element, body: Body, frame: Any, around: str) -> None:
    plugins.take(draft, body, element)


def _inertial(draft: Draft, element: Element, body: Body, frame: Any, around: str) -> None:
    if body.parent is None and not element.document.urdf:
        raise element.error("expected no inertia in the world body")
    _check_class(draft, element)
    if body.inertial is not None:
        # inside a frame there may be several
        element = element.like(**body.inertial.element.values | element.values)
    body.inertial = Part(element, element.kind.defaults | element.values, body, frame)


INNER = {
    "body": _body,
    "body/frame": _frame,
    "body/freejoint": _freejoint,
    "body/inertial": _inertial,
    "body/plugin": _body_plugin,
}
