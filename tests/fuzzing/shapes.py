"""How far convex geoms reach: what says which of two contact normals is the better one."""

import mujoco
import numpy as np

GEOM = mujoco.mjtGeom
CONVEX = (
    GEOM.mjGEOM_SPHERE, GEOM.mjGEOM_CAPSULE, GEOM.mjGEOM_ELLIPSOID, GEOM.mjGEOM_CYLINDER,
    GEOM.mjGEOM_BOX, GEOM.mjGEOM_MESH,
)  # fmt: skip


def reach(mj: mujoco.MjModel, data: mujoco.MjData, geom: int, direction: np.ndarray) -> float:
    """Largest coordinate of a geom's points along a unit vector (m)."""
    size = mj.geom_size[geom]
    x, y, z = local = data.geom_xmat[geom].reshape(3, 3).T @ direction
    kind = mj.geom_type[geom]
    if kind == GEOM.mjGEOM_SPHERE:
        far = size[0]
    elif kind == GEOM.mjGEOM_CAPSULE:
        far = size[0] + size[1] * abs(z)
    elif kind == GEOM.mjGEOM_ELLIPSOID:
        far = np.linalg.norm(size * local)
    elif kind == GEOM.mjGEOM_CYLINDER:
        far = size[0] * np.hypot(x, y) + size[1] * abs(z)
    elif kind == GEOM.mjGEOM_BOX:
        far = size @ np.abs(local)
    else:
        mesh = mj.geom_dataid[geom]
        start, count = mj.mesh_vertadr[mesh], mj.mesh_vertnum[mesh]
        far = (mj.mesh_vert[start : start + count] @ local).max()
    return float(data.geom_xpos[geom] @ direction + far)


def overlap(mj, data, geom1: int, geom2: int, normal: np.ndarray) -> float:
    """How far two geoms overlap along a normal that points from the first to the second (m).

    The depth of two convex shapes is the smallest overlap of all directions, and minus their
    distance where they are apart: of two normals, the one with less overlap is nearer to the truth.
    """
    return reach(mj, data, geom1, normal) + reach(mj, data, geom2, -normal)


def contains(mj, data, geom: int, point: np.ndarray, margin: float) -> bool:
    """Whether a point is in a geom whose sizes are larger by a margin; meshes say no.

    Curved surfaces are measured along the line from their centre or axis.
    """
    size, kind = mj.geom_size[geom], mj.geom_type[geom]
    x = data.geom_xmat[geom].reshape(3, 3).T @ (point - data.geom_xpos[geom])
    if kind == GEOM.mjGEOM_SPHERE:
        return bool(np.linalg.norm(x) <= size[0] + margin)
    if kind == GEOM.mjGEOM_CAPSULE:
        x[2] -= np.clip(x[2], -size[1], size[1])
        return bool(np.linalg.norm(x) <= size[0] + margin)
    if kind == GEOM.mjGEOM_ELLIPSOID:
        return bool(np.linalg.norm(x / (size + margin)) <= 1)
    if kind == GEOM.mjGEOM_CYLINDER:
        return bool(np.hypot(x[0], x[1]) <= size[0] + margin and abs(x[2]) <= size[1] + margin)
    return bool(kind == GEOM.mjGEOM_BOX and np.all(np.abs(x) <= size + margin))
