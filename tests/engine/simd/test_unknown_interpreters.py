"""Interpreters whose objects the machine code does not know: the same calls, written in Python."""

import subprocess
import sys

from mjenv.engine.simd import object_code

# one function more than there is, as in Python 3.10, which lacks one of them
LACKING = """
import gc
import numpy as np
from mjenv.engine.simd import object_code
object_code.FUNCTIONS += ("PyObject_ThatNobodyHas",)
assert not object_code.is_known()
import gymnasium
import mjenv
import mjenv.mujoco as mujoco
XML = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
model = mujoco.MjModel.from_xml_string(XML)
data = mujoco.MjData(model)
for _ in range(4):
    mujoco.mj_resetData(model, data)
    data.qpos[0] = 0.1
    mujoco.mj_forward(model, data)
    gc.collect()
    for _ in range(3):
        mujoco.mj_step(model, data)
print(round(data.qpos[2], 9))
product = np.zeros(4)
mujoco.mju_mulQuat(product, np.array([0.0, 1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0, 0.0]))
print(product.tolist())
env = gymnasium.make("mjenv/InvertedPendulum-v5")
env.reset(seed=0)
print(sum(env.step(np.zeros(1, np.float32))[1] for _ in range(3)))
"""


def test_an_interpreter_that_lacks_a_function_runs_all_the_same():
    made = subprocess.run([sys.executable, "-c", LACKING], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    assert made.stdout.splitlines() == ["-0.00023544", "[0.0, 0.0, 0.0, 1.0]", "3"]


def test_this_interpreter_is_asked_for_its_functions(monkeypatch):
    look = object_code.is_known.__wrapped__
    known = look()
    monkeypatch.setattr(object_code, "FUNCTIONS", (*object_code.FUNCTIONS, "PyObject_ThatNobody"))
    assert not look()
    monkeypatch.undo()
    assert look() == known
