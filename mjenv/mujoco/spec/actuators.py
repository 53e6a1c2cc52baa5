"""Actuators, and the shortcuts that set their parameters."""

from collections.abc import Sequence
from math import pi, sqrt
from typing import Any

from mjenv.mujoco.enumerations import enumeration
from mjenv.mujoco.spec.elements import Classed

NONE3, NONE6 = (0.0,) * 3, (0.0,) * 6


class MjsActuator(Classed):
    """An actuator."""

    _kind = _structure = "actuator"

    gainprm: Any
    biasprm: Any
    dynprm: Any
    ctrlrange: Any
    actrange: Any
    forcerange: Any
    damping: Any
    inheritrange: Any
    actlimited: Any
    ctrllimited: Any
    forcelimited: Any
    actdim: Any
    actearly: Any

    def _set_types(self, gain: str, bias: str, dyn: str | None = None) -> None:
        own = self.__dict__
        own["gaintype"] = enumeration("mjtGain")[f"mjGAIN_{gain}"]
        own["biastype"] = enumeration("mjtBias")[f"mjBIAS_{bias}"]
        if dyn:
            own["dyntype"] = enumeration("mjtDyn")[f"mjDYN_{dyn}"]

    def set_to_motor(self) -> None:
        """Let it apply its control as it is."""
        self.gainprm[0] = 1
        self._set_types("FIXED", "NONE", "NONE")

    def set_to_position(
        self,
        kp: float,
        kv: float = -1,
        dampratio: float = -1,
        timeconst: float = -1,
        inheritrange: float = False,
    ) -> None:
        """Let it hold a position; -1: not given.

        Raises:
            ValueError: both kv and dampratio, or both a range and inheritrange, or a negative one.
        """
        if wrong := self._servo(kp, kv, dampratio, timeconst, inheritrange):
            raise ValueError(wrong)

    def _servo(
        self, kp: float, kv: float, dampratio: float, timeconst: float, inheritrange: float
    ) -> str:
        """Set what position servos have; returns what is wrong, or ""."""
        self.gainprm[0], self.biasprm[1] = kp, -kp
        if kv != -1 and dampratio != -1:
            return "kv and dampratio cannot both be defined"
        for name, value, sign in (("kv", kv, -1), ("dampratio", dampratio, 1)):
            if value != -1:
                if value < 0:
                    return f"{name} cannot be negative"
                self.biasprm[2] = sign * value
        if timeconst != -1:
            if timeconst < 0:
                return "timeconst cannot be negative"
            self.dynprm[0] = timeconst
            kinds = enumeration("mjtDyn")
            self.__dict__["dyntype"] = kinds.mjDYN_FILTEREXACT if timeconst else kinds.mjDYN_NONE
        self.inheritrange = inheritrange
        if inheritrange > 0 and any(self.ctrlrange):
            return "ctrlrange and inheritrange cannot both be defined"
        self._set_types("FIXED", "AFFINE")
        return ""

    def set_to_intvelocity(
        self,
        kp: float,
        kv: float = -1,
        dampratio: float = -1,
        timeconst: float = -1,
        inheritrange: float = False,
    ) -> None:
        """Let it hold a position that moves with the velocity that it is told; -1: not given."""
        self._servo(kp, kv, dampratio, timeconst, inheritrange)
        self.__dict__["dyntype"] = enumeration("mjtDyn").mjDYN_INTEGRATOR
        self.actlimited = 1
        if inheritrange > 0 and any(self.actrange):
            raise ValueError("actrange and inheritrange cannot both be defined")

    def set_to_velocity(self, kv: float) -> None:
        """Let it hold a velocity."""
        self.biasprm[:] = 0
        self.gainprm[0], self.biasprm[2] = kv, -kv
        self._set_types("FIXED", "AFFINE", "NONE")

    def set_to_damper(self, kv: float) -> None:
        """Let it damp, as much as its control says."""
        self.gainprm[:] = 0
        self.gainprm[2], self.ctrllimited = -kv, 1
        self._set_types("AFFINE", "NONE", "NONE")
        if kv < 0:
            raise ValueError("damping coefficient cannot be negative")
        if min(self.ctrlrange) < 0:
            raise ValueError("damper control range cannot be negative")

    def set_to_cylinder(
        self, timeconst: float, bias: float, area: float, diameter: float = -1
    ) -> None:
        """Let it be a pneumatic or hydraulic cylinder."""
        self.dynprm[0], self.biasprm[0] = timeconst, bias
        self.gainprm[0] = pi / 4 * diameter * diameter if diameter >= 0 else area
        self._set_types("FIXED", "AFFINE", "FILTER")

    def set_to_muscle(
        self,
        timeconst: Sequence[float] | float = -1,
        tausmooth: float = 0,
        range: Sequence[float] = (-1, -1),
        force: float = -1,
        scale: float = -1,
        lmin: float = -1,
        lmax: float = -1,
        vmax: float = -1,
        fpmax: float = -1,
        fvmax: float = -1,
    ) -> None:
        """Let it be a muscle; negative: not given, and then as it is or as muscles have it."""
        # numbers of a general actuator give way to those of a muscle
        gain, dyn = self.gainprm, self.dynprm
        dyn[:2] = [0.01 if dyn[0] == 1 else dyn[0], 0.04 if dyn[1] == 0 else dyn[1]]
        gain[0] = 0.75 if gain[0] == 1 else gain[0]
        unset = (1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2)
        gain[1:9] = [new if old == 0 else old for old, new in zip(gain[1:9], unset, strict=True)]
        if tausmooth < 0:
            raise ValueError("muscle tausmooth cannot be negative")
        dyn[2] = tausmooth
        # below 0, an argument says nothing
        times = (timeconst, timeconst) if isinstance(timeconst, int | float) else timeconst
        given = (*range, force, scale, lmin, lmax, vmax, fpmax, fvmax)
        dyn[:2] = [new if new >= 0 else old for old, new in zip(dyn[:2], times, strict=True)]
        gain[:9] = [new if new >= 0 else old for old, new in zip(gain[:9], given, strict=True)]
        self.biasprm[:9] = gain[:9]
        self._set_types("MUSCLE", "MUSCLE", "MUSCLE")

    def set_to_adhesion(self, gain: float) -> None:
        """Let it press a body to what it touches."""
        self.gainprm[0], self.ctrllimited = gain, 1
        self._set_types("FIXED", "NONE")
        if gain < 0:
            raise ValueError("adhesion gain cannot be negative")
        if min(self.ctrlrange) < 0:
            raise ValueError("adhesion control range cannot be negative")

    def set_to_dcmotor(
        self,
        motorconst: Sequence[float],
        resistance: float,
        nominal: Sequence[float] = NONE3,
        saturation: Sequence[float] = NONE3,
        inductance: Sequence[float] = (0.0, 0.0),
        cogging: Sequence[float] = NONE3,
        controller: Sequence[float] = NONE6,
        thermal: Sequence[float] = NONE6,
        lugre: Sequence[float] = (0.0,) * 5,
        input_mode: int = 0,
    ) -> None:
        """Let it be a DC motor; numbers as in <dcmotor>, zero where not given.

        Raises:
            ValueError: numbers that no motor has.
        """
        resistance, constant = self._electric(motorconst, resistance, nominal)
        gain, bias, dyn = self.gainprm, self.biasprm, self.dynprm
        self._set_types("DCMOTOR", "DCMOTOR", "DCMOTOR")
        gain[0], gain[1], gain[4:7] = resistance, constant, controller[:3]
        dyn[7:9] = controller[3:5]
        if controller[5] > 0:
            gain[7] = controller[5]
        # the largest force is given, or follows from the largest current
        if saturation[0] > 0 or saturation[1] > 0:
            most = saturation[0] if saturation[0] != 0 else constant * saturation[1]
            self.forcerange[:], self.forcelimited = (-most, most), 1
        if saturation[2] > 0:
            dyn[1] = saturation[2]
        bias[:3] = cogging
        for value, what in ((inductance[0], "inductance"), (inductance[1], "electrical time")):
            if value < 0:
                name = what if what == "inductance" else "electrical time constant"
                raise ValueError(f"DC motor: {name} must be non-negative")
        # each effect with a memory adds a state to the activation
        dyn[0] = inductance[0] / resistance if inductance[0] > 0 else inductance[1]
        states = [dyn[0] > 0, controller[3] > 0, controller[1] > 0]
        states.append(self._warm(thermal))
        if lugre[0] > 0:
            dyn[5:7], bias[3:6] = lugre[:2], lugre[2:5]
            states.append(True)
        gain[8], self.actdim = input_mode, sum(states)
        self.actlimited, self.actearly = 0, 1

    def _electric(
        self, motorconst: Sequence[float], resistance: float, nominal: Sequence[float]
    ) -> tuple[float, float]:
        """Resistance and motor constant, from what is given of them and of nominal values."""
        torque, emf = motorconst
        voltage, stall, speed = nominal
        if voltage > 0 and emf <= 0 and speed > 0:
            viscous, emf = self.damping[0], voltage / speed
            if viscous > 0 and resistance > 0:
                root = voltage * voltage - 4 * resistance * viscous * speed * speed
                emf = (voltage + sqrt(root)) / (2 * speed) if root > 0 else emf
            elif viscous > 0 and stall > 0:
                exact = voltage / speed - voltage * viscous / stall
                emf = exact if exact > 0 else emf
        constant = sqrt(torque * emf) if torque > 0 and emf > 0 else torque if torque > 0 else emf
        if resistance == 0 and voltage > 0 and stall > 0 and constant > 0:
            resistance = constant * voltage / stall
        if constant <= 0:
            raise ValueError("DC motor: motor constant K must be positive")
        if resistance <= 0:
            raise ValueError("DC motor: resistance R must be positive")
        return resistance, constant

    def _warm(self, thermal: Sequence[float]) -> bool:
        """Set what the temperature of a DC motor follows; returns whether it has one."""
        resistance, capacity, time, alpha, reference, ambient = thermal
        if max(resistance, capacity, time) <= 0:
            return False
        if time > 0 and resistance > 0 and capacity == 0:
            capacity = time / resistance
        elif time > 0 and capacity > 0 and resistance == 0:
            resistance = time / capacity
        if resistance <= 0:
            raise ValueError("DC motor: thermal resistance must be positive")
        if capacity <= 0:
            raise ValueError("DC motor: thermal capacitance must be positive")
        self.dynprm[2:5] = resistance, capacity, ambient
        self.gainprm[2:4] = alpha, reference
        return True
