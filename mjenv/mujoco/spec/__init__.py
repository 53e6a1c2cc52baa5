"""`MjSpec` and its elements."""

from functools import reduce
from operator import or_

from mjenv.mujoco.spec.classes import CLASSES
from mjenv.mujoco.spec.defaults import MjsDefault as MjsDefault
from mjenv.mujoco.spec.elements import MjsCompiler as MjsCompiler
from mjenv.mujoco.spec.elements import MjsElement as MjsElement
from mjenv.mujoco.spec.elements import MjsOrientation as MjsOrientation
from mjenv.mujoco.spec.lists import MjByteVec as MjByteVec
from mjenv.mujoco.spec.lists import MjCharVec as MjCharVec
from mjenv.mujoco.spec.lists import MjDoubleVec as MjDoubleVec
from mjenv.mujoco.spec.lists import MjFloatVec as MjFloatVec
from mjenv.mujoco.spec.lists import MjIntVec as MjIntVec
from mjenv.mujoco.spec.lists import MjStringVec as MjStringVec
from mjenv.mujoco.spec.parts import MjsActuator as MjsActuator
from mjenv.mujoco.spec.parts import MjsCamera as MjsCamera
from mjenv.mujoco.spec.parts import MjsEquality as MjsEquality
from mjenv.mujoco.spec.parts import MjsExclude as MjsExclude
from mjenv.mujoco.spec.parts import MjsFlex as MjsFlex
from mjenv.mujoco.spec.parts import MjsGeom as MjsGeom
from mjenv.mujoco.spec.parts import MjsHField as MjsHField
from mjenv.mujoco.spec.parts import MjsJoint as MjsJoint
from mjenv.mujoco.spec.parts import MjsKey as MjsKey
from mjenv.mujoco.spec.parts import MjsLight as MjsLight
from mjenv.mujoco.spec.parts import MjsMaterial as MjsMaterial
from mjenv.mujoco.spec.parts import MjsMesh as MjsMesh
from mjenv.mujoco.spec.parts import MjsNumeric as MjsNumeric
from mjenv.mujoco.spec.parts import MjsPair as MjsPair
from mjenv.mujoco.spec.parts import MjsSensor as MjsSensor
from mjenv.mujoco.spec.parts import MjsSite as MjsSite
from mjenv.mujoco.spec.parts import MjsSkin as MjsSkin
from mjenv.mujoco.spec.parts import MjsTendon as MjsTendon
from mjenv.mujoco.spec.parts import MjsText as MjsText
from mjenv.mujoco.spec.parts import MjsTexture as MjsTexture
from mjenv.mujoco.spec.parts import MjsTuple as MjsTuple
from mjenv.mujoco.spec.plugins import MjsPlugin as MjsPlugin
from mjenv.mujoco.spec.settings import MjOption as MjOption
from mjenv.mujoco.spec.settings import MjStatistic as MjStatistic
from mjenv.mujoco.spec.settings import MjVisual as MjVisual
from mjenv.mujoco.spec.settings import MjVisualHeadlight as MjVisualHeadlight
from mjenv.mujoco.spec.settings import MjVisualRgba as MjVisualRgba
from mjenv.mujoco.spec.spec import MjSpec as MjSpec
from mjenv.mujoco.spec.spec import from_zip as from_zip
from mjenv.mujoco.spec.tendons import MjsTendonPath as MjsTendonPath
from mjenv.mujoco.spec.tendons import MjsWrap as MjsWrap
from mjenv.mujoco.spec.tree import MjsBody as MjsBody
from mjenv.mujoco.spec.tree import MjsFrame as MjsFrame
from mjenv.mujoco.spec.zips import to_zip as to_zip

MjStruct = reduce(or_, CLASSES.values())
