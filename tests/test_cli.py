"""The command line: its listing and its errors."""

import builtins
import re
import shlex
from pathlib import Path

import pytest

import mjenv
from mjenv.commands.cli import COMMANDS, main, parser
from mjenv.commands.examples import EXAMPLES, TOP
from mjenv.commands.values import ALGORITHMS
from mjenv.gym.registration import ROBOTS, SUITE


def failure(capsys, *argv):
    """What a failing command prints."""
    assert main([*map(str, argv)]) == 1
    return capsys.readouterr().err.strip()


@pytest.mark.parametrize("command", ["train", "record", "view"])
def test_unknown_environment(command, capsys):
    if command == "train":
        pytest.importorskip("stable_baselines3")
    message = failure(capsys, command, "HalfChetah-v5")
    assert message == (
        f"mjenv {command}: HalfChetah-v5: no such environment; did you mean 'HalfCheetah-v5'?"
    )


def test_nothing_like_it(capsys):
    message = "no such environment; `mjenv envs` lists them, and your own are named module:Id"
    assert failure(capsys, "record", "xyz").endswith(message)


def test_no_run(tmp_path, capsys):
    pytest.importorskip("stable_baselines3")
    assert "expected the folder of a run" in failure(capsys, "eval", tmp_path / "nothing")


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["train", "Ant-v5", "--steps", "0"], "found '0', expected a whole number above 0"),
        (["record", "Ant-v5", "--size", "640"], "found '640', expected WIDTHxHEIGHT"),
        (["dance"], "mjenv: error: dance: no such command\n"),
        (["trian", "Ant-v5"], "mjenv: error: trian: no such command; did you mean 'train'?"),
        (["doctor", "--secnds", "3"], "mjenv doctor: error: unrecognized arguments: --secnds 3; "),
        (["doctor", "--secnds", "3"], "; did you mean '--seconds'?"),
        (["doctor", "now"], "mjenv doctor: error: unrecognized arguments: now\n"),
        (["doctor", "now"], "\n`mjenv doctor --help` lists the options\n"),
        (
            ["train", "Ant-v5", "--learning-rate", "1e-3"],
            "--learning-rate 1e-3; it is a setting: --set learning_rate:1e-3\n",
        ),
        (["train", "Ant-v5", "--gamma=0.9"], "; it is a setting: --set gamma:0.9\n"),
        (["train", "Ant-v5", "--algorithm", "POP"], "found 'POP', expected one of PPO, SAC, "),
        (["train", "Ant-v5", "--algorithm", "SB3-TQQ"], "; did you mean 'SB3-TQC'?"),
        ([], "mjenv train --help  "),
    ],
)
def test_wrong_arguments(argv, expected, capsys):
    with pytest.raises(SystemExit) as error:
        main(argv)
    assert error.value.code == 2
    assert expected in capsys.readouterr().err


def test_missing_package_names_the_extra(monkeypatch, capsys):
    """Training without the packages that it needs says what to install."""
    real = builtins.__import__

    def without_training(name, *rest):
        if name.startswith(("mjenv.training", "torch", "stable_baselines3")):
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_training)
    message = failure(capsys, "train", "HalfCheetah-v5")
    assert "torch: not installed" in message
    assert "pip install 'mjenv[train]'" in message


def test_envs(capsys):
    assert main(["envs"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (cheetah,) = [line.split() for line in lines if line.startswith("HalfCheetah-v5")]
    assert cheetah[1:4] == ["17", "6", "1000"]
    assert sum(line.count("-v0") for line in lines) == len(SUITE) + len(ROBOTS)
    (robot,) = [line.split() for line in lines if line.startswith("QuadrupedJoystick-v0")]
    assert robot[1:] == ["48", "12", "1000"]
    assert "  lqr:          lqr-lqr_2_1-v0 lqr-lqr_6_2-v0" in lines


def test_every_command_has_examples_that_are_read(capsys):
    """Its help ends with them, and with a page that is there."""
    assert [*EXAMPLES] == [command.name for command in COMMANDS]
    top = parser()
    for name, examples in {"": TOP, **EXAMPLES}.items():
        assert (Path(__file__).parents[1] / "docs" / examples.page).exists()
        for typed, what in examples.lines:
            words = shlex.split(typed)
            assert words[:2] == ["mjenv", name or words[1]]
            assert what
            if "--help" not in words:
                top.parse_args(words[1:])
        with pytest.raises(SystemExit) as stop:
            main([*filter(None, [name]), "--help"])
        assert stop.value.code == 0
        shown = capsys.readouterr().out
        assert shown.endswith(f"\n\n{examples.text()}\n")
        assert max(map(len, shown.partition("options:")[2].splitlines())) <= 100


def test_bench_passes_its_arguments_on(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["bench", "--help"])
    assert stop.value.code == 0
    out = capsys.readouterr().out
    assert "--quick" in out
    assert out.startswith("usage: mjenv bench ")


def test_bench_checks_where_results_go_before_it_measures(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["bench", "--output", str(tmp_path / "file" / "results"), "--quick"]) == 2
    assert "--output: " in capsys.readouterr().err


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"mjenv {mjenv.__version__}\n"


MODEL = """
<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 .1"/>
    <body pos="0 0 1"><freejoint/><geom size=".1"/></body>
  </worldbody>
</mujoco>
"""


def test_agents(capsys):
    assert main(["agents"]) == 0
    heads, *rows = capsys.readouterr().out.splitlines()
    assert heads.split() == ["environment", "return", "steps", "minutes", "trained", "with"]
    assert any(row.endswith("mjenv train HalfCheetah-v5") for row in rows)


def test_view_model(tmp_path, capsys):
    """The window opens on a model, time goes on, and it closes."""
    (tmp_path / "ball.xml").write_text(MODEL)
    assert main(["view", str(tmp_path / "ball.xml"), "--frames", "2"]) == 0
    assert "escape: quit" in capsys.readouterr().out


def test_view_environment():
    assert main(["view", "InvertedPendulum-v5", "--frames", "2"]) == 0


def test_view_reports_a_malformed_model(tmp_path, capsys):
    (tmp_path / "bad.xml").write_text("<mujoco><worldbdy/></mujoco>")
    assert "did you mean" in failure(capsys, "view", tmp_path / "bad.xml")
    assert "missing.xml" in failure(capsys, "view", tmp_path / "missing.xml")


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["train", "CartPole-v1"], "CartPole-v1: is no environment of mjenv, expected"),
        (["train", "Ant-v4"], "did you mean 'Ant-v5'?"),
        (["train", "Ant-v5", "--size", "641x480"], "size is 641x480, expected even"),
        (["train", "Ant-v5", "--run", "/dev/null/run"], "/dev/null"),
        (["train", "Ant-v5", "--env-kwargs", "ctrl:1"], "keyword argument 'ctrl'"),
        (["train", "Ant-v5", "--env-kwargs", "nthread:1"], "keyword argument 'nthread'"),
        (["train", "Ant-v5", "--env-kwargs", "camera_id:99"], "camera_id=99, expected"),
        (["train", "Ant-v5", "--env-kwargs", "width:99"], "width is chosen by `mjenv train`"),
        (["train", "Ant-v5", "--hyperparameters", "gama:1"], "did you mean 'gamma'?"),
        (["train", "Ant-v5", "--hyperparameters", "steps:1", "--steps", "2"], "given twice"),
        (["train", "Ant-v5", "--randomization", "{'body_mas': Uniform(1, 2)}"], "'body_mass'?"),
        (["record", "Ant-v5", "--output", "x.txt"], "expected one of .mp4"),
        (["record", "Ant-v5", "--output", "/dev/null/x.mp4"], "/dev/null/x.mp4: file exists"),
        (["record", "Ant-v5", "--checkpoint"], "--checkpoint: Ant-v5 is no folder of a run"),
        (["view", "Ant-v5", "--env-kwargs", "camera_id:1"], "camera_id has no effect"),
        (
            ["view", "x.xml", "--env-kwargs", "frame_skip:1"],
            "found a model file, expected an environment",
        ),
    ],
)
def test_mistakes_leave_nothing_behind(argv, expected, tmp_path, monkeypatch, capsys):
    pytest.importorskip("stable_baselines3")
    monkeypatch.chdir(tmp_path)
    assert expected in failure(capsys, *argv)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["train", "Ant-v5", "--seconds", "-3"], "found '-3', expected a number from 0"),
        (["train", "Ant-v5", "--minutes", "-1"], "found '-1', expected a number above 0"),
        (["train", "Ant-v5", "--minutes", "nan"], "found 'nan', expected a number above 0"),
        (["train", "Ant-v5", "--seed", "-1"], "found '-1', expected a whole number from 0"),
        (["train", "Ant-v5", "--seed", "1e20"], "found '1e20', expected a whole number from 0"),
        (["train", "Ant-v5", "--steps", "1e3.5"], "found '1e3.5', expected a whole number"),
        (["record", "Ant-v5", "--seconds", "0"], "found '0', expected a number above 0"),
        (["eval", "run", "--episodes", "1.5"], "found '1.5', expected a whole number"),
        (["eval", "run", "--checkpoint", "first"], "found 'first', expected 'last', 'best' or"),
        (["view", "Ant-v5", "--frames", "0"], "found '0', expected a whole number"),
    ],
)
def test_options_that_make_no_sense(argv, expected, capsys):
    with pytest.raises(SystemExit) as error:
        main(argv)
    assert error.value.code == 2
    assert expected in capsys.readouterr().err


def test_numbers_may_be_short(monkeypatch):
    arguments = parser().parse_args(["train", "Ant-v5", "--steps", "1e6", "--seed", "1_000"])
    assert (arguments.steps, arguments.seed) == (1_000_000, 1000)


def test_algorithms_in_any_case():
    words = ["train", "Ant-v5", "--algorithm", "fastsac"]
    assert parser().parse_args(words).algorithm == "FastSAC"


def test_environments_with_a_word_in_their_names(capsys):
    assert main(["envs", "Cheetah"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line and not line.startswith("the")] == [
        "environment", "HalfCheetah-v5", "cheetah:",
    ]  # fmt: skip
    assert main(["envs", "lqr_2"]) == 0
    assert capsys.readouterr().out.split("\n")[1:] == ["  lqr:          lqr-lqr_2_1-v0", ""]
    expected = "mjenv envs: hoppre: is in the name of no environment; did you mean 'hopper'?"
    assert failure(capsys, "envs", "hoppre") == expected
    assert "did you mean 'HalfCheetah'?" in failure(capsys, "envs", "halfcheta")


def test_sizes_and_returns_are_exact(capsys):
    for word, columns in {
        "Reacher-v5": ["Reacher-v5", "10", "2", "50", "-3.75"],
        "TwoAnts": ["TwoAnts-v0", "39+39", "16", "500"],
    }.items():
        assert main(["envs", word]) == 0
        assert capsys.readouterr().out.splitlines()[1].split() == columns


def test_what_was_prepared_compiles_nothing(capsys, monkeypatch):
    from mjenv.engine.simd import missing

    assert main(["prepare", "InvertedPendulum-v5"]) == 0
    count, out = capsys.readouterr().out.split("\n", 1)
    assert re.fullmatch(r"mjenv prepare: \d+ stages? to compile", count)
    assert re.fullmatch(r"mjenv/InvertedPendulum-v5: ready, (nothing left|\d+ stages?) .*\n", out)
    monkeypatch.setattr(missing, "compiled", lambda *_: pytest.fail("compiled"))
    assert main(["prepare", "InvertedPendulum-v5"]) == 0
    count, out = capsys.readouterr().out.split("\n", 1)
    assert count == "mjenv prepare: 0 stages to compile"
    assert out == "mjenv/InvertedPendulum-v5: ready, nothing left to compile\n"


def test_prepare_tells_of_code_that_is_not_kept(capsys, monkeypatch):
    from mjenv.engine.simd import cache

    monkeypatch.setattr(cache, "_kept", {Path("some.o"): b"code"})
    assert main(["prepare", "InvertedPendulum-v5", "mjenv/InvertedPendulum-v5"]) == 1
    said = capsys.readouterr()
    ready = [line.partition(": ready")[0] for line in said.out.splitlines()[1:]]
    assert ready == [f"mjenv/InvertedPendulum-v5 ({n} of 2)" for n in (1, 2)]
    assert (
        f"mjenv prepare: {cache.cache_dir()}: 1 stage could not be stored and will be compiled "
        "again; set MJENV_CACHE_DIR to a folder that can be written"
    ) in said.err


def test_prepare_of_what_there_is_not(capsys):
    assert "no such environment" in failure(capsys, "prepare", "HalfChetah-v5")


def test_algorithms_are_those_of_the_settings():
    hyperparameters = pytest.importorskip("mjenv.training.hyperparameters")
    assert set(ALGORITHMS) == set(hyperparameters.ALGORITHMS)
