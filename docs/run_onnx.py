"""Plays an episode with an agent of `mjenv export`, in Gymnasium's environment, without mjenv.

python run_onnx.py agent.onnx        (needs onnxruntime and gymnasium[mujoco])
"""

import sys

import gymnasium
import numpy as np
import onnxruntime

session = onnxruntime.InferenceSession(sys.argv[1])
env_id = session.get_modelmeta().custom_metadata_map["env"].removeprefix("mjenv/")
env = gymnasium.make(env_id)
observation, _ = env.reset(seed=0)
total, over = 0.0, False
while not over:
    (actions,) = session.run(None, {"observation": observation[None].astype(np.float32)})
    observation, reward, terminated, truncated, _ = env.step(actions[0])
    total, over = total + reward, terminated or truncated
print(f"{env_id}: return {total:,.0f}")
