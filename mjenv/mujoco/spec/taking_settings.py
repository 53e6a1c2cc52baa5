"""Settings and inertia in documents, as MjSpec keeps them."""

from typing import TYPE_CHECKING, Any

from mjenv.engine.mjcf.parts.collect import memory_bytes
from mjenv.engine.mjcf.text.element import Element
from mjenv.mujoco.enumerations import enumeration
from mjenv.mujoco.spec.taking import take, take_orientation

if TYPE_CHECKING:
    from mjenv.mujoco.spec.store import Store


def take_inertial(body: Any, element: Element) -> None:
    """The mass and inertia of a body."""
    values = element.values
    body.explicitinertial = 1
    body.ipos = values["pos"]
    body.mass = values["mass"]
    for name, field in (("quat", "iquat"), ("diaginertia", "inertia"), ("fullinertia",) * 2):
        if values.get(name) is not None:
            setattr(body, field, values[name])
    take_orientation(body.ialt, values)


def take_compiler(spec: "Store", root: Element) -> None:
    """Settings of the compiler of a document."""
    compiler, settings = spec.compiler, root.document.settings
    plain = {name: value for name, value in settings.items() if name not in ("meshdir", "degree")}
    take(compiler, plain, "compiler")
    compiler.degree = int(settings["degree"])
    compiler.eulerseq = settings["eulerseq"]
    folder = settings.get("assetdir") or ""
    compiler.meshdir = settings.get("meshdir") or folder
    compiler.texturedir = settings.get("texturedir") or folder
    spec.strippath = settings["strippath"] == "true"
    for section in root.children:
        if section.tag == "compiler":
            for child in section.children:
                take(compiler.LRopt, child.values, "compiler/lengthrange")


def take_sections(spec: "Store", root: Element) -> None:
    """Options, sizes, statistics and visual settings of a document."""
    for section in root.children:
        if section.tag == "option":
            take(spec.option, section.values, "option")
            for group in section.values.get("actuatorgroupdisable") or ():
                if not 0 <= group <= 30:
                    raise section.error(f"actuatorgroupdisable: {group}: expected 0 to 30")
                spec.option.disableactuator |= 1 << group
            for flags in section.children:
                take_flags(spec.option, flags)
        elif section.tag == "size":
            sizes = spec.__dict__["_sections"]["sizes"]
            take(sizes, section.values, "size")
            if "memory" in section.values:
                sizes.__dict__["memory"] = memory_bytes(section)
        elif section.tag == "statistic":
            take(spec.stat, section.values, "statistic")
        elif section.tag == "visual":
            for group in section.children:
                take(getattr(spec.visual, group.tag), group.values, group.kind.path)


def take_flags(option: Any, element: Element) -> None:
    """Switches as bits."""
    for field, choices, prefix in (
        ("disableflags", "mjtDisableBit", "mjDSBL_"),
        ("enableflags", "mjtEnableBit", "mjENBL_"),
    ):
        bits, known = option.__dict__[field], enumeration(choices).__members__
        for name, word in element.values.items():
            bit = known.get(prefix + name.upper())
            if bit is not None:
                on = (word == "enable") == (field == "enableflags")
                bits = bits | int(bit) if on else bits & ~int(bit)
        option.__dict__[field] = bits
