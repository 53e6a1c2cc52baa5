"""Sets and dicts that loops over contacts fill: which things they have differs between worlds."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from tests.mjenv.porting.environments import environment, plain
from tests.mjenv.porting.test_contacts import BALLS, begins, falls, observed

NAMES = ("floor", "box", "ball", "rod")


def geoms(self):
    return [self.model.geom(name).id for name in NAMES]


def sets(self, action):
    begins(self, action)
    floor, box, ball, rod = geoms(self)
    touching, low = set(), set()
    for contact in self.data.contact:
        pair = {contact.geom1, contact.geom2}
        if box in pair:
            touching |= pair & {floor, ball, rod}
        if contact.geom1 == floor:
            low.add(contact.geom2)
    others = {c.geom1 if c.geom2 == box else c.geom2 for c in self.data.contact if box in c.geom}
    pairs = {frozenset((c.geom1, c.geom2)) for c in self.data.contact}
    reward = len(touching) + 0.5 * (touching == others) + 3.0 * (ball in low)
    reward += 5.0 * ({box, ball} <= low) + 0.1 * len(low - others) + 7.0 * low.isdisjoint({rod})
    reward += 11.0 * (frozenset((ball, rod)) in pairs) + 13.0 * (touching > {floor})
    weights = [0.1 * place for place in sorted(low ^ {ball})]
    low.discard(box)
    low.update([rod], (ball,))
    info = {"low": len(low), "some": bool(touching), "most": max(low | others)}
    return plain(self, action, reward + sum(weights), False, info)


def dicts(self, action):
    begins(self, action)
    floor, box, ball, rod = geoms(self)
    names = dict(zip((floor, box, ball, rod), NAMES, strict=True))
    counts, forces, nearest, sides = Counter(), defaultdict(float), {}, defaultdict(list)
    seen, hit, wrench = {}, {}, np.zeros(6)
    for place, contact in enumerate(self.data.contact):
        self.lib.mj_contactForce(self.model, self.data, place, wrench)
        for one in (contact.geom1, contact.geom2):
            counts[one] += 1
            forces[one] += wrench[0]
            nearest[one] = min(nearest.get(one, 1.0), contact.dist)
        sides["low" if contact.geom1 == floor else "high"].append(contact.dist)
        seen.setdefault(contact.geom2, []).append(contact.pos[2])
        hit[names.get(contact.geom2, "cart")] = contact.dist
    last = {c.geom2: c.dist for c in self.data.contact if c.geom1 == floor}
    reward = counts[box] + 0.01 * forces[ball] + nearest.get(rod, 0.5) + 3.0 * len(nearest)
    reward += sum(nearest.values()) + 5.0 * len(sides["low"]) + sum(sides["high"])
    reward += sum(seen[box]) if box in seen else 2.0
    reward += sum(key * value for key, value in last.items()) + min(last.values(), default=1.0)
    last.pop(ball, None)
    info = {"last": len(last), "hit": hit}
    return plain(self, action, reward, bool(not nearest and forces[box] > 1), info)


def visits(self, action):
    self.data.ctrl[:] = action
    self.physics()
    for place, limit in enumerate((-0.02, 0.0, 0.02)):
        if self.data.qpos[0] > limit:
            self.seen.add(place)
    self.word = "left" if self.data.qpos[0] < 0 else "right"
    if np.abs(self.data.qpos[1]) > 0.02:
        self.todo.discard(self.word)
    reward = len(self.seen) + 5.0 * (self.word in self.todo) + 0.5 * (2 in self.seen)
    return plain(self, action, reward, {0, 1, 2} == self.seen)


def terms_of_a_reward(self, action):
    """Names that some worlds have, in the order of the statements, also behind a hundred ways."""
    self.data.ctrl[:] = action
    self.physics()
    terms = {"forward": self.data.qvel[0], "alive": 0.1}
    for k in range(8):
        if self.data.qpos[0] > 0.01 * k:
            terms["alive"] += 0.01
    if self.data.qpos[0] > 0.02:
        terms["far"] = 1.5
    if np.abs(self.data.qpos[1]) > 0.03:
        terms["tilted"] = -self.data.qpos[1]
    elif "far" in terms:
        terms["alive"] = 0.5
    info = {f"reward/{name}": value for name, value in terms.items()}
    info["terms"] = {name: 2 * value for name, value in terms.items()}
    return plain(self, action, float(sum(terms.values())), False, info)


def put_again(self, action):
    """A name that is put there anew stands behind the others."""
    self.data.ctrl[:] = action
    self.physics()
    parts = {"a": 1.0, "b": self.data.qpos[0]}
    parts.pop("a")
    if self.data.qpos[0] > 0:
        parts["c"] = 3.0
    parts["a"] = 2.0
    total = 0.0
    for value in parts.values():
        total = 0.5 * total + value
    return plain(self, action, total)


def begun(self):
    self.seen, self.todo, self.word = set(), {"left", "right"}, "left"


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("step", "reset", "model"),
    [
        (sets, falls, (BALLS, observed)),
        (dicts, falls, (BALLS, observed)),
        (visits, begun, ()),
        (terms_of_a_reward, None, ()),
        (put_again, None, ()),
    ],
)
def test_sets_and_dicts(step, reset, model):
    found = check(environment(step, reset, *model), nseed=3, nstep=40, way="traced")
    assert not found.first
    assert found.largest < 1e-14


def set_of_numbers_in_turn(self, action):
    begins(self, action)
    total = 0.0
    for place in {c.geom1 for c in self.data.contact}:
        total += self.data.geom_xpos[place, 2]
    return plain(self, action, total)


def set_of_values(self, action):
    begins(self, action)
    return plain(self, action, len({c.dist for c in self.data.contact}))


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (set_of_numbers_in_turn, "expected sorted(...) of it"),
        (set_of_values, "expected a word, or a number that is the same in all worlds"),
    ],
)
def test_what_cannot_be_followed_is_refused(step, said):
    assert said in str(report(environment(step, falls, BALLS, observed)))
