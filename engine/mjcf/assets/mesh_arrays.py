"""Meshes to the arrays of a model."""

from typing import TYPE_CHECKING, Any

import numpy as np

from .mesh_polygons import at_vertices, normals

if TYPE_CHECKING:
    from ...model.model import Model
    from ..draft.draft import Draft

LISTS: tuple[str, ...] = ("vert", "normal", "texcoord", "face", "graph", "poly")


def sizes(draft: "Draft") -> dict[str, int]:
    """Sizes of the arrays that hold meshes."""
    meshes = [part["data"] for part in draft.parts["mesh"]]
    corners = sum(len(mesh.sides.entries) for mesh in meshes)
    return {
        "nmeshvert": sum(len(mesh.points) for mesh in meshes),
        "nmeshnormal": sum(len(mesh.normals) for mesh in meshes),
        "nmeshtexcoord": sum(len(mesh.texcoords) for mesh in meshes),
        "nmeshface": sum(len(mesh.faces) for mesh in meshes),
        "nmeshgraph": sum(len(mesh.hull.graph) for mesh in meshes if mesh.hull),
        "nmeshpoly": sum(len(mesh.sides.counts) for mesh in meshes),
        "nmeshpolyvert": corners,
        "nmeshpolymap": corners,
        "nbvhstatic": count_volumes(draft),
        "noct": sum(len(mesh.octree.depth) for mesh in meshes if mesh.octree),
    }


def count_volumes(draft: "Draft") -> int:
    """Nodes of the bounding volume trees of all meshes."""
    return sum(len(part["data"].tree.depth) for part in draft.parts["mesh"])


def fill(model: "Model", draft: "Draft") -> None:
    """Write all meshes."""
    first = dict.fromkeys(LISTS, 0)
    corner = cell = 0
    volume = model.nbvhstatic - count_volumes(draft) - draft.stale_volumes
    model.mesh_octadr[:] = -1
    for part in draft.parts["mesh"]:
        mesh, k = part["data"], part.id
        model.mesh_scale[k] = part["scale"]
        model.mesh_pos[k], model.mesh_quat[k] = mesh.pos, mesh.quat
        counts = _fill_rows(model, mesh, first)
        for name, count in counts.items():
            missing = name in ("texcoord", "graph") and not count
            getattr(model, f"mesh_{name}adr")[k] = -1 if missing else first[name]
            if name != "graph":
                getattr(model, f"mesh_{name}num")[k] = count
        _fill_sides(model, mesh, first, corner)
        _fill_volumes(model, k, mesh.tree, volume)
        if mesh.octree:
            cell = _fill_cells(model, k, mesh.octree, cell)
        corner += len(mesh.sides.entries)
        volume += len(mesh.tree.depth)
        for name, count in counts.items():
            first[name] += count


def _fill_rows(model: "Model", mesh: Any, first: dict[str, int]) -> dict[str, int]:
    """Write what a mesh has one row each of; returns how many rows."""
    none = np.empty(0)
    rows = {
        "vert": {"vert": mesh.vertices},
        "normal": {"normal": mesh.normals},
        "texcoord": {"texcoord": mesh.texcoords},
        "face": {"face": mesh.faces, "facenormal": mesh.face_normals},
        "graph": {"graph": mesh.hull.graph if mesh.hull else none},
        "poly": {"polynormal": normals(mesh.points, mesh.sides)},
    }
    if len(mesh.texcoords):
        rows["face"]["facetexcoord"] = mesh.face_texcoords
    for name, columns in rows.items():
        for column, values in columns.items():
            getattr(model, f"mesh_{column}")[first[name] : first[name] + len(values)] = values
    return {name: len(next(iter(columns.values()))) for name, columns in rows.items()}


def _fill_sides(model: "Model", mesh: Any, first: dict[str, int], corner: int) -> None:
    """Write the polygons of a mesh and those around each of its vertices."""
    for lists, name, start in (
        (mesh.sides, "polyvert", first["poly"]),
        (at_vertices(mesh.sides, len(mesh.points)), "polymap", first["vert"]),
    ):
        counts, entries = lists
        here = slice(start, start + len(counts))
        getattr(model, f"mesh_{name}num")[here] = counts
        getattr(model, f"mesh_{name}adr")[here] = corner + np.cumsum(counts) - counts
        getattr(model, f"mesh_{name}")[corner : corner + len(entries)] = entries


def _fill_cells(model: "Model", mesh: int, octree: Any, start: int) -> int:
    """Write the octree of a mesh; returns the place behind it."""
    end = start + len(octree.depth)
    model.mesh_octadr[mesh], model.mesh_octnum[mesh] = start, end - start
    model.oct_depth[start:end], model.oct_child[start:end] = octree.depth, octree.children
    model.oct_aabb[start:end], model.oct_coeff[start:end] = octree.boxes, octree.distances
    return end


def _fill_volumes(model: "Model", mesh: int, tree: Any, start: int) -> None:
    """Write the bounding volume tree of a mesh."""
    count = len(tree.depth)
    model.mesh_bvhadr[mesh], model.mesh_bvhnum[mesh] = start, count
    here = slice(start, start + count)
    model.bvh_aabb[here], model.bvh_child[here] = tree.boxes, tree.children
    model.bvh_depth[here], model.bvh_nodeid[here] = tree.depth, tree.faces
