"""Many simulations of one model: the interface of `mujoco.batch` in mujoco 4.

```python
batch = Batch(model, nsim=1024)
qpos, ctrl = batch.bind("qpos"), batch.bind("ctrl")
for _ in range(1000):
    ctrl[:] = policy(qpos)
    batch.step()
```

Arrays of state and inputs are live both ways; computed fields are refreshed by every call. Fields
of the model that differ between simulations are `expand`ed. Simulations run as worlds of the
engine, eight to a register, and each has the bits of an `MjData` of its own.
"""

from mjenv.mujoco.batch.errors import SimulationError as SimulationError
from mjenv.mujoco.batch.fields import DATA_FIELDS as DATA_FIELDS
from mjenv.mujoco.batch.fields import MODEL_FIELDS as MODEL_FIELDS
from mjenv.mujoco.batch.simulations import Batch as Batch

__all__ = ["DATA_FIELDS", "MODEL_FIELDS", "Batch", "SimulationError"]
