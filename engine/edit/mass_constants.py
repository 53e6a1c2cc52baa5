"""Constants that follow from masses, inertia, centres of mass and armature, for many worlds.

They are those of `set_const`. Poses of bodies at qpos0 are the same in all worlds, so that they are
computed once, and what is left is algebra on stacks of small matrices.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..mjcf.arrays.configuration import Configuration
from ..mjcf.arrays.inverse import InverseInertia, Tree
from ..mjcf.arrays.set_const import limits, turning
from ..mjcf.arrays.tendon_constants import armatures, distinct
from ..mjcf.arrays.tendon_paths import tendon_lengths
from ..mjcf.arrays.transmission import joint_armature, solvable, transmission
from ..products import applied, product
from ..tables.enums import MINVAL
from ..tables.fields import WITHOUT_LANES
from .constants import INTEGERS, REALS, constants_of, value_of

if TYPE_CHECKING:
    from ..data.data import Data
    from ..model.model import Model

# fields that may differ between worlds here, and those of which no constant is a function
SOURCES = frozenset({"body_mass", "body_inertia", "body_ipos", "dof_armature"})
_HARMLESS = frozenset(
    (
        *("geom_size", "geom_rbound", "geom_aabb", "actuator_gainprm"),
        *("geom_friction", "geom_solref", "geom_solimp", "geom_solmix", "geom_margin", "geom_gap"),
        *("dof_damping", "dof_frictionloss", "dof_solref", "dof_solimp", "geom_fluid"),
        *("jnt_stiffness", "jnt_range", "jnt_solref", "jnt_solimp", "jnt_margin"),
        *("jnt_actfrcrange", "actuator_ctrlrange", "actuator_forcerange", "actuator_dynprm"),
        *("tendon_damping", "tendon_stiffness", "tendon_frictionloss", "tendon_range"),
        *("pair_friction", "pair_margin", "pair_gap", "pair_solref", "pair_solimp"),
    )
)
# constants that a model may also give, or that follow from lengths; users may edit them
GIVEN = ("actuator_biasprm", "eq_data", "tendon_lengthspring")
_CHUNK = 128  # worlds whose matrices stay in a cache


class MassConstants:
    """Constants of `set_const` where only masses, their centres, inertia and armature differ."""

    def __init__(self, model: "Model"):
        """Compute what does not differ.

        Args:
            model: the model.
        """
        self._model = model
        # constants at qpos0, as the compiler has them
        with np.errstate(all="ignore"):
            nominal = constants_of(model)
            at = Configuration(nominal, nominal.qpos0)
            lengths, jacobians = tendon_lengths(nominal, at)
            moments = transmission(nominal, at, (lengths, jacobians))[1]
            self._added = joint_armature(nominal)[nominal.dof_jntid]
            inertia = armatures(nominal)
            heavy = np.flatnonzero(inertia)
            coupled = inertia[heavy], jacobians[heavy]
            trees = InverseInertia(nominal, at, joint_armature(nominal), coupled).trees
        # contiguous, because products over worlds are faster then
        self._trees = [
            tree._replace(
                position=np.ascontiguousarray(tree.position),
                rotation=np.ascontiguousarray(tree.rotation),
            )
            for tree in trees
        ]
        # what does not depend on masses
        self._constants = {name: np.array(value_of(nominal, name)) for name in REALS}
        self._same = all(
            np.array_equal(value_of(nominal, name), value_of(model, name)) for name in INTEGERS
        )
        self._tendon_inertia = product(coupled[1].T * coupled[0], coupled[1])
        self._tendons = distinct(nominal, jacobians)
        self._moments = solvable(nominal, moments)
        self._at = at
        self._noted = any(
            np.any(getattr(model, f"{x}_sameframe")) for x in ("body", "geom", "site")
        )
        self._views = {
            prefix: self._view(nominal, at, prefix)
            for prefix in ("cam", "light")
            if getattr(nominal, f"n{prefix}")
        }

    @staticmethod
    def _view(model: "Model", at: Configuration, prefix: str) -> tuple[np.ndarray, np.ndarray]:
        """Positions of cameras or lights, and the bodies from whose centres they are measured."""
        bodies = getattr(model, f"{prefix}_bodyid")
        targets = getattr(model, f"{prefix}_targetbodyid")
        return (
            at.place(bodies, getattr(model, f"{prefix}_pos")),
            np.where(targets >= 0, targets, bodies),
        )

    def fit(self, varied: Any) -> bool:
        """True if nothing else that constants follow from differs between worlds.

        Args:
            varied: names of the fields that differ.
        """
        if self._noted and "body_ipos" in varied:
            return False
        others = set(varied) - set(REALS) - SOURCES - _HARMLESS - set(WITHOUT_LANES)
        return self._same and all(name.startswith(("opt_", "stat_")) for name in others)

    def set(self, data: "Data", worlds: np.ndarray) -> np.ndarray:
        """Set the constants of worlds.

        Args:
            data: the worlds.
            worlds: their numbers.

        Returns:
            Numbers of worlds that need `set_const`: their inertia is singular, or actuators have
            damping ratios.
        """
        with np.errstate(all="ignore"):
            chunks = [worlds[start : start + _CHUNK] for start in range(0, len(worlds), _CHUNK)]
            left = [self._set(data, chunk) for chunk in chunks]
        return np.concatenate(left) if left else worlds

    def _set(self, data: "Data", worlds: np.ndarray) -> np.ndarray:
        model = self._model
        # what differs between worlds, and what all of them share
        mass, inertia, armature, bias, ipos = (
            data.varied[name][worlds]
            if name in data.varied
            else np.broadcast_to(value_of(model, name), (len(worlds), *value_of(model, name).shape))
            for name in (
                *("body_mass", "body_inertia", "dof_armature", "actuator_biasprm", "body_ipos"),
            )
        )
        xipos = np.broadcast_to(self._at.xipos, ipos.shape)
        if "body_ipos" in data.varied:
            xipos = self._at.xpos + applied(self._at.xmat, ipos)
        # weights, and the inertia's inverse applied to moments, tree by tree
        found = {
            "body_invweight0": np.zeros((len(worlds), model.nbody, 2)),
            "dof_invweight0": np.zeros((len(worlds), model.nv)),
            "dof_M0": np.zeros((len(worlds), model.nv)),
            "tendon_invweight0": np.zeros((len(worlds), len(self._tendons))),
        }
        diagonal = np.zeros((len(worlds), model.nv))
        solved = np.zeros((len(worlds), model.nu, model.nv))
        right = np.ones(len(worlds), bool)
        for tree in self._trees:
            positions = np.broadcast_to(tree.position, (len(worlds), *tree.position.shape))
            if "body_ipos" in data.varied:
                # a point that is fixed in a body moves with it
                offset = (xipos - self._at.xipos)[:, tree.bodies, :, None]
                positions = positions + np.cross(tree.rotation[None], offset, axis=2)
            inverse = self._inverse(
                tree, positions, mass, inertia, armature, found["dof_M0"], diagonal
            )
            right &= np.isfinite(inverse[1]).all(axis=1)
            self._weights(tree, positions, inverse, mass, found)
            solved[:, :, tree.dofs] = _solve(self._moments[:, tree.dofs], inverse)
        # accelerations by actuators, centers of mass, statistics
        found["actuator_acc0"] = np.linalg.norm(solved, axis=-1)
        self._set_centres(xipos, mass, found)
        if "body_ipos" in data.varied:
            self._set_sizes(xipos, found)
        found["stat_meaninertia"] = diagonal.sum(axis=1) / max(1, model.nv)
        found["stat_meanmass"] = mass[:, 1:].sum(axis=1) / max(1, model.nbody - 1)
        # enter what is computed; of other fields what all worlds share
        for name in REALS:
            if name in data.varied and name not in GIVEN:
                array = data.varied[name]
                values = found.get(name)
                if values is None:
                    values = np.broadcast_to(self._constants[name], (1, *array.shape[1:]))
                array[worlds] = values.reshape(len(values), *array.shape[1:])
        right &= ~(bias[..., 2] > 0).any(axis=1)
        return worlds[~right]

    def _inverse(
        self,
        tree: Tree,
        positions: Any,
        mass: Any,
        inertia: Any,
        armature: Any,
        rigid: Any,
        diagonal: Any,
    ) -> tuple:
        """Factors of the inverse inertia of a tree, (n, dofs, dofs) and (n, dofs)."""
        bodies, dofs = tree.bodies, tree.dofs
        count, n = len(mass), len(dofs)
        weighted = positions * np.sqrt(mass[:, bodies])[..., None, None]
        principal = product(self._at.ximat[bodies].transpose(0, 2, 1), tree.rotation)
        principal = principal * np.sqrt(inertia[:, bodies])[..., None]
        rows = np.concatenate((weighted, principal), axis=1).reshape(count, -1, n)
        matrix = product(rows.transpose(0, 2, 1), rows)
        inner = np.arange(n)
        matrix[:, inner, inner] += armature[:, dofs] + self._added[dofs]
        rigid[:, dofs] = matrix[:, inner, inner]
        coupling = self._tendon_inertia[np.ix_(dofs, dofs)]
        matrix += np.where(tree.related | tree.related.T, coupling, 0.0)
        diagonal[:, dofs] = matrix[:, inner, inner]
        simple = self._model.dof_simplenum[dofs] > 0
        matrix[:, simple] = 0
        matrix[:, :, simple] = 0
        matrix[:, inner[simple], inner[simple]] = diagonal[:, dofs[simple]]
        return _factors(matrix, tree.related)

    def _weights(self, tree: Tree, positions: Any, inverse: tuple, mass: Any, found: dict) -> None:
        """Inverse weights of the bodies and dofs of a tree, and its part of those of tendons."""
        model, (lower, weights) = self._model, inverse
        jacobians = np.stack((positions, np.broadcast_to(tree.rotation, positions.shape)), axis=1)
        flat = jacobians.reshape(len(mass), -1, len(tree.dofs))
        motion = _squares(flat, inverse).reshape(jacobians.shape[:4]).sum(axis=3) / 3
        for k in range(2):
            found["body_invweight0"][:, tree.bodies, k] = motion[:, k]
        slides = tree.bodies[model.body_simple[tree.bodies] == 2]
        found["body_invweight0"][:, slides, 0] = 1 / np.maximum(MINVAL, mass[:, slides])
        found["body_invweight0"][:, slides, 1] = 0
        dofs = applied(lower**2, weights)
        for j in sorted(set(model.dof_jntid[tree.dofs].tolist())):
            adr, kind = model.jnt_dofadr[j] - tree.dofs[0], model.jnt_type[j]
            body = model.jnt_bodyid[j]
            if model.body_simple[body] == 2:
                dofs[:, adr] = 1 / np.maximum(MINVAL, mass[:, body])
            for k in {0: (adr, adr + 3), 1: (adr,)}.get(int(kind), ()):
                mean = (dofs[:, k] + dofs[:, k + 1] + dofs[:, k + 2]) / 3
                dofs[:, k : k + 3] = mean[:, None]
        found["dof_invweight0"][:, tree.dofs] = dofs
        if len(self._tendons):
            found["tendon_invweight0"] += _squares(self._tendons[:, tree.dofs], inverse)

    def _set_centres(self, xipos: np.ndarray, mass: np.ndarray, found: dict) -> None:
        """Masses of subtrees, and offsets of cameras and lights from their centres."""
        model, total = self._model, mass.copy()
        moment = xipos * mass[..., None]
        for i in range(model.nbody - 1, 0, -1):
            total[:, model.body_parentid[i]] += total[:, i]
            moment[:, model.body_parentid[i]] += moment[:, i]
        light = (total < MINVAL)[..., None]
        centre = np.where(light, xipos, moment / np.where(light, 1.0, total[..., None]))
        found["body_subtreemass"] = total
        for prefix, (place, bodies) in self._views.items():
            found[f"{prefix}_poscom0"] = place - centre[:, bodies]

    def _set_sizes(self, xipos: np.ndarray, found: dict) -> None:
        """Extent and centre of the model, lengths of bodies and of rotations."""
        model, at = self._model, self._at
        low, high = limits(model, at)
        low = np.minimum(low, xipos[:, 1:].min(axis=1, initial=1e10))
        high = np.maximum(high, xipos[:, 1:].max(axis=1, initial=-1e10))
        size = np.zeros(xipos.shape[:2])
        own = model.jnt_bodyid
        for bodies in (own, model.body_parentid[own]):
            for body, anchor in zip(bodies, at.xanchor, strict=True):
                length = np.linalg.norm(xipos[:, body] - anchor, axis=-1)
                size[:, body] = np.maximum(size[:, body], length)
        size[:, 0] = 0
        for geom in np.flatnonzero((model.geom_rbound > 0) & (model.geom_bodyid > 0)):
            body = model.geom_bodyid[geom]
            length = np.linalg.norm(xipos[:, body] - at.geom_xpos[geom], axis=-1)
            size[:, body] = np.fmax(size[:, body], model.geom_rbound[geom] + length)
        size[:, 1:] = np.maximum(size[:, 1:], 1e-5)
        found["stat_meansize"] = (size[:, 1:] / max(1, model.nbody - 1)).sum(axis=1)
        extent = np.maximum(1e-5, (high - low).max(axis=1))
        found["stat_extent"] = np.maximum(extent, 2 * found["stat_meansize"])
        found["stat_center"] = (low + high) * 0.5
        found["dof_length"] = np.where(turning(model), size[:, model.dof_bodyid], 1.0)


def _factors(matrix: np.ndarray, related: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A and w of inverses A diag(w) A' of a stack of inertia matrices, as of one in `inverse`."""
    n, work = matrix.shape[-1], matrix.copy()
    above = [np.flatnonzero(related[k, :k]) for k in range(n)]
    for k in range(n - 1, 0, -1):
        if len(above[k]):
            column = work[:, k, above[k]]
            row = column / work[:, k, k][:, None]
            work[:, above[k][:, None], above[k]] -= row[:, :, None] * column[:, None, :]
            work[:, k, above[k]] = row
    inverse = np.zeros_like(work)
    inverse[:, np.arange(n), np.arange(n)] = 1
    for k in range(1, n):
        if len(above[k]):
            row = work[:, k : k + 1, above[k]]
            inverse[:, k, :k] = -product(row, inverse[:, above[k], :k])[:, 0]
    return inverse, 1 / np.ascontiguousarray(work[:, np.arange(n), np.arange(n)])


def _squares(rows: np.ndarray, inverse: tuple) -> np.ndarray:
    """J W J' of rows J (k, dofs), for a stack of factors of W: (n, k)."""
    lower, weights = inverse
    return applied(product(rows, lower) ** 2, weights)


def _solve(rows: np.ndarray, inverse: tuple) -> np.ndarray:
    """W J' of rows J (k, dofs), for a stack of factors of W: (n, k, dofs)."""
    lower, weights = inverse
    here = product(rows, lower) * weights[:, None]
    return product(here, lower.transpose(0, 2, 1))
