"""URDF to elements: a <robot> becomes the MJCF tree that MuJoCo makes of it.

Elements that URDF does not define for MuJoCo (transmissions, sensors, <gazebo>) are passed over.
What MuJoCo does in its own way is done in the same way here:

* links that no joint has as its child stand fixed in the world; a link called "world" is the world;
* the `rpy` of an inertial frame is ignored, unless all its moments are zero;
* a mesh that is used again with one of its earlier scales is drawn with its first one;
* a color holds for what follows in the same link.
"""

from math import isnan
from typing import TYPE_CHECKING

from ...errors import UnsupportedFeature, nearest
from ..geometry.pose import IDENTITY, ZERO, from_euler, from_z, matrix
from .element import Document, Element, Translated
from .markup import XmlNode
from .schema import kinds
from .urdf_node import Node

if TYPE_CHECKING:
    from .source import Source

# element of <geometry>, which is also the type of the geom: attributes with its size, and factors,
# because MuJoCo has half lengths; the first one found counts, in this order
SHAPES = {
    "box":      (("size",   "real3", 0.5),),
    "cylinder": (("radius", "real",  1.0), ("length", "real", 0.5)),
    "sphere":   (("radius", "real",  1.0),),
    "capsule":  (("radius", "real",  1.0), ("length", "real", 0.5)),
}  # fmt: skip

# type of a URDF joint: types of the joints that it becomes, with the suffixes of their names
JOINTS = {
    "revolute":   (("hinge", ""),),
    "continuous": (("hinge", ""),),
    "prismatic":  (("slide", ""),),
    "fixed":      (),
    "floating":   (("free", ""),),
    "planar":     (("slide", "_TX"), ("slide", "_TY"), ("hinge", "_RZ")),
    "spherical":  (("ball", ""),),
}  # fmt: skip

# what a geom is, beside its shape and place
ROLES = {
    "collision": {"contype": 1, "conaffinity": 1},
    "visual": {"contype": 0, "conaffinity": 0, "group": 1, "density": 0.0},
}

INERTIA = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
EXTENSION = ("compiler", "option", "size")


def read_urdf(root: XmlNode, file: str, source: "Source") -> Element:
    """Translate a URDF document.

    Args:
        root: the element <robot>.
        file: name for messages.
        source: where the files are found that it names.

    Returns:
        The root element of an equal MJCF document; its messages show what stands in the file.

    Raises:
        MjcfError: missing or repeated elements, wrong values, joints that form no tree.
    """
    document = Document(source)
    document.urdf = True
    return _Robot(Node(root, file, document)).model()


class _Robot:
    """State of one document: colors, meshes and names that were met."""

    def __init__(self, root: Node):
        self.root = root
        self.colors = _colors(root)
        self.meshes: dict[str, list[Element]] = {}
        self.geom_names: set[str] = set()
        self.settings: dict = {}

    def model(self) -> Element:
        """The whole document."""
        name = self.root.xml.get("name")
        model = self.root.element("mujoco", {})
        model.values = {} if name is None else {"model": name}
        model.children = _extension(self.root)
        self.settings = model.children[0].values
        links = self._links()
        parents = self._parents(links)
        bodies = {name: self._body(node) for name, node in links.items()}
        world = bodies.get("world") or self.root.element("body", {}, "worldbody")
        self._joints(bodies)
        _check_tree(links, parents)
        inside: dict[str, list[str]] = {name: [] for name in links}
        for child, (parent, _) in parents.items():
            inside[parent].append(child)
        # depth first: what is inside the world stands in it when its link is met
        pending = [name for name in reversed(links) if name not in parents]
        while pending:
            name = pending.pop()
            if bodies[name] is not world:
                around = bodies[parents[name][0]] if name in parents else world
                around.children.append(bodies[name])
            pending += reversed(inside[name])
        assets = [mesh for meshes in self.meshes.values() for mesh in meshes]
        if assets:
            section = self.root.element("asset", {})
            section.children = assets
            model.children.append(section)
        model.children.append(world)
        return model

    def _links(self) -> dict[str, Node]:
        """Links by name, in the order of the document."""
        links: dict[str, Node] = {}
        for node in self.root.all("link"):
            first = links.setdefault(node.text("name"), node)
            if first is not node:
                place = f"{node.file}:{first.xml.line}"
                raise node.error(f"this name is used twice for a link, first at {place}")
        return links

    def _parents(self, links: dict[str, Node]) -> dict[str, tuple[str, Node]]:
        """Parent of each link that has one, and the joint that says so, in the order of joints."""
        parents: dict[str, tuple[str, Node]] = {}
        for joint in self.root.all("joint"):
            names = []
            for end in ("parent", "child"):
                name = (node := joint.need(end)).text("link")
                if name not in links:
                    raise node.error(f"link='{name}': no such link{nearest(name, links)}")
                names.append(name)
            parent, child = names
            if child in parents:
                place = f"{joint.file}:{parents[child][1].xml.line}"
                raise joint.error(
                    f"link '{child}': expected one parent, found two; the first joint is at {place}"
                )
            parents[child] = (parent, joint)
        return parents

    # links

    def _body(self, link: Node) -> Translated:
        """Body of a link, with its inertia and its geoms."""
        name = link.text("name")
        is_world = name == "world"
        body = link.element(
            "body", {} if is_world else {"name": name}, "worldbody" if is_world else ""
        )
        inertial = link.only("inertial")
        if inertial is not None:
            body.children.append(self._inertial(inertial))
        color = None
        for node in link.all("visual", "collision"):
            if node.tag == "visual":
                color = self._color(node, color)
            if node.tag == "collision" or self.settings["discardvisual"] == "false":
                body.children.append(self._geom(node, color))
        return body

    def _inertial(self, node: Node) -> Translated:
        pos, quat = _origin(node)
        mass = node.need("mass").get("value", "real")
        inertia = node.need("inertia")
        moments = tuple(inertia.get(name, "real") for name in INERTIA)
        values = {"pos": pos, "mass": mass}
        if any(moments) and not isnan(moments[0]):
            values["fullinertia"] = moments
            if quat != IDENTITY:
                node.warn("rpy of the inertia")
        else:
            values["quat"] = quat
        return node.element("body/inertial", values)

    def _color(self, visual: Node, color: tuple | None) -> tuple | None:
        """Color after a visual element: its own, or that of its material, or the one before."""
        material = visual.only("material")
        if material is None:
            return color
        given = material.only("color")
        if given is None:
            return self.colors.get(material.text("name"), color)
        return given.get("rgba", "real4")

    def _geom(self, node: Node, color: tuple | None) -> Translated:
        values = dict(ROLES[node.tag])
        geometry = node.need("geometry")
        for shape, sizes in SHAPES.items():
            found = geometry.only(shape)
            if found is not None:
                values["type"], values["size"] = shape, _size(found, sizes)
                break
        else:
            mesh = geometry.only("mesh")
            if mesh is None:
                raise geometry.error(f"expected one of {', '.join(SHAPES)}, mesh in it, found none")
            values["type"], values["mesh"] = "mesh", self._mesh(mesh)
        values["pos"], values["quat"] = _origin(node)
        if color is not None and color[0] >= 0:
            values["rgba"] = color
        name = node.xml.get("name", "")
        if name in self.geom_names:
            node.warn("a name that another geom has")
        elif name:
            values["name"] = name
            self.geom_names.add(name)
        return node.element("body/geom", values)

    def _mesh(self, node: Node) -> str:
        """Name of the mesh that a geom uses, which becomes an asset when it is new."""
        file = node.text("filename")
        scale = (1.0, 1.0, 1.0)
        if node.xml.get("scale") is not None:
            scale = node.get("scale", "real3")
        if self.settings.get("strippath") == "true":
            file = _strip(file)
        name = first = _strip(file)
        if "." in name:
            name = first = name.rpartition(".")[0]
        known = self.meshes.setdefault(first, [])
        if any(mesh.values["scale"] == scale for mesh in known):
            return first
        if known:
            name = f"{first}{len(known)}"
        values = {"name": name, "file": file, "scale": scale}
        known.append(node.element("asset/mesh", values))
        return name

    # joints

    def _joints(self, bodies: dict[str, Translated]) -> None:
        """Place bodies, and add what lets them move."""
        for node in self.root.all("joint"):
            body = bodies[node.need("child").text("link")]
            pos, quat = _origin(node)
            if body.tag == "worldbody":
                if node.text("type") != "fixed":
                    raise node.error("link 'world': expected type='fixed', the world cannot move")
                if (pos, quat) != (ZERO, IDENTITY):
                    raise UnsupportedFeature(
                        f"{node.where}: a world that is moved by <origin> is valid, but not built"
                        " yet; rename the link 'world', or make it the root of the tree"
                    )
                continue
            body.values |= {"pos": pos, "quat": quat}
            joints = [node.element("body/joint", v) for v in self._joint_values(node)]
            place = next((k for k, e in enumerate(body.children) if e.tag == "geom"), None)
            place = len(body.children) if place is None else place
            body.children[place:place] = joints

    def _joint_values(self, node: Node) -> list[dict]:
        kind, name = node.text("type"), node.text("name")
        if kind not in JOINTS:
            known = f"expected one of {', '.join(JOINTS)}"
            raise node.error(f"type='{kind}': {known}{nearest(kind, JOINTS)}")
        axis = (1.0, 0.0, 0.0)
        if (given := node.only("axis")) is not None:
            axis = given.get("xyz", "real3")
        joints = [{"name": name + suffix, "type": t, "axis": axis} for t, suffix in JOINTS[kind]]
        if not joints:
            return []
        if node.all("mimic"):
            node.warn("<mimic>")
        if kind == "planar":
            # the sliders move along the first two axes of a frame whose third one is the axis
            m = matrix(from_z(axis))
            joints[0]["axis"], joints[1]["axis"] = m[0::3], m[1::3]
        if (dynamics := node.only("dynamics")) is not None:
            damping, friction = (dynamics.get(k, "real", 0.0) for k in ("damping", "friction"))
            for joint in joints:
                joint |= {"damping": (damping,), "frictionloss": friction}
        if (limit := node.only("limit")) is not None:
            joints[0] |= _limits(limit)
        return joints


def _colors(root: Node) -> dict[str, tuple]:
    """Colors of named materials, wherever they stand; the first one of a name counts."""
    colors: dict[str, tuple] = {}
    for xml in root.xml.walk():
        if xml.tag == "material" and (name := xml.get("name")) not in (None, *colors):
            color = Node(xml, root.file, root.document).only("color")
            if color is not None:
                colors[name] = color.get("rgba", "real4")
    return colors


def _size(node: Node, sizes: tuple) -> tuple:
    values = []
    for name, kind, factor in sizes:
        value = node.get(name, kind)
        values += [factor * x for x in (value if isinstance(value, tuple) else (value,))]
    return tuple(values)


def _strip(path: str) -> str:
    """Name of a file without its folders."""
    return path.replace("\\", "/").rpartition("/")[2]


def _limits(limit: Node) -> dict:
    """Range and largest force; half a range, or one upside down, limits nothing."""
    lower, upper = (limit.get(name, "real", None) for name in ("lower", "upper"))
    low, high = lower or 0.0, upper or 0.0
    values: dict = {"range": (low, high)}
    if (lower is None) != (upper is None) or low > high:
        values["limited"] = "false"
    effort = abs(limit.get("effort", "real", 0.0))
    if effort > 0:
        values["actuatorfrcrange"] = (-effort, effort)
    return values


def _origin(node: Node) -> tuple[tuple, tuple]:
    """Position and orientation of an element; `rpy` turns about fixed axes."""
    origin = node.only("origin")
    if origin is None:
        return ZERO, IDENTITY
    angles = origin.get("rpy", "real3", None)
    quat = IDENTITY if angles is None else from_euler(angles, "XYZ")
    return origin.get("xyz", "real3", ZERO), quat


def _check_tree(links: dict[str, Node], parents: dict[str, tuple[str, Node]]) -> None:
    """Refuse loops of joints."""
    done: dict[str, bool] = {}  # whether the way up from a link was seen to end
    for name, node in links.items():
        chain = []
        above: str | None = name
        while above is not None and above not in done:
            chain.append(above)
            done[above] = False
            above = parents[above][0] if above in parents else None
        if above is not None and not done[above]:
            raise node.error("expected a tree of links, found a loop of joints above this one")
        done |= dict.fromkeys(chain, True)


def _extension(root: Node) -> list[Element]:
    """Settings: those of a URDF document, and those of its element <mujoco>."""
    given = root.only("mujoco")
    sections = {}
    for xml in given.xml.children if given is not None else ():
        node = Node(xml, root.file, root.document)
        if node.tag not in EXTENSION:
            node.warn("a section of <mujoco> that URDF documents cannot have")
            continue
        if node.tag in sections:
            raise node.error(f"expected at most one <{node.tag}> in <mujoco>")
        sections[node.tag] = _section(node, node.tag)
    compiler = sections.pop("compiler", None) or root.element("compiler", {})
    compiler.values = (
        {"fusestatic": "true", "discardvisual": "true"} | compiler.values | {"angle": "radian"}
    )
    return [compiler, *sections.values()]


def _section(node: Node, path: str) -> Translated:
    """An element of MJCF, read as MuJoCo does in URDF: what is unknown is ignored."""
    kind = kinds()[path]
    values = {}
    for name in node.xml.attributes:
        if name not in kind.attributes:
            node.warn(f"unknown attribute '{name}'{nearest(name, kind.attributes)}")
        elif (value := node.get(name, kind.attributes[name].kind, None)) is not None:
            values[name] = value
    element = node.element(path, values)
    for tag in kind.children:
        if (inner := node.only(tag)) is not None:
            element.children.append(_section(inner, f"{path}/{tag}"))
    return element
