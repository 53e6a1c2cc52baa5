"""References of elements by name: checks that they exist, and new names in another spec."""

from typing import Any

from mjenv.mujoco.spec.names import Names, kind_of
from mjenv.mujoco.words.explain import SpecError

# fields that are renamed with an element; ?: only where it comes to another spec
RENAMED = {
    "geom": ("material?", "hfieldname?", "meshname?"),
    "site": ("material?",),
    "camera": ("targetbody",),
    "light": ("targetbody", "texture"),
    "flex": ("material?",),
    "equality": ("name1", "name2"),
    "actuator": ("target", "refsite", "slidersite"),
}
LISTS = {"skin": ("bodyname",), "material": ("textures",), "flex": ("vertbody", "nodebody")}
LISTS["tuple"] = ("objname",)
LATE = ("pair", "exclude", "tendon", "sensor")  # kinds renamed as far as their ends are there
UNCLASSED = ("exclude", "sensor", "tuple")  # kinds whose class is left alone
UNNAMED = ("skin",)  # kinds that keep their names


def rename(element: Any, prefix: str, suffix: str, moves: bool) -> None:
    """Put a prefix and a suffix around the name of an element and around those it refers to.

    Args:
        element: the element.
        prefix, suffix: what is put around them.
        moves: whether it comes to another spec.
    """
    kind, own = element._kind, element.__dict__

    def around(name: str) -> str:
        return prefix + name + suffix if name else ""

    if kind not in UNNAMED:
        element._rename(prefix, suffix)
    if moves and kind not in UNCLASSED and element._classname not in ("", "main"):
        element._classname = around(element._classname)
    # names that it refers to; some only change where it moves to another spec
    for field in RENAMED.get(kind, ()):
        name = field.removesuffix("?")
        if moves or name == field:
            own[name] = around(own[name])
    for field in LISTS.get(kind, ()):
        keeps = kind == "material"  # empty ones stay empty
        own[field] = [name if keeps and not name else prefix + name + suffix for name in own[field]]
    if "plugin" in own:
        own["plugin"]._rename(prefix, suffix)
    if kind in LATE:
        own["_around"] = (prefix, suffix)


def resolve(element: Any, names: Names) -> None:
    """Refuse an element whose references are not there.

    Raises:
        SpecError: what is missing.
    """
    check = CHECKS.get(element._kind)
    if check is not None:
        check(element, names)


def is_resolved(element: Any, names: Names) -> bool:
    """True if all that an element refers to is there."""
    try:
        resolve(element, names)
    except SpecError:
        return False
    return True


def _two(element: Any, names: Names, fields: tuple[str, str], kinds: tuple[str, str]) -> list[Any]:
    """Find two ends of an element whose names may lack what was put around its own name.

    Returns:
        Both ends, None for what is not there; the element's own names are those found.
    """
    own = element.__dict__
    prefix, suffix = own.get("_around", ("", ""))
    given = [own[field] for field in fields]
    tried = [prefix + name + suffix for name in given]
    ends = [
        names.find(kind, name) if kind else None for kind, name in zip(kinds, tried, strict=True)
    ]
    for k in (0, 1):
        if kinds[k] and kinds[1 - k] and ends[k] is None and ends[1 - k] is not None:
            tried[k] = given[k]
            ends[k] = names.find(kinds[k], given[k])
    element.__dict__["_tried"] = tried
    return ends


def _settle(element: Any, fields: tuple[str, str]) -> None:
    """Keep the names that were found."""
    own = element.__dict__
    for field, name in zip(fields, own.pop("_tried"), strict=True):
        own[field] = name
    own.pop("_around", None)


def _pair(pair: Any, names: Names) -> None:
    fields = ("geomname1", "geomname2")
    ends = _two(pair, names, fields, ("geom", "geom"))
    for end, name in zip(ends, pair.__dict__["_tried"], strict=True):
        if end is None:
            raise SpecError(f"geom '{name}' not found in collision {pair._id}", pair)
    _settle(pair, fields)


def _exclude(exclude: Any, names: Names) -> None:
    fields = ("bodyname1", "bodyname2")
    ends = _two(exclude, names, fields, ("body", "body"))
    for end, name in zip(ends, exclude.__dict__["_tried"], strict=True):
        if end is None:
            raise SpecError(f"body '{name}' not found in bodypair {exclude._id}", exclude)
    _settle(exclude, fields)


def _equality(equality: Any, names: Names) -> None:
    own = equality.__dict__
    # kind of the two things that it ties
    word = own["type"].name.removeprefix("mjEQ_").lower()
    kind = {"joint": "joint", "tendon": "tendon"}.get(word, "flex")
    if word in ("weld", "connect"):
        kind = kind_of(own["objtype"])
        if kind not in ("site", "body"):
            raise SpecError(f"{word} constraint supports only sites and bodies", equality)
    elif word == "distance":
        raise SpecError("invalid type in equality constraint", equality)
    # both have to be there; without a second one it is the world, for bodies
    first = names.find(kind, own["name1"])
    if first is None:
        raise SpecError(f"unknown element '{own['name1']}' in equality constraint", equality)
    second = names.find(kind, own["name2"]) if own["name2"] else None
    if own["name2"] and second is None:
        text = f"unknown element '{own['name2']}' in equality constraint {equality._id}"
        raise SpecError(text, equality)
    if kind == "body" and second is None:
        second = names.find("body", "world")
    if first is second:
        text = f"element '{own['name1']}' is repeated in equality constraint {equality._id}"
        raise SpecError(text, equality)
    # its polynomial is one of scalar positions
    if word == "joint" and any(
        joint is not None and joint.type.name not in ("mjJNT_HINGE", "mjJNT_SLIDE")
        for joint in (first, second)
    ):
        raise SpecError("only HINGE and SLIDE joint allowed in constraint", equality)


def _tendon(tendon: Any, names: Names) -> None:
    own = tendon.__dict__
    prefix, suffix = own.get("_around", ("", ""))
    pulleys = failures = 0
    for wrap in tendon._path:
        given = (wrap._name, wrap._side)
        pulleys += wrap._word == "pulley"
        try:
            wrap._name = prefix + given[0] + suffix
            wrap._side = prefix + given[1] + suffix if given[1] else ""
            _wrap(tendon, wrap, names)
        except SpecError:
            wrap._name, wrap._side = given
            _wrap(tendon, wrap, names)
            failures += 1
    if failures == len(tendon._path) - pulleys:
        text = f"tendon '{tendon._name}' (id = {tendon._id}): no attached reference found"
        raise SpecError(text, tendon)
    own.pop("_around", None)


def _wrap(tendon: Any, wrap: Any, names: Names) -> None:
    word, where = wrap._word, f"in tendon {tendon._id}, wrap {wrap._id}"
    if word == "pulley":
        if wrap._number < 0:
            raise SpecError(f"pulley has negative divisor {where}", wrap)
        return
    kind = {"sphere": "geom", "cylinder": "geom"}.get(word, word)
    if kind not in ("joint", "geom", "site"):
        raise SpecError(f"unknown wrap type {where}", wrap)
    found = names.find(kind, wrap._name)
    if found is None:
        where = f"in wrap {wrap._id}" if kind == "site" else where
        raise SpecError(f"{kind} '{wrap._name}' not found {where}", wrap)
    if wrap._side and names.find("site", wrap._side) is None:
        raise SpecError(f"side site '{wrap._side}' not found {where}", wrap)


def _actuator(actuator: Any, names: Names) -> None:
    own, number = actuator.__dict__, actuator._id
    # kind of what it moves
    word = own["trntype"].name.removeprefix("mjTRN_").lower()
    kinds = {"joint": "joint", "jointinparent": "joint", "tendon": "tendon", "body": "body"}
    kind = kinds.get(word, "site")
    if not own["target"]:
        raise SpecError("missing transmission target for actuator", actuator)
    if word == "undefined":
        raise SpecError("invalid transmission type in actuator", actuator)
    # sites that some transmissions need besides
    if word == "slidercrank":
        base, name = own["slidersite"], actuator._name
        if not base:
            text = f"missing base site for slider-crank '{name}' (id = {number})"
            raise SpecError(text, actuator)
        if names.find("site", base) is None:
            raise SpecError(f"base site '{base}' not found for actuator {number}", actuator)
        if own["cranklength"] <= 0:
            text = f"crank length must be positive in actuator '{name}' (id = {number})"
            raise SpecError(text, actuator)
    reference = own["refsite"]
    if word == "site" and reference and names.find("site", reference) is None:
        text = f"reference site '{reference}' not found for actuator {number}"
        raise SpecError(text, actuator)
    # the reference words this one differently for joints
    if names.find(kind, own["target"]) is None:
        target = own["target"]
        if kind == "joint":
            text = f"unknown transmission target '{target}' for actuator id = {number}"
            raise SpecError(text, actuator)
        raise SpecError(f"transmission target '{target}' not found in actuator {number}", actuator)


FREE = ("e_potential", "e_kinetic", "clock", "plugin", "contact", "user")  # need no object
FRAMES = ("body", "xbody", "geom", "site", "camera")


def _sensor(sensor: Any, names: Names) -> None:
    own = sensor.__dict__
    kinds = (kind_of(own["objtype"]), kind_of(own["reftype"]))
    fields = ("objname", "refname")
    first, second = _two(sensor, names, fields, kinds)
    names_tried = own["_tried"]
    if kinds[0]:
        if not names_tried[0]:
            raise SpecError("missing name of sensorized object in sensor", sensor)
        if first is None:
            text = f"unrecognized name '{names_tried[0]}' of sensorized object"
            raise SpecError(text, sensor)
    elif own["type"].name.removeprefix("mjSENS_").lower() not in FREE:
        raise SpecError("invalid type in sensor", sensor)
    if kinds[1]:
        if not names_tried[1]:
            raise SpecError("missing name of reference frame object in sensor", sensor)
        if second is None:
            raise SpecError(f"unrecognized name '{names_tried[1]}' of object", sensor)
        if kinds[1] not in FRAMES:
            text = "reference frame object must be (x)body, geom, site or camera in sensor"
            raise SpecError(text, sensor)
    _settle(sensor, fields)


def _tuple(made: Any, names: Names) -> None:
    own, where = made.__dict__, f"tuple '{made._name}' (id = {made._id})"
    types, members = own["objtype"], own["objname"]
    if not len(types):
        raise SpecError(f"{where} is empty", made)
    if not len(types) == len(members) == len(own["objprm"]):
        raise SpecError(f"{where} has object arrays with different sizes", made)
    from mjenv.mujoco.enumerations import enumeration

    for number, name in zip(types.tolist(), members, strict=True):
        try:
            kind = kind_of(enumeration("mjtObj")(number))
        except ValueError:
            kind = ""
        if names.find(kind, name) is None:
            raise SpecError(f"unrecognized object '{name}' in tuple {made._id}", made)


def _skin(skin: Any, names: Names) -> None:
    for name in skin.__dict__["bodyname"]:
        if names.find("body", name) is None:
            raise SpecError(f"unknown body '{name}' in skin", skin)


def _flex(flex: Any, names: Names) -> None:
    own = flex.__dict__
    for name in (*own["vertbody"], *own["nodebody"]):
        if names.find("body", name) is None:
            raise SpecError(f"unknown body '{name}' in flex", flex)


CHECKS: dict[str, Any] = {
    "pair": _pair,
    "exclude": _exclude,
    "equality": _equality,
    "tendon": _tendon,
    "actuator": _actuator,
    "sensor": _sensor,
    "tuple": _tuple,
    "skin": _skin,
    "flex": _flex,
}
