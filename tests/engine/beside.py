"""Random states of small models in mjenv, at two widths, and in MuJoCo."""

import mujoco
import numpy as np

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, step

INPUTS = ("qpos", "qvel", "act", "ctrl", "qacc_warmstart", "qfrc_applied", "eq_active")


class Beside:
    """A model in mjenv and in MuJoCo, and the same random states in both.

    Attributes:
        mj, model: the model in both.
        data: worlds at width 8.
        sources: MuJoCo's data, one for each world.
    """

    def __init__(self, xml: str, *, nworld: int = 9, seed: int = 0, speed: float = 1.0, edit=None):
        """Draw states.

        Args:
            xml: document of the model.
            nworld: number of worlds.
            seed: of the states.
            speed: standard deviation of velocities.
            edit: called with each of the two models before anything is computed.
        """
        self.mj, self.model = (
            mujoco.MjModel.from_xml_string(xml),
            mjenv.Model.from_xml_string(xml),
        )
        for one in (self.mj, self.model):
            if edit is not None:
                edit(one)
        rng = np.random.default_rng(seed)
        self.sources = []
        for world in range(nworld):
            source = mujoco.MjData(self.mj)
            spread = 0.5 * world * rng.normal(size=self.mj.nv) / nworld
            mujoco.mj_integratePos(self.mj, source.qpos, spread, 1.0)
            source.qvel = speed * rng.normal(size=self.mj.nv)
            source.ctrl = rng.normal(size=self.mj.nu)
            source.act = rng.uniform(size=self.mj.na)
            source.qfrc_applied = rng.normal(size=self.mj.nv)
            self.sources.append(source)
        self.data, self.narrow = (self._worlds(width) for width in (8, 1))

    def _worlds(self, width: int) -> Data:
        data = Data(self.model, len(self.sources), width=width)
        for world, source in enumerate(self.sources):
            for name in INPUTS:
                getattr(data, name)[world] = getattr(source, name)
        return data

    def forward(self) -> "Beside":
        """Forward dynamics in both."""
        for source in self.sources:
            mujoco.mj_forward(self.mj, source)
        for data in (self.data, self.narrow):
            forward(self.model, data)
        return self

    def step(self, nstep: int = 1) -> "Beside":
        """Steps in both."""
        for source in self.sources:
            mujoco.mj_step(self.mj, source, nstep)
        for data in (self.data, self.narrow):
            step(self.model, data, nstep)
        return self

    def compare(self, names: str, tolerance: float = 1e-10) -> "Beside":
        """Assert that fields are MuJoCo's, relative to 1 + their largest element, at both widths.

        Returns:
            Itself.
        """
        for name in names.split():
            found, narrow = getattr(self.data, name), getattr(self.narrow, name)
            np.testing.assert_array_equal(found, narrow, err_msg=f"{name}: widths 8 and 1")
            for world, source in enumerate(self.sources):
                expected = np.asarray(getattr(source, name)).ravel()
                scale = 1 + np.abs(expected).max(initial=0)
                np.testing.assert_allclose(
                    found[world].ravel() / scale,
                    expected / scale,
                    rtol=0,
                    atol=tolerance,
                    err_msg=f"world {world}: {name}",
                )
        return self
