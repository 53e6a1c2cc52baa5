"""Random actuators of all families on all transmissions against MuJoCo: forces, then steps."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, step
from tests.engine.physics.actuators.test_actuators import dense_moment, large_model

NWORLD = 5
FORWARD = ("actuator_length", "actuator_velocity", "actuator_force", "qfrc_actuator", "act_dot")
MOMENT = ("actuator_moment", "moment_rownnz", "moment_rowadr", "moment_colind")
JOINTS = ("free", "ball", "slide", "hinge", "other", "turn", "tilt")
SITES = ("still", "a0", "b0", "c0", "d0", "pin", "slot")
MUSCLE = ".7 1.1 {} 100 .5 1.6 1.5 1.3 1.2"


class Writer:
    """Writes actuators with random attributes."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)

    def pick(self, *options):
        return options[self.rng.integers(len(options))]

    def numbers(self, low: float, high: float, n: int = 1) -> str:
        return " ".join(f"{x:.3g}" for x in self.rng.uniform(low, high, n))

    def target(self, weighs: bool) -> str:
        """Attributes of a transmission; what weighs acts on joints and tendons alone."""
        one, two = self.pick(*SITES), self.pick(*SITES)
        crank = f"cranklength='{self.numbers(0.1, 1)}'"
        options = [
            f"joint='{self.pick(*JOINTS)}'", f"jointinparent='{self.pick(*JOINTS)}'",
            f"tendon='{self.pick('sum', 'line')}'", f"site='{one}'",
            f"site='{one}' refsite='{two}'",
            f"cranksite='{one}' slidersite='{two}' {crank}",
        ]  # fmt: skip
        return self.pick(*options[: 3 if weighs else 6])

    def common(self) -> str:
        """Groups, gears, limits, delays, damping and armature, and a target."""
        weighs = self.rng.random() < 0.4
        words = [self.target(weighs), f"gear='{self.numbers(-2, 2, self.pick(1, 6))}'"]
        words.append(f"group='{self.pick(0, 1, 2, -1, 31)}'")
        if weighs:
            words.append(f"damping='{self.numbers(0, 0.3, self.pick(1, 2, 3))}' armature='.1'")
        if self.rng.random() < 0.3:
            order = self.pick("zoh", "linear", "cubic")
            words.append(f"delay='{self.pick('.002', '.005')}' nsample='4' interp='{order}'")
        if self.rng.random() < 0.3:
            words.append(f"ctrlrange='{self.numbers(-1, 0)} {self.numbers(0.1, 1)}'")
        return " ".join(words)

    def general(self) -> str:
        dyn = self.pick("none", "integrator", "filter", "filterexact", "muscle")
        words = [f"dyntype='{dyn}' dynprm='{self.numbers(0.01, 0.2, 2)} {self.pick(0, 0.3)}'"]
        for part in ("gain", "bias"):
            kind = self.pick("fixed" if part == "gain" else "none", "affine", "muscle")
            words.append(f"{part}type='{kind}' {part}prm='{MUSCLE.format(self.numbers(0.5, 2))}'")
        if self.rng.random() < 0.3:
            words.append(f"forcerange='{self.numbers(-1, 0)} {self.numbers(0.1, 1)}'")
        if dyn != "none" and self.rng.random() < 0.5:
            words.append(f"actrange='-.3 .5' actearly='{self.pick('true', 'false')}'")
        return f"<general lengthrange='-1 1.3' {' '.join(words)} {self.common()}/>"

    def motor(self) -> str:
        """A DC motor with some of its five activations."""
        mode = self.pick("voltage", "position", "velocity")
        words = [f"motorconst='{self.numbers(0.05, 0.5)}' resistance='1.5' input='{mode}'"]
        parts = (
            f"controller='2 {self.pick(0, 1)} .1 {self.pick(0, 5)} {self.pick(0, 0.2)} 3'",
            f"inductance='0 {self.numbers(0.002, 0.05)}'", "cogging='.05 5 .2'",
            f"saturation='{self.pick(0, 0.2)} 1 {self.pick(0, 20)}'", "thermal='2 3 0 .004 20 22'",
            f"lugre='{self.numbers(1, 30)} .2 .05 .1 {self.numbers(0.01, 0.2)}'",
        )  # fmt: skip
        words += [part for part in parts if self.rng.random() < 0.5]
        return f"<dcmotor {' '.join(words)} {self.common()}/>"

    def model(self) -> str:
        """The scene of bodies with random actuators, options and integrator."""
        rows = [self.pick(self.general, self.motor)() for _ in range(self.rng.integers(1, 7))]
        start, _, rest = large_model().partition("<actuator>")
        text = f"{start}<actuator>{''.join(rows)}{rest[rest.index('</actuator>') :]}"
        option = f"integrator='{self.pick('Euler', 'RK4')}' actuatorgroupdisable='1'"
        flag = f"<flag contact='disable' clampctrl='{self.pick('enable', 'disable')}'/>"
        return text.replace("<option cone=", f"<option {option} cone=").replace(
            "/>\n  <default>", f">{flag}</option>\n  <default>", 1
        )


def differs(data, world: int, source, names, tolerance: float) -> list[str]:
    """Fields that are not MuJoCo's."""
    found = []
    for name in names:
        expected = getattr(source, name)
        scale = 1 + np.abs(expected).max(initial=0)
        error = np.abs(getattr(data, name)[world] - expected).max(initial=0) / scale
        if not error < tolerance:
            found.append(f"{name} {error:.1e}")
    return found


@pytest.mark.sweep(10)
@pytest.mark.parametrize("seed", range(30))
def test_random_actuators(seed):
    text = Writer(seed).model()
    mj, model = mujoco.MjModel.from_xml_string(text), mjenv.Model.from_xml_string(text)
    data = Data(model, NWORLD, width=(1, 8)[seed % 2], keep=(*FORWARD, *MOMENT))
    rng = np.random.default_rng(seed)
    sources = [mujoco.MjData(mj) for _ in range(NWORLD)]
    for world, source in enumerate(sources):
        mujoco.mj_integratePos(mj, source.qpos, 0.4 * rng.normal(size=mj.nv), 1.0)
        source.qvel = rng.choice([0, 0.1, 1]) * rng.normal(size=mj.nv)
        source.act, source.ctrl = rng.normal(size=mj.na), rng.normal(size=mj.nu)
        for name in ("qpos", "qvel", "act", "ctrl"):
            getattr(data, name)[world] = getattr(source, name)
    forward(model, data)
    for world, source in enumerate(sources):
        mujoco.mj_forward(mj, source)
        assert differs(data, world, source, FORWARD, 1e-10) == []
        expected, found = dense_moment(mj, source), dense_moment(mj, data, world)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)
    step(model, data, 3)
    for world, source in enumerate(sources):
        mujoco.mj_step(mj, source, 3)
        assert differs(data, world, source, ("qpos", "qvel", "act", "history"), 1e-8) == []
