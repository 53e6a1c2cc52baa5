"""The context in which geoms of a scene are made: a world, and which of its parts are shown."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .names import VIS
from .settings import MjvOption, MjvPerturb
from .single_world import SingleWorld, label_of, shown_groups, single

if TYPE_CHECKING:
    from .scene import MjvScene


class SceneContext:
    """Inputs of the geoms of a scene.

    Attributes:
        world: the world.
        m, d: fields of its model and data, without a world axis.
        option, pert, catmask: see `mjv_updateScene`.
        flags: those of the option.
        scene: for which they are.
    """

    def __init__(
        self, world: SingleWorld, option: MjvOption, pert: MjvPerturb, catmask: int,
        scene: "MjvScene",
    ):  # fmt: skip
        self.world, self.option, self.pert = world, option, pert
        self.catmask, self.scene, self.flags = catmask, scene, option.flags
        self.m, self.d = world.m, world.d

    def on(self, flag: str) -> bool:
        """True if a flag is on: "JOINT" of mjVIS_JOINT."""
        return bool(self.flags[VIS[f"mjVIS_{flag}"]])

    def seen(self, kind: str, category: np.ndarray | None = None) -> np.ndarray:
        """Numbers of the things of a kind whose groups, and categories, are shown."""
        shown = self.groups(kind)
        if category is not None:
            shown = shown & (category & self.catmask != 0)
        return np.flatnonzero(shown)

    def groups(self, kind: str) -> np.ndarray:
        """Return the mask of things of a kind in groups that are shown."""
        field = {"joint": "jnt"}.get(kind, kind)
        return shown_groups(getattr(self.m, f"{field}_group"), getattr(self.option, f"{kind}group"))

    def labels(self, objtype: int, ids: Any) -> list[bytes]:
        """Names of things, or their kinds and numbers, as labels hold them."""
        return [label_of(self.world.model, objtype, k).encode()[:99] for k in ids]

    def colour(self, name: str) -> np.ndarray:
        """A colour (4,) of `vis.rgba`."""
        return getattr(self.m.vis.rgba, name)

    @cached_property
    def meansize(self) -> float:
        """The mean size of the model's bodies (m)."""
        return single(self.m.stat.meansize)

    def length(self, name: str, times: float = 1.0) -> float:
        """A length of `vis.scale` (m), a multiple of the mean size of what is drawn."""
        return single(self.meansize * single(getattr(self.m.vis.scale, name)) * times)

    @cached_property
    def per_newton(self) -> float:
        """Length of the arrow of a force of 1 N, m; infinite in models without a mass."""
        mass = self.m.stat.meanmass
        return single(self.m.vis.map.force) / mass if mass else np.inf

    def selected_point(self) -> np.ndarray:
        """The selected point (3,) in the world, m."""
        body, d = self.pert.select, self.d
        return np.reshape(d.xmat[body], (3, 3)) @ self.pert.localpos + d.xpos[body]

    @cached_property
    def far(self) -> float:
        """Distance of the far plane, m."""
        return single(self.m.vis.map.zfar) * self.m.stat.extent
