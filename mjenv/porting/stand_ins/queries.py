"""Questions that the engine answers between sections of a program: rays, distances.

A function such as `mj_ray` is noted as a wait: what is asked of it is written for all worlds, one
call of the engine answers them all, and the next section reads the answers.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from mjenv.engine.analysis.distances import geom_distance
from mjenv.engine.analysis.rays import many_rays, multi_ray, ray
from mjenv.porting.symbols.symbol import Symbol, as_symbol
from mjenv.tracing.arrays import DOUBLE, TraceError

ANSWER = "@answer"
# fields of the data that answers are made of
OF_QUERIES = ("geom_xpos", "geom_xmat", "xipos")


class Query(NamedTuple):
    """A question.

    Attributes:
        name: the function of the module.
        options: what is the same in all worlds.
        number: of the question in its program.
        size: how many numbers the answer has.
        others: questions that are asked with it.
    """

    name: str
    options: tuple[Any, ...]
    number: int
    size: int
    others: tuple["Query", ...] = ()

    @property
    def field(self) -> str:
        """Name of the answer among what a program reads."""
        return f"{ANSWER}{self.number}"

    def with_another(self, other: "Query") -> "Query":
        """This one and another one, whose answer comes behind its own."""
        return self._replace(others=(*self.others, other))

    def answers(self, data: Any, asked: np.ndarray) -> list[tuple[str, np.ndarray]]:
        """Fields, and answers (nworld, size), to what is asked (nworld, n)."""
        every, nworld = (self, *self.others), len(asked)
        if not self.others:
            parts = _ANSWERS[self.name](data, asked, *self.options)
            return [(self.field, np.hstack([np.reshape(one, (nworld, -1)) for one in parts]))]
        found = TOGETHER[self.name](data, asked.reshape(nworld, len(every), -1), *self.options)
        whole = np.concatenate([one.reshape(nworld, len(every), -1) for one in found], axis=2)
        return [(one.field, whole[:, k]) for k, one in enumerate(every)]


def _along_rays(data: Any, asked: np.ndarray, *options: Any) -> tuple:
    found = ray(data.model, data, asked[:, :3], asked[:, 3:], *options)
    return found.dist, found.geomid, found.normal


def _along_many(data: Any, asked: np.ndarray, cutoff: float, *options: Any) -> tuple:
    vectors = asked[:, 3:].reshape(len(asked), -1, 3)
    found = multi_ray(data.model, data, asked[:, :3], vectors, *options, cutoff=cutoff)
    return found.dist, found.geomid, found.normal


def _between_geoms(data: Any, asked: np.ndarray, geom1: int, geom2: int) -> tuple:
    found = geom_distance(data.model, data, geom1, geom2, asked[:, 0])
    return found.dist, found.fromto


def _along_each(data: Any, asked: np.ndarray, *options: Any) -> tuple:
    starts, vectors = (np.ascontiguousarray(one) for one in np.split(asked, 2, axis=2))
    found = many_rays(data.model, data, starts, vectors, *options)
    return found.dist, found.geomid, found.normal


# several at once: of what is asked (nworld, n, ...) answers (nworld, n, ...)
TOGETHER: dict[str, Callable[..., tuple]] = {"mj_ray": _along_each}
_ANSWERS: dict[str, Callable[..., tuple]] = {
    "mj_ray": _along_rays, "mj_multiRay": _along_many, "mj_geomDistance": _between_geoms,
}  # fmt: skip


# ------------------------------------------------------------ the functions


def followed(d: Any) -> bool:
    """True for data whose fields are symbols."""
    return "_physics" in vars(d)


def _ask(d: Any, name: str, options: tuple, asked: list[Any], size: int) -> Symbol:
    """Ask, and return the answer, (size,)."""
    physics = vars(d)["_physics"]
    parts = [as_symbol(physics.recording, one).astype(DOUBLE).ravel() for one in asked]
    return physics.ask(name, options, np.concatenate(parts), size)


def _put(name: str, target: Any, values: Symbol) -> None:
    """Write a part of an answer into an array; None takes none."""
    if target is None:
        return
    if not isinstance(target, Symbol):
        raise TraceError(f"found {name} written into an array of numbers")
    target[...] = values.reshape(target.shape).astype(target.dtype)


def _group(geomgroup: Any) -> Any:
    """Which groups of geoms count, as an option."""
    return None if geomgroup is None else tuple(np.asarray(geomgroup).tolist())


def of_ray(real: Callable) -> Callable:
    """mj_ray."""

    def call(
        m: Any, d: Any, pnt: Any, vec: Any, geomgroup: Any, flg_static: Any, bodyexclude: Any,
        geomid: Any = None, normal: Any = None,
    ) -> Any:  # fmt: skip
        if not followed(d):
            return real(m, d, pnt, vec, geomgroup, flg_static, bodyexclude, geomid, normal)
        options = _group(geomgroup), bool(flg_static), int(bodyexclude)
        found = _ask(d, "mj_ray", options, [pnt, vec], 5)
        _put("mj_ray", geomid, found[1:2])
        _put("mj_ray", normal, found[2:])
        return found[0]

    return call


def of_many_rays(real: Callable) -> Callable:
    """mj_multiRay."""

    def call(
        m: Any, d: Any, pnt: Any, vec: Any, geomgroup: Any, flg_static: Any, bodyexclude: Any,
        geomid: Any, dist: Any, normal: Any, nray: Any, cutoff: Any,
    ) -> Any:  # fmt: skip
        given = pnt, vec, geomgroup, flg_static, bodyexclude, geomid, dist, normal, nray, cutoff
        if not followed(d):
            return real(m, d, *given)
        count = int(nray)
        options = float(cutoff), _group(geomgroup), bool(flg_static), int(bodyexclude)
        found = _ask(d, "mj_multiRay", options, [pnt, vec], 5 * count)
        for target, start, end in ((dist, 0, 1), (geomid, 1, 2), (normal, 2, 5)):
            _put("mj_multiRay", target, found[start * count : end * count])
        return None

    return call


def of_distance(real: Callable) -> Callable:
    """mj_geomDistance."""

    def call(m: Any, d: Any, geom1: Any, geom2: Any, distmax: Any, fromto: Any = None) -> Any:
        if not followed(d):
            return real(m, d, geom1, geom2, distmax, fromto)
        found = _ask(d, "mj_geomDistance", (int(geom1), int(geom2)), [distmax], 7)
        _put("mj_geomDistance", fromto, found[1:])
        return found[0]

    return call


QUERIES: dict[str, Callable] = {
    "mj_ray": of_ray, "mj_multiRay": of_many_rays, "mj_geomDistance": of_distance,
}  # fmt: skip
