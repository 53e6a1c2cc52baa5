"""Random programs that edit a spec, the same in MuJoCo and here, step by step."""
# ruff: noqa: E501 (rows of tables)

import random
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .documents import DOCUMENTS
from .test_edits import ARM

# without what MuJoCo loses: instances that a body has for itself, when it is copied, and what a
# sensor without an object is called, when it is attached
LOST = re.compile(
    r"<plugin plugin=.mujoco.elasticity.cable.>.*?</plugin>|<user dim=.*?/>", re.DOTALL
)
TEXTS = {
    "arm": ARM,
    **{name: LOST.sub("", DOCUMENTS[name]) for name in ("tree", "references", "replicated")},
}
INSIDE = ("body", "geom", "joint", "site", "camera", "light", "frame")
OUTSIDE = ("pair", "exclude", "equality", "tendon", "actuator", "sensor", "numeric", "text",
           "tuple", "key")  # fmt: skip
LISTS = {"body": "bodies", "equality": "equalities", "tendon": "tendons", "mesh": "meshes"}
CLASSED = ("geom", "joint", "site", "camera", "light", "pair", "equality", "actuator", "body")


class Step(NamedTuple):
    """One step: what it says, and what it does to a spec, whose successor it returns."""

    text: str
    run: Callable[[Any, Any], Any]


def listed(spec: Any, kind: str) -> list[Any]:
    """All elements of a kind."""
    return list(getattr(spec, LISTS.get(kind, f"{kind}s")))


def one(spec: Any, kind: str, place: int) -> Any:
    """An element of a kind by its place, or None where there is none."""
    found = listed(spec, kind)
    return found[place % len(found)] if found else None


class Program:
    """Draws steps.

    Attributes:
        r: the random numbers.
        made: number of the next name.
    """

    def __init__(self, seed: int):
        self.r = random.Random(seed)
        self.made = 0

    def steps(self, count: int, safe: bool = False) -> list[Step]:
        """Some steps; safe: without those after which MuJoCo may read what it has freed."""
        makers = [row for row in MAKERS if not (safe and row[0] in UNSAFE)]
        rows = self.r.choices(makers, [weight for _, weight in makers], k=count)
        return [make(self) for make, _ in rows]

    def start(self) -> str:
        """The text that it begins with."""
        return self.r.choice([*TEXTS.values(), "<mujoco/>"])

    # what steps are made of

    def place(self) -> int:
        return self.r.randrange(1 << 20)

    def numbers(self, count: int, low: float = -1, high: float = 1) -> list[float]:
        return [round(self.r.uniform(low, high), 3) for _ in range(count)]

    def name(self, free: bool = False) -> str:
        """A new name, none, or seldom one that may be there."""
        self.made += 1
        if free or self.r.random() < 0.9:
            return f"new{self.made}"
        return self.r.choice(["", "", "g", "upper", "a", f"new{self.made - 1}"])


def add_body(p: Program) -> Step:
    place, name, pos, parts = p.place(), p.name(), p.numbers(3), p.r.randrange(8)
    kind, size = p.r.choice(["body", "body", "frame"]), p.numbers(3, 0.05, 0.3)

    def run(module: Any, spec: Any) -> Any:
        parent = one(spec, kind, place)
        if parent is None:
            return spec
        body = parent.add_body(name=name, pos=pos)
        if parts & 1:
            body.add_joint(axis=[0, 1, 0], name=f"{name}j" if name else "")
        if parts & 2:
            body.add_geom(type=module.mjtGeom.mjGEOM_BOX, size=size)
        if parts & 4:
            body.add_site(name=f"{name}s" if name else "", pos=pos)
        body.add_geom(size=size)
        return spec

    return Step(f"add body {name!r} to {kind} {place}", run)


# attributes of elements in the tree
GIVEN = {
    "geom": lambda p: {"size": p.numbers(3, 0.01, 0.3), "rgba": p.numbers(4, 0, 1)},
    "joint": lambda p: {"axis": p.numbers(3, 0.1, 1), "damping": p.numbers(3, 0, 1)},
    "site": lambda p: {"pos": p.numbers(3), "size": p.numbers(3, 0.01, 0.2)},
    "camera": lambda p: {"pos": p.numbers(3), "fovy": p.r.uniform(20, 80)},
    "light": lambda p: {"pos": p.numbers(3), "dir": p.numbers(3, 0.1, 1)},
    "frame": lambda p: {"pos": p.numbers(3), "quat": p.numbers(4, 0.1, 1)},
}


def add_inside(p: Program) -> Step:
    kind = p.r.choice([*GIVEN])
    place, name, given = p.place(), p.name(), GIVEN[kind](p)
    owner, default = p.r.choice(["body", "body", "frame"]), p.r.choice([None, None, "link", "soft"])

    def run(module: Any, spec: Any) -> Any:
        parent = one(spec, owner, place)
        if parent is None:
            return spec
        found = spec.find_default(default) if default and kind != "frame" else None
        args = [found] if found is not None else []
        getattr(parent, f"add_{kind}")(*args, name=name, **given)
        return spec

    return Step(f"add {kind} {name!r} to {owner} {place} {given} {default}", run)


# attributes, and new values for them
VALUES: dict[tuple[str, str], Callable[[Program], Any]] = {
    ("body", "pos"): lambda p: p.numbers(3), ("body", "quat"): lambda p: p.numbers(4, 0.1, 1),
    ("body", "mocap"): lambda p: p.r.randint(0, 1), ("body", "gravcomp"): lambda p: p.r.random(),
    ("geom", "mass"): lambda p: p.r.random(), ("geom", "condim"): lambda p: p.r.choice([1, 3, 4, 6]),
    ("geom", "friction"): lambda p: p.numbers(3, 0, 1), ("geom", "group"): lambda p: p.r.randint(0, 5),
    ("geom", "size"): lambda p: p.numbers(3, 0.01, 0.3), ("geom", "material"): lambda p: p.r.choice(["", "", "m"]),
    ("joint", "range"): lambda p: p.numbers(2), ("joint", "ref"): lambda p: p.r.random(),
    ("joint", "axis"): lambda p: p.numbers(3, 0, 1), ("joint", "stiffness"): lambda p: p.numbers(3, 0, 2),
    ("site", "pos"): lambda p: p.numbers(3), ("camera", "targetbody"): lambda p: p.r.choice(["", "", "upper"]),
    ("frame", "pos"): lambda p: p.numbers(3), ("actuator", "gear"): lambda p: p.numbers(6, 0, 3),
    ("actuator", "ctrlrange"): lambda p: p.numbers(2), ("sensor", "noise"): lambda p: p.r.uniform(0, 1),
    ("key", "qpos"): lambda p: p.numbers(p.r.choice([0, 0, 0, 4])), ("key", "time"): lambda p: p.r.random(),
    ("equality", "active"): lambda p: p.r.randint(0, 1), ("tendon", "stiffness"): lambda p: p.numbers(3, 0, 1),
    ("numeric", "data"): lambda p: p.numbers(3), ("pair", "condim"): lambda p: p.r.choice([1, 3, 4, 6]),
}  # fmt: skip


def set_value(p: Program) -> Step:
    kind, attribute = p.r.choice([*VALUES])
    place, value = p.place(), VALUES[kind, attribute](p)

    def run(module: Any, spec: Any) -> Any:
        element = one(spec, kind, place)
        if element is not None and element.name != "world":
            setattr(element, attribute, value)
        return spec

    return Step(f"{kind} {place}.{attribute} = {value}", run)


def rename(p: Program) -> Step:
    kind, place, name = p.r.choice([*INSIDE, *OUTSIDE]), p.place(), p.name()

    def run(module: Any, spec: Any) -> Any:
        element = one(spec, kind, place)
        if element is not None and element.name != "world":
            element.name = name
        return spec

    return Step(f"{kind} {place}.name = {name!r}", run)


def delete(p: Program) -> Step:
    kind, place = p.r.choice([*INSIDE, *OUTSIDE]), p.place()

    def run(module: Any, spec: Any) -> Any:
        element = one(spec, kind, place)
        if element is not None and element.name != "world":
            spec.delete(element)
        return spec

    return Step(f"delete {kind} {place}", run)


def attach_spec(p: Program) -> Step:
    text, kind = p.r.choice([*TEXTS]), p.r.choice(["frame", "site"])
    prefix, suffix = p.r.choice(["", "p_", "q/"]) + f"{p.made}", p.r.choice([None, "-z"])
    place, by_name = p.place(), p.r.random() < 0.2

    def run(module: Any, spec: Any) -> Any:
        target = one(spec, kind, place)
        if target is None:
            return spec
        child = module.MjSpec.from_string(TEXTS[text])
        given = target.name if by_name and target.name else target
        spec.attach(child, prefix=prefix, suffix=suffix, **{kind: given})
        return spec

    return Step(f"attach {text} to {kind} {place} {prefix!r} {suffix!r}", run)


def attach_part(p: Program) -> Step:
    text, part = p.r.choice(["arm", "tree", "references"]), p.r.choice(["body", "frame"])
    place, which, prefix = p.place(), p.place(), f"k{p.made}_"
    copies = p.r.random() < 0.3
    target = "body" if part == "frame" else p.r.choice(["frame", "site"])

    def run(module: Any, spec: Any) -> Any:
        where = one(spec, target, place)
        other = module.MjSpec.from_string(TEXTS[text])
        if copies:
            spec.copy_during_attach = True
        moved = one(other, part, which)
        if where is None or moved is None or moved.name == "world":
            return spec
        getattr(where, f"attach_{part}")(moved, prefix, "")
        spec.copy_during_attach = False
        return spec

    return Step(f"attach {part} {which} of {text} to {target} {place}", run)


def to_frame(p: Program) -> Step:
    place = p.place()

    def run(module: Any, spec: Any) -> Any:
        body = one(spec, "body", place)
        if body is not None and body.name != "world":
            body.to_frame()
        return spec

    return Step(f"body {place} to frame", run)


def add_class(p: Program) -> Step:
    name, around, values = (
        p.r.choice(["soft", "link", "hard"]),
        p.r.random() < 0.5,
        p.numbers(3, 0, 1),
    )

    def run(module: Any, spec: Any) -> Any:
        parent = spec.find_default("link") if around else spec.default
        made = spec.add_default(name, parent or spec.default)
        if made is not None:
            made.geom.friction = values
            made.joint.armature = values[0]
            made.site.rgba = [*values, 1]
        return spec

    return Step(f"class {name} {around}", run)


def set_class(p: Program) -> Step:
    kind, place, name = p.r.choice(CLASSED), p.place(), p.r.choice(["soft", "link", "main"])

    def run(module: Any, spec: Any) -> Any:
        element, found = one(spec, kind, place), spec.find_default(name)
        if element is not None and found is not None and element.name != "world":
            element.classname = found
        return spec

    return Step(f"{kind} {place} is {name}", run)


def delete_class(p: Program) -> Step:
    name = p.r.choice(["soft", "link", "softer"])

    def run(module: Any, spec: Any) -> Any:
        found = spec.find_default(name)
        if found is not None:
            spec.delete(found)
        return spec

    return Step(f"delete class {name}", run)


def add_outside(p: Program) -> Step:
    kind, name, places = p.r.choice(OUTSIDE), p.name(), [p.place() for _ in range(4)]
    values = p.numbers(4, 0, 2)
    missing, size = p.r.random() < 0.02, p.r.randint(0, 3)

    def run(module: Any, spec: Any) -> Any:
        def named(of: str, k: int) -> str:
            element = one(spec, of, places[k])
            return "none" if missing or element is None or not element.name else element.name

        if kind == "pair":
            spec.add_pair(name=name, geomname1=named("geom", 0), geomname2=named("geom", 1))
        elif kind == "exclude":
            spec.add_exclude(name=name, bodyname1=named("body", 0), bodyname2=named("body", 1))
        elif kind == "equality":
            spec.add_equality(name=name, type=module.mjtEq.mjEQ_CONNECT,
                              objtype=module.mjtObj.mjOBJ_BODY,
                              name1=named("body", 0), name2=named("body", 1))  # fmt: skip
        elif kind == "tendon":
            tendon = spec.add_tendon(name=name)
            for k in range(size):
                tendon.wrap_site(named("site", k))
        elif kind == "actuator":
            made = spec.add_actuator(name=name, target=named("joint", 0),
                                     trntype=module.mjtTrn.mjTRN_JOINT)  # fmt: skip
            made.set_to_position(kp=values[0], kv=values[1])
        elif kind == "sensor":
            spec.add_sensor(name=name, type=module.mjtSensor.mjSENS_FRAMEPOS,
                            objtype=module.mjtObj.mjOBJ_SITE, objname=named("site", 0))  # fmt: skip
        elif kind == "numeric":
            spec.add_numeric(name=name, data=values, size=4)
        elif kind == "text":
            spec.add_text(name=name, data="words")
        elif kind == "tuple":
            spec.add_tuple(name=name, objtype=[int(module.mjtObj.mjOBJ_BODY)],
                           objname=[named("body", 0)], objprm=[1])  # fmt: skip
        else:
            spec.add_key(name=name, time=values[0], ctrl=values[: size if missing else 0])
        return spec

    return Step(f"add {kind} {name!r} {places} {missing}", run)


def set_frame(p: Program) -> Step:
    kind, place, which = (
        p.r.choice(["body", "geom", "site", "joint", "light"]),
        p.place(),
        p.place(),
    )

    def run(module: Any, spec: Any) -> Any:
        element, frame = one(spec, kind, place), one(spec, "frame", which)
        if element is not None and frame is not None and element.name != "world":
            element.set_frame(frame)
        return spec

    return Step(f"{kind} {place} into frame {which}", run)


def compile_it(p: Program) -> Step:
    def run(module: Any, spec: Any) -> Any:
        spec.compile()
        return spec

    return Step("compile", run)


def recompile(p: Program) -> Step:
    seed = p.place()

    def run(module: Any, spec: Any) -> Any:
        model = spec.compile()
        data = module.MjData(model)
        rng = np.random.default_rng(seed)
        data.qpos[:], data.qvel[:] = rng.random(model.nq), rng.random(model.nv)
        spec.worldbody.add_body().add_geom(size=[0.1, 0, 0])
        for body in spec.bodies[1:2]:
            body.add_joint(name=f"late{seed}", axis=[1, 0, 0])
        made, data = spec.recompile(model, data)
        spec.worldbody.add_frame(name=f"state{seed}", pos=[*data.qpos[:1], *data.qvel[:1], made.nq][-3:]
                                 if made.nv else [0, 0, 0])  # fmt: skip
        return spec

    return Step("recompile", run)


def copied(p: Program) -> Step:
    return Step("copy", lambda module, spec: spec.copy())


def written(p: Program) -> Step:
    def run(module: Any, spec: Any) -> Any:
        spec.compile()
        return module.MjSpec.from_string(spec.to_xml())

    return Step("to_xml, from_string", run)


def with_plugin(p: Program) -> Step:
    kind, place, named = "actuator", p.place(), p.r.random() < 0.6
    active = p.r.random() < 0.9

    def run(module: Any, spec: Any) -> Any:
        name = "mujoco.pid" if kind == "actuator" else "mujoco.elasticity.cable"
        if active:
            spec.activate_plugin(name)
        element = one(spec, kind, place)
        if element is None or element.name == "world":
            return spec
        made = spec.add_plugin(name=f"plugin{place}" if named else "", plugin_name=name)
        made.config = {"kp": "2"} if kind == "actuator" else {"twist": "1", "bend": "2"}
        element.plugin = made
        element.plugin.active = True
        return spec

    return Step(f"plugin of {kind} {place}", run)


def keyframe(p: Program) -> Step:
    name, value = p.name(), p.r.random()

    def run(module: Any, spec: Any) -> Any:
        nq = spec.compile().nq
        spec.add_key(name=name, qpos=[value] * nq, time=value)
        return spec

    return Step(f"key {name!r} of the right size", run)


MAKERS: list[tuple[Callable[[Program], Step], float]] = [
    (add_body, 3), (add_inside, 3), (set_value, 3), (rename, 1), (delete, 2), (attach_spec, 2),
    (attach_part, 2), (to_frame, 0.5), (add_class, 1), (set_class, 1), (delete_class, 0.5),
    (add_outside, 3), (set_frame, 1), (compile_it, 1), (recompile, 0.5), (copied, 0.5),
    (written, 0.5), (with_plugin, 0.4), (keyframe, 1),
]  # fmt: skip
UNSAFE = (delete, delete_class, copied, to_frame)
