"""Pictures: `MjrContext`, and what the functions `mjr_` and `mjv_` do."""

from mjenv.mujoco.pictures.context import MjrContext as MjrContext
