"""Settings, default classes and assets of a document in MuJoCo's form."""

from typing import Any

import numpy as np

from mjenv.engine.mjcf.text.element import Document
from mjenv.engine.mjcf.text.schema import kinds
from mjenv.engine.mjcf.text.source import Source
from mjenv.engine.tables.sensor_kinds import OBJECTS
from mjenv.mujoco.errors import FatalError
from mjenv.mujoco.spec.defaults import MjsDefault
from mjenv.mujoco.spec.documents import switches
from mjenv.mujoco.spec.tables import structures
from mjenv.mujoco.spec.taking import CUBE, words_of
from mjenv.mujoco.spec.written import (
    Node,
    numbers,
    plain,
    word_of,
    write,
    write_fields,
)
from mjenv.mujoco.spec.written_tree import IN_TREE, Tree

OPTION = (
    "timestep impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance"
    " gravity wind magnetic density viscosity o_margin o_solref o_solimp o_friction integrator cone"
    " jacobian solver iterations ls_iterations noslip_iterations ccd_iterations sdf_iterations"
    " sdf_initpoints"
)
SIZES = (
    "njmax nconmax nstack nuserdata nkey nuser_body nuser_jnt nuser_geom nuser_site nuser_cam"
    " nuser_tendon nuser_actuator nuser_sensor"
)
# of visual settings, those that are written, by group
VISUAL = {
    "global": "cameraid orthographic fovy ipd azimuth elevation linewidth glow realtime offwidth"
    " offheight ellipsoidinertia bvactive"
}
# classes: element, kind
CLASSED = (
    ("mesh", "mesh"), ("material", "material"), ("joint", "joint"), ("geom", "geom"),
    ("site", "site"), ("camera", "camera"), ("light", "light"), ("pair", "pair"),
    ("equality", "equality"), ("tendon", "tendon"), ("general", "actuator"),
)  # fmt: skip


class Sections(Tree):
    """Writes a whole spec.

    Attributes:
        spec: the spec, compiled.
    """

    def root(self) -> Node:
        """The document."""
        root = Node("mujoco")
        root.set("model", self.spec.modelname)
        self.compiler(root)
        self.option(root)
        self.size(root)
        self.visual(root)
        self.defaults = True
        self.classes(root, self.spec._defaults[0], None)
        self.defaults = False
        self.extension(root)
        self.custom(root)
        self.asset(root)
        self.body(root.add("worldbody"), self.spec._world, None, "")
        self.contact(root)
        self.deformable(root)
        self.lists(root)
        self.sensors(root)
        self.keyframes(root)
        return root

    # settings

    def compiler(self, root: Node) -> None:
        """Settings of the compiler."""
        node, compiler = root.add("compiler"), self.spec.compiler
        node.set("angle", "radian")
        for name in ("meshdir", "texturedir"):
            folder = getattr(compiler, name)
            node.set(name, folder if folder[-1:] in ("/", "\\", "") else folder + "/")
        if not compiler.usethread:
            node.set("usethread", "false")
        for name in ("boundmass", "boundinertia"):
            write(node, name, getattr(compiler, name), 0.0)
        if compiler.alignfree:
            node.set("alignfree", "true")
        if not compiler.autolimits:
            node.set("autolimits", "false")

    def option(self, root: Node) -> None:
        """Options."""
        node, option = root.add("option"), self.spec.option
        write_fields(node, option, type(option)._default(), OPTION)
        groups = [k for k in range(31) if option.disableactuator >> k & 1]
        node.set("actuatorgroupdisable", numbers(groups))
        for flags in switches(option, Document(Source())):
            child = node.add("flag")
            for name in kinds()["option/flag"].attributes:
                child.set(name, flags.values.get(name, ""))
        root.drop_empty()

    def size(self, root: Node) -> None:
        """Sizes, and statistics that replace computed ones."""
        node, sizes = root.add("size"), self.spec.__dict__["_sections"]["sizes"]
        if sizes.memory != -1:
            node.set("memory", bytes_text(sizes.memory))
        base = type(sizes)._default()
        for name in SIZES.split():
            value, other = getattr(sizes, name), getattr(base, name)
            if name.startswith("nuser_"):
                value, other = int(getattr(self.model, name)), 0
            if name == "nkey":
                value = len(self.spec._lists["key"])
            if value != other:
                node.set(name, str(value))
        root.drop_empty()

    def visual(self, root: Node) -> None:
        """Visual settings, and statistics."""
        section, visual = root.add("visual"), self.spec.visual
        for name, group in visual._groups.items():
            rows = VISUAL.get(name) or " ".join(structures()[name].fields)
            write_fields(section.add(name), group, type(group)._default(), rows)
            section.drop_empty()
        root.drop_empty()
        node, stat = root.add("statistic"), self.spec.stat
        for name in structures()["statistic"].fields:
            write(node, name, getattr(stat, name))
        root.drop_empty()

    def classes(self, parent: Node, made: MjsDefault, around: MjsDefault | None) -> None:
        """A default class, and those inside it."""
        base = around if around is not None else MjsDefault._made("main", None)
        section = parent.add("default")
        if made.name != "main":
            section.set("class", made.name)
        for tag, kind in CLASSED:
            node = section.add(tag)
            target, other = made._elements[kind], base._elements[kind]
            if kind in IN_TREE:
                getattr(self, kind)(node, target, other, "")
            else:
                getattr(self, kind)(node, target, other)
            if not node.values:
                section.children.pop()
        if around is None and not section.children and not made._children:
            parent.children.pop()
            return
        for child in made._children:
            self.classes(section, child, made)

    def extension(self, root: Node) -> None:
        """Plugins and their instances."""
        plugins = [p for p in self.spec._lists["plugin"] if p.name]
        names = dict.fromkeys([*(p.plugin_name for p in plugins), *self.spec._active])
        if not names:
            return
        section, last, node, seen = root.add("extension"), None, None, set()
        for plugin in plugins:
            if node is None or plugin.plugin_name != last:
                node = section.add("plugin")
                node.set("plugin", plugin.plugin_name)
                last = plugin.plugin_name
                seen.add(last)
            inner = node.add("instance")
            inner.set("name", plugin.name)
            self.configure(inner, plugin)
        for name in self.spec._active:
            if name not in seen:
                section.add("plugin").set("plugin", name)

    def custom(self, root: Node) -> None:
        """Things of users."""
        lists, section = self.spec._lists, root.add("custom")
        for numeric in lists["numeric"]:
            node = section.add("numeric")
            node.set("name", numeric._name)
            data = np.zeros(numeric.size)
            data[: len(numeric.data)] = numeric.__dict__["data"][: numeric.size]
            node.set("size", str(numeric.size))
            node.set("data", numbers(data))
        for text in lists["text"]:
            node = section.add("text")
            node.set("name", text._name)
            node.set("data", text.data)
        for made in lists["tuple"]:
            node = section.add("tuple")
            node.set("name", made._name)
            for kind, name, prm in zip(made.objtype, made.objname, made.objprm, strict=True):
                inner = node.add("element")
                inner.set("objtype", OBJECTS[kind])
                inner.set("objname", name)
                write(inner, "prm", prm, 0.0)
        root.drop_empty()

    # assets

    def asset(self, root: Node) -> None:
        """Textures, materials, meshes and height fields."""
        section = root.add("asset")
        for texture in self.spec._lists["texture"]:
            self._texture(section.add("texture"), texture)
        for material in self.spec._lists["material"]:
            self.material(section.add("material"), material, self._class(material))
        for mesh in self.spec._lists["mesh"]:
            node = section.add("mesh")
            if mesh.plugin.active:
                node.set("name", mesh._name)
                node.set("file", mesh.file)
                self.plugin(node.add("plugin"), mesh.plugin)
            else:
                self.mesh(node, mesh, self._class(mesh))
        for hfield in self.spec._lists["hfield"]:
            self._hfield(section.add("hfield"), hfield)
        root.drop_empty()

    def _texture(self, node: Node, texture: Any) -> None:
        own, base = texture.__dict__, type(texture)._default()
        fields = structures()["texture"].fields
        for name in ("type", "colorspace"):
            node.set(name, word_of(fields[name], own[name], "asset/texture"))
        # the compiler has chosen where the spec leaves it open
        if texture.colorspace.name == "mjCOLORSPACE_AUTO" and texture._id >= 0:
            words = words_of("asset/texture", "colorspace")
            node.set("colorspace", words[int(self.model.tex_colorspace[texture._id])])
        node.set("name", texture._name)
        files = [file for file in own["cubefiles"] if file]
        # pixels by a pattern, from files, or from memory, which a document cannot hold
        if own["builtin"]:
            node.set("builtin", word_of(fields["builtin"], own["builtin"], "asset/texture"))
            write_fields(node, texture, base, "mark rgb1 rgb2 markrgb random")
            node.set("width", str(own["width"]))
            height = own["height"] if own["type"].name == "mjTEXTURE_2D" else 6 * own["width"]
            node.set("height", str(height))
            return
        if texture._given() or not (files or own["file"]):
            raise FatalError(
                f"XML Error: no support for buffer textures: '{texture._name}' has pixels that were"
                " assigned; write them to a file and name it"
            )
        # files: one, or one for each side of a cube
        node.set("content_type", own["content_type"])
        node.set("file", own["file"])
        for file, side in zip(own["cubefiles"], CUBE, strict=True):
            node.set(f"file{side}", file)
        for name in ("hflip", "vflip"):
            if own[name]:
                node.set(name, "true")
        if tuple(own["gridsize"]) != (1, 1):
            node.set("gridsize", numbers(own["gridsize"]))
            node.set("gridlayout", "".join(own["gridlayout"]))

    def _hfield(self, node: Node, hfield: Any) -> None:
        node.set("name", hfield._name)
        write(node, "size", hfield.size)
        if hfield.file:
            node.set("content_type", hfield.content_type)
            node.set("file", hfield.file)
            return
        node.set("nrow", str(hfield.nrow))
        node.set("ncol", str(hfield.ncol))
        heights = hfield.__dict__["userdata"]
        if len(heights):
            rows = heights.reshape(hfield.nrow, hfield.ncol)[::-1]
            node.set("elevation", "".join(f"\n            {plain(row)}" for row in rows))


def bytes_text(count: int) -> str:
    """A number of bytes, with a letter behind it where it is a whole number of a larger unit."""
    for power, letter in zip(range(60, 0, -10), "EPTGMK", strict=True):
        if count >= 1 << power and not count & ((1 << power) - 1):
            return f"{count >> power}{letter}"
    return str(count)
