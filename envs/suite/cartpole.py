"""Cart-pole: a cart balances a pole, or a chain of poles, or swings it up first."""

from typing import Any

import numpy as np

from mjenv.engine.edit.spec import Spec
from mjenv.envs.suite.suite_task import SuiteTask, rewarded
from mjenv.rewards import tolerance
from mjenv.task.task import Fields


class Balance(SuiteTask):
    """Keep poles upright that start almost so, the cart in the middle and quiet."""

    xml_file = "suite/cartpole.xml"
    swing_up = False
    sparse = False
    num_poles = 1

    keep = ("xmat",)

    def build(self, spec: Spec):
        if self.num_poles == 1:
            return
        pole = spec.body("pole_1")
        for number in range(2, self.num_poles + 1):
            pole = pole.add_body(name=f"pole_{number}", pos=(0, 0, 1), childclass="pole")
            pole.add_joint(name=f"hinge_{number}")
            pole.add_geom(name=f"pole_{number}")
        # room for the chain
        spec.geom("floor").pos = (0, 0, 1 - self.num_poles - 0.05)
        spec.camera("fixed").pos = (0, -1 - 2 * self.num_poles, 1)
        spec.camera("lookatcart").pos = (0, -2 * self.num_poles, 2)

    def begin(self, world: Any, random: np.random.RandomState):
        nv = self.model.nv
        if self.swing_up:
            world.qpos[0] = 0.01 * random.randn()
            world.qpos[1] = np.pi + 0.01 * random.randn()
            world.qpos[2:] = 0.1 * random.randn(nv - 2)
        else:
            world.qpos[0] = random.uniform(-0.1, 0.1)
            world.qpos[1:] = random.uniform(-0.034, 0.034, nv - 1)
        world.qvel[:] = 0.01 * random.randn(nv)

    def observation(self, data: Fields):
        # vertical and horizontal components of each pole
        turns = [data.xmat[..., body, [8, 2]] for body in range(2, self.model.nbody)]
        return {
            "position": np.concatenate((data.qpos[..., :1], *turns), axis=-1),
            "velocity": data.qvel,
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        cart, cosines = data.qpos[..., 0], data.xmat[..., 2:, 8]
        if self.sparse:
            upright = np.minimum.reduce(tolerance(cosines, (0.995, 1)), axis=-1)
            return rewarded(centered=tolerance(cart, (-0.25, 0.25)), upright=upright)
        quiet = tolerance(data.ctrl[..., 0], margin=1, value_at_margin=0, sigmoid="quadratic")
        slow = np.minimum.reduce(tolerance(data.qvel[..., 1:], margin=5), axis=-1)
        return rewarded(
            upright=np.add.reduce((cosines + 1) / 2, axis=-1) / cosines.shape[-1],
            small_control=(4 + quiet) / 5,
            small_velocity=(1 + slow) / 2,
            centered=(1 + tolerance(cart, margin=2)) / 2,
        )


class BalanceSparse(Balance):
    """Keep the cart within 0.25 m of the middle and the pole within 6 degrees of upright."""

    sparse = True


class Swingup(Balance):
    """Swing the pole up and balance it."""

    swing_up = True


class SwingupSparse(Swingup):
    """The same, rewarded in the middle and upright only."""

    sparse = True


class TwoPoles(Swingup):
    """Swing a chain of two poles up and balance it."""

    num_poles = 2


class ThreePoles(Swingup):
    """Swing a chain of three poles up and balance it."""

    num_poles = 3
