"""Functions of settings: defaults of structures, versions, callbacks, what MuJoCo caches."""

from typing import Any

from mjenv.engine.errors import UnsupportedFeature
from mjenv.engine.mjcf.assets.kept import Limit, forget, shrink, size_of_kept
from mjenv.mujoco import callbacks
from mjenv.mujoco.api import facts
from mjenv.mujoco.structs import MjLROpt, MjModel, MjOption, MjVisual

_VERSION = int(facts()["constants"]["mjVERSION_HEADER"])


_CACHE = Limit


def mj_version() -> int:
    """Version of MuJoCo whose interface this is, as a number."""
    return _VERSION


def mj_versionString() -> str:
    """Version of MuJoCo whose interface this is."""
    return facts()["version"]


def mj_defaultOption(opt: MjOption) -> None:
    """Give options their defaults."""
    vars(opt).update(vars(MjOption()))


def mj_defaultVisual(vis: MjVisual) -> None:
    """Give settings of the picture their defaults."""
    fresh = MjModel.from_xml_string("<mujoco/>").vis
    for name, group in vars(fresh).items():
        vars(vars(vis)[name]).update(vars(group))


def mj_defaultLROpt(opt: MjLROpt) -> None:
    """Give options of length ranges their defaults."""
    opt.mode, opt.useexisting, opt.uselimit = 1, 1, 0
    opt.accel, opt.maxforce, opt.timeconst, opt.timestep = 20.0, 0.0, 1.0, 0.01
    opt.inttotal, opt.interval, opt.tolrange = 10.0, 2.0, 0.05


def mj_defaultSolRefImp(solref: float, solimp: float) -> None:
    """Nothing that a program could see: the bindings pass copies of numbers, to be written into.

    The defaults are solref = (0.02, 1) and solimp = (0.9, 0.95, 0.001, 0.5, 2).
    """


def mj_resetCallbacks() -> None:
    """Forget all callbacks."""
    callbacks.reset()


def mj_getCache() -> Any:
    """A stand-in for the cache of assets."""
    return _CACHE


def mj_getCacheSize(cache: Any) -> int:
    """Bytes in the cache of assets."""
    return size_of_kept()


def mj_getCacheCapacity(cache: Any) -> int:
    """Bytes that the cache of assets may hold."""
    return cache.capacity


def mj_setCacheCapacity(cache: Any, size: int) -> int:
    """Set how many bytes the cache of assets may hold; those used longest ago go."""
    cache.capacity = size
    shrink()
    return size


def mj_clearCache(cache: Any) -> None:
    """Empty the cache of assets."""
    forget()


def mj_loadPluginLibrary(path: str) -> None:
    """Load plugins in machine code, which is not possible."""
    raise UnsupportedFeature(
        f"mj_loadPluginLibrary: {path}: plugins in machine code are not loaded; expected "
        "mjenv.register_plugin, and MuJoCo's own plugins, which are built in"
    )


def mj_loadAllPluginLibraries(directory: str) -> None:
    """Load plugins of a folder, which must have none in machine code."""
    from pathlib import Path

    found = [p for p in sorted(Path(directory).glob("*")) if p.suffix in (".so", ".dll", ".dylib")]
    if found:
        mj_loadPluginLibrary(str(found[0]))
