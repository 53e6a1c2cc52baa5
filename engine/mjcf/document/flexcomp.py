"""<flexcomp> written out: bodies with slide joints, a <flex> over them, equality constraints."""

from math import sqrt
from typing import Any

import numpy as np

from ...tables.enums import MINVAL
from ..draft.orientation import check, resolve
from ..flex.cells import EMPTY_CELLS, NODE_POINTS, empty_cells
from ..flex.pieces import Pieces
from ..geometry.pose import ZERO
from ..parts.collect import read_settings
from ..text.budget import check_bytes
from ..text.element import Brought, Element
from ..text.schema import kinds
from .flexcomp_pieces import FlexcompPieces

READ = ("mesh", "gmsh", "direct")  # types whose vertices are given
ORDERS = {"trilinear": 1, "quadratic": 2}  # of the interpolation between nodes
AXES = {"full": 3, "2d": 2}  # sliders of each vertex, by kind of dofs
CONSTRAINTS = {"true": "flex", "vert": "flexvert", "strain": "flexstrain"}
KEPT = ("group", "radius", "rgba", "material")  # attributes that <flex> has too
VERTEX_BYTES = 1 << 15  # that a vertex with its body takes while it is compiled, generously


def expand_flexcomps(root: Element, walked: bool = False) -> Element:
    """A document without <flexcomp>; itself where it has none.

    Args:
        root: the document.
        walked: whether its tree will be walked to attach and replicate: elements of other sections
            then wait in the tree, as `Brought`.

    Raises:
        MjcfError: attributes that contradict each other, files that are missing or damaged.
        UnsupportedFeature: a <flexcomp> with plugins.
    """
    holding = _holding(root)
    if not holding:
        return root
    read_settings(root)
    new = root.like()
    made: dict[str, list[Element]] = {"deformable": [], "equality": []}
    for section in root.children:
        tree = section.tag == "worldbody"
        new.children.append(_written(section, made, holding, walked) if tree else section)
    for tag, elements in made.items():
        section = Element(kinds()[tag], tag, root.file, root.line, root.document, root.folder)
        section.children = elements
        new.children.append(section)
    return new


def _holding(root: Element) -> set[int]:
    """`id` of all <flexcomp>, and of everything around them."""
    found: set[int] = set()
    for element in reversed(list(root.walk())):
        if element.tag == "flexcomp" or any(id(child) in found for child in element.children):
            found.add(id(element))
    return found


def _written(
    world: Element, made: dict[str, list[Element]], holding: set[int], walked: bool
) -> Element:
    """A copy of the tree, its deformables written out; frames do not move those inside them.

    Args:
        world: the tree.
        made: elements of other sections, to which those of the deformables are added.
        holding: `id` of the elements that are, or hold, a deformable.
        walked: whether these elements wait in the tree instead.
    """
    pieces: dict[int, list[Element]] = {}  # what elements become
    # down: deformables are written out, and other elements that hold some are listed
    holders = []
    pending = [(world, "world")]
    while pending:
        element, body = pending.pop()
        if element.tag == "flexcomp":
            deformable = _Flexcomp(element, body)
            if walked:
                pieces[id(element)] = _waiting(deformable)
            else:
                pieces[id(element)] = deformable.write_out(made)
            continue
        holders.append(element)
        if element.tag not in ("worldbody", "frame"):
            body = element.values.get("name", "") if element.tag == "body" else ""
        inner = [child for child in element.children if id(child) in holding]
        pending.extend((child, body) for child in reversed(inner))
    # up: each is copied with what its children have become
    for element in reversed(holders):
        become = _frame if element.tag == "frame" else _body
        pieces[id(element)] = become(element, pieces)
    return pieces[id(world)][0]


def _waiting(deformable: "_Flexcomp") -> list[Element]:
    """Elements that replace a deformable in a tree that will be walked."""
    made: dict[str, list[Element]] = {"deformable": [], "equality": []}
    bodies, old = deformable.write_out(made), deformable.element
    kind = kinds()["body/frame"]
    brought = Brought(kind, kind.tag, old.file, old.line, old.document, old.folder)
    brought.elements = [(tag, element) for tag, elements in made.items() for element in elements]
    return [brought, *bodies]


def _body(old: Element, pieces: dict[int, list[Element]]) -> list[Element]:
    """A copy of a body, with what its elements become."""
    copy = old.like()
    copy.children = [piece for child in old.children for piece in pieces.get(id(child), [child])]
    return [copy]


def _frame(frame: Element, pieces: dict[int, list[Element]]) -> list[Element]:
    """A frame in parts, and between them the bodies of deformables, which it does not move."""
    found: list[Element] = []
    part = frame.like()
    for child in frame.children:
        loose = id(child) in pieces and child.tag in ("flexcomp", "frame")
        for piece in pieces.get(id(child), [child]):
            if not loose or piece.tag == "frame":
                part.children.append(piece)
                continue
            if part.children:
                found.append(part)
                part = frame.like()
                part.values.pop("name", None)
            found.append(piece)
    return [*found, part]


class _Flexcomp:
    """One <flexcomp>.

    Attributes:
        element: the element.
        values: its attributes, and those of <edge>, <contact> and <elasticity> by their tags.
        body: name of the body around it.
    """

    def __init__(self, element: Element, body: str):
        self.element, self.body = element, body
        self.values = element.kind.defaults | element.values
        self.inner = {child.tag: child for child in element.children}
        self.kind, self.dof, self.dim = (self.values[n] for n in ("type", "dof", "dim"))
        self.order = ORDERS.get(self.dof, 0)
        self.equality = self._inner_value("edge", "equality")

    def _inner_value(self, tag: str, name: str) -> Any:
        """Attribute of an element inside it, or its default."""
        kind = self.element.kind.children[tag]
        given = self.inner[tag].values if tag in self.inner else {}
        return (kind.defaults | given).get(name)

    def write_out(self, made: dict[str, list[Element]]) -> list[Element]:
        """Bodies of its vertices or nodes; what else it makes is added to sections by tags."""
        # refuse, then vertices and elements, posed in the body
        if "plugin" in self.inner:
            raise self.inner["plugin"].unsupported("<plugin> in <flexcomp>")
        self._check()
        # all points pinned make it rigid; none pinned lets it move freely
        made_of = FlexcompPieces(self.element, self.values)
        pieces, self.dim = self._posed(made_of.read()), made_of.dim
        pinned = self._pinned(len(pieces.points))
        all_points = pieces.points
        rigid = self.values["rigid"] == "true" or bool(pinned[: len(all_points)].all())
        centered = not rigid and not pinned[: len(all_points)].any()
        if self.kind in READ:
            pieces, pinned = self._used(pieces, pinned)
        check_bytes(
            self.element, len(pieces.points) * VERTEX_BYTES, "a deformable of many vertices"
        )
        # bodies: one for all (rigid), for each node, or for each vertex
        flex = self._flex(pieces)
        bodies: list[Element] = []
        empty = np.zeros((1, 1, 1), bool)
        if rigid:
            flex.values["body"] = (self.body,)
            flex.values["vertex"] = _flat(pieces.points)
        elif self.order:
            box = (all_points.min(axis=0), all_points.max(axis=0))
            cells = self._cells()
            if min(cells) < 1:
                raise self.element.error("cellcount: expected 1 or more along each axis")
            empty = empty_cells(pieces.points, pieces.elements, cells, box)
            bodies = self._nodes(flex, pieces, pinned, box, empty)
        else:
            bodies = self._vertices(flex, pieces, pinned, centered)
        # the other sections get the deformable and its constraints
        made["deformable"].append(flex)
        if not rigid and self.equality != "false":
            made["equality"] += self._constraints(empty)
        return bodies

    def _check(self) -> None:
        """Refuse numbers that make no deformable."""
        # where it stands
        element, values, dim = self.element, self.values, self.dim
        if not self.body:
            raise element.error("expected a body with a name around it, found one without")
        check(element, may_be_zero=True)
        # sizes of the lattice
        if not 1 <= dim <= 3:
            raise element.error(f"dim='{dim}': expected 1, 2 or 3")
        least = 2 if self.dof == "radial" and dim == 3 else 1
        if self.kind in ("box", "cylinder", "ellipsoid"):
            least = 2
        if min(values["count"]) < least:
            raise element.error(f"count: expected {least} or more along each axis")
        margin = self._inner_value("contact", "margin")
        smallest = 2 * values["radius"] + margin
        if self.kind not in READ and min(values["spacing"]) < smallest:
            raise element.error(f"spacing: expected 2 radius + margin or more, {smallest:g}")
        # quantities that have to be positive
        for name in ("scale", "mass", "inertiabox"):
            if np.min(values[name]) < MINVAL:
                raise element.error(f"{name}: expected {MINVAL:g} or more")
        # attributes that exclude or need each other
        bends = self._inner_value("elasticity", "elastic2d") == "bend"
        if not bends and self.equality != "false" and self._inner_value("elasticity", "young") > 0:
            raise element.error("equality and young: expected one of them, found both")
        if self.kind == "mesh" and dim == 3 and "origin" not in element.values:
            raise element.error("expected the attribute 'origin' for a mesh with dim='3'")

    # vertices and elements

    def _posed(self, pieces: Pieces) -> Pieces:
        """Vertices scaled, turned and moved to where it stands in the body."""
        values, points = self.values, pieces.points
        if self.kind in READ and tuple(values["scale"]) != (1.0, 1.0, 1.0):
            points = points * np.array(values["scale"])
        quat = values["quat"]
        if any(values.get(name) is not None for name in ("axisangle", "xyaxes", "zaxis", "euler")):
            quat = resolve(values, self.element.settings, self.element)
        return pieces._replace(points=rotated(points, tuple(quat)) + np.array(values["pos"]))

    @staticmethod
    def _used(pieces: Pieces, pinned: np.ndarray) -> tuple[Pieces, np.ndarray]:
        """Vertices and elements without the vertices that no element has."""
        used = np.zeros(len(pieces.points), bool)
        used[pieces.elements] = True
        if used.all():
            return pieces, pinned
        place = np.cumsum(used) - 1
        texcoords = pieces.texcoords
        if len(texcoords) >= len(used):
            texcoords = texcoords[: len(used)][used]
        left = Pieces(
            pieces.points[used], place[pieces.elements], texcoords, pieces.element_texcoords
        )
        kept = np.concatenate([pinned[: len(used)][used], pinned[len(used) :]])
        padded = np.zeros(max(len(kept), len(pinned) - len(used) + used.sum()), bool)
        padded[: len(kept)] = kept
        return left, padded

    # pins

    def _cells(self) -> tuple[int, int, int]:
        """Interpolation cells along each axis."""
        given = self.values["cellcount"]
        return given if given[0] >= 0 else (1, 1, 1)

    def _pinned(self, npoint: int) -> np.ndarray:
        """Mask of the vertices, or nodes, that stay with the body (n,)."""
        # there may be more nodes than points, or fewer
        nnode = 0
        if self.order:
            cells = self._cells() if self.kind in READ else (1, 1, 1)
            nnode = int(np.prod([n * self.order + 1 for n in cells]))
        pinned = np.zeros(max(npoint, nnode), bool)
        # numbers of all <pin>
        numbers: dict[str, list[int]] = {"id": [], "range": [], "grid": [], "gridrange": []}
        for child in self.element.children:
            if child.tag == "pin":
                for name, found in numbers.items():
                    found.extend(child.values.get(name) or ())
        # check all of them before one is used
        self._check_pins(numbers)
        if self.values["rigid"] == "true":
            pinned[:] = True
            return pinned
        # pins by number, by ranges of numbers, by places in the lattice, by ranges of places
        for first in self._rows(numbers["id"], 1, npoint, "id"):
            pinned[first] = True
        for first, last in self._rows(numbers["range"], 2, npoint, "range"):
            pinned[first : last + 1] = True
        dim, count = self.dim, self.values["count"]
        most = count
        if self.order and self.kind != "grid":
            most = (self.order + 1,) * 3
        for place in self._rows(numbers["grid"], dim, most, "grid"):
            self._pin(pinned, [range(k, k + 1) for k in place])
        for place in self._rows(numbers["gridrange"], 2 * dim, count, "gridrange"):
            ends = zip(place[:dim], place[dim:], strict=True)
            self._pin(pinned, [range(a, b + 1) for a, b in ends])
        # the centre of a radial deformable has no dof
        if self.dof == "radial":
            pinned[0] = True
        return pinned

    def _check_pins(self, numbers: dict[str, list]) -> None:
        dim, error = self.dim, self.element.error
        for name, width in (("range", 2), ("grid", dim), ("gridrange", 2 * dim)):
            if len(numbers[name]) % width:
                raise error(f"pin: {name}: expected a multiple of {width} numbers")
        if (numbers["grid"] or numbers["gridrange"]) and (
            dim == 1 or (self.kind != "grid" and not self.order)
        ):
            raise error(
                "pin: grid and gridrange: expected type='grid' with dim='2' or '3', or"
                " dof='trilinear' or 'quadratic'"
            )

    def _rows(self, numbers: list, width: int, most: Any, name: str) -> list:
        """Rows of a list of pins, checked.

        Args:
            numbers: the list.
            width: numbers of a row.
            most: what they have to be less than: a number, or one for each axis.
            name: name of the attribute.
        """
        limits = (
            [most] * width if isinstance(most, int) else [most[k % self.dim] for k in range(width)]
        )
        for k, number in enumerate(numbers):
            if not 0 <= number < limits[k % width]:
                raise self.element.error(
                    f"pin: {name}: {number}: expected 0 to {limits[k % width] - 1}"
                )
        if width == 1:
            return numbers
        return [numbers[k : k + width] for k in range(0, len(numbers), width)]

    def _pin(self, pinned: np.ndarray, ranges: list) -> None:
        """Pin a block of a grid."""
        _, ny, nz = self.values["count"]
        weights = (ny, 1) if self.dim == 2 else (ny * nz, nz, 1)
        grid = np.meshgrid(*(np.array(r, int) for r in ranges), indexing="ij")
        places = sum(w * axis for w, axis in zip(weights, grid, strict=True))
        places = np.asarray(places).ravel()
        if places.size and places.max() >= len(pinned):
            raise self.element.error(f"pin: grid: expected places in the grid of {len(pinned)}")
        pinned[places] = True

    # elements that it becomes

    def _flex(self, pieces: Pieces) -> Element:
        """<flex> without bodies and vertices."""
        flex = self.element.like(kinds()["deformable/flex"])
        values = flex.values = {n: self.element.values[n] for n in KEPT if n in self.element.values}
        values |= {"name": self.values["name"], "dim": self.dim}
        values["element"] = _flat(pieces.elements)
        if len(pieces.texcoords):
            values["texcoord"] = _flat(pieces.texcoords)
        if len(pieces.element_texcoords):
            values["elemtexcoord"] = _flat(pieces.element_texcoords)
        flat = self.kind in ("box", "cylinder") or (self.kind == "grid" and self.dim == 3)
        if flat or self.values["flatskin"] == "true":
            values["flatskin"] = "true"
        for tag in ("contact", "edge", "elasticity"):
            if tag in self.inner:
                inner = self.inner[tag].like(kinds()[f"deformable/flex/{tag}"])
                given = self.inner[tag].values
                inner.values = {n: v for n, v in given.items() if n in inner.kind.attributes}
                if tag == "edge":
                    inner.values = {n: v for n, v in given.items() if n in ("stiffness", "damping")}
                flex.children.append(inner)
        return flex

    def _slider(self, name: str, pos: np.ndarray, mass: float, moment: float, axes: Any) -> Element:
        """A body that slides along axes."""
        like = self.element.like
        body = like(kinds()["body"], name=name, pos=_flat(pos))
        body.children.append(
            like(kinds()["body/inertial"], pos=ZERO, mass=mass, diaginertia=(moment,) * 3)
        )
        body.children += [
            like(kinds()["body/joint"], type="slide", pos=ZERO, axis=tuple(axis)) for axis in axes
        ]
        return body

    def _vertices(
        self, flex: Element, pieces: Pieces, pinned: Any, centered: bool
    ) -> list[Element]:
        """A body for each vertex that is not pinned."""
        points, name = pieces.points, self.values["name"]
        mass = self.values["mass"] / len(points)
        moment = mass * (2.0 * self.values["inertiabox"] * self.values["inertiabox"]) / 3.0
        bodies, names, inside = [], [], points.copy()
        for i, point in enumerate(points):
            if pinned[i]:
                names.append(self.body)
                continue
            axes = (
                [direction(point)] if self.dof == "radial" else np.eye(3)[: AXES[self.dof]].tolist()
            )
            names.append(f"{name}_{i}")
            bodies.append(self._slider(names[-1], point, mass, moment, axes))
            inside[i] = 0
        flex.values["body"] = tuple(names)
        if not centered:
            flex.values["vertex"] = _flat(inside)
        return bodies

    def _nodes(
        self, flex: Element, pieces: Pieces, pinned: Any, box: Any, empty: Any
    ) -> list[Element]:
        """A body for each node that is not pinned and belongs to a cell that is not empty."""
        # nodes of empty cells do not move
        order, cells, name = self.order, empty.shape, self.values["name"]
        shape = tuple(n * order + 1 for n in cells)
        fixed = np.zeros(int(np.prod(shape)), bool)
        known = min(len(pinned), len(fixed))
        fixed[:known] = pinned[:known]
        fixed |= _in_empty_cells(empty, order).ravel()
        low, high = box
        # places of the nodes in the box
        grid = np.indices(shape).reshape(3, -1).T
        nodes = low + grid / (np.array(cells) * order) * (high - low)
        # the mass is spread over the nodes that move
        weights = _node_weights(shape, order)
        total = 0.0
        for weight, still in zip(weights, fixed, strict=True):
            total += 0.0 if still else weight
        scale = self.values["mass"] / total if total > 0 else 1.0
        # bodies, and where nodes without one are in the parent's frame
        bodies, names, inside = [], [], np.zeros_like(nodes)
        side = self.values["inertiabox"]
        for k, (place, node) in enumerate(zip(grid.tolist(), nodes, strict=True)):
            if fixed[k]:
                names.append(self.body)
                inside[k] = node
                continue
            names.append("_".join([name, *map(str, place)]))
            moment = weights[k] * (2.0 * side * side) / 3.0 * scale
            bodies.append(
                self._slider(names[-1], node, weights[k] * scale, moment, np.eye(3).tolist())
            )
        flex.values |= {
            "dof": self.dof,
            "node": tuple(names),
            "cellcount": tuple(cells),
            NODE_POINTS: _flat(inside),
            EMPTY_CELLS: tuple(empty.ravel().tolist()),
            "body": (self.body,) * len(pieces.points),
            "vertex": _flat(pieces.points),
        }
        return bodies

    def _constraints(self, empty: np.ndarray) -> list[Element]:
        """Equality constraints of its edges, vertices or cells."""
        tag = CONSTRAINTS[self.equality]
        values = {"flex": self.values["name"], "active": "true"}
        for name in ("solref", "solimp"):
            default = self.element.kind.children["edge"].defaults[name]
            given = tuple(self._inner_value("edge", name))
            values[name] = (*given, *default[len(given) :])
        kind, make = kinds()[f"equality/{tag}"], self.element.like
        if tag != "flexstrain":
            return [make(kind, **values)]
        if self.order and self._inner_value("elasticity", "elastic2d") != "none":
            cx, cy, cz = empty.shape
            sides = range(2 * (cy * cz + cx * cz + cx * cy))
            return [make(kind, **values, cell=(k, -1, -1)) for k in sides]
        return [make(kind, **values, cell=tuple(c)) for c in np.argwhere(~empty).tolist()]


def _flat(rows: np.ndarray) -> tuple:
    return tuple(rows.ravel().tolist())


def rotated(points: np.ndarray, quat: tuple) -> np.ndarray:
    """Points rotated by a quaternion, in MuJoCo's order of operations, (n, 3)."""
    w, *axis = quat
    if tuple(quat) == (1.0, 0.0, 0.0, 0.0):
        return points
    x, y, z = axis
    a, b, c = points.T
    s, t, u = w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a
    turned = (a + 2 * (y * u - z * t), b + 2 * (z * s - x * u), c + 2 * (x * t - y * s))
    return np.stack(turned, axis=1)


def direction(point: np.ndarray) -> tuple:
    """Unit vector to a point; one very near stays what it is."""
    x, y, z = point.tolist()
    length = sqrt(x * x + y * y + z * z)
    if x * x + y * y + z * z < 1e-14 or abs(length - 1) <= 1e-14:
        return (x, y, z)
    return (x / length, y / length, z / length)


def _in_empty_cells(empty: np.ndarray, order: int) -> np.ndarray:
    """Mask of the nodes that belong to empty cells only."""
    shape = tuple(n * order + 1 for n in empty.shape)
    alone = np.ones(shape, bool)
    for cell in np.argwhere(~empty):
        alone[tuple(slice(c * order, c * order + order + 1) for c in cell)] = False
    return alone


def _node_weights(shape: tuple, order: int) -> list[float]:
    """Parts of the mass that nodes have, before they are made to add up, (n,)."""
    if order == 1:
        return [1.0] * int(np.prod(shape))
    simpson = (1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0)
    grid = np.indices(shape).reshape(3, -1)
    weight = np.ones(grid.shape[1])
    shared = np.ones(grid.shape[1])
    for axis, n in zip(grid, shape, strict=True):
        local = axis % order
        weight = weight * np.array(simpson)[local]
        shared = shared * np.where((axis > 0) & (axis < n - 1) & (local == 0), 2, 1)
    return (weight * shared).tolist()
