"""Elements of the tree and of default classes, in MuJoCo's form."""

from typing import Any

import numpy as np

from mjenv.engine.mjcf.geometry import shapes
from mjenv.engine.mjcf.geometry.pose import compose, invert
from mjenv.engine.tables.plugin_kinds import KINDS
from mjenv.mujoco.spec.making import words_by_member
from mjenv.mujoco.spec.taking import ENDS, TRANSMISSIONS, words_of
from mjenv.mujoco.spec.written import Node, plain, same, write, write_fields, write_users

UNIT = (1.0, 0.0, 0.0, 0.0)
ROWS = {
    "mesh": "inertia refpos refquat scale smoothnormal",
    "material": "texuniform texrepeat emission specular shininess reflectance metallic roughness"
    " rgba",
    "joint": "solreflimit~ solimplimit~ solreffriction~ solimpfriction~ stiffness^",
    "geom": "type contype conaffinity condim group priority friction~ solmix solref~ solimp~ margin"
    " gap fluidshape fluidcoef",
    "site": "group type material rgba",
    "light": "bulbradius intensity range type",
    "pair": "condim margin gap solref~ solreffriction~ solimp~ friction",
    "equality": "active solref~ solimp~",
    "tendon": "group solreflimit~ solimplimit~ solreffriction~ solimpfriction~ limited"
    " actuatorfrclimited range actuatorfrcrange margin stiffness^ damping^ armature frictionloss",
    "actuator": "group nsample interp delay ctrllimited ctrlrange forcelimited forcerange"
    " actlimited actrange lengthrange gear damping^ armature",
}


class Elements:
    """Writes elements.

    Attributes:
        spec: the spec, compiled.
        model: the compiled model of the engine, whose poses and sizes are written.
        defaults: whether default classes are being written, which have no names and poses.
        sizes: numbers of values of users, by kind.
    """

    def __init__(self, spec: Any, model: Any):
        self.spec, self.model, self.defaults = spec, model, False

    def _class(self, target: Any) -> Any:
        """Defaults of the class of an element, for its kind."""
        made = self.spec._classes.get(target._classname) or self.spec._defaults[0]
        return made._elements[target._kind]

    def _head(self, node: Node, target: Any, around: str, named: bool = True) -> None:
        if self.defaults:
            return
        if named:
            node.set("name", target._name)
        if target._classname not in (around, "main"):
            node.set("class", target._classname)

    def _users(self, node: Node, target: Any, default: Any, short: str) -> None:
        other = None if self.defaults else default.__dict__["userdata"]
        size = int(getattr(self.model, f"nuser_{short}"))
        write_users(node, target.__dict__["userdata"], other, size)

    def _row(self, name: str, target: Any) -> Any:
        return getattr(self.model, name)[target._id]

    # assets

    def mesh(self, node: Node, mesh: Any, default: Any) -> None:
        """A mesh."""
        self._head(node, mesh, "main")
        if not self.defaults:
            node.set("content_type", mesh.content_type or mesh.__dict__.get("_type_if_read"))
            node.set("file", mesh.file)
            for name in ("uservert", "usernormal", "usertexcoord", "userface"):
                node.set(name.removeprefix("user").replace("vert", "vertex"),
                         plain(mesh.__dict__[name]))  # fmt: skip
        write_fields(node, mesh, default, ROWS["mesh"])

    def material(self, node: Node, material: Any, default: Any) -> None:
        """A material."""
        self._head(node, material, "main")
        textures = material.__dict__["textures"]
        layers = {k: name for k, name in enumerate(textures) if name and k}
        if set(layers) - {1}:
            roles = words_by_member("mjtTextureRole", words_of("asset/material/layer", "role"))
            for place, name in layers.items():
                layer = node.add("layer")
                layer.set("texture", name)
                layer.set("role", roles[place])
        elif textures[1] != default.__dict__["textures"][1]:
            node.set("texture", textures[1])
        write_fields(node, material, default, ROWS["material"])

    # the tree

    def joint(self, node: Node, joint: Any, default: Any, around: str) -> None:
        """A joint."""
        self._head(node, joint, around)
        word, given = joint.type.name.removeprefix("mjJNT_"), {}
        turns = word in ("HINGE", "SLIDE")
        # compiled values are those of the model: radians become degrees, axes are unit vectors
        if not self.defaults:
            if word != "FREE":
                write(node, "pos", self._row("jnt_pos", joint))
            if turns:
                write(node, "axis", self._row("jnt_axis", joint))
            scale = self._angle(joint)
            given = {name: joint.__dict__[name] * scale for name in ("ref", "springref")}
            given["range"] = self._range(joint)
            if min(joint.springdamper) > 0:
                given |= self._springs(joint)
        # attributes in the order in which the reference writes them
        write_fields(node, joint, default, "type group")
        for name in ("ref", "springref"):
            write(node, name, given.get(name, joint.__dict__[name]), 0.0)
        write_fields(node, joint, default, ROWS["joint"], given)
        if word != "FREE":
            write_fields(node, joint, default, "limited")
        write_fields(node, joint, default, "range", given)
        if turns:
            write_fields(node, joint, default, "actuatorfrclimited")
        rest = "actuatorgravcomp actuatorfrcrange margin armature damping^ frictionloss"
        write_fields(node, joint, default, rest, given)
        self._users(node, joint, default, "jnt")

    def _springs(self, joint: Any) -> dict[str, Any]:
        """Stiffness and damping that follow from a time constant and a damping ratio."""
        stiffness, damping = joint.stiffness.copy(), joint.damping.copy()
        stiffness[0] = self._row("jnt_stiffness", joint)
        damping[0] = self.model.dof_damping[self._row("jnt_dofadr", joint)]
        return {"stiffness": stiffness, "damping": damping}

    def _angle(self, joint: Any) -> float:
        turns = joint.type.name == "mjJNT_HINGE" and joint.compiler.degree
        return float(np.pi / 180) if turns else 1.0

    def _range(self, joint: Any) -> Any:
        """The range as it was compiled."""
        limited = self._row("jnt_limited", joint)
        turns = joint.type.name in ("mjJNT_HINGE", "mjJNT_BALL")
        scale = np.pi / 180 if limited and turns and joint.compiler.degree else 1.0
        return joint.range * scale

    def geom(self, node: Node, geom: Any, default: Any, around: str) -> None:
        """A geom."""
        self._head(node, geom, around)
        shape = geom.type.name.removeprefix("mjGEOM_").lower()
        # classes of defaults were never compiled
        if self.defaults:
            write(node, "size", geom.size, default.size)
            write_fields(node, geom, default, ROWS["geom"])
        else:
            number = int(self._row("geom_type", geom))
            shape = words_of("body/geom", "type")[number]
            count = shapes.size_count(shape) or (3 if shape == "plane" else 0)
            if count:
                write(node, "size", self._row("geom_size", geom)[:count], default.size)
            self._geom_pose(node, geom, shape)
            kind = type(geom.type)(number)
            write_fields(node, geom, default, ROWS["geom"], {"type": kind})
        # mass, material and asset in the order of the reference
        if shape != "mesh":
            write_fields(node, geom, default, "shellinertia")
        self._mass(node, geom, default)
        given = {"material": geom.material or self._mesh_material(geom, shape)}
        write_fields(node, geom, default, "material rgba", given)
        if shape == "hfield":
            node.set("hfield", geom.hfieldname)
        if shape in ("mesh", "sdf"):
            node.set("mesh", geom.meshname)
        self._users(node, geom, default, "geom")

    def _mesh_material(self, geom: Any, shape: str) -> str:
        """The material of the mesh of a geom, which holds where it has none of its own."""
        if self.defaults or shape not in ("mesh", "sdf"):
            return ""
        return self.spec._found("mesh", geom.meshname).material

    def _geom_pose(self, node: Node, geom: Any, shape: str) -> None:
        pos, quat = self._row("geom_pos", geom), self._row("geom_quat", geom)
        if shape in ("mesh", "sdf"):
            mesh = int(self._row("geom_dataid", geom))
            inner = (tuple(self.model.mesh_pos[mesh].tolist()),
                     tuple(self.model.mesh_quat[mesh].tolist()))  # fmt: skip
            if same(pos, inner[0]) and same(quat, inner[1]):
                return
            outer = (tuple(pos.tolist()), tuple(quat.tolist()))
            pos, quat = compose(outer, invert(inner))
        write(node, "pos", pos, (0.0, 0.0, 0.0))
        write(node, "quat", quat, UNIT)

    def _mass(self, node: Node, geom: Any, default: Any) -> None:
        if geom.mass != geom.mass:
            write_fields(node, geom, default, "density")
            return
        if not self.defaults:
            mass, volume = geom.__dict__["_weight"]
            write(node, "mass", mass, volume * default.density)

    def site(self, node: Node, site: Any, default: Any, around: str) -> None:
        """A site."""
        self._head(node, site, around)
        if self.defaults:
            write(node, "size", site.size, default.size)
        else:
            write(node, "pos", self._row("site_pos", site))
            write(node, "quat", self._row("site_quat", site), UNIT)
            count = shapes.size_count(site.type.name.removeprefix("mjGEOM_").lower())
            if count:
                write(node, "size", self._row("site_size", site)[:count], default.size)
        write_fields(node, site, default, ROWS["site"])
        self._users(node, site, default, "site")

    def camera(self, node: Node, camera: Any, default: Any, around: str) -> None:
        """A camera."""
        self._head(node, camera, around)
        if not self.defaults:
            node.set("target", camera.targetbody)
            write(node, "pos", self._row("cam_pos", camera))
            write(node, "quat", self._row("cam_quat", camera), UNIT)
        write_fields(node, camera, default, "ipd mode resolution")
        if camera.output != default.output:
            words = words_of("body/camera", "output")
            node.set("output", " ".join(w for k, w in enumerate(words) if camera.output >> k & 1))
        write_fields(node, camera, default, "projection")
        if min(camera.sensor_size) > 0:
            write(node, "sensorsize", camera.sensor_size)
            write_fields(node, camera, default, "focal focalpixel principal principalpixel")
        else:
            write(node, "fovy", camera.fovy, default.fovy)
        self._users(node, camera, default, "cam")

    def light(self, node: Node, light: Any, default: Any, around: str) -> None:
        """A light."""
        self._head(node, light, around)
        if not self.defaults:
            node.set("target", light.targetbody)
            write(node, "pos", self._row("light_pos", light))
            write(node, "dir", self._row("light_dir", light))
        write_fields(node, light, default, ROWS["light"])
        node.set("texture", light.texture)
        rest = "castshadow active attenuation cutoff exponent ambient diffuse specular mode"
        write_fields(node, light, default, rest)

    # outside the tree

    def pair(self, node: Node, pair: Any, default: Any) -> None:
        """A pair of geoms."""
        self._head(node, pair, "main", named=False)
        if not self.defaults:
            names = (pair.geomname1, pair.geomname2)
            ends = [self.spec._found("geom", name) for name in names]
            if ends[0]._parent._id > ends[1]._parent._id:
                names = names[::-1]
            node.set("geom1", names[0])
            node.set("geom2", names[1])
            node.set("name", pair._name)
        write_fields(node, pair, default, ROWS["pair"])

    def equality(self, node: Node, equality: Any, default: Any) -> None:
        """An equality constraint."""
        self._head(node, equality, "main")
        if not self.defaults:
            self._ends(node, equality)
        write_fields(node, equality, default, ROWS["equality"])

    def _ends(self, node: Node, equality: Any) -> None:
        data, tag = equality.data, node.tag
        if tag in ("connect", "weld"):
            kind = "body" if equality.objtype.name == "mjOBJ_BODY" else "site"
            node.set(f"{kind}1", equality.name1)
            node.set(f"{kind}2", equality.name2)
            if kind == "body":
                write(node, "anchor", data[:3])
                if tag == "weld":
                    write(node, "relpose", data[3:10])
            if tag == "weld":
                write(node, "torquescale", data[10])
            return
        first, second, values = ENDS[tag]
        node.set(first, equality.name1)
        if second:
            node.set(second, equality.name2)
        if values:
            write(node, values, data[: 5 if values == "polycoef" else 3])

    def tendon(self, node: Node, tendon: Any, default: Any) -> None:
        """A tendon."""
        self._head(node, tendon, "main")
        write_fields(node, tendon, default, ROWS["tendon"])
        lengths, others = tendon.springlength, default.springlength
        both = lengths[0] != lengths[1] or others[0] != others[1]
        write(node, "springlength", lengths[: 1 + both], others[: 1 + both])
        if not (tendon._path and tendon._path[0]._word == "joint"):
            write_fields(node, tendon, default, "material width rgba")
        self._users(node, tendon, default, "tendon")

    def actuator(self, node: Node, actuator: Any, default: Any) -> None:
        """An actuator."""
        self._head(node, actuator, "main")
        if not self.defaults:
            self._target(node, actuator)
        write_fields(node, actuator, default, ROWS["actuator"], self._ranges(actuator))
        write(node, "cranklength", actuator.cranklength, default.cranklength)
        write_fields(node, actuator, default, "actearly")
        self._actdim(node, actuator, default)
        write_fields(node, actuator, default, "dyntype dynprm")
        if actuator.plugin.active:
            self.plugin(node, actuator.plugin)
        else:
            write_fields(node, actuator, default, "gaintype biastype gainprm~ biasprm~")
        self._users(node, actuator, default, "actuator")

    def _ranges(self, actuator: Any) -> dict[str, Any]:
        """Ranges that were inherited from joints and tendons."""
        if self.defaults or not actuator.inheritrange:
            return {}
        names = ("ctrlrange", "actrange")
        return {name: self._row(f"actuator_{name}", actuator) for name in names}

    def _actdim(self, node: Node, actuator: Any, default: Any) -> None:
        if self.defaults:
            expected, count = default.actdim, actuator.actdim
        else:
            expected = actuator.dyntype.name not in ("mjDYN_NONE", "mjDYN_DCMOTOR")
            count = int(self._row("actuator_actnum", actuator))
        if count != int(expected):
            node.set("actdim", str(count))

    def _target(self, node: Node, actuator: Any) -> None:
        word = actuator.trntype.name.removeprefix("mjTRN_")
        for attribute, other in TRANSMISSIONS.items():
            if other == word:
                node.set(attribute, actuator.target)
        if word == "SLIDERCRANK":
            node.set("slidersite", actuator.slidersite)
        if word == "SITE":
            node.set("refsite", actuator.refsite)

    def plugin(self, node: Node, plugin: Any) -> None:
        """Plugin of an element."""
        if plugin.name:
            node.set("instance", plugin.name)
            return
        node.set("plugin", plugin.plugin_name)
        self.configure(node, plugin)

    def configure(self, node: Node, plugin: Any) -> None:
        """Settings of a plugin, in the order in which it declares them."""
        instance = plugin._instance if plugin._instance is not None else plugin
        kind = KINDS.get(plugin.plugin_name)
        for key in kind.attributes if kind is not None else sorted(instance._config):
            if instance._config.get(key):
                config = node.add("config")
                config.set("key", key)
                config.set("value", instance._config[key])
