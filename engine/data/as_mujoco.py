"""Data of one world that behave as MuJoCo's in what users' programs rely on, see `MujocoData`."""

from .data import Data


class MujocoData(Data):
    """One world, as `mjenv.mujoco` shows it.

    Frames of bodies, geoms and sites that the model notes as the same (`body_sameframe`, ...) are
    the same whatever else is edited.
    """

    _frames_noted = True
