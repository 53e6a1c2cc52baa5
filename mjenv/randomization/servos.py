"""Gains of servos: what MJCF calls kp and kv, and where actuators have them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mjenv.engine.tables.enums import BIAS_AFFINE, GAIN_FIXED

if TYPE_CHECKING:
    from mjenv.engine.model.model import Model

GAINS = ("actuator_kp", "actuator_kv")


class Servos:
    """The actuators of a model that have a gain of one kind.

    A servo of position has the force kp * (target - length) - kv * velocity, one of velocity
    kv * (ctrl - velocity). Its parameters in the arrays of the model are products with these. The
    target is `ctrl`, or that times a scale and plus an offset: <general gainprm="kp*scale"
    biastype="affine" biasprm="kp*offset -kp -kv"/>.
    """

    FIELDS = ("actuator_gainprm", "actuator_biasprm")

    def __init__(self, model: "Model", name: str):
        """Find the servos.

        Args:
            model: the model.
            name: which gain, one of `GAINS`.

        Raises:
            ValueError: if there are none.
        """
        self._model, self._name = model, name
        gain, bias = model.actuator_gainprm[:, 0], model.actuator_biasprm
        affine = (model.actuator_gaintype == GAIN_FIXED) & (model.actuator_biastype == BIAS_AFFINE)
        affine &= gain != 0
        of_position = affine & (bias[:, 1] < 0)
        self._of_velocity = affine & (bias[:, 0] == 0) & (bias[:, 1] == 0) & (bias[:, 2] == -gain)
        # of the target, where it is not the control itself
        kp = np.where(of_position, -bias[:, 1], 1.0)
        self._scale, self._offset = gain / kp, bias[:, 0] / kp
        self._has = of_position if name == "actuator_kp" else of_position | self._of_velocity
        if not self._has.any():
            raise ValueError(
                f"randomization: {name!r}: the model has no actuators with this gain, expected "
                "<position>, <intvelocity>"
                + ("" if name == "actuator_kp" else " or <velocity>")
                + "; the gains of others are in actuator_gainprm"
            )

    def places(self, of: Sequence[str] | None) -> np.ndarray:
        """Numbers of the servos with these names; None for all.

        Raises:
            ValueError: if one of them is no such servo.
        """
        if of is None:
            return np.flatnonzero(self._has)
        if not of:
            raise ValueError(f"randomization: {self._name!r}: of={of!r}, expected names")
        ids = np.array([self._model.actuator(one).id for one in of], np.int64)
        for one, i in zip(of, ids, strict=True):
            if not self._has[i]:
                names = [self._model.actuator(int(k)).name for k in np.flatnonzero(self._has)]
                raise ValueError(
                    f"randomization: {self._name!r}: of={one!r} is no actuator with this gain, "
                    f"expected some of {names}"
                )
        return ids

    def values(self, gainprm: np.ndarray, biasprm: np.ndarray | None = None) -> np.ndarray:
        """The gains (..., nu) in arrays of parameters; 0 where there are none."""
        bias = self._model.actuator_biasprm if biasprm is None else biasprm
        if self._name == "actuator_kp":
            return np.where(self._has, -bias[..., 1], 0.0)
        return np.where(self._has, -bias[..., 2], 0.0)

    def set(self, arrays: list[np.ndarray], worlds: np.ndarray, values: np.ndarray) -> None:
        """Write gains (n, nu) into the parameters of some worlds.

        Args:
            arrays: (nworld, nu, ...) of the two fields.
            worlds: numbers of the worlds.
            values: the gains.
        """
        gain, bias = arrays
        chosen = self._has if self._name == "actuator_kp" else self._of_velocity
        rows, places = worlds[:, None], np.flatnonzero(chosen)
        if self._name == "actuator_kp":
            kp = values[:, places]
            gain[rows, places, 0] = kp * self._scale[places]
            bias[rows, places, 0] = kp * self._offset[places]
            bias[rows, places, 1] = -kp
        else:
            gain[rows, places, 0] = values[:, places]
            places = np.flatnonzero(self._has)
            bias[rows, places, 2] = -values[:, places]
