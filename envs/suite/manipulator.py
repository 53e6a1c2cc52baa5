"""Manipulator: a planar arm brings a ball or a peg to a target."""

from typing import Any

import numpy as np

from mjenv.engine.edit.spec import Spec
from mjenv.envs.suite.planar_arm import PlanarArm
from mjenv.envs.suite.suite_task import Trials, rewarded
from mjenv.rewards import tolerance
from mjenv.task.task import Fields

CLOSE = 0.01  # m
STARTS, CHANCES = ("in_hand", "in_target", "uniform"), (0.1, 0.1, 0.8)
PROPS = ("ball", "target_ball", "cup", "peg", "target_peg", "slot")


class BringBall(PlanarArm):
    """Bring the ball to the target."""

    xml_file = "suite/manipulator.xml"
    thing = "ball"
    # what holds the thing at the target, if anything does
    receptacle = ""

    keep = (*PlanarArm.keep, "site_xmat")
    varies = ("body_pos", "body_quat")
    _shapes = (("arm_pos", (8, 2)),)

    def build(self, spec: Spec):
        for name in {*PROPS} - {self.thing, f"target_{self.thing}", self.receptacle}:
            spec.body(name).remove()

    def begin(self, world: Any, random: np.random.RandomState) -> Trials:
        touching = True
        while touching:
            self.draw_arm(world, random)
            target = self.draw_target(world, random)
            yield from self.draw_thing(world, random, target)
            yield
            touching = world.ncon > 0

    def draw_target(self, world: Any, random: np.random.RandomState) -> tuple[float, float, float]:
        """Place the target, and what is there; returns x, z and angle."""
        x, z = random.uniform(-0.4, 0.4), random.uniform(0.1, 0.4)
        most = np.pi / 3 if self.receptacle else np.pi
        angle = random.uniform(-most, most)
        for name in filter(None, (self.receptacle, f"target_{self.thing}")):
            body = self.body(name)
            world.body_pos[body, ::2] = x, z
            world.body_quat[body, ::2] = np.cos(angle / 2), np.sin(angle / 2)
        return x, z, angle

    def draw_thing(self, world: Any, random: np.random.RandomState, target: tuple) -> Trials:
        """Place the thing: in the hand, at the target, or anywhere, and then thrown."""
        start = random.choice(STARTS, p=CHANCES)
        if start == "in_target":
            x, z, angle = target
        elif start == "in_hand":
            yield
            grasp = self.site("grasp")
            x, z = world.site_xpos[grasp, ::2]
            frame = world.site_xmat[grasp].reshape(3, 3)
            angle = np.pi - np.arctan2(frame[2, 0], frame[0, 0])
        else:
            x, z = random.uniform(-0.5, 0.5), random.uniform(0, 0.7)
            angle = random.uniform(0, 2 * np.pi)
            world.qvel[self.dofadr(f"{self.thing}_x")] = random.uniform(-5, 5)
        world.qpos[self.qposadr(*self.joints())] = x, z, angle

    def observation(self, data: Fields):
        parts = self.arm(data)
        if self.fully_observable:
            parts |= {
                "hand_pos": self.pose(data, "hand"),
                "object_pos": self.pose(data, self.thing),
                "object_vel": self.velocities(data, *self.joints()),
                "target_pos": self.pose(data, f"target_{self.thing}"),
            }
        return parts

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        return rewarded(near=self.near(data, "ball", "target_ball"))

    def joints(self) -> list[str]:
        """Joints of the thing."""
        return [f"{self.thing}_{axis}" for axis in "xzy"]

    def near(self, data: Fields, one: str, other: str):
        """Reward for the nearness of sites, (...)."""
        return tolerance(self.between(data, one, other), (0, CLOSE), CLOSE * 2)


class BringPeg(BringBall):
    """Bring the peg to the target, held by its handle."""

    thing = "peg"

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        grasp = self.near(data, "peg_grasp", "grasp"), self.near(data, "peg_pinch", "pinch")
        bring = self.near(data, "peg", "target_peg"), self.near(data, "target_peg_tip", "peg_tip")
        grasping, bringing = (grasp[0] + grasp[1]) / 2, (bring[0] + bring[1]) / 2
        return rewarded(near=np.maximum(bringing, grasping / 3))


class InsertBall(BringBall):
    """Bring the ball into the cup."""

    receptacle = "cup"


class InsertPeg(BringPeg):
    """Bring the peg into the slot."""

    receptacle = "slot"
