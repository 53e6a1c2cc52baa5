"""Tables derived from a model's plugins once, for all worlds: numbers from their settings."""

from math import inf, pi
from typing import TYPE_CHECKING

import numpy as np

from ...model.plugin_config import plugin_config
from ...products import applied, norm, product
from ...tables import plugin_kinds
from ...tables.enums import GEOM_BOX, GEOM_CAPSULE, GEOM_CYLINDER, JNT_BALL, JNT_FREE, MINVAL
from ...tables.plugin_kinds import CABLE, PID, TOUCH_GRID, number, touch_channels, vector

if TYPE_CHECKING:
    from ...model.model import Model


# places among the numbers of a controller
KP, KI, KD, IMAX, SLEW = range(5)
# among those of each body of a cable: stiffness about its axes, and curvature at rest
STIFFNESS, CURVATURE, PER_BODY = 0, 3, 6


def plugin_tables(model: "Model", tables: dict) -> dict:
    """Arrays of `PLUGIN_MODEL`, the numbers that they point at, and instances of each kind.

    Raises:
        ValueError: a body of a cable cannot bend.
    """
    _check_cables(model)
    places = model.plugin.tolist()
    driven = (model.actuator_plugin, model.body_plugin, model.sensor_plugin)
    owners = [
        next((found for ids in driven if len(found := np.flatnonzero(ids == k))), np.zeros(0, int))
        for k in range(model.nplugin)
    ]
    rows = [_numbers(model, k) for k in range(model.nplugin)]
    ends = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    memory = np.concatenate([np.zeros(0), *rows])
    return {
        "plugin_memory": memory,
        "plug_address": memory.ctypes.data + 8 * ends[:-1],
        "plug_first": [int(found[0]) if len(found) else -1 for found in owners],
        "plug_count": [len(found) for found in owners],
        **{f"plugin_{place}": places.count(place) for place in set(places) | {*OWN}},
    }


def _numbers(model: "Model", instance: int) -> np.ndarray:
    """Numbers of one plugin instance, (n,), at least one."""
    place = int(model.plugin[instance])
    kind, config = plugin_kinds.kind_at(place), plugin_config(model, instance)
    own = OWN.get(place)
    found = own(model, instance, config) if own else plugin_kinds.setting_numbers(kind, config)
    return np.array([*np.ravel(found), 0.0], np.float64)


def _controller(model: "Model", instance: int, config: dict[str, str]) -> list[float]:
    """Gains of a PID controller, bounds of its integral, and of its set point in a step."""
    kp, ki, kd = (number(config[name]) for name in ("kp", "ki", "kd"))
    most = number(config["imax"]) / ki if config["imax"] and ki else inf
    return [kp, ki, kd, most, number(config["slewmax"]) if config["slewmax"] else -1.0]


def _cable(model: "Model", instance: int, config: dict[str, str]) -> np.ndarray:
    """Stiffness over length, and curvature at rest, of each body of a cable.

    Second moments of area of the first geom of each body, times the moduli.
    """
    bodies = np.flatnonzero(model.body_plugin == instance)
    twist, bend = number(config["twist"]), number(config["bend"])
    found = np.zeros((len(bodies), PER_BODY))
    for k, body in enumerate(bodies.tolist()):
        moments = _moments(model, int(model.body_geomadr[body]))
        if k:
            length = _distance(model, body, body - 1)
            modulus = np.array((twist, bend, bend))
            found[k, :3] = moments * modulus / length if length > MINVAL else 0.0
            if config["flat"] != "true":
                found[k, 3:] = _rotation_vector(model.body_quat[body])
    return found


def _moments(model: "Model", geom: int) -> np.ndarray:
    """Torsion constant and second moments of area of a geom that is long in x (m^4)."""
    if geom < 0:
        return np.zeros(3)
    kind, size = model.geom_type[geom], model.geom_size[geom]
    if kind in (GEOM_CYLINDER, GEOM_CAPSULE):
        moment = pi * size[0] ** 4 / 4.0
        return np.array((pi * size[0] ** 4 / 2, moment, moment))
    if kind == GEOM_BOX:
        h, w = size[1], size[2]
        a, b = max(h, w), min(h, w)
        torsion = a * b**3 * (16.0 / 3.0 - 3.36 * b / a * (1 - b**4 / a**4 / 12))
        return np.array((torsion, (2 * w) ** 3 * 2 * h / 12.0, (2 * h) ** 3 * 2 * w / 12.0))
    return np.zeros(3)


def _distance(model: "Model", body: int, other: int) -> float:
    """Distance of two bodies in the reference configuration (m)."""
    if model.body_parentid[body] == other:
        return norm(model.body_pos[body])
    return norm(_place(model, body)[0] - _place(model, other)[0])


def _place(model: "Model", body: int) -> tuple[np.ndarray, np.ndarray]:
    """Position and rotation matrix of a body in the reference configuration."""
    if body == 0:
        return np.zeros(3), np.eye(3)
    pos, mat = _place(model, int(model.body_parentid[body]))
    w, x, y, z = model.body_quat[body]
    turn = np.array(
        (
            (w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z),
        )
    )
    return pos + applied(mat, model.body_pos[body]), product(mat, turn)


def _rotation_vector(quat: np.ndarray) -> np.ndarray:
    """Rotation vector of a unit quaternion, of at most half a turn (rad)."""
    axis, sine = quat[1:], norm(quat[1:])
    if sine < MINVAL:
        axis, sine = np.array((1.0, 0.0, 0.0)), sine
    else:
        axis = axis / sine
    angle = 2 * np.arctan2(sine, quat[0])
    return axis * (angle - 2 * pi if angle > pi else angle)


def _grid(model: "Model", instance: int, config: dict[str, str]) -> np.ndarray:
    """Channels, columns and rows of a touch grid, then the edges of its cells (rad)."""
    columns, rows = (int(x) for x in vector(config["size"]))
    wide, high = vector(config["fov"])
    gamma = number(config["gamma"])
    edges = (_edges(columns, wide, gamma), _edges(rows, high, gamma))
    return np.concatenate([[touch_channels(config), columns, rows], *edges])


def _edges(count: int, fov: float, gamma: float) -> np.ndarray:
    """Edges of the cells in one direction, closer in the middle for larger gamma (rad)."""
    edges, edge = np.zeros(count + 1), -1.0
    for k in range(count + 1):
        edges[k] = edge
        edge += 2.0 / count
    if gamma:
        edges = gamma * edges**5 + (1 - gamma) * edges
    return edges * (fov * pi / 180)


OWN = {PID: _controller, CABLE: _cable, TOUCH_GRID: _grid}


def _check_cables(model: "Model") -> None:
    """Refuse bodies of cables that cannot bend.

    Raises:
        ValueError: a body behind the first one has no joint that ends in a rotation.
    """
    for instance in np.flatnonzero(model.plugin == CABLE).tolist():
        for body in np.flatnonzero(model.body_plugin == instance)[1:].tolist():
            joint = int(model.body_jntadr[body])
            if joint < 0 or model.jnt_type[joint] not in (JNT_BALL, JNT_FREE):
                name = model.body(body).name
                raise ValueError(
                    f"Data: body {name!r}: mujoco.elasticity.cable: expected a ball joint or a"
                    " free joint in each body but the first"
                )
