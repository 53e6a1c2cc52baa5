"""MuJoCo physics in numba, and Gymnasium environments on top of it.

Importing this package registers the environments and nothing else: every name below is loaded when
it is first used, so that `import mjenv` needs neither numba nor a window library.
"""

import importlib
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from mjenv.registration import register

if TYPE_CHECKING:
    from mjenv import functions, mju
    from mjenv.check_task import check_task
    from mjenv.engine.analysis.constraints import (
        constraint_update,
        mul_jac_t_vec,
        mul_jac_vec,
    )
    from mjenv.engine.analysis.derivatives import (
        inverse_fd,
        transition_fd,
    )
    from mjenv.engine.analysis.distances import geom_distance
    from mjenv.engine.analysis.energies import (
        energy_pos,
        energy_vel,
        subtree_vel,
    )
    from mjenv.engine.analysis.exact import (
        inverse_jacobian,
        transition_jacobian,
    )
    from mjenv.engine.analysis.forces import (
        rne,
    )
    from mjenv.engine.analysis.inertia import (
        full_m,
        get_totalmass,
        mul_m,
        mul_m2,
        solve_m,
        solve_m2,
    )
    from mjenv.engine.analysis.jacobians import (
        angmom_mat,
        apply_ft,
        jac,
        jac_body,
        jac_body_com,
        jac_dot,
        jac_geom,
        jac_point_axis,
        jac_site,
        jac_subtree_com,
    )
    from mjenv.engine.analysis.motion import (
        contact_force,
        local_to_global,
        object_acceleration,
        object_velocity,
    )
    from mjenv.engine.analysis.past import (
        init_ctrl_history,
        init_sensor_history,
        read_ctrl,
        read_sensor,
    )
    from mjenv.engine.analysis.positions import (
        differentiate_pos,
        integrate_pos,
    )
    from mjenv.engine.analysis.rays import multi_ray, ray, ray_hfield, ray_mesh
    from mjenv.engine.analysis.rollout import (
        rollout,
    )
    from mjenv.engine.analysis.state import (
        State,
        copy_data,
        copy_state,
        extract_state,
        get_state,
        set_state,
        state_size,
    )
    from mjenv.engine.analysis.timing import (
        profile,
    )
    from mjenv.engine.data.data import Data
    from mjenv.engine.data.printing import print_data, print_model
    from mjenv.engine.data.single_functions import (
        camlight,
        check_acc,
        check_pos,
        check_vel,
        collision,
        com_pos,
        com_vel,
        compare_fwd_inv,
        crb,
        euler,
        factor_m,
        fwd_acceleration,
        fwd_actuation,
        fwd_constraint,
        fwd_kinematics,
        fwd_position,
        fwd_velocity,
        implicit,
        inv_constraint,
        inv_position,
        inv_velocity,
        island,
        kinematics,
        make_constraint,
        make_m,
        passive,
        project_constraint,
        reference_constraint,
        rne_post_constraint,
        runge_kutta,
        sensor_acc,
        sensor_pos,
        sensor_vel,
        tendon,
        transmission,
    )
    from mjenv.engine.data.skip import forward_skip, inverse_skip
    from mjenv.engine.data.step import forward, inverse, reset, step, step1, step2
    from mjenv.engine.edit.constants import set_const, set_keyframe, set_totalmass
    from mjenv.engine.edit.length_range import set_length_range
    from mjenv.engine.edit.spec import Spec
    from mjenv.engine.errors import (
        MjcfError,
        ModelFileError,
        SimulationWarning,
        UnsupportedFeature,
    )
    from mjenv.engine.mjcf.text.print_schema import print_schema
    from mjenv.engine.model.identities import id2name, name2id
    from mjenv.engine.model.model import Model
    from mjenv.engine.run.hooks import set_hook
    from mjenv.engine.simd.kernel import kernel
    from mjenv.env import Env
    from mjenv.randomization.channels import Channel
    from mjenv.randomization.distributions import Every, LogUniform, Normal, Uniform
    from mjenv.randomization.events import Kick, Push
    from mjenv.render import Renderer
    from mjenv.render.visual.cameras import (
        mjv_alignToCamera,
        mjv_averageCamera,
        mjv_cameraFrame,
        mjv_cameraFrustum,
        mjv_cameraInModel,
        mjv_cameraInRoom,
        mjv_frustumHeight,
        mjv_model2room,
        mjv_moveCamera,
        mjv_room2model,
        mjv_updateCamera,
    )
    from mjenv.render.visual.lights import (
        mjv_makeLights,
    )
    from mjenv.render.visual.scene import (
        MjvScene,
    )
    from mjenv.render.visual.settings import (
        MjvCamera,
        MjvGeom,
        MjvGLCamera,
        MjvLight,
        MjvOption,
        MjvPerturb,
        mjv_defaultCamera,
        mjv_defaultFreeCamera,
        mjv_defaultOption,
        mjv_defaultPerturb,
    )
    from mjenv.render.visual.shapes import (
        mjv_connector,
        mjv_initGeom,
    )
    from mjenv.render.visual.skins import (
        mjv_updateSkin,
    )
    from mjenv.render.visual.update import (
        mjv_addGeoms,
        mjv_updateScene,
    )
    from mjenv.task import Outcome, Task
    from mjenv.vector import VectorEnv
    from mjenv.world_view import WorldView

# name -> the module that defines it
_EXPORTS = {
    "Model": "mjenv.engine.model.model",
    "Spec": "mjenv.engine.edit.spec",
    "Data": "mjenv.engine.data.data",
    "step": "mjenv.engine.data.step",
    "forward": "mjenv.engine.data.step",
    "inverse": "mjenv.engine.data.step",
    "forward_skip": "mjenv.engine.data.skip",
    "inverse_skip": "mjenv.engine.data.skip",
    "step1": "mjenv.engine.data.step",
    "step2": "mjenv.engine.data.step",
    "reset": "mjenv.engine.data.step",
    "set_const": "mjenv.engine.edit.constants",
    "set_keyframe": "mjenv.engine.edit.constants",
    "set_totalmass": "mjenv.engine.edit.constants",
    "set_length_range": "mjenv.engine.edit.length_range",
    "geom_distance": "mjenv.engine.analysis.distances",
    "ray": "mjenv.engine.analysis.rays",
    "multi_ray": "mjenv.engine.analysis.rays",
    "ray_mesh": "mjenv.engine.analysis.rays",
    "ray_hfield": "mjenv.engine.analysis.rays",
    "angmom_mat": "mjenv.engine.analysis.jacobians",
    "apply_ft": "mjenv.engine.analysis.jacobians",
    "jac": "mjenv.engine.analysis.jacobians",
    "jac_body": "mjenv.engine.analysis.jacobians",
    "jac_body_com": "mjenv.engine.analysis.jacobians",
    "jac_dot": "mjenv.engine.analysis.jacobians",
    "jac_geom": "mjenv.engine.analysis.jacobians",
    "jac_point_axis": "mjenv.engine.analysis.jacobians",
    "jac_site": "mjenv.engine.analysis.jacobians",
    "jac_subtree_com": "mjenv.engine.analysis.jacobians",
    "constraint_update": "mjenv.engine.analysis.constraints",
    "mul_jac_t_vec": "mjenv.engine.analysis.constraints",
    "mul_jac_vec": "mjenv.engine.analysis.constraints",
    "contact_force": "mjenv.engine.analysis.motion",
    "local_to_global": "mjenv.engine.analysis.motion",
    "object_acceleration": "mjenv.engine.analysis.motion",
    "object_velocity": "mjenv.engine.analysis.motion",
    "energy_pos": "mjenv.engine.analysis.energies",
    "energy_vel": "mjenv.engine.analysis.energies",
    "rne": "mjenv.engine.analysis.forces",
    "full_m": "mjenv.engine.analysis.inertia",
    "get_totalmass": "mjenv.engine.analysis.inertia",
    "mul_m": "mjenv.engine.analysis.inertia",
    "mul_m2": "mjenv.engine.analysis.inertia",
    "solve_m": "mjenv.engine.analysis.inertia",
    "solve_m2": "mjenv.engine.analysis.inertia",
    "init_ctrl_history": "mjenv.engine.analysis.past",
    "init_sensor_history": "mjenv.engine.analysis.past",
    "read_ctrl": "mjenv.engine.analysis.past",
    "read_sensor": "mjenv.engine.analysis.past",
    "differentiate_pos": "mjenv.engine.analysis.positions",
    "integrate_pos": "mjenv.engine.analysis.positions",
    "State": "mjenv.engine.analysis.state",
    "copy_data": "mjenv.engine.analysis.state",
    "copy_state": "mjenv.engine.analysis.state",
    "extract_state": "mjenv.engine.analysis.state",
    "get_state": "mjenv.engine.analysis.state",
    "set_state": "mjenv.engine.analysis.state",
    "state_size": "mjenv.engine.analysis.state",
    "rollout": "mjenv.engine.analysis.rollout",
    "transition_fd": "mjenv.engine.analysis.derivatives",
    "inverse_fd": "mjenv.engine.analysis.derivatives",
    "transition_jacobian": "mjenv.engine.analysis.exact",
    "inverse_jacobian": "mjenv.engine.analysis.exact",
    "subtree_vel": "mjenv.engine.analysis.energies",
    "set_hook": "mjenv.engine.run.hooks",
    "kernel": "mjenv.engine.simd.kernel",
    "profile": "mjenv.engine.analysis.timing",
    "camlight": "mjenv.engine.data.single_functions",
    "check_acc": "mjenv.engine.data.single_functions",
    "check_pos": "mjenv.engine.data.single_functions",
    "check_vel": "mjenv.engine.data.single_functions",
    "collision": "mjenv.engine.data.single_functions",
    "com_pos": "mjenv.engine.data.single_functions",
    "com_vel": "mjenv.engine.data.single_functions",
    "compare_fwd_inv": "mjenv.engine.data.single_functions",
    "crb": "mjenv.engine.data.single_functions",
    "euler": "mjenv.engine.data.single_functions",
    "factor_m": "mjenv.engine.data.single_functions",
    "fwd_acceleration": "mjenv.engine.data.single_functions",
    "fwd_actuation": "mjenv.engine.data.single_functions",
    "fwd_constraint": "mjenv.engine.data.single_functions",
    "fwd_kinematics": "mjenv.engine.data.single_functions",
    "fwd_position": "mjenv.engine.data.single_functions",
    "fwd_velocity": "mjenv.engine.data.single_functions",
    "implicit": "mjenv.engine.data.single_functions",
    "inv_constraint": "mjenv.engine.data.single_functions",
    "inv_position": "mjenv.engine.data.single_functions",
    "inv_velocity": "mjenv.engine.data.single_functions",
    "island": "mjenv.engine.data.single_functions",
    "kinematics": "mjenv.engine.data.single_functions",
    "make_constraint": "mjenv.engine.data.single_functions",
    "make_m": "mjenv.engine.data.single_functions",
    "passive": "mjenv.engine.data.single_functions",
    "project_constraint": "mjenv.engine.data.single_functions",
    "reference_constraint": "mjenv.engine.data.single_functions",
    "rne_post_constraint": "mjenv.engine.data.single_functions",
    "runge_kutta": "mjenv.engine.data.single_functions",
    "sensor_acc": "mjenv.engine.data.single_functions",
    "sensor_pos": "mjenv.engine.data.single_functions",
    "sensor_vel": "mjenv.engine.data.single_functions",
    "tendon": "mjenv.engine.data.single_functions",
    "transmission": "mjenv.engine.data.single_functions",
    "name2id": "mjenv.engine.model.identities",
    "id2name": "mjenv.engine.model.identities",
    "MjcfError": "mjenv.engine.errors",
    "ModelFileError": "mjenv.engine.errors",
    "SimulationWarning": "mjenv.engine.errors",
    "UnsupportedFeature": "mjenv.engine.errors",
    "print_model": "mjenv.engine.data.printing",
    "print_data": "mjenv.engine.data.printing",
    "print_schema": "mjenv.engine.mjcf.text.print_schema",
    "Task": "mjenv.task",
    "Uniform": "mjenv.randomization.distributions",
    "LogUniform": "mjenv.randomization.distributions",
    "Normal": "mjenv.randomization.distributions",
    "Every": "mjenv.randomization.distributions",
    "Push": "mjenv.randomization.events",
    "Kick": "mjenv.randomization.events",
    "Channel": "mjenv.randomization.channels",
    "check_task": "mjenv.check_task",
    "Outcome": "mjenv.task",
    "Env": "mjenv.env",
    "VectorEnv": "mjenv.vector",
    "Renderer": "mjenv.render",
    "mjv_alignToCamera": "mjenv.render.visual.cameras",
    "mjv_averageCamera": "mjenv.render.visual.cameras",
    "mjv_cameraFrame": "mjenv.render.visual.cameras",
    "mjv_cameraFrustum": "mjenv.render.visual.cameras",
    "mjv_cameraInModel": "mjenv.render.visual.cameras",
    "mjv_cameraInRoom": "mjenv.render.visual.cameras",
    "mjv_frustumHeight": "mjenv.render.visual.cameras",
    "mjv_model2room": "mjenv.render.visual.cameras",
    "mjv_moveCamera": "mjenv.render.visual.cameras",
    "mjv_room2model": "mjenv.render.visual.cameras",
    "mjv_updateCamera": "mjenv.render.visual.cameras",
    "mjv_makeLights": "mjenv.render.visual.lights",
    "MjvScene": "mjenv.render.visual.scene",
    "MjvCamera": "mjenv.render.visual.settings",
    "MjvGLCamera": "mjenv.render.visual.settings",
    "MjvGeom": "mjenv.render.visual.settings",
    "MjvLight": "mjenv.render.visual.settings",
    "MjvOption": "mjenv.render.visual.settings",
    "MjvPerturb": "mjenv.render.visual.settings",
    "mjv_defaultCamera": "mjenv.render.visual.settings",
    "mjv_defaultFreeCamera": "mjenv.render.visual.settings",
    "mjv_defaultOption": "mjenv.render.visual.settings",
    "mjv_defaultPerturb": "mjenv.render.visual.settings",
    "mjv_connector": "mjenv.render.visual.shapes",
    "mjv_initGeom": "mjenv.render.visual.shapes",
    "mjv_updateSkin": "mjenv.render.visual.skins",
    "mjv_addGeoms": "mjenv.render.visual.update",
    "mjv_updateScene": "mjenv.render.visual.update",
    "WorldView": "mjenv.world_view",
}

# modules of functions
_MODULES = ("mju", "functions")

__all__ = [
    "Channel",
    "Data",
    "Env",
    "Every",
    "Kick",
    "LogUniform",
    "MjcfError",
    "MjvCamera",
    "MjvGLCamera",
    "MjvGeom",
    "MjvLight",
    "MjvOption",
    "MjvPerturb",
    "MjvScene",
    "Model",
    "ModelFileError",
    "Normal",
    "Outcome",
    "Push",
    "Renderer",
    "SimulationWarning",
    "Spec",
    "State",
    "Task",
    "Uniform",
    "UnsupportedFeature",
    "VectorEnv",
    "WorldView",
    "angmom_mat",
    "apply_ft",
    "camlight",
    "check_acc",
    "check_pos",
    "check_task",
    "check_vel",
    "collision",
    "com_pos",
    "com_vel",
    "compare_fwd_inv",
    "constraint_update",
    "contact_force",
    "copy_data",
    "copy_state",
    "crb",
    "differentiate_pos",
    "energy_pos",
    "energy_vel",
    "euler",
    "extract_state",
    "factor_m",
    "forward",
    "forward_skip",
    "full_m",
    "functions",
    "fwd_acceleration",
    "fwd_actuation",
    "fwd_constraint",
    "fwd_kinematics",
    "fwd_position",
    "fwd_velocity",
    "geom_distance",
    "get_state",
    "get_totalmass",
    "id2name",
    "implicit",
    "init_ctrl_history",
    "init_sensor_history",
    "integrate_pos",
    "inv_constraint",
    "inv_position",
    "inv_velocity",
    "inverse",
    "inverse_fd",
    "inverse_jacobian",
    "inverse_skip",
    "island",
    "jac",
    "jac_body",
    "jac_body_com",
    "jac_dot",
    "jac_geom",
    "jac_point_axis",
    "jac_site",
    "jac_subtree_com",
    "kernel",
    "kinematics",
    "local_to_global",
    "make_constraint",
    "make_m",
    "mju",
    "mjv_addGeoms",
    "mjv_alignToCamera",
    "mjv_averageCamera",
    "mjv_cameraFrame",
    "mjv_cameraFrustum",
    "mjv_cameraInModel",
    "mjv_cameraInRoom",
    "mjv_connector",
    "mjv_defaultCamera",
    "mjv_defaultFreeCamera",
    "mjv_defaultOption",
    "mjv_defaultPerturb",
    "mjv_frustumHeight",
    "mjv_initGeom",
    "mjv_makeLights",
    "mjv_model2room",
    "mjv_moveCamera",
    "mjv_room2model",
    "mjv_updateCamera",
    "mjv_updateScene",
    "mjv_updateSkin",
    "mul_jac_t_vec",
    "mul_jac_vec",
    "mul_m",
    "mul_m2",
    "multi_ray",
    "name2id",
    "object_acceleration",
    "object_velocity",
    "passive",
    "print_data",
    "print_model",
    "print_schema",
    "profile",
    "project_constraint",
    "ray",
    "ray_hfield",
    "ray_mesh",
    "read_ctrl",
    "read_sensor",
    "reference_constraint",
    "register",
    "reset",
    "rne",
    "rne_post_constraint",
    "rollout",
    "runge_kutta",
    "sensor_acc",
    "sensor_pos",
    "sensor_vel",
    "set_const",
    "set_hook",
    "set_keyframe",
    "set_length_range",
    "set_state",
    "set_totalmass",
    "solve_m",
    "solve_m2",
    "state_size",
    "step",
    "step1",
    "step2",
    "subtree_vel",
    "tendon",
    "transition_fd",
    "transition_jacobian",
    "transmission",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value = version("mjenv")
    elif name in _MODULES:
        value = importlib.import_module(f"mjenv.{name}")
    elif name in _EXPORTS:
        value = getattr(importlib.import_module(_EXPORTS[name]), name)
    elif name.startswith("mjt") and name in _enumerations():
        value = getattr(importlib.import_module("mjenv.engine.enum_tables"), name)
    else:
        known = [*_EXPORTS, *(_enumerations() if name.startswith("mjt") else ())]
        near = get_close_matches(name, known, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        if name[:2].lower() == "mj":
            from mjenv import ported

            hint = ported.hint(name, _EXPORTS) or hint
        raise AttributeError(f"mjenv: no attribute {name!r}{hint}")
    globals()[name] = value
    return value


def _enumerations() -> tuple[str, ...]:
    """Names of MuJoCo's enumerations."""
    from mjenv.engine.enum_tables import NAMES

    return NAMES


def __dir__() -> list[str]:
    return sorted({*globals(), *_EXPORTS, *_MODULES, *_enumerations(), "__version__"})
