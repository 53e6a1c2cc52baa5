"""Deformables to the arrays of a model."""

from typing import TYPE_CHECKING

import numpy as np

from .flex import ELASTIC
from .topology import EDGES

if TYPE_CHECKING:
    from ...model.model import Model
    from ..draft.draft import Draft, Part

# fields that say what attributes do; words become their places in the lists of the schema
COLUMNS = {
    "": "dim group radius rgba flatskin cellnum=cellcount",
    "contact": "contype conaffinity condim priority friction solmix solref solimp margin gap"
    " internal selfcollide activelayers passive",
    "edge": "edgestiffness=stiffness edgedamping=damping",
    "elasticity": "damping",
}
CONSTRAINTS = {"flex": 1, "flexvert": 2, "flexstrain": 3}  # flex_edgeequality
# lists of rows: what mjModel has of each deformable: first row, number of rows
LISTS: tuple[str, ...] = (
    "node", "vert", "edge", "elem", "elemdata", "elemedge", "shelldata", "evpair", "texcoord",
    "stiffness", "bending",
)  # fmt: skip
COUNTED = ("node", "vert", "edge", "elem", "evpair")
OPTIONAL = ("evpair", "texcoord", "stiffness", "bending", "shelldata")  # -1: none


def _counts(part: "Part") -> dict[str, int]:
    """Rows of a deformable in each list."""
    flex = part["data"]
    nelem = len(flex.elements)
    return {
        "node": len(flex.node_bodies),
        "vert": len(flex.vertices),
        "edge": len(flex.edges.ends),
        "elem": nelem,
        "elemdata": flex.elements.size,
        "elemedge": nelem * len(EDGES[part["dim"]]),
        "shelldata": flex.border.shell.size,
        "evpair": len(flex.border.pairs),
        "texcoord": len(flex.texcoords),
        "stiffness": len(flex.stiffness),
        "bending": len(flex.bending),
    }


def sizes(draft: "Draft") -> dict[str, int]:
    """Sizes of the arrays that hold deformables."""
    counts = [_counts(part) for part in draft.parts["flex"]]
    volumes = sum(len(part["data"].tree.depth) for part in draft.parts["flex"])
    lists = {f"nflex{name}": sum(count[name] for count in counts) for name in LISTS}
    return lists | {"nbvhdynamic": volumes}


def fill(model: "Model", draft: "Draft") -> None:
    """Write all deformables."""
    first: dict[str, int] = dict.fromkeys(LISTS, 0)
    volume = model.nbvhstatic
    for part in draft.parts["flex"]:
        _settings(model, draft, part)
        counts = _counts(part)
        for name, count in counts.items():
            missing = name in OPTIONAL and not count
            getattr(model, f"flex_{name}adr")[part.id] = -1 if missing else first[name]
            if name in COUNTED:
                getattr(model, f"flex_{name}num")[part.id] = count
        model.flex_shellnum[part.id] = len(part["data"].border.shell)
        _rows(model, part, first, counts)
        tree = part["data"].tree
        count = len(tree.depth)
        model.flex_bvhadr[part.id] = volume if count else -1
        model.flex_bvhnum[part.id] = count
        here = slice(volume, volume + count)
        model.bvh_child[here], model.bvh_depth[here] = tree.children, tree.depth
        model.bvh_nodeid[here] = tree.faces
        volume += count
        for name, count in counts.items():
            first[name] += count


def _settings(model: "Model", draft: "Draft", part: "Part") -> None:
    """Write what attributes say."""
    k, flex, element = part.id, part["data"], part.element
    for tag, columns in COLUMNS.items():
        kind = element.kind.children[tag] if tag else element.kind
        for column in columns.split():
            field, _, name = column.partition("=")
            value = part[f"{tag} {name or field}" if tag else name or field]
            if isinstance(value, str):
                value = kind.words(name or field).index(value)
            getattr(model, f"flex_{field}")[k] = value
    name = part.values.get("material")
    model.flex_matid[k] = draft.find("material", name, element, "material").id if name else -1
    model.flex_size[k], model.flex_interp[k] = flex.size, flex.order
    model.flex_rigid[k], model.flex_centered[k] = flex.rigid, flex.centered
    for equality in draft.parts["equality"]:
        tag = equality.element.tag
        if tag in CONSTRAINTS and equality.element.values["flex"] == part.name:
            model.flex_edgeequality[k] = CONSTRAINTS[tag]
            break


def _rows(model: "Model", part: "Part", first: dict[str, int], counts: dict[str, int]) -> None:
    """Write vertices, elements and what follows from them."""
    flex = part["data"]
    # only some kinds of elasticity read the second triangle at an edge
    flaps = flex.edges.flaps[:, 2:]
    if part["elasticity elastic2d"] not in ELASTIC[1::2]:
        flaps = np.full_like(flaps, -1)
    of_elements = flex.element_texcoords if len(flex.texcoords) else flex.elements
    # rows of the arrays that all deformables share, by the size that counts them
    rows = {
        "node": {"nodebodyid": flex.node_bodies, "node": flex.nodes, "node0": flex.nodes0},
        "vert": {"vertbodyid": flex.bodies, "vert": flex.vertices, "vert0": flex.vertices0},
        "edge": {"edge": flex.edges.ends, "edgeflap": flaps},
        "elem": {"elemlayer": flex.border.layers},
        "elemdata": {"elem": flex.elements.ravel(), "elemtexcoord": of_elements.ravel()},
        "elemedge": {"elemedge": flex.edges.of_elements.ravel()},
        "shelldata": {"shell": flex.border.shell.ravel()},
        "evpair": {"evpair": flex.border.pairs},
        "texcoord": {"texcoord": flex.texcoords},
        "stiffness": {"stiffness": flex.stiffness},
        "bending": {"bending": flex.bending},
    }
    for name, columns in rows.items():
        here = slice(first[name], first[name] + counts[name])
        for column, values in columns.items():
            getattr(model, f"flex_{column}")[here] = values
    # edges between vertices of one moving body never change their length
    edges = slice(first["edge"], first["edge"] + counts["edge"])
    rigid = np.full(counts["edge"], flex.rigid)
    if not flex.rigid and not flex.order:
        fixed_to = model.body_weldid[flex.bodies[flex.edges.ends]]
        rigid = fixed_to[:, 0] == fixed_to[:, 1]
    model.flexedge_rigid[edges] = rigid
