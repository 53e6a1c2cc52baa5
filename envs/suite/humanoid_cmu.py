"""Humanoid CMU: a body of 56 joints, those of a motion capture library, stands, walks or runs."""

from mjenv.envs.suite import humanoid


class Stand(humanoid.Stand):
    """Stand still, upright."""

    xml_file = "suite/humanoid_CMU.xml"
    frame_skip = 10

    _trunk, _up = "thorax", 7
    _limbs = ("lhand", "lfoot", "rhand", "rfoot")


class Walk(Stand):
    """Walk upright at 1 m/s, in any direction."""

    speed = 1.0


class Run(Stand):
    """Run upright at 10 m/s, in any direction."""

    speed = 10.0
