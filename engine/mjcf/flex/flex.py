"""Deformables: what their elements say, checked, and what follows from it at qpos0."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...tables.enums import MINVAL
from ..assets.mesh_tree import Tree, tree_of_boxes
from ..assets.singles import singles
from ..assets.triangles import apply, cross, dot
from ..geometry import pose
from ..text.budget import check_bytes
from . import elasticity, topology
from .cells import EMPTY_CELLS, NODE_POINTS, empty_cells
from .nodes import Grid, cell_stiffness, eigenvectors, shell_bending, side_stiffness

if TYPE_CHECKING:
    from ..draft.draft import Draft, Part

ELASTIC = ("none", "bend", "stretch", "both")
BENDS, STRETCHES = ("bend", "both"), ("stretch", "both")
ORDERS = {"trilinear": 1, "quadratic": 2}
SQUARE = 1e-8  # how far axes of a grid may be from right angles


class Flex(NamedTuple):
    """A compiled deformable.

    Attributes:
        bodies: body of each vertex, (nvert,); of a rigid one all the same, -1 where nodes count.
        node_bodies: body of each node, (nnode,).
        vertices: in their bodies, (nvert, 3) (m).
        nodes: in their bodies, (nnode, 3) (m).
        vertices0: in the box around it, from 0 to 1, (nvert, 3).
        nodes0: at qpos0 along the axes of the grid, (nnode, 3) (m).
        elements: vertices of each element, (nelem, dim + 1).
        edges: its edges.
        border: what lies outside.
        texcoords, element_texcoords: texture coordinates and those of each element.
        stiffness, bending: numbers of elements and edges, or none.
        tree: boxes around its elements that can collide.
        size: half sizes of the box at qpos0 (3,) (m).
        rigid: whether one body has all vertices.
        centered: whether all vertices or nodes are at the origins of their bodies.
        order: of the interpolation; 0: vertices have their own bodies, negative: a shell.
    """

    bodies: np.ndarray
    node_bodies: np.ndarray
    vertices: np.ndarray
    nodes: np.ndarray
    vertices0: np.ndarray
    nodes0: np.ndarray
    elements: np.ndarray
    edges: topology.Edges
    border: topology.Border
    texcoords: np.ndarray
    element_texcoords: np.ndarray
    stiffness: np.ndarray
    bending: np.ndarray
    tree: Tree
    size: np.ndarray
    rigid: bool
    centered: bool
    order: int


def compile_flexes(draft: "Draft") -> None:
    """Compile all deformables; each keeps a `Flex` as its value "data", and its settings."""
    if not draft.parts["flex"]:
        return
    poses = _world_poses(draft)
    for part in draft.parts["flex"]:
        part.values |= settings(part)
        compiler = _Compiler(draft, part, poses)
        part.values["data"] = compiler.flex()


def settings(part: "Part") -> dict:
    """Attributes of the elements inside a deformable, defaults included, by `tag name`."""
    found = {}
    for tag, kind in part.element.kind.children.items():
        given = [child.values for child in part.element.children if child.tag == tag]
        for name, default in kind.defaults.items():
            value = given[0].get(name) if given else None
            if isinstance(value, tuple):
                value = (*value, *default[len(value) :])
            found[f"{tag} {name}"] = default if value is None else value
    return found


def _world_poses(draft: "Draft") -> list[tuple]:
    """Poses of all bodies in the world at qpos0."""
    poses: list[tuple] = []
    for body in draft.parts["body"]:
        if body.parent is None:
            poses.append((pose.ZERO, pose.IDENTITY))
        else:
            poses.append(pose.compose(poses[body.parent.id], (body["pos"], body["quat"])))
    return poses


class _Compiler:
    """One deformable.

    Attributes:
        draft, part: the model and the deformable.
        poses: of all bodies at qpos0.
    """

    def __init__(self, draft: "Draft", part: "Part", poses: list[tuple]):
        self.draft, self.part, self.poses = draft, part, poses
        self.values, self.dim = part.values, part["dim"]
        self.interpolated = bool(part.values.get("node"))
        self.order = ORDERS.get(part["dof"], 0)
        self.elastic2d: str = part["elasticity elastic2d"]

    def flex(self) -> Flex:
        """The compiled deformable."""
        # what the text says, checked
        self._check_settings()
        elements = self._elements()
        vertices, bodies, rigid, centered = self._vertices()
        nvert = len(vertices)
        self._check_nodes()
        if ((elements < 0) | (elements >= nvert)).any():
            raise self.part.error(f"element: expected vertices from 0 to {nvert - 1}")
        texcoords, of_elements = self._texcoords(nvert, elements)
        bodies, node_bodies = self._bodies(bodies, nvert), self._bodies(self._names("node"), 0)
        if (np.diff(np.sort(elements, axis=1), axis=1) == 0).any():
            raise self.part.error("element: expected different vertices, found one twice")
        # a rigid one has one body, a centred one all vertices at the origins of bodies
        if not rigid and not self.interpolated:
            rigid = bool((bodies == bodies[0]).all())
        nodes = np.array(self.values.get(NODE_POINTS) or (), float).reshape(-1, 3)
        if not len(nodes):
            nodes = np.zeros((len(node_bodies), 3))
        inner = nodes if self.interpolated else vertices
        centered = bool(centered or not inner.any())
        # points at qpos0
        points = self._placed(bodies, vertices, still=centered and not self.interpolated)
        node_points = self._placed(node_bodies, nodes, still=centered)
        turn, grid = self._grid(node_points, points, elements)
        # how elements hang together, and what follows from it
        elements = self._oriented(points, elements)
        edges = topology.edges(elements, self.dim)
        border = topology.border(elements, self.dim)
        stiffness, bending = self._elasticity(points, elements, edges, grid)
        tree = self._tree(points, elements, border.layers)
        size, vertices0 = self._box(points, grid, turn, tree)
        if self.interpolated:
            bodies = np.full(nvert, -1)
        shell = self.elastic2d != "none"
        return Flex(
            bodies=bodies,
            node_bodies=node_bodies,
            vertices=vertices,
            nodes=nodes * (not centered),
            vertices0=vertices0,
            nodes0=grid.points,
            elements=elements,
            edges=edges,
            border=border,
            texcoords=texcoords,
            element_texcoords=of_elements,
            stiffness=stiffness,
            bending=bending,
            tree=tree,
            size=size,
            rigid=rigid,
            centered=centered,
            order=-self.order if shell else self.order,
        )

    # checks

    def _check_settings(self) -> None:
        """Refuse settings that contradict each other."""
        error, values = self.part.error, self.values
        if not 1 <= self.dim <= 3:
            raise error(f"dim='{self.dim}': expected 1, 2 or 3")
        if values["edge stiffness"] > 0 and self.dim > 1:
            raise error("edge stiffness: expected dim='1', or young in <elasticity>")
        if self.interpolated:
            if values["contact selfcollide"] != "none":
                raise error("selfcollide: expected 'none' for a deformable with nodes")
            if values["contact internal"] == "true":
                raise error("internal: expected 'false' for a deformable with nodes")
        poisson = values["elasticity poisson"]
        if self.elastic2d != "none":
            if values["elasticity thickness"] <= 0:
                raise error("elastic2d: expected a positive thickness")
            if self.dim != 2 and not self.interpolated:
                raise error(f"elastic2d: expected dim='2', found '{self.dim}'")
        if (self.elastic2d != "none" or values["elasticity young"] > 0) and not 0 <= poisson < 0.5:
            raise error(f"poisson='{poisson:g}': expected at least 0 and less than 0.5")

    def _elements(self) -> np.ndarray:
        given = np.array(self.values.get("element") or (), int)
        if not len(given) or len(given) % (self.dim + 1):
            raise self.part.error(
                f"element: expected a multiple of {self.dim + 1} vertices, found {len(given)}"
            )
        return given.reshape(-1, self.dim + 1)

    def _names(self, attribute: str) -> tuple:
        return self.values.get(attribute) or ()

    def _vertices(self) -> tuple[np.ndarray, tuple, bool, bool]:
        """Vertices in their bodies, names of bodies, whether they are rigid and centred."""
        names = self._names("body")
        if not names and not self.interpolated:
            raise self.part.error("body: expected names of bodies, found none")
        given = self.values.get("vertex") or ()
        if len(given) % 3:
            raise self.part.error(f"vertex: expected rows of 3 numbers, found {len(given)}")
        if not given:
            vertices, centered, rigid = np.zeros((len(names), 3)), True, False
        else:
            vertices, centered = np.array(given, float).reshape(-1, 3), False
            rigid = len(names) == 1
            if not rigid and len(names) != len(vertices):
                raise self.part.error(
                    f"body: expected 1 or {len(vertices)} names, found {len(names)}"
                )
        if len(vertices) < self.dim + 1:
            raise self.part.error(f"expected {self.dim + 1} vertices or more")
        return vertices, names, rigid, centered

    def _check_nodes(self) -> None:
        """Refuse a number of nodes that is not that of the grid."""
        count, cells, error = len(self._names("node")), self.values["cellcount"], self.part.error
        if count and not self.order:
            raise error("dof: expected 'trilinear' or 'quadratic' for a deformable with nodes")
        if not self.order:
            return
        if min(cells) <= 0:
            raise error("cellcount: expected 1 or more along each axis")
        if self.elastic2d != "none" and 1 not in cells:
            raise error("cellcount: expected one cell along some axis of a shell")
        expected = int(np.prod([n * self.order + 1 for n in cells]))
        if count != expected:
            raise error(f"node: expected {expected} nodes as of cellcount and dof, found {count}")

    def _texcoords(self, nvert: int, elements: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Texture coordinates, and those of each element."""
        given, chosen = self.values.get("texcoord") or (), self.values.get("elemtexcoord") or ()
        if given and len(given) != 2 * nvert and not chosen:
            raise self.part.error(
                f"texcoord: expected {2 * nvert} numbers, two for each vertex, found {len(given)}"
            )
        found = np.zeros((0, 2), np.float32)
        if given:
            found = singles(self.part, "texcoord")
            found = found[: len(found) // 2 * 2].reshape(-1, 2)
        if not chosen:
            return found, elements
        if len(chosen) > elements.size:
            raise self.part.error(
                f"elemtexcoord: expected {elements.size} numbers, found {len(chosen)}"
            )
        if min(chosen) < 0 or max(chosen) >= max(1, len(found)):
            raise self.part.error(f"elemtexcoord: expected 0 to {len(found) - 1}")
        filled = np.zeros(elements.size, int)
        filled[: len(chosen)] = chosen
        return found, filled.reshape(elements.shape)

    # bodies and points

    def _bodies(self, names: tuple, count: int) -> np.ndarray:
        """Ids of bodies; of a single name for as many vertices as are asked for."""
        bends = self.dim == 2 and self.elastic2d in BENDS and not self.interpolated
        known: dict[str, int] = {}
        for name in dict.fromkeys(names):
            body = self.draft.find("body", name, self.part.element, "body")
            joints = getattr(body, "joints", ())
            if bends and count and len(joints) != 3:
                raise self.part.error(
                    f"elastic2d='{self.elastic2d}': expected bodies with 3 joints, as without pins,"
                    f" found {len(joints)} in '{name}'"
                )
            known[name] = body.id
        ids = np.array([known[name] for name in names], int)
        return ids.repeat(count) if len(ids) == 1 and count else ids

    def _placed(self, bodies: np.ndarray, points: np.ndarray, still: bool) -> np.ndarray:
        """Points of bodies in the world at qpos0, (n, 3) (m)."""
        found = np.array([self.poses[b][0] for b in bodies.tolist()]).reshape(-1, 3)
        if still:
            return found
        quats = [self.poses[b][1] for b in bodies.tolist()]
        turned = points.copy()
        for k in np.flatnonzero(points.any(axis=1)):
            turned[k] = pose.rotate(tuple(points[k].tolist()), quats[k])
        return found + turned

    def _grid(
        self, nodes: np.ndarray, points: np.ndarray, elements: np.ndarray
    ) -> tuple[tuple, Grid]:
        """Axes of the grid of nodes at qpos0, nine numbers by rows, and the grid along them."""
        cells, order = tuple(self.values["cellcount"]), self.order
        identity = tuple(np.eye(3).ravel().tolist())
        self.empty = None
        if not len(nodes):
            return identity, Grid(nodes, cells, order)
        # which cells are empty is given by the document, or follows from the elements
        if given := self.values.get(EMPTY_CELLS):
            self.empty = np.array(given, bool).reshape(cells)
        elif int(np.prod(cells)) > 1:
            box = (points.min(axis=0), points.max(axis=0))
            self.empty = empty_cells(points, elements, cells, box)
        # axes of the grid, by the edges of the first cell that is not empty
        full = np.ones(cells, bool) if self.empty is None else ~self.empty
        first = np.argwhere(full)[0] if full.any() else np.zeros(3, int)
        numbers = np.arange(len(nodes)).reshape([n * order + 1 for n in cells])
        corner = tuple((first * order).tolist())
        rows = []
        for axis in range(3):
            end = list(corner)
            end[axis] += order
            rows.append(nodes[numbers[tuple(end)]] - nodes[numbers[corner]])
        # the rotation into the axes, which have to be at right angles
        turn = np.array([pose.normalize(tuple(row.tolist()))[0] for row in rows])
        if np.abs(turn @ turn.T - np.eye(3)).max() > SQUARE:
            raise self.part.error("node: expected a grid of nodes with axes at right angles")
        matrix = tuple(turn.ravel().tolist())
        return matrix, Grid(apply(matrix, nodes), cells, order)

    def _oriented(self, points: np.ndarray, elements: np.ndarray) -> np.ndarray:
        """Tetrahedra with the first three vertices clockwise, seen from the fourth."""
        if self.dim == 3:
            a, b, c, d = (points[elements[:, k]] for k in range(4))
            wrong = dot(cross(b - a, c - a), d - a) > 0
            elements = elements.copy()
            elements[wrong] = elements[wrong][:, [0, 2, 1, 3]]
        return elements

    # what follows

    def _elasticity(
        self, points: np.ndarray, elements: np.ndarray, edges: topology.Edges, grid: Grid
    ) -> tuple[np.ndarray, np.ndarray]:
        """Stiffness of elements or cells, and bending of edges."""
        values, none = self.values, np.zeros(0)
        young, poisson = values["elasticity young"], values["elasticity poisson"]
        thickness = values["elasticity thickness"]
        if self.interpolated:
            stiffness, bending = self._cell_stiffness(grid, young, poisson, thickness), none
            if self.elastic2d in BENDS and thickness > 0 and young > 0:
                bending = shell_bending(grid, young, poisson, thickness)
            return stiffness, bending
        if young <= 0:
            return none, none
        stretches = self.dim == 2 and self.elastic2d in STRETCHES and thickness > 0
        if stretches or self.dim == 3:
            given = (points, elements, self.dim, young, poisson, thickness)
            stiffness = elasticity.stiffness(*given).ravel()
        else:
            stiffness = np.zeros(len(elements) * elasticity.STIFFNESS)
        bending = none
        if self.dim == 2 and self.elastic2d in BENDS:
            bending = elasticity.bending(points, edges.flaps, young, poisson, thickness).ravel()
        return stiffness, bending

    def _cell_stiffness(self, grid: Grid, young: float, poisson: float, thickness: float):
        """Stiffness of all cells, or directions of their strain where constraints use these."""
        strains = any(
            part.element.tag == "flexstrain" and part.element.values.get("flex") == self.part.name
            for part in self.draft.parts["equality"]
        )
        # no stiffness: nothing to compute, unless strains are constrained
        if young <= 0 and not strains:
            return np.zeros(0)
        # constraints need directions of strain, whose scale does not matter
        if strains:
            young, poisson = 1e1, 0.3
        shell = self.elastic2d != "none"
        sides = grid.sides() if shell else []
        number = len(sides) if shell else int(np.prod(grid.cells))
        size = 3 * (grid.order + 1) ** (2 if shell else 3)
        check_bytes(self.part.element, 8 * number * size * size, "a deformable of many cells")
        found, made = np.zeros((number, size, size)), {}
        for k in range(number):
            place = np.unravel_index(k, grid.cells) if not shell else ()
            if not shell and self.empty is not None and self.empty[place]:
                continue
            points = grid.points[grid.side_nodes(sides[k]) if shell else grid.cell(place)]
            axis = sides[k].axis if shell else -1
            # cells of equal sizes are computed once; directions of strain depend on more
            key = (axis, *(points if strains else points[-1] - points[0]).ravel().tolist())
            if key not in made:
                extent = (
                    np.delete(points[-1] - points[0], axis) if shell else points[-1] - points[0]
                )
                if not np.all(extent):
                    raise self.part.error("node: expected cells with some extent along each axis")
                if shell:
                    given = (points, young, poisson, grid.order, thickness, axis)
                    matrix = side_stiffness(*given)
                else:
                    matrix = cell_stiffness(points, young, poisson, grid.order)
                made[key] = eigenvectors(matrix, points) if strains else matrix
            found[k] = made[key]
        return found.ravel()

    def _tree(self, points: np.ndarray, elements: np.ndarray, layers: np.ndarray) -> Tree:
        """Boxes around elements; with volume, those that are near enough to the border."""
        active = np.arange(len(elements))
        if self.dim == 3:
            active = np.flatnonzero(layers < self.values["contact activelayers"])
        if not len(active):
            none = np.zeros(0, int)
            return Tree(np.zeros((0, 6)), np.zeros((0, 2), int), none, none)
        corners, radius = points[elements[active]], self.values["radius"]
        low, high = corners.min(axis=1), corners.max(axis=1)
        middle, half = 0.5 * (high + low), 0.5 * (high - low) + radius
        found = tree_of_boxes(middle - half, middle + half, middle)
        return found._replace(faces=np.where(found.faces >= 0, active[found.faces], -1))

    def _box(
        self, points: np.ndarray, grid: Grid, turn: tuple, tree: Tree
    ) -> tuple[np.ndarray, np.ndarray]:
        """Half sizes of the box around it at qpos0, and vertices in it from 0 to 1."""
        if len(grid.points):
            low, high = grid.points.min(axis=0), grid.points.max(axis=0)
            extent, size = high - low, (high - low) / 2
            offset, half = apply(turn, points) - low, 0.0
        else:
            if not len(tree.boxes):
                raise self.part.error("activelayers: expected 1 or more")
            size = tree.boxes[0, 3:] - self.values["radius"]
            extent, offset, half = 2 * size, points - tree.boxes[0, :3], 0.5
        flat = (extent if len(grid.points) else size) <= MINVAL
        with np.errstate(all="ignore"):
            inside = offset / extent + half
        return size, np.where(flat, 0.5, inside)
