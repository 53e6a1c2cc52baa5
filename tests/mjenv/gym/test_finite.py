"""Rewards and observations that are not finite, and worlds that diverge."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import mjenv
from mjenv import NonFiniteError

pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.filterwarnings("ignore::mjenv.engine.errors.SimulationWarning"),
]
CART = """
<mujoco>
  <option timestep="0.01"/>
  <worldbody>
    <body><joint name="slide" type="slide" axis="1 0 0"/><geom size=".2"/></body>
  </worldbody>
  <actuator><motor joint="slide" ctrlrange="-1 1"/></actuator>
</mujoco>
"""


@pytest.fixture(autouse=True)
def models(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cart.xml").write_text(CART)


class Cart(mjenv.Task):
    """A cart whose reward has a term that is no number beyond 0.3."""

    xml_file = "./cart.xml"
    worst = 0.0  # what is observed beyond it is not finite
    state = {"steps": 0}

    def reset(self, rng):
        return np.full(1, 0.1), self.init_qvel

    def observation(self, data):
        wrong = np.where(data.qpos[..., :1] < self.worst, 1.0, 0.0)
        return {"qvel": data.qvel, "place": np.concatenate([data.qpos, 1.0 - 1.0 / wrong], -1)}

    def outcome(self, data, action, before):
        x = data.qpos[..., 0]
        return mjenv.Outcome({"still": -np.square(data.qvel[..., 0]), "near": np.sqrt(0.3 - x)})

    def update(self, data, action, before):
        return {"steps": data.state.steps + 1}

    def info(self, data):
        return {"x": data.qpos[..., 0]}


class Right(Cart):
    """The same with finite numbers."""

    worst = 1e9

    def outcome(self, data, action, before):
        x = data.qpos[..., 0]
        return mjenv.Outcome(
            {"still": -np.square(data.qvel[..., 0]), "far": 1.0 + x}, info={"y": x}
        )


def made(num_envs, task, **arguments):
    """An environment that has been reset, and a step of it without action."""
    if num_envs is None:
        env, action = mjenv.Env(task=task, **arguments), np.zeros(1)
    else:
        env, action = mjenv.VectorEnv(task=task, num_envs=num_envs, **arguments), None
        action = np.zeros((num_envs, 1))
    env.reset(seed=0)
    return env, lambda: env.step(action)


@pytest.mark.parametrize("compiled", [None, False])
@pytest.mark.parametrize("nstep", [0, 4])
def test_rewards_name_term_and_world(compiled, nstep):
    for num_envs, world in ((None, 0), (5, 3)):
        env, step = made(num_envs, Cart, compiled=compiled, worst=1e9)
        for _ in range(nstep):
            step()
        env.data.qpos[... if num_envs is None else 3] = 0.4
        message = rf"^step: Cart.outcome: reward term 'near' of environment {world} is nan, exp"
        with pytest.raises(NonFiniteError, match=message):
            step()
    env.data.qpos[3] = 0.1
    step()
    env.data.qpos[3] = 0.4
    with pytest.raises(NonFiniteError, match="environment 3 "):
        env.step_some(np.zeros((2, 1)), [4, 3])


def test_rewards_may_be_left_alone():
    for num_envs in (None, 3):
        env, step = made(num_envs, Cart, check_finite=False)
        env.data.qpos[:] = 0.4
        assert np.isnan(step()[1]).all()


@pytest.mark.parametrize("compiled", [None, False])
def test_observations_name_part_and_world(compiled):
    for num_envs, world in ((None, 0), (5, 0)):
        message = rf"reset: Cart.observation: number 1 of 'place' of environment {world} is -inf"
        with pytest.raises(NonFiniteError, match=message):
            made(num_envs, Cart, check_finite=True, compiled=compiled)
        env, step = made(num_envs, Cart, check_finite=True, compiled=compiled, worst=0.2)
        for _ in range(3):
            step()
        env.data.qpos[-1] = 0.25
        world = 0 if num_envs is None else 4
        with pytest.raises(NonFiniteError, match=rf"step: .* of 'place' of environment {world} is"):
            step()
        env, step = made(num_envs, Cart, compiled=compiled)
        assert np.isinf(step()[0]).any()


def test_first_observations_of_new_episodes_are_looked_at():
    arguments = {"max_episode_steps": 2, "autoreset_mode": "SameStep", "check_finite": True}
    envs, step = made(3, Cart, worst=0.3, **arguments)
    step()
    envs.task.init_qpos[:] = 0.0
    envs.task.reset = lambda rng: (np.full(1, 0.29), np.zeros(1))
    envs.task.worst = 0.2
    envs.data.qpos[:] = 0.1
    with pytest.raises(NonFiniteError, match=r"reset: Cart.observation: number 1 of 'place'"):
        step()


def test_check_task_names_them():
    class Far(Cart):
        worst = 1e9

        def reset(self, rng):
            return np.full(1, 0.4), self.init_qvel

    with pytest.raises(NonFiniteError, match=r"Far.outcome: reward term 'near' of environment 0"):
        mjenv.check_task(Far)
    with pytest.raises(NonFiniteError, match=r"Cart.observation: number 1 of 'place'"):
        mjenv.check_task(Cart)


def test_sums_that_are_not_finite_though_terms_are():
    class Large(Cart):
        worst = 1e9

        def outcome(self, data, action, before):
            large = 1.5e308 + 0.0 * data.qpos[..., 0]
            return mjenv.Outcome({"one": large, "other": large})

    for num_envs in (None, 3):
        _, step = made(num_envs, Large)
        with pytest.raises(NonFiniteError, match="reward of environment 0 is inf, though its term"):
            step()


# worlds that diverge


@pytest.mark.parametrize("compiled", [None, False])
@pytest.mark.parametrize("nstep", [0, 4])
def test_a_step_that_diverges_ends_the_episode(compiled, nstep):
    for num_envs in (None, 5):
        env, step = made(num_envs, Right, compiled=compiled)
        for _ in range(nstep):
            step()
        env.data.qvel[-1] = 1e30
        _, reward, terminated, truncated, info = step()
        here = [False] * 4 + [True]
        if num_envs is None:
            assert (reward, terminated, truncated) == (0.0, True, False)
            assert info["diverged"] is True
            assert info["still"] == info["far"] == 0.0
        else:
            assert terminated.tolist() == info["diverged"].tolist() == here
            assert reward[4] == info["still"][4] == info["far"][4] == 0.0
            assert (reward[:4] > 1.0).all()
            assert (info["far"][:4] > 1.0).all()
            assert not truncated.any()


@pytest.mark.parametrize("compiled", [None, False])
def test_some_of_the_worlds_diverge(compiled):
    envs, step = made(5, Right, compiled=compiled, episode_statistics=True)
    step()
    envs.data.qvel[3] = 1e30
    _, reward, terminated, _, infos = envs.step_some(np.zeros((2, 1)), [4, 3])
    assert terminated.tolist() == [False, True]
    assert reward[1] == 0.0 < reward[0]
    assert infos["far"][1] == 0.0 < infos["far"][0]
    # its return has the steps before
    assert infos["episode"]["r"].tolist() == [0.0, pytest.approx(1.1)]
    assert infos["episode"]["l"].tolist() == [0, 2]


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("compiled", [None, False])
def test_autoreset(mode, compiled):
    """In each mode, the world's next episode begins as after any other end."""
    envs, step = made(3, Right, compiled=compiled, autoreset_mode=mode)
    step()
    envs.data.qvel[1] = 1e30
    observations, rewards, terminated, _, infos = step()
    assert terminated.tolist() == [False, True, False]
    assert rewards[1] == 0.0
    if mode is AutoresetMode.SAME_STEP:
        assert observations[1, 1] == 0.1
        assert infos["final_obs"][1][1] == 0.0
        assert infos["final_info"]["far"].tolist() == [0.0] * 3
        assert infos["final_info"]["diverged"].tolist() == terminated.tolist()
        assert infos["far"][1] == 0.0 < infos["far"][0]
    if mode is AutoresetMode.DISABLED:
        with pytest.raises(gymnasium.error.ResetNeeded, match=r"1 environments have ended \(1\)"):
            step()
        envs.reset(options={"reset_mask": terminated})
    observations, rewards, terminated, _, infos = step()
    assert not terminated.any()
    assert "diverged" not in infos
    started = mode is AutoresetMode.NEXT_STEP
    assert observations[1, 1] == 0.1
    assert (rewards[1] == 0.0) == started


def test_episodes_may_go_on():
    """As in Gymnasium's environments: from the model's initial state, in the same episode."""
    for num_envs in (None, 3):
        env, step = made(num_envs, Right, terminate_when_diverged=False)
        step()
        env.data.qvel[-1] = 1e30
        _, reward, terminated, _, info = step()
        assert np.all(info["diverged"]) == (num_envs is None)
        assert not np.any(terminated)
        assert np.all(reward > 0.5)
    env = gymnasium.make("mjenv/HalfCheetah-v5", terminate_when_diverged=False)
    assert env.unwrapped.task.terminate_when_diverged is False
    with pytest.raises(TypeError, match="terminate_when_diverged='no', expected one of"):
        mjenv.Env(task=Right, terminate_when_diverged="no")
    with pytest.raises(AttributeError, match="terminate_when_diverged: found an assignment, but"):
        env.unwrapped.task.terminate_when_diverged = True
