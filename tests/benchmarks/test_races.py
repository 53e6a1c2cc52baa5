"""Races of learners: evaluations on the way, their files, and the table of them."""

import json

import gymnasium
import numpy as np
import pytest

from benchmarks import races

pytest.importorskip("mujoco")


@pytest.mark.slow
def test_a_training_is_evaluated_on_the_way_and_at_its_end(tmp_path, capsys, monkeypatch):
    folder = tmp_path / "InvertedPendulum-v5"
    words = ["races", "run", "mjenv-PPO", str(folder), "--env", folder.name, "--minutes", "0.1"]
    monkeypatch.setattr("sys.argv", words)
    races.main()
    ((name, (rows,)),) = races.read(folder).items()
    seconds, steps, returns = rows.T
    assert name == "mjenv-PPO"
    assert seconds[0] >= races.FIRST
    assert (np.diff(seconds) > 0).all()
    assert (np.diff(steps) >= 0).all()
    assert returns[-1] > 100.0  # steps before the pole falls: 5 at random
    assert f"{returns[-1]:9,.1f}" in capsys.readouterr().out


def test_the_table_has_the_first_time_past_a_number(tmp_path, capsys, monkeypatch):
    folder, kept = tmp_path / "Task-v0", tmp_path / "races.json"
    folder.mkdir()
    (folder / "one-PPO-0.csv").write_text("seconds,steps,return\n2,100,5\n3,200,15\n4,300,12\n")
    (folder / "one-PPO-1.csv").write_text("seconds,steps,return\n2,100,5\n4,300,8\n")
    monkeypatch.setattr("sys.argv", ["races", "table", str(folder), "10", "--output", str(kept)])
    races.main()
    assert "| one-PPO | 3, - | 0.00 M | 4 | 12, 8 | 10 (8 to 12) |" in capsys.readouterr().out
    assert json.loads(kept.read_text())["Task-v0"]["one-PPO"][1] == [[2, 4], [100, 300], [5, 8]]


def test_the_time_of_a_training_ends():
    judge = races.Judge("InvertedPendulum-v5", minutes=-1.0)
    judge._next = 0.0
    with pytest.raises(races.Finished):
        judge.look(0, lambda observations: np.zeros((len(observations), 1), np.float32))
    assert len(judge.rows) == 1


@pytest.mark.slow
def test_agents_of_other_worlds_are_judged_in_those_of_gymnasium():
    """Worlds that pay nothing: the pendulum of Gymnasium pays 1 for each step."""

    class Unpaid(gymnasium.vector.VectorWrapper):
        def step(self, actions):
            seen, rewards, *rest = self.env.step(actions)
            return seen, 0.0 * rewards, *rest

    def worlds(env_id, num_envs, seed):
        mode = gymnasium.vector.AutoresetMode.SAME_STEP
        return Unpaid(gymnasium.make_vec(f"mjenv/{env_id}", num_envs, autoreset_mode=mode))

    rows = races.single_file(worlds, steps=1_000_000)("InvertedPendulum-v5", 0, 0.0)
    assert len(rows) == 1
    assert rows[0][2] > 1.0
