"""Gradients of PyTorch through steps equal differences of the steps themselves."""

import numpy as np
import pytest

import mjenv
from mjenv.engine.errors import UnsupportedFeature

torch = pytest.importorskip("torch")

from mjenv.autograd import torch_step  # noqa: E402 (behind the check that there is a PyTorch)

MODEL = """<mujoco><option tolerance="0" iterations="200"/><worldbody>
<geom type="plane" size="5 5 1"/>
<body pos="0 0 .095"><freejoint/><geom size=".1" mass="1"/>
 <body pos=".3 0 .3"><joint name="b" type="ball" damping=".1"/>
  <geom type="capsule" size=".04 .1"/>
  <body pos="0 0 .3"><joint name="h" axis="0 1 0" range="-1 1"/>
   <geom type="capsule" size=".03" fromto="0 0 0 .2 0 0"/><site name="s" pos=".2 0 0"/>
  </body></body>
</body></worldbody>
<actuator><motor joint="h"/><position joint="h" kp="3" timeconst=".1"/></actuator>
<sensor><framepos objtype="site" objname="s"/><jointvel joint="h"/></sensor></mujoco>"""
STEPS = 3


@pytest.fixture(scope="module")
def worlds():
    model = mjenv.Model.from_xml_string(MODEL)
    rng = np.random.default_rng(1)
    data = mjenv.Data(model, 2)
    data.qvel[:] = 0.3 * rng.normal(size=data.qvel.shape)
    mjenv.step(model, data, 20)
    state = mjenv.get_state(model, data, mjenv.State.PHYSICS)
    return model, data, state, rng.normal(size=(STEPS, 2, model.nu)), rng


def run(model, data, state, ctrl, weights, **settings):
    """A number that depends on all steps: the last state, and all sensors."""
    total = 0.0
    for row in ctrl:
        state, sensors = torch_step(model, data, state, row, **settings)
        total = total + (sensors * weights[1]).sum()
    return total + (state * weights[0]).sum()


def by_differences(function, array: np.ndarray, chosen, eps: float = 1e-6) -> np.ndarray:
    """Slopes of a function along some elements of an array."""
    found = []
    for place in chosen:
        ends = []
        for sign in (1, -1):
            moved = array.copy()
            moved[place] += sign * eps
            ends.append(float(function(torch.tensor(moved))))
        found.append((ends[0] - ends[1]) / (2 * eps))
    return np.array(found)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("differences", [False, True])
def test_gradients_are_those_of_the_steps(worlds, differences):
    """Of contacts, quaternions, limits, activations and sensors, through several steps."""
    model, data, start, controls, rng = worlds
    weights = [
        torch.tensor(rng.normal(size=n)) for n in (start.shape, (len(start), model.nsensordata))
    ]
    state = torch.tensor(start, requires_grad=True)
    ctrl = torch.tensor(controls, requires_grad=True)
    run(model, data, state, ctrl, weights, differences=differences).backward()
    assert data.ncon.all()

    def normalized(given):
        quats = [slice(3, 7), slice(7, 11)]
        parts = [given[:, :3], *(torch.nn.functional.normalize(given[:, q]) for q in quats)]
        return torch.cat([*parts, given[:, 11:]], axis=1)

    def of_state(given):
        return run(model, data, normalized(given), torch.tensor(controls), weights)

    def of_ctrl(given):
        return run(model, data, torch.tensor(start), given, weights)

    places = [tuple(place) for place in np.argwhere(np.ones(start.shape))]
    expected = by_differences(of_state, start, places)
    scale = np.abs(expected).max()
    assert np.allclose(state.grad.numpy().ravel(), expected, atol=1e-5 * scale)
    places = [tuple(place) for place in np.argwhere(np.ones(controls.shape))]
    expected = by_differences(of_ctrl, controls, places)
    assert np.abs(expected).max() > 0
    assert np.allclose(ctrl.grad.numpy().ravel(), expected, atol=1e-5 * scale)


def test_a_step_is_a_step(worlds):
    """The values are those of `step`, and the data stand behind it; single precision stays."""
    model, data, start, controls, _ = worlds
    mjenv.reset(model, data)
    found, sensors = torch_step(model, data, torch.tensor(start), torch.tensor(controls[0]))
    assert not found.requires_grad
    other = mjenv.Data(model, 2)
    mjenv.set_state(model, other, start, mjenv.State.PHYSICS)
    other.ctrl[:] = controls[0]
    mjenv.step(model, other)
    assert np.array_equal(found, mjenv.get_state(model, other, mjenv.State.PHYSICS))
    assert np.array_equal(found, mjenv.get_state(model, data, mjenv.State.PHYSICS))
    assert np.array_equal(sensors, other.sensordata)
    single = torch_step(model, data, torch.tensor(start).float(), torch.tensor(controls[0]).float())
    assert single[0].dtype == single[1].dtype == torch.float32


def test_refusals(worlds):
    model, data, start, controls, _ = worlds
    state, ctrl = torch.tensor(start, requires_grad=True), torch.tensor(controls[0])
    with pytest.raises(ValueError, match=r"torch_step: ctrl: found shape \(1, 2\), expected"):
        torch_step(model, data, state, ctrl[:1])
    found = torch_step(model, data, state, ctrl)[0].square().sum()
    (first,) = torch.autograd.grad(found, state, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        first.sum().backward()
    boxes = mjenv.Model.from_xml_string(
        "<mujoco><option integrator='RK4'/><worldbody><body><joint/><geom size='.1'/></body>"
        "</worldbody></mujoco>"
    )
    with pytest.raises(UnsupportedFeature, match="RK4"):
        torch_step(
            boxes, mjenv.Data(boxes, 1), torch.zeros(1, 2, requires_grad=True), torch.zeros(1, 0)
        )
