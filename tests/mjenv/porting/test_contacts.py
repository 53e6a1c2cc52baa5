"""Steps that look at contacts: the same numbers as Python's loops over what a world has."""

from functools import cache, cached_property
from types import MethodType

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from mjenv.porting.vector import PortedVectorEnv
from tests.mjenv.porting.environments import environment, plain

BALLS = """
<mujoco><option timestep="0.005"/><worldbody>
  <geom name="floor" type="plane" size="5 5 .1"/>
  <body name="box" pos="0 0 .12"><freejoint/>
    <geom name="box" type="box" size=".2 .1 .1" condim="4"/></body>
  <body name="ball" pos=".05 0 .3"><freejoint/><geom name="ball" size=".1" condim="1"/></body>
  <body name="rod" pos="0 0 .6"><freejoint/>
    <geom name="rod" type="capsule" size=".05 .3"/></body>
  <body name="cart" pos="0 1 .1"><joint name="x" type="slide" axis="0 1 0"/>
    <geom type="sphere" size=".05"/></body>
</worldbody><actuator><motor joint="x" gear="3"/></actuator></mujoco>
"""


def falls(self):
    quat = self.np_random.normal(size=4)
    self.data.qpos[17:21] = quat / np.linalg.norm(quat)
    self.data.qvel[:] = self.np_random.uniform(-1, 1, self.model.nv)


def begins(self, action):
    self.data.ctrl[:] = action
    self.physics(4)


def touching(self, one, other):
    # as Meta-World does
    geoms = [self.model.geom(name).id for name in (one, other)]
    found = [
        x for x in self.data.contact
        if geoms[0] in (x.geom1, x.geom2) and geoms[1] in (x.geom1, x.geom2)
    ]  # fmt: skip
    return sum(self.data.efc_force[x.efc_address] for x in found)


def sums_of_rows(self, action):
    begins(self, action)
    forces = [touching(self, "box", other) for other in ("floor", "ball", "rod")]
    return plain(self, action, 1.0 + forces[0] + 2 * forces[1] if forces[0] > 0 else forces[2])


def loop_with_numbers(self, action):
    begins(self, action)
    total, deepest, first, names = 0.0, 1.0, -1, []
    box, wrench = self.model.geom("box").id, np.zeros(6)
    for i in range(self.data.ncon):
        contact = self.data.contact[i]
        if contact.geom1 != box and contact.geom2 != box:
            continue
        self.lib.mj_contactForce(self.model, self.data, i, wrench)
        total += wrench[0] + 0.5 * wrench[1] + 0.1 * wrench[3]
        names.append(contact.dist)
        if contact.dist < deepest:
            deepest, first = contact.dist, i
        if contact.pos[2] > 0.15:
            total += i
            break
    total += len(names) + 10 * sum(names) + first
    return plain(self, action, total + deepest + self.data.ncon, bool(len(names) > 40))


def what_is_hit(self, geom):
    for contact in self.data.contact:
        if geom in contact.geom and contact.dist < 0.0:
            return contact.dist * contact.frame[2]
    return 7.0


def loop_that_returns(self, action):
    begins(self, action)
    hits = [what_is_hit(self, self.model.geom(name).id) for name in ("ball", "rod")]
    some = any(x.dist < -0.001 for x in self.data.contact)
    deep = max((-x.dist for x in self.data.contact if x.efc_address >= 0), default=0.0)
    return plain(self, action, hits[0] + hits[1] + some + deep, bool(some and deep > 1))


def tangential(self, action):
    begins(self, action)
    rows = np.zeros(4)
    for k, contact in enumerate(self.data.contact[: self.data.ncon]):
        if contact.dim == 4 and k < 3 and self.model.geom("floor").id in {*contact.geom}:
            rows += self.data.efc_force[contact.efc_address : contact.efc_address + 4]
    return plain(self, action, rows[0] - rows[1] + rows[3])


def observed(self):
    return self.data.qpos[:2] + self.data.qvel[:2]


STEPS = [sums_of_rows, loop_with_numbers, loop_that_returns, tangential]
CONES = ("pyramidal", "elliptic")
# each step with one cone and then the other, so that half of them have every step and both cones
CASES = [(step, CONES[(k + j) % 2]) for k, step in enumerate(STEPS) for j in range(2)]


@pytest.mark.sweep(4)
@pytest.mark.parametrize(("step", "cone"), CASES)
def test_contacts_are_those_of_the_environment(step, cone):
    made = environment(step, falls, BALLS.replace("<option", f'<option cone="{cone}"'), observed)
    found = check(made, nseed=3, nstep=40, way="traced")
    assert not found.first
    assert found.largest == 0.0
    assert "contact" in str(report(made))


def test_no_lists_of_contacts_are_made_for_steps_that_read_contacts():
    made = environment(sums_of_rows, falls, BALLS, observed)
    envs = PortedVectorEnv(made, 2, way="traced")
    assert "contact" in envs._worlds.program.fields
    assert not [name for name in envs.data.kept if name.startswith(("contact", "ncon"))]


def few_draws_and_then_contacts(self, action):
    """Random numbers of some worlds between the physics and what looks at contacts."""
    begins(self, action)
    self.count += 1
    if self.count % 3 == 0:
        self.goal[:] = self.np_random.uniform(-1, 1, 2)
    if np.abs(self.data.qvel[0]) > 0.5:
        self.data.qvel[0:2] += self.np_random.uniform(-0.1, 0.1, size=2)
    deepest, wrench = 0.0, np.zeros(6)
    for i in range(self.data.ncon):
        self.lib.mj_contactForce(self.model, self.data, i, wrench)
        if np.linalg.norm(wrench[:3]) > 0.1:
            deepest = min(deepest, self.data.contact[i].dist)
    return plain(self, action, deepest + self.goal[0] + self.data.ncon)


def test_contacts_behind_random_numbers():
    make = environment(few_draws_and_then_contacts, falls, BALLS, observed)
    found = check(make, nseed=3, nstep=40, way="traced")
    assert not found.first
    assert found.largest == 0.0


def count_of_pushes(self):
    total, wrench = 0, np.zeros(6)
    for i in range(self.data.ncon):
        self.lib.mj_contactForce(self.model, self.data, i, wrench)
        if np.linalg.norm(wrench[:3]) > 0.1:
            total += 1
    return total


def lowest(self):
    found = 0.0
    for contact in self.data.contact:
        if contact.dist < found:
            found = contact.dist
    return found


def registers(self):
    falls(self)
    # as many tasks keep their rewards: methods that are known by name once only
    if not hasattr(self, "terms"):
        self.terms = {one.__name__: MethodType(one, self) for one in (count_of_pushes, lowest)}
    self.sums = dict.fromkeys(self.terms, 0.0)


def asks_registered_methods(self, action):
    begins(self, action)
    self.count += 1
    reward, info = 0.0, {}
    for name, function in self.terms.items():
        value = function() * 0.5
        reward += value
        self.sums[name] += value
    if self.count % 5 == 0 or reward > 3:
        info["episode"] = {"sum_" + name: value for name, value in self.sums.items()}
    if self.np_random.random() < 0.2:
        info["drawn"] = {"height": self.data.qpos[2]}
    return plain(self, action, reward, False, info)


def test_methods_that_an_environment_keeps_in_dicts():
    make = environment(asks_registered_methods, registers, BALLS, observed)
    assert "infos left out" not in str(report(make))
    found = check(make, nseed=3, nstep=40, way="traced")
    assert not found.first
    assert found.largest == 0.0


def with_kept_results(step):
    """An environment whose class keeps results: a property, and a method of whole numbers."""

    def make():
        made = environment(step, falls, BALLS, observed)()

        class Keeping(type(made)):
            box = cached_property(lambda self: self.model.geom("box").id)

            @cache  # noqa: B019  as environments do
            def worth(self, kind):
                return (0.0, 1.5, 4.0)[kind]

        made.__class__ = Keeping
        Keeping.__dict__["box"].__set_name__(Keeping, "box")
        return made

    return make


def asks_kept_results(self, action):
    begins(self, action)
    touched = any(x.geom1 == self.box or x.geom2 == self.box for x in self.data.contact)
    self.count = 2 if touched else int(self.data.qpos[2] > 0.1)
    return plain(self, action, self.worth(self.count) + self.data.ncon)


def test_results_that_classes_keep():
    """The first contact of all asks for the property."""
    found = check(with_kept_results(asks_kept_results), nseed=3, nstep=40, way="traced")
    assert not found.first
    assert found.largest == 0.0


def looks_before(self, action):
    near = self.data.ncon > 0
    begins(self, action)
    return plain(self, action, near)


def changes_itself(self, action):
    begins(self, action)
    for contact in self.data.contact:
        if contact.dist < 0:
            self.count += 1
    return plain(self, action, self.count)


def asks_for_friction(self, action):
    begins(self, action)
    return plain(self, action, sum(x.friction[0] for x in self.data.contact))


def takes_the_first(self, action):
    begins(self, action)
    return plain(self, action, self.data.contact[0].dist if self.data.ncon else 0.0)


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (looks_before, "before the step's first call"),
        (changes_itself, "changes the environment"),
        (asks_for_friction, ".friction of a contact"),
        (takes_the_first, "expected a loop"),
    ],
)
def test_what_is_not_traced_is_said(step, words):
    found = report(environment(step, falls, BALLS, observed))
    assert found.way == "world by world"
    assert words in found.reason
