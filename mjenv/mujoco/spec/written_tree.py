"""The tree and what refers to it, in MuJoCo's form."""

from typing import Any

import numpy as np

from mjenv.engine.tables.sensor_kinds import CONTACT, OBJECTS, RAY, REDUCE, SENSORS
from mjenv.mujoco.spec.making import sensor_tag, words_by_member
from mjenv.mujoco.spec.tables import structures
from mjenv.mujoco.spec.taking import words_of
from mjenv.mujoco.spec.tendons import MjsWrap
from mjenv.mujoco.spec.written import (
    Node,
    numbers,
    plain,
    word_of,
    write,
    write_fields,
    write_users,
)
from mjenv.mujoco.spec.written_elements import UNIT, Elements

IN_TREE = ("joint", "geom", "site", "camera", "light")
FLEX = {
    "contact": "contype conaffinity condim priority friction solmix solref solimp margin gap"
    " internal selfcollide activelayers passive",
    "elasticity": "young poisson thickness damping elastic2d",
    "edge": "stiffness damping",
}
SOLID = 3  # dimensions of a flex of tetrahedra


class Tree(Elements):
    """Writes bodies, and lists of what refers to them."""

    # the tree

    def body(self, node: Node, body: Any, frame: Any, around: str) -> None:
        """A body or one of its frames, with what is in it."""
        if frame is None and body is not self.spec._world:
            self._body_head(node, body, around)
        inner = frame._classname if frame is not None and frame._classname else body._classname
        inner = inner or around
        for kind in IN_TREE:
            for target in body._lists[kind]:
                if target._frame is frame:
                    getattr(self, kind)(self._add(node, kind), target, self._class(target), inner)
                    if kind == "geom" and target.plugin.active:
                        self.plugin(node.children[-1].add("plugin"), target.plugin)
        if body.plugin.active:
            self.plugin(node.add("plugin"), body.plugin)
        self._nested(node, body, frame, around)

    @staticmethod
    def _add(node: Node, kind: str) -> Node:
        return node.add(kind)

    def _body_head(self, node: Node, body: Any, around: str) -> None:
        k = body._id
        node.set("name", body._name)
        if body._classname not in (around, "main"):
            node.set("childclass", body._classname)
        if self.model.body_pos[k].any():
            write(node, "pos", self.model.body_pos[k])
        write(node, "quat", self.model.body_quat[k], UNIT)
        if body.mocap:
            node.set("mocap", "true")
        write(node, "gravcomp", body.gravcomp, 0.0)
        word = body.sleep.name.removeprefix("mjSLEEP_").lower()
        if not word.startswith("auto"):
            node.set("sleep", word)
        write_users(node, body.__dict__["userdata"], None, int(self.model.nuser_body))
        compiler = self.spec.compiler
        if compiler.saveinertial or (body.explicitinertial and compiler.inertiafromgeom != 1):
            inertial = node.add("inertial")
            write(inertial, "pos", self.model.body_ipos[k])
            write(inertial, "quat", self.model.body_iquat[k], UNIT)
            write(inertial, "mass", self.model.body_mass[k])
            write(inertial, "diaginertia", self.model.body_inertia[k])

    def _nested(self, node: Node, body: Any, frame: Any, around: str) -> None:
        """The bodies and frames that are in a body, or in one of its frames."""
        bodies, frames = body._lists["body"], list(body._lists["frame"])
        place = 0
        while place < len(bodies) or not bodies:
            within = bodies[place]._frame if bodies else None
            if bodies and within is frame:
                inner = within._classname if within is not None and within._classname else ""
                self.body(node.add("body"), bodies[place], None, inner or body._classname or around)
            place += 1
            if within is None and place < len(bodies):
                continue
            for other in frames:
                if other._frame is frame:
                    self.body(self._frame(node, other), body, other, around)
            frames = []
            if not bodies:
                break

    @staticmethod
    def _frame(node: Node, frame: Any) -> Node:
        """Element of a frame, whose pose is in its elements already."""
        if not frame._name and frame._classname in ("", "main"):
            return node
        made = node.add("frame")
        made.set("name", frame._name)
        if frame._classname != "main":
            made.set("childclass", frame._classname)
        return made

    # what refers to it

    def contact(self, root: Node) -> None:
        """Pairs and exclusions."""
        section = root.add("contact")
        for pair in self.spec._lists["pair"]:
            self.pair(section.add("pair"), pair, self._class(pair))
        for exclude in self.spec._lists["exclude"]:
            node = section.add("exclude")
            node.set("name", exclude._name)
            names = (exclude.bodyname1, exclude.bodyname2)
            ends = [self.spec._found("body", name) for name in names]
            if ends[0]._id > ends[1]._id:
                names = names[::-1]
            node.set("body1", names[0])
            node.set("body2", names[1])
        root.drop_empty()

    def deformable(self, root: Node) -> None:
        """Deformables and skins."""
        section = root.add("deformable")
        for flex in self.spec._lists["flex"]:
            self._flex(section.add("flex"), flex)
        for skin in self.spec._lists["skin"]:
            self._skin(section.add("skin"), skin)
        root.drop_empty()

    def _flex(self, node: Node, flex: Any) -> None:
        base, own = type(flex)._default(), flex.__dict__
        node.set("name", flex._name)
        write_fields(node, flex, base, "radius material rgba flatskin dim group cellcount")
        if flex.order:
            node.set("dof", ("full", "trilinear", "quadratic")[flex.order])
        node.set("body", " ".join(own["vertbody"]))
        for name, field in (("vertex", "vert"), ("element", "elem"), ("texcoord", "texcoord"),
                            ("elemtexcoord", "elemtexcoord")):  # fmt: skip
            node.set(name, plain(self._corners(flex, field)))
        node.set("node", " ".join(own["nodebody"]))
        for tag, rows in FLEX.items():
            inner = node.add(tag)
            for attribute in rows.split():
                self._flex_row(inner, flex, base, f"{tag}.{attribute}")
            if tag != "elasticity":
                node.drop_empty()

    def _corners(self, flex: Any, field: str) -> Any:
        """Values of a field; corners of elements as they were compiled.

        Those of tetrahedra come in the order that gives them a positive volume, and where there are
        coordinates in a texture, they are those of the corners unless it is said otherwise.
        """
        own = flex.__dict__
        begin = self.model.flex_elemdataadr[flex._id]
        place = slice(begin, begin + len(own["elem"]))
        if field == "elem" and flex.dim == SOLID:
            return self.model.flex_elem[place]
        if field == "elemtexcoord" and not len(own[field]) and len(own["texcoord"]):
            return self.model.flex_elemtexcoord[place]
        return own[field]

    def _flex_row(self, node: Node, flex: Any, base: Any, attribute: str) -> None:
        field = next(f for f in structures()["flex"].fields.values() if f.attribute == attribute)
        value, other = flex.__dict__[field.name], base.__dict__[field.name]
        name = attribute.partition(".")[2]
        if word := word_of(field, value, "deformable/flex"):
            if value != other:
                node.set(name, word)
        else:
            write(node, name, value, other)

    def _skin(self, node: Node, skin: Any) -> None:
        own, base = skin.__dict__, type(skin)._default()
        node.set("name", skin._name)
        node.set("file", skin.file)
        write_fields(node, skin, base, "material group rgba inflate")
        if skin.file:
            return
        for name in ("vert", "texcoord", "face"):
            node.set(name.replace("vert", "vertex"), plain(own[name]))
        first = self.model.skin_boneadr[skin._id]
        for k, body in enumerate(own["bodyname"]):
            weights = slice(self.model.skin_bonevertadr[first + k], None)
            bone = node.add("bone")
            bone.set("body", body)
            write(bone, "bindpos", own["bindpos"][3 * k : 3 * k + 3])
            write(bone, "bindquat", own["bindquat"][4 * k : 4 * k + 4])
            bone.set("vertid", plain(own["vertid"][k]))
            # parts of the whole, as they were compiled
            parts = self.model.skin_bonevertweight[weights][: len(own["vertid"][k])]
            bone.set("vertweight", plain(parts))

    def lists(self, root: Node) -> None:
        """Equality constraints, tendons and actuators."""
        section = root.add("equality")
        for equality in self.spec._lists["equality"]:
            tag = equality.type.name.removeprefix("mjEQ_").lower()
            self.equality(section.add(tag), equality, self._class(equality))
        root.drop_empty()
        section = root.add("tendon")
        for tendon in self.spec._lists["tendon"]:
            if tendon._path:
                fixed = tendon._path[0]._word == "joint"
                node = section.add("fixed" if fixed else "spatial")
                self.tendon(node, tendon, self._class(tendon))
                for wrap in tendon._path:
                    self._wrap(node, wrap)
        root.drop_empty()
        section = root.add("actuator")
        for actuator in self.spec._lists["actuator"]:
            node = section.add("plugin" if actuator.plugin.active else "general")
            self.actuator(node, actuator, self._class(actuator))
        root.drop_empty()

    @staticmethod
    def _wrap(node: Node, wrap: MjsWrap) -> None:
        word = wrap._tag
        inner = node.add(word)
        if word == "pulley":
            write(inner, "divisor", wrap._number)
            return
        inner.set(word, wrap._name)
        inner.set("sidesite", wrap._side)
        if word == "joint":
            write(inner, "coef", wrap._number)

    def sensors(self, root: Node) -> None:
        """Sensors."""
        section = root.add("sensor")
        for sensor in self.spec._lists["sensor"]:
            tag = sensor_tag(sensor)
            node = section.add(tag)
            self._measured(node, sensor, tag)
            node.set("name", sensor._name)
            write(node, "cutoff", sensor.cutoff, 0.0)
            if tag != "plugin":
                write(node, "noise", sensor.noise, 0.0)
            if sensor.nsample:
                node.set("nsample", str(sensor.nsample))
            if sensor.interp:
                node.set("interp", words_of("sensor/touch", "interp")[sensor.interp])
            write(node, "delay", sensor.delay, 0.0)
            write(node, "interval", sensor.interval, (0.0, 0.0))
            write_users(node, sensor.__dict__["userdata"], None, int(self.model.nuser_sensor))
        root.drop_empty()

    def _measured(self, node: Node, sensor: Any, tag: str) -> None:
        """Write the attributes of a sensor."""
        row = SENSORS[tag]
        ends = [("obj", row.object), ("ref", row.reference)]
        if tag in ("insidesite", "tactile"):
            ends = ends[::-1] if tag == "tactile" else ends
        # the attribute that names an object tells its kind, or stands beside one that does
        for end, attributes in ends:
            kind = OBJECTS[int(getattr(sensor, f"{end}type"))]
            name = getattr(sensor, f"{end}name")
            for attribute in attributes.removesuffix("?").split("|"):
                if attribute in ("objname", "refname"):
                    if kind != "unknown":
                        node.set(f"{end}type", kind)
                        node.set(attribute, name)
                elif attribute.rstrip("12").replace("subtree", "xbody") == kind:
                    node.set(attribute, name)
        # what is read, one bit each; the first alone is the default
        bits = int(sensor.intprm[0])
        if tag == "contact" and int(sensor.intprm[2]) != 1:
            node.set("num", str(int(sensor.intprm[2])))
        if tag in ("rangefinder", "contact"):
            order = RAY if tag == "rangefinder" else CONTACT
            words = [word for k, word in enumerate(order) if bits >> k & 1]
            if words != list(order)[:1]:
                node.set("data", " ".join(words))
        if tag == "contact" and sensor.intprm[1]:
            node.set("reduce", REDUCE[sensor.intprm[1]])
        if tag == "plugin":
            self.plugin(node, sensor.plugin)
        if tag == "user":
            node.set("dim", str(sensor.dim))
            for name, choices in (("needstage", "mjtStage"), ("datatype", "mjtDataType")):
                words = words_by_member(choices, words_of("sensor/user", name))
                node.set(name, words[int(getattr(sensor, name))])

    def keyframes(self, root: Node) -> None:
        """Keyframes, as far as they are not the reference."""
        section, model = root.add("keyframe"), self.model
        mocap = model.body_mocapid >= 0
        references = {
            "qpos": model.qpos0,
            "qvel": np.zeros(model.nv),
            "act": np.zeros(model.na),
            "mpos": model.body_pos[mocap].reshape(-1),
            "mquat": model.body_quat[mocap].reshape(-1),
            "ctrl": np.zeros(model.nu),
        }
        for key in self.spec._lists["key"]:
            node = section.add("key")
            node.set("name", key._name)
            write(node, "time", key.time, 0.0)
            for field, reference in references.items():
                own = key.__dict__[field]
                row = own if len(own) else getattr(model, f"key_{field}")[key._id].reshape(-1)
                if (row != reference).any():
                    node.set(field, numbers(row))
            section.drop_empty()
        root.drop_empty()
