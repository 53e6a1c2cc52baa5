"""Signed distances of points from a mesh, by its bounding volumes, compiled."""

import numpy as np

from ...simd.kernel import call_of, kernel
from ...simd.lanes import sqrt
from ...simd.record import Layout, Record
from .mesh_tree import Tree

MOST = 256  # nodes that wait, at most
LAYOUT = Layout(
    "mesh distance",
    [
        ("npoint", "size"), ("point", "f8", True, False), ("vertex", "f8", True, False),
        ("face", "i4"), ("box", "f8", True, False), ("child", "i4"), ("leaf", "i4"),
        ("stack", "i4"), ("distance", "f8", True, False),
    ],
)  # fmt: skip


def signed_distances(
    points: np.ndarray, vertices: np.ndarray, faces: np.ndarray, tree: Tree
) -> np.ndarray:
    """Distances of points from a mesh, negative inside (m).

    Args:
        points: (n, 3) (m).
        vertices: of the mesh, (v, 3) (m).
        faces: triangles, (f, 3).
        tree: bounding volumes of these.
    """
    record = Record(LAYOUT)
    record.set_size("npoint", len(points))
    distance = np.zeros(len(points))
    arrays = {
        "point": points, "vertex": vertices, "face": faces, "box": tree.boxes,
        "child": tree.children, "leaf": tree.faces, "stack": np.zeros(MOST), "distance": distance,
    }  # fmt: skip
    for name, array in arrays.items():
        kind = np.float64 if LAYOUT.entries[name].element == "f8" else np.int32
        record.set_array(name, np.ascontiguousarray(array, kind))
    call_of(find_distances, ((LAYOUT, 0, False),), (record,))()
    return record.arrays["distance"]


@kernel
def find_distances(q):
    """Enter the distance of each point (m)."""
    for i in range(q.npoint):
        p = (q.point[3 * i], q.point[3 * i + 1], q.point[3 * i + 2])
        q.distance[i] = signed_distance(q, p)


@kernel
def signed_distance(q, p):
    """Distance from the nearest triangle, the first of equally near ones; its normal says the sign.

    Nodes are visited depth first, the left ones first.
    """
    best, face, bu, bv = 1e20, -1, 0.0, 0.0
    q.stack[0] = 0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node = q.stack[waiting]
        if box_distance(q, node, p) < best:
            left, right = q.child[2 * node], q.child[2 * node + 1]
            if left == -1 and right == -1:
                # a leaf
                square, u, v = triangle_distance(q, q.leaf[node], p)
                if square < best:
                    best, face, bu, bv = square, q.leaf[node], u, v
            if right >= 0:
                q.stack[waiting] = right
                waiting += 1
            if left >= 0:
                q.stack[waiting] = left
                waiting += 1
    # the side of the triangle on which the point lies
    distance = sqrt(best)
    a, b, c = corner(q, face, 0), corner(q, face, 1), corner(q, face, 2)
    ab, ac = minus(b, a), minus(c, a)
    normal = (
        ab[1] * ac[2] - ab[2] * ac[1],
        ab[2] * ac[0] - ab[0] * ac[2],
        ab[0] * ac[1] - ab[1] * ac[0],
    )
    foot = (
        a[0] + bu * ab[0] + bv * ac[0],
        a[1] + bu * ab[1] + bv * ac[1],
        a[2] + bu * ab[2] + bv * ac[2],
    )
    height = times(minus(p, foot), normal)
    length = sqrt(times(normal, normal))
    return distance if height > 1e-12 * length * distance else -distance


@kernel
def corner(q, face, k):
    """Corner k of a triangle."""
    v = q.face[3 * face + k]
    return (q.vertex[3 * v], q.vertex[3 * v + 1], q.vertex[3 * v + 2])


@kernel
def minus(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def times(a, b):
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def box_distance(q, node, p):
    """Square of the distance from the box of a node (m^2)."""
    total = 0.0
    for k in range(3):
        low, high = (
            q.box[6 * node + k] - q.box[6 * node + 3 + k],
            q.box[6 * node + k] + q.box[6 * node + 3 + k],
        )
        x = p[0] if k == 0 else p[1] if k == 1 else p[2]
        if x < low:
            total += (low - x) * (low - x)
        elif x > high:
            total += (x - high) * (x - high)
    return total


@kernel
def triangle_distance(q, face, p):
    """Square of the distance from a triangle (m^2), and coordinates of the nearest point in it.

    By the region of its corners, edges and inside (Ericson, Real-Time Collision Detection, 5.1.5).
    """
    a, b, c = corner(q, face, 0), corner(q, face, 1), corner(q, face, 2)
    ab, ac, ap = minus(b, a), minus(c, a), minus(p, a)
    # corners and the edges between them
    d1, d2 = times(ab, ap), times(ac, ap)
    if d1 <= 0.0 and d2 <= 0.0:
        return times(ap, ap), 0.0, 0.0
    bp = minus(p, b)
    d3, d4 = times(ab, bp), times(ac, bp)
    if d3 >= 0.0 and d4 <= d3:
        return times(bp, bp), 1.0, 0.0
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        u = d1 / (d1 - d3)
        return from_foot(p, a, ab, ac, u, 0.0), u, 0.0
    cp = minus(p, c)
    d5, d6 = times(ab, cp), times(ac, cp)
    if d6 >= 0.0 and d5 <= d6:
        return times(cp, cp), 0.0, 1.0
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        v = d2 / (d2 - d6)
        return from_foot(p, a, ac, ab, v, 0.0), 0.0, v
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return from_foot(p, b, minus(c, b), ab, w, 0.0), 1.0 - w, w
    # inside
    denom = 1.0 / (va + vb + vc)
    u, v = vb * denom, vc * denom
    return from_foot(p, a, ab, ac, u, v), u, v


@kernel
def from_foot(p, a, ab, ac, u, v):
    """Square of the distance from the point a + u ab + v ac (m^2)."""
    x = p[0] - (a[0] + u * ab[0] + v * ac[0])
    y = p[1] - (a[1] + u * ab[1] + v * ac[1])
    z = p[2] - (a[2] + u * ab[2] + v * ac[2])
    return x * x + y * y + z * z
