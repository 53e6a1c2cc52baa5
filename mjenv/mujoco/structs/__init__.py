"""`MjModel`, `MjData` and the structures of the bindings that are no parts of `MjSpec`."""

from mjenv.mujoco.structs import named as _named
from mjenv.mujoco.structs.contacts import MjContact as MjContact
from mjenv.mujoco.structs.contacts import _MjContactList as _MjContactList
from mjenv.mujoco.structs.data import MjData as MjData
from mjenv.mujoco.structs.model import MjModel as MjModel
from mjenv.mujoco.structs.options import MjOption as MjOption
from mjenv.mujoco.structs.options import MjStatistic as MjStatistic
from mjenv.mujoco.structs.options import MjVisual as MjVisual
from mjenv.mujoco.structs.options import MjVisualHeadlight as MjVisualHeadlight
from mjenv.mujoco.structs.options import MjVisualRgba as MjVisualRgba
from mjenv.mujoco.structs.statistics_of_steps import MjLROpt as MjLROpt
from mjenv.mujoco.structs.statistics_of_steps import MjrRect as MjrRect
from mjenv.mujoco.structs.statistics_of_steps import MjSolverStat as MjSolverStat
from mjenv.mujoco.structs.statistics_of_steps import MjTimerStat as MjTimerStat
from mjenv.mujoco.structs.statistics_of_steps import MjWarningStat as MjWarningStat
from mjenv.mujoco.structs.statistics_of_steps import _MjSolverStatList as _MjSolverStatList
from mjenv.mujoco.structs.statistics_of_steps import _MjTimerStatList as _MjTimerStatList
from mjenv.mujoco.structs.statistics_of_steps import _MjWarningStatList as _MjWarningStatList
from mjenv.mujoco.structs.vfs import MjVfs as MjVfs
from mjenv.mujoco.structs.visual import MjvCamera as MjvCamera
from mjenv.mujoco.structs.visual import MjvFigure as MjvFigure
from mjenv.mujoco.structs.visual import MjvGeom as MjvGeom
from mjenv.mujoco.structs.visual import MjvGLCamera as MjvGLCamera
from mjenv.mujoco.structs.visual import MjvLight as MjvLight
from mjenv.mujoco.structs.visual import MjvOption as MjvOption
from mjenv.mujoco.structs.visual import MjvPerturb as MjvPerturb
from mjenv.mujoco.structs.visual import MjvScene as MjvScene

globals().update(_named.CLASSES)
