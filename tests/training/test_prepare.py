"""`mjenv prepare` compiles what training, evaluation and films of a task need, and counts it."""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("stable_baselines3")

BALANCE = """
<mujoco>
  <worldbody>
    <light pos="0 -2 3" dir="0 2 -3"/>
    <geom type="plane" size="3 3 .1" pos="0 0 -.5"/>
    <body>
      <joint name="slide" type="slide" axis="1 0 0" range="-2 2" damping="1"/>
      <geom type="box" size=".2 .1 .1" mass="1"/>
      <body><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 .8" size=".04"/></body>
    </body>
  </worldbody>
  <actuator><motor joint="slide" gear="20" ctrlrange="-1 1"/></actuator>
  <sensor><jointpos joint="slide"/><jointvel joint="slide"/></sensor>
</mujoco>
"""
TASK = """
import mjenv

class Balance(mjenv.Task):
    xml_file = "./balance.xml"
    state = {"command": 0.0}

    def reset(self, rng):
        return {"qpos": rng.uniform(-0.05, 0.05, self.model.nq), "command": rng.normal(0.0, 1.0)}

    def outcome(self, data, action, before):
        x = data.qpos[..., 0]
        return mjenv.Outcome({"middle": -x * x}, terminated=x > 0.04)

mjenv.register("Balance-v0", Balance, max_episode_steps=20)
"""
# runs a command, and writes down which object code it has read from the cache
FOLLOWED = """
import json, sys
from mjenv.engine.simd import kernel, shared_code

names, read = set(), kernel.read
kernel.read = shared_code.read = lambda path: names.add(path.name) or read(path)
from mjenv.commands.cli import main

main(json.loads(sys.argv[1]))
json.dump(sorted(names), open(sys.argv[2], "w"))
"""


@pytest.mark.slow
def test_training_evaluation_and_film_need_nothing_else(tmp_path):
    (tmp_path / "balance.xml").write_text(BALANCE)
    (tmp_path / "own.py").write_text(TASK)
    small = ["--steps", "1024", "--set", "n_envs:16", "--seconds", "1", "--size", "64x48"]
    read = {}
    for command in (
        ["prepare", "own:Balance-v0"],
        ["train", "own:Balance-v0", *small, "--run", "runs/own"],
        ["train", "own:Balance-v0", *small, "--run", "runs/sac", "--algorithm", "SAC"],
        ["eval", "runs/own", "--episodes", "20"],
        ["record", "runs/own", "--size", "64x48", "--seconds", "1", "--output", "own.mp4"],
    ):
        words = [sys.executable, "-c", FOLLOWED, json.dumps(command), str(tmp_path / "names")]
        result = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=400)
        assert result.returncode == 0, result.stderr
        read[tuple(command)] = {*json.loads((tmp_path / "names").read_text())}
    prepared, *others = read.values()
    assert len(prepared) > 20
    # where nothing is compiled yet, as many stages are missing
    words = [sys.executable, "-m", "mjenv", "prepare", "--missing", "own:Balance-v0"]
    empty = os.environ | {"MJENV_CACHE_DIR": str(tmp_path / "empty")}
    result = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, timeout=400, env=empty
    )
    # but for those of steps that repeat a real one, of several environments and of one
    repeated = {name for name in prepared if name.startswith(("begin_single-", "step_single-"))}
    assert len(repeated) == 2
    assert int(result.stdout) == len(prepared - repeated), result.stderr
    assert not [*(tmp_path / "empty").glob("*.o")]
    for command, names in zip([*read][1:], others, strict=True):
        assert not names - prepared, command


def command(*words, cache):
    line = [sys.executable, "-m", "mjenv", "prepare", *words]
    return subprocess.run(
        line,
        capture_output=True,
        text=True,
        timeout=400,
        env=os.environ | {"MJENV_CACHE_DIR": cache},
    )


@pytest.mark.slow
def test_stages_are_counted_before_they_are_compiled(tmp_path):
    """Nothing is compiled for it; a task that cannot be made says why."""
    cache = str(tmp_path / "cache")
    result = command("--missing", "InvertedPendulum-v5", cache=cache)
    assert 30 < int(result.stdout) < 100, result.stderr
    both = command("--missing", "InvertedPendulum-v5", "Reacher-v5", cache=cache)
    assert int(result.stdout) < int(both.stdout) < 2 * int(result.stdout)
    assert not [*(tmp_path / "cache").rglob("*.o")]


def test_kernels_that_do_nothing(tmp_path):
    words = "import sys, mjenv\nfrom mjenv.engine.simd.idle import idle, is_idle\n"
    words += "model = mjenv.Model.from_xml_string(sys.stdin.read())\nwith idle() as missing:\n"
    words += "    data = mjenv.Data(model, 9)\n    data.qvel[:] = 1\n    mjenv.step(model, data)\n"
    words += "assert not is_idle()\nprint(len(missing), data.qpos.any())"
    empty = os.environ | {"MJENV_CACHE_DIR": str(tmp_path)}
    line = [sys.executable, "-c", words]
    done = subprocess.run(
        line, input=BALANCE, capture_output=True, text=True, env=empty, check=True
    )
    count, moved = done.stdout.split()
    assert int(count) > 10
    assert moved == "False"
