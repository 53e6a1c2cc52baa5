"""Sources of the names of the module, which are loaded when they are first used."""

from functools import cache

from mjenv.mujoco.api import facts

# modules of this package, by the module of the reference that defines a class
_CLASSES = {
    "_structs": "mjenv.mujoco.structs",
    "_specs": "mjenv.mujoco.spec",
    "_render": "mjenv.mujoco.pictures",
}
# classes that stand elsewhere than in the reference, and names that are no facts of the bindings
_OTHERS = {
    "FatalError": "mjenv.mujoco.errors",
    "UnexpectedError": "mjenv.mujoco.errors",
    "MjVfs": "mjenv.mujoco.structs",
    "MjVisualHeadlight": "mjenv.mujoco.structs",
    "MjVisualRgba": "mjenv.mujoco.structs",
    "Renderer": "mjenv.mujoco.renderer",
    "GLContext": "mjenv.mujoco.gl_context",
    "MjStruct": "mjenv.mujoco.spec",
    "from_zip": "mjenv.mujoco.spec",
    "to_zip": "mjenv.mujoco.spec",
}
# modules inside the module, by the reference's path
MODULES = {
    "_callbacks": "callbacks",
    "_constants": "constants",
    "_enums": "enumerations",
    "_errors": "errors",
    "_functions": "functions",
    "_render": "pictures",
    "_specs": "spec",
    "_structs": "structs",
    "batch": "batch",
    "cgl": "gl_context",
    "egl": "gl_context",
    "gl_context": "gl_context",
    "glfw": "gl_context",
    "minimize": "minimize",
    "msh2obj": "msh2obj",
    "osmesa": "gl_context",
    "renderer": "renderer",
    "rendering": "rendering",
    "rendering.classic": "rendering",
    "rendering.classic.gl_context": "gl_context",
    "rendering.classic.renderer": "renderer",
    "rollout": "rollout",
    "viewer": "viewer",
}
# modules of packages that make contexts of OpenGL for MuJoCo's pictures -> what makes them here
CONTEXTS = {
    **{
        f"dm_control._render.{name}": "pictures.contexts_of_dm_control"
        for name in ("glfw_renderer", "pyopengl.egl_renderer", "pyopengl.osmesa_renderer")
    },
    **{
        f"robosuite.renderers.context.{name}_context": "pictures.contexts_of_robosuite"
        for name in ("egl", "glfw", "osmesa")
    },
}


@cache
def places() -> dict[str, str]:
    """Public names of the bindings, each with the module that it is loaded from."""
    recorded = facts()
    found = dict.fromkeys(recorded["constants"], "mjenv.mujoco.constants")
    found |= dict.fromkeys(recorded["enumerations"], "mjenv.mujoco.enumerations")
    for name in recorded["functions"]:
        called = name.startswith(("get_mj", "set_mj"))
        found[name] = "mjenv.mujoco.callbacks" if called else "mjenv.mujoco.functions"
    for name, row in recorded["classes"].items():
        if name.startswith("Mj"):
            found[name] = _CLASSES[row["module"]]
    return found | _OTHERS
