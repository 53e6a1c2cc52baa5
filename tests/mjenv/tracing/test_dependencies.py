"""What tasks depend on besides their arguments: parameters that change in place, and no memory."""

import cProfile
import itertools
import sys
from array import array
from collections import UserDict
from functools import cached_property
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import mjenv
from mjenv.task.random_streams import Streams
from mjenv.tracing.arrays import TraceError

XML = """
<mujoco>
  <worldbody>
    <body name="cart">
      <joint name="x" type="slide" axis="1 0 0" damping="1"/><geom size=".1" mass="1"/>
    </body>
  </worldbody>
  <actuator><motor joint="x" ctrlrange="-1 1"/></actuator>
  <sensor><jointpos joint="x"/></sensor>
</mujoco>
"""
TABLE, SCALE = {"weight": 1.0}, 1.0
GENERATOR = np.random.default_rng(0)
COUNT = [0]


# a module of the user's
settings_of_module = ModuleType("settings_of_module")
settings_of_module.weight, settings_of_module.number = {"w": 1.0}, 1.0


class Foreign:
    """An array of another library, whose content only it can reach."""

    __slots__ = ("inner",)

    def __init__(self):
        self.inner = np.array([1.0, 2.0])

    def __array__(self, *_, **__):
        return self.inner


class Gain:
    """An object that a task has, with attributes of all kinds."""

    __slots__ = ("factor", "rest")
    every = 1.0

    def __init__(self):
        self.factor, self.rest = 1.0, SimpleNamespace(x=[1.0])

    def slot(self):
        return self.factor


class Settings:
    """Not a task."""

    weight = 1.0


class Mixin:
    mixed = 1.0


@pytest.fixture(autouse=True)
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cart.xml").write_text(XML)


def test_functions_are_found_without_a_look_at_all_objects(monkeypatch):
    """Also lambdas, which have other names than what they are assigned to."""
    looks = []

    class Named(mjenv.Task):
        xml_file = "./cart.xml"
        outcome = lambda self, data, action, before, k=1.0: mjenv.Outcome(  # noqa: E731
            {"r": k * data.qpos[..., 0]}
        )

    monkeypatch.setattr("gc.get_referrers", lambda code: looks.append(code) or [])
    mjenv.VectorEnv(task=Named, num_envs=2).reset(seed=0)
    assert not looks


def weighted():
    """A task whose reward terms are parameters of all kinds, and how to change each to 3."""
    captured, bound = {"c": 1.0}, 1.0

    class Weighted(Mixin, mjenv.Task):
        xml_file = "./cart.xml"
        weights = {"track": 1.0, "more": {"deep": [0.0, 1.0]}}
        array, number, other = np.array([0.0, 1.0]), 1.0, {"x": 1.0}

        def __init__(self, *values, **parameters):
            super().__init__(*values, **parameters)
            self.gain = Gain()
            self.numbers, self.foreign = array("d", [0.0, 1.0]), Foreign()
            self.entries = UserDict(x=1.0)

        def outcome(self, data, action, before, *, default={"d": 1.0}):  # noqa: B006
            terms = {
                "track": self.weights["track"],
                "deep": self.weights["more"]["deep"][1],
                "array": self.array[1],
                "number": self.number,
                "mixed": self.mixed,
                "by name": getattr(self, "ot" + "her")["x"],
                "gain": self.gain.rest.x[0],
                "slot": self.gain.slot(),
                "class of gain": self.gain.every,
                "table": TABLE["weight"],
                "global": SCALE,
                "settings": Settings.weight,
                "captured": captured["c"],
                "rebound": bound,
                "default": default["d"],
                "module": settings_of_module.weight["w"],
                "rebound in module": settings_of_module.number,
                "numbers": self.numbers[1],
                "foreign": float(np.asarray(self.foreign)[0]),
                "user dict": self.entries["x"],
                "model": self.model.body_mass[1],
                "named": self.model.joint("x").damping[0],
            }
            return mjenv.Outcome({n: v + 0.0 * data.qpos[..., 0] for n, v in terms.items()})

    def rebind(value):
        nonlocal bound
        bound = value

    changes = {
        "track": lambda task: task.weights.update(track=3.0),
        "deep": lambda task: task.weights["more"]["deep"].__setitem__(1, 3.0),
        "array": lambda task: task.array.__setitem__(1, 3.0),
        "number": lambda task: setattr(Weighted, "number", 3.0),
        "mixed": lambda task: setattr(Mixin, "mixed", 3.0),
        "by name": lambda task: task.other.update(x=3.0),
        "gain": lambda task: task.gain.rest.x.__setitem__(0, 3.0),
        "slot": lambda task: setattr(task.gain, "factor", 3.0),
        "class of gain": lambda task: setattr(Gain, "every", 3.0),
        "table": lambda task: TABLE.update(weight=3.0),
        "global": lambda task: globals().update(SCALE=3.0),
        "settings": lambda task: setattr(Settings, "weight", 3.0),
        "captured": lambda task: captured.update(c=3.0),
        "rebound": lambda task: rebind(3.0),
        "default": lambda task: Weighted.outcome.__kwdefaults__["default"].update(d=3.0),
        "module": lambda task: settings_of_module.weight.update(w=3.0),
        "rebound in module": lambda task: setattr(settings_of_module, "number", 3.0),
        "numbers": lambda task: task.numbers.__setitem__(1, 3.0),
        "foreign": lambda task: task.foreign.inner.__setitem__(0, 3.0),
        "user dict": lambda task: task.entries.update(x=3.0),
        "model": lambda task: task.model.body_mass.__setitem__(1, 3.0),
        "named": lambda task: task.model.joint("x").damping.__setitem__(0, 3.0),
    }
    return Weighted, changes


def restore():
    """Put back what does not belong to a task."""
    TABLE.update(weight=1.0)
    globals().update(SCALE=1.0)
    settings_of_module.weight, settings_of_module.number = {"w": 1.0}, 1.0
    Mixin.mixed = Gain.every = Settings.weight = 1.0


def make(kind, num_envs, compiled=None):
    """An environment after its first steps, and what steps it."""
    if num_envs is None:
        env, action = mjenv.Env(task=kind, compiled=compiled), np.full(1, 0.5)
    else:
        env = mjenv.VectorEnv(task=kind, num_envs=num_envs, compiled=compiled)
        action = np.full((num_envs, 1), 0.5)
    env.reset(seed=0)
    for _ in range(3):
        env.step(action)
    return env, lambda: env.step(action)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("num_envs", [None, 3])
@pytest.mark.parametrize("compiled", [True, False])
def test_parameters_that_change_in_place(num_envs, compiled):
    """They count at once, as bytecode and as numpy."""
    kind, changes = weighted()
    try:
        env, step = make(kind, num_envs, compiled)
        for name, change in changes.items():
            assert np.all(step()[4][name] == 1.0), name
            change(env.task)
            for _ in range(3):
                assert np.all(step()[4][name] == 3.0), name
        assert env.compiled is compiled
    finally:
        restore()


def test_equal_numbers_of_other_types():
    """Of numbers that are equal, those of other bits or types count."""
    for compiled in (True, False):

        class Signed(mjenv.Task):
            xml_file, weights = "./cart.xml", {"sign": 0.0}

            def outcome(self, data, action, before):
                zero = 0.0 * np.abs(data.qpos[..., 0])
                return mjenv.Outcome({"sign": self.weights["sign"] * (zero + 1.0)})

        env, step = make(Signed, 3, compiled)
        env.task.weights["sign"] = -0.0
        assert np.signbit(step()[4]["sign"]).all()


def test_properties_follow_parameters():
    """What a cached property has computed from a parameter is computed anew, unless assigned."""

    class Scaled(mjenv.Task):
        xml_file, scale = "./cart.xml", 1.0

        @cached_property
        def doubled(self):
            return {"twice": 2.0 * self.scale}

        def outcome(self, data, action, before):
            return mjenv.Outcome({"twice": self.doubled["twice"] + 0.0 * data.qpos[..., 0]})

    for num_envs, compiled in itertools.product((None, 3), (True, False)):
        env, step = make(Scaled, num_envs, compiled)
        env.task.scale = 3.0
        assert np.all(step()[4]["twice"] == 6.0)
        env.task.doubled = {"twice": 5.0}
        env.task.scale = 4.0
        assert np.all(step()[4]["twice"] == 5.0)


def test_environments_share_nothing_else():
    """What one environment's task is told does not touch another of the same class."""
    kind, _ = weighted()
    (one, step), (_, step_other) = make(kind, 3), make(kind, None)
    one.task.number = 3.0
    assert step()[4]["number"][0] == 3.0
    assert step_other()[4]["number"] == 1.0


def test_what_environments_are_made_with():
    """What is used once, when environments are made, cannot be assigned later."""
    for env in (make(weighted()[0], None)[0], make(weighted()[0], 3)[0]):
        for name in ("xml_file", "keep", "randomization", "default_camera_config", "model"):
            with pytest.raises(AttributeError, match=rf"Weighted.{name}: .*make new ones"):
                setattr(env.task, name, None)


# tasks that have a memory, or write where they should not


class Cart(mjenv.Task):
    """Bring the cart to the origin."""

    xml_file = "./cart.xml"
    keep = ("xpos",)
    seen, number, counts = None, 0, itertools.count()

    def __init__(self, *values, **parameters):
        super().__init__(*values, **parameters)
        self.notes = {"n": 0}

    def outcome(self, data, action, before):
        return mjenv.Outcome({"near": -np.abs(data.qpos[..., 0])})


def outcome_of(before):
    """A method `outcome` that does something else first."""

    def outcome(self, data, action, remembered):
        before(self, data, action, remembered)
        return Cart.outcome(self, data, action, remembered)

    return outcome


def counting(self, data):
    self.number += 1
    return {"number": self.number + 0.0 * data.qpos[..., 0]}


def noting(self, data):
    self.notes["n"] += 1
    return {"number": self.notes["n"] + 0.0 * data.qpos[..., 0]}


def remembering(self, data, action, before):
    last, self.seen = self.seen, action
    return mjenv.Outcome({"change": 0.0 if last is None else (action - last)[..., 0]})


def of_class(self, data, action, before):
    type(self).number += 1


def of_module(self, data, action, before):
    COUNT[0] += 1


def drawing(self, data, action, before):
    return mjenv.Outcome({"random": GENERATOR.uniform() + data.qpos[..., 0]})


def drawing_globally(self, data, action, before):
    return mjenv.Outcome({"random": np.random.uniform() + data.qpos[..., 0]})  # noqa: NPY002


def iterating(self, data, action, before):
    return mjenv.Outcome({"count": next(self.counts) + data.qpos[..., 0]})


def choosing(self, rng):
    self.goal = rng.uniform(size=1)
    return self.init_qpos, self.init_qvel


def keeping(self, rng):
    self.rng = rng
    return self.init_qpos, self.init_qvel


def writing(field, place=lambda x: x):
    def write(self, data, action, before):
        place(getattr(data, field))[...] = 1.0

    return outcome_of(write)


def assigning(self, data, action, before):
    data.userdata = 1.0


MEMORIES = {
    "counter": ({"info": counting}, r"info: found a function that changes self.number"),
    "dict": ({"info": noting}, r"changes self.notes\['n'\]"),
    "action": ({"outcome": remembering}, "outcome: found a function that changes self.seen"),
    "class": ({"outcome": outcome_of(of_class)}, "changes self.number"),
    "module": ({"outcome": outcome_of(of_module)}, r"changes .*COUNT\[0\]"),
    "generator": ({"outcome": drawing}, "found .*GENERATOR, a Generator"),
    "random": ({"outcome": drawing_globally}, "give something else when they are called again"),
    "iterator": ({"outcome": iterating}, "found self.counts, a count"),
    "goal": ({"reset": choosing}, "reset: found a function that changes self.goal"),
    "rng": ({"reset": keeping}, "reset: found a function that changes self.rng"),
    "data": ({"outcome": writing("qpos")}, "Mine.outcome: .*read-only: .*functions that only read"),
    "late": ({"outcome": writing("xpos")}, "Mine.outcome: .*read-only"),
    "named": (
        {"outcome": outcome_of(lambda s, d, a, b: d.joint("x").qpos.fill(1.0))},
        "Mine.outcome: .*read-only",
    ),
    "assigned": ({"outcome": outcome_of(assigning)}, "Mine.outcome: .*assignment to data.userdata"),
    "argument": (
        {"outcome": outcome_of(lambda s, d, a, b: a.fill(1.0))},
        "Mine.outcome: .*read-only",
    ),
    "before": (
        {
            "before": lambda self, data: {"x": data.qpos.copy()},
            "outcome": outcome_of(lambda s, d, a, b: b["x"].fill(1.0)),
        },
        "Mine.outcome: .*read-only",
    ),
}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", MEMORIES)
def test_tasks_without_memory(name):
    """Each is found by the check and in every environment, by name."""
    members, message = MEMORIES[name]
    kind = type("Mine", (Cart,), dict(members))
    with pytest.raises((TypeError, ValueError), match=message):
        mjenv.check_task(kind, steps=2)
    for num_envs, compiled in itertools.product((None, 3), (None, False)):
        with pytest.raises((TypeError, ValueError), match=message):
            make(kind, num_envs, compiled)
    assert (kind.number, COUNT) == (0, [0])


@pytest.mark.slow
def test_what_is_kept_for_later():
    """A number that is looked up once may be kept, also by a property."""

    def body(self, data):
        if self.seen is None:
            self.seen = self.model.body("cart").id
        return {"x": data.xpos[..., self.seen, 0]}

    mjenv.check_task(type("Mine", (Cart,), {"info": body}), steps=2)


@pytest.mark.parametrize("single", [True, False])
def test_random_numbers_after_reset(single):
    """A task that keeps `rng` somewhere cannot draw from it later."""
    rng = Streams([np.random.default_rng(0)], single)
    rng.uniform(size=2)
    rng.close()
    for draw in (rng.uniform, rng.standard_normal, lambda: rng.integers(3)):
        with pytest.raises(RuntimeError, match="rng: found a draw after the method reset"):
            draw()


CLASHES = {
    "info and reward": (
        {"info": lambda self, data: {"near": data.qpos[..., 0]}},
        "'near' is both in the method info and in reward of outcome",
    ),
    "two infos": (
        {
            "info": lambda self, data: {"x": data.qpos[..., 0]},
            "outcome": lambda s, d, a, b: mjenv.Outcome({"r": 1.0}, False, {"x": d.qpos[..., 0]}),
        },
        "'x' is both in the method info and in info of outcome",
    ),
    "reserved": ({"info": lambda s, d: {"final_obs": 1.0}}, "last observations of episodes"),
    "statistics": ({"info": lambda s, d: {"episode": 1.0}}, "statistics of episodes"),
    "drawn": ({"info": lambda s, d: {"randomized_mass": 1.0}}, "what was drawn at random"),
    "mask": ({"info": lambda s, d: {"_near": 1.0}}, "'_near' is the mask of 'near'"),
    "number": ({"info": lambda s, d: {3: 1.0}}, "found the name 3, expected a string"),
}


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", CLASHES)
def test_names_that_clash(name):
    """They are refused when environments are made."""
    members, message = CLASHES[name]
    kind = type("Mine", (Cart,), dict(members))
    with pytest.raises(ValueError, match=message):
        mjenv.Env(task=kind)
    with pytest.raises(ValueError, match=message):
        mjenv.VectorEnv(task=kind, num_envs=2)


@pytest.mark.parametrize("kind", ["C", "Python"])
def test_profilers_go_on(kind):
    """What functions depend on is found with Python's hook of profilers, which others use too."""
    seen = []
    profiler = cProfile.Profile()
    if kind == "C":
        profiler.enable()
    else:
        sys.setprofile(lambda frame, *_: seen.append(frame.f_code.co_name))
    try:
        env = mjenv.Env(task=Cart)
        env.reset(seed=0)
        Streams.__doc__.strip()
        env.step(np.zeros(1, np.float32))
    finally:
        if kind == "C":
            profiler.disable()
            profiler.create_stats()
            seen = [name for _, _, name in profiler.stats]
        sys.setprofile(None)
    assert "step" in seen


def copies(value):
    """Results of a call, copied."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, dict):
        return {name: copies(one) for name, one in value.items()}
    return tuple(map(copies, value)) if isinstance(value, tuple) else value


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("num_envs", [None, 3])
def test_results_belong_to_the_caller(num_envs, compiled):
    """Neither later steps nor what callers do to results and actions changes anything else."""

    class Seen(Cart):
        def observation(self, data):
            return {"qpos": data.qpos}

        def info(self, data):
            return {"x": data.xpos[..., 1, :], "constant": self.model.body_mass[1]}

    (env, _), (twin, _) = make(Seen, num_envs, compiled), make(Seen, num_envs, compiled)
    action = np.full((num_envs or 1, 1)[num_envs is None :], 0.7)
    kept = []
    for _ in range(4):
        results = env.step(action)
        kept.append((results, copies(results)))
    for results, copied in kept:
        np.testing.assert_equal(results, copied)
    assert np.all(action == 0.7)
    for _ in range(4):
        twin.step(action.copy())
    results[0][...] = 5.0
    results[4]["x"][...] = 5.0
    np.testing.assert_equal(env.step(action), twin.step(action))


def test_ignored_actions_leave_no_trace():
    """The step that starts an episode does not see its action, nor does the new episode."""
    declared = {"action": mjenv.Channel(delay=1, history=1)}
    for randomization in (None, declared):
        parameters = {"task": Cart, "randomization": randomization}
        envs = mjenv.VectorEnv(num_envs=2, max_episode_steps=2, **parameters)
        single = mjenv.Env(**parameters)
        envs.reset(seed=0), single.reset(seed=1)
        for _ in range(2):
            envs.step(np.full((2, 1), 0.5)), single.step(np.full(1, 0.5))
        started = envs.step(np.full((2, 1), 0.9))[0]
        np.testing.assert_array_equal(started[1], single.reset()[0])
        assert np.all(envs.data.ctrl == 0.0)
        assert np.all(envs.data.userdata == 0.0)
        later = envs.step(np.full((2, 1), 0.1))[0]
        np.testing.assert_array_equal(later[1], single.step(np.full(1, 0.1))[0])


@pytest.mark.sweep(1)
@pytest.mark.parametrize("num_envs", [None, 3])
def test_functions_of_data(num_envs):
    """What changes nothing may be called in tasks; what advances or sets data may not."""

    def pushing(self, data):
        return {"mass": mjenv.full_m(self.model, data)[..., 0, 0]}

    _, step = make(type("Mine", (Cart,), {"info": pushing, "keep": ("M",)}), num_envs)
    np.testing.assert_allclose(step()[4]["mass"], 1.0)
    moving = type("Mine", (Cart,), {"info": lambda s, d: mjenv.set_state(s.model, d, 0, 1) or {}})
    with pytest.raises(TypeError, match="can only be read"):
        make(moving, num_envs)


class Finder:
    """As an installed package may add one: it looks attributes up by name."""

    def find_spec(self, name, path=None, target=None):
        return getattr(self, "nothing", None)


@pytest.mark.slow
def test_imports_by_tasks_are_none_of_their_parameters(monkeypatch):
    monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])
    monkeypatch.delitem(sys.modules, "mjenv.functions", raising=False)

    def importing(self, data):
        import mjenv.functions

        return {"x": mjenv.functions.sin(data.qpos[..., 0])}

    unused = {"info": importing, "numbers": itertools.count()}
    _, step = make(type("Mine", (Cart,), unused), None)
    step()


@pytest.mark.parametrize("num_envs", [None, 3])
def test_what_is_too_much_to_compare(num_envs):
    """Tasks with long lists stay plain, which says why; arrays that cannot be written are free."""

    class Long(Cart):
        def __init__(self, *values, **parameters):
            super().__init__(*values, **parameters)
            self.table = [1.0] * 5000
            self.fixed = np.zeros(5000)
            self.fixed.flags.writeable = False

        def info(self, data):
            return {"x": self.table[3] + self.fixed[4] + data.qpos[..., 0]}

    env, step = make(Long, num_envs)
    step()
    assert not env.compiled
    assert "self.table, which holds very many values" in env.compile_error
    with pytest.raises(TraceError, match="very many values"):
        make(Long, num_envs, True)
