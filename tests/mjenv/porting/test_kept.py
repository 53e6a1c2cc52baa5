"""Followed steps on disk: found again where nothing has changed that they depend on."""

import enum
import sys
import types

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.environment import files
from mjenv.porting.environment.changing import observed
from mjenv.porting.environment.in_place import ours_by_name
from mjenv.porting.environment.original import Original
from mjenv.porting.following import following, kept
from tests.mjenv.porting.environments import XML, environment, plain

HERE = f"{__name__}:made"


def measured(self, action):
    self.data.ctrl[:] = action
    self.physics()
    if self.data.qpos[0] > 0:
        self.count += 1
    if self.data.qpos[0] > 1e9:
        raise ValueError("too far")
    reward = self.count * self.scale + np.linalg.norm(self.data.qpos - self.goal)
    return plain(self, action, reward, info={"name": "cart", "count": self.count})


def made(scale=1.0, mass="1"):
    env = environment(measured, xml=XML.replace('mass="1"', f'mass="{mass}"'))()
    env.scale = scale
    return env


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """A folder of its own, for followed steps alone."""
    monkeypatch.setattr(files, "place_of", lambda name, key: tmp_path / f"{name}-{key}.o")
    return tmp_path


@pytest.fixture
def runs(folder, monkeypatch):
    """How often something has been followed."""
    found = []
    real = following._follow_anew

    def count(original, *seen):
        found.append(original.name)
        return real(original, *seen)

    monkeypatch.setattr(following, "_follow_anew", count)
    return found


class Mode(enum.Enum):
    ONE, OTHER = range(2)


def test_keys_tell_apart_what_users_give():
    given = (1, 1.0, True, "1", Mode.ONE, Mode.OTHER, {1, 2}, {1, 3}, frozenset({1, 2}), np.float32,
             np.float64, [1], (1,), {"a": Mode.ONE}, {"a": Mode.OTHER})  # fmt: skip
    assert len({files.digest_of((), one) for one in given}) == len(given)
    # what a function does, nobody knows
    assert files.digest_of((), {"reward": [np.sin, made]}) is None
    assert files.digest_of((), 1, made) is not None


def test_a_step_is_followed_once(runs):
    for _ in range(2):
        found = check(HERE, nseed=2, nstep=15, way="traced")
        assert not found.first
        assert found.largest < 1e-13
    assert len(runs) == 1


def test_functions_are_followed_each_time(runs):
    for _ in range(2):
        following.follow(Original(made, {}))
    assert len(runs) == 2


def test_a_damaged_file_is_not_used(runs, folder):
    following.follow(Original(HERE, {}))
    (file,) = folder.glob("port-*.o")
    file.write_bytes(file.read_bytes()[:100])
    following.follow(Original(HERE, {}))
    assert len(runs) == 2


def made_with_calls():
    """An environment that calls functions of its model, which keeps them at hand."""
    env = made()
    dense = np.zeros((env.model.nv, env.model.nv))
    for _ in range(5):
        env.lib.mj_fullM(env.model, dense, env.data.qM)
        env.model.body(env.lib.mj_name2id(env.model, env.lib.mjtObj.mjOBJ_BODY, "cart"))
    return env


def key(target=HERE, **kwargs):
    original = Original(target, kwargs)
    with ours_by_name():
        seen = observed(original, ())
    return kept.key_of(original, *seen)


def test_keys_depend_on_numbers_models_and_sources(folder, monkeypatch):
    known = {key(), key(scale=2.0), key(mass="2")}
    assert len(known) == 3
    assert key() in known
    # of packages that are loaded on the way, too
    monkeypatch.setitem(sys.modules, "scipy", types.SimpleNamespace(__version__="of a stand-in"))
    assert key() in known
    monkeypatch.setattr(files, "sources_of", lambda name: "others")
    assert key() not in known


def test_keys_do_not_depend_on_chance():
    """What episodes are seen to change is that of the same actions each time."""
    assert len({key() for _ in range(12)}) == 1


def test_keys_do_not_depend_on_what_models_have_looked_up():
    assert len({key(f"{__name__}:made_with_calls") for _ in range(3)}) == 1


def test_sources_of_a_package_are_read(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    package = tmp_path / "some_package_of_tasks"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "task.py").write_text("LIMIT = 1\n")
    before = files.sources_of(package.name)
    files.sources_of.cache_clear()
    (package / "task.py").write_text("LIMIT = 2\n")
    assert before
    assert files.sources_of(package.name) not in ("", before)
    assert files.sources_of("__main__") == ""
