"""Robots of Unitree: their models, of simple shapes or with mjlab's meshes, and what they sense."""

from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mjenv import terms
from mjenv.system.packages import missing
from mjenv.task.task import Fields, Task

if TYPE_CHECKING:
    from mjenv.engine.edit.spec import Spec

# attributes of geoms that say what they collide with, and how
CONTACT = ("contype", "conaffinity", "condim", "priority", "friction")


def mjlab_file(name: str) -> Path:
    """A robot's MJCF file in the package mjlab, which is found but not imported.

    Args:
        name: such as "go1".

    Raises:
        MissingPackageError: mjlab is not installed.
        FileNotFoundError: it is, and has no such file.
    """
    found = find_spec("mjlab")
    if found is None or not found.submodule_search_locations:
        raise missing("mjlab", 'robot="mjlab" (its models with meshes)')
    folder = Path(next(iter(found.submodule_search_locations)))
    path = folder / "asset_zoo" / "robots" / f"unitree_{name}" / "xmls" / f"{name}.xml"
    if not path.is_file():
        raise FileNotFoundError(
            f'robot="mjlab": no file {path}, expected that of mjlab 1.6; install this version, or '
            'use robot="simple"'
        )
    return path


class Unitree(Task):
    """A robot with a free trunk, whose servos move all of its joints.

    A task's model is `xml/robots/NAME.xml`, which attaches the robot `NAME_robot.xml`. Sensors
    `FOOT_ground`, `FOOT_pos` and `FOOT_vel` are those of its feet.
    """

    robot = "simple"  # "simple" for our shapes, "mjlab" for the meshes of this package

    # name, trunk, a geom of the trunk and one of a foot, and names of the feet
    _name: str
    _trunk: str
    _shapes: tuple[str, str]
    _feet: tuple[str, ...]

    def _document(self) -> "Spec":
        from mjenv.engine.edit.spec import Spec

        if self.robot == "simple":
            return super()._document()
        if self.robot != "mjlab":
            raise ValueError(
                f"{type(self).__name__}: robot={self.robot!r}, expected 'simple' or 'mjlab'"
            )
        # the same scene, with the other file for the robot
        path, own = mjlab_file(self._name), f"{self._name}_robot.xml"
        text = self.path.read_text().replace(f'file="{own}"', f'file="{path.name}"')
        spec = Spec.from_string(text, folder=path.parent)
        self._carry_over(spec, Spec.from_file(self.path.parent / own))
        return spec

    def _carry_over(self, spec: "Spec", own: "Spec") -> None:
        """Give mjlab's robot the motors and contacts of ours, which its file leaves to programs."""
        for joint in own.body(self._trunk).walk("joint"):
            spec.joint(joint.name).armature = joint.armature
        trunk, foot = (own.geom(name) for name in self._shapes)
        for geom in spec.body(self._trunk).walk("geom"):
            if not geom.name:
                continue  # a mesh that is only seen
            like = foot if "_foot" in geom.name else trunk
            for attribute in CONTACT:
                setattr(geom, attribute, getattr(like, attribute))

    def build(self, spec: "Spec"):
        pass

    @cached_property
    def home(self):
        """The pose to stand in, (nq,): where actions are 0."""
        return np.array(self.model.key_qpos[0])

    @cached_property
    def soft_limits(self):
        """Ranges of the joints (2, nu), but for a twentieth at both ends."""
        low, high = self.model.jnt_range[1:].T
        middle, half = (low + high) / 2, (high - low) / 2
        return np.stack([middle - 0.9 * half, middle + 0.9 * half])

    def of_feet(self, data: Fields, what: str):
        """Readings of the sensors `FOOT_what`, (..., nfoot, size)."""
        return np.stack([data.sensor(f"{foot}_{what}").data for foot in self._feet], axis=-2)

    def velocity(self, data: Fields):
        """Velocity of the trunk in its own frame (m/s), (..., 3)."""
        return terms.rotate_back(data.qpos[..., 3:7], data.qvel[..., :3])
