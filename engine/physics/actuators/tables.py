"""Tables derived from a model's actuators once, for all worlds."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ...tables.enums import (
    BIAS_AFFINE,
    BIAS_DCMOTOR,
    BIAS_MUSCLE,
    BIAS_USER,
    DYN_DCMOTOR,
    DYN_FILTEREXACT,
    DYN_INTEGRATOR,
    DYN_MUSCLE,
    DYN_NONE,
    DYN_USER,
    GAIN_AFFINE,
    GAIN_DCMOTOR,
    GAIN_MUSCLE,
    GAIN_USER,
    JNT_HINGE,
    JNT_SLIDE,
    TRN_BODY,
    TRN_JOINTINPARENT,
    TRN_SITE,
    TRN_SLIDERCRANK,
    TRN_TENDON,
)

if TYPE_CHECKING:
    from ...model.model import Model


def actuator_tables(model: "Model", chains: list[list[int]]) -> dict:
    """Arrays of `ENGINE_MODEL` that describe moment arms.

    Args:
        model: a `Model`.
        chains: dofs that move each body, ascending.

    Returns:
        act_dofnum, act_momentadr, act_dof and act_side.
    """
    rows = [_pushed(model, chains, u) for u in range(model.nu)]
    width = np.array([len(row) for row in rows], np.int64)
    entries = [entry for row in rows for entry in row]
    return {
        "act_dofnum": width,
        "act_momentadr": np.cumsum(width) - width,
        "act_dof": [dof for dof, _ in entries],
        "act_side": [side for _, side in entries],
        **_motor_tables(model),
    }


def _motor_tables(model: "Model") -> dict:
    """Tables of DC motors: what drives their forces, and places of their activations."""
    motor = (model.actuator_dyntype == DYN_DCMOTOR) | (model.actuator_gaintype == GAIN_DCMOTOR)
    dyn, gain = model.actuator_dynprm, model.actuator_gainprm
    present = np.stack([dyn[:, 7], gain[:, 5], dyn[:, 2], dyn[:, 5], dyn[:, 0]], axis=1) > 0
    place = np.cumsum(present, axis=1) - 1
    present &= (motor & (model.actuator_actadr >= 0))[:, None]
    present &= place < model.actuator_actnum[:, None]
    inductive = dyn[:, 0] > 0
    by_control = (model.actuator_gaintype == GAIN_DCMOTOR) & ~inductive
    return {
        "act_driven": (model.actuator_actnum > 0) & ~by_control,
        "act_inductive": inductive,
        "act_slot": np.where(present, model.actuator_actadr[:, None] + place, -1),
    }


def _pushed(model: "Model", chains: Any, u: int) -> list[tuple[int, int]]:
    """Dofs that an actuator can push, and what they move: 1 the first object, 2 the second."""
    kind, (first, second) = model.actuator_trntype[u], model.actuator_trnid[u]
    if kind <= TRN_JOINTINPARENT:
        adr = model.jnt_dofadr[first]
        return [(int(adr) + k, 1) for k in range((6, 3, 1, 1)[model.jnt_type[first]])]
    if kind == TRN_TENDON:
        adr = model.ten_J_rowadr[first]
        colind = model.ten_J_colind[adr : adr + model.ten_J_rownnz[first]]
        return [(dof, 1) for dof in colind.tolist()]
    if kind == TRN_BODY:
        return [(dof, 1) for dof in range(model.nv)]
    one = set(chains[model.site_bodyid[first]])
    two = set(chains[model.site_bodyid[second]]) if second >= 0 else set()
    # what moves both sites together changes a crank's direction, but not a relative pose
    moving = sorted(one | two if kind == TRN_SLIDERCRANK else one ^ two)
    return [(dof, (dof in one) + 2 * (dof in two)) for dof in moving]


def actuator_conditions(model: "Model") -> dict:
    """Numbers of actuators of each family, which decide the stages that a model needs."""
    # what actuators act on
    kind, targets = model.actuator_trntype, model.actuator_trnid
    on_joint = kind <= TRN_JOINTINPARENT
    joints = model.jnt_type[targets[on_joint, 0]] if model.njnt else np.zeros(0, np.int32)
    scalar = int(np.isin(joints, (JNT_SLIDE, JNT_HINGE)).sum())
    related = (kind == TRN_SITE) & (targets[:, 1] >= 0)
    on_tendon = targets[kind == TRN_TENDON, 0]
    limited = model.tendon_actfrclimited[on_tendon] if model.ntendon else np.zeros(0)
    # activations and forces
    dyn, gain, bias = model.actuator_dyntype, model.actuator_gaintype, model.actuator_biastype
    own = (model.actuator_plugin >= 0) & (model.actuator_actnum > 0)
    families = {
        "joint": scalar,
        "ball": int(on_joint.sum()) - scalar,
        "tendon": (kind == TRN_TENDON).sum(),
        "site": (kind == TRN_SITE).sum() - related.sum(),
        "related": related.sum(),
        "crank": (kind == TRN_SLIDERCRANK).sum(),
        "body": (kind == TRN_BODY).sum(),
        "limit": np.count_nonzero(limited),
        "linear": ((dyn >= DYN_INTEGRATOR) & (dyn <= DYN_FILTEREXACT)).sum(),
        "settling": (((dyn != DYN_NONE) | own) & (dyn != DYN_DCMOTOR)).sum(),
        "muscle_dyn": (dyn == DYN_MUSCLE).sum(),
        "dcmotor_dyn": (dyn == DYN_DCMOTOR).sum(),
        "affine": ((gain <= GAIN_AFFINE) | (bias == BIAS_AFFINE)).sum(),
        "muscle": ((gain == GAIN_MUSCLE) | (bias == BIAS_MUSCLE)).sum(),
        "dcmotor": ((gain == GAIN_DCMOTOR) | (bias == BIAS_DCMOTOR)).sum(),
        "on_joint": np.count_nonzero(model.jnt_actuatorid != -1),
        "on_tendon": np.count_nonzero(model.tendon_actuatorid != -1),
        "user": ((dyn == DYN_USER) | (gain == GAIN_USER) | (bias == BIAS_USER)).sum(),
        "delayed": (model.actuator_history[:, 0] > 0).sum(),
        "plugin": (model.actuator_plugin >= 0).sum(),
    }
    # plain: without state, and forces that one kernel computes
    found = {f"act_{name}": int(number) for name, number in families.items()}
    special = ("limit", "muscle", "dcmotor", "delayed", "user", "plugin")
    found["act_plain"] = int(
        model.nu > 0 and model.na == 0 and not any(found[f"act_{name}"] for name in special)
    )
    return found
